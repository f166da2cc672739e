package keyspace_test

import (
	"context"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"leasetop/keyspace"
)

// TestScripts tells the story that the scripts are for: a holder that outlives
// its lease can neither renew nor remove the next one's.
func TestScripts(t *testing.T) {
	ctx := context.Background()
	c := startServer(t)
	const lock = "lease-demo:7f:invoice-42:lock"
	run := func(script string, keys []string, args ...any) int64 {
		t.Helper()
		n, err := c.Eval(ctx, script, keys, args...).Int64()
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	acquire := func(token string, ms int) int64 {
		t.Helper()
		return run(keyspace.AcquireScript(), []string{lock, keyspace.FenceKey(lock)}, token, ms)
	}
	renew := func(token string, ms int) int64 {
		t.Helper()
		return run(keyspace.RenewScript(), []string{lock}, token, ms)
	}
	release := func(token string) int64 {
		t.Helper()
		return run(keyspace.ReleaseScript(), []string{lock}, token)
	}
	want := func(got, want int64, what string) {
		t.Helper()
		if got != want {
			t.Fatalf("%s: %d, want %d", what, got, want)
		}
	}

	want(acquire("a", 60_000), 1, "A acquires")
	want(acquire("b", 60_000), 0, "B is refused")
	want(renew("a", 90_000), 1, "A renews")
	want(renew("b", 90_000), 0, "B cannot renew A's")
	if ttl := c.PTTL(ctx, lock).Val(); ttl <= 60*time.Second || ttl > 90*time.Second {
		t.Fatalf("renewed to %v", ttl)
	}
	want(release("b"), 0, "B cannot release A's")
	got, _ := decodeKey(t, c, lock)
	if got.Format != keyspace.Plain || len(got.Holders) != 1 || got.Holders[0].Owner != "a" || got.Fence == nil || *got.Fence != 1 {
		t.Fatalf("decoded %+v", got)
	}

	if err := c.PExpire(ctx, lock, time.Millisecond).Err(); err != nil {
		t.Fatal(err)
	}
	waitGone(t, c, lock)
	want(renew("a", 60_000), 0, "a renewal does not bring a lost lease back")
	want(acquire("b", 60_000), 2, "B acquires with a higher fence")
	want(release("a"), 0, "A cannot release B's")
	want(release("b"), 1, "B releases")
	want(release("b"), 0, "B released already")

	// An unusable TTL takes nothing.
	if err := c.Eval(ctx, keyspace.AcquireScript(), []string{lock, keyspace.FenceKey(lock)}, "c", 0).Err(); err == nil {
		t.Fatal("a TTL of zero was accepted")
	}
	want(c.Exists(ctx, lock).Val(), 0, "lock after an error")
	// Neither does a counter that is none.
	c.Set(ctx, keyspace.FenceKey(lock), "text", 0)
	if err := c.Eval(ctx, keyspace.AcquireScript(), []string{lock, keyspace.FenceKey(lock)}, "c", 1000).Err(); err == nil {
		t.Fatal("a lock without a fence was given")
	}
	want(c.Exists(ctx, lock).Val(), 0, "lock after an error")
}

// waitGone waits until the server says that a key is gone.
func waitGone(t testing.TB, c *redis.Client, key string) {
	t.Helper()
	for limit := time.Now().Add(5 * time.Second); c.Exists(context.Background(), key).Val() != 0; {
		if time.Now().After(limit) {
			t.Fatalf("%s does not expire", key)
		}
		time.Sleep(time.Millisecond)
	}
}
