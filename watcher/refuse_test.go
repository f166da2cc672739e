package watcher

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	minisrv "github.com/alicebob/miniredis/v2/server"

	"leasetop/keyspace"
	"leasetop/model"
)

// fails runs a watcher that must end with an error of a kind.
func fails(t *testing.T, cfg Config, kind error) *Error {
	t.Helper()
	if cfg.Patterns.Globs() == nil {
		cfg.Patterns = patterns(t, "lock:*")
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	err := New(cfg).Run(ctx, func([]model.Input) {})
	var e *Error
	if !errors.As(err, &e) || !errors.Is(err, kind) {
		t.Fatalf("ended with %v, want %v", err, kind)
	}
	if e.Hint == "" || e.Doing == "" {
		t.Errorf("no hint: %#v", e)
	}
	if cfg.Password != "" && strings.Contains(err.Error()+e.Hint, cfg.Password) {
		t.Errorf("the password is in %v", err)
	}
	if _, _, err2 := New(cfg).Snapshot(ctx); !errors.Is(err2, kind) {
		t.Errorf("a snapshot ended with %v, want %v", err2, kind)
	}
	return e
}

func TestNoServer(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	addr := s.Addr()
	s.Kill()
	fails(t, Config{Addr: addr}, ErrUnreachable)
	fails(t, Config{Network: "unix", Addr: s.Socket()}, ErrUnreachable)
	fails(t, Config{Addr: "no-such-host.invalid:6379"}, ErrUnreachable)
}

func TestWrongPassword(t *testing.T) {
	t.Parallel()
	s := startServer(t, "--requirepass", "rightsecret")
	fails(t, Config{Addr: s.Addr(), Password: "wrongsecret"}, ErrAuth)
	fails(t, Config{Addr: s.Addr()}, ErrAuth)
	fails(t, Config{Addr: s.Addr(), User: "nobody", Password: "wrongsecret"}, ErrAuth)
	w := watch(t, Config{Addr: s.Addr(), Password: "rightsecret", Patterns: patterns(t, "lock:*")})
	w.state(model.StateSynced)
}

func TestWrongDatabase(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	fails(t, Config{Addr: s.Addr(), DB: 99}, ErrDB)
}

func TestCluster(t *testing.T) {
	t.Parallel()
	s := startServer(t, "--cluster-enabled", "yes")
	fails(t, Config{Addr: s.Addr()}, ErrCluster)
}

func TestSentinel(t *testing.T) {
	t.Parallel()
	m := miniredis.RunT(t)
	m.Server().SetPreHook(func(c *minisrv.Peer, cmd string, _ ...string) bool {
		if cmd != "INFO" {
			return false
		}
		c.WriteBulk("# Server\r\nredis_version:7.0.15\r\nredis_mode:sentinel\r\n")
		return true
	})
	fails(t, Config{Addr: m.Addr()}, ErrSentinel)
}

// A command that the server does not have, by its age or because it was renamed,
// is done without.
func TestRenamedCommands(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"PEXPIRETIME", "CONFIG", "INFO", "SCAN", "PSUBSCRIBE", "CLIENT", "HSCAN", "GETRANGE"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startServer(t, "--notify-keyspace-events", allEvents, "--rename-command", name, "hidden")
			c := client(t, s)
			do(t, c, "set lock:a one px 60000", "hset lock:h f v")
			w := watchLocks(t, s, func(c *Config) { c.Interval = 50 * time.Millisecond })
			m := w.mark()
			do(t, c, "set lock:b two px 60000")
			o := w.reading(m, "lock:b", "read", func(o *model.Observation) bool { return o.Reading.Present() })
			if o.Reading.Deadline == 0 {
				t.Error("no deadline")
			}
			if polled := name == "PSUBSCRIBE"; polled == (o.Source == model.SourceEvent) {
				t.Errorf("source %v", o.Source)
			}
			if name != "SCAN" {
				w.reading(0, "lock:h", "read", func(o *model.Observation) bool { return o.Reading.Type == "hash" })
			}
		})
	}
}

func TestTLSToAPlainPort(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	cfg, err := ConnOptions{Port: s.Port(), TLS: true}.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	fails(t, cfg, ErrUnreachable)
}

// readOnly is the rule that lets a user watch and do nothing else.
const readOnly = "acl setuser leasemon on >pw resetkeys %R~lock:* resetchannels &__keyspace@*__:lock:* -@all" +
	" +hello +auth +ping +select +scan +type +get +getrange +strlen +hlen +hscan +hgetall" +
	" +zcard +zrange +scard +sscan +llen +lrange +pttl +pexpiretime +time +info +multi +exec +discard" +
	" +psubscribe +punsubscribe +client|tracking +client|setname +client|id +cluster|shards +cluster|slots"

func asUser(c *Config) { c.User, c.Password = "leasemon", "pw" }

func TestReadOnlyUser(t *testing.T) {
	t.Parallel()
	s := startServer(t, "--notify-keyspace-events", allEvents)
	c := client(t, s)
	do(t, c, readOnly, "set lock:a one px 60000", "hset lock:h f v", "zadd lock:z 1 m", "sadd lock:s m", "rpush lock:l m", "xadd lock:x * f v")
	w := watchLocks(t, s, asUser)
	for _, k := range []string{"lock:a", "lock:h", "lock:z", "lock:s", "lock:l", "lock:x"} {
		w.reading(0, k, "read", func(o *model.Observation) bool { return o.Reading.Present() })
	}
	if h := w.state(model.StateNotifications); h.Notify != model.NotifyUnknown {
		t.Errorf("the setting may not be read, yet it is %q", h.Notify)
	}
	m := w.mark()
	do(t, c, "set lock:b two px 60000")
	if o := w.held(m, "lock:b", "two"); o.Source != model.SourceEvent {
		t.Errorf("source %v", o.Source)
	}
	w.until(m, "notifications on", func(in model.Input) bool {
		return in.Health != nil && in.Health.State == model.StateNotifications && in.Health.Notify == model.NotifyOn
	})
	m = w.mark()
	do(t, c, "del lock:b")
	w.gone(m, "lock:b")
	for _, in := range w.inputs() {
		if in.Health != nil && in.Health.State == model.StateDegraded {
			t.Errorf("degraded: %s", in.Health.Detail)
		}
	}
}

func TestDeniedKeys(t *testing.T) {
	t.Parallel()
	s := startServer(t, "--notify-keyspace-events", allEvents)
	c := client(t, s)
	do(t, c, strings.Replace(readOnly, "%R~lock:*", "%R~lock:mine:*", 1), "set lock:mine:a one", "set lock:theirs secret")
	w := watchLocks(t, s, asUser)
	w.held(0, "lock:mine:a", "one")
	for _, in := range w.inputs() {
		if o := in.Observation; o != nil && o.Key.Name == "lock:theirs" && o.Reading != nil {
			t.Errorf("a key was read that may not be: %+v", o)
		}
	}
	if n := w.live.Counters().Denied; n != 1 {
		t.Errorf("%d keys denied", n)
	}
	w.state(model.StateDegraded)
	m := w.mark()
	do(t, c, "set lock:theirs other", "set lock:mine:b two")
	w.held(m, "lock:mine:b", "two")
	for _, in := range w.inputs()[m:] {
		if in.Health != nil && in.Health.State == model.StateDegraded {
			t.Errorf("told again: %s", in.Health.Detail)
		}
	}
}

// What may not be sent is left out, one by one.
func TestDeniedCommands(t *testing.T) {
	t.Parallel()
	s := startServer(t, "--notify-keyspace-events", allEvents)
	c := client(t, s)
	for _, without := range []string{"+pexpiretime", "+getrange", "+hscan", "+info", "+zrange", "+psubscribe"} {
		t.Run(without[1:], func(t *testing.T) {
			do(t, c, "flushall", "acl deluser leasemon", strings.Replace(readOnly, " "+without+" ", " ", 1),
				"set lock:a one px 60000", "hset lock:h f v", "zadd lock:z 1 m")
			w := watchLocks(t, s, asUser)
			o := w.reading(0, "lock:a", "read", func(o *model.Observation) bool { return true })
			if o.Reading.Deadline == 0 {
				t.Error("no deadline")
			}
			if without == "+getrange" && (len(o.Reading.Holders) != 0 || o.Reading.Format != keyspace.Unknown) {
				t.Errorf("a value that was not read has holders: %+v", o.Reading)
			}
			w.reading(0, "lock:h", "read", func(o *model.Observation) bool { return o.Reading.Type == "hash" })
			w.reading(0, "lock:z", "read", func(o *model.Observation) bool { return o.Reading.Type == "zset" })
			m := w.mark()
			do(t, c, "set lock:a two px 60000")
			w.reading(m, "lock:a", "read again", func(o *model.Observation) bool { return len(o.Hints) > 0 || without == "+psubscribe" })
		})
	}
	do(t, c, "acl deluser leasemon", strings.Replace(readOnly, " +type ", " ", 1), "set lock:a one")
	fails(t, Config{Addr: s.Addr(), User: "leasemon", Password: "pw"}, ErrDenied)
	do(t, c, "acl deluser leasemon", strings.Replace(readOnly, " +multi ", " ", 1))
	fails(t, Config{Addr: s.Addr(), User: "leasemon", Password: "pw"}, ErrDenied)
}

// A PTTL wobbles where PEXPIRETIME does not: a lease that nobody touches keeps
// its deadline.
func TestDeadlineFromPTTLIsSteady(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	c := client(t, s)
	do(t, c, strings.Replace(readOnly, " +pexpiretime ", " ", 1), "set lock:a one px 60000")
	w := watchLocks(t, s, asUser, func(c *Config) { c.Interval = 5 * time.Millisecond })
	first := w.held(0, "lock:a", "one").Reading.Deadline
	for n := 0; n < 50; n++ {
		m := w.mark()
		if d := w.held(m, "lock:a", "one").Reading.Deadline; d != first {
			t.Fatalf("the deadline moved by %v", d.Sub(first))
		}
	}
}

func TestLoadingServer(t *testing.T) {
	t.Parallel()
	s := startServer(t, "--notify-keyspace-events", allEvents, "--enable-debug-command", "yes", "--loading-process-events-interval-bytes", "4096")
	c := client(t, s)
	do(t, c, "debug populate 300000 other 100", "set lock:a one", "save", "config set key-load-delay 20")
	w := watchLocks(t, s)
	go func() { _ = c.Do(context.Background(), "debug", "reload", "nosave").Err() }()
	eventually(t, "told that it is loading", func() bool { return w.live.Counters().Err != "" })
	do(t, c, "config set key-load-delay 0")
	eventually(t, "told that it answers", func() bool { return w.live.Counters().Err == "" })
}
