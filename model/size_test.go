package model_test

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"leasetop/model"
)

// BenchmarkMemory tells the bytes that a lease and a timeline entry take:
// the goals are 600 and 200 (DESIGN).
func BenchmarkMemory(b *testing.B) {
	const leases = 100_000
	for b.Loop() {
		before := heap()
		ledger := model.NewLedger(model.Limits{Entries: 1 << 30})
		now := epoch
		for i := range leases {
			ledger.Apply(model.Input{Observation: &model.Observation{Seq: uint64(i + 1), ToldAt: now,
				Key: model.Key{Node: "n", Name: fmt.Sprintf("lock:invoice:%d", i)}, Source: model.SourcePoll,
				Reading: &model.Reading{At: now, Type: "string", Format: "string", Deadline: now.Add(time.Hour),
					Holders: []model.Holder{{Owner: fmt.Sprintf("%032d", i), Deadline: now.Add(time.Hour)}}}}})
		}
		held := heap()
		b.ReportMetric(float64(held-before)/leases, "B/lease")
		entries := ledger.Totals(now).Entries
		for round := range 7 {
			for i := range leases {
				now = now.Add(time.Microsecond)
				d := now.Add(time.Duration(round+2) * time.Hour)
				ledger.Apply(model.Input{Observation: &model.Observation{Seq: uint64((round+1)*leases + i + 1), ToldAt: now,
					Key: model.Key{Node: "n", Name: fmt.Sprintf("lock:invoice:%d", i)}, Source: model.SourcePoll,
					Reading: &model.Reading{At: now, Type: "string", Format: "string", Deadline: d,
						Holders: []model.Holder{{Owner: fmt.Sprintf("%032d", i), Deadline: d}}}}})
			}
		}
		b.ReportMetric(float64(heap()-held)/float64(ledger.Totals(now).Entries-entries), "B/entry")
		runtime.KeepAlive(ledger)
	}
}

func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
