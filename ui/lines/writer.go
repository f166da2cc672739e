package lines

import (
	"bytes"
	"fmt"
	"io"

	"leasetop/model"
)

// Format is how lines are written.
type Format uint8

// The formats. The zero value is text.
const (
	Text Format = iota
	JSON
	CSV
)

// Style says how text for people may look; JSON and CSV don't heed it.
type Style struct {
	Color bool // SGR colours; a word always says the same thing
	ASCII bool // our own marks in ASCII only
	// Alias gives an owner a name, "" where it has none; nil: nobody has one.
	Alias func(token string) string
}

// Writer tells lines to an io.Writer. Lines are gathered until Flush, which
// hands them on in one write: call it after each batch, so that no line waits.
// It is not safe for concurrent use.
type Writer struct {
	out    io.Writer
	format Format
	buf    bytes.Buffer
	text   *text
	csv    *table
}

// NewWriter returns a writer of transitions, states, findings, worker events
// and verdicts, as watch and demo print them.
func NewWriter(out io.Writer, format Format, style Style) *Writer {
	w := &Writer{out: out, format: format, text: newText(style)}
	w.csv = newTable(&w.buf, watchColumns)
	return w
}

// Flush writes what was gathered. It returns the error of the io.Writer.
func (w *Writer) Flush() error {
	if w.buf.Len() == 0 {
		return nil
	}
	_, err := w.out.Write(w.buf.Bytes())
	w.buf.Reset()
	if err != nil {
		return fmt.Errorf("lines: write: %w", err)
	}
	return nil
}

// Transition adds one line.
func (w *Writer) Transition(t *model.Transition) {
	w.line(func(s sink) { transitionFields(s, t) },
		func(b []byte) []byte { return w.text.transition(b, t) })
}

// Status adds one line.
func (w *Writer) Status(h *model.Health) {
	w.line(func(s sink) { statusFields(s, h) },
		func(b []byte) []byte { return w.text.status(b, h) })
}

// Finding adds one line; as text, a few.
func (w *Writer) Finding(f *model.Finding) {
	w.line(func(s sink) { findingFields(s, f) },
		func(b []byte) []byte { return w.text.finding(b, f) })
}

// Note adds a line for people, that begins with "# ". The machine-readable
// formats carry nothing but their own lines and leave it out.
func (w *Writer) Note(s string) {
	if w.format == Text {
		w.buf.Write(w.text.note(w.buf.AvailableBuffer(), s))
	}
}

// Worker adds one line.
func (w *Writer) Worker(e *model.WorkerEvent) {
	w.line(func(s sink) { workerFields(s, e) },
		func(b []byte) []byte { return w.text.worker(b, e) })
}

// Verdict adds one line of JSON, a row for each assertion of CSV, or a few
// lines of text.
func (w *Writer) Verdict(v *Verdict) {
	switch w.format {
	case JSON:
		w.buf.Write(append(appendVerdict(w.buf.AvailableBuffer(), v), '\n'))
	case CSV:
		mustBuffer(w.csv.verdictRows(v))
	default:
		w.buf.Write(w.text.verdict(w.buf.AvailableBuffer(), v))
	}
}

// Summary adds a table of several verdicts, which were told before; text only.
func (w *Writer) Summary(verdicts []Verdict) {
	if w.format == Text {
		w.buf.Write(w.text.summary(w.buf.AvailableBuffer(), verdicts))
	}
}

func (w *Writer) line(fields func(sink), text func([]byte) []byte) {
	switch w.format {
	case JSON:
		o := newObject(w.buf.AvailableBuffer())
		fields(o)
		w.buf.Write(append(o.close(), '\n'))
	case CSV:
		mustBuffer(w.csv.line(func(s *row) { fields(s) }))
	default:
		w.buf.Write(text(w.buf.AvailableBuffer()))
	}
}

// mustBuffer panics: a bytes.Buffer takes everything.
func mustBuffer(err error) {
	if err != nil {
		panic(err)
	}
}

// WriteLeases writes leases as list prints them, in the order given; nothing
// when there are none. Text is a table with a head, a row for each holder. It
// returns the error of out.
func WriteLeases(out io.Writer, format Format, style Style, leases []Lease) error {
	if len(leases) == 0 {
		return nil
	}
	var buf bytes.Buffer
	switch format {
	case JSON:
		for _, l := range leases {
			buf.Write(append(appendLease(buf.AvailableBuffer(), l), '\n'))
		}
	case CSV:
		t := newTable(&buf, listColumns)
		for _, l := range leases {
			mustBuffer(t.leaseRows(l))
		}
	default:
		leaseTable(&buf, style, leases)
	}
	if _, err := out.Write(buf.Bytes()); err != nil {
		return fmt.Errorf("lines: write: %w", err)
	}
	return nil
}
