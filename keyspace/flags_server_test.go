package keyspace_test

import (
	"context"
	"testing"

	"leasetop/keyspace"
)

// TestNotifyFlagsOnAServer: what we ask for is accepted, leaves nothing missing,
// is known again in the server's spelling, and the old value can be put back.
func TestNotifyFlagsOnAServer(t *testing.T) {
	ctx := context.Background()
	c := startServer(t)
	const name = "notify-keyspace-events"
	set := func(value string) keyspace.NotifyFlags {
		t.Helper()
		if err := c.ConfigSet(ctx, name, value).Err(); err != nil {
			t.Fatalf("%q: %v", value, err)
		}
		return keyspace.ParseNotifyFlags(c.ConfigGet(ctx, name).Val()[name])
	}
	for _, old := range []string{"", "KEA", "KEAn", "Ex", "K$gxn", "Kg$lshzxetd", "Em", "AKm"} {
		before := set(old)
		for _, channels := range []string{"K", "E", "KE"} {
			asked := before.Union(channels)
			now := set(asked.String())
			if m := now.Missing(channels); m != "" || now.Off() {
				t.Errorf("%q for %s: asked %q, got %q, misses %q", old, channels, asked, now, m)
			}
			if !asked.Stands(now) {
				t.Errorf("%q: asked %q, got %q: not known again", old, asked, now)
			}
			if !before.Stands(asked) && before.Stands(now) {
				t.Errorf("%q: ours is taken for the old one", old)
			}
			if back := set(before.Restore().String()); !before.Stands(back) {
				t.Errorf("%q: put back %q, got %q", old, before.Restore(), back)
			}
		}
	}
}
