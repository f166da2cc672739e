package judge

import (
	"context"
	"flag"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"leasetop/demo/server"
	"leasetop/keyspace"
	"leasetop/model"
	"leasetop/watcher"
)

var measure = flag.Bool("judge.measure", false, "run TestLag and TestSources, which measure and judge nothing")

// TestLag measures how late an expiry is told, against other keys with a TTL in
// the database, with and without --no-touch.
func TestLag(t *testing.T) {
	if !*measure {
		t.Skip("-judge.measure")
	}
	for _, fillers := range []int{0, 1000, 100_000} {
		for _, noTouch := range []bool{false, true} {
			told, lags, c := lag(t, fillers, noTouch)
			t.Logf("%6d others, no-touch %-5v: %3d of %d told within %v, after %s; server's announcements after %v (p50) %v (p99)",
				fillers, noTouch, told, lagged, lagWindow, quantiles(lags), c.LagP50, c.LagP99)
		}
	}
}

const (
	lagged    = 100
	lagSpread = 3 * time.Second
	lagWindow = 10 * time.Second
)

func lag(t *testing.T, fillers int, noTouch bool) (told int, lags []time.Duration, c model.Counters) {
	s, client := measured(t, "KEA")
	if fillers > 0 {
		if err := client.Eval(context.Background(), fillScript, nil, fillers, 36_000).Err(); err != nil {
			t.Fatal(err)
		}
	}
	o := observe(t, watcher.New(configFor(t, s, watcher.Config{NoTouch: noTouch})))
	o.await(t)
	for i := range lagged {
		ttl := 500*time.Millisecond + lagSpread*time.Duration(i)/lagged
		if err := client.Set(context.Background(), "lock:lag:"+strconv.Itoa(i), "t", ttl).Err(); err != nil {
			t.Fatal(err)
		}
	}
	time.Sleep(lagWindow) // the measured time, no proof of anything
	o.mu.Lock()
	defer o.mu.Unlock()
	for i := range o.told {
		if x := &o.told[i]; x.Change == model.Expired {
			lags = append(lags, x.ToldAt.Sub(x.At))
		}
	}
	return len(lags), lags, o.source.Counters()
}

func measured(t *testing.T, flags string) (*server.Server, *redis.Client) {
	s, err := server.Start(context.Background(), server.Options{Args: []string{"--notify-keyspace-events", flags}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	return s, connect(t, s.Addr())
}

func configFor(t *testing.T, s *server.Server, cfg watcher.Config) watcher.Config {
	patterns, err := keyspace.ParsePatterns([]string{"lock:*"})
	if err != nil {
		t.Fatal(err)
	}
	cfg.Network, cfg.Addr, cfg.Patterns = "tcp", s.Addr(), patterns
	return cfg
}

func quantiles(list []time.Duration) string {
	if len(list) == 0 {
		return "-"
	}
	slices.Sort(list)
	at := func(p int) time.Duration { return list[min(len(list)-1, len(list)*p/100)].Round(10 * time.Microsecond) }
	return fmt.Sprintf("%v (p50) %v (p90) %v (max)", at(50), at(90), at(100))
}

// TestSources measures what each source of hints costs the server and us, on one
// and the same history. What it misses, TestJudge counts.
func TestSources(t *testing.T) {
	if !*measure {
		t.Skip("-judge.measure")
	}
	for _, m := range append([]mode{{name: "nobody watching"}}, modes...) {
		s, client := measured(t, m.flags)
		var o *observer
		if m.name != "nobody watching" {
			o = observe(t, watcher.New(configFor(t, s, m.config)))
			o.await(t)
		}
		before := serverCost(t, client)
		playHistory(t, s.Addr(), 1)
		after := serverCost(t, client)
		line := fmt.Sprintf("%-16s server: %.2f s of processor, %.1f MB sent", m.name, after.cpu-before.cpu, (after.out-before.out)/1e6)
		if o != nil {
			c := o.source.Counters()
			line += fmt.Sprintf("; watcher: %d commands, %d events, %d keys read", c.Sent, c.Events, c.Reads)
		}
		t.Log(line)
	}
}

type cost struct{ cpu, out float64 }

func serverCost(t *testing.T, c *redis.Client) (x cost) {
	info, err := c.Info(context.Background(), "cpu", "stats").Result()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(info) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		n, _ := strconv.ParseFloat(value, 64) // other lines are no numbers
		switch name {
		case "used_cpu_sys", "used_cpu_user":
			x.cpu += n
		case "total_net_output_bytes":
			x.out += n
		}
	}
	return x
}
