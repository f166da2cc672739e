package watcher

import (
	"testing"
	"time"

	"leasetop/model"
)

func TestTracking(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	c := client(t, s)
	w := watchLocks(t, s, func(c *Config) { c.Interval = time.Hour })
	if n := w.live.Counters(); n.Source != model.SourceTracking {
		t.Errorf("source %v", n.Source)
	}
	m := w.mark()
	do(t, c, "set lock:a one px 60000", "set other x")
	if o := w.held(m, "lock:a", "one"); o.Source != model.SourceTracking || len(o.Hints) != 0 {
		t.Errorf("%+v", o)
	}
	m = w.mark()
	do(t, c, "del lock:a")
	w.gone(m, "lock:a")
	do(t, c, "set lock:b two")
	w.held(m, "lock:b", "two")
	m = w.mark()
	do(t, c, "flushall")
	w.gone(m, "lock:b")
	if n := w.live.Counters().Gaps; n != 0 {
		t.Errorf("%d gaps", n)
	}
}

// After a reconnection tracking is on again.
func TestTrackingSurvives(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	c := client(t, s)
	w := watchLocks(t, s, func(c *Config) { c.Interval = time.Hour })
	m := w.mark()
	do(t, c, "client kill type pubsub", "client kill type normal skipme yes")
	w.afterGap(m)
	m = w.mark()
	do(t, c, "set lock:a one")
	if o := w.held(m, "lock:a", "one"); o.Source != model.SourceTracking {
		t.Errorf("source %v", o.Source)
	}
}

// A connection that tracks is a subscriber in the server's eyes too: its output
// buffer is bounded.
func TestTrackingIsBounded(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	for _, mode := range []Mode{Auto, Off} {
		watchLocks(t, s, func(c *Config) { c.Notify, c.Tracking = mode, Require })
	}
	list, err := client(t, s).Do(t.Context(), "client", "list", "type", "pubsub").Text()
	if err != nil {
		t.Fatal(err)
	}
	lines := 0
	for _, b := range list {
		if b == '\n' {
			lines++
		}
	}
	if lines != 2 {
		t.Errorf("%d subscribers:\n%s", lines, list)
	}
}

func TestTrackingNeedsPrefixes(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	w := watch(t, Config{Addr: s.Addr(), Patterns: patterns(t, "*:lock"), Interval: 20 * time.Millisecond})
	w.state(model.StateSynced)
	if n := w.live.Counters(); n.Source != model.SourcePoll {
		t.Errorf("source %v", n.Source)
	}
	w2 := watch(t, Config{Addr: s.Addr(), Patterns: patterns(t, "*:lock"), Tracking: Require, Interval: time.Hour})
	w2.state(model.StateSynced)
	do(t, client(t, s), "set a:lock one")
	w.held(0, "a:lock", "one")
	if o := w2.held(0, "a:lock", "one"); o.Source != model.SourceTracking {
		t.Errorf("source %v", o.Source)
	}
}

func TestTrackingRefused(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	do(t, client(t, s), "acl setuser leasemon on >pw ~* &* +@all -client|tracking")
	w := watchLocks(t, s, asUser)
	if n := w.live.Counters(); n.Source != model.SourcePoll {
		t.Errorf("source %v", n.Source)
	}
	fails := New(Config{Addr: s.Addr(), User: "leasemon", Password: "pw", Patterns: patterns(t, "lock:*"), Tracking: Require})
	if err := fails.Run(t.Context(), func([]model.Input) {}); err == nil {
		t.Error("tracking was required and refused, and nothing was said")
	}
}
