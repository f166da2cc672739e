package model

import (
	"math"
	"time"
)

// Instant is a moment on a server's clock, in microseconds since the Unix
// epoch, UTC. The zero value means "none" or "not known". Eight bytes instead
// of the twenty-four of time.Time keep a lease small, and no location or
// monotonic reading can slip into a comparison.
type Instant int64

// Forever is the latest Instant. Deadlines that a server gives in milliseconds
// and that would not fit are clamped to it.
const Forever Instant = math.MaxInt64

// InstantOf converts a wall-clock time; the zero time.Time becomes 0.
func InstantOf(t time.Time) Instant {
	if t.IsZero() {
		return 0
	}
	return Instant(t.UnixMicro())
}

// InstantOfMillis converts milliseconds since the Unix epoch, the unit of
// PEXPIRETIME, and clamps what would overflow to Forever.
func InstantOfMillis(ms int64) Instant {
	if ms > math.MaxInt64/1000 {
		return Forever
	}
	if ms < math.MinInt64/1000 {
		return math.MinInt64
	}
	return Instant(ms * 1000)
}

// IsZero reports whether the moment is none or unknown.
func (i Instant) IsZero() bool { return i == 0 }

// Time is the moment as a UTC time.Time; the zero Instant gives the zero time.
func (i Instant) Time() time.Time {
	if i == 0 {
		return time.Time{}
	}
	return time.UnixMicro(int64(i)).UTC()
}

// Add moves by d, saturating at Forever.
func (i Instant) Add(d time.Duration) Instant {
	us := Instant(d / time.Microsecond)
	if us > 0 && i > Forever-us {
		return Forever
	}
	return i + us
}

// Sub is i - o, saturating at the bounds of time.Duration.
func (i Instant) Sub(o Instant) time.Duration {
	us := int64(i) - int64(o)
	if o < 0 && us < int64(i) {
		return math.MaxInt64
	}
	switch {
	case us > math.MaxInt64/1000:
		return math.MaxInt64
	case us < math.MinInt64/1000:
		return math.MinInt64
	}
	return time.Duration(us) * time.Microsecond
}

// last is the latest moment that RFC 3339 can spell.
var last = time.Date(9999, 12, 31, 23, 59, 59, 999999000, time.UTC)

// String is the moment in RFC 3339 with microseconds, UTC, as CONTRACT has it;
// "" for the zero Instant. A year beyond 9999 is given as the end of 9999.
func (i Instant) String() string {
	if i == 0 {
		return ""
	}
	t := i.Time()
	if t.After(last) {
		t = last
	}
	return t.Format("2006-01-02T15:04:05.000000Z07:00")
}

// Earlier is the earlier of two moments; a zero Instant gives way to the other.
func Earlier(a, b Instant) Instant {
	if a == 0 || (b != 0 && b < a) {
		return b
	}
	return a
}

// Later is the later of two moments.
func Later(a, b Instant) Instant { return max(a, b) }
