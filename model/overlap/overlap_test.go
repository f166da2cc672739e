package overlap_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"leasetop/model"
	"leasetop/model/overlap"
)

// t0 is when the stories begin, on the server's clock.
const t0 = model.Instant(1_790_000_000_000_000)

func at(ms int) model.Instant { return t0.Add(time.Duration(ms) * time.Millisecond) }

func millis(n int) time.Duration { return time.Duration(n) * time.Millisecond }

func event(execution, name, outcome string, when model.Instant) model.WorkerEvent {
	return model.WorkerEvent{ExecutionID: execution, Pod: "pod-" + execution, JobID: "j", Event: name, Outcome: outcome, At: when}
}

// paused is the story of both articles: A is stopped past its lease of 5 s, B
// works from 5.1 to 6.4 s, A goes on at 6 s and ends at 6.2 s.
func paused(offsetA, offsetB time.Duration) []model.WorkerEvent {
	// What a worker tells is late by a millisecond, and on its own clock.
	a := func(ms int) model.Instant { return at(ms + 1).Add(-offsetA) }
	b := func(ms int) model.Instant { return at(ms + 1).Add(-offsetB) }
	return []model.WorkerEvent{
		event("a", "acquire_attempt", "", at(-2).Add(-offsetA)), event("a", "acquired", "", a(0)), event("a", "job_start", "", a(2)),
		event("b", "acquire_attempt", "", at(5096).Add(-offsetB)), event("b", "acquired", "", b(5100)), event("b", "job_start", "", b(5102)),
		event("b", "write_accepted", "", b(5900)),
		event("a", "write_attempt", "", a(6000)), event("a", "write_rejected", "", a(6001)), event("a", "job_stopped", "", a(6199)),
		event("a", "release", "not-owner", a(6210)),
		event("b", "job_finish", "", b(6399)), event("b", "release", "deleted", b(6401)),
	}
}

func entry(change model.Change, owner string, ms, deadline int) model.Entry {
	e := model.Entry{Change: change, Owner: model.OwnerOf(owner), At: at(ms), Earliest: at(ms), Latest: at(ms)}
	if deadline > 0 {
		e.Deadline = at(deadline)
	}
	return e
}

func pausedTimeline() []model.Entry {
	return []model.Entry{
		entry(model.Acquired, "token-a", 0, 5000), entry(model.Expired, "token-a", 5000, 0),
		entry(model.Acquired, "token-b", 5100, 10100), entry(model.Released, "token-b", 6400, 0),
	}
}

func ab(t interface{ Fatalf(string, ...any) }, attempts []overlap.Attempt) (a, b *overlap.Attempt) {
	if len(attempts) != 2 || attempts[0].Execution != "a" {
		t.Fatalf("attempts: %+v", attempts)
	}
	return &attempts[0], &attempts[1]
}

func TestThePause(t *testing.T) {
	clocks := map[string]overlap.Clock{"pod-a": overlap.Known(0, 0), "pod-b": overlap.Known(0, 0)}
	a, b := ab(t, overlap.Of(paused(0, 0), pausedTimeline(), clocks))
	past, ok := a.RanPast(at(9000))
	if want := (overlap.Range{Min: millis(1200), Max: millis(1200), Bounded: true}); !ok || past != want {
		t.Errorf("A ran past its lease: %+v", past)
	}
	if past, ok := b.RanPast(at(9000)); !ok || past.Max != 0 {
		t.Errorf("B ran past its lease: %+v %v", past, ok)
	}
	both, ok := overlap.Between(a, b, at(9000))
	if want := (overlap.Range{Min: millis(6200 - 5103), Max: millis(6200 - 5103), Bounded: true}); !ok || both != want {
		t.Errorf("they overlapped: %+v", both)
	}
	if acc, dup, rej := overlap.Effects([]overlap.Attempt{*a, *b}); acc != 1 || dup != 0 || rej != 1 {
		t.Errorf("effects: %d %d %d", acc, dup, rej)
	}
	if a.ByToken || a.Tenure.Owner.Token != "token-a" || b.Tenure.Owner.Token != "token-b" {
		t.Errorf("tenures: %+v, %+v", a.Tenure, b.Tenure)
	}
}

// Whatever the workers' clocks say, what is told is true within its bounds, and
// the bounds are as narrow as the time between two lines.
func TestUnknownClocksAreBounded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		// Within nearby: lines without tokens must still find their tenures.
		offset := func(name string) time.Duration { return millis(rapid.IntRange(-2000, 2000).Draw(t, name)) }
		a, b := ab(t, overlap.Of(paused(offset("a"), offset("b")), pausedTimeline(), nil))
		past, ok := a.RanPast(at(9000))
		if !ok || !past.Bounded || past.Min > millis(1200) || past.Max < millis(1200) || past.Max-past.Min > millis(4) {
			t.Fatalf("A ran past its lease: %+v %v", past, ok)
		}
		both, ok := overlap.Between(a, b, at(9000))
		if !ok || !both.Bounded || both.Min > millis(1097) || both.Max < millis(1097) || both.Max-both.Min > millis(10) {
			t.Fatalf("they overlapped: %+v %v", both, ok)
		}
	})
}

func TestTokensFindTheirTenureWhateverTheClockSays(t *testing.T) {
	events := paused(time.Hour, -time.Hour)
	for i := range events {
		if events[i].Event == "acquired" {
			events[i].Owner = "token-" + events[i].ExecutionID
		}
	}
	a, b := ab(t, overlap.Of(events, pausedTimeline(), nil))
	if !a.ByToken || !b.ByToken {
		t.Fatalf("tenures: %+v, %+v", a.Tenure, b.Tenure)
	}
	if past, _ := a.RanPast(at(9000)); !past.Bounded || past.Middle().Round(millis(10)) != millis(1200) {
		t.Errorf("A ran past its lease: %+v", past)
	}
}

func TestWhatIsNotKnownIsNotTold(t *testing.T) {
	events := []model.WorkerEvent{event("a", "acquire_attempt", "", at(0)), event("a", "acquire_denied", "", at(1))}
	attempts := overlap.Of(events, pausedTimeline(), nil)
	if _, ok := attempts[0].RanPast(at(9)); ok || attempts[0].Tenure != nil {
		t.Errorf("an attempt that was denied: %+v", attempts[0])
	}
	// A log that begins in the middle: nothing bounds the clock.
	events = []model.WorkerEvent{event("a", "acquired", "", at(1)), event("a", "job_start", "", at(2)), event("a", "job_finish", "", at(6000))}
	attempts = overlap.Of(events, pausedTimeline(), nil)
	past, ok := attempts[0].RanPast(at(9000))
	if !ok || past.Bounded || past.Min != millis(1000) {
		t.Errorf("without a bound: %+v %v", past, ok)
	}
	// Nothing fits: a lease that nobody watched.
	attempts = overlap.Of(events, nil, nil)
	if _, ok := attempts[0].RanPast(at(9000)); ok {
		t.Error("a lease that nobody saw has an end")
	}
}

// An attempt that has not told its end is at work until now.
func TestStillAtWork(t *testing.T) {
	events := paused(0, 0)[:6]
	a, b := ab(t, overlap.Of(events, pausedTimeline()[:3], nil))
	if past, ok := a.RanPast(at(7000)); !ok || past.Min != millis(2000) || !past.Bounded {
		t.Errorf("A has run past its lease: %+v", past)
	}
	if past, ok := b.RanPast(at(7000)); !ok || past.Max != 0 {
		t.Errorf("B is within its lease: %+v", past)
	}
	if both, ok := overlap.Between(a, b, at(7000)); !ok || both.Max < millis(1890) || both.Max > millis(1910) {
		t.Errorf("they overlap: %+v", both)
	}
}

func TestTenures(t *testing.T) {
	renewed := entry(model.Renewed, "x", 1000, 6000)
	taken := entry(model.Overwritten, "y", 2000, 7000)
	taken.Previous = &model.Previous{Owner: model.OwnerOf("x")}
	for _, c := range []struct {
		name     string
		timeline []model.Entry
		ends     []int // ms; 0: none
	}{
		{"renewed, then overwritten", []model.Entry{entry(model.Acquired, "x", 0, 5000), renewed, taken}, []int{2000, 7000}},
		{"a deadline that went away", []model.Entry{entry(model.Acquired, "x", 0, 5000), entry(model.ExpiryRemoved, "x", 10, 0)}, []int{0}},
		{"overdue changes no deadline", []model.Entry{entry(model.Acquired, "x", 0, 5000), entry(model.Overdue, "x", 5050, 0)}, []int{5000}},
		{"two holders at once", []model.Entry{entry(model.Acquired, "x", 0, 9000), entry(model.Acquired, "y", 10, 9010), entry(model.Released, "x", 20, 0)}, []int{20, 9010}},
		{"the same token again", []model.Entry{entry(model.Acquired, "x", 0, 100), entry(model.Expired, "x", 100, 0), entry(model.Acquired, "x", 200, 300)}, []int{100, 300}},
		{"an end without a beginning", []model.Entry{entry(model.Expired, "x", 100, 0)}, nil},
	} {
		tenures := overlap.Tenures(c.timeline)
		if len(tenures) != len(c.ends) {
			t.Errorf("%s: %+v", c.name, tenures)
			continue
		}
		for i, ms := range c.ends {
			want := model.Instant(0)
			if ms > 0 {
				want = at(ms)
			}
			if tenures[i].To != want {
				t.Errorf("%s: tenure %d ends at %v", c.name, i, tenures[i].To)
			}
		}
	}
}
