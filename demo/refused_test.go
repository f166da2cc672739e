package demo_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"leasetop/demo"
	"leasetop/demo/server"
)

func realServer(t *testing.T, args ...string) *server.Server {
	t.Helper()
	s, err := server.Start(t.Context(), server.Options{Args: args})
	if errors.Is(err, server.ErrNone) {
		t.Skip("no redis-server on the PATH")
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	return s
}

func TestAServerThatRefuses(t *testing.T) {
	for _, c := range []struct {
		name   string
		args   []string
		target func(*demo.Target)
		is     error
		hint   string
	}{
		{"a user who may only read", strings.Fields("--user reader on >pw ~* &* -@all +@read +@connection +info +time"),
			func(to *demo.Target) { to.User, to.Password = "reader", "pw" }, demo.ErrRefused, "write under lease-demo:"},
		{"a user without scripts", strings.Fields("--user writer on >pw ~* &* +@all -@scripting"),
			func(to *demo.Target) { to.User, to.Password = "writer", "pw" }, demo.ErrRefused, "run scripts"},
		{"a replica", []string{"--replicaof", "127.0.0.1 1"}, func(*demo.Target) {}, demo.ErrRefused, "replica"},
		{"no password", []string{"--requirepass", "pw"}, func(*demo.Target) {}, demo.ErrRefused, "-a"},
		{"a wrong password", []string{"--requirepass", "pw"}, func(to *demo.Target) { to.Password = "wrong-one" }, demo.ErrRefused, "-a"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			to := demo.Target{Addr: realServer(t, c.args...).Addr()}
			c.target(&to)
			_, err := demo.Play(t.Context(), demo.Options{Scenario: "token", Target: to}, nil)
			var told *demo.Error
			if !errors.Is(err, c.is) || !errors.As(err, &told) || !strings.Contains(told.Hint, c.hint) {
				t.Fatalf("it said: %v", err)
			}
			if to.Password != "" && strings.Contains(err.Error(), to.Password+" ") || strings.Contains(err.Error(), "wrong-one") {
				t.Errorf("it told the password: %v", err)
			}
		})
	}
}

// Whatever is noticed first when the server dies, the demo says that it died.
func TestAServerThatDiesInMidDemo(t *testing.T) {
	for _, scenario := range []string{"naive", "renewal", "report"} {
		for steps := range 4 {
			t.Run(scenario, func(t *testing.T) {
				t.Parallel()
				s := realServer(t)
				r := begin(t, demo.Options{Scenario: scenario, Target: demo.Target{Addr: s.Addr()}}, nil)
				for range steps {
					step(t, r)
				}
				s.Kill()
				var err error
				for done := false; !done && err == nil; {
					done, err = r.Step(t.Context())
				}
				var told *demo.Error
				if !errors.Is(err, demo.ErrGone) || !errors.As(err, &told) || !strings.Contains(told.Doing, scenario) {
					t.Errorf("after step %d it said: %v", steps, err)
				}
				if err := r.Close(); err == nil || !strings.Contains(err.Error(), "delete the keys") {
					t.Errorf("it did not say that keys may be left: %v", err)
				}
			})
		}
	}
}

func TestTargetsOnThisMachine(t *testing.T) {
	for addr, here := range map[string]bool{
		"127.0.0.1:6379": true, "127.8.9.10:1": true, "[::1]:6379": true, "localhost:6379": true, "LOCALHOST:6379": true,
		"10.0.0.1:6379": false, "redis.example:6379": false, "[::]:6379": false, "0.0.0.0:6379": false, "localhost.example:1": false, "": false,
	} {
		if (demo.Target{Addr: addr}).Loopback() != here {
			t.Errorf("%q is taken to be on this machine: %v", addr, !here)
		}
	}
	if !(demo.Target{Network: "unix", Addr: "/tmp/redis.sock"}).Loopback() {
		t.Error("a unix socket is taken to be elsewhere")
	}
}

func TestPlayOnAUnixSocketAndAnotherDatabase(t *testing.T) {
	s, err := server.Start(t.Context(), server.Options{Socket: true})
	if errors.Is(err, server.ErrNone) {
		t.Skip("no redis-server on the PATH")
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	for _, scenario := range []string{"token", "ambiguous"} {
		v, _ := play(t, demo.Options{Scenario: scenario, Target: demo.Target{Network: "unix", Addr: s.Socket(), DB: 3}})
		if wrong := lessons[scenario].differs(v); wrong != "" {
			t.Errorf("%s: %s", scenario, wrong)
		}
	}
}

// A guard that somebody ended does not keep the demo from cleaning up.
func TestWithoutItsGuardTheDemoCleansUpItself(t *testing.T) {
	server := embed(t)
	r := begin(t, demo.Options{Scenario: "orphan", Embedded: server, TTL: 300 * time.Millisecond}, nil)
	for !step(t, r) {
	}
	c := plainClient(t, server.Addr())
	if keys := c.Keys(t.Context(), "*:lock").Val(); len(keys) != 1 {
		t.Fatalf("the orphan is %v", keys)
	}
	demo.EndGuard(r)
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	if keys := c.Keys(t.Context(), "*").Val(); len(keys) > 0 {
		t.Errorf("keys are left: %v", keys)
	}
}
