package ui

import "slices"

// list is rows in an order. A row stands in it once.
type list struct{ rows []*row }

// few is up to how many changes are worked into a list one at a time.
const few = 48

// index is where a row stands; -1 when it is not there.
func (l *list) index(r *row, o order) int {
	if i, ok := slices.BinarySearchFunc(l.rows, r, o.compare); ok && l.rows[i] == r {
		return i
	}
	return -1
}

// remove takes rows out.
func (l *list) remove(gone map[*row]bool, o order) {
	if len(gone) > few {
		l.rows = slices.DeleteFunc(l.rows, func(r *row) bool { return gone[r] })
		return
	}
	for r := range gone {
		if i := l.index(r, o); i >= 0 {
			l.rows = slices.Delete(l.rows, i, i+1)
		}
	}
}

// insert works rows in, which it may sort.
func (l *list) insert(rows []*row, o order) {
	if len(rows) > few {
		slices.SortFunc(rows, o.compare)
		l.merge(rows, o)
		return
	}
	for _, r := range rows {
		i, _ := slices.BinarySearchFunc(l.rows, r, o.compare)
		l.rows = slices.Insert(l.rows, i, r)
	}
}

// merge works sorted rows in from the end, in place.
func (l *list) merge(rows []*row, o order) {
	i := len(l.rows) - 1
	l.rows = slices.Grow(l.rows, len(rows))[:len(l.rows)+len(rows)]
	for j, k := len(rows)-1, len(l.rows)-1; j >= 0; k-- {
		if i >= 0 && o.compare(l.rows[i], rows[j]) > 0 {
			l.rows[k] = l.rows[i]
			i--
			continue
		}
		l.rows[k] = rows[j]
		j--
	}
}
