package watcher

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestResolve(t *testing.T) {
	two := 2
	for _, c := range []struct {
		name string
		in   ConnOptions
		want Config
		tls  string // expected server name; "" for plain
	}{
		{"defaults", ConnOptions{}, Config{Network: "tcp", Addr: "127.0.0.1:6379"}, ""},
		{"words", ConnOptions{Host: "db.example", Port: 7000, User: "u", Password: "p", DB: &two},
			Config{Network: "tcp", Addr: "db.example:7000", User: "u", Password: "p", DB: 2}, ""},
		{"IPv6", ConnOptions{Host: "::1"}, Config{Network: "tcp", Addr: "[::1]:6379"}, ""},
		{"socket", ConnOptions{Socket: "/run/redis.sock"}, Config{Network: "unix", Addr: "/run/redis.sock"}, ""},
		{"URL", ConnOptions{URL: "redis://u:p%40ss@h:7001/5"}, Config{Network: "tcp", Addr: "h:7001", User: "u", Password: "p@ss", DB: 5}, ""},
		{"URL without user", ConnOptions{URL: "redis://:pass@h"}, Config{Network: "tcp", Addr: "h:6379", Password: "pass"}, ""},
		{"URL with IPv6", ConnOptions{URL: "redis://[::1]:7000"}, Config{Network: "tcp", Addr: "[::1]:7000"}, ""},
		{"valkey", ConnOptions{URL: "valkey://h?db=3"}, Config{Network: "tcp", Addr: "h:6379", DB: 3}, ""},
		{"rediss", ConnOptions{URL: "rediss://h"}, Config{Network: "tcp", Addr: "h:6379"}, "h"},
		{"valkeys", ConnOptions{URL: "valkeys://h:7002", SNI: "name"}, Config{Network: "tcp", Addr: "h:7002"}, "name"},
		{"unix URL", ConnOptions{URL: "unix://u:p@/run/r.sock?db=1"}, Config{Network: "unix", Addr: "/run/r.sock", User: "u", Password: "p", DB: 1}, ""},
		{"flags beat the URL", ConnOptions{URL: "redis://a:b@h:1/1", Host: "i", Port: 2, User: "c", Password: "d", DB: &two},
			Config{Network: "tcp", Addr: "i:2", User: "c", Password: "d", DB: 2}, ""},
		{"a host beats a socket URL", ConnOptions{URL: "unix:///s", Host: "h"}, Config{Network: "tcp", Addr: "h:6379"}, ""},
		{"TLS", ConnOptions{Host: "h", TLS: true}, Config{Network: "tcp", Addr: "h:6379"}, "h"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := c.in.Resolve()
			if err != nil {
				t.Fatal(err)
			}
			if got.Network != c.want.Network || got.Addr != c.want.Addr || got.User != c.want.User || got.Password != c.want.Password || got.DB != c.want.DB {
				t.Errorf("got %s %s %s %s %d", got.Network, got.Addr, got.User, got.Password, got.DB)
			}
			if (got.TLS != nil) != (c.tls != "") || got.TLS != nil && got.TLS.ServerName != c.tls {
				t.Errorf("TLS %+v, want %q", got.TLS, c.tls)
			}
		})
	}
}

func TestResolveRefuses(t *testing.T) {
	minus := -1
	file := filepath.Join(t.TempDir(), "empty.pem")
	if err := os.WriteFile(file, []byte("nothing"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, o := range []ConnOptions{
		{URL: "http://h"},
		{URL: "h:6379"},
		{URL: "redis://u:hunter2%zz@h"},
		{URL: "redis://u:hunter2@h:port"},
		{URL: "redis://u:hunter2@h:99999"},
		{URL: "redis://u:hunter2@h/db"},
		{URL: "redis://u:hunter2@h/-1"},
		{URL: "redis://u:hunter2@h?foo=hunter2"},
		{URL: "rediss://u:hunter2@h?skip_verify=perhaps"},
		{URL: "unix://"},
		{Port: 70000},
		{Port: -1},
		{DB: &minus},
		{CACert: "/nonexistent/ca.pem"},
		{CACert: file},
		{Cert: "only-half.pem"},
		{Cert: file, Key: file},
	} {
		_, err := o.Resolve()
		var e *Error
		if !errors.As(err, &e) || !errors.Is(err, ErrOptions) {
			t.Errorf("%+v: %v", o, err)
			continue
		}
		if strings.Contains(err.Error()+e.Hint, "hunter2") {
			t.Errorf("the password is in %q", err)
		}
	}
}

func FuzzURL(f *testing.F) {
	for _, s := range []string{"redis://u:secret@h:1/2", "rediss://:secret@[::1]/", "unix://u:secret@/s?db=1", "redis://%:secret@", "valkeys://secret@h"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		_, err := ConnOptions{URL: s}.Resolve()
		if err == nil {
			return
		}
		// Nothing of the text may be in the error: it may be the password.
		if len(s) > 12 && strings.Contains(err.Error(), s) {
			t.Errorf("%q is in %q", s, err)
		}
	})
}
