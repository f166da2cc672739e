package watcher

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"leasetop/demo/server"
	"leasetop/keyspace"
	"leasetop/model"
)

// limit bounds every wait for a condition.
const limit = 10 * time.Second

// startServer starts a private server; it ends with the test.
func startServer(t testing.TB, args ...string) *server.Server {
	t.Helper()
	s, err := server.Start(context.Background(), server.Options{Args: args})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	return s
}

// startSocket starts a private server that sends all events, and gives the path
// of its socket.
func startSocket(t testing.TB) string {
	t.Helper()
	s, err := server.Start(context.Background(), server.Options{Socket: true, Args: []string{"--notify-keyspace-events", allEvents}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	return s.Socket()
}

// client writes to a server as an application does.
func client(t testing.TB, s *server.Server) *redis.Client {
	t.Helper()
	c := redis.NewClient(&redis.Options{Addr: s.Addr(), DisableIdentity: true})
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// do sends commands written as in redis-cli and fails the test on an error.
func do(t testing.TB, c redis.Cmdable, commands ...string) {
	t.Helper()
	for _, line := range commands {
		var args []any
		for w := range strings.FieldsSeq(line) {
			args = append(args, w)
		}
		if err := c.(interface {
			Do(context.Context, ...any) *redis.Cmd
		}).Do(context.Background(), args...).Err(); err != nil && err != redis.Nil {
			t.Fatalf("%s: %v", line, err)
		}
	}
}

func patterns(t testing.TB, words ...string) keyspace.Patterns {
	t.Helper()
	p, err := keyspace.ParsePatterns(words)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// watching is a watcher that runs, with everything that it told.
type watching struct {
	t      testing.TB
	live   *Live
	cancel context.CancelFunc
	done   chan struct{}
	err    error

	mu   sync.Mutex
	all  []model.Input
	news chan struct{}
	hold chan struct{} // while open, emit blocks

	once     sync.Once
	released chan struct{} // the test is over: emit blocks no more
}

// watch starts a watcher; it ends with the test.
func watch(t testing.TB, cfg Config) *watching {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	w := &watching{t: t, live: New(cfg), cancel: cancel, done: make(chan struct{}), news: make(chan struct{}, 1), released: make(chan struct{})}
	go func() {
		defer close(w.done)
		w.err = w.live.Run(ctx, w.take)
	}()
	t.Cleanup(w.stop)
	return w
}

// watchLocks watches lock:* and waits for the first sweep.
func watchLocks(t testing.TB, s *server.Server, change ...func(*Config)) *watching {
	t.Helper()
	cfg := Config{Addr: s.Addr(), Patterns: patterns(t, "lock:*")}
	for _, c := range change {
		c(&cfg)
	}
	w := watch(t, cfg)
	w.state(model.StateSynced)
	return w
}

func (w *watching) take(batch []model.Input) {
	w.mu.Lock()
	hold := w.hold
	w.all = append(w.all, batch...)
	w.mu.Unlock()
	select {
	case w.news <- struct{}{}:
	default:
	}
	if hold != nil {
		select {
		case <-hold:
		case <-w.released:
		}
	}
}

func (w *watching) stop() {
	w.cancel()
	w.once.Do(func() { close(w.released) })
	<-w.done
}

func (w *watching) inputs() []model.Input {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.all[:len(w.all):len(w.all)]
}

// mark is a place in what was told: what comes after it is new.
func (w *watching) mark() int { return len(w.inputs()) }

// until waits until an input from a mark on meets a condition.
func (w *watching) until(from int, what string, ok func(model.Input) bool) model.Input {
	w.t.Helper()
	end := time.After(limit)
	for i := from; ; {
		all := w.inputs()
		for ; i < len(all); i++ {
			if ok(all[i]) {
				return all[i]
			}
		}
		select {
		case <-w.news:
		case <-w.done:
			if i >= len(w.inputs()) {
				w.t.Fatalf("the watcher ended (%v) without: %s\n%s", w.err, what, w.story(from))
			}
		case <-end:
			w.t.Fatalf("not within %v: %s\n%s", limit, what, w.story(from))
		}
	}
}

// state waits for a health state from the start on.
func (w *watching) state(s model.State) model.Health { w.t.Helper(); return w.stateFrom(0, s) }

func (w *watching) stateFrom(from int, s model.State) model.Health {
	w.t.Helper()
	return *w.until(from, "state "+string(s), func(in model.Input) bool { return in.Health != nil && in.Health.State == s }).Health
}

// reading waits for a reading of a key that meets a condition.
func (w *watching) reading(from int, key, what string, ok func(*model.Observation) bool) *model.Observation {
	w.t.Helper()
	return w.until(from, key+": "+what, func(in model.Input) bool {
		o := in.Observation
		return o != nil && o.Key.Name == key && o.Reading != nil && ok(o)
	}).Observation
}

// held waits until a key is read with an owner, gone until it is read missing.
func (w *watching) held(from int, key, owner string) *model.Observation {
	w.t.Helper()
	return w.reading(from, key, "held by "+owner, func(o *model.Observation) bool {
		return len(o.Reading.Holders) == 1 && o.Reading.Holders[0].Owner == owner
	})
}

func (w *watching) gone(from int, key string) *model.Observation {
	w.t.Helper()
	return w.reading(from, key, "gone", func(o *model.Observation) bool { return !o.Reading.Present() })
}

// hints are all hints told of a key from a mark on.
func (w *watching) hints(from int, key string) (ops []string) {
	for _, in := range w.inputs()[from:] {
		if o := in.Observation; o != nil && o.Key.Name == key {
			for _, h := range o.Hints {
				ops = append(ops, h.Op)
			}
		}
	}
	return ops
}

// story is what was told, for a failure.
func (w *watching) story(from int) string {
	var b strings.Builder
	for _, in := range w.inputs()[from:] {
		switch {
		case in.Health != nil:
			fmt.Fprintf(&b, "  %s %s %s\n", in.Health.State, in.Health.Notify, in.Health.Detail)
		case in.Observation != nil:
			o := in.Observation
			fmt.Fprintf(&b, "  %q %v lost=%d %s", o.Key.Name, o.Hints, o.Lost, o.Source)
			if r := o.Reading; r != nil {
				fmt.Fprintf(&b, " %s %v until %v", r.Type, r.Holders, r.Deadline)
			}
			b.WriteByte('\n')
		}
		if b.Len() > 8000 {
			b.WriteString("  …\n")
			break
		}
	}
	return b.String()
}

// eventually waits until a condition holds.
func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(limit); !ok(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not within %v: %s", limit, what)
		}
	}
}
