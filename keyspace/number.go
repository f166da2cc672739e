package keyspace

import (
	"math"
	"strconv"
	"strings"
)

// Numbers that say when a lock ends stand in values and scores in seconds,
// milliseconds, microseconds or nanoseconds, with or without decimals. They
// are read exactly, never through a float where their text is plain: a float
// of microseconds would be off by what a deadline is compared for.

// number is whole + nano/1e9.
type number struct {
	whole int64
	nano  int64 // 0 .. 999999999
}

// parseNumber reads what Redis and its clients spell as a number that is not
// negative. It refuses infinities, NaN and what does not fit.
func parseNumber(s string) (number, bool) {
	whole, frac, _ := strings.Cut(s, ".")
	if isDigits(whole) && len(whole) <= 18 && (frac == "" || isDigits(frac)) {
		n, err := strconv.ParseInt(whole, 10, 64)
		if err != nil {
			return number{}, false
		}
		if len(frac) > 9 {
			frac = frac[:9]
		}
		nano, _ := strconv.ParseInt((frac + "000000000")[:9], 10, 64)
		return number{n, nano}, true
	}
	// What is left is long or has an exponent: 1.7961871653465984e+18.
	if !strings.ContainsAny(s, "0123456789") || strings.ContainsAny(s, "xX_pP") {
		return number{}, false
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || !(f >= 0) || f >= math.MaxInt64 {
		return number{}, false
	}
	w, rest := math.Modf(f)
	return number{int64(w), int64(rest * 1e9)}, true
}

func isDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// unit is how many of it make a second; 0 stands for "by size".
type unit int64

const (
	bySize  unit = 0
	seconds unit = 1
	millis  unit = 1_000
	micros  unit = 1_000_000
	nanos   unit = 1_000_000_000
)

// The years in which a number of unknown unit must lie: any unit's span is
// far from the others', so at most one fits.
const (
	year2000 = 946_684_800
	year2100 = 4_102_444_800
)

// unitOf tells the unit of a time by its size, false when it is none.
func unitOf(n number) (unit, bool) {
	for _, u := range []unit{seconds, millis, micros, nanos} {
		if n.whole/int64(u) >= year2000 && n.whole/int64(u) < year2100 {
			return u, true
		}
	}
	return 0, false
}

// micros is the moment in microseconds, saturating: the far future stays the
// far future.
func (n number) micros(u unit) int64 {
	switch u {
	case nanos:
		return n.whole / 1000
	case micros:
		return n.whole
	}
	factor := int64(micros / u)
	if n.whole >= math.MaxInt64/factor {
		return math.MaxInt64
	}
	return n.whole*factor + n.nano/(int64(nanos)/factor)
}

// permitForever is how a Redisson permit without a lease spells its end.
const permitForever = "922337203685477"

// instant is a deadline as some format stores it.
type instant struct {
	at    int64 // µs since the epoch
	never bool  // the text says: no deadline
}

// parseInstant reads a deadline. False: the text is no time in this unit, or in
// no unit where it goes by size; zero and negative times count as none.
func parseInstant(s string, u unit) (instant, bool) {
	switch strings.ToLower(s) {
	case "inf", "+inf", "infinity", permitForever, "9.22337203685477e+14":
		return instant{never: true}, true
	}
	n, ok := parseNumber(s)
	if !ok {
		return instant{}, false
	}
	if u == bySize {
		if u, ok = unitOf(n); !ok {
			return instant{}, false
		}
	}
	at := n.micros(u)
	return instant{at: at}, at > 0
}

const (
	second int64 = 1_000_000 // µs
	minute       = 60 * second
	year         = 31_557_600 * second
)

// plausible reports whether a time that somebody may have written lies around
// now: no more than before earlier and after later, all in µs.
func plausible(at, now, before, after int64) bool {
	return now > 0 && at > 0 && at >= now-before && at-now <= after
}
