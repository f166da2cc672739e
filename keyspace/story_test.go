package keyspace_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"leasetop/keyspace"
)

// bench is a private server with what the stories of libraries need.
type bench struct {
	*testing.T
	c *redis.Client
}

// stories runs each on an empty database of one server.
func stories(t *testing.T, list map[string]func(b bench)) {
	c := startServer(t)
	for name, story := range list {
		t.Run(name, func(t *testing.T) {
			if err := c.FlushDB(context.Background()).Err(); err != nil {
				t.Fatal(err)
			}
			story(bench{t, c})
		})
	}
}

// do sends commands, one a string, words apart by spaces; args fill its verbs.
func (b bench) do(command string, args ...any) {
	b.Helper()
	words := strings.Fields(command)
	line := make([]any, len(words))
	for i, w := range words {
		line[i] = w
		if w == "%" {
			line[i], args = args[0], args[1:]
		}
	}
	if err := b.c.Do(context.Background(), line...).Err(); err != nil && err != redis.Nil {
		b.Fatalf("%s: %v", command, err)
	}
}

// now is the server's clock plus d, in µs.
func (b bench) now(d time.Duration) int64 {
	b.Helper()
	t, err := b.c.Time(context.Background()).Result()
	if err != nil {
		b.Fatal(err)
	}
	return t.Add(d).UnixMicro()
}

// seen is a lock as a test compares it: one line a holder.
func seen(l keyspace.Lock, raw *keyspace.Raw) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s/%s", l.Format, l.Library)
	line := func(mark string, h keyspace.Holder) {
		fmt.Fprintf(&b, " %s%s", mark, h.Owner)
		if h.Anonymous {
			b.WriteString("?")
		}
		if h.Count != 0 {
			fmt.Fprintf(&b, " x%d", h.Count)
		}
		if h.Mode != "" {
			b.WriteString(" " + h.Mode)
		}
		switch {
		case h.NoExpiry:
			b.WriteString(" never")
		case h.Deadline != 0:
			// Stories give deadlines in tens of seconds and take less than five.
			fmt.Fprintf(&b, " %+.0fs", math.Round(float64(h.Deadline-raw.Now)/1e7)*10)
		}
	}
	for _, h := range l.Holders {
		line("+", h)
	}
	for _, h := range l.Expired {
		line("-", h)
	}
	if l.Waiters != nil {
		fmt.Fprintf(&b, " waiters %s", l.Waiters)
	}
	if l.Fence != nil {
		fmt.Fprintf(&b, " fence %d", *l.Fence)
	}
	if l.Group != "" {
		fmt.Fprintf(&b, " group %s", l.Group)
	}
	if l.Part != "" {
		fmt.Fprintf(&b, " %s of %q", l.Part, l.Of)
	}
	if l.Note != "" {
		fmt.Fprintf(&b, " (%s)", l.Note)
	}
	return b.String()
}

// shows checks what a key decodes to now.
func (b bench) shows(key, want string, forces ...keyspace.Force) {
	b.Helper()
	l, raw := decodeKey(b, b.c, key, forces...)
	if got := seen(l, raw); got != want {
		b.Errorf("%s:\n got %s\nwant %s", key, got, want)
	}
}

// parts checks that keys are companions of a lock and name it by themselves.
func (b bench) parts(lock string, keys ...string) {
	b.Helper()
	for _, key := range keys {
		l, _ := decodeKey(b, b.c, key)
		of, kind, ok := keyspace.CompanionOf(key)
		if !ok || of != lock || l.Of != lock || l.Part == "" || l.Part != kind {
			b.Errorf("%s: CompanionOf %q %q %v, decoded part %q of %q", key, of, kind, ok, l.Part, l.Of)
		}
	}
}

// told checks what the token of the only holder tells.
func (b bench) told(key string, want keyspace.Told) {
	b.Helper()
	l, _ := decodeKey(b, b.c, key)
	all := slices.Concat(l.Holders, l.Expired)
	if len(all) != 1 || all[0].Told == nil {
		b.Fatalf("%s: %+v", key, l)
	}
	got := *all[0].Told
	if want.Acquired == 0 {
		got.Acquired = 0
	}
	if got != want {
		b.Errorf("%s tells %+v, want %+v", key, got, want)
	}
}

const (
	clientA = "6f1c0a52-2f0e-4f6f-9f3b-0d6b3f8f3a11"
	clientB = "b2d9c1e7-88a4-4a51-8f0a-5c1f2a7e9d22"
)
