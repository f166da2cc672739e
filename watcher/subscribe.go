package watcher

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"leasetop/keyspace"
)

// silence is how long a subscriber's connection may be without a byte, although
// it is asked for one every second.
const (
	silence   = 2500 * time.Millisecond
	pingEvery = time.Second
)

// subscriber is the connection on which notifications and tracking pushes come.
type subscriber struct {
	feed   *feed
	client *redis.Client
	ps     *redis.PubSub
	wire   *wire
	ended  chan struct{} // closed when the receive loop is over
	err    error         // why; valid once ended is closed

	answers chan error             // to PSUBSCRIBE, in their order; nil: confirmed
	routes  atomic.Pointer[routes] // nil: no subscription stands yet
	proven  atomic.Int32           // family whose events came: 'K', 'E', or 0
	tracked trackState

	mu    sync.Mutex
	pings uint64
	waits map[uint64]ping
	last  time.Duration // local sending time of the latest PING that was answered
}

type ping struct {
	sent time.Duration
	done chan struct{}
}

// subscribe opens the connection and subscribes to what the notification setting
// makes useful. It returns nil, and no error, where neither notifications nor
// tracking are wanted or permitted.
func (f *feed) subscribe(ctx context.Context) (*subscriber, error) {
	s := &subscriber{feed: f, ended: make(chan struct{}), answers: make(chan error, 64), waits: make(map[uint64]ping)}
	s.wire = &wire{drained: f.dirty.flush, local: f.clock.local}
	s.tracked = f.wantsTracking()
	if f.cfg.Notify == Off && !s.tracked.wanted {
		return nil, nil
	}
	o := options(&f.cfg)
	o.Dialer = s.wire.dial(&f.cfg)
	o.OnConnect = s.tracked.onConnect()
	s.client = redis.NewClient(o)
	s.client.AddHook(counting{f.count})
	if err := s.client.RegisterPushNotificationHandler("invalidate", invalidated(s.invalidate), false); err != nil {
		_ = s.client.Close()
		return nil, fmt.Errorf("register for tracking: %w", err)
	}
	s.ps = s.client.PSubscribe(ctx)
	if err := s.open(ctx); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

// open connects, starts the receive loop and subscribes.
func (s *subscriber) open(ctx context.Context) error {
	f := s.feed
	// The first PING connects.
	if err := s.ping(ctx, make(chan struct{})); err != nil {
		return err
	}
	go s.receive()
	if err := s.barrier(ctx); err != nil {
		return err
	}
	if err := s.tracked.demand(f); err != nil {
		return err
	}
	if f.cfg.Notify == Off {
		return s.guard(ctx)
	}
	r := &routes{globs: make(map[string]string)}
	if f.notify.wantsKeyspace() {
		if err := s.subscribeKeyspace(ctx, r); err != nil {
			return err
		}
	}
	if f.notify.wantsKeyevent() {
		for _, db := range []int{f.cfg.DB, keyspace.AnyDB} {
			ok, err := s.subscribeTo(ctx, keyspace.KeyeventChannel(db))
			if err != nil {
				return err
			}
			if r.any = ok[0]; r.any {
				break
			}
		}
	}
	s.routes.Store(r)
	return nil
}

// receive takes everything off the connection until it breaks. Nothing in it
// waits for anything but the connection, and it gives Receive no deadline: one
// that passes inside a message loses the rest of it.
func (s *subscriber) receive() {
	defer close(s.ended)
	for {
		m, err := s.ps.Receive(bg)
		if err != nil {
			var answer redis.Error
			if errors.As(err, &answer) {
				s.answer(err)
				continue
			}
			s.err = fmt.Errorf("%w: %w", ErrLost, err)
			return
		}
		switch m := m.(type) {
		case *redis.Message:
			s.message(m)
		case *redis.Pong:
			s.pong(m.Payload)
		case *redis.Subscription:
			if m.Kind == "psubscribe" || m.Kind == "subscribe" {
				s.answer(nil)
			}
		}
	}
}

// answer hands on what became of a PSUBSCRIBE; one that nobody waits for is of
// no interest.
func (s *subscriber) answer(err error) {
	select {
	case s.answers <- err:
	default:
	}
}

// message takes one notification in.
func (s *subscriber) message(m *redis.Message) {
	f := s.feed
	r := s.routes.Load()
	if r == nil {
		return
	}
	f.count.events.Add(1)
	e, err := keyspace.ParseEvent(m.Channel, m.Payload)
	if err != nil || e.DB != f.cfg.DB {
		f.count.foreign.Add(1)
		return
	}
	if glob, ok := r.globs[m.Pattern]; ok {
		owner, ok := r.watched.Match(e.Key)
		if !ok {
			f.count.foreign.Add(1)
			return
		}
		if owner != glob {
			f.count.duplicates.Add(1)
			return
		}
		s.prove('K')
	} else {
		if _, ok := f.cfg.Patterns.Match(e.Key); !ok {
			f.count.foreign.Add(1)
			return
		}
		// The keyspace message of an event comes before its keyevent message, so
		// the first family that is heard is the one to listen to.
		if s.proven.Load() == 'K' {
			f.count.duplicates.Add(1)
			return
		}
		s.prove('E')
	}
	f.dirty.hint(e.Key, opName(e.Op), f.clock.local.now())
	f.touchLockOf(e.Key, byEvent)
}

// touchLockOf has the lock read whose companion changed.
func (f *feed) touchLockOf(companion string, why reason) {
	lock, _, ok := keyspace.CompanionOf(companion)
	if !ok || lock == "" || lock == companion {
		return
	}
	if _, ok := f.cfg.Patterns.Match(lock); ok {
		f.dirty.touch(lock, why)
	}
}

// prove notes that events come, which no setting that may not be read tells.
func (s *subscriber) prove(family int32) {
	if s.proven.Load() != family {
		s.proven.Store(family)
		s.feed.notify.prove()
	}
}

// opName is an event's name without the memory of the message that told it.
func opName(op string) string {
	if name, ok := opNames[op]; ok {
		return name
	}
	return op
}

var opNames = func() map[string]string {
	m := map[string]string{}
	for _, n := range []string{"set", "expire", "del", "expired", "evicted", "persist", "new", "rename_from", "rename_to",
		"hset", "hdel", "hincrby", "zadd", "zrem", "zremrangebyscore", "sadd", "srem", "incrby", "restore", "copy_to",
		"move_from", "move_to", "lpush", "rpush", "lpop", "rpop", "zincr", "append", "setrange"} {
		m[n] = n
	}
	return m
}()

// events reports whether there is a subscription on which events may come.
func (s *subscriber) events() bool {
	if s == nil {
		return false
	}
	r := s.routes.Load()
	return r != nil && (len(r.globs) > 0 || r.any)
}

func (s *subscriber) tracks() bool { return s != nil && s.tracked.on.Load() }

// ping sends PING; done is closed with its answer.
func (s *subscriber) ping(ctx context.Context, done chan struct{}) error {
	s.feed.pace.spend(1)
	s.feed.count.count("ping")
	s.mu.Lock()
	s.pings++
	n := s.pings
	s.waits[n] = ping{sent: s.feed.clock.local.now(), done: done}
	s.mu.Unlock()
	if err := s.ps.Ping(ctx, strconv.FormatUint(n, 10)); err != nil {
		return fmt.Errorf("ping: %w", err)
	}
	return nil
}

// pong takes the answer to a PING in: all answers before it came too.
func (s *subscriber) pong(payload string) {
	n, err := strconv.ParseUint(payload, 10, 64)
	if err != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, p := range s.waits {
		if i <= n {
			s.last = max(s.last, p.sent)
			close(p.done)
			delete(s.waits, i)
		}
	}
}

// barrier returns when everything is received that the server sent before now:
// each notification of a change that a reading before it has seen. It may return
// ErrSilent, and has then cut the connection.
func (s *subscriber) barrier(ctx context.Context) error {
	done := make(chan struct{})
	if err := s.ping(ctx, done); err != nil {
		return err
	}
	t := time.NewTimer(silence)
	defer t.Stop()
	for sure := false; ; {
		select {
		case <-done:
			return nil
		case <-s.ended:
			return s.err
		case <-t.C:
			quiet := s.wire.quietFor()
			switch {
			case quiet < silence:
				// An answer behind a long queue of notifications is late, not missing.
				t.Reset(silence - quiet)
			case !sure:
				// A process of ours that was stopped has heard nothing either: what
				// came meanwhile is about to be read.
				sure = true
				t.Reset(heartbeat)
			default:
				s.wire.cut()
				return ErrSilent
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// good is the local time up to which everything was received.
func (s *subscriber) good() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last
}

// close ends the connection and waits for the receive loop.
func (s *subscriber) close() {
	if s == nil {
		return
	}
	s.wire.cut()
	_ = s.ps.Close()
	_ = s.client.Close()
	s.mu.Lock()
	started := s.pings > 1
	s.mu.Unlock()
	if started {
		<-s.ended
	}
}
