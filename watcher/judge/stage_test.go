package judge

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"

	"leasetop/demo/server"
	"leasetop/keyspace"
	"leasetop/model"
	"leasetop/watcher"
)

// stage is one scenario being played: its servers, actors and watchers. The
// servers run on this machine, so their clock is ours.
type stage struct {
	t         *testing.T
	s         *scenario
	servers   map[string]*server.Server
	observers map[string]*observer
	gates     map[string]*gate
	children  map[string]*child
	start     time.Time
	stall     *stallMeter

	mu     sync.Mutex
	actors map[string]*redis.Client
	done   map[float64]span // by nominal time: when the steps were carried out
	late   time.Duration    // the most that a command was sent after its time
	wrong  []string         // replies and looks that were not as the script says
}

// span is a time from a command's sending to its reply.
type span struct{ lo, hi model.Instant }

func now() model.Instant { return model.InstantOf(time.Now()) }

// play sets the stage and plays every step.
func play(t *testing.T, s *scenario) *stage {
	g := &stage{t: t, s: s, servers: map[string]*server.Server{}, observers: map[string]*observer{}, gates: map[string]*gate{},
		children: map[string]*child{}, actors: map[string]*redis.Client{}, done: map[float64]span{}}
	g.server("", nil)
	for _, st := range s.steps {
		switch st.actor {
		case "!replica":
			g.replica()
		case "!fill":
			g.fill(st.words)
		}
	}
	for _, w := range s.watches {
		if !w.late {
			g.watch(w)
		}
	}
	g.stall = newStallMeter(t)
	g.start = time.Now().Add(20 * time.Millisecond)
	g.steps()
	g.sleepUntil(s.end)
	return g
}

func (g *stage) server(node string, args []string) {
	g.t.Helper()
	args = append([]string{"--notify-keyspace-events", "KEA", "--enable-debug-command", "yes"}, args...)
	srv, err := server.Start(context.Background(), server.Options{Args: append(args, g.s.server...)})
	if err != nil {
		g.t.Fatal(err)
	}
	g.t.Cleanup(srv.Stop)
	g.servers[node] = srv
}

// replica starts a replica R and waits until it is one.
func (g *stage) replica() {
	g.server("R", []string{"--replicaof", "127.0.0.1 " + strconv.Itoa(g.servers[""].Port()), "--repl-diskless-sync-delay", "0"})
	c := g.actor("!link", "R")
	if !eventually(func() bool {
		info, _ := c.Info(context.Background(), "replication").Result()
		return strings.Contains(info, "master_link_status:up")
	}) {
		g.t.Fatal("the replica has no link to its primary")
	}
	// The stream begins with the replica's first acknowledgement.
	ctx, primary := context.Background(), g.actor("!link", "")
	if err := primary.Set(ctx, "link", "up", 0).Err(); err != nil {
		g.t.Fatal(err)
	}
	if n, err := primary.Wait(ctx, 1, limit).Result(); n != 1 || err != nil {
		g.t.Fatalf("the replica does not follow its primary: %d, %v", n, err)
	}
}

func (g *stage) fill(words []string) {
	if err := g.actor("!fill", "").Eval(context.Background(), fillScript, nil, words[0], words[1]).Err(); err != nil {
		g.t.Fatal(err)
	}
}

// watch starts a watcher and waits for its first sweep.
func (g *stage) watch(w watchSpec) {
	addr := g.servers[w.node].Addr()
	if w.cuts {
		g.gates[w.name] = newGate(g.t, addr)
		addr = g.gates[w.name].addr()
	}
	if w.child {
		c := &child{orders: childOrders{Addr: addr, Patterns: w.patterns}}
		g.children[w.name] = c
		g.observers[w.name] = observe(g.t, c)
	} else {
		patterns, err := keyspace.ParsePatterns(w.patterns)
		if err != nil {
			g.t.Fatal(err)
		}
		cfg := w.config
		cfg.Network, cfg.Addr, cfg.Patterns = "tcp", addr, patterns
		g.observers[w.name] = observe(g.t, watcher.New(cfg))
	}
	if !w.late {
		g.observers[w.name].await(g.t)
	}
}

// actor is the connection of one actor to one node.
func (g *stage) actor(name, node string) *redis.Client {
	g.mu.Lock()
	defer g.mu.Unlock()
	id := name + "@" + node
	if c := g.actors[id]; c != nil {
		return c
	}
	c := connect(g.t, g.servers[node].Addr())
	g.actors[id] = c
	return c
}

func connect(t *testing.T, addr string) *redis.Client {
	c := redis.NewClient(&redis.Options{Addr: addr, Protocol: 2, PoolSize: 1, DisableIdentity: true, MaxRetries: 1,
		ReadTimeout: 2 * limit, WriteTimeout: limit, PipelinePoolSize: -1,
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}})
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// steps carries every step out at its time. An actor whose command is not yet
// answered holds up its own later steps only.
func (g *stage) steps() {
	queues := map[string]chan func(){}
	var wg sync.WaitGroup
	for _, st := range g.s.steps {
		if strings.HasPrefix(st.actor, "!") {
			g.sleepUntil(st.at)
			g.act(st)
			continue
		}
		id := st.actor + "@" + st.node
		if st.actor == "at" {
			id += strconv.FormatFloat(st.at, 'f', 3, 64)
		}
		if queues[id] == nil {
			queue := make(chan func(), len(g.s.steps))
			queues[id] = queue
			wg.Go(func() {
				for do := range queue {
					do()
				}
			})
			if st.actor != "at" {
				g.actor(st.actor, st.node).Ping(context.Background())
			}
		}
		queues[id] <- func() {
			g.sleepUntil(st.at)
			if st.actor == "at" {
				g.check(st)
			} else {
				g.command(st)
			}
		}
	}
	for _, q := range queues {
		close(q)
	}
	wg.Wait()
}

func (g *stage) sleepUntil(at float64) {
	time.Sleep(time.Until(g.start.Add(time.Duration(at * float64(time.Second)))))
}

func (g *stage) command(st stepSpec) {
	c := g.actor(st.actor, st.node)
	g.mu.Lock()
	g.late = max(g.late, time.Since(g.start.Add(time.Duration(st.at*float64(time.Second)))))
	g.mu.Unlock()
	sent := now()
	got := spell(c.Do(context.Background(), expand(st.words)...).Result())
	g.note(st.at, span{sent, now()})
	if st.reply != "" && !strings.HasPrefix(got, st.reply) {
		g.fault("%.3f %s %s: the reply is %s, not %s", st.at, st.actor, strings.Join(st.words, " "), got, st.reply)
	}
}

// fault notes what was not as the script says.
func (g *stage) fault(format string, args ...any) {
	g.mu.Lock()
	g.wrong = append(g.wrong, fmt.Sprintf(format, args...))
	g.mu.Unlock()
}

// punctual is how late a step may come in a scenario that was played as written.
const punctual = 20 * time.Millisecond

// stalled reports whether the machine kept the scenario from being played at its
// times: it was another one then, and says nothing.
func (g *stage) stalled() (time.Duration, bool) {
	worst := max(g.late, g.stall.slack()-slackFloor)
	return worst, worst > punctual
}

func (g *stage) note(at float64, s span) {
	g.mu.Lock()
	if old, ok := g.done[at]; ok {
		s = span{min(s.lo, old.lo), max(s.hi, old.hi)}
	}
	g.done[at] = s
	g.mu.Unlock()
}

// spell writes a reply as scenarios do.
func spell(v any, err error) string {
	switch {
	case errors.Is(err, redis.Nil):
		return "nil"
	case err != nil:
		return err.Error()
	}
	return fmt.Sprint(v)
}

// act does what is no command.
func (g *stage) act(st stepSpec) {
	began := now()
	name := "main"
	if len(st.words) > 0 {
		name = st.words[0]
	}
	switch st.actor {
	case "!replica", "!fill": // done before the start
	case "!restart":
		srv := g.servers[""]
		srv.Kill()
		if err := srv.Restart(context.Background()); err != nil {
			g.t.Error(err)
		}
		g.actor("!after", "").ConfigSet(context.Background(), "notify-keyspace-events", "KEA")
	case "!watch":
		for _, w := range g.s.watches {
			if w.name == name {
				g.watch(w)
			}
		}
	case "!monitor-off":
		g.gates[name].set(false, true)
	case "!monitor-on":
		g.gates[name].set(false, false)
	case "!monitor-stall":
		g.gates[name].set(true, false)
	case "!monitor-stop":
		g.children[name].signal(syscall.SIGSTOP)
	case "!monitor-cont":
		g.children[name].signal(syscall.SIGCONT)
	case "!freeze":
		g.servers[""].Freeze()
	case "!thaw":
		g.servers[""].Thaw()
	default:
		g.t.Errorf("%s is no action", st.actor)
	}
	g.note(st.at, span{began, now()})
}

// stallMeter measures how long this machine keeps our goroutines waiting: what
// it could not do in time is nobody's fault.
type stallMeter struct {
	mu    sync.Mutex
	worst time.Duration
}

func newStallMeter(t *testing.T) *stallMeter {
	m := &stallMeter{}
	stop := make(chan struct{})
	t.Cleanup(func() { close(stop) })
	go func() {
		const beat = 5 * time.Millisecond
		last := time.Now()
		for tk := time.NewTicker(beat); ; {
			select {
			case <-tk.C:
				late := time.Since(last) - beat
				last = time.Now()
				m.mu.Lock()
				m.worst = max(m.worst, late)
				m.mu.Unlock()
			case <-stop:
				tk.Stop()
				return
			}
		}
	}()
	return m
}

// slackFloor is what a line may be late on a machine that never stalls.
const slackFloor = 50 * time.Millisecond

func (m *stallMeter) slack() time.Duration {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slackFloor + m.worst
}
