package lines

import (
	"fmt"
	"strconv"
	"time"

	"leasetop/model"
)

// span spells a duration for people, with as many digits as they can use:
// 0.4 ms, 112 ms, 5.000 s, 28.00 s, 12m31s, 3h04m, 3d04h. It never rounds up,
// so that time left is not overstated. model.NoDuration is "?".
func span(d time.Duration) string {
	if d == model.NoDuration {
		return "?"
	}
	if d < 0 {
		return "-" + span(-d)
	}
	switch {
	case d == 0:
		return "0 ms"
	case d < time.Millisecond:
		return fixed(int64(d/(100*time.Microsecond)), 1) + " ms"
	case d < time.Second:
		return strconv.FormatInt(int64(d/time.Millisecond), 10) + " ms"
	case d < 10*time.Second:
		return fixed(int64(d/time.Millisecond), 3) + " s"
	case d < time.Minute:
		return fixed(int64(d/(10*time.Millisecond)), 2) + " s"
	case d < time.Hour:
		return fmt.Sprintf("%dm%02ds", d/time.Minute, d%time.Minute/time.Second)
	case d < 24*time.Hour:
		return fmt.Sprintf("%dh%02dm", d/time.Hour, d%time.Hour/time.Minute)
	}
	return fmt.Sprintf("%dd%02dh", d/(24*time.Hour), d%(24*time.Hour)/time.Hour)
}

// fixed spells n with the given number of decimals.
func fixed(n int64, decimals int) string {
	unit := int64(1)
	for range decimals {
		unit *= 10
	}
	return fmt.Sprintf("%d.%0*d", n/unit, decimals, n%unit)
}

// about spells a span between two instants that were told: both are uncertain
// by more than the rounding to a millisecond.
func about(d time.Duration) string {
	if d < time.Millisecond {
		return span(d)
	}
	return span(d.Round(time.Millisecond))
}
