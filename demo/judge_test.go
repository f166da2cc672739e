package demo

import (
	"context"
	"os"
	"testing"
	"time"

	"leasetop/model"
)

// What untouched judges must not hold when somebody touches B's lease: each way
// of doing so is tried by the demo's own hand.
func TestUntouchedSeesEveryTouch(t *testing.T) {
	e, err := Embed(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	r, err := Start(t.Context(), Options{Scenario: "token", Embedded: e, TTL: 500 * time.Millisecond, Command: []string{os.Args[0], "demo-worker"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	for range 4 {
		if _, err := r.Step(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	b := r.Snapshot().B.Owner
	for name, touch := range map[string]op{
		"nothing": func(context.Context, *Run) error { return nil },
		"a longer lease": func(ctx context.Context, r *Run) error {
			return r.client.PExpire(ctx, r.key, time.Minute).Err()
		},
		"a shorter lease": func(ctx context.Context, r *Run) error {
			return r.client.PExpire(ctx, r.key, 30*time.Second).Err()
		},
		"no deadline": func(ctx context.Context, r *Run) error { return r.client.Persist(ctx, r.key).Err() },
		"another owner": func(ctx context.Context, r *Run) error {
			return r.client.Set(ctx, r.key, "c", time.Minute).Err()
		},
		"no owner": func(ctx context.Context, r *Run) error { return r.client.Del(ctx, r.key).Err() },
	} {
		if err := r.client.Set(t.Context(), r.key, b, time.Minute).Err(); err != nil {
			t.Fatal(err)
		}
		if name == "a longer lease" {
			if err := r.client.PExpire(t.Context(), r.key, 40*time.Second).Err(); err != nil {
				t.Fatal(err)
			}
		}
		if err := untouched(releaseRefused.Name, touch)(t.Context(), r); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if held := r.judged[releaseRefused.Name]; held != (name == "nothing") {
			t.Errorf("%s: it was judged to be untouched: %v", name, held)
		}
	}
}

func TestTheTimelineOfReadings(t *testing.T) {
	var line timeline
	ms := func(n int) model.Instant { return model.Instant(1_000_000_000_000 + n*1000) }
	for _, r := range []reading{
		{at: ms(3), owner: "a", deadline: ms(5000)},
		{at: ms(2000), owner: "a", deadline: ms(5001)}, // the same, rounded
		{at: ms(2500), owner: "a", deadline: ms(7400)},
		{at: ms(7600), owner: "b", deadline: ms(12500)},
		{at: ms(8000)},
		{at: ms(8100), owner: "c"},
	} {
		line.fold(r, 5*time.Second)
	}
	want := []struct {
		change model.Change
		owner  string
		at     model.Instant
	}{
		{model.Acquired, "a", ms(0)}, {model.Renewed, "a", ms(2500)}, {model.Expired, "a", ms(7400)},
		{model.Acquired, "b", ms(7500)}, {model.Released, "b", ms(8000)}, {model.Acquired, "c", ms(8100)},
	}
	if len(line.entries) != len(want) {
		t.Fatalf("it became %+v", line.entries)
	}
	for i, w := range want {
		if e := line.entries[i]; e.Change != w.change || e.Owner.Token != w.owner || e.At != w.at {
			t.Errorf("line %d: %v of %q at %v", i, e.Change, e.Owner.Token, e.At)
		}
	}
	if line.began("b") != ms(7500) || line.ended("a") != ms(7400) || line.began("x") != 0 {
		t.Errorf("b began at %v, a ended at %v", line.began("b"), line.ended("a"))
	}
}
