package watcher

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/push"

	"leasetop/model"
)

// trackState is what is wanted of client tracking, and what became of it.
type trackState struct {
	wanted   bool
	flushes  bool // tracking no key, to hear of flushes alone
	prefixes []string
	on       *atomic.Bool
	refusal  error
}

// wantsTracking decides about tracking: it stands in where notifications are
// not known to come. Patterns that begin with a mark would mean a push for every
// key of the server, which only --tracking require asks for.
func (f *feed) wantsTracking() trackState {
	t := trackState{on: new(atomic.Bool), prefixes: f.cfg.Patterns.Prefixes()}
	switch f.cfg.Tracking {
	case Require:
		t.wanted = true
	case Auto:
		t.flushes = true
		t.wanted = len(t.prefixes) > 0 && t.prefixes[0] != "" && (f.cfg.Notify == Off || f.notify.state() == model.NotifyOff || f.notify.state() == model.NotifyUnknown)
	}
	return t
}

// onConnect makes the handshake of the subscriber's connection, and of it alone.
func (t *trackState) onConnect() func(context.Context, *redis.Conn) error {
	return func(ctx context.Context, cn *redis.Conn) error {
		if !t.wanted && !t.flushes {
			return nil
		}
		args := []any{"client", "tracking", "on", "bcast"}
		if !t.wanted {
			args = append(args, "prefix", nobody)
		}
		for _, p := range t.prefixes {
			if p != "" && t.wanted {
				args = append(args, "prefix", p)
			}
		}
		err := cn.Do(ctx, args...).Err()
		if transport(err) {
			return err
		}
		if !t.wanted {
			return nil // a refusal costs nothing but to hear of flushes at once
		}
		t.refusal = err
		t.on.Store(err == nil)
		return nil
	}
}

// demand fails where tracking is required and was refused.
func (t *trackState) demand(f *feed) error {
	if f.cfg.Tracking != Require || t.on.Load() {
		return nil
	}
	return &Error{Doing: "switch client tracking on", Err: fmt.Errorf("%w: %w", ErrTracking, t.refusal),
		Hint: "tracking needs Redis 6 and, with an ACL, +client|tracking; --tracking auto does without it"}
}

// invalidated receives the pushes of client tracking, on the goroutine of the
// receive loop: nil keys mean that everything may have changed.
type invalidated func(keys []any)

// HandlePushNotification implements the library's handler.
func (f invalidated) HandlePushNotification(_ context.Context, _ push.NotificationHandlerContext, n []any) error {
	if len(n) > 1 {
		keys, _ := n[1].([]any)
		f(keys)
	}
	return nil
}

func (s *subscriber) invalidate(keys []any) {
	f := s.feed
	if keys == nil {
		f.flushes.push(f.clock.of(s.good()), f.clock.now())
		f.sweeper.want(sweepFlush)
		return
	}
	for _, k := range keys {
		name, ok := k.(string)
		if !ok {
			continue
		}
		if _, ok := f.cfg.Patterns.Match(name); ok {
			f.dirty.touch(name, byTracking)
		} else {
			f.count.foreign.Add(1)
		}
		f.touchLockOf(name, byTracking)
	}
}
