package lines

import (
	"encoding/csv"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"leasetop/model"
)

// watchColumns are the columns of watch --csv: every field that one of its
// lines can have. A line leaves empty what it has no word for.
var watchColumns = []string{
	"kind", "seq", "at", "earliest", "latest", "node", "db", "key", "key_b64", "format",
	"change", "owner", "owner_b64", "generation", "deadline", "ttl_ms", "granted_ms", "held_ms",
	"renewals", "renewals_exact", "source", "certainty", "told_at", "deadline_read", "count",
	"after", "free_ms", "to", "to_b64",
	"previous_owner", "previous_owner_b64", "previous_format", "previous_generation",
	"previous_deadline", "previous_granted_ms", "previous_held_ms", "previous_renewals",
	"previous_renewals_exact",
	"state", "detail", "from", "notifications", "flags", "role", "run_id", "changed", "flushed",
	"rule", "severity", "since", "means", "not_proof", "next",
	"jobId", "executionId", "pod", "event", "elapsedMs", "outcome", "fence", "stopMs",
	"scenario", "assertion", "assertion_held", "as_expected", "overlap_ms", "ran_past_lease_ms",
	"takeover_ms", "accepted", "duplicate", "rejected",
}

// listColumns are the columns of list --csv: a row for each holder, so the
// columns of the lease repeat; member is "holder", "expired" or empty when
// nobody is on the key.
var listColumns = []string{
	"kind", "node", "db", "key", "key_b64", "format", "library", "type", "state", "ttl_ms", "deadline",
	"member", "owner", "owner_b64", "count", "holder_ttl_ms", "mode",
	"told_shape", "told_host", "told_process", "told_thread", "told_metadata", "told_acquired",
	"waiters", "fence", "read_at", "group", "group_b64", "note", "cut", "size", "told_refreshed",
}

// row is a sink that lays fields out under the columns of a header.
type row struct {
	columns map[string]int
	cells   []string
	prefix  string // put before the names of a nested object's fields that would clash
}

func newRow(columns []string) *row {
	r := &row{columns: make(map[string]int, len(columns)), cells: make([]string, len(columns))}
	for i, c := range columns {
		r.columns[c] = i
	}
	return r
}

func (r *row) clear() {
	for i := range r.cells {
		r.cells[i] = ""
	}
}

// set panics on a field without a column: a new field needs one.
func (r *row) set(name, cell string) {
	if r.prefix != "" {
		if i, ok := r.columns[r.prefix+name]; ok {
			r.cells[i] = cell
			return
		}
	}
	i, ok := r.columns[name]
	if !ok {
		panic("lines: no CSV column for " + name)
	}
	r.cells[i] = cell
}

// text makes what does not print visible, as Go spells it: a cell is often
// looked at in a terminal.
func (r *row) text(name, s string) {
	if !prints(s) {
		q := strconv.Quote(s)
		s = q[1 : len(q)-1]
	}
	r.set(name, s)
}

func (r *row) bytes(name, s string) {
	if prints(s) {
		r.set(name, s)
		return
	}
	r.set(name+base64Suffix, encode(s))
}

func (r *row) none(name string)                     { r.set(name, "") }
func (r *row) number(name string, n int64)          { r.set(name, strconv.FormatInt(n, 10)) }
func (r *row) flag(name string, b bool)             { r.set(name, strconv.FormatBool(b)) }
func (r *row) instant(name string, i model.Instant) { r.set(name, i.String()) }

// prints reports whether s is UTF-8 and every rune of it prints.
func prints(s string) bool {
	return utf8.ValidString(s) && strings.IndexFunc(s, func(c rune) bool { return !shows(c) }) < 0
}

// table writes rows under one header, which comes before the first row.
type table struct {
	w       *csv.Writer
	columns []string
	row     *row
	begun   bool
}

func newTable(w io.Writer, columns []string) *table {
	return &table{w: csv.NewWriter(w), columns: columns, row: newRow(columns)}
}

// line writes one row and puts it through to the writer underneath.
func (t *table) line(fill func(s *row)) error {
	if !t.begun {
		t.begun = true
		if err := t.w.Write(t.columns); err != nil {
			return err
		}
	}
	t.row.clear()
	fill(t.row)
	if err := t.w.Write(t.row.cells); err != nil {
		return err
	}
	t.w.Flush()
	return t.w.Error()
}

// leaseRows writes a row for each holder, or one where nobody is on the key.
func (t *table) leaseRows(l Lease) error {
	members := 0
	write := func(member string, h *model.Holder) error {
		members++
		return t.line(func(s *row) {
			leaseFields(s, l)
			s.text("member", member)
			if h != nil {
				s.prefix = "holder_"
				holderFields(s, h, l.Reading.At)
				s.prefix = ""
			}
			if l.Reading.Waiters != nil {
				s.number("waiters", int64(len(l.Reading.Waiters)))
			}
			fenceField(s, l.Reading)
			s.instant("read_at", l.Reading.At)
			noteFields(s, l.Reading)
		})
	}
	for i := range l.Reading.Holders {
		if err := write("holder", &l.Reading.Holders[i]); err != nil {
			return err
		}
	}
	for i := range l.Reading.Expired {
		if err := write("expired", &l.Reading.Expired[i]); err != nil {
			return err
		}
	}
	if members == 0 {
		return write("", nil)
	}
	return nil
}

// verdictRows writes a row for each assertion.
func (t *table) verdictRows(v *Verdict) error {
	for _, a := range v.Assertions {
		if err := t.line(func(s *row) {
			s.text("kind", "verdict")
			s.text("scenario", v.Scenario)
			s.text("assertion", a.Name)
			heldField(s, "assertion_held", a)
			verdictFields(s, v)
		}); err != nil {
			return err
		}
	}
	return nil
}
