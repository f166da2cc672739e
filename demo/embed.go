package demo

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/alicebob/miniredis/v2"

	"leasetop/demo/dial"
	"leasetop/demo/server"
)

// Embedded is a private server on 127.0.0.1 for the demo to play on.
type Embedded struct {
	addr  string
	about string
	real  *server.Server
	stop  func()
	once  sync.Once
}

// notifyFlags switch on all that a monitor of leases wants. Spelled without t
// and d, because a server that has every class of A answers CONFIG GET with an A
// and then hides that n is on.
const notifyFlags = "KEg$lshzxen"

// Embed starts a redis-server or valkey-server child when one is on the PATH,
// and otherwise a miniredis in this process, which has no notifications. The
// caller must Close it. The child dies with this process where the system can
// arrange that (Linux).
func Embed(ctx context.Context) (*Embedded, error) {
	s, err := server.Start(ctx, server.Options{Args: []string{"--notify-keyspace-events", notifyFlags}})
	if errors.Is(err, server.ErrNone) {
		return inProcess()
	}
	if err != nil {
		return nil, fmt.Errorf("start a private server for the demo: %w", err)
	}
	e := &Embedded{addr: s.Addr(), real: s, stop: s.Stop}
	name, err := serverName(ctx, s.Addr())
	if err != nil {
		e.Close()
		return nil, fmt.Errorf("ask the private server for its version: %w", err)
	}
	e.about = fmt.Sprintf("%s (private, pid %d)", name, s.Pid())
	return e, nil
}

// inProcess is the server of a machine that has none.
func inProcess() (*Embedded, error) {
	m := miniredis.NewMiniRedis()
	// Without a running clock no lease would ever expire.
	m.ClockTTL(true)
	if err := m.StartAddr("127.0.0.1:0"); err != nil {
		return nil, fmt.Errorf("start a server in this process for the demo: %w", err)
	}
	return &Embedded{addr: m.Addr(), about: "miniredis (in process: no notifications, polling)", stop: m.Close}, nil
}

// Addr is host:port.
func (e *Embedded) Addr() string { return e.addr }

// Describe says what runs, for the header: "redis 7.0.15 (private, pid 4119)".
func (e *Embedded) Describe() string { return e.about }

// Real reports whether it is a redis-server or valkey-server, and not miniredis.
func (e *Embedded) Real() bool { return e.real != nil }

// Dir is the folder of a real server, which Close removes; "" for miniredis.
func (e *Embedded) Dir() string {
	if e.real == nil {
		return ""
	}
	return e.real.Dir()
}

// Close takes the server down and removes its folder. It may be called more
// than once, also at the same time.
func (e *Embedded) Close() { e.once.Do(e.stop) }

// serverName is the name and version of a server, as INFO has them.
func serverName(ctx context.Context, addr string) (string, error) {
	c, err := dial.Target{Addr: addr}.Client(time.Second)
	if err != nil {
		return "", err
	}
	defer c.Close()
	info, err := c.Info(ctx, "server").Result()
	if err != nil {
		return "", err
	}
	facts := map[string]string{}
	for line := range strings.Lines(info) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), ":"); ok {
			facts[name] = value
		}
	}
	if v := facts["valkey_version"]; v != "" {
		return "valkey " + v, nil
	}
	return "redis " + facts["redis_version"], nil
}
