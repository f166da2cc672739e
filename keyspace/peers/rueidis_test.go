package peers

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"testing"
	"time"

	"github.com/redis/rueidis"
	"github.com/redis/rueidis/rueidislock"
)

// TestRueidislock: three keys are one lock, renewed by the library itself.
func TestRueidislock(t *testing.T) {
	stories(t, map[string]func(s *scene){
		"held and released": rueidisHeld,
		"killed":            rueidisKilled,
		"forced":            rueidisForced,
	})
}

// rueidis makes a locker. Unless it is told not to, the server tells it of its
// own renewals too, and it answers each by one more: a storm that its users see
// as thousands of events a second.
func (s *scene) rueidis(validity, every time.Duration, noLoop bool) (rueidislock.Locker, *wire) {
	s.Helper()
	w := &wire{}
	l, err := rueidislock.NewLocker(rueidislock.LockerOption{
		KeyValidity: validity, ExtendInterval: every, NoLoopTracking: noLoop,
		ClientOption: rueidis.ClientOption{
			InitAddress: []string{s.srv.Addr()},
			DialCtxFn: func(ctx context.Context, addr string, _ *net.Dialer, _ *tls.Config) (net.Conn, error) {
				return w.dial(ctx, addr)
			},
		},
		TryNextAfter: 5 * time.Second, // a slow machine must not make the library give a key up
	})
	s.must(err)
	s.Cleanup(l.Close)
	return l, w
}

const rueidisLock = "invoice:42"

var rueidisKeys = []string{"rueidislock:0:" + rueidisLock, "rueidislock:1:" + rueidisLock, "rueidislock:2:" + rueidisLock}

// each tells the same of the three keys.
func (s *scene) each(want ...string) {
	s.Helper()
	for _, key := range rueidisKeys {
		s.tells(key, want...)
	}
}

// taken waits for the third key, which is taken after the lock is held, and
// names its owner.
func (s *scene) taken(alias string) {
	s.Helper()
	s.await("the third key", func() bool { return s.c.Exists(ctx, rueidisKeys...).Val() == 3 })
	s.name(alias, s.value(rueidisKeys[0]))
}

func rueidisHeld(s *scene) {
	s.slack = 50 * time.Millisecond // the deadline is set by the client's clock, before it is sent
	s.watch()
	a, _ := s.rueidis(8*time.Second, time.Second, true)
	b, _ := s.rueidis(8*time.Second, time.Second, true)
	held, release, err := a.WithContext(ctx, rueidisLock)
	s.must(err)
	s.taken("A")
	s.each("acquired A 8s")
	for _, key := range rueidisKeys {
		if r := s.reading(key); r.Format != "string" || r.Library != "rueidislock" || r.Group != "rueidislock:"+rueidisLock {
			s.Errorf("%q is %q of %q, group %q", key, r.Format, r.Library, r.Group)
		}
	}
	s.together(rueidisKeys[1], rueidisKeys[0], rueidisKeys[2])
	if _, _, err := b.TryWithContext(ctx, rueidisLock); !errors.Is(err, rueidislock.ErrNotLocked) {
		s.Fatalf("B got it: %v", err)
	}
	for _, key := range rueidisKeys {
		s.renewed(key, "renewed A 8s", 2)
	}
	if held.Err() != nil {
		s.Fatal("A lost it")
	}
	release()
	s.each("released A")
	s.leases(rueidisKeys...)
	s.findings()
}

func rueidisKilled(s *scene) {
	s.slack = 50 * time.Millisecond
	s.watch("rueidislock:*")
	a, wire := s.rueidis(2*time.Second, 0, true)
	held, _, err := a.WithContext(ctx, rueidisLock)
	s.must(err)
	s.taken("A")
	s.each("acquired A 2s")
	wire.cut()
	s.each("expired A")
	<-held.Done()
	b, _ := s.rueidis(2*time.Second, 0, true)
	_, release, err := b.WithContext(ctx, rueidisLock)
	s.must(err)
	s.taken("B")
	s.each("acquired B 2s after expired")
	release()
	s.each("released B")
}

func rueidisForced(s *scene) {
	s.slack = 50 * time.Millisecond
	s.watch("rueidislock:*")
	s.busy = true
	a, _ := s.rueidis(20*time.Second, 0, false)
	held, _, err := a.WithContext(ctx, rueidisLock)
	s.must(err)
	s.taken("A")
	s.each("acquired A 20s")
	b, _ := s.rueidis(20*time.Second, 0, false)
	_, release, err := b.ForceWithContext(ctx, rueidisLock)
	s.must(err)
	<-held.Done()
	s.name("B", s.value(rueidisKeys[0]))
	for _, key := range rueidisKeys[:2] {
		s.tells(key, "overwritten B from A 20s")
	}
	// A gives its third key back while B takes it: in either order.
	third := rueidisKeys[2]
	s.await("the third key", func() bool { return s.c.Get(ctx, third).Val() == s.value(rueidisKeys[0]) })
	s.settle(third)
	s.held(third, "B")
	s.quiet() // the storm goes on; the deadline does not move
	release()
	s.each("released B")
	s.findings()
}
