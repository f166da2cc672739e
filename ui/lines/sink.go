package lines

import (
	"time"

	"leasetop/model"
)

// sink takes the fields of a line one after another. The two of them, for JSON
// and for CSV, see the same names in the same order.
type sink interface {
	text(name, s string)                  // text of ours
	bytes(name, s string)                 // raw bytes from the server; name or name_b64
	none(name string)                     // null
	number(name string, n int64)          //
	flag(name string, b bool)             //
	instant(name string, i model.Instant) // null when zero
}

// between writes a span between two instants that were told, in milliseconds to
// the nearest, null for model.NoDuration. Both ends are uncertain by more than
// the rounding.
func between(s sink, name string, d time.Duration) {
	if d == model.NoDuration {
		s.none(name)
		return
	}
	s.number(name, int64(d.Round(time.Millisecond)/time.Millisecond))
}

// millis writes time left in whole milliseconds, rounded down, null for
// model.NoDuration.
func millis(s sink, name string, d time.Duration) {
	if d == model.NoDuration {
		s.none(name)
		return
	}
	s.number(name, floorMillis(d))
}

// floorMillis rounds towards the past, so that time left is never overstated,
// also when it is negative.
func floorMillis(d time.Duration) int64 {
	ms := int64(d / time.Millisecond)
	if d < 0 && d%time.Millisecond != 0 {
		ms--
	}
	return ms
}

// owner writes an owner token, null when nobody read it.
func owner(s sink, name string, o model.Owner) {
	if !o.Known {
		s.none(name)
		return
	}
	s.bytes(name, o.Token)
}

// word writes one of our words, null when there is none.
func word(s sink, name, w string) {
	if w == "" {
		s.none(name)
		return
	}
	s.text(name, w)
}

// optional writes text only where there is some.
func optional(s sink, name, text string) {
	if text != "" {
		s.text(name, text)
	}
}
