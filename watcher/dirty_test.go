package watcher

import (
	"fmt"
	"slices"
	"testing"

	"leasetop/model"
)

func ops(hints []model.Hint) (out []string) {
	for _, h := range hints {
		out = append(out, h.Op)
	}
	return out
}

func newSet() *dirtySet { return newDirtySet(newCounters()) }

func present(u *unit) { u.main.raw.Type = "string" }
func absent(u *unit)  { u.main.raw.Type = typeNone }

func TestDirtySettles(t *testing.T) {
	d := newSet()
	d.hint("k", "set", 1)
	d.hint("k", "expire", 2)
	u := d.take(10)
	if len(u) != 1 || !slices.Equal(ops(u[0].hints), []string{"set", "expire"}) {
		t.Fatalf("%+v", u)
	}
	present(u[0])
	d.settle(u)
	if !u[0].settled || d.size() != 0 {
		t.Errorf("settled %v, %d left", u[0].settled, d.size())
	}
}

func TestDirtyUnsettled(t *testing.T) {
	d := newSet()
	d.hint("k", "set", 1)
	u := d.take(10)
	present(u[0])
	d.hint("k", "expire", 2)
	if n := len(d.take(10)); n != 0 {
		t.Fatal("a key was taken while it is being read")
	}
	d.settle(u)
	if u[0].settled || !u[0].held {
		t.Fatalf("a hint came in meanwhile: %+v", u[0])
	}
	u = d.take(10)
	if len(u) != 1 || !slices.Equal(ops(u[0].hints), []string{"set", "expire"}) {
		t.Fatalf("%+v", u)
	}
}

// A last end and a missing key agree, wherever between them the reading was.
func TestDirtySettlesByAnEnd(t *testing.T) {
	d := newSet()
	d.hint("k", "set", 1)
	u := d.take(10)
	absent(u[0])
	d.hint("k", "set", 2)
	d.hint("k", "del", 3)
	d.settle(u)
	if !u[0].settled || !slices.Equal(ops(u[0].hints), []string{"set", "set", "del"}) || d.size() != 0 {
		t.Errorf("%+v, %d left", u[0], d.size())
	}
	// A present key and a last end do not.
	d.hint("k", "set", 1)
	u = d.take(10)
	present(u[0])
	d.hint("k", "del", 2)
	d.settle(u)
	if u[0].settled {
		t.Error("settled against the last hint")
	}
}

func TestDirtyHotKey(t *testing.T) {
	d := newSet()
	d.hint("k", "set", 1)
	for round := range maxRounds {
		u := d.take(10)
		present(u[0])
		d.hint("k", fmt.Sprintf("late-%d", round), 2)
		d.settle(u)
		if last := round == maxRounds-1; u[0].settled || u[0].held == last {
			t.Fatalf("round %d: settled %v, held %v", round, u[0].settled, u[0].held)
		}
	}
	u := d.take(10)
	if len(u) != 1 || !slices.Equal(ops(u[0].hints), []string{"late-2"}) {
		t.Errorf("what came last: %+v", u)
	}
}

func TestDirtyBounds(t *testing.T) {
	d := newSet()
	for range hintsPerKey + 10 {
		d.hint("k", "set", 1)
	}
	u := d.take(1)
	if len(u[0].hints) != hintsPerKey || u[0].lost != 10 || d.count.dropped.Load() != 10 {
		t.Errorf("%d hints, %d lost, %d counted", len(u[0].hints), u[0].lost, d.count.dropped.Load())
	}
	for i := range maxDirty + maxPolled {
		d.hint(fmt.Sprint(i), "set", 1)
	}
	if !d.overflowed() || d.overflowed() {
		t.Error("a key without room is told once")
	}
}

func TestDirtyGivesBack(t *testing.T) {
	d := newSet()
	d.hint("k", "set", 1)
	u := d.take(10)
	d.hint("k", "del", 2)
	d.giveBack(u)
	u = d.take(10)
	if len(u) != 1 || !slices.Equal(ops(u[0].hints), []string{"set", "del"}) {
		t.Errorf("%+v", u)
	}
}

// Urgent keys go before those of a sweep, and one that is in both goes once.
func TestDirtyOrder(t *testing.T) {
	d := newSet()
	d.beginSweep()
	if !d.poll([]string{"a", "b"}) {
		t.Fatal("closed")
	}
	d.hint("c", "set", 1)
	d.hint("b", "set", 1)
	var names []string
	for _, u := range d.take(10) {
		names = append(names, u.key)
		present(u)
	}
	if !slices.Equal(names, []string{"c", "b", "a"}) {
		t.Errorf("order %v", names)
	}
}

func TestDirtySweepEnds(t *testing.T) {
	d := newSet()
	d.beginSweep()
	d.poll([]string{"a", "b", "a"})
	done := make(chan bool)
	go func() { done <- d.awaitSweep() }()
	u := d.take(1)
	present(u[0])
	d.settle(u)
	u = d.take(1)
	present(u[0])
	d.hint("b", "set", 1)
	d.settle(u) // not settled: the sweep goes on
	select {
	case <-done:
		t.Fatal("the sweep ended before its last key was read")
	default:
	}
	u = d.take(1)
	present(u[0])
	d.settle(u)
	if !<-done {
		t.Error("closed")
	}
}

// A key that a sweep meets while it is being read is read again for the sweep.
func TestDirtySweepWantsItsOwnReading(t *testing.T) {
	d := newSet()
	d.hint("k", "set", 1)
	u := d.take(1)
	present(u[0])
	d.beginSweep()
	d.poll([]string{"k"})
	d.settle(u)
	if d.left != 1 {
		t.Fatalf("%d keys left", d.left)
	}
	u = d.take(1)
	if len(u) != 1 || u[0].sweep != d.sweep {
		t.Fatalf("%+v", u)
	}
	present(u[0])
	d.settle(u)
	if d.left != 0 || d.size() != 0 {
		t.Errorf("%d left, %d keys", d.left, d.size())
	}
}

// A key that needs a further step is read after the sweep that met it in between,
// and the sweep must not wait for another reading.
func TestDirtySweepMeetsAFurtherStep(t *testing.T) {
	d := newSet()
	d.hint("k", "hset", 1)
	u := d.take(1)
	d.beginSweep()
	d.poll([]string{"k"})
	d.more(u[0])
	present(u[0])
	d.settle(u)
	if d.left != 0 || d.size() != 0 {
		t.Errorf("%d left, %d keys: the sweep would never end", d.left, d.size())
	}
}

// What a broken session told by hints alone is read by the sweep of the next one,
// whether or not a scan meets it: else a lock that is gone would stand for ever.
func TestLeftoversAreReadAgain(t *testing.T) {
	f := newFeed(Config{}.orDefaults())
	var told []string
	f.out.emit = func(batch []model.Input) {
		for _, in := range batch {
			told = append(told, in.Observation.Key.Name)
		}
	}
	f.dirty.hint("lock", "set", 1)
	f.dirty.hint("redisson_lock_queue:{lock}", "rpush", 1) // a part of a lock is none
	f.leftovers()
	if want := []string{"lock"}; !slices.Equal(told, want) || !slices.Equal(f.book.unmet(1), want) {
		t.Errorf("told %v, to be read %v", told, f.book.unmet(1))
	}
}

func TestDirtyReset(t *testing.T) {
	d := newSet()
	d.hint("a", "set", 1)
	d.touch("b", byTracking)
	left := d.reset()
	if len(left) != 1 || left[0].key != "a" || d.size() != 0 {
		t.Errorf("%+v", left)
	}
}
