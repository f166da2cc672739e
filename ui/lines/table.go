package lines

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"time"

	"leasetop/model"
)

// leaseTable writes the text of list: columns as wide as they need to be,
// times as they stood when each key was read.
func leaseTable(buf *bytes.Buffer, style Style, leases []Lease) {
	t := newText(style)
	rows := [][]string{{"KEY", "OWNER", "LEFT", "STATE", "FORMAT", "NOTE"}}
	for _, l := range leases {
		rows = append(rows, t.leaseRows(l)...)
	}
	for _, width := range []struct{ column, bound int }{{0, keyMax}, {1, ownerMax + 6}, {2, 12}, {3, 10}, {4, 16}} {
		w := 0
		for _, r := range rows {
			w = grow(w, r[width.column], width.bound)
		}
		for _, r := range rows {
			r[width.column] = pad(r[width.column], w)
		}
	}
	for _, r := range rows {
		buf.WriteString(strings.TrimRight(strings.Join(r, "  "), " "))
		buf.WriteByte('\n')
	}
}

// leaseRows gives a row for each holder; the key stands in each of them, so
// that a row can be searched for.
func (t *text) leaseRows(l Lease) [][]string {
	r := l.Reading
	key, state, format := t.shown(l.Key.Name), l.State().String(), t.shown(formatName(r))
	note := t.shown(leaseNote(l))
	var rows [][]string
	for i := range r.Holders {
		rows = append(rows, []string{key, t.holder(&r.Holders[i]), leftText(leftAt(r.Holders[i].Deadline, r.At)), state, format, note})
		note = ""
	}
	if len(rows) == 0 {
		rows = append(rows, []string{key, "-", leftText(l.Left()), state, format, note})
	}
	return rows
}

func (t *text) holder(h *model.Holder) string {
	s := t.token(ownerOf(h))
	if h.Anonymous {
		s = "-"
	}
	if h.Count > 1 {
		s += " " + t.glyph("×", "x") + strconv.FormatInt(h.Count, 10)
	}
	return s
}

func leftText(d time.Duration) string {
	if d == model.NoDuration {
		return "no expiry"
	}
	return span(d)
}

// leaseNote tells what the columns do not.
func leaseNote(l Lease) string {
	r := l.Reading
	var notes []string
	if r.Library != "" {
		notes = append(notes, r.Library)
	}
	if r.Format == "unknown" || r.Format == "" {
		notes = append(notes, "a "+r.Type)
	}
	if n := len(r.Expired); n > 0 {
		notes = append(notes, fmt.Sprintf("%d past their deadline", n))
	}
	if n := len(r.Waiters); n > 0 {
		notes = append(notes, fmt.Sprintf("%d waiting", n))
	}
	if r.Fence != nil {
		notes = append(notes, fmt.Sprintf("fence %d", *r.Fence))
	}
	if r.Note != "" {
		notes = append(notes, r.Note)
	}
	if r.Cut {
		notes = append(notes, fmt.Sprintf("only a part of %d was read", r.Size))
	}
	return strings.Join(notes, ", ")
}
