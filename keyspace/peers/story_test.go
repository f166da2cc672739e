package peers

import (
	"context"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"leasetop/model"
)

// tells waits for the next lines about a key and compares them, in their order.
//
// A line is a change, the owner's name in the story, and what else it tells:
// "x2" a count, "endless" no deadline, "from B" the holder before, "after
// released" how the tenure before ended, "renewed 2" how often. A duration is the
// TTL that was granted, exact within the bounds that leasetop tells; "@" and
// milliseconds since the epoch the deadline itself. Readings
// alone cannot tell "overwritten": there it is "replaced". By events a line is
// observed, unless "inferred" says that none names the change.
func (s *scene) tells(key string, want ...string) {
	s.Helper()
	next := func() []model.Transition { return s.lines(key) }
	s.until(fmt.Sprintf("%q of %q", want, key), func() bool { return len(next()) >= len(want) })
	s.mu.Lock()
	defer s.mu.Unlock()
	got := next()
	for i, w := range want {
		s.compare(key, &got[i], w)
	}
	s.read[key] += len(want)
	if len(got) > len(want) {
		s.Errorf("%q: %d lines more than expected\n%s", key, len(got)-len(want), s.all())
	}
}

// lines are those of a key that the story has not checked. Overdue lines are
// left out: whether a confirming read took longer than 50 ms is up to the load.
func (s *scene) lines(key string) []model.Transition {
	var list []model.Transition
	for _, t := range s.told[key] {
		if t.Change != model.Overdue && (t.Change != model.Renewed || !s.renews[key]) {
			list = append(list, t)
		}
	}
	return list[s.read[key]:]
}

// renewed waits until a library has renewed a lock by itself n times, and checks
// each. It may go on: from here on the story leaves its renewals out.
func (s *scene) renewed(key, want string, n int) {
	s.Helper()
	var list []model.Transition
	s.until(fmt.Sprintf("renewals of %q", key), func() bool {
		list = nil
		for _, t := range s.told[key] {
			if t.Change == model.Renewed {
				list = append(list, t)
			}
		}
		return len(list) >= n
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range list {
		s.compare(key, &list[i], want)
	}
	s.renews[key] = true
}

func (s *scene) compare(key string, t *model.Transition, want string) {
	s.Helper()
	words := strings.Fields(want)
	var ttl time.Duration
	certainty := model.Observed
	words = slices.DeleteFunc(words, func(w string) bool {
		d, err := time.ParseDuration(w)
		if err == nil {
			ttl = d
		}
		if w == "inferred" {
			certainty = model.Inferred
		}
		at, exact := strings.CutPrefix(w, "@")
		if ms, _ := strconv.ParseInt(at, 10, 64); exact && t.Deadline.Sub(model.InstantOfMillis(ms)).Abs() > time.Microsecond { // a float of seconds
			s.Errorf("%q %s until %d, want %d", key, t.Change, t.Deadline, ms*1000)
		}
		return err == nil || exact || w == "inferred"
	})
	if words[0] == "overwritten" && s.sight == byPolling {
		words[0] = "replaced"
	}
	if got := s.line(t); got != strings.Join(words, " ") {
		s.Errorf("%q:\n got %s\nwant %s\n%s", key, got, strings.Join(words, " "), s.all())
	}
	if ttl != 0 {
		s.granted(key, t, ttl)
	}
	if t.At < t.Earliest || t.At > t.Latest {
		s.Errorf("%q %s: at %s is not within %s to %s", key, t.Change, t.At, t.Earliest, t.Latest)
	}
	s.certainty(key, t, certainty)
}

// granted checks a TTL against the bounds of the line that tells it.
func (s *scene) granted(key string, t *model.Transition, want time.Duration) {
	s.Helper()
	least, most := t.Deadline.Sub(t.Latest), t.Deadline.Sub(t.Earliest)
	if t.Deadline == 0 || want < least-s.slack || want > most+s.slack {
		s.Errorf("%q %s: granted %s to %s, want %s", key, t.Change, least, most, want)
	}
	if off := (t.Granted - want).Abs(); off > 3*time.Second {
		s.Errorf("%q %s: granted %s, want %s", key, t.Change, t.Granted, want)
	}
}

// certainty: a named event shows a change, readings only let it be deduced.
func (s *scene) certainty(key string, t *model.Transition, want model.Certainty) {
	s.Helper()
	exact := true
	if s.sight == byPolling {
		want, exact = model.Inferred, false
	}
	if t.Certainty != want {
		s.Errorf("%q %s is %s by %s, want %s", key, t.Change, t.Certainty, t.Source, want)
	}
	if t.RenewalsExact != exact && !(s.busy && exact) {
		s.Errorf("%q %s: renewals exact %v", key, t.Change, t.RenewalsExact)
	}
}

// line spells a transition for comparison.
func (s *scene) line(t *model.Transition) string {
	words := []string{t.Change.String(), s.owner(t.Owner)}
	if t.Count != 0 {
		words = append(words, fmt.Sprintf("x%d", t.Count))
	}
	if !t.Change.Ends() && t.Deadline == 0 {
		words = append(words, "endless")
	}
	if t.Change.Ends() && t.Renewals > 0 && !s.renews[t.Key.Name] {
		words = append(words, fmt.Sprintf("renewed %d", t.Renewals))
	}
	if t.Previous != nil {
		words = append(words, "from", s.owner(t.Previous.Owner))
	}
	if t.After != 0 {
		words = append(words, "after", t.After.String())
	}
	return strings.Join(words, " ")
}

func (s *scene) owner(o model.Owner) string {
	switch {
	case !o.Known:
		return "?"
	case s.alias[o.Token] != "":
		return s.alias[o.Token]
	}
	return fmt.Sprintf("%q", o.Token)
}

// all is every line so far, for a failure's message. The caller holds mu.
func (s *scene) all() string {
	var list []model.Transition
	for _, t := range s.told {
		list = append(list, t...)
	}
	sort.Slice(list, func(i, j int) bool { return list[i].Seq < list[j].Seq })
	var b strings.Builder
	for i := range list {
		t := &list[i]
		fmt.Fprintf(&b, "\t%s %-30q %s, granted %s, %s by %s\n", t.At, t.Key.Name, s.line(t), t.Granted, t.Certainty, t.Source)
	}
	for _, h := range s.healths {
		fmt.Fprintf(&b, "\t%s %s %s\n", h.At, h.State, h.Detail)
	}
	return b.String()
}

// quiet proves that nothing was told beyond what the story has checked.
func (s *scene) quiet() {
	s.Helper()
	s.pass()
	s.mu.Lock()
	defer s.mu.Unlock()
	for key := range s.told {
		if more := s.lines(key); key != fence && len(more) > 0 {
			s.Errorf("%q: %d lines that nothing explains, first %s\n%s", key, len(more), s.line(&more[0]), s.all())
		}
	}
}

// settle takes the lines of a key for checked, once everything until now is told.
// For moments in which the order of a library's own goroutines is open.
func (s *scene) settle(key string) {
	s.Helper()
	s.pass()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.read[key] += len(s.lines(key))
}

// pass waits until everything that happened before is told.
func (s *scene) pass() {
	s.Helper()
	for _, command := range []string{"set " + fence + " 1 px 3600000", "del " + fence} {
		s.mu.Lock()
		n := len(s.told[fence])
		s.mu.Unlock()
		s.do(command)
		s.until(command, func() bool { return len(s.told[fence]) > n })
	}
}

// held compares who holds a key now: each holder's name, "xN" its count, "read"
// or "write" its mode.
func (s *scene) held(key string, want ...string) {
	s.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.lease(key)
	if l == nil {
		s.Fatalf("%q is not known", key)
	}
	var got []string
	for _, t := range l.Tenures {
		words := []string{s.owner(t.Owner)}
		if t.Count != 0 {
			words = append(words, fmt.Sprintf("x%d", t.Count))
		}
		if t.Mode != "" {
			words = append(words, t.Mode)
		}
		got = append(got, strings.Join(words, " "))
	}
	sort.Strings(got)
	sort.Strings(want)
	if !slices.Equal(got, want) {
		s.Errorf("%q is held by %q, want %q", key, got, want)
	}
}

func (s *scene) lease(key string) *model.Lease {
	return s.ledger.Lease(s.key(key))
}

func (s *scene) key(name string) model.Key { return model.Key{Node: s.srv.Addr(), Name: name} }

// stored compares format and library of a key, and with the server the deadline
// that it has for it.
func (s *scene) stored(key, format, library string) {
	s.Helper()
	r := s.reading(key)
	if r.Format != format || r.Library != library {
		s.Errorf("%q is %q of %q, want %q of %q", key, r.Format, r.Library, format, library)
	}
	ms := s.c.PExpireTime(context.Background(), key).Val()
	end := model.Instant(0)
	if ms > 0 {
		end = model.InstantOfMillis(int64(ms / time.Millisecond))
	}
	if r.Deadline != end {
		s.Errorf("%q ends %s, the server says %s", key, r.Deadline, end)
	}
}

// reading is the last one of a key.
func (s *scene) reading(key string) model.Reading {
	s.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.lease(key)
	if l == nil || l.Reading == nil {
		s.Fatalf("%q was not read", key)
	}
	return *l.Reading
}

// together compares the other keys of the lock that a key belongs to.
func (s *scene) together(key string, want ...string) {
	s.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	var got []string
	for _, k := range s.ledger.Together(s.key(key)) {
		got = append(got, k.Name)
	}
	if !slices.Equal(got, want) {
		s.Errorf("%q belongs together with %q, want %q", key, got, want)
	}
}

// leases compares the keys that leasetop takes for locks, free ones included:
// no companion may be among them.
func (s *scene) leases(want ...string) {
	s.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	var got []string
	for l := range s.ledger.Leases() {
		if l.Key.Name != fence {
			got = append(got, l.Key.Name)
		}
	}
	sort.Strings(got)
	sort.Strings(want)
	if !slices.Equal(got, want) {
		s.Errorf("locks are %q, want %q", got, want)
	}
}

// findings ends a part of a story: nothing more was told, these findings stand
// ("rule key"), and nothing was missed.
func (s *scene) findings(want ...string) {
	s.Helper()
	s.quiet()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.look.Look(s.ledger, s.live.Now())
	got := []string{}
	for _, f := range s.look.Standing() {
		if f.Key.Name != fence {
			got = append(got, f.Rule.Name+" "+f.Key.Name)
		}
	}
	sort.Strings(got)
	sort.Strings(want)
	if !slices.Equal(got, want) {
		s.Errorf("findings %q, want %q", got, want)
	}
	if c := s.live.Counters(); c.DroppedHints != 0 || c.Denied != 0 || c.Gaps != 0 || c.Err != "" {
		s.Errorf("dropped %d, denied %d, gaps %d, %q", c.DroppedHints, c.Denied, c.Gaps, c.Err)
	}
}

// finds waits for a finding about a key.
func (s *scene) finds(rule, key string) {
	s.Helper()
	s.await(rule+" of "+key, func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.look.Look(s.ledger, s.live.Now())
		return slices.ContainsFunc(s.look.Standing(), func(f model.Finding) bool { return f.Rule.Name == rule && f.Key.Name == key })
	})
}
