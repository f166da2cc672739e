package model

import (
	"fmt"
	"strings"
	"time"
)

// Severity ranks a finding.
type Severity uint8

// The severities of CONTRACT, in rising order.
const (
	Info Severity = iota + 1
	Warning
	Critical
)

func (s Severity) String() string {
	switch s {
	case Info:
		return "info"
	case Warning:
		return "warning"
	case Critical:
		return "critical"
	}
	return ""
}

// ParseSeverity reads a severity's word; false when it is none.
func ParseSeverity(word string) (Severity, bool) {
	for s := Info; s <= Critical; s++ {
		if s.String() == word {
			return s, true
		}
	}
	return 0, false
}

// Rule says what a finding of one kind means, what it does not prove, and what
// to look at next. Sources: the incidents that operators reported of about
// ninety lock libraries.
type Rule struct {
	Name     string
	Severity Severity
	Means    string
	NotProof string
	Next     string
}

// Finding is one place where a rule applies.
type Finding struct {
	Rule       *Rule
	Key        Key
	Owner      Owner
	Generation int32
	Since      Instant // when it began, as far as it was seen
	Detail     string  // the figures of this case
}

// Grace is how long a lease may stand without a deadline before that is a
// finding: acquiring in two steps (SETNX, then EXPIRE) takes a few milliseconds.
const Grace = time.Second

// LongTTL is the time to live from which on a deadline is held for a mistake.
const LongTTL = 366 * 24 * time.Hour

// rules in the order in which `leasetop check` tells them.
var (
	ruleEvicted = &Rule{"evicted", Critical,
		"The server removed a lock key for memory: the lease ended early and its holder was not told.",
		"It does not prove that two workers overlapped.",
		"Keep locks out of an evicting server, or use a volatile-ttl policy with enough memory."}
	ruleUnitJump = &Rule{"unit-jump", Critical,
		"The time to live jumped by a factor near a thousand: seconds and milliseconds were probably mixed up.",
		"It does not prove a mistake: a client may mean it.",
		"Look at the unit of the renewal or extension call (EXPIRE takes seconds, PEXPIRE milliseconds)."}
	ruleNoExpiry = &Rule{"no-expiry", Warning,
		"The lock will not free itself: if its holder is gone, it stays.",
		"It does not prove that the holder is gone; some libraries lock without a TTL on purpose.",
		"Find the owner. If it is dead, release this very token with compare-and-delete."}
	ruleAbsurd = &Rule{"absurd-ttl", Warning,
		"The deadline is more than a year ahead: in practice the lock will not free itself.",
		"It does not prove an orphan.",
		"Look whether an epoch time was passed as a TTL, or a TTL in the wrong unit."}
	ruleStopped = &Rule{"renewals-stopped", Warning,
		"The holder used to renew and has missed its own rhythm: it may be paused, dead or cut off.",
		"It does not prove that the work stopped; the lease is valid until its deadline.",
		"Look at the worker. After the deadline another may enter while this one still runs."}
	ruleThin = &Rule{"thin-margin", Warning,
		"A renewal came with less than a tenth of the lease left: one more delay and it would have expired.",
		"It does not prove that the lease was ever lost.",
		"Renew at a third of the TTL, or find what delays the renewals."}
	ruleFlushed = &Rule{"flushed", Warning,
		"The whole database was emptied or exchanged while the lock was held.",
		"It does not prove that the holder noticed.",
		"Find who ran FLUSHALL, FLUSHDB or SWAPDB; holders may still work until their deadlines."}
	ruleLeaderless = &Rule{"leaderless-gap", Warning,
		"A lease that was renewed regularly ran out, and nobody held the key for longer than its renewal rhythm.",
		"It does not prove that work was missed.",
		"Look at the former holder at the time of its last renewal, and at how often others try."}
	ruleConstant = &Rule{"constant-token", Info,
		"The owner token does not tell one attempt from another: compare-and-delete protects nothing here.",
		"It does not prove that a wrong release happened.",
		"Use a fresh random token for each attempt."}
	ruleShared = &Rule{"shared-token", Info,
		"The token looks like host:pid: all threads of the process would share it.",
		"It does not prove that two threads held it.",
		"Use a fresh random token for each attempt."}
	ruleEarly = &Rule{"removed-early", Info,
		"A lease was deleted early, soon after its predecessor on the key had expired unreleased: a late release by the predecessor looks like this.",
		"It does not prove who deleted it; a normal release looks the same.",
		"Check that the release compares the token and deletes in one step."}
	ruleRanOut = &Rule{"ran-out", Info,
		"A lease ran to its deadline unrenewed and another took the key soon after: the work may take longer than the lease.",
		"It does not prove that the first worker was still running.",
		"Compare the work's duration with the TTL; renew, or fence at the resource."}
	ruleNeverReleased = &Rule{"never-released", Info,
		"Every tenure seen on the key ended by expiry, none by release: the release may miss the key.",
		"It does not prove how long the work takes.",
		"Check that acquire and release use the same key name and token."}
	ruleTwoStep = &Rule{"two-step", Info,
		"The lock is acquired in two steps, a write and then its expiry: a crash in between leaves it without one.",
		"It does not prove that this ever happened.",
		"Acquire with one SET key token NX PX ttl."}
)

// Rules lists all rules, the gravest first.
func Rules() []*Rule {
	return []*Rule{ruleEvicted, ruleUnitJump, ruleNoExpiry, ruleAbsurd, ruleStopped, ruleThin, ruleFlushed,
		ruleLeaderless, ruleConstant, ruleShared, ruleEarly, ruleRanOut, ruleNeverReleased, ruleTwoStep}
}

// constants are values that applications write instead of an owner.
var constants = map[string]bool{"": true, "0": true, "1": true, "true": true, "lock": true, "locked": true,
	"persistent": true, "yes": true, "ok": true, "x": true}

func constantToken(l *Lease, t *Tenure) string {
	switch {
	case !t.Owner.Known && !t.Unread && t.Identity == "" && l.Reading != nil && l.Reading.Type == "string":
		return "the format records no owner"
	case t.Owner.Known && constants[strings.ToLower(t.Owner.Token)]:
		return fmt.Sprintf("the token is %q", t.Owner.Token)
	}
	return ""
}

// years spells a span for people without overflow.
func years(d time.Duration) string {
	y := d.Hours() / 24 / 365.25
	if y >= 290 {
		return "centuries"
	}
	return fmt.Sprintf("%.1f years", y)
}

// absurd spells out a deadline that is too far ahead; "" when it is not.
func absurd(t *Tenure, now Instant) string {
	if t.Deadline == 0 || t.Untold || t.Deadline.Sub(now) < LongTTL {
		return ""
	}
	left := t.Deadline.Sub(now)
	s := years(left) + " left"
	epochS := float64(now) / 1e6
	if r := left.Seconds() / epochS; r > 0.9 && r < 1.1 {
		s += "; as many seconds as an epoch time has: an instant was probably passed as a TTL"
	}
	return s
}
