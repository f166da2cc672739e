package ui

import (
	"strings"
	"testing"
	"time"

	"leasetop/model"

	tea "charm.land/bubbletea/v2"
)

// order lists the keys of the table from top to bottom.
func (s *stage) order() string {
	b := s.m.book()
	var out []string
	for i := range b.len() {
		if r := b.at(i).row; r != nil {
			out = append(out, r.key.Name)
		} else {
			out = append(out, "["+b.at(i).group.prefix+"]")
		}
	}
	return strings.Join(out, " ")
}

func (s *stage) chosen() string { return s.m.cursor.sel.key.Name }

func (s *stage) same(got, want string) {
	s.t.Helper()
	if got != want {
		s.t.Errorf("got  %s\nwant %s\n%s", got, want, s.screen())
	}
}

func TestCountdown(t *testing.T) {
	s := newStage(t, 120, 30)
	s.acquire("lock:a", "pod-a", 12*time.Second)
	s.pass(time.Second)
	s.wants("11 s")
	s.pass(1500 * time.Millisecond)
	s.wants("9.500 s")
	s.pass(9*time.Second + 499*time.Millisecond)
	s.wants("0.001 s")
	s.lacks("overdue")
	s.pass(time.Millisecond)
	s.lacks("overdue")
	s.pass(time.Microsecond) // the deadline has passed: at once, before any confirmation
	s.wants("overdue", "<1 s, unconfirmed", "1 overdue")
	s.pass(3 * time.Second)
	s.wants("for 3 s")
	s.expire("lock:a")
	s.wants("expired", "free")
	s.lacks("unconfirmed")
	s.pass(lingering + time.Millisecond)
	s.same(s.order(), "")
	s.wants("No lock is held.")
}

// The clock must wake the screen at the very deadline, and rarely when nothing
// moves.
func TestPace(t *testing.T) {
	s := newStage(t, 120, 30)
	pace := func(want time.Duration) {
		t.Helper()
		if got := s.m.pace(); got != want {
			t.Errorf("a tick in %v, want %v", got, want)
		}
	}
	pace(idleTick)
	s.acquire("lock:a", "pod-a", time.Minute)
	s.pass(5 * time.Second)
	pace(slowTick)
	s.pass(50 * time.Second)
	pace(fastTick)
	s.pass(4970 * time.Millisecond)
	pace(31 * time.Millisecond)
	s.send(tea.BlurMsg{})
	s.pass(-4970 * time.Millisecond)
	pace(blurTick)
	s.send(tea.FocusMsg{})
	s.press("space")
	pace(idleTick)
}

func TestSelectionStaysOnItsKey(t *testing.T) {
	s := newStage(t, 120, 30)
	for i, name := range []string{"lock:b", "lock:d", "lock:a", "lock:c"} {
		s.acquire(name, "pod-"+name, time.Duration(20+i)*time.Second)
	}
	s.same(s.order(), "lock:b lock:d lock:a lock:c")
	s.press("down", "down")
	s.same(s.chosen(), "lock:a")
	s.press("K")
	s.same(s.order(), "lock:a lock:b lock:c lock:d")
	s.same(s.chosen(), "lock:a")
	s.press("K")
	s.same(s.order(), "lock:d lock:c lock:b lock:a")
	s.same(s.chosen(), "lock:a")
	s.wants("KEY ▼")
	s.acquire("lock:0", "pod-0", time.Second)
	s.acquire("lock:e", "pod-e", time.Second)
	s.same(s.chosen(), "lock:a")
	s.release("lock:a")
	s.same(s.chosen(), "lock:a") // it lingers
	s.pass(lingering + time.Millisecond)
	s.same(s.chosen(), "lock:0") // what took its place
}

func TestSortByEveryColumn(t *testing.T) {
	s := newStage(t, 160, 30)
	s.acquire("lock:z", "b", 30*time.Second)
	s.pass(time.Second)
	s.acquire("lock:y", "c", 0)
	s.pass(time.Second)
	s.acquire("lock:x", "a", 10*time.Second)
	s.renew("lock:x", 11*time.Second)
	for _, c := range []struct{ key, want, title string }{
		{"O", "lock:x lock:z lock:y", "OWNER"},
		{"T", "lock:x lock:z lock:y", "TTL"},
		{"H", "lock:x lock:y lock:z", "HELD"},
		{"R", "lock:y lock:z lock:x", "RENEWED"},
		{"C", "lock:x lock:y lock:z", "LAST CHANGE"},
		{"K", "lock:x lock:y lock:z", "KEY"},
	} {
		s.press(c.key)
		s.same(s.order(), c.want)
		s.wants(c.title + " ▲")
	}
}

func TestFilterIsAppliedAsItIsTyped(t *testing.T) {
	s := newStage(t, 120, 30)
	s.acquire("lock:invoice:1", "pod-a", 30*time.Second)
	s.acquire("lock:report:1", "pod-b", 3*time.Second)
	s.press("/")
	s.typeText("inv")
	s.same(s.order(), "lock:invoice:1")
	s.wants("/ inv", "1 match")
	s.press("enter")
	s.wants("/inv")
	s.acquire("lock:invoice:2", "pod-a", 40*time.Second)
	s.acquire("lock:mail", "pod-a", 40*time.Second)
	s.same(s.order(), "lock:invoice:1 lock:invoice:2")
	s.press("esc")
	s.same(s.order(), "lock:report:1 lock:invoice:1 lock:invoice:2 lock:mail")

	s.press("/")
	s.typeText("ttl<")
	s.wants("ttl< needs a time with a unit")
	s.press("enter") // not taken
	s.typeText("5s")
	s.lacks("needs a time")
	s.same(s.order(), "lock:report:1")
	s.press("enter")
	s.pass(26 * time.Second) // time alone changes what matches
	s.same(s.order(), "lock:report:1 lock:invoice:1")

	s.press("/", "up", "up")
	s.wants("/ inv")
	s.press("down", "down")
	s.wants("/ ttl<5s")
	s.press("ctrl+u")
	s.typeText("x")
	s.press("esc") // what was before stands
	s.same(s.order(), "lock:report:1 lock:invoice:1")
	s.press("/", "ctrl+u")
	s.send(tea.PasteMsg{Content: "mail\nrm -rf /"})
	s.same(s.order(), "lock:mail")
	s.lacks("rm -rf")
}

func TestFreezeHoldsThePictureStill(t *testing.T) {
	s := newStage(t, 120, 30)
	s.acquire("lock:a", "pod-a", 8*time.Second)
	s.pass(time.Second)
	s.press("space")
	s.wants("FROZEN", "7.000 s", "live is 0 changes ahead")
	s.pass(2 * time.Second)
	s.acquire("lock:b", "pod-b", 8*time.Second)
	s.release("lock:a")
	s.wants("FROZEN", "7.000 s", "live is 2 changes ahead")
	s.lacks("lock:b", "released")
	s.press("/")
	s.typeText("lock:b")
	s.lacks("pod-b")
	s.press("esc")
	s.press("space")
	s.lacks("FROZEN")
	s.wants("lock:b", "released")
}

func TestBackInTime(t *testing.T) {
	s := newStage(t, 120, 30)
	s.acquire("lock:a", "pod-a", 5*time.Second)
	s.pass(5*time.Second + 100*time.Microsecond)
	s.expire("lock:a")
	s.pass(time.Second)
	s.acquire("lock:a", "pod-b", 5*time.Second)
	s.pass(5*time.Second + 100*time.Microsecond)
	s.expire("lock:a")
	s.pass(20 * time.Second)
	s.same(s.order(), "")
	s.press("home") // live: the first line
	s.lacks("PAST")
	s.press("left", "left")
	s.wants("PAST", "pod-b", "acquired for 5.00 s", "live is 1 change ahead")
	s.press("left")
	s.wants("expired, never renewed", "pod-a", "live is 2 changes ahead")
	s.press("enter")
	s.wants("#2", "EXPIRED", "lock:a")
	s.lacks("#3", "pod-b")
	s.press("left")
	s.wants("#1", "holder", "left until 12:04:05.000")
	s.lacks("EXPIRED")
	s.press("v")
	s.wants("pod-a")
	s.press("left")
	s.wants("nothing is known to have happened before")
	s.press("right", "right", "right", "right")
	s.wants("nothing has happened since")
	s.press("home")
	s.wants("live is 3 changes ahead")
	s.press("end")
	s.lacks("PAST")
}

func TestOwnerView(t *testing.T) {
	s := newStage(t, 120, 30)
	s.acquire("lock:a", "pod-a", 10*time.Second)
	s.acquire("lock:b", "pod-b", 20*time.Second)
	s.acquire("lock:c", "pod-a", 30*time.Second)
	d := s.deadline(40 * time.Second)
	s.observe("sem", model.SourceEvent, model.Reading{Type: "zset", Format: "semaphore", Deadline: d,
		Holders: []model.Holder{{Owner: "pod-x", Deadline: d}, {Owner: "pod-a", Deadline: d}}}, "zadd")
	s.wants("+1")
	s.press("o")
	s.same(s.order(), "lock:a lock:c sem")
	s.press("end", "enter")
	s.wants("holder", "pod-x")
	s.press("esc", "o")
	s.same(s.order(), "lock:a lock:b lock:c sem")
}

func TestGroups(t *testing.T) {
	s := newStage(t, 120, 30)
	s.acquire("lock:a:1", "pod-a", 20*time.Second)
	s.acquire("lock:b:1", "pod-b", 10*time.Second)
	s.acquire("lock:a:2", "pod-a", 0)
	s.press("g")
	s.same(s.order(), "[lock:a:] lock:a:1 lock:a:2 [lock:b:] lock:b:1")
	s.wants("2 leases", "1 no expiry")
	s.press("home", "enter")
	s.same(s.order(), "[lock:a:] [lock:b:] lock:b:1")
	s.acquire("lock:a:3", "pod-a", 5*time.Second)
	s.wants("3 leases")
	s.press("enter")
	s.same(s.order(), "[lock:a:] lock:a:3 lock:a:1 lock:a:2 [lock:b:] lock:b:1")
	s.press("g")
	s.same(s.order(), "lock:a:3 lock:b:1 lock:a:1 lock:a:2")
}

func TestCopy(t *testing.T) {
	var got string
	s := newStage(t, 120, 30, func(c *Config) {
		c.Command = "redis-cli -p 6380"
		c.Clipboard = func(text string) tea.Cmd { got = text; return nil }
	})
	s.acquire("lock:it's\x1b", "to'ken", 20*time.Second)
	for key, want := range map[string]string{
		"k": "lock:it's\x1b",
		"t": "to'ken",
		"r": `redis-cli -p 6380 EVAL 'if redis.call("GET",KEYS[1])==ARGV[1] then return redis.call("DEL",KEYS[1]) else return 0 end' 1 $'lock:it\'s\x1b' 'to'\''ken'`,
	} {
		s.press("y", key)
		if got != want {
			t.Errorf("%s copied %q, want %q", key, got, want)
		}
	}
	s.press("y", "l")
	if !strings.Contains(got, "acquired  to'ken  granted 20.00 s") || strings.Contains(got, "\x1b") {
		t.Errorf("timeline copied: %q", got)
	}
	s.wants("copied: timeline")
	s.release("lock:it's\x1b")
	s.press("y", "r")
	s.wants("nobody holds it")

	got = ""
	m := newStage(t, 120, 30, func(c *Config) { c.Masked = true; c.Clipboard = s.config.Clipboard })
	m.acquire("lock:a", "k3fingerprint", 20*time.Second)
	m.press("y", "r")
	m.wants("masked")
	if got != "" {
		t.Errorf("copied %q with masked tokens", got)
	}
}

func TestHelpListsEveryKey(t *testing.T) {
	s := newStage(t, 120, 120)
	s.acquire("lock:a", "pod-a", 20*time.Second)
	for _, p := range []page{pageLeases, pageTimeline, pageLanes, pageFindings} {
		s.m.pages = []page{p}
		s.m.timeline.key = s.key("lock:a")
		s.press("?")
		screen := s.screen()
		for i := range bindings {
			b := &bindings[i]
			if !b.fits(s.m, p) {
				continue
			}
			if help := strings.Fields(b.help)[0]; !strings.Contains(screen, b.show) || !strings.Contains(screen, help) {
				t.Errorf("%s: %s %q is not in its help", pageNames[p], b.show, b.help)
			}
		}
		s.press("?")
	}
}

func TestMouse(t *testing.T) {
	s := newStage(t, 120, 30)
	s.acquire("lock:a", "pod-a", 10*time.Second)
	s.acquire("lock:b", "pod-b", 20*time.Second)
	s.send(tea.MouseClickMsg{X: 10, Y: 5, Button: tea.MouseLeft})
	s.same(s.chosen(), "lock:b")
	s.send(tea.MouseClickMsg{X: 5, Y: 3, Button: tea.MouseLeft})
	s.send(tea.MouseClickMsg{X: 5, Y: 3, Button: tea.MouseLeft})
	s.same(s.order(), "lock:b lock:a")
	s.send(tea.MouseClickMsg{X: 10, Y: 4, Button: tea.MouseLeft})
	if s.m.page() != pageTimeline {
		t.Error("a click on the selected line does not open it")
	}
	s.press("esc", "m")
	if s.m.View().MouseMode != tea.MouseModeNone {
		t.Error("the mouse is not left to the terminal")
	}
	s.send(tea.MouseClickMsg{X: 10, Y: 5, Button: tea.MouseLeft})
	s.same(s.chosen(), "lock:b")
}

func TestWheelScrolls(t *testing.T) {
	s := newStage(t, 80, 24)
	for i := range 60 {
		s.acquire("lock:"+string(rune('A'+i/26))+string(rune('a'+i%26)), "pod", time.Duration(60+i)*time.Second)
	}
	s.send(tea.MouseWheelMsg{Button: tea.MouseWheelDown, X: 5, Y: 8})
	if s.m.cursor.top != wheelLines {
		t.Errorf("top %d after a notch", s.m.cursor.top)
	}
	s.press("end")
	s.same(s.chosen(), "lock:Ch")
	s.press("pgup", "home")
	s.same(s.chosen(), "lock:Aa")
}
