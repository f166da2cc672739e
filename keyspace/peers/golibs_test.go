package peers

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/bsm/redislock"
	"github.com/go-redsync/redsync/v4"
	"github.com/go-redsync/redsync/v4/redis/goredis/v9"
)

var ctx = context.Background()

// TestGoLibraries runs the libraries for Go themselves.
func TestGoLibraries(t *testing.T) {
	stories(t, map[string]func(s *scene){
		"bsm redislock": bsmRedislock,
		"redsync":       goRedsync,
	})
}

func bsmRedislock(s *scene) {
	s.watch("lock:*", "caddy/locks/*")
	const key = "lock:invoice:42"
	locker := redislock.New(s.c)
	a, err := locker.Obtain(ctx, key, 30*time.Second, &redislock.Options{
		Token: "q83Ff0VwWl2rXo1Z0p7m9g", Metadata: "nightly run", // a random one has no digit in one of forty cases, and tells less
	})
	s.must(err)
	s.name("A", s.value(key))
	s.tells(key, "acquired A 30s")
	s.stored(key, "string", "")
	if told := s.reading(key).Holders[0].Told; told == nil || told.Metadata != "nightly run" {
		s.Errorf("told %+v", told)
	}
	s.must(a.Refresh(ctx, 40*time.Second, nil))
	s.tells(key, "renewed A 40s")
	if _, err := locker.Obtain(ctx, key, 2*time.Second, nil); !errors.Is(err, redislock.ErrNotObtained) {
		s.Fatalf("B got it: %v", err)
	}
	s.quiet()
	s.must(a.Release(ctx))
	s.tells(key, "released A renewed 1")
	if err := a.Release(ctx); !errors.Is(err, redislock.ErrLockNotHeld) {
		s.Fatalf("released twice: %v", err)
	}
	s.findings()

	// A holder that is gone, and one of Caddy's storage, which uses this library.
	b, err := locker.Obtain(ctx, key, 2*time.Second, nil)
	s.must(err)
	s.name("B", b.Token())
	s.tells(key, "acquired B 2s after released", "expired B")
	const site = "caddy/locks/issue_cert_example.org"
	c, err := locker.Obtain(ctx, site, 5*time.Second, nil)
	s.must(err)
	s.name("C", c.Token())
	s.tells(site, "acquired C 5s")
	s.stored(site, "string", "caddy-storage-redis")
	s.must(c.Release(ctx))
	s.tells(site, "released C")
	s.leases(key, site)
	s.findings()
}

func goRedsync(s *scene) {
	s.watch("jobs:*", "Trigger*")
	const key = "jobs:report"
	rs := redsync.New(goredis.NewPool(s.c))
	a := rs.NewMutex(key)
	s.must(a.Lock())
	s.name("A", a.Value())
	s.tells(key, "acquired A 8s")
	s.stored(key, "string", "")
	s.aged(key, 8*time.Second)
	_, err := a.Extend()
	s.must(err)
	s.tells(key, "renewed A 8s")
	b := rs.NewMutex(key, redsync.WithExpiry(2*time.Second), redsync.WithTries(1), redsync.WithSetNXOnExtend())
	if err := b.Lock(); err == nil {
		s.Fatal("B got it")
	}
	s.quiet()
	_, err = a.Unlock()
	s.must(err)
	s.tells(key, "released A renewed 1")
	s.findings()

	// A holder that let its lease end, and brings it back by a late extension.
	s.must(b.Lock())
	s.name("B", b.Value())
	s.tells(key, "acquired B 2s after released", "expired B")
	_, err = b.Extend()
	s.must(err)
	s.tells(key, "acquired B 2s after expired", "expired B")

	// The chord of machinery is a mutex of this library.
	m := rs.NewMutex("TriggerChordMutex")
	s.must(m.Lock())
	s.name("M", m.Value())
	s.tells("TriggerChordMutex", "acquired M 8s")
	s.stored("TriggerChordMutex", "string", "machinery chord")
	_, err = m.Unlock()
	s.must(err)
	s.tells("TriggerChordMutex", "released M")
	s.leases(key, "TriggerChordMutex")
}
