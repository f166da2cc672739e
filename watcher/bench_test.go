package watcher

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"leasetop/model"
)

// populate sets n keys name:0…, with their number as value.
func populate(b *testing.B, c *redis.Client, name string, n int, ttl time.Duration) {
	b.Helper()
	ctx := context.Background()
	for i := 0; i < n; i += 1000 {
		if _, err := c.Pipelined(ctx, func(p redis.Pipeliner) error {
			for j := i; j < min(n, i+1000); j++ {
				p.Set(ctx, name+":"+strconv.Itoa(j), "6f1c0a52-2f0e-4f6f-9f3b-0d6b3f8f3a11", ttl)
			}
			return nil
		}); err != nil {
			b.Fatal(err)
		}
	}
}

// The first full table: 100,000 locks among 1,000,000 keys.
func BenchmarkFirstTable(b *testing.B) {
	s := startServer(b)
	c := client(b, s)
	populate(b, c, "other", 900_000, 0)
	populate(b, c, "lock", 100_000, time.Hour)
	for _, words := range [][]string{{"lock:*"}, {"lock:1*", "lock:[02-9]*"}, {"a:*", "b:*", "c:*", "lock:*"}, {"a:*", "b:*", "c:*", "d:*", "lock:*"}} {
		b.Run(fmt.Sprintf("%d patterns", len(words)), func(b *testing.B) {
			for b.Loop() {
				inputs, n, err := New(Config{Addr: s.Addr(), Patterns: patterns(b, words...)}).Snapshot(b.Context())
				if err != nil || n.Known != 100_000 || len(inputs) < 100_000 {
					b.Fatal(len(inputs), n.Known, err)
				}
			}
		})
	}
}

// From a change to the input that tells it, with 1,000 leases and changes at a
// steady rate.
func BenchmarkLatency(b *testing.B) {
	for _, rate := range []int{100, 1000} {
		for _, setting := range []string{allEvents, ""} {
			b.Run(fmt.Sprintf("%d-a-second-%q", rate, setting), func(b *testing.B) { latency(b, rate, setting) })
		}
	}
}

func latency(b *testing.B, rate int, setting string) {
	s := startServer(b, "--notify-keyspace-events", setting)
	c := client(b, s)
	populate(b, c, "lock", 1000, time.Hour)
	var (
		mu   sync.Mutex
		sent = map[string]time.Time{}
		took []time.Duration
	)
	synced := make(chan struct{})
	ctx, cancel := context.WithCancel(b.Context())
	done := make(chan error, 1)
	go func() {
		done <- New(Config{Addr: s.Addr(), Patterns: patterns(b, "lock:*")}).Run(ctx, func(batch []model.Input) {
			now := time.Now()
			mu.Lock()
			defer mu.Unlock()
			for _, in := range batch {
				if in.Health != nil && in.Health.State == model.StateSynced {
					close(synced)
				}
				if o := in.Observation; o != nil && o.Reading != nil && len(o.Reading.Holders) == 1 {
					if at, ok := sent[o.Reading.Holders[0].Owner]; ok {
						took = append(took, now.Sub(at))
						delete(sent, o.Reading.Holders[0].Owner)
					}
				}
			}
		})
	}()
	<-synced
	n := 0
	tick := time.NewTicker(time.Second / time.Duration(rate))
	defer tick.Stop()
	for b.Loop() {
		<-tick.C
		n++
		token := "tok-" + strconv.Itoa(n)
		mu.Lock()
		sent[token] = time.Now()
		mu.Unlock()
		if err := c.Set(ctx, "lock:"+strconv.Itoa(n%1000), token, time.Hour).Err(); err != nil {
			b.Fatal(err)
		}
	}
	eventually(b, "the last change", func() bool { mu.Lock(); defer mu.Unlock(); return len(sent) == 0 || len(took) >= n })
	cancel()
	if err := <-done; err != nil {
		b.Fatal(err)
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
	b.ReportMetric(0, "ns/op")
}

// Lock cycles (acquire, renew, release) as fast as the server does them: how
// many are taken in, and whether a hint is lost.
func BenchmarkLockCycles(b *testing.B) {
	s := startServer(b, "--notify-keyspace-events", allEvents)
	c := client(b, s)
	var lost, hints uint64
	synced := make(chan struct{})
	ctx, cancel := context.WithCancel(b.Context())
	done := make(chan error, 1)
	live := New(Config{Addr: s.Addr(), Patterns: patterns(b, "lock:*"), Interval: time.Hour})
	go func() {
		done <- live.Run(ctx, func(batch []model.Input) {
			for _, in := range batch {
				if in.Health != nil && in.Health.State == model.StateSynced {
					close(synced)
				}
				if o := in.Observation; o != nil {
					lost += uint64(o.Lost)
					hints += uint64(len(o.Hints))
				}
			}
		})
	}()
	<-synced
	n := 0
	began := time.Now()
	for b.Loop() {
		if _, err := c.Pipelined(ctx, func(p redis.Pipeliner) error {
			for range 100 {
				n++
				key := "lock:" + strconv.Itoa(n%1000)
				p.SetNX(ctx, key, "6f1c0a52-2f0e-4f6f-9f3b-0d6b3f8f3a11", time.Minute)
				p.PExpire(ctx, key, 2*time.Minute)
				p.Del(ctx, key)
			}
			return nil
		}); err != nil {
			b.Fatal(err)
		}
	}
	eventually(b, "all events", func() bool { return live.Counters().Events >= uint64(4*n) && live.Counters().Dirty == 0 })
	took := time.Since(began)
	cancel()
	if err := <-done; err != nil {
		b.Fatal(err)
	}
	if hints+lost != uint64(4*n) {
		b.Errorf("%d events, %d told, %d lost", 4*n, hints, lost)
	}
	b.ReportMetric(float64(n)/took.Seconds(), "cycles/s")
	b.ReportMetric(float64(lost), "lost")
	b.ReportMetric(0, "ns/op")
}
