package demo_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"leasetop/demo"
)

// limit bounds every wait for a condition in these tests.
const limit = 30 * time.Second

func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(limit); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited %v in vain: %s", limit, what)
		}
	}
}

func plainClient(t *testing.T, addr string) *redis.Client {
	t.Helper()
	c := redis.NewClient(&redis.Options{Addr: addr, DisableIdentity: true})
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func embed(t *testing.T) *demo.Embedded {
	t.Helper()
	e, err := demo.Embed(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	return e
}

func TestLoopKeepsTheScreenBusyAndCleansUp(t *testing.T) {
	for name, without := range map[string]bool{"on the server found": false, "on miniredis": true} {
		t.Run(name, func(t *testing.T) {
			if without {
				t.Setenv("PATH", "")
			}
			e := embed(t)
			if without == e.Real() {
				t.Fatalf("an embedded server described as %q", e.Describe())
			}
			c := plainClient(t, e.Addr())
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			ended := make(chan error, 1)
			go func() { ended <- demo.Loop(ctx, e.Addr()) }()

			keys := func() []string { return c.Keys(t.Context(), "*").Val() }
			until(t, "five locks and a lease that is renewed", func() bool {
				locks := 0
				for _, k := range keys() {
					if !strings.HasPrefix(k, demo.Prefix) {
						t.Fatalf("the demo wrote %q", k)
					}
					if strings.HasSuffix(k, ":lock") {
						locks++
					}
				}
				return locks == 5
			})
			lock := c.Keys(t.Context(), "*:invoice-42:lock").Val()[0]
			first := c.Get(t.Context(), lock).Val()
			until(t, "the second worker takes over", func() bool {
				now, err := c.Get(t.Context(), lock).Result()
				return err == nil && now != first
			})
			if n := c.Get(t.Context(), lock+":fence").Val(); n != "2" {
				t.Errorf("the second acquisition drew fence %s", n)
			}
			stop()
			if err := <-ended; err != nil {
				t.Errorf("the loop ended with: %v", err)
			}
			if left := keys(); len(left) > 0 {
				t.Errorf("the loop left %v", left)
			}
		})
	}
}

func TestLoopTellsOfAServerThatDied(t *testing.T) {
	e := embed(t)
	ended := make(chan error, 1)
	go func() { ended <- demo.Loop(t.Context(), e.Addr()) }()
	c := plainClient(t, e.Addr())
	until(t, "the loop writes", func() bool { return c.DBSize(t.Context()).Val() > 0 })
	e.Close()
	if err := <-ended; err == nil {
		t.Error("the loop went on without a server")
	}
}

func TestEmbeddedServerTellsEverything(t *testing.T) {
	e := embed(t)
	if !e.Real() {
		t.Skip("no redis-server on the PATH")
	}
	if !strings.Contains(e.Describe(), "private, pid ") {
		t.Errorf("it is described as %q", e.Describe())
	}
	flags := plainClient(t, e.Addr()).ConfigGet(t.Context(), "notify-keyspace-events").Val()["notify-keyspace-events"]
	for _, f := range "KEg$lshzxen" {
		if !strings.ContainsRune(flags, f) {
			t.Errorf("flag %c is not to be seen in %q", f, flags)
		}
	}
}
