package demo_test

import (
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
