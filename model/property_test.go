package model_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"leasetop/model"
)

var ops = []string{"new", "set", "expire", "persist", "del", "expired", "evicted", "rename_from",
	"rename_to", "hset", "hdel", "zadd", "zrem", "zremrangebyscore", "append", "nonsense", ""}

// anyInputs draws a stream as a watcher could send it, and worse ones.
func anyInputs(t *rapid.T) []model.Input {
	now, seq := epoch, uint64(0)
	n := rapid.IntRange(1, 60).Draw(t, "inputs")
	var inputs []model.Input
	for range n {
		now = now.Add(time.Duration(rapid.IntRange(0, 3000).Draw(t, "ms")) * time.Millisecond)
		switch rapid.IntRange(0, 9).Draw(t, "kind") {
		case 0:
			inputs = append(inputs, model.Input{Advance: now})
		case 1:
			h := anyHealth(t, now)
			inputs = append(inputs, model.Input{Health: &h})
		default:
			seq++
			inputs = append(inputs, model.Input{Observation: anyObservation(t, now, seq)})
		}
	}
	return inputs
}

func anyHealth(t *rapid.T, now model.Instant) model.Health {
	h := model.Health{Node: "n", At: now, From: now.Add(-time.Second), To: now}
	h.State = rapid.SampledFrom([]model.State{model.StateSynced, model.StateGap, model.StateDisconnected,
		model.StateNotifications, model.StateTopology}).Draw(t, "state")
	h.Notify = rapid.SampledFrom([]model.Notify{"", model.NotifyOn, model.NotifyOff}).Draw(t, "notify")
	h.Role = rapid.SampledFrom([]string{"", "master", "slave"}).Draw(t, "role")
	h.Changed, h.Flushed = rapid.Bool().Draw(t, "changed"), rapid.Bool().Draw(t, "flushed")
	return h
}

func anyObservation(t *rapid.T, now model.Instant, seq uint64) *model.Observation {
	o := &model.Observation{Seq: seq, ToldAt: now, Bound: time.Millisecond,
		Key:    model.Key{Node: "n", Name: rapid.SampledFrom([]string{"a", "b"}).Draw(t, "key")},
		Source: model.Source(rapid.IntRange(1, 4).Draw(t, "source")),
		Lost:   max(0, rapid.IntRange(-5, 2).Draw(t, "lost")),
	}
	for range rapid.IntRange(0, 6).Draw(t, "hints") {
		o.Hints = append(o.Hints, model.Hint{Op: rapid.SampledFrom(ops).Draw(t, "op"), At: now})
	}
	if rapid.IntRange(0, 5).Draw(t, "read") == 0 {
		return o
	}
	r := &model.Reading{At: now, Type: rapid.SampledFrom([]string{"none", "string", "string", "hash", "zset"}).Draw(t, "type")}
	o.Reading, r.Format = r, r.Type
	most := map[string]int{"none": 0, "string": 1, "hash": 3, "zset": 3}[r.Type]
	for i := range rapid.IntRange(min(most, 1), most).Draw(t, "holders") {
		h := model.Holder{Owner: fmt.Sprint(rapid.SampledFrom([]string{"A", "B", "C"}).Draw(t, "owner"), i)}
		if rapid.Bool().Draw(t, "volatile") {
			h.Deadline = now.Add(time.Duration(rapid.IntRange(1, 5000).Draw(t, "ttl")) * time.Millisecond)
		}
		r.Holders = append(r.Holders, h)
	}
	return o
}

func TestProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		inputs := anyInputs(t)
		ledger := model.NewLedger(model.Limits{})
		var story []model.Transition
		last := map[string]model.Instant{}
		open := map[string]int{}
		for i := range inputs {
			told := ledger.Apply(inputs[i])
			story = append(story, told...)
			for _, tr := range told {
				if tr.At < last[tr.Key.Name] {
					t.Fatalf("at goes back: %s after %s", tell(tr), clock(last[tr.Key.Name]))
				}
				last[tr.Key.Name] = tr.At
				if tr.At < tr.Earliest || tr.At > tr.Latest {
					t.Fatalf("at lies outside its bounds: %s", tell(tr))
				}
				if tr.Held != model.NoDuration && tr.Held < 0 || tr.Free != model.NoDuration && tr.Free < 0 {
					t.Fatalf("a span is negative: %s", tell(tr))
				}
				count(open, tr)
			}
			if again := ledger.Apply(inputs[i]); inputs[i].Observation != nil && len(again) != 0 {
				t.Fatalf("applied twice, it tells more: %s", tell(again[0]))
			}
		}
		// Ends that wait for a new name are told at last.
		end := model.Input{Advance: ledger.Now().Add(time.Hour)}
		inputs = append(inputs, end)
		for _, tr := range ledger.Apply(end) {
			story = append(story, tr)
			count(open, tr)
		}
		if d := cmp.Diff(story, replay(inputs)); d != "" {
			t.Fatalf("the same inputs tell another story:\n%s", d)
		}
		entries := 0
		for lease := range ledger.Leases() {
			entries += len(ledger.History(lease.Key))
			if open[lease.Key.Name] > len(lease.Tenures) {
				t.Fatalf("%s: %d tenures begun and not ended, %d held", lease.Key.Name, open[lease.Key.Name], len(lease.Tenures))
			}
			if lease.Generation > 0 && len(lease.Tenures) > int(lease.Generation) {
				t.Fatal("more holders than generations")
			}
		}
		if entries != ledger.Totals(ledger.Now()).Entries {
			t.Fatalf("%d entries kept, %d counted", entries, ledger.Totals(ledger.Now()).Entries)
		}
	})
}

// count keeps how many tenures the lines leave open.
func count(open map[string]int, tr model.Transition) {
	switch {
	case tr.Change == model.Found || tr.Change == model.Acquired:
		open[tr.Key.Name]++
	case tr.Change.Ends():
		open[tr.Key.Name] = max(0, open[tr.Key.Name]-1)
	}
}

func replay(inputs []model.Input) []model.Transition {
	ledger := model.NewLedger(model.Limits{})
	var story []model.Transition
	for i := range inputs {
		story = append(story, ledger.Apply(inputs[i])...)
		ledger.Apply(inputs[i])
	}
	return story
}

func TestBounds(t *testing.T) {
	ledger := model.NewLedger(model.Limits{EntriesPerKey: 16, Entries: 200, FreeKeys: 10})
	ledger.Apply(model.Input{Health: &model.Health{Node: "n", State: model.StateSynced, At: epoch}})
	now, seq := epoch, uint64(0)
	for i := range 5000 {
		now = now.Add(time.Millisecond)
		seq++
		o := &model.Observation{Seq: seq, ToldAt: now, Source: model.SourceEvent,
			Key: model.Key{Node: "n", Name: fmt.Sprint(i % 37)}}
		if i%3 == 2 {
			o.Hints = []model.Hint{{Op: "del", At: now}}
			o.Reading = &model.Reading{At: now, Type: "none"}
		} else {
			o.Hints = []model.Hint{{Op: "set", At: now}, {Op: "expire", At: now}}
			o.Reading = &model.Reading{At: now, Type: "string", Format: "string",
				Holders: []model.Holder{{Owner: "A", Deadline: now.Add(time.Second)}}}
		}
		ledger.Apply(model.Input{Observation: o})
	}
	totals := ledger.Totals(now)
	if totals.Entries > 200 || totals.Free > 10 {
		t.Fatalf("the bounds do not hold: %+v", totals)
	}
	if totals.DroppedEntries == 0 || int(totals.Transitions)-int(totals.DroppedEntries) != totals.Entries {
		t.Fatalf("what was given up is not counted: %+v", totals)
	}
}

func BenchmarkLockCycle(b *testing.B) {
	ledger := model.NewLedger(model.Limits{})
	ledger.Apply(model.Input{Health: &model.Health{Node: "n", State: model.StateSynced, Notify: model.NotifyOn, At: epoch}})
	now, seq := epoch, uint64(0)
	keys := make([]model.Key, 1000)
	for i := range keys {
		keys[i] = model.Key{Node: "n", Name: fmt.Sprintf("lock:%d", i)}
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		k := keys[i%len(keys)]
		now = now.Add(20 * time.Microsecond)
		held := &model.Reading{At: now, Type: "string", Format: "string",
			Holders: []model.Holder{{Owner: "A", Deadline: now.Add(time.Second)}}}
		renewed := &model.Reading{At: now, Type: "string", Format: "string",
			Holders: []model.Holder{{Owner: "A", Deadline: now.Add(2 * time.Second)}}}
		ledger.Apply(
			model.Input{Observation: &model.Observation{Seq: seq + 1, Key: k, ToldAt: now, Source: model.SourceEvent,
				Hints: []model.Hint{{Op: "set", At: now}, {Op: "expire", At: now}}, Reading: held}},
			model.Input{Observation: &model.Observation{Seq: seq + 2, Key: k, ToldAt: now, Source: model.SourceEvent,
				Hints: []model.Hint{{Op: "expire", At: now}}, Reading: renewed}},
			model.Input{Observation: &model.Observation{Seq: seq + 3, Key: k, ToldAt: now, Source: model.SourceEvent,
				Hints: []model.Hint{{Op: "del", At: now}}, Reading: &model.Reading{At: now, Type: "none"}}},
		)
		seq += 3
	}
}
