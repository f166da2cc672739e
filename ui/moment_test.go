package ui

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"leasetop/model"
)

// life plays a random life of some keys on a stage, and calls see after each
// thing that happened.
func life(s *stage, seed uint64, steps int, see func()) {
	r := rand.New(rand.NewPCG(seed, 7))
	names := []string{"lock:a", "lock:b", "lock:c"}
	held := map[string]model.Instant{}
	for range steps {
		next := s.now.Add(time.Duration(1+r.IntN(900)) * time.Millisecond)
		for due := ""; ; {
			for _, n := range names {
				if d, is := held[n]; is && d <= next && (due == "" || d < held[due]) {
					due = n
				}
			}
			if due == "" {
				break
			}
			s.pass(held[due].Sub(s.now) + 200*time.Microsecond)
			s.expire(due)
			delete(held, due)
			see()
			due = ""
		}
		s.pass(next.Sub(s.now))
		name := names[r.IntN(len(names))]
		_, is := held[name]
		owner := fmt.Sprintf("owner-%d", r.IntN(4))
		ttl := time.Duration(1+r.IntN(6)) * time.Second
		switch {
		case !is:
			s.acquire(name, owner, ttl)
			held[name] = s.now.Add(ttl)
		case r.IntN(3) == 0:
			s.release(name)
			delete(held, name)
		case r.IntN(2) == 0:
			s.renew(name, ttl)
			held[name] = s.now.Add(ttl)
		default:
			s.acquire(name, owner, ttl) // SET over a held key
			held[name] = s.now.Add(ttl)
		}
		see()
	}
}

// facts of a lease that a timeline must be able to tell.
func factsOf(l *model.Lease) string {
	if l == nil {
		return "nothing"
	}
	var b strings.Builder
	for _, t := range l.Tenures {
		fmt.Fprintf(&b, "%s gen %d from %d to %d renewed %d granted %v; ", t.Owner.Token, t.Generation, t.Acquired, t.Deadline, t.Renewals, t.Granted)
	}
	if len(l.Tenures) == 0 {
		fmt.Fprintf(&b, "free since %d by %v", l.FreeSince, l.EndedBy)
	}
	return b.String()
}

// What the timeline tells of the present is what the ledger knows.
func TestFoldAgreesWithLedger(t *testing.T) {
	for seed := range uint64(12) {
		s := newStage(t, 120, 30)
		life(s, seed, 60, func() {
			for l := range s.m.ledger.Leases() {
				got := factsOf(leaseAt(l.Key, wholeStory.prefix(s.m.ledger.History(l.Key))))
				if want := factsOf(l); got != want {
					t.Fatalf("seed %d, %s: told\n%s, known\n%s", seed, l.Key.Name, got, want)
				}
			}
		})
	}
}

// Going back in time, step by step, and forth again shows what was on the
// screen when it happened.
func TestStepsShowWhatWas(t *testing.T) {
	for seed := range uint64(6) {
		s := newStage(t, 120, 30)
		// The rows right after each change, by the number of steps.
		then := map[int]string{}
		rows := func(b *book, now model.Instant) string {
			var out []string
			for _, r := range b.list() {
				if r.ended == 0 {
					out = append(out, fmt.Sprint(r.key.Name, r.owner, r.deadline, r.generation, r.renewals))
				}
			}
			slices.Sort(out)
			return strings.Join(out, "\n")
		}
		life(s, seed, 50, func() {
			s.m.live.settle()
			then[len(s.m.record.steps)] = rows(s.m.live, s.now)
		})
		n := len(s.m.record.steps)
		check := func(i int) {
			t.Helper()
			if want, ok := then[i]; ok && s.m.past.step == i {
				if got := rows(s.m.past.book, s.m.when()); got != want {
					t.Fatalf("seed %d, step %d of %d: shown\n%s\nwas\n%s", seed, i, n, got, want)
				}
			}
		}
		for i := n; i > 0; i-- {
			s.press("left")
			check(i)
		}
		for i := 2; i <= n; i++ {
			s.press("right")
			check(i)
		}
		s.press("home")
		check(1)
		s.press("end")
		if s.m.past != nil {
			t.Error("end does not return to now")
		}
	}
}

// The record keeps its bound, and keeps the order of happening also for what is
// told late.
func TestRecordIsBounded(t *testing.T) {
	var r record
	for i := range maxSteps + 10 {
		at := noon.Add(time.Duration(i) * time.Millisecond)
		if i%10 == 3 {
			at = at.Add(-5500 * time.Microsecond)
		}
		r.add(&model.Transition{Entry: model.Entry{Seq: uint64(i + 1), At: at, Change: model.Renewed}})
	}
	if len(r.steps) > maxSteps || uint64(len(r.steps))+r.dropped != maxSteps+10 {
		t.Errorf("%d steps kept, %d given up", len(r.steps), r.dropped)
	}
	if !slices.IsSortedFunc(r.steps, step.compare) {
		t.Error("steps are out of order")
	}
}
