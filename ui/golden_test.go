package ui

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"leasetop/model"

	"github.com/charmbracelet/colorprofile"
	"github.com/google/go-cmp/cmp"
)

// update writes the screens that are to be instead of comparing with them. Read
// the difference before it is committed.
var update = flag.Bool("update", false, "write the golden screens anew")

// scene is a screen and the story that leads to it.
type scene struct {
	name string
	play func(s *stage)
}

// scenes are the screens that are kept: each page, and each state that people
// must be able to trust.
var scenes = []scene{
	{"leases", func(s *stage) { morning(s); s.press("down") }},
	{"timeline", func(s *stage) { morning(s); s.open("lock:invoice:42") }},
	{"renewed", func(s *stage) { morning(s); s.open("lock:report:17") }},
	{"lanes", func(s *stage) { morning(s); s.press("v") }},
	{"findings", func(s *stage) {
		morning(s)
		s.findings(Finding{Rule: "no-expiry", Severity: "warning", Key: s.key("bull:email:77:lock"), Owner: model.OwnerOf("1d90c4ab2f10aa10"),
			Since: noon, Detail: "held for 20m27s without a deadline", Means: "Nothing but a deletion frees it: if its owner is gone, it stays for ever.",
			NotProof: "That its owner is gone.", Next: "Look for the worker with this token before anybody deletes the key."},
			Finding{Rule: "thin-margin", Severity: "info", Key: s.key("lock:report:17"), Owner: model.OwnerOf("pod-b/9a21"), Since: noon.Add(time.Second),
				Detail: "renewed with 8.1 s of 30 s left"})
		s.press("f")
	}},
	{"help", func(s *stage) { morning(s); s.press("?") }},
	{"commands", func(s *stage) { morning(s); s.press("@") }},
	{"copy", func(s *stage) { morning(s); s.open("lock:invoice:42"); s.press("y") }},
	{"frozen", func(s *stage) {
		morning(s)
		s.press("space")
		s.pass(3 * time.Second)
		s.renew("lock:report:17", 28*time.Second)
	}},
	{"past", func(s *stage) { morning(s); s.press("left", "left", "left", "left", "left") }},
	{"groups", func(s *stage) { morning(s); s.press("g") }},
	{"filter", func(s *stage) { morning(s); s.press("/"); s.typeText("lock: ttl<5") }},
	{"owner", func(s *stage) { morning(s); s.press("down", "o") }},
	{"blind", func(s *stage) {
		morning(s)
		s.counters.State, s.counters.Connected = model.StateDisconnected, false
		s.counters.Err, s.counters.Hint = "dial tcp 127.0.0.1:6379: connect: connection refused", "is the server running? trying again every 2s"
		s.health(model.StateDisconnected)
		s.pass(4 * time.Second)
	}},
	{"polling", func(s *stage) {
		s.m.hint.over = false
		s.counters.Notify, s.counters.Source = model.NotifyOff, model.SourcePoll
		morning(s)
	}},
	{"demo", func(s *stage) { rehearse(s, "token"); pausedMoment(s) }},
	{"demo-over", func(s *stage) { rehearse(s, "token"); overMoment(s, pausedMoment(s)) }},
	{"demo-results", func(s *stage) { rehearse(s, "token"); overMoment(s, pausedMoment(s)); s.press("t") }},
	{"empty", func(s *stage) { s.m.cfg.DefaultPatterns = true }},
	{"hostile", func(s *stage) {
		for i, x := range hostile {
			s.acquire(x, hostile[len(hostile)-1-i], time.Duration(20+i)*time.Second)
		}
		s.pass(3 * time.Second)
	}},
}

// open goes to the timeline of a key.
func (s *stage) open(name string) {
	s.m.cursor.sel, s.m.cursor.moved = selection{key: s.key(name), on: true}, true
	s.tick()
	s.press("enter")
}

// TestGolden compares each scene with the screen that was last approved, at
// three sizes: as text, and at 80x24 also in colours and in ASCII.
func TestGolden(t *testing.T) {
	for _, size := range [][2]int{{120, 40}, {80, 24}, {60, 15}} {
		for _, scene := range scenes {
			name := fmt.Sprintf("%s-%dx%d", scene.name, size[0], size[1])
			s := newStage(t, size[0], size[1])
			s.colours(colorprofile.ASCII)
			scene.play(s)
			golden(t, name+".txt", s.text())
			if size[0] == 60 {
				continue
			}
			s.colours(colorprofile.TrueColor)
			golden(t, name+".ans", s.emulate().Render()+"\n")
			if size[0] == 80 {
				s = newStage(t, size[0], size[1], func(c *Config) { c.Options.ASCII, c.Options.NoColor = true, true })
				scene.play(s)
				golden(t, name+".ascii.txt", s.text())
			}
		}
	}
}

// text is the screen without the blanks at the ends of lines.
func (s *stage) text() string {
	lines := strings.Split(s.screen(), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n") + "\n"
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", "screens", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; go test ./ui -update writes it", err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("%s differs (-want +got):\n%s", name, diff)
	}
}
