package judge

import (
	"context"
	"flag"
	"os/exec"
	"runtime"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"leasetop/demo/server"
	"leasetop/keyspace"
	"leasetop/model"
	"leasetop/watcher"
)

var overloadFor = flag.Duration("judge.overload", 2*time.Second, "how long TestOverload floods")

// floods are what redis-benchmark sends over and over, ten connections each with
// sixteen commands on the way.
var floods = [][]string{
	{"SET", "lock:o:__rand_int__", "__rand_int__", "PX", "600000"},
	{"PEXPIRE", "lock:o:__rand_int__", "700000"},
	{"DEL", "lock:o:__rand_int__"},
}

const floodedKeys = 1000

// TestOverload floods watched keys with more events than can be read back one by
// one: nothing hangs, memory stays flat, coalescing is counted, and the state is
// right when it ends.
func TestOverload(t *testing.T) {
	bench, err := exec.LookPath("redis-benchmark")
	if err != nil {
		t.Skip("no redis-benchmark")
	}
	s, err := server.Start(context.Background(), server.Options{Args: []string{"--notify-keyspace-events", "KEA"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	patterns, err := keyspace.ParsePatterns([]string{"lock:*"})
	if err != nil {
		t.Fatal(err)
	}
	source := watcher.New(watcher.Config{Network: "tcp", Addr: s.Addr(), Patterns: patterns})
	f := fold(t, source)
	if !eventually(func() bool { return source.Counters().Synced }) {
		t.Fatal("no first sweep")
	}
	over := flood(t, bench, s.Port(), *overloadFor)
	heap := f.sampleHeap(over)
	c := connect(t, s.Addr())
	if err := c.Set(context.Background(), "lock:last", "last", 0).Err(); err != nil {
		t.Fatal(err)
	}
	var wrong string
	// The race detector takes in some ten thousand events a second.
	if !waitFor(time.Minute, func() bool { wrong = f.differs(t, c); return wrong == "" }) {
		t.Errorf("when it had ended: %s; %+v", wrong, source.Counters())
	}
	n := source.Counters()
	t.Logf("%d events in %v, %d hints coalesced, %d dropped, %d keys read back, %d gaps, %d lines told; heap in MiB every half second %v",
		n.Events, *overloadFor, n.Coalesced, n.DroppedHints, n.Reads, n.Gaps, f.lines, heap)
	if n.Coalesced == 0 {
		t.Error("no coalescing is counted")
	}
	if half := len(heap) / 2; half > 0 {
		// 1,000 keys with their timelines; the events alone were far more.
		if first, second := maxOf(heap[:half]), maxOf(heap[half:]); second > first+first/2+16 {
			t.Errorf("the heap grew from %d to %d MiB: %v", first, second, heap)
		}
	}
}

// folded is a ledger that keeps its bounds, as a screen has it.
type folded struct {
	mu     sync.Mutex
	ledger *model.Ledger
	lines  int
}

func fold(t *testing.T, source watcher.Source) *folded {
	f := &folded{ledger: model.NewLedger(model.Limits{EntriesPerKey: 32})}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		done <- source.Run(ctx, func(batch []model.Input) {
			f.mu.Lock()
			f.lines += len(f.ledger.Apply(batch...))
			f.mu.Unlock()
		})
	}()
	t.Cleanup(func() {
		cancel()
		select {
		case err := <-done:
			if err != nil {
				t.Error(err)
			}
		case <-time.After(limit):
			t.Error("the watcher does not end")
		}
	})
	return f
}

// flood runs the benchmarks and closes the channel when they have ended.
func flood(t *testing.T, bench string, port int, d time.Duration) <-chan struct{} {
	ctx, cancel := context.WithTimeout(context.Background(), d)
	t.Cleanup(cancel)
	over := make(chan struct{})
	var wg sync.WaitGroup
	for _, words := range floods {
		args := append([]string{"-p", strconv.Itoa(port), "-q", "-l", "-c", "10", "-P", "16", "-n", "1000000", "-r", strconv.Itoa(floodedKeys)}, words...)
		cmd := exec.CommandContext(ctx, bench, args...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		wg.Go(func() { _ = cmd.Wait() }) // ended by its time
	}
	go func() { wg.Wait(); close(over) }()
	return over
}

// sampleHeap measures what is in use after a collection, in MiB.
func (f *folded) sampleHeap(over <-chan struct{}) (mib []uint64) {
	for {
		select {
		case <-over:
			return mib
		case <-time.After(500 * time.Millisecond):
			runtime.GC()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			mib = append(mib, m.HeapAlloc>>20)
		}
	}
}

func maxOf(list []uint64) (m uint64) {
	for _, x := range list {
		m = max(m, x)
	}
	return m
}

// differs says where the ledger is not what the server holds; "" nowhere.
func (f *folded) differs(t *testing.T, c *redis.Client) string {
	ctx := context.Background()
	keys := []string{"lock:last"}
	for i := range floodedKeys {
		keys = append(keys, "lock:o:"+strconv.Itoa(1_000_000_000_000 + i)[1:])
	}
	pipe := c.Pipeline()
	values := make([]*redis.StringCmd, len(keys))
	ends := make([]*redis.Cmd, len(keys))
	for i, k := range keys {
		values[i], ends[i] = pipe.Get(ctx, k), pipe.Do(ctx, "PEXPIRETIME", k)
	}
	_, _ = pipe.Exec(ctx) // a missing key is no failure
	held := map[string]*model.Lease{}
	f.mu.Lock()
	defer f.mu.Unlock()
	for l := range f.ledger.Leases() {
		held[l.Key.Name] = l
	}
	for i, k := range keys {
		end, err := ends[i].Int64()
		if err != nil {
			t.Fatal(err)
		}
		var tenures []model.Tenure
		if l := held[k]; l != nil {
			tenures = l.Tenures
		}
		want := model.Instant(max(0, end)) * millisecond
		switch {
		case end == -2 && len(tenures) == 0:
		case end == -2:
			return k + " is free, and held by " + ownerWord(tenures[0].Owner) + " for the ledger"
		case len(tenures) != 1 || tenures[0].Owner.Token != values[i].Val() || tenures[0].Deadline != want || tenures[0].Unread || tenures[0].Untold:
			return k + " is not what the ledger has of it"
		}
	}
	return ""
}
