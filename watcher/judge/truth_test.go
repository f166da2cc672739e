package judge

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"leasetop/model"
)

// What happened to a key, step by step, as Redis does it. Nothing here knows how
// leasetop finds that out.

type stepKind uint8

const (
	taken   stepKind = iota + 1 // by somebody, while nobody held it
	written                     // in place, by the same or another owner
	moved                       // another deadline, or the same one again
	counted                     // taken again or given back in part by its owner
	ended
)

// step is one change and the state after it.
type step struct {
	kind     stepKind
	at       model.Instant // an expiry: its deadline
	owner    string        // whose tenure it is; on `ended` the one that ended
	format   string
	deadline model.Instant // 0: none
	exact    bool          // deadline is known to the millisecond
	count    int64
	how      string // ended: released, expired, flushed, renamed
	to       string // renamed
	silent   bool   // written without a deadline: no `expire` follows; ended and perhaps never announced
	renamed  bool   // taken or written by a rename
	gone     bool   // ended, of one of several holders: the key went with it
	by       string // the op, for people
}

// member is a holder as the simulator keeps it.
type member struct {
	owner    string
	format   string
	deadline model.Instant
	exact    bool
	count    int64
}

// simulator knows every key's holders and writes their steps down.
type simulator struct {
	t     *testing.T
	held  map[string]*member            // strings and hashes
	many  map[string]map[string]*member // sorted sets
	ends  map[string]model.Instant      // deadline of a sorted set; 0: none
	steps map[string][]step
	names map[string][]string // by owner: the keys that its lock was renamed to
}

func simulate(t *testing.T, acts []act, end model.Instant) *simulator {
	s := &simulator{t: t, held: map[string]*member{}, many: map[string]map[string]*member{}, ends: map[string]model.Instant{}, steps: map[string][]step{}, names: map[string][]string{}}
	for i := range acts {
		a := &acts[i]
		switch {
		case a.kind == "flush":
			s.flush(a)
		case a.key[5] == 'z':
			s.semaphore(a)
		default:
			s.single(a)
		}
	}
	for key := range s.held {
		s.lapse(key, &act{at: end}, unclear) // end is later than any deadline by more than sloppy
	}
	for key := range s.many {
		s.lapseMembers(key, end)
	}
	return s
}

func (s *simulator) add(key string, st step) { s.steps[key] = append(s.steps[key], st) }

// fail ends a test whose truth is not consistent, with the last steps of the key.
func (s *simulator) fail(key string, at model.Instant, format string, args ...any) {
	s.t.Helper()
	steps := s.steps[key]
	for i := max(0, len(steps)-8); i < len(steps); i++ {
		s.t.Log(steps[i].at%1e10, spellStep(&steps[i]))
	}
	s.t.Fatalf("the simulator is wrong about %s at %d: %s", key, at%1e10, fmt.Sprintf(format, args...))
}

// liveness is what a reply says of whether the key was there.
type liveness uint8

const (
	unclear liveness = iota
	there
	away
)

// sloppy is how far the clock at which a command saw a deadline and the one at
// which MONITOR told it can be apart.
const sloppy = 100 * millisecond

// lapse ends a tenure whose deadline is over. Near the deadline the reply of the
// command decides, which the caller hands on.
func (s *simulator) lapse(key string, a *act, l liveness) {
	at := a.at
	m := s.held[key]
	if m == nil {
		if l == there {
			s.fail(key, at, "it is there for a client and not for the simulator")
		}
		return
	}
	over := m.deadline != 0 && at > m.deadline
	switch {
	case l == away:
		if m.deadline == 0 || at < m.deadline-sloppy {
			s.fail(key, at, "%s is away before its deadline", m.owner)
		}
		over = true
	case l == there:
		if over && at > m.deadline+sloppy {
			s.fail(key, at, "%s is there %v after its deadline", m.owner, at.Sub(m.deadline))
		}
		over = false
		if m.deadline != 0 {
			// MONITOR told it later than it was done.
			a.at = min(a.at, m.deadline+millisecond-1)
		}
	case over && at < m.deadline+sloppy:
		// The next command whose reply tells decides.
		over = false
	}
	if over {
		s.end(key, step{at: m.deadline, how: "expired", by: "its deadline"})
	}
}

func (s *simulator) end(key string, st step) {
	m := s.held[key]
	st.kind, st.owner, st.format, st.deadline, st.exact, st.count = ended, m.owner, m.format, m.deadline, m.exact, m.count
	s.add(key, st)
	delete(s.held, key)
}

// deadlineOf is the deadline that an act left behind.
func (a *act) deadlineOf() (model.Instant, bool) {
	switch {
	case a.exact && a.deadline == -1:
		return 0, true
	case a.exact && a.deadline >= 0:
		return model.InstantOfMillis(a.deadline), true
	}
	// Read too late: the key changed or ended in between.
	return model.Instant(int64(a.at)/millisecond*millisecond + a.ttl*millisecond), false
}

func (a *act) String() string {
	return strings.TrimSpace(fmt.Sprintf("%s %s %s %d", a.kind, a.token, a.next, a.ttl)) + " -> " + a.reply
}

// put writes an owner into a key that is free or held.
func (s *simulator) put(key string, a *act, m member, renamed bool) {
	old := s.held[key]
	kind := taken
	if old != nil {
		kind = written
	}
	s.held[key] = &m
	s.add(key, step{kind: kind, at: a.at, owner: m.owner, format: m.format, deadline: m.deadline, exact: m.exact, count: m.count, renamed: renamed,
		silent: a.kind == "keep" || a.kind == "acquire-forever" || renamed, by: a.String()})
}

// move gives the living tenure of a key the deadline that the act left.
func (s *simulator) move(key string, a *act, kind stepKind, count int64) {
	m := s.held[key]
	if a.ttl <= 0 && kind == moved && a.kind != "persist" {
		s.end(key, step{at: a.at, how: "released", by: a.String()})
		return
	}
	m.count = count
	if a.kind != "HREL" {
		m.deadline, m.exact = a.deadlineOf()
		if a.kind == "persist" && !a.exact {
			m.deadline, m.exact = 0, true
		}
	}
	s.add(key, step{kind: kind, at: a.at, owner: m.owner, format: m.format, deadline: m.deadline, exact: m.exact, count: count, silent: a.kind == "HREL", by: a.String()})
}

// alive is what a reply of a script or a plain command says of the key.
func (a *act) alive() liveness {
	n, err := strconv.ParseInt(a.reply, 10, 64)
	switch {
	case err != nil:
		return there // WRONGTYPE
	case a.kind == "HACQ" && n == 1:
		return away
	case a.kind == "HACQ", a.kind == "HREL" && n >= 0, n == 1:
		return there
	}
	return unclear
}

// single plays an act on a string or a hash.
func (s *simulator) single(a *act) {
	key := a.key
	d, exact := a.deadlineOf()
	plain := member{owner: a.token, format: "string", deadline: d, exact: exact}
	switch a.kind {
	case "acquire", "acquire-forever":
		if a.reply != "OK" {
			s.lapse(key, a, there)
			return
		}
		if a.kind == "acquire-forever" && !a.exact {
			plain.deadline, plain.exact = 0, true
		}
		s.lapse(key, a, away)
		s.put(key, a, plain, false)
	case "steal":
		l := there
		if a.reply == "nil" {
			l = away
		}
		s.lapse(key, a, l)
		s.put(key, a, plain, false)
	case "put":
		s.lapse(key, a, map[string]liveness{"0": away, "1": there}[a.reply])
		s.put(key, a, plain, false)
	case "rewrite", "keep":
		if a.reply != "OK" {
			s.lapse(key, a, away)
			return
		}
		s.lapse(key, a, there)
		if a.kind == "keep" {
			plain.deadline, plain.exact = s.held[key].deadline, s.held[key].exact
		}
		s.put(key, a, plain, false)
	case "rename":
		s.rename(a)
	default:
		s.prolong(a, plain)
	}
}

// prolong plays what needs the key to be there, and HACQ.
func (s *simulator) prolong(a *act, plain member) {
	key := a.key
	s.lapse(key, a, a.alive())
	count, err := strconv.ParseInt(a.reply, 10, 64)
	if err != nil {
		if !strings.HasPrefix(a.reply, "WRONGTYPE") {
			s.t.Fatalf("%s %s", key, a)
		}
		return
	}
	switch a.kind {
	case "delete", "CAD":
		if count == 1 {
			s.end(key, step{at: a.at, how: "released", by: a.String()})
		}
	case "persist", "pexpire", "CAE", "HREN":
		if count == 1 {
			s.move(key, a, moved, s.held[key].count)
		}
	case "CAS":
		if count == 1 {
			s.put(key, a, plain, false)
		}
	case "handover":
		if count == 1 {
			s.end(key, step{at: a.at, how: "released", by: a.String()})
			plain.owner = a.next
			s.put(key, a, plain, false)
		}
	case "HACQ":
		s.hashAcquire(a, plain, count)
	case "HREL":
		s.hashRelease(a, count)
	default:
		s.t.Fatalf("the simulator does not know %s", a.kind)
	}
}

func (s *simulator) hashAcquire(a *act, plain member, count int64) {
	switch count {
	case 0: // somebody else has it
	case 1:
		plain.format, plain.count = "redisson", 1
		s.put(a.key, a, plain, false)
	default:
		s.move(a.key, a, counted, count)
	}
}

// hashRelease: 0 deleted it, more is left, -1 was not his.
func (s *simulator) hashRelease(a *act, count int64) {
	switch {
	case count > 0:
		s.move(a.key, a, counted, count)
	case count == 0:
		s.end(a.key, step{at: a.at, how: "released", by: a.String()})
	}
}

func (s *simulator) rename(a *act) {
	if a.reply == "-1" {
		s.lapse(a.key, a, away)
		return
	}
	s.lapse(a.key, a, there)
	m := *s.held[a.key]
	s.lapse(a.next, a, map[string]liveness{"0": away, "1": there}[a.reply])
	s.names[m.owner] = append(s.names[m.owner], a.next)
	s.end(a.key, step{at: a.at, how: "renamed", to: a.next, by: a.String()})
	s.put(a.next, a, m, true)
}

func (s *simulator) flush(a *act) {
	for key, m := range s.held {
		if m.deadline != 0 && a.at >= m.deadline+millisecond {
			// It may have lain there dead until now: nobody will announce its end.
			s.end(key, step{at: m.deadline, how: "expired", silent: true, by: "its deadline, then " + a.String()})
		} else {
			s.end(key, step{at: a.at, how: "flushed", by: a.String()})
		}
	}
	for key := range s.many {
		for owner := range s.many[key] {
			s.remove(key, owner, a, "flushed", true)
		}
	}
}
