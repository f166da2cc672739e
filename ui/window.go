package ui

import (
	"time"

	"leasetop/model"
)

// zooms are the lengths of time that a picture shows.
var zooms = []time.Duration{
	time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 20 * time.Second, 30 * time.Second,
	time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 30 * time.Minute,
	time.Hour, 3 * time.Hour, 6 * time.Hour, 12 * time.Hour, 24 * time.Hour, 3 * 24 * time.Hour, 7 * 24 * time.Hour,
}

// window is the span of time that a picture shows: zoomed, and shifted back
// from the moment on the screen.
type window struct {
	level int // index of zooms, from 1; 0: what suits
	suits int // the level that suits
	back  time.Duration
}

func (w *window) length() time.Duration { return zooms[w.index()] }

func (w *window) index() int {
	if w.level > 0 {
		return w.level - 1
	}
	return w.suits
}

// suit chooses the zoom, unless somebody has, so that it shows at least d.
func (w *window) suit(d time.Duration) {
	for w.suits = range zooms {
		if zooms[w.suits] >= d {
			return
		}
	}
}

func (w *window) zoom(d int) { w.level = min(max(w.index()+d, 0), len(zooms)-1) + 1 }

// shift moves by a quarter of the window; not past the moment on the screen.
func (w *window) shift(d int) { w.back = max(0, w.back+time.Duration(d)*w.length()/4) }

func (w *window) reset() { w.level, w.back = 0, 0 }

// frame is the window of the picture on the screen.
func (m *Model) frame() *window {
	if m.under() == pageTimeline {
		return &m.timeline.window
	}
	return &m.lanes
}

// scale maps instants to columns.
type scale struct {
	from, to model.Instant
	w        int
}

// over is the scale of a window that ends at a moment or before it. Its edges
// move in steps of a column, so that a picture does not shimmer.
func (w *window) over(now model.Instant, width int) scale {
	length := w.length()
	step := model.Instant(max(1, length.Microseconds()/int64(max(1, width))))
	to := now.Add(-w.back)
	to -= to%step - step
	return scale{from: to - step*model.Instant(width), to: to, w: width}
}

// col is the column of an instant; outside of the window it is less than 0, or
// w and more.
func (s scale) col(i model.Instant) int {
	if i < s.from {
		return -1
	}
	return int(int64(i-s.from) * int64(s.w) / int64(s.to-s.from))
}

// at is the middle of a column.
func (s scale) at(col int) model.Instant {
	return s.from + model.Instant((2*int64(col)+1)*int64(s.to-s.from)/int64(2*s.w))
}
