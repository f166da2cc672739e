package keyspace_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"leasetop/keyspace"
)

func parse(t testing.TB, words ...string) keyspace.Patterns {
	t.Helper()
	p, err := keyspace.ParsePatterns(words)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestPatterns(t *testing.T) {
	p := parse(t, "lock:*", "*:lock", "!lock:tmp:*", "lock:*", `\!odd`)
	for _, c := range []struct {
		key, owner string
		ok         bool
	}{
		{"lock:a", "lock:*", true},
		{"lock:a:lock", "lock:*", true}, // both select it, the first owns it
		{"a:lock", "*:lock", true},
		{"lock:tmp:a", "", false},
		{"lock:tmp:lock", "", false},
		{"!odd", `\!odd`, true},
		{"lock", "", false},
		{"", "", false},
	} {
		if owner, ok := p.Match(c.key); owner != c.owner || ok != c.ok {
			t.Errorf("Match(%q) = %q, %v", c.key, owner, ok)
		}
	}
	if got := p.Globs(); !slices.Equal(got, []string{"lock:*", "*:lock", `\!odd`}) {
		t.Errorf("globs %q", got)
	}
	if got := p.Excluded(); !slices.Equal(got, []string{"lock:tmp:*"}) || p.Defaults() {
		t.Errorf("excluded %q, defaults %v", got, p.Defaults())
	}
}

func TestPatternsWithoutAGlobAreTheDefaults(t *testing.T) {
	for _, words := range [][]string{nil, {"!bull:*"}} {
		p := parse(t, words...)
		if !p.Defaults() || !slices.Equal(p.Globs(), keyspace.DefaultPatterns()) {
			t.Errorf("%q: %q", words, p.Globs())
		}
	}
}

func TestParsePatternsRefuses(t *testing.T) {
	for _, w := range []string{"", "!"} {
		if _, err := keyspace.ParsePatterns([]string{"a", w}); !errors.Is(err, keyspace.ErrPattern) {
			t.Errorf("%q: %v", w, err)
		}
	}
}

func TestPrefixes(t *testing.T) {
	for _, c := range []struct {
		globs, want []string
	}{
		{[]string{"lock:*", "lock:a:*", "job?", "lock:"}, []string{"job", "lock:"}},
		{[]string{"lock:*", "*:lock"}, []string{""}},
		{[]string{"a*", "ab*", "b[cd]", "abc", `c\*d*`}, []string{"a", "b", "c*d"}},
		{[]string{`x\`}, []string{`x\`}},
		{[]string{"b*", "a*", "a-*", "a:b*"}, []string{"a", "b"}},
	} {
		p := parse(t, c.globs...)
		if got := p.Prefixes(); !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.globs, got, c.want)
		}
	}
}

// TestPatternsAgreeWithMatch: the index and the shortcuts change no answer, and
// prefixes cover every watched key without overlap.
func TestPatternsAgreeWithMatch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var globs []string
		for range rapid.IntRange(1, 6).Draw(t, "globs") {
			if g := drawPattern(t); g != "" && g[0] != '!' {
				globs = append(globs, g)
			}
		}
		if len(globs) == 0 {
			t.Skip("no glob drawn")
		}
		p, err := keyspace.ParsePatterns(globs)
		if err != nil {
			t.Fatal(err)
		}
		prefixes := p.Prefixes()
		for range 30 {
			key := drawText(t, "key", 6)
			want := slices.IndexFunc(globs, func(g string) bool { return keyspace.Match(g, key) })
			owner, ok := p.Match(key)
			if ok != (want >= 0) || ok && owner != globs[want] {
				t.Fatalf("%q in %q: %q, %v", key, globs, owner, ok)
			}
			covered := 0
			for _, f := range prefixes {
				if strings.HasPrefix(key, f) {
					covered++
				}
			}
			if ok && covered != 1 || covered > 1 {
				t.Fatalf("%q is covered %d times by %q", key, covered, prefixes)
			}
		}
	})
}

func BenchmarkPatternsMatch(b *testing.B) {
	p := parse(b)
	for _, key := range []string{"lock:invoice:42", "user:session:0123456789:profile"} {
		b.Run(key, func(b *testing.B) {
			for b.Loop() {
				p.Match(key)
			}
		})
	}
}
