package keyspace_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"
	"pgregory.net/rapid"

	"leasetop/demo/server"
	"leasetop/keyspace"
)

// startServer gives a client of a private server that ends with the test.
func startServer(t testing.TB) *redis.Client {
	t.Helper()
	s, err := server.Start(context.Background(), server.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	c := redis.NewClient(&redis.Options{Addr: s.Addr(), Protocol: 2})
	t.Cleanup(func() { _ = c.Close() })
	return c
}

var matches = []struct {
	pattern, key string
	want         bool
}{
	{"lock:*", "lock:", true},
	{"lock:*", "Lock:a", false},
	{"*:lock", "orders:{1}:lock", true},
	{"*a*b*c", "xaxbxbc", true},
	{"*a*b*c", "xaxbxb", false},
	{"a?c", "ac", false},
	{`a\*c`, "a*c", true},
	{`a\*c`, "abc", false},
	{`\`, `\`, true},
	{"[abc", "b", true},
	{"[", "[", false},
	{"[^", "x", true},
	{"[]a]", "]a]", false},
	{"[^]a]", "xa]", true},
	{"[z-a]", "m", true},
	{"[a-]", "-", false}, // the range from a to ], and no end
	{"[a-]", "_", true},
	{`[\]]`, "]", true},
	{`[\`, `\`, true},
	{"*", "", true},
	{"**", "", false},
	{"", "", true},
	{"", "a", false},
	{"a", "", false},
	{"a**", "a", true},
	{strings.Repeat("*a", 40) + "b", strings.Repeat("a", 200), false},
}

func TestMatch(t *testing.T) {
	for _, c := range matches {
		if got := keyspace.Match(c.pattern, c.key); got != c.want {
			t.Errorf("Match(%q, %q) = %v", c.pattern, c.key, got)
		}
	}
}

// alphabet is small so that patterns and keys meet, and holds every byte that
// means something in a glob, and bytes on both sides of the sign.
var alphabet = []string{"a", "b", "c", "-", "^", "]", "[", "*", "?", `\`, ":", "\x00", "\x7f", "\x80", "\xff"}

func drawText(t *rapid.T, name string, longest int) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(alphabet), 0, longest).Draw(t, name), "")
}

// drawPattern mixes free text with well-formed pieces: free text alone hardly
// ever makes a class that closes.
func drawPattern(t *rapid.T) string {
	piece := rapid.OneOf(
		rapid.SampledFrom(alphabet),
		rapid.SampledFrom([]string{"*", "?", "[ab]", "[^ab]", "[a-c]", "[c-a]", "[^\x80-\xff]", "[\x7f-\x80]", `[\]a]`, `[a\-c]`, `\a`, `\*`, "[]", "[^]", "[a-", "[^a"}),
	)
	return strings.Join(rapid.SliceOfN(piece, 0, 7).Draw(t, "pattern"), "")
}

// TestMatchAgainstServer asks a real server which of many keys each generated
// pattern selects, by KEYS and by SCAN.
func TestMatchAgainstServer(t *testing.T) {
	ctx := context.Background()
	c := startServer(t)
	for _, m := range matches {
		checkAgainstServer(ctx, t, c, []string{m.key}, []string{m.pattern})
	}
	rapid.Check(t, func(t *rapid.T) {
		keys := rapid.SliceOfNDistinct(rapid.Custom(func(t *rapid.T) string { return drawText(t, "key", 6) }), 1, 60, rapid.ID).Draw(t, "keys")
		patterns := make([]string, 40)
		for i := range patterns {
			patterns[i] = drawPattern(t)
		}
		checkAgainstServer(ctx, t, c, keys, patterns)
	})
}

type fataler interface {
	Fatal(...any)
	Fatalf(string, ...any)
}

func checkAgainstServer(ctx context.Context, t fataler, c *redis.Client, keys, patterns []string) {
	pairs := make([]any, 0, 2*len(keys))
	for _, k := range keys {
		pairs = append(pairs, k, "")
	}
	pipe := c.Pipeline()
	pipe.FlushDB(ctx)
	pipe.MSet(ctx, pairs...)
	byKeys := make([]*redis.StringSliceCmd, len(patterns))
	byScan := make([]*redis.ScanCmd, len(patterns))
	for i, p := range patterns {
		byKeys[i] = pipe.Keys(ctx, p)
		// An empty MATCH is left out by the client, so it is spelled here.
		byScan[i] = redis.NewScanCmd(ctx, nil, "scan", "0", "match", p, "count", 10*len(keys))
		_ = pipe.Process(ctx, byScan[i])
	}
	if _, err := pipe.Exec(ctx); err != nil {
		t.Fatal(err)
	}
	slices.Sort(keys)
	for i, p := range patterns {
		var want []string
		for _, k := range keys {
			if keyspace.Match(p, k) {
				want = append(want, k)
			}
		}
		got := byKeys[i].Val()
		scanned, _ := byScan[i].Val()
		slices.Sort(got)
		slices.Sort(scanned)
		if !slices.Equal(got, want) || !slices.Equal(scanned, want) {
			t.Fatalf("pattern %q: KEYS %q, SCAN %q, Match %q", p, got, scanned, want)
		}
	}
}

// FuzzMatch: an escaped key matches itself alone, and nothing panics.
func FuzzMatch(f *testing.F) {
	for _, s := range []string{"lock:*", "[a-", "[^", `\`, "a[]b", "*[*", "**", "[\xff-a]"} {
		f.Add(s, "lock:a")
	}
	f.Fuzz(func(t *testing.T, pattern, key string) {
		got := keyspace.Match(pattern, key)
		if !keyspace.Match(keyspace.EscapeGlob(key), key) {
			t.Fatalf("escaped %q does not match itself", key)
		}
		if keyspace.Match(keyspace.EscapeGlob(pattern), key) != (pattern == key) {
			t.Fatalf("escaped %q against %q", pattern, key)
		}
		prefix := keyspace.LiteralPrefix(pattern)
		if got && !strings.HasPrefix(key, prefix) {
			t.Fatalf("%q matches %q without its prefix %q", pattern, key, prefix)
		}
	})
}

func BenchmarkMatch(b *testing.B) {
	for _, p := range []string{"lock:*", "*:lock", "lock:[a-z]*:?*", "*a*b*c*"} {
		b.Run(fmt.Sprintf("%q", p), func(b *testing.B) {
			for b.Loop() {
				keyspace.Match(p, "lock:invoice:0123456789")
			}
		})
	}
}
