package ui

import (
	"context"
	"errors"
	"testing"
	"time"

	"leasetop/model"
	"leasetop/model/overlap"
)

// rehearsal is a demo that exists in the test only. What it has come to is sent
// by the test; its own calls give the same.
type rehearsal struct {
	foreign bool
	begun   []string
	moment  DemoMoment
	err     error
}

func (r *rehearsal) Scenarios() []DemoScenario {
	steps := []DemoStep{
		{"A acquires the lease and does its work", "The value of the key is a token that no other attempt has."},
		{"A is stopped, its write on its way", "A stands. The lease goes on running down: it belongs to the server's clock."},
		{"A's lease runs out and B acquires", "Two workers have now acquired the same lease, one after the other, and both believe in it."},
		{"A goes on and writes", "The token is known to Redis only. The resource takes A's write as it took B's."},
	}
	return []DemoScenario{
		{"naive", "plain DEL, no fence", "A lease ends by itself and stops nobody.", steps},
		{"token", "token-checked release, no fence", "The owner token protects the key and nothing else: the late release is refused, the late write is not.", steps},
		{"failover", "a replica without the key becomes primary", "A replica can be promoted without the newest lock.", steps},
	}
}

func (r *rehearsal) Stage() DemoStage {
	return DemoStage{Where: "redis 7.0.15 (private, pid 4119)", Foreign: r.foreign, Writes: "It writes keys under lease-demo: and removes them."}
}

func (r *rehearsal) Begin(_ context.Context, name string) (DemoMoment, error) {
	r.begun = append(r.begun, name)
	return r.moment, r.err
}
func (r *rehearsal) Step(context.Context) (DemoMoment, error) { return r.moment, r.err }
func (r *rehearsal) Now() DemoMoment                          { return r.moment }

const demoKey = "lease-demo:7f:invoice-42:lock"

// rehearse opens the demo page with a scenario.
func rehearse(s *stage, scenario string) *rehearsal {
	r := &rehearsal{}
	s.m.cfg.Demo, s.m.cfg.Scenario = r, scenario
	s.m.firstDemo()
	return r
}

// comes tells the screen what the run has come to.
func (s *stage) comes(m DemoMoment) { s.send(demoTold{turn: s.m.demo.turn, moment: m}) }

// told is a line of a worker, now.
func (s *stage) told(w *DemoWorker, event, outcome string, fence int64) {
	e := model.WorkerEvent{Key: demoKey, At: s.now, JobID: "invoice-42", ExecutionID: "attempt-" + w.Name, Pod: "worker-" + w.Name, Event: event, Outcome: outcome}
	if fence > 0 {
		e.Fence = &fence
	}
	w.Lines = append(w.Lines[:len(w.Lines):len(w.Lines)], e)
}

// pausedMoment plays until A is past its lease and B at work, and gives the
// moments on the way.
func pausedMoment(s *stage) DemoMoment {
	f33, f34 := int64(33), int64(34)
	m := DemoMoment{
		A: DemoWorker{Name: "A", Pid: 4121, State: "waiting"}, B: DemoWorker{Name: "B", Pid: 4122, State: "waiting"},
		Lease:    DemoLease{Key: s.key(demoKey)},
		Resource: DemoResource{Job: "invoice-42"},
		Clock:    overlap.Known(0, time.Millisecond),
		Assertions: []DemoAssertion{
			{Name: "late-release-refused", Says: "A cannot remove B's key", Expected: true},
			{Name: "stale-write-rejected", Says: "A cannot overwrite B's result"},
		},
	}
	s.comes(m)
	s.m.stepDemo()
	s.acquire(demoKey, "51be4409d81b0d2a51be0d2a", 5*time.Second)
	m.Step, m.A.State, m.A.Owner, m.A.Fence = 1, "working", "51be4409d81b0d2a51be0d2a", &f33
	s.told(&m.A, "acquire_attempt", "", 0)
	s.told(&m.A, "acquired", "", 33)
	s.told(&m.A, "job_start", "", 0)
	s.comes(m)
	s.m.stepDemo()
	s.pass(400 * time.Millisecond)
	m.Step, m.A.State, m.A.How, m.Notes = 2, "stopped", "SIGSTOP", []string{"A stands (SIGSTOP)"}
	s.comes(m)
	s.m.stepDemo()
	s.pass(4600*time.Millisecond + 200*time.Microsecond)
	s.expire(demoKey)
	s.pass(100 * time.Millisecond)
	s.acquire(demoKey, "7f3ac19e0077aa117f3ac19e", 5*time.Second)
	m.Step, m.B.State, m.B.Owner, m.B.Fence, m.Notes = 3, "working", "7f3ac19e0077aa117f3ac19e", &f34, nil
	s.told(&m.B, "acquire_attempt", "", 0)
	s.told(&m.B, "acquired", "", 34)
	s.told(&m.B, "job_start", "", 0)
	s.comes(m)
	s.pass(1200 * time.Millisecond)
	return m
}

// overMoment is the end of the scenario.
func overMoment(s *stage, m DemoMoment) DemoMoment {
	s.m.stepDemo()
	m.Step, m.A.State, m.Resource.Value, m.Resource.Writer = 4, "ended", "A", "attempt-a"
	s.told(&m.A, "write_accepted", "", 33)
	s.told(&m.A, "release", "not-owner", 0)
	m.Assertions = []DemoAssertion{
		{Name: "late-release-refused", Says: "A cannot remove B's key", Expected: true, Known: true, Held: true},
		{Name: "stale-write-rejected", Says: "A cannot overwrite B's result", Known: true},
	}
	past, both := int64(1300), int64(1200)
	m.Verdict = &DemoVerdict{AsExpected: true, RanPast: &past, Overlap: &both, Accepted: 2}
	s.comes(m)
	return m
}

func TestDemoShowsTheLeaseThatTheWatcherSees(t *testing.T) {
	s := newStage(t, 120, 30)
	r := rehearse(s, "token")
	pausedMoment(s)
	s.wants("step 3 of 4", "WORKER A", "pid 4121", "stopped", "past its lease for 1.30 s", "B 7f3a…c19e", "3.800 s", "A cannot remove B's key", "(not checked)")
	// What the demo read itself is not what is shown.
	s.m.demo.moments[len(s.m.demo.moments)-1].Lease.Owner = "somebody else"
	s.wants("B 7f3a…c19e")
	if len(r.begun) != 0 {
		t.Errorf("Update began %v by itself; only a command may", r.begun)
	}
}

func TestDemoIsWalkedBackAndForth(t *testing.T) {
	s := newStage(t, 120, 30)
	rehearse(s, "token")
	over := overMoment(s, pausedMoment(s))
	s.wants("step 4 of 4", "as its lesson says", "A past its lease 1300 ms", "2 accepted")
	s.press("left", "left")
	s.wants("step 2 of 4", "A 51be…0d2a", "4.600 s", "? A cannot remove B's key")
	s.lacks("past its lease for")
	s.press("right", "right")
	s.wants("step 4 of 4")
	s.press("right")
	s.wants("results", "late release refused", "stale write rejected", "failover", "not played")
	s.press("left")
	s.wants("step 4 of 4")
	s.press("esc")
	if s.m.page() != pageLeases {
		t.Errorf("esc leads to %v", pageNames[s.m.page()])
	}
	s.press("d")
	s.wants("step 4 of 4")
	if got := s.m.demo.results["token"]; got.Verdict != over.Verdict {
		t.Errorf("the result of token is not kept: %+v", got)
	}
}

func TestDemoPlaysByItselfUntilAKeyIsPressed(t *testing.T) {
	s := newStage(t, 120, 30)
	rehearse(s, "token")
	s.comes(DemoMoment{A: DemoWorker{Pid: 1}})
	s.send(demoDue{s.m.demo.turn})
	if !s.m.demo.busy {
		t.Fatal("the first step does not follow by itself")
	}
	s.press("left")
	s.comes(DemoMoment{Step: 1})
	s.send(demoDue{s.m.demo.turn})
	if s.m.demo.busy {
		t.Error("it plays on although a key was pressed")
	}
	s.press("space")
	s.comes(DemoMoment{Step: 2})
	s.send(demoDue{s.m.demo.turn})
	if !s.m.demo.busy {
		t.Error("space does not run it")
	}
}

func TestDemoForgetsARunThatWasGivenUp(t *testing.T) {
	s := newStage(t, 120, 30)
	r := rehearse(s, "token")
	old := s.m.demo.turn
	ctx := s.m.demo.ctx
	cmd := s.press("3")
	if ctx.Err() == nil {
		t.Error("the run before goes on")
	}
	s.send(demoTold{turn: old, moment: DemoMoment{Step: 2}})
	if len(s.m.demo.moments) != 0 {
		t.Error("a result of the run before was taken for one of this run")
	}
	s.send(cmd())
	if len(r.begun) != 1 || r.begun[0] != "failover" {
		t.Errorf("begun: %v", r.begun)
	}
	s.send(demoTold{turn: s.m.demo.turn, err: &DemoError{errors.New("neither redis-server nor valkey-server is on the PATH"), "install one"}})
	s.wants("neither redis-server nor valkey-server", "install one")
}

func TestDemoAsksBeforeItPlaysOnAnotherMachine(t *testing.T) {
	s := newStage(t, 120, 30)
	r := &rehearsal{foreign: true}
	s.m.cfg.Demo = r
	if cmd := s.press("d", "space", "r", "2", "right"); len(s.m.demo.moments) != 0 || s.m.demo.busy || r.begun != nil {
		t.Fatalf("something was begun: %v %v", r.begun, cmd)
	}
	s.wants("not on this machine", "lease-demo:", "y  plays it there")
	cmd := s.press("y")
	s.send(cmd())
	if len(r.begun) != 1 {
		t.Errorf("begun: %v", r.begun)
	}
}

func TestDemoWorkersLieBesideTheirLease(t *testing.T) {
	s := newStage(t, 120, 40)
	rehearse(s, "token")
	pausedMoment(s)
	s.press("esc")
	s.open(demoKey)
	s.wants("worker-A", "worker-B", "worker-A (attempt-A) is 1.30 s past its lease", "worked at the same time for")
}
