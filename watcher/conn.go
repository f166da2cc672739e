package watcher

import (
	"context"
	"crypto/tls"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
)

// Limits of what the network may take.
const (
	dialLimit  = 2 * time.Second
	replyLimit = 5 * time.Second
)

func init() {
	// The library logs to stderr by default, in the middle of a screen.
	redis.SetLogger(quiet{})
}

type quiet struct{}

func (quiet) Printf(context.Context, string, ...any) {}

// options are what both clients of a feed share. They send nothing that would
// show as an error in the server's statistics: no identity, no maintenance
// handshake. Nothing is retried by the library, so that every error is seen.
func options(cfg *Config) *redis.Options {
	return &redis.Options{
		Network: cfg.Network, Addr: cfg.Addr, Username: cfg.User, Password: cfg.Password, DB: cfg.DB,
		Protocol: 3, DisableIdentity: true,
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
		MaxRetries:               -1, DialerRetries: 1, DialTimeout: dialLimit,
		ReadTimeout: replyLimit, WriteTimeout: replyLimit, ContextTimeoutEnabled: true,
		PipelinePoolSize: -1, PoolTimeout: 2 * replyLimit,
	}
}

// newCommands makes the client that reads: one connection for sweeps and one
// for read-backs, so that neither waits for the other.
func newCommands(cfg *Config, c *counters) *redis.Client {
	o := options(cfg)
	o.PoolSize, o.MaxActiveConns = 2, 2
	// Nothing of RESP3 is needed here, and the library looks for pushes before
	// each of its answers.
	o.Protocol = 2
	o.ReadBufferSize, o.WriteBufferSize = 128<<10, 64<<10
	o.TLSConfig = cfg.TLS
	client := redis.NewClient(o)
	client.AddHook(counting{c})
	return client
}

// counting counts commands as INFO commandstats does: each command of a
// transaction counts, and MULTI and EXEC too. It sees the handshake of a
// connection, and nothing that a subscriber sends.
type counting struct{ c *counters }

func (h counting) DialHook(next redis.DialHook) redis.DialHook { return next }

func (h counting) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		h.c.count(statName(cmd))
		return next(ctx, cmd)
	}
}

func (h counting) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		names := make([]string, len(cmds))
		for i, cmd := range cmds {
			names[i] = statName(cmd)
		}
		h.c.count(names...)
		return next(ctx, cmds)
	}
}

// statName names a command as commandstats does: subcommands have lines of
// their own.
func statName(cmd redis.Cmder) string {
	name := cmd.Name()
	if name == "config" || name == "client" || name == "cluster" {
		if sub, ok := cmd.Args()[1].(string); ok {
			return name + "|" + sub
		}
	}
	return name
}

// wire is the one connection of a subscriber, known to us below the library: a
// break is seen here first, silence is measured here, and a dead connection is
// closed here.
type wire struct {
	drained func()       // everything received so far has been parsed
	last    atomic.Int64 // local time of the last byte, ns
	local   *localClock

	mu     sync.Mutex
	conn   net.Conn
	dialed bool
}

// dial connects once. The library would dial again by itself after a break,
// inside Receive and without saying so; a feed makes a new wire instead.
func (w *wire) dial(cfg *Config) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		w.mu.Lock()
		again := w.dialed
		w.dialed = true
		w.mu.Unlock()
		if again {
			return nil, ErrLost
		}
		ctx, cancel := context.WithTimeout(ctx, dialLimit)
		defer cancel()
		conn, err := (&net.Dialer{}).DialContext(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		if t, ok := conn.(*net.TCPConn); ok {
			// Room for a burst while our process does not run; the library's own
			// buffer is fixed. A refusal costs nothing but that room.
			_ = t.SetReadBuffer(4 << 20)
		}
		if cfg.TLS != nil {
			secure := tls.Client(conn, cfg.TLS.Clone())
			if err := secure.HandshakeContext(ctx); err != nil {
				_ = conn.Close()
				return nil, err
			}
			conn = secure
		}
		w.last.Store(int64(w.local.now()))
		w.mu.Lock()
		w.conn = conn
		w.mu.Unlock()
		return &tapped{Conn: conn, wire: w}, nil
	}
}

// cut closes the connection under the library, which makes Receive fail.
func (w *wire) cut() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.conn != nil {
		_ = w.conn.Close()
	}
}

// quietFor is how long nothing has been received.
func (w *wire) quietFor() time.Duration { return w.local.now() - time.Duration(w.last.Load()) }

type tapped struct {
	net.Conn
	wire *wire
}

func (t *tapped) Read(b []byte) (int, error) {
	t.wire.drained()
	n, err := t.Conn.Read(b)
	if n > 0 {
		t.wire.last.Store(int64(t.wire.local.now()))
	}
	return n, err
}
