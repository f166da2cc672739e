package watcher

import (
	"time"

	"golang.org/x/sys/unix"
)

// sinceBoot counts the time that the machine slept, which Go's monotonic clock
// leaves out, and knows nothing of the wall clock being set.
func sinceBoot() (time.Duration, bool) {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &ts); err != nil {
		return 0, false
	}
	return time.Duration(ts.Nano()), true
}
