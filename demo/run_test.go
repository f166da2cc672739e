package demo_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"leasetop/demo"
)

// begin starts a run and closes it at the end of the test.
func begin(t *testing.T, opts demo.Options, emit func(demo.Event)) *demo.Run {
	t.Helper()
	if opts.TTL == 0 {
		opts.TTL = time.Second
	}
	r, err := demo.Start(t.Context(), opts, emit)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	return r
}

func step(t *testing.T, r *demo.Run) bool {
	t.Helper()
	done, err := r.Step(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return done
}

func count(w demo.Worker, event, outcome string) int {
	n := 0
	for _, e := range w.Lines {
		if e.Event == event && e.Outcome == outcome {
			n++
		}
	}
	return n
}

// A class takes its time over each step: B's lease must live through it, and
// what was shown before must still be there.
func TestARunCanBeStoppedAtAndWalkedBack(t *testing.T) {
	server := embed(t)
	r := begin(t, demo.Options{Scenario: "token", Embedded: server}, nil)
	for range 4 {
		if step(t, r) {
			t.Fatal("four steps were all")
		}
	}
	until(t, "B renews for longer than its TTL", func() bool { return count(r.Snapshot().B, "lease_renewal", "ok") >= 4 })
	for !step(t, r) {
	}
	v := r.Verdict()
	if wrong := lessons["token"].differs(v); wrong != "" {
		t.Error(wrong)
	}
	moments := r.Moments()
	if len(moments) != len(r.Info().Steps)+1 {
		t.Fatalf("%d moments of %d steps", len(moments), len(r.Info().Steps))
	}
	for i, want := range []struct {
		a, b   demo.WorkerState
		holder string
		value  string
		known  int
	}{
		{demo.Waiting, demo.Waiting, "", "", 0},
		{demo.Working, demo.Waiting, "A", "", 0},
		{demo.Paused, demo.Waiting, "A", "", 0},
		{demo.Paused, demo.Working, "B", "", 0},
		{demo.Paused, demo.Finished, "B", "B", 0},
		{demo.Finished, demo.Finished, "B", "A", 1},
		{demo.Ended, demo.Finished, "B", "A", 2},
		{demo.Ended, demo.Ended, "", "A", 2},
	} {
		m := moments[i]
		known := 0
		for _, a := range m.Assertions {
			if a.Known {
				known++
			}
		}
		if m.Step != i || m.A.State != want.a || m.B.State != want.b || m.Lease.Holder != want.holder || m.Resource.Value != want.value || known != want.known {
			t.Errorf("moment %d: A %s, B %s, held by %q, value %q, %d assertions known", i, m.A.State, m.B.State, m.Lease.Holder, m.Resource.Value, known)
		}
	}
	if how := moments[2].A.How; how != "SIGSTOP" {
		t.Errorf("A was stopped by %q", how)
	}
	if f := moments[3].A.Fence; f == nil || *f != 33 || *moments[3].B.Fence != 34 {
		t.Errorf("A has the fence %v", f)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	if err := r.Close(); err != nil {
		t.Errorf("closed again: %v", err)
	}
	if keys := plainClient(t, server.Addr()).Keys(t.Context(), "*").Val(); len(keys) > 0 {
		t.Errorf("keys are left: %v", keys)
	}
}

// Where the system has no SIGSTOP a worker is asked to stand still; the lessons
// are the same, and the run says how it was done.
func TestThePauseByAsking(t *testing.T) {
	server := embed(t)
	for _, name := range []string{"token", "renewal"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var notes []string
			v, err := demo.Play(t.Context(), demo.Options{Scenario: name, Embedded: server, TTL: time.Second, Cooperative: true}, func(e demo.Event) {
				notes = append(notes, e.Note)
			})
			if err != nil {
				t.Fatal(err)
			}
			if wrong := lessons[name].differs(v); wrong != "" {
				t.Error(wrong)
			}
			if told := strings.Join(notes, "\n"); !strings.Contains(told, "by asking") || strings.Contains(told, "SIGSTOP") {
				t.Errorf("it was told as: %s", told)
			}
		})
	}
}

func TestAnInterruptInTheMiddleOfAStep(t *testing.T) {
	server := embed(t)
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	_, err := demo.Play(ctx, demo.Options{Scenario: "naive", Embedded: server, TTL: time.Minute}, func(e demo.Event) {
		if e.Worker != nil && e.Worker.Event == "acquire_denied" {
			interrupt()
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("it ended with: %v", err)
	}
	if keys := plainClient(t, server.Addr()).Keys(t.Context(), "*").Val(); len(keys) > 0 {
		t.Errorf("keys are left: %v", keys)
	}
}

// Events are handed on one at a time, in order: a step's lines stand between its
// beginning and its end, and each has happened when its step ends.
func TestEventsOfAStepStandInIt(t *testing.T) {
	server := embed(t)
	var kinds []demo.Event
	r := begin(t, demo.Options{Scenario: "fenced", Embedded: server}, func(e demo.Event) { kinds = append(kinds, e) })
	for !step(t, r) {
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	open, steps := 0, 0
	for i, e := range kinds {
		switch e.Kind {
		case demo.StepBegan:
			if open != 0 || e.Step != steps+1 {
				t.Fatalf("event %d: step %d begins in step %d", i, e.Step, open)
			}
			open = e.Step
			steps++
		case demo.StepEnded:
			if e.Step != open {
				t.Fatalf("event %d: step %d ends in step %d", i, e.Step, open)
			}
			open = 0
		}
	}
	if steps != len(r.Info().Steps) || open != 0 {
		t.Errorf("%d steps, the last one open: %d", steps, open)
	}
}
