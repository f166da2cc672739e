package resource

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// State is what the resource holds of one job. The zero State is a job that
// nobody has written.
type State struct {
	Value    string
	Writer   string // the execution whose value it is
	Fence    int64  // the highest one accepted; 0: none
	Attempts []Attempt
}

// Attempt is one write in the order of their commits.
type Attempt struct {
	Execution string
	Fence     int64
	Outcome   Outcome
	Detail    string
}

// Count is how many attempts had an outcome.
func (s State) Count(o Outcome) int64 {
	var n int64
	for _, a := range s.Attempts {
		if a.Outcome == o {
			n++
		}
	}
	return n
}

// State reads what stands, in one transaction.
func (r *Resource) State(ctx context.Context, job string) (State, error) {
	s, err := r.state(ctx, job)
	if err != nil {
		return State{}, fmt.Errorf("read %s: %w", job, err)
	}
	return s, nil
}

func (r *Resource) state(ctx context.Context, job string) (s State, err error) {
	tx, err := r.db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return s, err
	}
	defer tx.Rollback()
	err = tx.QueryRowContext(ctx, `SELECT value, writer, fence FROM resource WHERE job = ?`, job).Scan(&s.Value, &s.Writer, &s.Fence)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return s, err
	}
	rows, err := tx.QueryContext(ctx, `SELECT execution, fence, outcome, detail FROM attempt WHERE job = ? ORDER BY n`, job)
	if err != nil {
		return s, err
	}
	defer rows.Close()
	for rows.Next() {
		var a Attempt
		if err := rows.Scan(&a.Execution, &a.Fence, &a.Outcome, &a.Detail); err != nil {
			return s, err
		}
		s.Attempts = append(s.Attempts, a)
	}
	return s, rows.Err()
}
