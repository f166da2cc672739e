package watcher

import (
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"leasetop/model"
)

// Far more events than can be read back one by one: nothing hangs, what was
// dropped is counted, memory is bounded by the set's own bounds, and the state
// is right when it ends.
func TestOverload(t *testing.T) {
	s := startServer(t, "--notify-keyspace-events", allEvents)
	c := client(t, s)
	w := watch(t, Config{Addr: s.Addr(), Patterns: patterns(t, "lock:*")})
	w.state(model.StateSynced)
	var events uint64
	for began := time.Now(); time.Since(began) < 2*time.Second; {
		if _, err := c.Pipelined(t.Context(), func(p redis.Pipeliner) error {
			for range 1000 {
				p.Set(t.Context(), "lock:"+strconv.FormatUint(events%5000, 10), "v", time.Minute)
				events += 2
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	m := w.mark()
	do(t, c, "set lock:0 end", "del lock:2")
	eventually(t, "everything taken in", func() bool {
		n := w.live.Counters()
		return n.Events == events+2 && n.Dirty == 0
	})
	w.held(m, "lock:0", "end")
	w.gone(m, "lock:2")
	n := w.live.Counters()
	told, lost := uint64(0), uint64(0)
	for _, in := range w.inputs() {
		if o := in.Observation; o != nil {
			told += uint64(len(o.Hints))
			lost += uint64(o.Lost)
		}
	}
	if told+lost != events+2 || lost != n.DroppedHints {
		t.Errorf("%d events: %d told, %d lost, %d counted as dropped", events+2, told, lost, n.DroppedHints)
	}
	if n.Gaps != 0 {
		t.Errorf("%d gaps", n.Gaps)
	}
	if n.Coalesced == 0 {
		t.Error("no coalescing is counted")
	}
	w.mu.Lock()
	w.all = nil
	w.mu.Unlock()
	runtime.GC()
	var mem runtime.MemStats
	runtime.ReadMemStats(&mem)
	// 5,000 keys, buffers, the test itself; a queue that grew with the events
	// would hold tens of MiB.
	if mem.HeapAlloc > 64<<20 {
		t.Errorf("%d MiB in use", mem.HeapAlloc>>20)
	}
}
