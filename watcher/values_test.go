package watcher

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"leasetop/keyspace"
	"leasetop/model"
)

func TestHugeValue(t *testing.T) {
	t.Parallel()
	s := startServer(t, "--notify-keyspace-events", allEvents)
	c := client(t, s)
	do(t, c, "setrange lock:huge 104857599 x")
	w := watchLocks(t, s)
	o := w.reading(0, "lock:huge", "read", func(*model.Observation) bool { return true })
	if !o.Reading.Cut || o.Reading.Size != 100<<20 {
		t.Errorf("cut %v, size %d", o.Reading.Cut, o.Reading.Size)
	}
	if n := len(o.Reading.Holders[0].Owner); n > keyspace.MaxValue {
		t.Errorf("%d bytes of it kept", n)
	}
}

func TestRawBytes(t *testing.T) {
	t.Parallel()
	s := startServer(t, "--notify-keyspace-events", allEvents)
	c := client(t, s)
	w := watchLocks(t, s)
	key := "lock:\x00\xff\r\n$3\r\n\x1b[2J__:"
	if err := c.Set(context.Background(), key, "\x80tok\n", time.Minute).Err(); err != nil {
		t.Fatal(err)
	}
	w.held(0, key, "\x80tok\n")
	m := w.mark()
	if err := c.Del(context.Background(), key).Err(); err != nil {
		t.Fatal(err)
	}
	w.gone(m, key)
}

func TestManyFields(t *testing.T) {
	t.Parallel()
	s := startServer(t, "--notify-keyspace-events", allEvents)
	c := client(t, s)
	ctx := context.Background()
	fields := make([]any, 0, 2*20_000)
	for i := range 20_000 {
		fields = append(fields, fmt.Sprintf("6f1c0a52-2f0e-4f6f-9f3b-%012x:1", i), "1")
	}
	if err := c.HSet(ctx, "lock:wide", fields...).Err(); err != nil {
		t.Fatal(err)
	}
	w := watchLocks(t, s)
	o := w.reading(0, "lock:wide", "read", func(*model.Observation) bool { return true })
	if r := o.Reading; r.Type != "hash" || !r.Cut || r.Size != 20_000 || len(r.Holders) == 0 || len(r.Holders) > keyspace.MaxMembers {
		t.Errorf("type %s, cut %v, size %d, %d holders", r.Type, r.Cut, r.Size, len(r.Holders))
	}
}

// A hash with few fields whose table was once big is read in full all the same.
func TestSparseHash(t *testing.T) {
	t.Parallel()
	s := startServer(t, "--notify-keyspace-events", allEvents, "--activerehashing", "no", "--hash-max-listpack-entries", "2")
	c := client(t, s)
	ctx := context.Background()
	fields, gone := []any{}, []string{}
	for i := range 30_000 {
		f := fmt.Sprintf("6f1c0a52-2f0e-4f6f-9f3b-%012x:1", i)
		fields = append(fields, f, "1")
		if i >= 10 {
			gone = append(gone, f)
		}
	}
	if err := c.HSet(ctx, "lock:sparse", fields...).Err(); err != nil {
		t.Fatal(err)
	}
	if err := c.HDel(ctx, "lock:sparse", gone...).Err(); err != nil {
		t.Fatal(err)
	}
	w := watchLocks(t, s)
	o := w.reading(0, "lock:sparse", "read", func(*model.Observation) bool { return true })
	if r := o.Reading; len(r.Holders) != 10 || r.Cut {
		t.Errorf("%d holders, cut %v", len(r.Holders), r.Cut)
	}
}

func TestTypeChanges(t *testing.T) {
	t.Parallel()
	s := startServer(t, "--notify-keyspace-events", allEvents)
	c := client(t, s)
	w := watchLocks(t, s)
	const owner = "6f1c0a52-2f0e-4f6f-9f3b-0d6b3f8f3a11:1"
	for _, step := range []struct{ typ, command string }{
		{"string", "set lock:t tok"},
		{"hash", "hset lock:t " + owner + " 1"},
		{"zset", fmt.Sprintf("zadd lock:t %d m", time.Now().Add(time.Minute).UnixMilli())},
		{"set", "sadd lock:t m"},
		{"list", "rpush lock:t m"},
		{"stream", "xadd lock:t * f v"},
		{"string", "set lock:t tok"},
	} {
		m := w.mark()
		do(t, c, "del lock:t", step.command)
		w.reading(m, "lock:t", step.typ, func(o *model.Observation) bool { return o.Reading.Type == step.typ })
	}
}

// Every reading of a lock carries what its companions say.
func TestCompanions(t *testing.T) {
	t.Parallel()
	s := startServer(t, "--notify-keyspace-events", allEvents)
	c := client(t, s)
	const owner = "6f1c0a52-2f0e-4f6f-9f3b-0d6b3f8f3a11:1"
	const waiter = "6f1c0a52-2f0e-4f6f-9f3b-0d6b3f8f3a12:7"
	w := watch(t, Config{Addr: s.Addr(), Patterns: patterns(t, "lock:*", "redisson_lock_*")})
	w.state(model.StateSynced)
	do(t, c, "hset lock:f "+owner+" 1", "pexpire lock:f 60000")
	w.held(0, "lock:f", owner)
	m := w.mark()
	do(t, c, "rpush redisson_lock_queue:{lock:f} "+waiter)
	w.reading(m, "lock:f", "with a waiter", func(o *model.Observation) bool {
		return len(o.Reading.Waiters) == 1 && o.Reading.Waiters[0] == waiter
	})
	m = w.mark()
	do(t, c, "set redisson_lock_token:{lock:f} 41")
	w.reading(m, "lock:f", "with a fence", func(o *model.Observation) bool { return o.Reading.Fence != nil && *o.Reading.Fence == 41 })
	do(t, c, "del redisson_lock_queue:{lock:f}", "set lock:z v")
	w.held(0, "lock:z", "v")
	for _, in := range w.inputs() {
		if o := in.Observation; o != nil && strings.HasPrefix(o.Key.Name, "redisson_") {
			t.Errorf("a companion was told as a lock: %q", o.Key.Name)
		}
	}
	if n := w.live.Counters().Known; n != 2 {
		t.Errorf("%d locks known, want 2", n)
	}
}

func TestMask(t *testing.T) {
	t.Parallel()
	s := startServer(t, "--notify-keyspace-events", allEvents)
	c := client(t, s)
	do(t, c, "set lock:m host-1:4711")
	w := watchLocks(t, s, func(c *Config) { c.Mask = func(string) string { return "MASK" } })
	o := w.held(0, "lock:m", "MASK")
	if told := o.Reading.Holders[0].Told; told != nil && (told.Host != "" || told.Process != "") {
		t.Errorf("the token shows through: %+v", told)
	}
}
