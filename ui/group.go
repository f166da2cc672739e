package ui

import (
	"maps"
	"slices"
	"strings"
)

// item is one line of the list: a row, or the head of a group of rows.
type item struct {
	row   *row
	group *group
}

// group is the rows of one prefix.
type group struct {
	prefix string
	rows   []*row
	held   int // of the rows, those that have not ended
	shut   bool
}

// grouping gathers the rows by the prefix of their names.
type grouping struct {
	shut  map[string]bool // the groups that are folded up
	items []item
	dirty bool
}

func newGrouping() *grouping { return &grouping{shut: map[string]bool{}, dirty: true} }

// stale marks the items as outdated; a nil grouping has none.
func (g *grouping) stale() {
	if g != nil {
		g.dirty = true
	}
}

func (g *grouping) clone() *grouping {
	if g == nil {
		return nil
	}
	return &grouping{shut: maps.Clone(g.shut), dirty: true}
}

// noPrefix is the group of the names without one.
const noPrefix = "(no prefix)"

// prefixOf is a name up to the last separator: "lock:invoice:" of
// "lock:invoice:42".
func prefixOf(name string) string {
	if i := strings.LastIndexAny(name, ":/"); i >= 0 && i < len(name)-1 {
		return name[:i+1]
	} else if i > 0 { // a separator at the very end: take the one before it
		if j := strings.LastIndexAny(name[:i], ":/"); j >= 0 {
			return name[:j+1]
		}
	}
	if i := strings.LastIndexAny(name, "._-"); i > 0 {
		return name[:i+1]
	}
	return noPrefix
}

// build gathers the rows of a list, keeping their order within a group.
func (g *grouping) build(list []*row) {
	byPrefix := map[string]*group{}
	for _, r := range list {
		p := prefixOf(r.key.Name)
		of := byPrefix[p]
		if of == nil {
			of = &group{prefix: p, shut: g.shut[p]}
			byPrefix[p] = of
		}
		of.rows = append(of.rows, r)
		if r.ended == 0 {
			of.held++
		}
	}
	g.items = g.items[:0]
	for _, p := range slices.Sorted(maps.Keys(byPrefix)) {
		of := byPrefix[p]
		g.items = append(g.items, item{group: of})
		if !of.shut {
			for _, r := range of.rows {
				g.items = append(g.items, item{row: r})
			}
		}
	}
	g.dirty = false
}

// regroup brings the groups up to date with the list.
func (b *book) regroup() {
	if b.groups != nil && b.groups.dirty {
		b.groups.build(b.list())
	}
}

// len is the number of lines.
func (b *book) len() int {
	if b.groups != nil {
		return len(b.groups.items)
	}
	return len(b.list())
}

// at is the i-th line.
func (b *book) at(i int) item {
	if b.groups != nil {
		return b.groups.items[i]
	}
	return item{row: b.list()[i]}
}

// find is the line of a selection; -1 when it is not there.
func (b *book) find(s selection) int {
	if b.groups == nil {
		return b.index(s.key)
	}
	return slices.IndexFunc(b.groups.items, func(it item) bool { return s == selectionOf(it) })
}

// fold shuts or opens a group.
func (b *book) fold(prefix string) {
	b.groups.shut[prefix] = !b.groups.shut[prefix]
	b.groups.dirty = true
	b.regroup()
}
