package judge

import (
	"context"
	"flag"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"leasetop/demo/server"
	"leasetop/keyspace"
	"leasetop/model"
	"leasetop/watcher"
)

var (
	judgeSeed  = flag.Uint64("judge.seed", 0, "seed of the first history; 0: 1, or a random one with -judge.for")
	judgeFor   = flag.Duration("judge.for", 0, "how long to go on with new histories; 0: one")
	judgeSteps = flag.Int("judge.steps", 600, "ops of each of the clients in a history")
)

const clients = 6

// mode is one way of watching.
type mode struct {
	name   string
	flags  string // of the server
	config watcher.Config
	hints  bool
	cuts   bool // the subscriber's connection is cut again and again: lines are judged one by one
}

var modes = []mode{
	{"notify-new", "KEAn", watcher.Config{Interval: time.Second}, true, false},
	{"notify", "KEA", watcher.Config{Interval: time.Second}, true, false},
	{"tracking", "", watcher.Config{Interval: time.Second, Tracking: watcher.Require}, false, false},
	{"poll", "", watcher.Config{Interval: 60 * time.Millisecond, Tracking: watcher.Off}, false, false},
	{"gaps", "KEAn", watcher.Config{Interval: time.Second}, true, true},
}

// TestJudge plays random histories and judges what was told of them.
func TestJudge(t *testing.T) {
	seed := *judgeSeed
	if seed == 0 && *judgeFor == 0 {
		seed = 1
	} else if seed == 0 {
		seed = rand.Uint64() >> 1
	}
	for began := time.Now(); ; seed++ {
		t.Logf("-judge.seed %d", seed)
		var wg sync.WaitGroup
		for _, m := range modes {
			wg.Go(func() { t.Run(m.name, func(t *testing.T) { judgeHistory(t, m, seed) }) })
		}
		wg.Wait()
		if t.Failed() || time.Since(began) >= *judgeFor {
			break
		}
	}
	if t.Failed() {
		t.Logf("to see it again: go test ./watcher/judge -run TestJudge -judge.seed %d", seed)
	}
}

// patience is how long after a history the last deadlines are waited for.
const patience = 2500 * time.Millisecond

func judgeHistory(t *testing.T, m mode, seed uint64) {
	s, err := server.Start(context.Background(), server.Options{Args: []string{"--notify-keyspace-events", m.flags}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	patterns, err := keyspace.ParsePatterns([]string{"lock:*"})
	if err != nil {
		t.Fatal(err)
	}
	cfg := m.config
	cfg.Network, cfg.Addr, cfg.Patterns = "tcp", s.Addr(), patterns
	// Scores a moment ahead may be deadlines or the refreshes of a fast clock; which,
	// its user knows.
	cfg.Forces = keyspace.Forces{{Pattern: "lock:z*", Format: "zset-deadline"}}
	o := observe(t, watcher.New(cfg))
	o.await(t)

	mon := newMonitor(t, s.Addr())
	events := listen(t, s.Addr())
	stop := func() {}
	if m.cuts {
		stop = cut(connect(t, s.Addr()), seed)
	}
	players := playHistory(t, s.Addr(), seed)
	stop()
	over := model.InstantOf(time.Now().Add(patience))
	if !eventually(func() bool { return o.source.Counters().LastSweep > over && o.source.Counters().Dirty == 0 }) {
		t.Fatalf("the watcher did not come to rest: %v, %+v", o.failure(), o.source.Counters())
	}
	_ = mon.conn.Close()
	<-mon.over
	acts := mon.history(t, players)
	truth := simulate(t, acts, now())
	var flushes []model.Instant
	for i := range acts {
		if acts[i].kind == "flush" {
			flushes = append(flushes, acts[i].at)
		}
	}

	o.mu.Lock()
	defer o.mu.Unlock()
	if m.cuts && !sawGap(o) {
		t.Error("no gap was told")
	}
	if m.hints && !m.cuts {
		for _, w := range events.compare(o) {
			t.Error(w)
		}
	}
	var count tally
	for _, c := range gather(o, truth, flushes, m.hints, false) {
		for i := range c.windows {
			c.windows[i].blur = c.windows[i].blur || m.cuts
		}
		for i := range mon.lines {
			if mon.lines[i].key == c.name {
				c.monitor = append(c.monitor, mon.lines[i])
			}
		}
		wrong := c.judge()
		for i, w := range wrong {
			if i == 3 {
				t.Errorf("%s: %d more", c.name, len(wrong)-i)
				break
			}
			t.Error(w)
		}
		count.add(c)
	}
	t.Log(count.String())
}

// cut cuts every subscriber's connection at random moments, until the function
// that it gives is called.
func cut(c *redis.Client, seed uint64) (stop func()) {
	r := rand.New(rand.NewPCG(seed, 99))
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-ctx.Done():
				return
			case <-time.After(200*time.Millisecond + time.Duration(r.IntN(1000))*time.Millisecond):
				c.Do(ctx, "CLIENT", "KILL", "TYPE", "pubsub") // how many there were does not matter
			}
		}
	}()
	return func() { cancel(); <-done }
}

// sawGap is called with the observer locked.
func sawGap(o *observer) bool {
	return slices.ContainsFunc(o.health, func(h model.Health) bool { return h.State == model.StateGap })
}

// playHistory carries a history out and waits for its end.
func playHistory(t *testing.T, addr string, seed uint64) []*player {
	players := make([]*player, clients)
	for i := range players {
		players[i] = newPlayer(t, addr)
	}
	var wg sync.WaitGroup
	start := time.Now()
	for i, p := range players {
		wg.Go(func() { p.play(start, plan(seed, i, *judgeSteps, 8*time.Millisecond)) })
	}
	wg.Wait()
	for _, p := range players {
		if p.err != nil {
			t.Fatal(p.err)
		}
	}
	return players
}
