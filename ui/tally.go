package ui

import (
	"container/heap"
	"slices"

	"leasetop/model"
)

// tally counts rows by their state without walking over them: a row is counted
// when it comes and goes, and when its deadline passes.
type tally struct {
	held, forever, ended int
	late                 map[*row]bool // held, and the deadline has passed
	due                  deadlines     // rows that may become late, with some that are gone
}

func newTally() tally { return tally{late: map[*row]bool{}} }

// deadlines is a heap of rows by their deadline.
type deadlines []*row

func (d deadlines) Len() int           { return len(d) }
func (d deadlines) Less(i, j int) bool { return d[i].deadline < d[j].deadline }
func (d deadlines) Swap(i, j int)      { d[i], d[j] = d[j], d[i] }
func (d *deadlines) Push(x any)        { *d = append(*d, x.(*row)) }
func (d *deadlines) Pop() any {
	last := len(*d) - 1
	r := (*d)[last]
	(*d)[last] = nil
	*d = (*d)[:last]
	return r
}

func (t *tally) add(r *row) {
	switch {
	case r.ended != 0:
		t.ended++
	case r.untold:
		t.held++
	case r.deadline == 0:
		t.forever++
	default:
		t.held++
		heap.Push(&t.due, r)
	}
}

func (t *tally) remove(r *row) {
	switch {
	case r.ended != 0:
		t.ended--
	case r.deadline == 0 && !r.untold:
		t.forever--
	case t.late[r]:
		delete(t.late, r)
	default:
		t.held--
	}
}

// pass moves the rows whose deadline has passed at now, and lets go of those
// that are gone when they make up half of the heap.
func (t *tally) pass(now model.Instant, rows map[model.Key]*row) {
	if len(t.due) > 2*len(rows)+few {
		t.due = slices.DeleteFunc(t.due, func(r *row) bool { return rows[r.key] != r })
		heap.Init(&t.due)
	}
	for len(t.due) > 0 && now > t.due[0].deadline {
		r := heap.Pop(&t.due).(*row)
		if rows[r.key] == r && !t.late[r] {
			t.late[r] = true
			t.held--
		}
	}
}

// totals are the numbers at the last pass.
func (t *tally) totals() model.Totals {
	return model.Totals{Held: t.held, NoExpiry: t.forever, Overdue: len(t.late), Free: t.ended}
}
