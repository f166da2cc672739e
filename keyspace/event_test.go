package keyspace

import (
	"errors"
	"strings"
	"testing"
)

func TestParseEvent(t *testing.T) {
	for _, c := range []struct {
		channel, payload string
		want             Event
		bad              bool
	}{
		{"__keyevent@0__:set", "lock:a", Event{0, "set", "lock:a"}, false},
		{"__keyspace@0__:lock:a", "set", Event{0, "set", "lock:a"}, false},
		{"__keyspace@15__:", "del", Event{15, "del", ""}, false},
		{"__keyevent@15__:del", "", Event{15, "del", ""}, false},
		{"__keyspace@3__:a__:b__:", "expired", Event{3, "expired", "a__:b__:"}, false},
		{"__keyspace@3____keyspace@4__:b", "set", Event{}, true},
		{"__keyspace@0__:__keyspace@1__:x", "set", Event{0, "set", "__keyspace@1__:x"}, false},
		{"__keyspace@0__:\x00\xff\n", "hset", Event{0, "hset", "\x00\xff\n"}, false},
		{"__keyevent@2147483647__:set", "k", Event{2147483647, "set", "k"}, false},
		{"__keyevent@2147483648__:set", "k", Event{}, true},
		{"__keyevent@99999999999999999999__:set", "k", Event{}, true},
		{"__keyevent@__:set", "k", Event{}, true},
		{"__keyevent@-1__:set", "k", Event{}, true},
		{"__keyevent@0__:", "k", Event{}, true},
		{"__keyspace@0__:k", "", Event{}, true},
		{"__keyspace@0_:k", "set", Event{}, true},
		{"__keyspace@0", "set", Event{}, true},
		{"__keyspace@", "set", Event{}, true},
		{"__subkeyspace@0__:k", "set", Event{}, true},
		{"redisson_lock__channel:{x}", "0", Event{}, true},
		{"", "", Event{}, true},
	} {
		got, err := ParseEvent(c.channel, c.payload)
		if errors.Is(err, ErrEvent) != c.bad || got != c.want {
			t.Errorf("ParseEvent(%q, %q) = %+v, %v; want %+v, bad %v", c.channel, c.payload, got, err, c.want, c.bad)
		}
	}
}

func TestChannels(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{KeyspaceChannel(0, "lock:*"), "__keyspace@0__:lock:*"},
		{KeyspaceChannel(AnyDB, "lock:*"), "__keyspace@*__:lock:*"},
		{KeyeventChannel(12), "__keyevent@12__:*"},
		{KeyeventChannel(AnyDB), "__keyevent@*__:*"},
		{EscapeGlob("plain:{a}-^]"), "plain:{a}-^]"},
		{EscapeGlob(`a*b?c[d]\`), `a\*b\?c\[d]\\`},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

func TestParseEventAllocatesNothing(t *testing.T) {
	n := testing.AllocsPerRun(100, func() {
		if _, err := ParseEvent("__keyspace@0__:lock:invoice:42", "expire"); err != nil {
			t.Fatal(err)
		}
	})
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// FuzzParseEvent: what is accepted gives back the message that it came from.
func FuzzParseEvent(f *testing.F) {
	f.Add("__keyevent@0__:set", "lock:a")
	f.Add("__keyspace@0__:lock:a", "set")
	f.Add("__keyspace@9__:a__:b", "del")
	f.Add("__keyspace@99999999999__:a", "del")
	f.Fuzz(func(t *testing.T, channel, payload string) {
		e, err := ParseEvent(channel, payload)
		if err != nil {
			if !errors.Is(err, ErrEvent) || e != (Event{}) {
				t.Fatalf("%+v, %v", e, err)
			}
			return
		}
		name, carried := e.Key, e.Op
		if strings.HasPrefix(channel, keyeventHead) {
			name, carried = e.Op, e.Key
		}
		if carried != payload || !strings.HasSuffix(channel, channelMark+name) {
			t.Fatalf("%q, %q became %+v", channel, payload, e)
		}
	})
}
