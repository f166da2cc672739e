package ui

import (
	"strings"
	"testing"
	"time"

	"leasetop/model"

	tea "charm.land/bubbletea/v2"
)

// What cannot be seen stays on the screen, dimmed, and says since when.
func TestDisconnected(t *testing.T) {
	s := newStage(t, 120, 30)
	s.acquire("lock:a", "pod-a", 8*time.Second)
	s.pass(time.Second)
	s.counters.State, s.counters.Connected = model.StateDisconnected, false
	s.counters.Err = "dial tcp 127.0.0.1:6379: connection refused"
	s.counters.Hint = "trying again every 2s"
	s.health(model.StateDisconnected)
	s.pass(time.Second)
	s.wants("disconnected", "connection refused", "trying again", "lock:a", "unseen since 12:04:01", "6.000 s")
	s.pass(30 * time.Second)
	s.wants("overdue?", "unseen since 12:04:01")
	s.lacks("expired", "unconfirmed")
	s.press("enter")
	s.wants("holder", "pod-a")
	s.press("esc")

	s.counters.State, s.counters.Connected, s.counters.Err, s.counters.Hint, s.counters.Gaps = model.StateSynced, true, "", "", 1
	s.send(batchMsg{now: s.now, counters: &s.counters, inputs: []model.Input{
		{Health: &model.Health{Node: node, At: s.now, State: model.StateConnected}},
		{Health: &model.Health{Node: node, At: s.now, State: model.StateGap, From: noon.Add(time.Second), To: s.now}}}})
	s.observe("lock:a", model.SourcePoll, model.Reading{Type: "none"})
	s.send(batchMsg{now: s.now, inputs: []model.Input{{Health: &model.Health{Node: node, At: s.now, State: model.StateRecovered}}}})
	s.pass(time.Second)
	s.wants("1 gap", "live", "gone")
	s.lacks("unseen since", "refused")
	s.press("enter")
	s.wants("LOST", "░") // the gap in the picture
}

func TestPollingSaysWhatItCosts(t *testing.T) {
	s := newStage(t, 120, 30)
	s.m.hint.over = false
	s.counters.Notify, s.counters.Source = model.NotifyOff, model.SourcePoll
	s.pass(time.Second)
	s.wants("polling every 2s", "notifications off", "--enable-notifications")
	s.pass(hintTime)
	s.pass(time.Second)
	s.wants("polling every 2s")
	s.lacks("--enable-notifications")
	s.press("?")
	s.press("end")
	s.wants("--enable-notifications")
}

func TestEmptySaysWhatWasLookedFor(t *testing.T) {
	s := newStage(t, 120, 30, func(c *Config) { c.DefaultPatterns = true })
	s.wants("No lock is held.", "1,204 keys", "lock:*", "*:lock", "need a pattern", "leasetop 'job:*'")
	s.counters.Synced = false
	s.pass(time.Second)
	s.wants("Looking through the keys for the first time")
	s.counters.Connected, s.counters.State = false, ""
	s.pass(time.Second)
	s.wants("Connecting")
}

func TestTooSmallSaysHowMuchItNeeds(t *testing.T) {
	s := newStage(t, 120, 30)
	for _, size := range [][2]int{{59, 15}, {60, 14}, {24, 5}} {
		s.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
		s.wants("60 columns", "15 rows")
	}
	s.send(tea.WindowSizeMsg{Width: 60, Height: 15})
	s.lacks("needs 60")
	for _, size := range [][2]int{{1, 1}, {0, 0}, {3, 200}} {
		s.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
		s.m.View()
	}
}

// A change is marked for two seconds; the clock alone marks nothing.
func TestMarks(t *testing.T) {
	s := newStage(t, 120, 30)
	s.acquire("lock:a", "pod-a", time.Minute)
	s.pass(time.Second)
	if l := s.line("lock:a "); !strings.Contains(l, "▶ lock:a") {
		t.Errorf("not marked: %s", l)
	}
	s.pass(1200 * time.Millisecond)
	for range 30 {
		s.pass(time.Second)
		if l := s.line("lock:a "); strings.ContainsAny(l[:6], "▶↻✖○") {
			t.Errorf("marked for no reason: %s", l)
		}
	}
	s.renew("lock:a", time.Minute)
	if l := s.line("lock:a "); !strings.Contains(l, "↻ lock:a") {
		t.Errorf("not marked: %s", l)
	}
}

// What was deduced from readings alone says so.
func TestInferredIsVisible(t *testing.T) {
	s := newStage(t, 120, 30)
	d := s.deadline(20 * time.Second)
	s.observe("lock:a", model.SourcePoll, model.Reading{Deadline: d, Holders: []model.Holder{{Owner: "pod-a", Deadline: d}}})
	s.pass(2 * time.Second)
	d = s.deadline(20 * time.Second)
	s.observe("lock:a", model.SourcePoll, model.Reading{Deadline: d, Holders: []model.Holder{{Owner: "pod-b", Deadline: d}}})
	s.wants("~ replaced", "REPLACED", "~ poll")
	s.press("enter")
	s.wants("in place of", "pod-a", "~ poll")
}

func TestTimelineZoomAndScroll(t *testing.T) {
	s := newStage(t, 120, 30)
	s.acquire("lock:a", "pod-a", 10*time.Second)
	for range 60 {
		s.pass(2 * time.Second)
		s.renew("lock:a", 10*time.Second)
	}
	s.press("enter")
	s.wants("window 1m", "#61", "now ▸", "RENEWED", "had 8.00")
	s.press("+")
	s.wants("window 30s")
	s.press("-", "-")
	s.wants("window 2m")
	s.press("[")
	s.lacks("now ▸")
	s.press("0")
	s.wants("window 1m", "now ▸")
	s.press("home")
	s.wants("#1 ", "ACQUIRED")
	s.lacks("#61")
	s.press("end")
	s.wants("#61")
}

// What workers tell of themselves lies beside the lease that it is about.
func TestWorkersOnTheTimeline(t *testing.T) {
	s := newStage(t, 120, 40)
	tell := func(pod, event, outcome string, fence int64) {
		s.send(workerMsg{model.WorkerEvent{Key: "lock:a", At: s.now, ExecutionID: pod, Pod: pod, Event: event, Outcome: outcome, Fence: &fence}})
	}
	s.acquire("lock:a", "pod-a", 4*time.Second)
	tell("worker-a", "acquired", "", 33)
	tell("worker-a", "job_start", "", 33)
	s.pass(4*time.Second + 200*time.Microsecond)
	s.expire("lock:a")
	s.pass(time.Second)
	s.acquire("lock:a", "pod-b", 9*time.Second)
	tell("worker-b", "job_start", "", 34)
	s.pass(2 * time.Second)
	tell("worker-b", "write_accepted", "", 34)
	s.pass(time.Second)
	tell("worker-a", "write_rejected", "", 33)
	s.pass(4 * time.Second)
	s.open("lock:a")
	s.wants("worker-a", "worker-b", "✓ written (fence 34)", "write refused (fence 33)")
	s.press("left", "left", "left") // when it was taken first
	s.wants("worker-a")
	s.lacks("worker-b", "refused")
	s.acquire("lock:b", "pod-b", 9*time.Second)
	s.press("end", "esc")
	s.open("lock:b")
	s.lacks("worker-a")
}

func TestFindings(t *testing.T) {
	s := newStage(t, 120, 30)
	s.findings(Finding{Rule: "no-expiry", Severity: "warning", Key: model.Key{Node: node, Name: "lock:a"}, Owner: model.OwnerOf("pod-a"),
		Since: noon.Add(2 * time.Second), Detail: "held for 20m without a deadline", Means: "nobody but its owner will free it",
		NotProof: "that its owner is gone", Next: "look for pod-a"})
	s.acquire("lock:a", "pod-a", 0)
	s.pass(3 * time.Second)
	s.wants("1 finding")
	s.press("f")
	s.wants("no-expiry", "warning", "since 12:04:02", "not proved", "that its owner is gone", "look for pod-a")
	s.press("left") // before it began
	s.wants("0 findings")
	s.press("end", "enter")
	s.wants("holder")
	s.press("esc")
	s.wants("no-expiry")
}
