package ui

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/charmbracelet/colorprofile"
)

// pictureFolder names the folder into which the README's pictures are drawn, from
// the same scenes that the golden screens are made of.
var pictureFolder = flag.String("pictures", "", "draw the pictures of the README into this folder")

// drawn are the pictures: a scene, the size and whether on a dark ground.
var drawn = []struct {
	file, scene string
	w, h        int
	dark        bool
}{
	{"leases.svg", "busy", 120, 30, true},
	{"leases-light.svg", "busy", 120, 30, false},
	{"timeline.svg", "timeline", 110, 26, true},
	{"lanes.svg", "lanes", 110, 22, true},
	{"past.svg", "past", 110, 22, true},
}

// busy is a server at work: what an operator sees on an ordinary day.
func busy(s *stage) {
	pods := []string{"pod-a/7", "pod-b/9a21", "pod-c/3", "7f3a22be19c84f7fb16dc19e", "51be4409d81b0d2a51be0d2a", "c0ffee:41"}
	names := []string{"lock:invoice:40", "lock:stock:7", "lock:report:18", "lock:mail:3", "lock:invoice:44", "lock:stock:12", "lock:cleanup"}
	morning(s)
	for i, name := range names {
		s.acquire(name, pods[i%len(pods)], time.Duration(5+4*i)*time.Second)
		s.pass(time.Duration(170+40*i) * time.Millisecond)
	}
	s.renew("lock:report:17", 28*time.Second)
	s.pass(300 * time.Millisecond)
	s.release("lock:stock:7")
	s.pass(400 * time.Millisecond)
	s.press("down", "down", "down")
}

func TestPictures(t *testing.T) {
	for _, p := range drawn {
		s := newStage(t, p.w, p.h)
		s.colours(colorprofile.TrueColor)
		if p.dark != s.m.dark {
			s.press("ctrl+t")
		}
		play := busy
		if i := slices.IndexFunc(scenes, func(x scene) bool { return x.name == p.scene }); i >= 0 {
			play = scenes[i].play
		}
		play(s)
		picture := svg(s.emulate(), p.dark)
		if len(picture) > 60_000 {
			t.Errorf("%s takes %d bytes; all pictures together are to take less than 300,000", p.file, len(picture))
		}
		if *pictureFolder == "" {
			continue
		}
		if err := os.WriteFile(filepath.Join(*pictureFolder, p.file), []byte(picture), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
