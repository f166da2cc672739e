package demo

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"leasetop/demo/dial"
	"leasetop/keyspace"
)

// Prefix is where everything lies that the demo writes; Pattern selects its
// locks, without the counters and markers beside them.
const (
	Prefix  = "lease-demo:"
	Pattern = Prefix + "*:lock"
)

var (
	acquireScript = redis.NewScript(keyspace.AcquireScript())
	renewScript   = redis.NewScript(keyspace.RenewScript())
	releaseScript = redis.NewScript(keyspace.ReleaseScript())
)

// Loop plays a pause of one of two workers over and over, among other leases
// that are renewed, released, left to expire and left without an expiry, until
// ctx ends; then it removes its keys. Its workers are goroutines and their pause
// is a wait: it is there to have something on the screen, Run is the experiment.
//
// It is meant for an Embedded server. It returns the first error of the server,
// nil when ctx ended.
func Loop(ctx context.Context, addr string) error {
	client, err := dial.Target{Addr: addr}.Client(time.Second)
	if err != nil {
		return err
	}
	defer client.Close()
	l := &loop{client: client, run: randomHex(3)}
	if err := errors.Join(l.play(ctx), l.clean(ctx)); err != nil {
		return fmt.Errorf("play the demo's loop: %w", err)
	}
	return nil
}

type loop struct {
	client *redis.Client
	run    string
}

// The locks of the loop.
const (
	loopPause  = "invoice-42"
	loopRenew  = "report-17"
	loopShort  = "order-8812"
	loopExpire = "payout-9"
	loopOrphan = "mail-77"
)

func (l *loop) key(name string) string { return Prefix + l.run + ":" + name + ":lock" }

func (l *loop) play(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	parts := []func(context.Context) error{l.pause, l.renewed, l.short, l.expiring, l.orphan}
	errs := make([]error, len(parts))
	var wg sync.WaitGroup
	for i, part := range parts {
		wg.Go(func() {
			for errs[i] == nil {
				errs[i] = part(ctx)
			}
			cancel()
		})
	}
	wg.Wait()
	for _, err := range errs {
		// The part that failed first has ended the others.
		if !errors.Is(err, context.Canceled) {
			return err
		}
	}
	return nil
}

// pause is the story: A outlives its lease, B takes over, and A's late release
// is refused because it compares the token.
func (l *loop) pause(ctx context.Context) error {
	key, a, b := l.key(loopPause), token(), token()
	if err := l.take(ctx, key, a, 5*time.Second); err != nil {
		return err
	}
	// A is away. B tries until the lease has run out, then works for a while.
	if err := l.take(ctx, key, b, 8*time.Second); err != nil {
		return err
	}
	if err := wait(ctx, 3*time.Second); err != nil {
		return err
	}
	if _, err := l.release(ctx, key, a); err != nil {
		return err
	}
	if err := wait(ctx, 2*time.Second); err != nil {
		return err
	}
	if _, err := l.release(ctx, key, b); err != nil {
		return err
	}
	return wait(ctx, 2*time.Second)
}

// renewed is a lease with a heartbeat.
func (l *loop) renewed(ctx context.Context) error {
	key, owner := l.key(loopRenew), token()
	if err := l.take(ctx, key, owner, 6*time.Second); err != nil {
		return err
	}
	for range 12 {
		if err := wait(ctx, 2*time.Second); err != nil {
			return err
		}
		if err := renewScript.Run(ctx, l.client, []string{key}, owner, 6000).Err(); err != nil {
			return err
		}
	}
	if _, err := l.release(ctx, key, owner); err != nil {
		return err
	}
	return wait(ctx, time.Second)
}

// short is a lease that is taken and released often.
func (l *loop) short(ctx context.Context) error {
	key, owner := l.key(loopShort), token()
	if err := l.take(ctx, key, owner, 1500*time.Millisecond); err != nil {
		return err
	}
	if err := wait(ctx, 900*time.Millisecond); err != nil {
		return err
	}
	if _, err := l.release(ctx, key, owner); err != nil {
		return err
	}
	return wait(ctx, 700*time.Millisecond)
}

// expiring is a lease that nobody releases.
func (l *loop) expiring(ctx context.Context) error {
	if err := l.take(ctx, l.key(loopExpire), token(), 4*time.Second); err != nil {
		return err
	}
	return wait(ctx, 7*time.Second)
}

// orphan is a lock without an expiry, as SETNX leaves it behind when its client
// dies before the EXPIRE; somebody deletes it by hand after a while.
func (l *loop) orphan(ctx context.Context) error {
	key := l.key(loopOrphan)
	if err := l.client.SetNX(ctx, key, token(), 0).Err(); err != nil {
		return err
	}
	if err := wait(ctx, 40*time.Second); err != nil {
		return err
	}
	if err := l.client.Del(ctx, key).Err(); err != nil {
		return err
	}
	return wait(ctx, 3*time.Second)
}

// take acquires a lease with its fencing token, trying again while it is held.
func (l *loop) take(ctx context.Context, key, owner string, ttl time.Duration) error {
	for {
		fence, err := acquireScript.Run(ctx, l.client, []string{key, keyspace.FenceKey(key)}, owner, ttl.Milliseconds()).Int64()
		if err != nil || fence > 0 {
			return err
		}
		if err := wait(ctx, 50*time.Millisecond); err != nil {
			return err
		}
	}
}

func (l *loop) release(ctx context.Context, key, owner string) (int64, error) {
	return releaseScript.Run(ctx, l.client, []string{key}, owner).Int64()
}

// cleanLimit bounds the removal of the keys, which goes on after ctx has ended.
const cleanLimit = 2 * time.Second

func (l *loop) clean(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanLimit)
	defer cancel()
	var keys []string
	for _, name := range []string{loopPause, loopRenew, loopShort, loopExpire, loopOrphan} {
		keys = append(keys, l.key(name), keyspace.FenceKey(l.key(name)))
	}
	return l.client.Del(ctx, keys...).Err()
}

// wait returns after d, or with ctx's error before that.
func wait(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// token is an owner token: 128 random bits.
func token() string { return randomHex(16) }

func randomHex(bytes int) string {
	b := make([]byte, bytes)
	rand.Read(b)
	return hex.EncodeToString(b)
}
