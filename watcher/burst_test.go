package watcher

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"leasetop/model"
)

func TestBurstKeepsOrderAndCount(t *testing.T) {
	s := startServer(t, "--notify-keyspace-events", allEvents)
	c := client(t, s)
	w := watchLocks(t, s)
	ctx := context.Background()
	_, err := c.TxPipelined(ctx, func(p redis.Pipeliner) error {
		p.Set(ctx, "lock:b", "one", 0)
		p.Del(ctx, "lock:b")
		p.Set(ctx, "lock:b", "two", time.Minute)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	w.held(0, "lock:b", "two")
	if ops := w.hints(0, "lock:b"); !slices.Equal(ops, []string{"set", "del", "set", "expire"}) {
		t.Errorf("hints %v", ops)
	}
}

// A key that changes all the time never settles; its hints are told in order
// nevertheless, and it is right when it comes to rest.
func TestHotKey(t *testing.T) {
	s := startServer(t, "--notify-keyspace-events", allEvents)
	c := client(t, s)
	w := watchLocks(t, s, func(c *Config) { c.Interval = time.Hour })
	const rounds = 3000
	ctx := context.Background()
	for range rounds / 50 {
		_, err := c.Pipelined(ctx, func(p redis.Pipeliner) error {
			for range 50 {
				p.Set(ctx, "lock:hot", "a", 0)
				p.Del(ctx, "lock:hot")
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	do(t, c, "set lock:hot last")
	w.held(0, "lock:hot", "last")
	ops := w.hints(0, "lock:hot")
	lost := 0
	for _, in := range w.inputs() {
		if in.Observation != nil {
			lost += in.Observation.Lost
		}
	}
	if len(ops)+lost != 2*rounds+1 {
		t.Errorf("%d hints and %d lost, want %d", len(ops), lost, 2*rounds+1)
	}
	if lost == 0 {
		for i, op := range ops {
			if want := []string{"set", "del"}[i%2]; op != want {
				t.Fatalf("hint %d is %s, want %s", i, op, want)
			}
		}
	}
}

// Whatever is emitted settled must be consistent: a last hint that ends the key
// goes with a missing key, one that sets it with a present one.
func TestSettledReadingsReflectTheirHints(t *testing.T) {
	s := startServer(t, "--notify-keyspace-events", allEvents)
	c := client(t, s)
	w := watchLocks(t, s, func(c *Config) { c.Interval = 50 * time.Millisecond })
	for i := range 2000 {
		key := []string{"lock:1", "lock:2", "lock:3"}[i%3]
		if i%2 == 0 {
			do(t, c, "set "+key+" v")
		} else {
			do(t, c, "del "+key)
		}
	}
	do(t, c, "set lock:end v")
	w.held(0, "lock:end", "v")
	settled := 0
	for _, in := range w.inputs() {
		o := in.Observation
		if o == nil || o.Reading == nil || len(o.Hints) == 0 {
			continue
		}
		settled++
		last := o.Hints[len(o.Hints)-1].Op
		if (last == "del") == o.Reading.Present() {
			t.Errorf("%s: last hint %s, read %s", o.Key.Name, last, o.Reading.Type)
		}
	}
	if settled < 100 {
		t.Errorf("only %d settled observations", settled)
	}
	var seq uint64
	for _, in := range w.inputs() {
		if o := in.Observation; o != nil {
			if o.Seq <= seq {
				t.Fatalf("number %d after %d", o.Seq, seq)
			}
			seq = o.Seq
		}
	}
}

// A consumer that does not take what it is given holds nothing up: hints are
// kept meanwhile, or counted as lost, and the end is right.
func TestSlowConsumer(t *testing.T) {
	s := startServer(t, "--notify-keyspace-events", allEvents)
	c := client(t, s)
	w := watchLocks(t, s, func(c *Config) { c.Interval = time.Hour })
	hold := make(chan struct{})
	w.mu.Lock()
	w.hold = hold
	w.mu.Unlock()
	do(t, c, "set lock:first v")
	w.held(0, "lock:first", "v")
	ctx := context.Background()
	for range 40 {
		if _, err := c.Pipelined(ctx, func(p redis.Pipeliner) error {
			for range 250 {
				p.Set(ctx, "lock:x", "v", 0)
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	do(t, c, "set lock:x end")
	eventually(t, "all events taken in", func() bool { return w.live.Counters().Events >= 10_002 })
	if n := w.live.Counters(); n.DroppedHints == 0 || n.Coalesced == 0 {
		t.Errorf("dropped %d, coalesced %d", n.DroppedHints, n.Coalesced)
	}
	w.mu.Lock()
	w.hold = nil
	w.mu.Unlock()
	close(hold)
	w.held(0, "lock:x", "end")
	lost := 0
	for _, in := range w.inputs() {
		if in.Observation != nil {
			lost += in.Observation.Lost
		}
	}
	if got := len(w.hints(0, "lock:x")) + lost; got != 10_001 {
		t.Errorf("%d hints told or counted, want 10001", got)
	}
}

var _ = model.SourceEvent
