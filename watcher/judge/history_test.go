package judge

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"

	"leasetop/model"
)

// done is an op that was carried out, as its client saw it.
type done struct {
	op
	reply    string
	deadline int64 // PEXPIRETIME right after it, ms since the epoch; -1 none, -2 no key
}

// act is a done op in its place among all others.
type act struct {
	done
	at    model.Instant // when MONITOR told it: right after it was carried out
	exact bool          // deadline was read before anybody else touched the key
}

// player is one client with its own connection.
type player struct {
	client *redis.Client
	addr   string // of its end, as MONITOR names it
	done   []done
	err    error
}

func newPlayer(t *testing.T, addr string) *player {
	p := &player{}
	p.client = redis.NewClient(&redis.Options{Addr: addr, Protocol: 2, PoolSize: 1, DisableIdentity: true, MaxRetries: -1,
		ReadTimeout: limit, WriteTimeout: limit, PipelinePoolSize: -1,
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
		Dialer: func(ctx context.Context, network, to string) (net.Conn, error) {
			c, err := (&net.Dialer{}).DialContext(ctx, network, to)
			if err == nil {
				p.addr = c.LocalAddr().String()
			}
			return c, err
		}})
	t.Cleanup(func() { _ = p.client.Close() })
	if err := p.client.Ping(context.Background()).Err(); err != nil {
		t.Fatal(err)
	}
	return p
}

// play sends the groups at their times. Each op is followed by PEXPIRETIME.
func (p *player) play(start time.Time, groups []group) {
	ctx := context.Background()
	for _, g := range groups {
		time.Sleep(time.Until(start.Add(g.at)))
		pipe := p.client.Pipeline()
		cmds := make([]*redis.Cmd, len(g.ops))
		ends := make([]*redis.Cmd, len(g.ops))
		for i := range g.ops {
			key := g.ops[i].key
			if g.ops[i].kind == "rename" {
				key = g.ops[i].next
			}
			cmds[i] = pipe.Do(ctx, g.ops[i].words()...)
			ends[i] = pipe.Do(ctx, "PEXPIRETIME", key)
		}
		_, _ = pipe.Exec(ctx) // each command has its own error
		for i := range g.ops {
			end, err := ends[i].Int64()
			if err != nil {
				p.err = fmt.Errorf("%v: %w", g.ops[i], err)
				return
			}
			p.done = append(p.done, done{g.ops[i], spell(cmds[i].Result()), end})
		}
	}
}

// monitored is one line of MONITOR.
type monitored struct {
	at   model.Instant
	from string // address, or "lua"
	name string // of the command
	key  string // its first argument
}

// monitor records all commands of a server, in their order.
type monitor struct {
	conn net.Conn
	over chan struct{}

	mu    sync.Mutex
	lines []monitored
	err   error
}

func newMonitor(t *testing.T, addr string) *monitor {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	m := &monitor{conn: conn, over: make(chan struct{})}
	t.Cleanup(func() { _ = conn.Close() })
	in := bufio.NewReaderSize(conn, 1<<20)
	if _, err := conn.Write([]byte("MONITOR\r\n")); err != nil {
		t.Fatal(err)
	}
	if line, err := in.ReadString('\n'); err != nil || line != "+OK\r\n" {
		t.Fatal(line, err)
	}
	go m.read(in)
	return m
}

func (m *monitor) read(in *bufio.Reader) {
	defer close(m.over)
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		l, err := parseMonitored(line)
		m.mu.Lock()
		if err != nil {
			m.err = err
		}
		m.lines = append(m.lines, l)
		m.mu.Unlock()
	}
}

// parseMonitored reads +1700000000.123456 [0 127.0.0.1:5000] "SET" "k" ...
func parseMonitored(line string) (l monitored, err error) {
	head, rest, ok := strings.Cut(line, "] ")
	when, from, ok2 := strings.Cut(head, " [")
	sec, us, ok3 := strings.Cut(strings.TrimPrefix(when, "+"), ".")
	if !ok || !ok2 || !ok3 {
		return l, fmt.Errorf("MONITOR: what is %q?", line)
	}
	s, err1 := strconv.ParseInt(sec, 10, 64)
	u, err2 := strconv.ParseInt(us, 10, 64)
	if err1 != nil || err2 != nil {
		return l, fmt.Errorf("MONITOR: what is %q?", line)
	}
	_, l.from, _ = strings.Cut(from, " ")
	l.at = model.Instant(s*1_000_000 + u)
	words := strings.SplitN(rest, " ", 3)
	l.name = strings.ToUpper(strings.Trim(strings.TrimSpace(words[0]), `"`))
	if len(words) > 1 {
		l.key = strings.Trim(strings.TrimSpace(words[1]), `"`)
	}
	return l, nil
}

// history puts what the clients did in the order of MONITOR.
func (m *monitor) history(t *testing.T, players []*player) []act {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.err != nil {
		t.Fatal(m.err)
	}
	type queue struct {
		done []done
		next int
		read bool // the next line of this client is a PEXPIRETIME
	}
	clients := map[string]*queue{}
	for _, p := range players {
		clients[p.addr] = &queue{done: p.done}
	}
	var acts []act
	waiting := map[string]int{} // by client: the act whose deadline is not read yet
	last := -1                  // whose script runs
	for i := range m.lines {
		l := &m.lines[i]
		if l.from == "lua" && last >= 0 {
			acts[last].at = l.at
			continue
		}
		last = -1
		q := clients[l.from]
		if q == nil || q.next == len(q.done) || l.name == "PING" || l.name == "HELLO" {
			continue
		}
		d := &q.done[q.next]
		if q.read {
			if l.name != "PEXPIRETIME" {
				for k := max(0, i-12); k < i+3; k++ {
					t.Log(m.lines[k])
				}
				t.Fatalf("MONITOR tells %s %s where a client read the deadline of %s", l.name, l.key, d.key)
			}
			q.read = false
			q.next++
			delete(waiting, l.from)
			continue
		}
		q.read = true
		acts = append(acts, act{done: *d, at: l.at, exact: true})
		last = len(acts) - 1
		for _, w := range waiting {
			acts[w].exact = acts[w].exact && !acts[w].touches(d)
		}
		waiting[l.from] = last
	}
	for addr, q := range clients {
		if q.next != len(q.done) {
			t.Fatalf("MONITOR told %d of %d ops of %s", q.next, len(q.done), addr)
		}
	}
	return acts
}

// touches reports whether two ops change a key in common.
func (a *act) touches(d *done) bool {
	return d.kind == "flush" || a.key == d.key || a.key == d.next || a.next == d.key || a.next != "" && a.next == d.next
}
