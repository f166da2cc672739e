package watcher

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"leasetop/keyspace"
	"leasetop/model"
)

// flags is the setting as the server has it now.
func flags(t *testing.T, c *redis.Client) keyspace.NotifyFlags {
	t.Helper()
	m, err := c.ConfigGet(context.Background(), notifySetting).Result()
	if err != nil {
		t.Fatal(err)
	}
	return keyspace.ParseNotifyFlags(m[notifySetting])
}

func (w *watching) notify(from int, state model.Notify) model.Health {
	w.t.Helper()
	return *w.until(from, "notifications "+string(state), func(in model.Input) bool {
		return in.Health != nil && in.Health.State == model.StateNotifications && in.Health.Notify == state
	}).Health
}

func TestNotifyStates(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		setting string
		want    model.Notify
		source  model.Source
	}{
		{"", model.NotifyOff, model.SourceTracking},
		{"KEA", model.NotifyOn, model.SourceEvent},
		{"Kg$lshzxe", model.NotifyOn, model.SourceEvent},
		{"EA", model.NotifyOn, model.SourceEvent},
		{"K$", model.NotifyPartial, model.SourceEvent},
		{"gx", model.NotifyOff, model.SourceTracking},
	} {
		t.Run(c.setting, func(t *testing.T) {
			s := startServer(t, "--notify-keyspace-events", c.setting)
			w := watchLocks(t, s)
			h := w.notify(0, c.want)
			if h.Source != c.source {
				t.Errorf("source %v, want %v", h.Source, c.source)
			}
			m := w.mark()
			do(t, client(t, s), "set lock:a one")
			if o := w.held(m, "lock:a", "one"); o.Source != c.source {
				t.Errorf("source of a change %v, want %v", o.Source, c.source)
			}
		})
	}
}

func TestNotifyRequired(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	p := patterns(t, "lock:*")
	err := New(Config{Addr: s.Addr(), Patterns: p, Notify: Require}).Run(t.Context(), func([]model.Input) {})
	if err == nil || !strings.Contains(err.Error(), "no keyspace notifications") {
		t.Errorf("%v", err)
	}
	do(t, client(t, s), "config set notify-keyspace-events KEA")
	watchLocks(t, s, func(c *Config) { c.Notify = Require })
}

func TestNotifyUnused(t *testing.T) {
	t.Parallel()
	s := startServer(t, "--notify-keyspace-events", allEvents)
	w := watchLocks(t, s, func(c *Config) { c.Notify, c.Tracking, c.Interval = Off, Off, 50*time.Millisecond })
	m := w.mark()
	do(t, client(t, s), "set lock:a one")
	if o := w.held(m, "lock:a", "one"); o.Source != model.SourcePoll {
		t.Errorf("source %v", o.Source)
	}
	if n := w.live.Counters(); n.Events != 0 || n.Source != model.SourcePoll {
		t.Errorf("%d events, source %v", n.Events, n.Source)
	}
}

// Each event counts once, also where patterns overlap and where both families of
// channels deliver it.
func TestOverlappingPatterns(t *testing.T) {
	t.Parallel()
	s := startServer(t, "--notify-keyspace-events", allEvents)
	w := watch(t, Config{Addr: s.Addr(), Patterns: patterns(t, "lock:*", "lock:a*", "*:a", "!lock:a:not")})
	w.state(model.StateSynced)
	do(t, client(t, s), "set lock:a one", "set lock:a:not two", "set lock:z three")
	w.held(0, "lock:a", "one")
	w.held(0, "lock:z", "three")
	if ops := w.hints(0, "lock:a"); len(ops) != 1 {
		t.Errorf("hints %v", ops)
	}
	if n := w.live.Counters(); n.Duplicates != 2 || n.Foreign == 0 {
		t.Errorf("%d duplicates, %d foreign", n.Duplicates, n.Foreign)
	}
}

func TestSwitchedOffInMidRun(t *testing.T) {
	t.Parallel()
	s := startServer(t, "--notify-keyspace-events", allEvents)
	c := client(t, s)
	w := watchLocks(t, s, func(c *Config) { c.Tracking, c.Interval = Off, 100*time.Millisecond })
	m := w.mark()
	do(t, c, "config set notify-keyspace-events g")
	w.notify(m, model.NotifyOff)
	w.afterGap(m)
	m = w.mark()
	do(t, c, "set lock:a one")
	if o := w.held(m, "lock:a", "one"); o.Source != model.SourcePoll {
		t.Errorf("source %v", o.Source)
	}
	do(t, c, "config set notify-keyspace-events EA")
	w.notify(m, model.NotifyOn)
	w.afterGap(m)
	m = w.mark()
	do(t, c, "set lock:a two")
	w.reading(m, "lock:a", "with an event", func(o *model.Observation) bool { return o.Source == model.SourceEvent })
}

func TestSwitchedOffUnderTracking(t *testing.T) {
	t.Parallel()
	s := startServer(t, "--notify-keyspace-events", allEvents)
	c := client(t, s)
	w := watchLocks(t, s, func(c *Config) { c.Interval = time.Hour })
	m := w.mark()
	do(t, c, "config set notify-keyspace-events K")
	w.notify(m, model.NotifyOff)
	w.until(m, "tracking in use", func(in model.Input) bool { return in.Health != nil && in.Health.Source == model.SourceTracking })
	do(t, c, "set lock:a one")
	w.held(m, "lock:a", "one")
}

func TestEnableNotifications(t *testing.T) {
	t.Parallel()
	s := startServer(t, "--notify-keyspace-events", "Eg")
	c := client(t, s)
	before := flags(t, c)
	w := watchLocks(t, s, func(c *Config) { c.EnableNotifications = true })
	h := w.notify(0, model.NotifyOn)
	undo := w.live.Undo()
	if undo == "" || !strings.Contains(h.Detail, undo) {
		t.Errorf("how to undo it is not told: %q, %q", undo, h.Detail)
	}
	if now := flags(t, c); now.Missing("E") != "" || !now.Has('n') {
		t.Errorf("set %q", now)
	}
	do(t, c, "set lock:a one")
	w.held(0, "lock:a", "one")
	if ops := w.hints(0, "lock:a"); ops[0] != "new" {
		t.Errorf("hints %v", ops)
	}
	w.stop()
	if now := flags(t, c); now != before {
		t.Errorf("left %q, was %q", now, before)
	}
}

func TestEnableNotificationsLeavesAloneWhatOthersSet(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	c := client(t, s)
	w := watchLocks(t, s, func(c *Config) { c.EnableNotifications = true })
	w.notify(0, model.NotifyOn)
	do(t, c, "config set notify-keyspace-events Ex")
	w.stop()
	if now := flags(t, c); now != keyspace.ParseNotifyFlags("Ex") {
		t.Errorf("left %q", now)
	}
}

func TestEnableNotificationsSetsNothingWhereNothingIsMissing(t *testing.T) {
	t.Parallel()
	s := startServer(t, "--notify-keyspace-events", allEvents)
	c := client(t, s)
	w := watchLocks(t, s, func(c *Config) { c.EnableNotifications = true })
	if u := w.live.Undo(); u != "" {
		t.Errorf("undo %q", u)
	}
	w.stop()
	if now := flags(t, c); now != keyspace.ParseNotifyFlags(allEvents) {
		t.Errorf("left %q", now)
	}
}

func TestEnableNotificationsTellsWhatItCouldNotUndo(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	w := watchLocks(t, s, func(c *Config) { c.EnableNotifications = true })
	w.notify(0, model.NotifyOn)
	m := w.mark()
	s.Kill()
	w.stateFrom(m, model.StateDisconnected)
	w.stop()
	var e *Error
	if !errors.As(w.err, &e) || !strings.Contains(e.Hint, "CONFIG SET") {
		t.Errorf("%v", w.err)
	}
}

func TestEnableNotificationsAfterRestart(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	w := watchLocks(t, s, func(c *Config) { c.EnableNotifications = true })
	m := w.mark()
	s.Kill()
	if err := s.Restart(context.Background()); err != nil {
		t.Fatal(err)
	}
	w.afterGap(m)
	c := client(t, s)
	do(t, c, "set lock:a one")
	if o := w.held(m, "lock:a", "one"); o.Source != model.SourceEvent {
		t.Errorf("source %v", o.Source)
	}
	w.stop()
	if now := flags(t, c); !now.Off() {
		t.Errorf("left %q", now)
	}
}
