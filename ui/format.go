package ui

import (
	"strconv"
	"time"

	"leasetop/model"
)

// span spells a duration that stands still, with the digits that can be used:
// 0.4 ms, 112 ms, 5.000 s, 28.00 s, 12m31s, 3h04m, 3d04h. It never rounds up.
// model.NoDuration is "?".
func span(d time.Duration) string {
	switch {
	case d == model.NoDuration:
		return "?"
	case d < 0:
		return "-" + span(-d)
	case d == 0:
		return "0 ms"
	case d < time.Millisecond:
		return decimals(int64(d/(100*time.Microsecond)), 1) + " ms"
	case d < time.Second:
		return strconv.FormatInt(int64(d/time.Millisecond), 10) + " ms"
	case d < 10*time.Second:
		return decimals(int64(d/time.Millisecond), 3) + " s"
	case d < time.Minute:
		return decimals(int64(d/(10*time.Millisecond)), 2) + " s"
	}
	return whole(d)
}

// countdown spells time left: milliseconds under ten seconds, whole seconds up
// to a minute, then two units. What ticks more slowly than it is drawn would
// only flicker.
func countdown(d time.Duration) string {
	switch {
	case d < 0:
		return "0.000 s"
	case d < 10*time.Second:
		return decimals(int64(d/time.Millisecond), 3) + " s"
	}
	return whole(d)
}

// whole spells a duration in whole seconds or coarser: 5 s, 12m31s, 3h04m,
// 3d04h, 412d.
func whole(d time.Duration) string {
	var b [16]byte
	two := func(n, m time.Duration, a, z byte) string {
		out := append(strconv.AppendInt(b[:0], int64(n), 10), a)
		if m < 10 {
			out = append(out, '0')
		}
		return string(append(strconv.AppendInt(out, int64(m), 10), z))
	}
	const day = 24 * time.Hour
	switch {
	case d < 0:
		return "-" + whole(-d)
	case d < time.Minute:
		return strconv.FormatInt(int64(d/time.Second), 10) + " s"
	case d < time.Hour:
		return two(d/time.Minute, d%time.Minute/time.Second, 'm', 's')
	case d < day:
		return two(d/time.Hour, d%time.Hour/time.Minute, 'h', 'm')
	case d < 100*day:
		return two(d/day, d%day/time.Hour, 'd', 'h')
	}
	return strconv.FormatInt(int64(d/day), 10) + "d"
}

// ago spells an age in steps that grow with it, because a number that ticks
// catches the eye: "just now", "5 s ago", "25 s ago", "3 min ago", "2h05m ago".
func ago(d time.Duration) string {
	switch {
	case d < time.Second:
		return "just now"
	case d < 10*time.Second:
	case d < time.Minute:
		d = d.Truncate(5 * time.Second)
	case d < time.Hour:
		d = d.Truncate(time.Minute)
		return strconv.Itoa(int(d/time.Minute)) + " min ago"
	}
	return whole(d) + " ago"
}

// about spells a duration that was taken between two instants, neither of which
// is known to the last digit: 0.4 ms, 112 ms, 5.00 s, 28.00 s, 12m31s. It is
// rounded to the nearest.
func about(d time.Duration) string {
	switch {
	case d < 0: // model.NoDuration too
		return span(d)
	case d < 950*time.Microsecond:
		return span(d.Round(100 * time.Microsecond))
	case d < 995*time.Millisecond:
		return span(d.Round(time.Millisecond))
	case d < 59995*time.Millisecond:
		return decimals(int64(d.Round(10*time.Millisecond)/(10*time.Millisecond)), 2) + " s"
	}
	return whole(d.Round(time.Second))
}

// decimals spells n with the given number of decimals.
func decimals(n int64, places int) string {
	var b [24]byte
	s := strconv.AppendInt(b[:0], n, 10)
	for len(s) <= places {
		s = append(s[:1], s...)
		s[0] = '0'
	}
	point := len(s) - places
	s = append(s, 0)
	copy(s[point+1:], s[point:])
	s[point] = '.'
	return string(s)
}

// count spells a number with thin groups: 1204 is "1,204".
func count[N int | int32 | uint64](n N) string {
	s := strconv.FormatInt(int64(n), 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// rate spells a number a second: "0", "0.4", "18", "1,204".
func rate(perSecond float64) string {
	if perSecond > 0.05 && perSecond < 9.95 {
		return strconv.FormatFloat(perSecond, 'f', 1, 64)
	}
	return count(int(perSecond + 0.5))
}

// plural is "1 lease", "2 leases".
func plural[N int | int32 | uint64](n N, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return count(n) + " " + many
}

// clock spells a time of day on the server's clock, in the zone of the screen.
func (o *Options) clock(i model.Instant, layout string) string {
	if i == 0 {
		return ""
	}
	return i.Time().In(o.zone()).Format(layout)
}

// Layouts of clock.
const (
	toSecond = "15:04:05"
	toTenth  = "15:04:05.0"
	toMilli  = "15:04:05.000"
)
