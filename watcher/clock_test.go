package watcher

import (
	"testing"
	"time"

	"leasetop/model"
)

const second = model.Instant(1_000_000)

func TestServerClock(t *testing.T) {
	local := newLocalClock()
	c := &serverClock{local: local}
	at := func(d time.Duration) time.Duration { return d }
	// The server is 1000 s ahead of the local count.
	if step := c.sample(1001*second, at(time.Second-40*time.Millisecond), at(time.Second+40*time.Millisecond)); step != 0 {
		t.Errorf("a first sample is a step of %v", step)
	}
	if got, want := c.of(2*time.Second), 1002*second; got.Sub(want).Abs() > time.Millisecond {
		t.Errorf("of: %v, want %v", got, want)
	}
	// A tighter one tightens, a wide one changes nothing.
	c.sample(1003*second, at(3*time.Second-time.Millisecond), at(3*time.Second+time.Millisecond))
	lo, hi := c.bounds(at(3 * time.Second))
	if hi-lo > 3*time.Millisecond {
		t.Errorf("bounds of %v", hi-lo)
	}
	c.sample(1009*second, at(4*time.Second), at(9*time.Second)) // frozen for five seconds
	if lo, hi = c.bounds(at(9 * time.Second)); hi-lo > 6*time.Millisecond {
		t.Errorf("bounds of %v after a slow answer", hi-lo)
	}
	// They widen with age.
	if l, h := c.bounds(at(1009 * time.Second)); h-l < 200*time.Millisecond {
		t.Errorf("bounds of %v after 1000 s", h-l)
	}
	// The server's clock is set ahead by an hour, and back.
	for _, jump := range []time.Duration{time.Hour, -time.Hour} {
		lo, _ := c.bounds(at(10 * time.Second))
		server := model.Instant((10*time.Second + lo + jump) / time.Microsecond)
		step := c.sample(server, at(10*time.Second-time.Millisecond), at(10*time.Second+time.Millisecond))
		if (step - jump).Abs() > time.Second {
			t.Errorf("a step of %v, want %v", step, jump)
		}
		if got := c.of(10 * time.Second); got.Sub(server).Abs() > 10*time.Millisecond {
			t.Errorf("after the step the clock is %v off", got.Sub(server))
		}
	}
}

// A hint that came while little was known of the server's clock is dated by what
// is known when it is told, whose bound goes with it.
func TestHintsAreDatedLate(t *testing.T) {
	c := &serverClock{local: newLocalClock()}
	c.sample(1000*second, 0, 100*time.Millisecond) // somewhere in a tenth of a second
	hints := []model.Hint{{Op: "set", At: second / 2}}
	early := c.of(500 * time.Millisecond)
	c.sample(1001*second, time.Second, time.Second+time.Millisecond) // the offset is 1000 s
	c.date(hints)
	if want := 1000*second + second/2; hints[0].At.Sub(want).Abs() > 2*time.Millisecond || early.Sub(want).Abs() < 20*time.Millisecond {
		t.Errorf("dated %v, want %v; when it came it seemed %v", hints[0].At, want, early)
	}
}

func TestServerClockNeverGoesBack(t *testing.T) {
	c := &serverClock{local: newLocalClock()}
	c.sample(1000*second, 0, 100*time.Millisecond)
	last := c.onwards(time.Second)
	c.sample(last-50_000, time.Second, time.Second+time.Millisecond)
	if now := c.onwards(time.Second + time.Millisecond); now < last {
		t.Errorf("the clock went back by %v", last.Sub(now))
	}
	// What was before is before: a gap began when it did.
	if then := c.of(time.Second / 2); then > last-400_000 {
		t.Errorf("half a second ago is %v ago", last.Sub(then))
	}
}

// A deadline is over only when it is so even by the most cautious estimate.
func TestPastIsCertain(t *testing.T) {
	local := newLocalClock()
	c := &serverClock{local: local}
	now := local.now()
	c.sample(1000*second, now-20*time.Millisecond, now+20*time.Millisecond)
	d := c.now()
	if w := c.past(d); w < 10*time.Millisecond {
		t.Errorf("over in %v, although the clock is known to 20 ms only", w)
	}
	if !c.mayBePast(d.Add(10 * time.Millisecond)) {
		t.Error("it may be over")
	}
}

// The server stands still: no invented end, and the countdown stays right.
func TestSleepingServer(t *testing.T) {
	t.Parallel()
	s := startServer(t, "--notify-keyspace-events", allEvents, "--enable-debug-command", "yes")
	c := client(t, s)
	w := watchLocks(t, s)
	do(t, c, "set lock:a one px 60000")
	w.held(0, "lock:a", "one")
	m := w.mark()
	do(t, c, "debug sleep 1.5")
	do(t, c, "set lock:b two")
	w.held(m, "lock:b", "two")
	server, err := c.Time(t.Context()).Result()
	if err != nil {
		t.Fatal(err)
	}
	if off := w.live.Now().Sub(model.InstantOf(server)).Abs(); off > 250*time.Millisecond {
		t.Errorf("the clock is %v off, with a bound of %v", off, w.live.Counters().ClockBound)
	}
	for _, in := range w.inputs()[m:] {
		if o := in.Observation; o != nil && o.Key.Name == "lock:a" && o.Reading != nil && !o.Reading.Present() {
			t.Errorf("an invented end: %+v", o)
		}
	}
}

// While writes are paused the server deletes nothing, and hides what is over.
func TestPausedServer(t *testing.T) {
	t.Parallel()
	s := startServer(t, "--notify-keyspace-events", allEvents)
	c := client(t, s)
	w := watchLocks(t, s)
	do(t, c, "set lock:a one px 200", "client pause 600 write")
	w.held(0, "lock:a", "one")
	w.gone(0, "lock:a")
	do(t, c, "set lock:b two")
	w.held(0, "lock:b", "two")
}
