package ui

// column is one column of the leases.
type column uint8

// The columns, from left to right.
const (
	colKey column = iota
	colOwner
	colTTL
	colLeft
	colHeld
	colRenewed
	colGen
	colFormat
	colChange
	columns
)

// columnSpec is what there is to know of a column.
type columnSpec struct {
	title string
	sort  string // the key that sorts by it, "" where it cannot be
	least int    // columns below which it is left out
	roomy int    // the same on a wide screen
	want  int    // columns that are enough
	right bool   // set at the right
	rank  int    // the higher, the earlier it is left out; 0 never
}

var specs = [columns]columnSpec{
	colKey:     {"KEY", "K", 14, 18, 0, false, 0},
	colOwner:   {"OWNER", "O", 13, 14, 0, false, 0},
	colTTL:     {"TTL", "T", 9, 9, 9, true, 0},
	colLeft:    {"LEFT", "", 8, 14, 20, false, 1},
	colHeld:    {"HELD", "H", 8, 8, 8, true, 3},
	colRenewed: {"RENEWED", "R", 9, 9, 9, true, 4},
	colGen:     {"GEN", "G", 4, 4, 4, true, 5},
	colFormat:  {"FORMAT", "F", 10, 10, 12, false, 6},
	colChange:  {"LAST CHANGE", "C", 15, 22, 32, false, 2},
}

// roomy is the width from which bars and words get more than they need.
const roomy = 100

func (s *columnSpec) leastIn(w int) int {
	if w >= roomy {
		return s.roomy
	}
	return s.least
}

// gutter is the room in front of the first column: the cursor, the mark of what
// happened, and a blank. between is the room between two columns.
const (
	gutter  = 3
	between = 2
)

// Bounds of what names may take.
const (
	widestKey  = 48
	ownerExtra = 6 // mark, blank, and " ×12" or " +2"
)

// widths are the columns' widths; 0: left out.
type widths [columns]int

// fit lays the columns out in w columns of the screen, for names of the given
// length. What does not fit is left out by rank; KEY, OWNER and TTL stay.
func fit(w, key, owner int) widths {
	var out widths
	want := func(c column) int {
		switch c {
		case colKey:
			return max(out[c], key)
		case colOwner:
			return max(out[c], owner+ownerExtra)
		}
		return specs[c].want
	}
	room := w - gutter - 1
	least := func(c column) int { return specs[c].leastIn(w) + between }
	for c := range columns {
		out[c] = specs[c].leastIn(w)
		room -= least(c)
	}
	room += between
	for rank := 6; rank > 0 && room < 0; rank-- {
		for c := range columns {
			if specs[c].rank == rank {
				room += least(c)
				out[c] = 0
			}
		}
	}
	// What is left goes to the names first, then to the words, then the bar.
	for _, c := range []column{colKey, colOwner, colChange, colLeft, colGen, colFormat} {
		if out[c] == 0 {
			continue
		}
		more := max(0, min(want(c)-out[c], room))
		out[c] += more
		room -= more
	}
	if out[colChange] > 0 {
		more := min(room, 14)
		out[colChange] += max(0, more)
		room -= max(0, more)
	}
	if out[colLeft] > 0 && room > 0 {
		out[colLeft] += min(room, 10)
	}
	return out
}
