package ui

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"leasetop/model"

	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
)

// terminal is the part of Bubble Tea's renderer between a view and the bytes of
// a terminal, without its goroutines.
type terminal struct {
	buf   bytes.Buffer
	scr   *uv.TerminalRenderer
	cells uv.ScreenBuffer
}

func newTerminal(w, h int, profile colorprofile.Profile) *terminal {
	t := &terminal{cells: uv.NewScreenBuffer(w, h)}
	t.scr = uv.NewTerminalRenderer(&t.buf, []string{"TERM=xterm-256color"})
	t.scr.SetColorProfile(profile)
	t.scr.SetFullscreen(true)
	t.scr.SetRelativeCursor(false)
	t.scr.SetTabStops(w)
	t.scr.SetBackspace(true)
	t.scr.SetScrollOptim(true)
	t.scr.Resize(w, h)
	t.scr.Erase()
	return t
}

// show brings a frame to the terminal and gives the bytes that it took.
func (t *terminal) show(frame string) []byte {
	t.buf.Reset()
	t.cells.Clear()
	uv.NewStyledString(frame).Draw(t.cells, t.cells.Bounds())
	t.scr.Render(t.cells.RenderBuffer)
	_ = t.scr.Flush()
	return t.buf.Bytes()
}

// crowd fills a screen with n leases, of which the first are about to end.
func crowd(tb testing.TB, n, w, h int) *stage {
	s := newStage(nil, w, h)
	s.colours(colorprofile.TrueColor)
	inputs := make([]model.Input, 0, n)
	for i := range n {
		s.seq++
		ttl := time.Duration(9000+37*i) * time.Millisecond
		if i >= 64 {
			ttl = time.Duration(60+i%600) * time.Second
		}
		d := s.deadline(ttl)
		inputs = append(inputs, model.Input{Observation: &model.Observation{Seq: s.seq, Key: s.key(fmt.Sprintf("lock:invoice:%d", i)),
			Source: model.SourceEvent, ToldAt: s.now, Hints: []model.Hint{{Op: "set", At: s.now}, {Op: "expire", At: s.now}},
			Reading: &model.Reading{At: s.now, Type: "string", Format: "string", Deadline: d,
				Holders: []model.Holder{{Owner: fmt.Sprintf("pod-%d/9a21", i%40), Deadline: d}}}}})
	}
	s.send(batchMsg{inputs: inputs, now: s.now})
	s.pass(3 * time.Second)
	if got := s.m.live.len(); got != n {
		tb.Fatalf("%d leases on the screen, want %d", got, n)
	}
	return s
}

// BenchmarkFrame is a tick of a tenth of a second and its frame: taking it,
// drawing it, and the bytes that go to a terminal (B/frame).
func BenchmarkFrame(b *testing.B) {
	for _, c := range []struct {
		name  string
		n     int
		pages []page
	}{
		{"leases-40", 40, []page{pageLeases}},
		{"leases-100000", 100_000, []page{pageLeases}},
		{"lanes-40", 40, []page{pageLanes}},
		{"timeline", 40, []page{pageLeases, pageTimeline}},
	} {
		b.Run(c.name, func(b *testing.B) {
			s := crowd(b, c.n, 120, 40)
			s.m.pages = c.pages
			s.m.timeline.key = s.key("lock:invoice:7")
			term := newTerminal(120, 40, colorprofile.TrueColor)
			term.show(s.m.View().Content)
			var view, sent int64
			n := 0
			b.ReportAllocs()
			for b.Loop() {
				if n%50 == 0 { // before the first of them ends
					s.now = s.now.Add(time.Duration(-min(n, 50)) * fastTick)
					s.m.now = s.now
				}
				s.pass(fastTick)
				at := time.Now()
				frame := s.m.View().Content
				view += int64(time.Since(at))
				sent += int64(len(term.show(frame)))
				n++
			}
			b.ReportMetric(float64(sent)/float64(n), "B/frame")
			b.ReportMetric(float64(view)/float64(n), "ns/view")
		})
	}
}

// BenchmarkChange is one change of one lease among many, taken and drawn.
func BenchmarkChange(b *testing.B) {
	for _, n := range []int{40, 1000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s := crowd(b, n, 120, 40)
			term := newTerminal(120, 40, colorprofile.TrueColor)
			sent, i := 0, 0
			for _, in := range []string{"lock:invoice:30"} {
				s.acquire(in, "pod-1", 20*time.Second)
			}
			b.ReportAllocs()
			for b.Loop() {
				s.now = s.now.Add(time.Millisecond)
				s.renew("lock:invoice:30", 20*time.Second)
				sent += len(term.show(s.m.View().Content))
				i++
			}
			b.ReportMetric(float64(sent)/float64(i), "B/change")
		})
	}
}

// BenchmarkFirstTable is taking 100,000 leases in batches of 256 and drawing
// after each.
func BenchmarkFirstTable(b *testing.B) {
	for b.Loop() {
		s := newStage(nil, 120, 40)
		for i := 0; i < 100_000; i += 256 {
			var inputs []model.Input
			for j := i; j < i+256; j++ {
				s.seq++
				d := s.deadline(time.Duration(10+j*7919%600) * time.Second)
				inputs = append(inputs, model.Input{Observation: &model.Observation{Seq: s.seq, Key: s.key(fmt.Sprintf("lock:%d", j)),
					Source: model.SourcePoll, ToldAt: s.now, Reading: &model.Reading{At: s.now, Type: "string", Format: "string", Deadline: d,
						Holders: []model.Holder{{Owner: "pod-1", Deadline: d}}}}})
			}
			s.send(batchMsg{inputs: inputs, now: s.now})
			s.m.View()
		}
	}
}
