package watcher

import (
	"context"
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"leasetop/model"
)

// afterGap waits for a gap, and for the end of the sweep that follows it.
func (w *watching) afterGap(from int) model.Health {
	w.t.Helper()
	g := w.stateFrom(from, model.StateGap)
	if g.From == 0 || g.To < g.From {
		w.t.Errorf("gap from %v to %v", g.From, g.To)
	}
	w.stateFrom(from, model.StateRecovered)
	return g
}

func TestKilledSubscriber(t *testing.T) {
	t.Parallel()
	s := startServer(t, "--notify-keyspace-events", allEvents)
	c := client(t, s)
	w := watchLocks(t, s, func(c *Config) { c.Interval = time.Hour })
	do(t, c, "set lock:a one", "set lock:b one")
	w.held(0, "lock:b", "one")
	m := w.mark()
	do(t, c, "multi", "client kill type pubsub", "del lock:a", "set lock:b two", "exec")
	w.afterGap(m)
	w.gone(m, "lock:a")
	w.held(m, "lock:b", "two")
	if n := w.live.Counters(); n.Gaps != 1 || !n.Connected || n.Err != "" {
		t.Errorf("gaps %d, connected %v, err %q", n.Gaps, n.Connected, n.Err)
	}
	m = w.mark()
	do(t, c, "del lock:b")
	if o := w.gone(m, "lock:b"); o.Source != model.SourceEvent {
		t.Errorf("after the gap: source %v", o.Source)
	}
}

// Commands that fail on a dead connection are sent again: no gap, because every
// notification came.
func TestKilledReaders(t *testing.T) {
	t.Parallel()
	s := startServer(t, "--notify-keyspace-events", allEvents)
	c := client(t, s)
	w := watchLocks(t, s, func(c *Config) { c.Interval = time.Hour })
	do(t, c, "client kill type normal skipme yes", "set lock:a one")
	w.held(0, "lock:a", "one")
	if n := w.live.Counters().Gaps; n != 0 {
		t.Errorf("%d gaps", n)
	}
}

func TestRestartedServer(t *testing.T) {
	t.Parallel()
	s := startServer(t, "--notify-keyspace-events", allEvents)
	c := client(t, s)
	w := watchLocks(t, s)
	do(t, c, "set lock:a one")
	w.held(0, "lock:a", "one")
	m := w.mark()
	s.Kill()
	down := w.stateFrom(m, model.StateDisconnected)
	if down.Detail == "" || w.live.Counters().Err == "" {
		t.Errorf("disconnected without a reason: %+v", down)
	}
	if err := s.Restart(context.Background()); err != nil {
		t.Fatal(err)
	}
	w.afterGap(m)
	if top := w.stateFrom(m, model.StateTopology); !top.Changed {
		t.Errorf("another process, and nothing is said of it: %+v", top)
	}
	w.gone(m, "lock:a")
	do(t, c, "set lock:b two")
	w.held(m, "lock:b", "two")
}

func TestFrozenServer(t *testing.T) {
	t.Parallel()
	s := startServer(t, "--notify-keyspace-events", allEvents)
	w := watchLocks(t, s)
	m := w.mark()
	began := time.Now()
	s.Freeze()
	w.stateFrom(m, model.StateDisconnected)
	if took := time.Since(began); took > 6*time.Second {
		t.Errorf("noticed after %v", took)
	}
	s.Thaw()
	w.afterGap(m)
}

// stall is a proxy that can stop passing bytes on without closing anything.
type stall struct {
	net.Listener
	mu   sync.Mutex
	free *sync.Cond
	stop bool
}

func startStall(t *testing.T, to string) *stall {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &stall{Listener: l}
	p.free = sync.NewCond(&p.mu)
	t.Cleanup(func() { p.set(false); _ = l.Close() })
	go func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial("tcp", to)
			if err != nil {
				_ = in.Close()
				continue
			}
			go p.pass(in, out)
			go p.pass(out, in)
		}
	}()
	return p
}

func (p *stall) pass(from, to net.Conn) {
	defer from.Close()
	defer to.Close()
	b := make([]byte, 64<<10)
	for {
		n, err := from.Read(b)
		p.mu.Lock()
		for p.stop {
			p.free.Wait()
		}
		p.mu.Unlock()
		if n > 0 {
			if _, err := to.Write(b[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

func (p *stall) set(stop bool) {
	p.mu.Lock()
	p.stop = stop
	p.mu.Unlock()
	p.free.Broadcast()
}

func TestStalledConnection(t *testing.T) {
	t.Parallel()
	s := startServer(t, "--notify-keyspace-events", allEvents)
	c := client(t, s)
	p := startStall(t, s.Addr())
	w := watchLocks(t, s, func(c *Config) { c.Addr = p.Addr().String() })
	do(t, c, "set lock:a one")
	w.held(0, "lock:a", "one")
	m := w.mark()
	p.set(true)
	do(t, c, "del lock:a")
	w.stateFrom(m, model.StateDisconnected)
	p.set(false)
	w.afterGap(m)
	w.gone(m, "lock:a")
}

// A subscriber that the server gave up on because its buffer was full sees an end
// like any other; what was in the buffer is lost.
func TestOverrunBuffer(t *testing.T) {
	t.Parallel()
	s := startServer(t, "--notify-keyspace-events", allEvents, "--client-output-buffer-limit", "pubsub", "1mb", "1mb", "1")
	c := client(t, s)
	p := startStall(t, s.Addr())
	w := watchLocks(t, s, func(c *Config) { c.Addr, c.Interval = p.Addr().String(), time.Hour })
	do(t, c, "set lock:a one")
	w.held(0, "lock:a", "one")
	m := w.mark()
	p.set(true)
	do(t, c, "del lock:a")
	eventually(t, "the server gave the subscriber up", func() bool {
		if _, err := c.Pipelined(t.Context(), func(p redis.Pipeliner) error {
			for i := range 1000 {
				p.Set(t.Context(), "lock:flood:"+strconv.Itoa(i), "v", 0)
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		list, err := c.Do(t.Context(), "client", "list", "type", "pubsub").Text()
		return err == nil && !strings.Contains(list, "id=")
	})
	p.set(false)
	w.afterGap(m)
	w.gone(m, "lock:a")
	w.held(m, "lock:flood:999", "v")
}

// A server that changes its role is another source of truth.
func TestRoleChange(t *testing.T) {
	t.Parallel()
	primary := startServer(t, "--repl-diskless-sync-delay", "0")
	s := startServer(t, "--notify-keyspace-events", allEvents)
	do(t, client(t, primary), "set lock:a two")
	c := client(t, s)
	w := watchLocks(t, s, func(c *Config) { c.Interval = time.Hour })
	do(t, c, "set lock:a one", "set lock:b one")
	w.held(0, "lock:b", "one")
	m := w.mark()
	do(t, c, "replicaof 127.0.0.1 "+strconv.Itoa(primary.Port()))
	if h := w.stateFrom(m, model.StateTopology); !h.Changed || h.Role != "slave" {
		t.Errorf("%+v", h)
	}
	w.held(m, "lock:a", "two")
	w.gone(m, "lock:b")
}

// While the consumer is busy nothing looks like a process that was stopped, and
// the connection is not given up.
func TestSlowConsumerIsNoGap(t *testing.T) {
	t.Parallel()
	s := startServer(t, "--notify-keyspace-events", allEvents)
	c := client(t, s)
	do(t, c, readOnly)
	w := watchLocks(t, s, asUser, func(c *Config) { c.Interval = 50 * time.Millisecond })
	hold := make(chan struct{})
	w.mu.Lock()
	w.hold = hold
	w.mu.Unlock()
	m := w.mark()
	do(t, c, "set lock:a one")
	w.until(m, "something that holds the consumer up", func(model.Input) bool { return true })
	<-time.After(silence + suspended)
	w.mu.Lock()
	w.hold = nil
	w.mu.Unlock()
	close(hold)
	m = w.mark()
	do(t, c, "set lock:b two")
	w.held(m, "lock:b", "two")
	if n := w.live.Counters().Gaps; n != 0 {
		t.Errorf("%d gaps\n%s", n, w.story(0))
	}
}

func TestFlush(t *testing.T) {
	t.Parallel()
	s := startServer(t, "--notify-keyspace-events", allEvents)
	c := client(t, s)
	w := watchLocks(t, s, func(c *Config) { c.Interval = time.Hour })
	do(t, c, "set lock:a one")
	w.held(0, "lock:a", "one")
	m := w.mark()
	do(t, c, "flushall")
	if h := w.stateFrom(m, model.StateTopology); !h.Flushed {
		t.Errorf("%+v", h)
	}
	w.gone(m, "lock:a")
}

// A change that no event tells is found by the sweep.
func TestSwappedDatabase(t *testing.T) {
	t.Parallel()
	s := startServer(t, "--notify-keyspace-events", allEvents)
	c := client(t, s)
	w := watchLocks(t, s)
	do(t, c, "set lock:a one")
	w.held(0, "lock:a", "one")
	m := w.mark()
	do(t, c, "select 1", "set lock:a two", "swapdb 0 1")
	if o := w.held(m, "lock:a", "two"); o.Source != model.SourcePoll || len(o.Hints) != 0 {
		t.Errorf("%+v", o)
	}
}
