// Package resource is what the lease of the demo is there to protect: a value in
// a SQLite file, written by several processes in transactions.
//
// It can be written in three ways, which differ in what a late writer can do:
// unconditionally, under a fencing token, and once for each job.
package resource

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"time"

	_ "modernc.org/sqlite" // the pure-Go driver "sqlite"
)

// Outcome is what became of a write.
type Outcome string

// The outcomes. Each write leaves a row of its own, also a refused one.
const (
	Accepted  Outcome = "accepted"
	Rejected  Outcome = "rejected"  // its fencing token is lower than the highest one seen
	Duplicate Outcome = "duplicate" // the job was completed before; the writer gets that result
)

// Write is one attempt to write the result of a job.
type Write struct {
	Job       string
	Execution string // the attempt that writes
	Value     string
	Fence     int64 // 0: none; PutFenced refuses it as it would any low number
}

// Resource is an open file. It may be used by several goroutines and processes;
// a writer waits for another one for at most busyLimit.
type Resource struct{ db *sql.DB }

const busyLimit = 10 * time.Second

const schema = `
CREATE TABLE IF NOT EXISTS resource (
	job    TEXT PRIMARY KEY,
	value  TEXT NOT NULL,
	writer TEXT NOT NULL,
	fence  INTEGER NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS completion (
	job       TEXT PRIMARY KEY, -- a second completion of a job has no place here
	execution TEXT NOT NULL,
	result    TEXT NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS attempt (
	n         INTEGER PRIMARY KEY,
	job       TEXT NOT NULL,
	execution TEXT NOT NULL,
	fence     INTEGER NOT NULL,
	outcome   TEXT NOT NULL,
	detail    TEXT NOT NULL
) STRICT;`

// Create makes the file with its tables, empty.
func Create(ctx context.Context, path string) (*Resource, error) {
	r, err := Open(path)
	if err != nil {
		return nil, err
	}
	if _, err := r.db.ExecContext(ctx, schema); err != nil {
		return nil, errors.Join(fmt.Errorf("create the resource %s: %w", path, err), r.Close())
	}
	return r, nil
}

// Open opens a file that Create made.
func Open(path string) (*Resource, error) {
	// Every transaction takes the write lock at its beginning, so that what it
	// has read still stands when it writes.
	options := url.Values{
		"_txlock": {"immediate"},
		"_pragma": {fmt.Sprintf("busy_timeout(%d)", busyLimit.Milliseconds()), "journal_mode(WAL)", "synchronous(NORMAL)"},
	}
	db, err := sql.Open("sqlite", (&url.URL{Scheme: "file", Opaque: url.PathEscape(path), RawQuery: options.Encode()}).String())
	if err != nil {
		return nil, fmt.Errorf("open the resource %s: %w", path, err)
	}
	return &Resource{db}, nil
}

// Close closes the file.
func (r *Resource) Close() error { return r.db.Close() }

// Put writes whoever comes: the last writer wins.
func (r *Resource) Put(ctx context.Context, w Write) (Outcome, error) {
	outcome, _, err := r.attempt(ctx, w, func(tx *sql.Tx) (Outcome, string, error) {
		return Accepted, "", put(ctx, tx, w)
	})
	return outcome, err
}

// PutFenced writes unless a higher fencing token has been seen, and says so in
// the second result. The comparison and the write are one transaction: apart,
// the next holder could write between them.
func (r *Resource) PutFenced(ctx context.Context, w Write) (Outcome, string, error) {
	return r.attempt(ctx, w, func(tx *sql.Tx) (Outcome, string, error) {
		var highest int64
		err := tx.QueryRowContext(ctx, `SELECT fence FROM resource WHERE job = ?`, w.Job).Scan(&highest)
		switch {
		case errors.Is(err, sql.ErrNoRows):
		case err != nil:
			return "", "", err
		case w.Fence < highest:
			return Rejected, fmt.Sprintf("fence %d < %d", w.Fence, highest), nil
		}
		return Accepted, "", put(ctx, tx, w)
	})
}

// PutOnce writes unless the job was completed before; the second result is the
// one that stands, whoever computed it. The record of the completion and its
// effect are one transaction: apart, a crash could leave one without the other.
func (r *Resource) PutOnce(ctx context.Context, w Write) (Outcome, string, error) {
	outcome, result, err := r.attempt(ctx, w, func(tx *sql.Tx) (Outcome, string, error) {
		res, err := tx.ExecContext(ctx, `INSERT INTO completion (job, execution, result) VALUES (?, ?, ?) ON CONFLICT DO NOTHING`,
			w.Job, w.Execution, w.Value)
		if err != nil {
			return "", "", err
		}
		if n, err := res.RowsAffected(); err != nil || n == 1 {
			return Accepted, w.Value, errors.Join(err, put(ctx, tx, w))
		}
		var first string
		err = tx.QueryRowContext(ctx, `SELECT result FROM completion WHERE job = ?`, w.Job).Scan(&first)
		return Duplicate, first, err
	})
	return outcome, result, err
}

func put(ctx context.Context, tx *sql.Tx, w Write) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO resource (job, value, writer, fence) VALUES (?, ?, ?, ?)
		ON CONFLICT (job) DO UPDATE SET value = excluded.value, writer = excluded.writer, fence = excluded.fence`,
		w.Job, w.Value, w.Execution, w.Fence)
	return err
}

// attempt runs one write in a transaction and records it in the same.
func (r *Resource) attempt(ctx context.Context, w Write, do func(*sql.Tx) (Outcome, string, error)) (Outcome, string, error) {
	tx, err := r.db.BeginTx(ctx, nil)
	if err != nil {
		return "", "", fmt.Errorf("begin to write %s: %w", w.Job, err)
	}
	defer tx.Rollback() // answers ErrTxDone after the commit
	outcome, detail, err := do(tx)
	if err != nil {
		return "", "", fmt.Errorf("write %s: %w", w.Job, err)
	}
	if _, err := tx.ExecContext(ctx, `INSERT INTO attempt (job, execution, fence, outcome, detail) VALUES (?, ?, ?, ?, ?)`,
		w.Job, w.Execution, w.Fence, string(outcome), detail); err != nil {
		return "", "", fmt.Errorf("record the write of %s: %w", w.Job, err)
	}
	if err := tx.Commit(); err != nil {
		return "", "", fmt.Errorf("commit the write of %s: %w", w.Job, err)
	}
	return outcome, detail, nil
}
