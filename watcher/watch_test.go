package watcher

import (
	"slices"
	"testing"
	"time"

	"leasetop/model"
)

const allEvents = "KEA"

func TestLifeOfALease(t *testing.T) {
	s := startServer(t, "--notify-keyspace-events", allEvents)
	c := client(t, s)
	do(t, c, "set lock:old tok-0 px 60000", "set other x")
	w := watchLocks(t, s)
	found := w.held(0, "lock:old", "tok-0")
	if found.Source != model.SourcePoll || len(found.Hints) != 0 {
		t.Errorf("found: %+v", found)
	}
	order := []model.State{}
	for _, in := range w.inputs() {
		if in.Health != nil {
			order = append(order, in.Health.State)
		}
	}
	if want := []model.State{model.StateConnected, model.StateNotifications, model.StateSynced}; !slices.Equal(order, want) {
		t.Errorf("states %v, want %v", order, want)
	}

	m := w.mark()
	do(t, c, "set lock:a tok-1 nx px 60000")
	got := w.held(m, "lock:a", "tok-1")
	if got.Source != model.SourceEvent || !slices.Equal(w.hints(m, "lock:a"), []string{"set", "expire"}) {
		t.Errorf("acquired: %v\n%s", got, w.story(m))
	}
	if d := got.Reading.Holders[0].Deadline; d == 0 || d != got.Reading.Deadline {
		t.Errorf("deadline %v of key %v", d, got.Reading.Deadline)
	}

	m = w.mark()
	do(t, c, "pexpire lock:a 90000")
	w.reading(m, "lock:a", "renewed", func(o *model.Observation) bool { return o.Reading.Deadline > got.Reading.Deadline })

	m = w.mark()
	do(t, c, "del lock:a")
	end := w.gone(m, "lock:a")
	if ops := w.hints(m, "lock:a"); !slices.Equal(ops, []string{"del"}) || end.Source != model.SourceEvent {
		t.Errorf("released: %v %v", ops, end.Source)
	}
}

func TestExpiryIsConfirmed(t *testing.T) {
	s := startServer(t, "--notify-keyspace-events", allEvents, "--hz", "1")
	c := client(t, s)
	w := watchLocks(t, s, func(c *Config) { c.Interval = time.Hour })
	do(t, c, "set lock:e tok px 60")
	before := w.held(0, "lock:e", "tok")
	end := w.gone(0, "lock:e")
	if end.Source != model.SourceDeadline || end.Reading.At <= before.Reading.Deadline {
		t.Errorf("expired: source %v, read %v after the deadline\n%s", end.Source, end.Reading.At.Sub(before.Reading.Deadline), w.story(0))
	}
	if ops := w.hints(0, "lock:e"); !slices.Contains(ops, "expired") {
		t.Errorf("no expired among %v", ops)
	}
}
