package watcher

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"leasetop/model"
)

// stats are the calls that INFO commandstats counts, and what it rejected.
func stats(t *testing.T, c *redis.Client) (calls map[string]uint64, rejected uint64) {
	t.Helper()
	text, err := c.Info(t.Context(), "commandstats").Result()
	if err != nil {
		t.Fatal(err)
	}
	calls = map[string]uint64{}
	for line := range strings.Lines(text) {
		if name, rest, ok := strings.Cut(strings.TrimSpace(line), ":"); ok {
			calls[strings.TrimPrefix(name, "cmdstat_")] = number(rest, "calls=")
			rejected += number(rest, "rejected_calls=")
		}
	}
	return calls, rejected
}

// The server's own count of commands is the judge of ours, command by command.
func TestCountersAgreeWithTheServer(t *testing.T) {
	t.Run("events", func(t *testing.T) { agree(t, allEvents, 0) })
	t.Run("tracking", func(t *testing.T) { agree(t, "", 3) })
}

func agree(t *testing.T, setting string, db int) {
	s := startServer(t, "--notify-keyspace-events", setting)
	c := redis.NewClient(&redis.Options{Addr: s.Addr(), DB: db, DisableIdentity: true})
	defer c.Close()
	do(t, c, "set lock:a one px 60000", "hset lock:h f v", "zadd lock:z 1 m", "config resetstat")
	w := watchLocks(t, s, func(c *Config) { c.DB, c.Interval = db, 30*time.Millisecond })
	for i := range 50 {
		m := w.mark()
		do(t, c, "set lock:b v"+strconv.Itoa(i))
		w.held(m, "lock:b", "v"+strconv.Itoa(i))
	}
	w.stop()
	calls, rejected := stats(t, c)
	n := w.live.Counters()
	ours := map[string]uint64{}
	var sum uint64
	for _, k := range n.Commands {
		ours[k.Name] = k.Count
		sum += k.Count
	}
	if sum != n.Sent {
		t.Errorf("sent %d, by name %d", n.Sent, sum)
	}
	delete(calls, "set")              // the test's own
	delete(calls, "config|resetstat") // likewise
	for name, k := range calls {
		if ours[name] != k {
			t.Errorf("%s: we count %d, the server %d", name, ours[name], k)
		}
	}
	for name := range ours {
		if calls[name] == 0 {
			t.Errorf("%s: counted, but the server has not seen it", name)
		}
	}
	if rejected != 0 {
		t.Errorf("%d commands were rejected", rejected)
	}
	text, err := c.Info(t.Context(), "errorstats").Result()
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(text, "errorstat_ERR") || strings.Contains(text, "errorstat_NOPERM") {
		t.Errorf("the watcher shows in the server's statistics of errors:\n%s", text)
	}
}

// One change costs one transaction of at most four commands for its key.
func TestOneReadBackForEachChange(t *testing.T) {
	s := startServer(t, "--notify-keyspace-events", "KEAn")
	c := client(t, s)
	w := watchLocks(t, s, func(c *Config) { c.Interval = time.Hour })
	do(t, c, "config resetstat")
	const changes = 200
	for i := range changes {
		m := w.mark()
		do(t, c, "set lock:a v"+strconv.Itoa(i)+" px 60000")
		w.held(m, "lock:a", "v"+strconv.Itoa(i))
	}
	calls, _ := stats(t, c)
	// An event may be cut in two by the network now and then.
	if calls["exec"] > changes*11/10 || calls["getrange"] > changes*11/10 || calls["type"] > 0 {
		t.Errorf("%d changes, %d transactions, %d GETRANGE, %d TYPE", changes, calls["exec"], calls["getrange"], calls["type"])
	}
}

func TestBudget(t *testing.T) {
	s := startServer(t, "--notify-keyspace-events", allEvents)
	c := client(t, s)
	for i := range 300 {
		do(t, c, fmt.Sprintf("set lock:%d v", i))
	}
	const budget = 400
	w := watchLocks(t, s, func(c *Config) { c.Budget, c.Interval = budget, time.Millisecond })
	began, before := time.Now(), w.live.Counters().Sent
	eventually(t, "some sweeps", func() bool { return time.Since(began) > 2*time.Second })
	took, sent := time.Since(began), w.live.Counters().Sent-before
	// What the bucket holds may come on top once.
	if most := budget*took.Seconds() + budget/4 + smallest; float64(sent) > most {
		t.Errorf("%d commands in %v, at most %.0f", sent, took, most)
	}
	m := w.mark()
	do(t, c, "set lock:1 new")
	w.held(m, "lock:1", "new")
}

func TestPacer(t *testing.T) {
	p := newPacer(100)
	if n := p.batch(128); n != 5 {
		t.Errorf("batch of %d", n)
	}
	if n := newPacer(0).batch(128); n != 128 {
		t.Errorf("batch of %d without a budget", n)
	}
	if n := newPacer(1).batch(128); n != 1 {
		t.Errorf("batch of %d", n)
	}
	if w := p.try(25); w > 0 {
		t.Errorf("a full bucket waits %v", w)
	}
	if w := p.try(10); w < 50*time.Millisecond || w > 100*time.Millisecond {
		t.Errorf("an empty one waits %v", w)
	}
	p.spend(25)
	if w := p.try(10); w < 200*time.Millisecond {
		t.Errorf("what could not wait was not paid for: %v", w)
	}
}

// A poor server: no CONFIG, no tracking, no events, hardly an INFO.
func TestPoorServer(t *testing.T) {
	m := miniredis.RunT(t)
	m.ClockTTL(true)
	c := redis.NewClient(&redis.Options{Addr: m.Addr(), DisableIdentity: true})
	defer c.Close()
	do(t, c, "set lock:old one px 60000")
	w := watch(t, Config{Addr: m.Addr(), Patterns: patterns(t, "lock:*"), Interval: 20 * time.Millisecond})
	w.held(0, "lock:old", "one")
	w.state(model.StateSynced)
	n := w.mark()
	do(t, c, "set lock:a two px 200")
	o := w.held(n, "lock:a", "two")
	if o.Source != model.SourcePoll || o.Reading.Deadline == 0 {
		t.Errorf("%+v", o)
	}
	w.gone(n, "lock:a")
	if g := w.live.Counters().Gaps; g != 0 {
		t.Errorf("%d gaps", g)
	}
}

func TestPolling(t *testing.T) {
	s := startServer(t)
	c := client(t, s)
	w := watchLocks(t, s, func(c *Config) { c.Tracking, c.Notify, c.Interval = Off, Off, 20*time.Millisecond })
	m := w.mark()
	do(t, c, "set lock:a one px 300")
	d := w.held(m, "lock:a", "one").Reading.Deadline
	end := w.gone(m, "lock:a")
	if late := end.Reading.At.Sub(d); late <= 0 {
		t.Errorf("confirmed %v after the deadline", late)
	}
	do(t, c, "set lock:b two")
	w.held(m, "lock:b", "two")
	m = w.mark()
	do(t, c, "del lock:b")
	if o := w.gone(m, "lock:b"); o.Source != model.SourcePoll {
		t.Errorf("source %v", o.Source)
	}
	m = w.mark()
	s.Kill()
	w.stateFrom(m, model.StateDisconnected)
	if err := s.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.afterGap(m)
}

func TestNoTouch(t *testing.T) {
	// With hz 1 and many other keys the server is slow to notice an expiry.
	s := startServer(t, "--notify-keyspace-events", allEvents, "--hz", "1")
	c := client(t, s)
	for i := range 200 {
		do(t, c, fmt.Sprintf("set other:%d v px 9000000", i))
	}
	w := watchLocks(t, s, func(c *Config) { c.NoTouch, c.Interval = true, 10*time.Millisecond })
	do(t, c, "set lock:a one px 50")
	d := w.held(0, "lock:a", "one").Reading.Deadline
	do(t, c, "config resetstat")
	eventually(t, "the deadline", func() bool { return w.live.Now() > d.Add(300*time.Millisecond) })
	if calls, _ := stats(t, c); calls["exec"] != 0 || calls["scan"] != 0 {
		t.Errorf("%d transactions and %d SCAN after the deadline", calls["exec"], calls["scan"])
	}
	m := w.mark()
	do(t, c, "exists lock:a") // somebody else touches it
	if o := w.gone(m, "lock:a"); o.Source != model.SourceEvent {
		t.Errorf("source %v", o.Source)
	}
	if n := w.live.Counters(); n.LagP50 < 200*time.Millisecond {
		t.Errorf("the lag of the announcement is told as %v", n.LagP50)
	}
}

func TestSnapshot(t *testing.T) {
	s := startServer(t)
	c := client(t, s)
	do(t, c, "set lock:a one px 60000", "set lock:b two", "set other x", "hset lock:h f v")
	inputs, n, err := New(Config{Addr: s.Addr(), Patterns: patterns(t, "lock:*")}).Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	keys := map[string]string{}
	for _, in := range inputs {
		if o := in.Observation; o != nil {
			keys[o.Key.Name] = o.Reading.Type
		}
	}
	if len(keys) != 3 || keys["lock:h"] != "hash" || keys["lock:a"] != "string" {
		t.Errorf("%v", keys)
	}
	if n.Scanned != 4 || n.Known != 3 {
		t.Errorf("passed %d keys, know %d", n.Scanned, n.Known)
	}
	if inputs, _, err = New(Config{Addr: s.Addr(), Patterns: patterns(t, "none:*")}).Snapshot(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, in := range inputs {
		if in.Observation != nil {
			t.Errorf("%+v", in.Observation)
		}
	}
}

// More patterns than are swept one by one.
func TestManyPatterns(t *testing.T) {
	s := startServer(t, "--notify-keyspace-events", allEvents)
	c := client(t, s)
	words := []string{}
	for i := range 20 {
		words = append(words, fmt.Sprintf("p%d:*", i))
		do(t, c, fmt.Sprintf("set p%d:x v%d", i, i))
	}
	do(t, c, "set q:x no")
	w := watch(t, Config{Addr: s.Addr(), Patterns: patterns(t, words...)})
	w.state(model.StateSynced)
	for i := range 20 {
		w.held(0, fmt.Sprintf("p%d:x", i), fmt.Sprintf("v%d", i))
	}
	if n := w.live.Counters().Known; n != 20 {
		t.Errorf("%d known", n)
	}
}
