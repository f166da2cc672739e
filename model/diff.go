package model

import (
	"cmp"
	"slices"
)

// diff compares the holders of the reading with the tenures that go on.
func (f *fold) diff() {
	lease, r := f.lease, f.o.Reading
	old := lease.Tenures
	stays := make(map[int]*Holder, len(r.Holders))
	order := make([]int, 0, len(r.Holders))
	var fresh []*Holder
	used := make([]bool, len(old))
	for i := range r.Holders {
		h := &r.Holders[i]
		if j := match(old, used, h, r.Format == lease.format || lease.format == ""); j >= 0 && !f.putOver {
			used[j], stays[j] = true, h
			order = append(order, j)
			continue
		}
		fresh = append(fresh, h)
	}
	f.stays = len(order)
	gone := make([]*Tenure, 0, len(old)-len(order))
	for j := range old {
		if !used[j] {
			gone = append(gone, &old[j])
		}
	}
	lease.Tenures = make([]Tenure, 0, len(r.Holders))
	if len(fresh) > 0 && len(gone) > 0 && len(order) == 0 && f.inPlace(gone[0]) {
		f.replace(gone[0], fresh[0])
		gone, fresh = gone[1:], fresh[1:]
	}
	gone = f.endOver(gone)
	for _, j := range order {
		f.update(&old[j], stays[j])
		lease.Tenures = append(lease.Tenures, old[j])
	}
	for _, t := range gone {
		f.endByReading(t)
	}
	if len(lease.Tenures) == 0 && len(old) > 0 {
		f.nowFree(lease.Last.At, lease.Last.Change)
	}
	lease.format = r.Format
	for _, h := range fresh {
		if f.wrote > 0 {
			f.free = true
			f.begin(tenureOf(h), &opening{at: f.wroteAt, moves: f.moved})
			continue
		}
		f.free = true
		f.appear(h)
	}
}

// endOver ends those whose deadline was over before the reading, in the order of
// their deadlines, and gives the others: what else the reading shows came later.
func (f *fold) endOver(gone []*Tenure) (others []*Tenure) {
	slices.SortStableFunc(gone, func(a, b *Tenure) int { return cmp.Compare(a.Deadline, b.Deadline) })
	for _, t := range gone {
		if f.over(t) {
			f.endByReading(t)
		} else {
			others = append(others, t)
		}
	}
	return others
}

// inPlace reports whether the old holder and the new one cannot both have been
// members of one value: the value itself was replaced.
func (f *fold) inPlace(old *Tenure) bool {
	r := f.o.Reading
	switch {
	case r.Format != f.lease.format && f.lease.format != "":
		return true
	case f.members() && f.wrote > 0:
		return f.whole
	case slices.ContainsFunc(r.Expired, func(h Holder) bool { return h.Owner == old.Identity }):
		return false
	}
	return f.left == 0 && len(r.Holders) == 1
}

// match finds the tenure that a holder continues, -1 when there is none. One
// whose owner was never read takes whoever is there.
func match(old []Tenure, used []bool, h *Holder, sameFormat bool) int {
	if !sameFormat {
		return -1
	}
	for j := range old {
		if !used[j] && old[j].Identity == h.Owner && old[j].Mode == h.Mode && !old[j].nameless() {
			return j
		}
	}
	for j := range old {
		if !used[j] && old[j].nameless() {
			return j
		}
	}
	return -1
}

// nameless reports whether the tenure's owner was never read.
func (t *Tenure) nameless() bool { return t.Unread && !t.Owner.Known && t.Identity == "" }
