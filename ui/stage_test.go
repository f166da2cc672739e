package ui

import (
	"context"
	"strings"
	"testing"
	"time"

	"leasetop/model"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/vt"
)

// stage is a screen with a server that exists in the test only: it tells the
// ledger what a watcher would.
type stage struct {
	t        *testing.T
	m        *Model
	now      model.Instant
	seq      uint64
	counters model.Counters
	keys     map[string]*model.Reading
	config   Config
}

const node = "127.0.0.1:6379"

// noon is when all stories begin: 2026-12-02 12:04:00 UTC.
var noon = model.InstantOf(time.Date(2026, 12, 2, 12, 4, 0, 0, time.UTC))

// Run, Now and Counters make the stage a Feed.
func (s *stage) Run(ctx context.Context, _ func([]model.Input)) error { <-ctx.Done(); return nil }
func (s *stage) Now() model.Instant                                   { return s.now }
func (s *stage) Counters() model.Counters                             { return s.counters }

func newStage(t *testing.T, w, h int, change ...func(*Config)) *stage {
	s := &stage{t: t, now: noon, keys: map[string]*model.Reading{}}
	s.counters = model.Counters{
		Server: "redis 7.0.15", Address: "127.0.0.1:6379/0", Role: "master", State: model.StateSynced,
		Notify: model.NotifyOn, Source: model.SourceEvent, Connected: true, Synced: true,
		Interval: 2 * time.Second, Scanned: 1204, SentPerSecond: 41, Sent: 4211,
		LagP50: 400 * time.Microsecond, LagP99: 1800 * time.Microsecond, RoundTrip: 210 * time.Microsecond,
		Commands: []model.CommandSent{{Name: "multi", Count: 2100}, {Name: "scan", Count: 11}},
	}
	s.config = Config{Feed: s, Patterns: []string{"lock:*", "*:lock"}, Width: w, Height: h, Environ: []string{}}
	for _, c := range change {
		c(&s.config)
	}
	s.m = New(s.config)
	s.m.hint.over = true
	s.health(model.StateConnected)
	s.health(model.StateNotifications)
	s.health(model.StateSynced)
	s.tick()
	return s
}

func (s *stage) send(msg tea.Msg) { s.m.Update(msg) }

// tick brings the present time.
func (s *stage) tick() {
	s.send(tickMsg{chain: s.m.chain, now: s.now, counters: s.counters})
}

// pass lets time pass.
func (s *stage) pass(d time.Duration) {
	s.now = s.now.Add(d)
	s.counters.LastRead = s.now.Add(-300 * time.Microsecond)
	s.counters.Sent += uint64(41 * d.Seconds())
	s.tick()
}

func (s *stage) health(state model.State) {
	h := &model.Health{Node: node, At: s.now, State: state}
	if state == model.StateNotifications {
		h.Notify, h.Source = s.counters.Notify, s.counters.Source
	}
	s.send(batchMsg{inputs: []model.Input{{Health: h}}, now: s.now, counters: &s.counters})
}

func (s *stage) key(name string) model.Key { return model.Key{Node: node, Name: name} }

// observe tells what a key holds, after events of the given names.
func (s *stage) observe(name string, source model.Source, r model.Reading, ops ...string) {
	s.seq++
	r.At = s.now
	if r.Type == "" {
		r.Type = "string"
	}
	if r.Format == "" && r.Type == "string" {
		r.Format = "string"
	}
	o := &model.Observation{Seq: s.seq, Key: s.key(name), Reading: &r, Source: source, ToldAt: s.now.Add(400 * time.Microsecond)}
	for _, op := range ops {
		o.Hints = append(o.Hints, model.Hint{Op: op, At: s.now.Add(300 * time.Microsecond)})
	}
	s.keys[name] = &r
	s.send(batchMsg{inputs: []model.Input{{Observation: o}}, now: s.now.Add(500 * time.Microsecond)})
}

func (s *stage) deadline(ttl time.Duration) model.Instant {
	if ttl == 0 {
		return 0
	}
	return s.now.Add(ttl)
}

// acquire is SET NX PX; a TTL of 0 sets none.
func (s *stage) acquire(name, owner string, ttl time.Duration) {
	d := s.deadline(ttl)
	ops := []string{"set"}
	if ttl > 0 {
		ops = append(ops, "expire")
	}
	s.observe(name, model.SourceEvent, model.Reading{Deadline: d, Holders: []model.Holder{{Owner: owner, Deadline: d}}}, ops...)
}

// renew is PEXPIRE.
func (s *stage) renew(name string, ttl time.Duration) {
	r := *s.keys[name]
	r.Deadline = s.deadline(ttl)
	r.Holders = append([]model.Holder{}, r.Holders...)
	for i := range r.Holders {
		r.Holders[i].Deadline = r.Deadline
	}
	s.observe(name, model.SourceEvent, r, "expire")
}

func (s *stage) release(name string) {
	s.observe(name, model.SourceEvent, model.Reading{Type: "none"}, "del")
}

func (s *stage) expire(name string) {
	s.observe(name, model.SourceEvent, model.Reading{Type: "none"}, "expired")
}

// find is a key that the first sweep shows.
func (s *stage) find(name string, r model.Reading) { s.observe(name, model.SourcePoll, r) }

// findings puts findings onto the screen instead of what the rules say.
func (s *stage) findings(found ...Finding) { s.m.found, s.m.sought = found, model.Forever }

// press sends keys by their names.
func (s *stage) press(keys ...string) tea.Cmd {
	var cmd tea.Cmd
	for _, k := range keys {
		_, cmd = s.m.Update(keyMsg(k))
	}
	return cmd
}

func (s *stage) typeText(text string) {
	for _, r := range text {
		s.send(keyMsg(string(r)))
	}
}

var special = map[string]rune{
	"up": tea.KeyUp, "down": tea.KeyDown, "left": tea.KeyLeft, "right": tea.KeyRight, "enter": tea.KeyEnter,
	"esc": tea.KeyEscape, "home": tea.KeyHome, "end": tea.KeyEnd, "pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown,
	"backspace": tea.KeyBackspace, "space": tea.KeySpace,
}

func keyMsg(name string) tea.KeyPressMsg {
	if c, ok := special[name]; ok {
		k := tea.KeyPressMsg{Code: c}
		if name == "space" {
			k.Text = " "
		}
		return k
	}
	if c, ok := strings.CutPrefix(name, "ctrl+"); ok {
		return tea.KeyPressMsg{Code: rune(c[0]), Mod: tea.ModCtrl}
	}
	if name == " " {
		return tea.KeyPressMsg{Code: tea.KeySpace, Text: " "}
	}
	return tea.KeyPressMsg{Code: []rune(name)[0], Text: name}
}

// screen is what an emulated terminal shows.
func (s *stage) screen() string { return s.emulate().String() }

func (s *stage) emulate() *vt.Emulator {
	e := vt.NewEmulator(s.m.w, s.m.h)
	_, _ = e.WriteString(strings.ReplaceAll(s.m.View().Content, "\n", "\r\n"))
	return e
}

// colours gives the screen a depth of colour.
func (s *stage) colours(p colorprofile.Profile) { s.send(tea.ColorProfileMsg{Profile: p}) }

// line is the first line of the screen with a word in it, "" where there is
// none.
func (s *stage) line(word string) string {
	for l := range strings.SplitSeq(s.screen(), "\n") {
		if strings.Contains(l, word) {
			return strings.TrimRight(l, " ")
		}
	}
	return ""
}

func (s *stage) wants(words ...string) {
	s.t.Helper()
	screen := s.screen()
	for _, w := range words {
		if !strings.Contains(screen, w) {
			s.t.Errorf("%q is not on the screen:\n%s", w, screen)
		}
	}
}

func (s *stage) lacks(words ...string) {
	s.t.Helper()
	screen := s.screen()
	for _, w := range words {
		if strings.Contains(screen, w) {
			s.t.Errorf("%q is on the screen:\n%s", w, screen)
		}
	}
}

// morning is a screen in the middle of work: the leases of SCREENS' first page.
func morning(s *stage) {
	s.now = noon.Add(-20 * time.Minute)
	forever := model.Reading{Holders: []model.Holder{{Owner: "1d90c4ab2f10aa10"}}}
	s.find("bull:email:77:lock", forever)
	s.now = noon
	s.tick()
	d := s.deadline(30 * time.Second)
	s.observe("orders:{8812}:lock", model.SourceEvent, model.Reading{Type: "hash", Format: "redisson", Deadline: d,
		Holders: []model.Holder{{Owner: "c0ffee:41", Count: 1, Deadline: d}}}, "hset", "pexpire")
	s.acquire("lock:report:17", "pod-b/9a21", 30*time.Second)
	for range 4 {
		s.pass(5 * time.Second)
		s.renew("lock:report:17", 28*time.Second)
	}
	s.acquire("lock:invoice:42", "51be4409d81b0d2a51be0d2a", 5*time.Second)
	s.pass(900 * time.Millisecond)
	s.acquire("lock:invoice:41", "51be4409d81b0d2a51be0d2a", 6*time.Second)
	s.pass(4100 * time.Millisecond)
	s.expire("lock:invoice:42")
	s.pass(112 * time.Millisecond)
	s.acquire("lock:invoice:42", "7f3a22be19c84f7fb16dc19e", 5*time.Second)
	d = s.deadline(29 * time.Second)
	s.observe("orders:{8812}:lock", model.SourceEvent, model.Reading{Type: "hash", Format: "redisson", Deadline: d,
		Holders: []model.Holder{{Owner: "c0ffee:41", Count: 2, Deadline: d}}}, "hincrby", "pexpire")
	s.pass(200 * time.Millisecond)
	s.acquire("lock:mail", "pod-a/1", 8*time.Second)
	s.pass(900 * time.Millisecond)
	s.release("lock:mail")
	s.pass(788 * time.Millisecond)
}
