package model

import (
	"fmt"
	"time"
)

// heed applies the rules about one line of a timeline that was just told. The
// history ends with later lines of the same key when several came at once.
func heed(t *Transition, history []Entry) []Finding {
	h := upTo(history, t.Seq)
	switch t.Change {
	case Evicted:
		return t.finding(ruleEvicted, t.At, leftOf(&t.Entry))
	case Flushed:
		return t.finding(ruleFlushed, t.Earliest, leftOf(&t.Entry))
	case Renewed, Shortened, Recount:
		return heedUnit(t, h)
	case ExpiryAdded:
		if b := beginning(h, t.Generation); b != nil && b.Change == Acquired && t.At.Sub(b.At) < Grace {
			return t.finding(ruleTwoStep, b.At, fmt.Sprintf("the deadline came %s after the acquisition", short(t.At.Sub(b.At))))
		}
	case Acquired:
		return heedAcquired(t, h)
	case Released:
		return heedReleased(t, h)
	case Expired:
		return heedExpired(t, h)
	}
	return nil
}

func (t *Transition) finding(r *Rule, since Instant, detail string) []Finding {
	return []Finding{{r, t.Key, t.Owner, t.Generation, since, detail}}
}

func upTo(h []Entry, seq uint64) []Entry {
	for k := len(h) - 1; k >= 0; k-- {
		if h[k].Seq <= seq {
			return h[:k+1]
		}
	}
	return nil
}

func beginning(h []Entry, generation int32) *Entry {
	for k := len(h) - 1; k >= 0; k-- {
		if h[k].Generation == generation && h[k].Change.Begins() {
			return &h[k]
		}
	}
	return nil
}

func leftOf(e *Entry) string {
	if e.Deadline == 0 {
		return "it had no deadline"
	}
	return short(max(0, e.Deadline.Sub(e.At))) + " before its deadline"
}

// heedUnit compares what a renewal granted with what the tenure had first.
func heedUnit(t *Transition, h []Entry) []Finding {
	b := beginning(h, t.Generation)
	if b == nil || b.Granted <= 0 || t.Granted <= 0 || t.Granted == NoDuration {
		return nil
	}
	ratio := float64(t.Granted) / float64(b.Granted)
	if ratio < 100 && ratio > 1.0/50 {
		return nil
	}
	return t.finding(ruleUnitJump, t.At, fmt.Sprintf("from %s to %s, %.3g times the first",
		short(b.Granted), short(t.Granted), ratio))
}

// heedAcquired looks at the time for which the key was free.
func heedAcquired(t *Transition, h []Entry) []Finding {
	if t.After != Expired || len(h) < 2 {
		return nil
	}
	var ended *Entry
	for k := len(h) - 2; k >= 0; k-- {
		if h[k].Change == Expired {
			ended = &h[k]
			break
		}
	}
	if ended == nil {
		return nil
	}
	if c := cadence(h, ended.Generation); c > 0 && t.Free > c {
		missed := int(ended.Granted / c)
		return t.finding(ruleLeaderless, ended.At, fmt.Sprintf(
			"nobody held it for %s; the renewals came every %s, about %d were missed", short(t.Free), short(c), missed))
	}
	if ended.Renewals == 0 && ended.Granted > 0 && t.Free < max(500*time.Millisecond, ended.Granted/4) {
		f := t.finding(ruleRanOut, ended.At, fmt.Sprintf("a lease of %s, taken over after %s", short(ended.Granted), short(t.Free)))
		f[0].Owner, f[0].Generation = ended.Owner, ended.Generation
		return f
	}
	return nil
}

// heedReleased looks for an early removal behind an expiry. The bound on time
// keeps ordinary short work from being suspected for ever.
func heedReleased(t *Transition, h []Entry) []Finding {
	b := beginning(h, t.Generation)
	if b == nil || b.After != Expired || t.Deadline == 0 || t.Granted <= 0 {
		return nil
	}
	var ended *Entry
	for k := range h {
		if h[k].Change == Expired && h[k].Generation < t.Generation {
			ended = &h[k]
		}
	}
	// Early is before half of what was granted first: a holder who renews has
	// much time left whenever it ends.
	left := t.Deadline.Sub(t.At)
	if ended == nil || ended.Granted <= 0 || t.At.Sub(ended.At) > ended.Granted || left*2 < t.Granted || t.Held*2 > b.Granted {
		return nil
	}
	return t.finding(ruleEarly, t.At, fmt.Sprintf("%s before its deadline, %s after the predecessor's expiry",
		short(left), short(t.At.Sub(ended.At))))
}

// heedExpired looks for a holder who stopped renewing, and for a key that is
// never released.
func heedExpired(t *Transition, h []Entry) []Finding {
	if c := cadence(h, t.Generation); c > 0 && t.Granted > 0 && t.Granted > 3*c/2 {
		return t.finding(ruleStopped, t.At.Add(-t.Granted), fmt.Sprintf("renewed every %s, then not for %s: it ran out",
			short(c), short(t.Granted)))
	}
	ends, expired := 0, 0
	renewedBefore := false
	for k := range h {
		e := &h[k]
		if e.Change.Ends() {
			ends++
			if e.Change == Expired {
				expired++
			}
			renewedBefore = renewedBefore || e.Renewals >= 2 && e.Generation < t.Generation && e.Owner == t.Owner
		}
	}
	if renewedBefore && t.Renewals == 0 {
		return t.finding(ruleStopped, t.At, "an earlier tenure of this owner was renewed; this one never was")
	}
	if ends >= 2 && ends == expired {
		f := t.finding(ruleNeverReleased, t.At, fmt.Sprintf("%d tenures, all expired", ends))
		f[0].Generation = 0 // one finding a key
		return f
	}
	return nil
}
