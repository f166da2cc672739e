package model_test

import (
	"slices"
	"testing"
	"time"

	"leasetop/model"
)

func TestTogether(t *testing.T) {
	const uuid, short = "0b9c5c0e6f1d4a7b8c2d3e4f5a6b7c8d", "worker-1"
	ledger := model.NewLedger(model.Limits{})
	seq := uint64(0)
	put := func(node, name, format, token, group string, deadline model.Instant) {
		seq++
		ledger.Apply(model.Input{Observation: &model.Observation{Seq: seq, Key: model.Key{Node: node, Name: name}, Source: model.SourcePoll, ToldAt: epoch,
			Reading: &model.Reading{At: epoch, Type: "string", Format: format, Group: group, Size: int64(len(token)), Deadline: deadline,
				Holders: []model.Holder{{Owner: token, Deadline: deadline}}}}})
	}
	end := epoch.Add(time.Minute)
	put("n", "room:1", "string", uuid, "", end)
	put("n", "room:2", "string", uuid, "", end.Add(15*time.Millisecond))
	put("n", "later", "string", uuid, "", end.Add(time.Second)) // one token a process
	put("n", "endless", "string", uuid, "", 0)
	put("n", "other", "string", uuid[1:]+"e", "", end)
	put("m", "room:1", "string", uuid, "", end.Add(3*time.Second)) // Redlock over servers
	put("n", "short:1", "string", short, "", end)
	put("n", "short:2", "string", short, "", end)
	put("n", "rueidislock:0:x", "string", uuid, "rueidislock:x", end)
	put("n", "rueidislock:1:x", "string", uuid, "rueidislock:x", end.Add(time.Second))
	put("n", "count", "counter", uuid, "", end)
	for _, c := range []struct {
		name string
		want []string
	}{
		{"room:1", []string{"room:1@m", "room:2@n"}},
		{"room:2", []string{"room:1@n"}},
		{"later", nil},
		{"endless", nil},
		{"other", nil},
		{"short:1", nil},
		{"rueidislock:0:x", []string{"rueidislock:1:x@n"}},
		{"count", nil},
		{"unheard of", nil},
	} {
		var got []string
		for _, k := range ledger.Together(model.Key{Node: "n", Name: c.name}) {
			got = append(got, k.Name+"@"+k.Node)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: with %q, want %q", c.name, got, c.want)
		}
	}
}

// BenchmarkTogether is what one answer takes among 100,000 leases.
func BenchmarkTogether(b *testing.B) {
	ledger := model.NewLedger(model.Limits{})
	for i := range 100_000 {
		name := "lock:" + string(rune('a'+i%26)) + time.Duration(i).String()
		ledger.Apply(model.Input{Observation: &model.Observation{Seq: uint64(i + 1), Key: model.Key{Node: "n", Name: name}, Source: model.SourcePoll, ToldAt: epoch,
			Reading: &model.Reading{At: epoch, Type: "string", Format: "string", Size: 32, Holders: []model.Holder{{Owner: name + "0123456789abcdef", Deadline: epoch + 1e9}}}}})
	}
	for b.Loop() {
		ledger.Together(model.Key{Node: "n", Name: "lock:a0s"})
	}
}
