package demo_test

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"leasetop/demo"
	"leasetop/model"
)

// runs asks for more performances of each scenario than make test has time for:
// go test ./demo -run Verdicts -runs 20 -v
var runs = flag.Int("runs", 1, "performances of each scenario")

// lesson is what a scenario must show, told a second time: by somebody who has
// read what the scenario is for, and not how it is played.
type lesson struct {
	held, not                     []string // assertions
	accepted, duplicate, rejected int64
	overlapped, ranPast, tookOver bool
}

var lessons = map[string]lesson{
	"naive":            {not: []string{"late-release-refused", "stale-write-rejected"}, accepted: 2, overlapped: true, ranPast: true, tookOver: true},
	"token":            {held: []string{"late-release-refused"}, not: []string{"stale-write-rejected"}, accepted: 2, overlapped: true, ranPast: true, tookOver: true},
	"fenced":           {held: []string{"late-release-refused", "stale-write-rejected", "stopped-by-itself"}, accepted: 1, rejected: 1, overlapped: true, ranPast: true, tookOver: true},
	"check-then-write": {held: []string{"check-passed", "late-release-refused"}, not: []string{"stale-write-rejected"}, accepted: 2, overlapped: true, ranPast: true, tookOver: true},
	"renewal":          {held: []string{"late-renewal-refused", "stopped-by-itself", "stale-write-rejected", "late-release-refused"}, accepted: 1, rejected: 1, overlapped: true, ranPast: true, tookOver: true},
	"ambiguous":        {held: []string{"renewal-carried-out", "unknown-is-lost", "one-effect"}, accepted: 1, tookOver: true},
	"report":           {held: []string{"work-overlapped", "late-release-refused", "own-release-deleted"}, overlapped: true, ranPast: true},
	"orphan":           {not: []string{"lease-has-expiry", "taken-over"}},
	"crash":            {held: []string{"not-before-deadline", "taken-over", "one-effect"}, accepted: 1, tookOver: true},
	"idempotent":       {held: []string{"one-effect", "second-gets-first-result", "late-release-refused"}, accepted: 1, duplicate: 1, overlapped: true, ranPast: true, tookOver: true},
	"failover":         {not: []string{"one-holder", "fence-unique", "stale-write-rejected"}, accepted: 2, overlapped: true, ranPast: true},
}

func some(ms *int64) bool { return ms != nil && *ms > 0 }

// differs says in what a verdict is not what the lesson wants, "" in nothing.
func (l lesson) differs(v demo.Verdict) string {
	var wrong []string
	want := map[string]bool{}
	for _, name := range l.held {
		want[name] = true
	}
	for _, name := range l.not {
		want[name] = false
	}
	got := map[string]bool{}
	for _, a := range v.Assertions {
		if a.Known {
			got[a.Name] = a.Held
		}
	}
	if !maps.Equal(want, got) {
		wrong = append(wrong, fmt.Sprintf("assertions %v, not %v", got, want))
	}
	if !v.AsExpected {
		wrong = append(wrong, "not as expected")
	}
	if v.Accepted != l.accepted || v.Duplicate != l.duplicate || v.Rejected != l.rejected {
		wrong = append(wrong, fmt.Sprintf("%d accepted, %d duplicate, %d rejected", v.Accepted, v.Duplicate, v.Rejected))
	}
	if some(v.OverlapMs) != l.overlapped || some(v.RanPastLeaseMs) != l.ranPast || (v.TakeoverMs != nil) != l.tookOver {
		wrong = append(wrong, fmt.Sprintf("overlap %s, ran past %s, takeover %s", ms(v.OverlapMs), ms(v.RanPastLeaseMs), ms(v.TakeoverMs)))
	}
	return strings.Join(wrong, "; ")
}

func ms(n *int64) string {
	if n == nil {
		return "none"
	}
	return fmt.Sprintf("%d ms", *n)
}

// play plays one scenario and returns the worker events, in their order.
func play(t *testing.T, opts demo.Options) (demo.Verdict, []model.WorkerEvent) {
	t.Helper()
	if opts.TTL == 0 {
		opts.TTL = time.Second
	}
	var events []model.WorkerEvent
	v, err := demo.Play(t.Context(), opts, func(e demo.Event) {
		if e.Worker != nil {
			events = append(events, *e.Worker)
		}
	})
	if err != nil {
		t.Fatalf("%s: %v", opts.Scenario, err)
	}
	return v, events
}

// servers are the two kinds of embedded servers.
func servers(t *testing.T) map[string]*demo.Embedded {
	t.Helper()
	all := map[string]*demo.Embedded{}
	real := embed(t)
	if real.Real() {
		all["real"] = real
	}
	path := os.Getenv("PATH")
	t.Setenv("PATH", "")
	all["miniredis"] = embed(t)
	os.Setenv("PATH", path)
	return all
}

func TestVerdicts(t *testing.T) {
	for kind, server := range servers(t) {
		t.Run(kind, func(t *testing.T) {
			for _, s := range demo.Scenarios() {
				t.Run(s.Name, func(t *testing.T) {
					t.Parallel()
					if demo.Playable(s.Name) != nil {
						t.Skip("no redis-server on the PATH")
					}
					if s.NeedsReal && kind != "real" {
						t.Skip("it brings its own servers")
					}
					as := 0
					for range *runs {
						v, _ := play(t, demo.Options{Scenario: s.Name, Embedded: server})
						if wrong := lessons[s.Name].differs(v); wrong != "" {
							t.Errorf("%s", wrong)
							continue
						}
						as++
					}
					t.Logf("%s on %s: %d of %d as the lesson says", s.Name, kind, as, *runs)
				})
			}
		})
		if left := plainClient(t, server.Addr()).Keys(t.Context(), "*").Val(); len(left) > 0 {
			t.Errorf("%s: keys are left: %v", kind, left)
		}
	}
}

func TestEveryScenarioHasALesson(t *testing.T) {
	left := maps.Clone(lessons)
	for _, s := range demo.Scenarios() {
		if _, ok := lessons[s.Name]; !ok {
			t.Errorf("nobody has said what %s must show", s.Name)
		}
		if s.Title == "" || s.Lesson == "" || len(s.Steps) < 3 || len(s.Assertions) == 0 {
			t.Errorf("%s: not all is told: %+v", s.Name, s)
		}
		for i, step := range s.Steps {
			if step.Title == "" || step.Lesson == "" {
				t.Errorf("%s: step %d has no words", s.Name, i+1)
			}
		}
		delete(left, s.Name)
	}
	for name := range left {
		t.Errorf("there is no scenario %s", name)
	}
}

// before holds that in each performance the first line comes before the second.
type before struct{ first, second string }

var orders = map[string][]before{
	"": {
		{"a acquire_attempt", "a acquired"}, {"a acquired", "a job_start"}, {"a acquired", "b acquired"},
		{"b acquired", "b job_start"}, {"b acquired", "a release"}, {"b job_start", "b job_finish"}, {"b job_finish", "b release"},
	},
	"report": {{"b acquired", "a job_finish"}, {"a job_finish", "a release not-owner"}, {"a release not-owner", "b job_finish"}, {"b job_finish", "b release deleted"}},
	"naive":  {{"b write_accepted", "a write_attempt"}, {"a write_accepted", "a release deleted"}, {"a release deleted", "b release not-owner"}},
	"token":  {{"b write_accepted", "a write_attempt"}, {"a write_accepted", "a release not-owner"}, {"a release not-owner", "b release deleted"}},
	"fenced": {{"b write_accepted", "a write_attempt"}, {"a write_rejected", "a ownership_uncertain"}, {"a ownership_uncertain", "a job_stop_requested"},
		{"a job_stop_requested", "a job_stopped"}, {"a job_stopped", "a release not-owner"}},
	"renewal": {{"a lease_renewal ok", "b acquired"}, {"b write_accepted", "a lease_renewal rejected"}, {"a lease_renewal rejected", "a ownership_uncertain"},
		{"a job_stop_requested", "a write_attempt"}, {"a write_rejected", "a job_stopped"}, {"a job_stopped", "a release not-owner"}},
	"idempotent": {{"b write_accepted", "a write_duplicate"}, {"a write_duplicate", "a job_finish"}},
}

func TestEventsComeInTheirOrder(t *testing.T) {
	server := embed(t)
	for name, own := range orders {
		if name == "" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, events := play(t, demo.Options{Scenario: name, Embedded: server})
			at := func(line string) int {
				return slices.IndexFunc(events, func(e model.WorkerEvent) bool {
					told := e.Pod[len("worker-"):] + " " + e.Event + " " + e.Outcome
					return told == line || strings.HasPrefix(told, line+" ")
				})
			}
			for _, o := range append(slices.Clone(orders[""]), own...) {
				first, second := at(o.first), at(o.second)
				if first < 0 || second < 0 {
					if !slices.Contains(own, o) {
						continue
					}
					t.Errorf("%q or %q is missing", o.first, o.second)
				} else if first > second {
					t.Errorf("%q comes after %q", o.first, o.second)
				}
			}
			for _, e := range events {
				if e.JobID == "" || e.ExecutionID == "" || e.Pod == "" || e.Key == "" || e.At == 0 || e.ElapsedMs < 0 {
					t.Errorf("an event without its names: %+v", e)
				}
			}
			for _, pod := range []string{"worker-a", "worker-b"} {
				var last model.WorkerEvent
				for _, e := range events {
					if e.Pod == pod && e.ElapsedMs < last.ElapsedMs {
						t.Errorf("%s: %s at %d ms comes after %s at %d ms", pod, e.Event, e.ElapsedMs, last.Event, last.ElapsedMs)
					}
					if e.Pod == pod {
						last = e
					}
				}
			}
			stopped := at("a job_stopped")
			if stopped >= 0 && events[stopped].StopMs == nil {
				t.Error("nobody measured how long the stop took")
			}
		})
	}
}

func TestWhatCannotBePlayed(t *testing.T) {
	here := demo.Target{Addr: "127.0.0.1:1"}
	for _, c := range []struct {
		name string
		opts demo.Options
		is   error
		says string
	}{
		{"unknown scenario", demo.Options{Scenario: "nieve", Target: here}, demo.ErrScenario, "naive, token, fenced"},
		{"TTL too short", demo.Options{Scenario: "naive", Target: here, TTL: time.Millisecond}, demo.ErrTTL, "from 200ms"},
		{"TTL too long", demo.Options{Scenario: "naive", Target: here, TTL: time.Hour}, demo.ErrTTL, "to 10m"},
		{"another host", demo.Options{Scenario: "naive", Target: demo.Target{Addr: "192.0.2.1:6379", Password: "s3cret"}}, demo.ErrElsewhere, "--yes"},
		{"no server there", demo.Options{Scenario: "naive", Target: here}, demo.ErrGone, ""},
		{"no port at all", demo.Options{Scenario: "naive", Target: demo.Target{Addr: "localhost"}}, demo.ErrElsewhere, "--yes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := demo.Play(t.Context(), c.opts, nil)
			if !errors.Is(err, c.is) {
				t.Fatalf("it said: %v", err)
			}
			var told *demo.Error
			if !errors.As(err, &told) || told.Doing == "" || !strings.Contains(told.Hint, c.says) {
				t.Errorf("it said %v, with the hint %q", err, told.Hint)
			}
			if strings.Contains(err.Error(), "s3cret") {
				t.Errorf("it told the password: %v", err)
			}
		})
	}
}
