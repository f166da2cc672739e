package watcher

import (
	"slices"
	"testing"

	"leasetop/keyspace"
)

func TestCover(t *testing.T) {
	for _, c := range []struct {
		globs []string
		want  string
	}{
		{[]string{"lock:*"}, "lock:*"},
		{[]string{"lock:*", "lease:*"}, `[\l]*`},
		{[]string{"lock:*", "redlock:*", `\*x`}, `[\l\r\*]*`},
		{[]string{"lock:*", "*:lock"}, "*"},
		{[]string{"lock:*", "[a-c]x"}, "*"},
		{[]string{"]a", "-b", "^c", `\\d`}, `[\]\-\^\\]*`},
	} {
		got := cover(c.globs)
		if got != c.want {
			t.Errorf("cover(%q) = %q, want %q", c.globs, got, c.want)
		}
		for _, key := range []string{"lock:1", "redlock:1", "*x", "a:lock", "bx", "]a", "-b", "^c", `\d`, "q"} {
			selected := slices.ContainsFunc(c.globs, func(g string) bool { return keyspace.Match(g, key) })
			if selected && !keyspace.Match(got, key) {
				t.Errorf("%q leaves %q out", got, key)
			}
		}
	}
}

// The server reads the cover as we do.
func TestCoverOnAServer(t *testing.T) {
	s := startServer(t)
	c := client(t, s)
	do(t, c, "set ]a v", "set -b v", "set ^c v", "set lock:x v", "set q v")
	w := watch(t, Config{Addr: s.Addr(), Patterns: patterns(t, "]a", "-b", "^*", "lock:*")})
	for _, k := range []string{"]a", "-b", "^c", "lock:x"} {
		w.held(0, k, "v")
	}
}
