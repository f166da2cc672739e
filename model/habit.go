package model

import (
	"fmt"
	"time"
)

// Habit is how a library renews a lock without being asked, as its own source
// says: after Every a lock that was granted TTL, or after Share of whatever was
// granted. A lock with another TTL than the library's own was often taken
// without renewal, so Every says nothing of it.
type Habit struct {
	Every time.Duration `json:"every,omitempty"`
	TTL   time.Duration `json:"ttl,omitempty"`
	Share float64       `json:"share,omitempty"`
}

// every is how often a lock that was granted so much is renewed; 0: not known.
func (h *Habit) every(granted time.Duration) time.Duration {
	switch {
	case h == nil || granted <= 0:
		return 0
	case h.Every > 0 && (granted-h.TTL).Abs() <= h.TTL/10:
		return h.Every
	}
	return time.Duration(float64(granted) * h.Share)
}

// stopped says in words that a tenure's renewal is late, "" when it is not: by
// the library's habit, or by the tenure's own rhythm where that is not known.
func stopped(l *Lease, t *Tenure, now Instant) string {
	if t.Deadline == 0 || t.Untold || t.GrantedAt == 0 {
		return ""
	}
	// What is overdue stands as it did at its deadline, or its end would be news.
	now = min(now, t.Deadline)
	var usual time.Duration
	who := "it"
	if l.Reading != nil {
		usual = l.Reading.Habit.every(t.Granted)
		who = l.Reading.Library
	}
	own := usual == 0
	if own {
		usual = cadence(l.history, t.Generation)
	}
	quiet := now.Sub(t.GrantedAt)
	if usual == 0 || quiet <= patience(usual, t.Granted) {
		return ""
	}
	left := short(t.Deadline.Sub(now))
	if own {
		return fmt.Sprintf("renewed every %s until %s ago; %s left", short(usual), short(quiet), left)
	}
	return fmt.Sprintf("%s renews every %s; the last time was %s ago; %s left", who, short(usual), short(quiet), left)
}

// patience is how long after a renewal the next one counts as late: twice the
// usual time, and where that comes near the deadline the middle between both.
func patience(usual, granted time.Duration) time.Duration {
	p := 2 * usual
	if granted > usual {
		p = min(p, (usual+granted)/2)
	}
	return max(p, usual+100*time.Millisecond)
}
