package ui

import (
	"time"

	"leasetop/model"
)

// notice is a short word about what a key has just done.
type notice struct {
	text  string
	style style
	until model.Instant
}

// noticeTime is how long a notice stays.
const noticeTime = 4 * time.Second

func (m *Model) say(s style, text string) {
	m.notice = notice{text: text, style: s, until: m.now.Add(noticeTime)}
}

func (n *notice) fade(now model.Instant) {
	if n.text != "" && now >= n.until {
		*n = notice{}
	}
}

// hintOnce is the line for the first minute. It goes away by itself.
type hintOnce struct {
	started model.Instant
	over    bool
}

const hintTime = 30 * time.Second

func (h *hintOnce) fade(now model.Instant) {
	switch {
	case h.started == 0:
		h.started = now
	case now.Sub(h.started) > hintTime:
		h.over = true
	}
}

// meter is the mean rate of a counter over the last few looks at it: a sweep
// every two seconds would make it jump.
type meter struct {
	at [meterLooks]model.Instant
	n  [meterLooks]uint64
	i  int // the oldest look
}

// meterLooks and meterGap make a window of about five seconds.
const (
	meterLooks = 11
	meterGap   = 500 * time.Millisecond
)

func (r *meter) look(now model.Instant, n uint64) {
	last := (r.i + meterLooks - 1) % meterLooks
	if r.at[last] != 0 && now.Sub(r.at[last]) < meterGap && now >= r.at[last] {
		return
	}
	r.at[r.i], r.n[r.i] = now, n
	r.i = (r.i + 1) % meterLooks
}

func (r *meter) perSecond() float64 {
	last := (r.i + meterLooks - 1) % meterLooks
	for k := range meterLooks - 1 { // the oldest look that there is
		first := (r.i + k) % meterLooks
		if d := r.at[last].Sub(r.at[first]); r.at[first] != 0 && d > 0 && r.n[last] >= r.n[first] {
			return float64(r.n[last]-r.n[first]) / d.Seconds()
		}
	}
	return 0
}

// rates counts changes a second over the last few seconds of the server's
// clock.
type rates struct {
	at [rateWindow]int64 // the second that a counter is for
	n  [rateWindow]int
}

const rateWindow = 8

func (r *rates) add(now model.Instant, n int) {
	s := int64(now) / 1e6
	i := s % rateWindow
	if i < 0 {
		return
	}
	if r.at[i] != s {
		r.at[i], r.n[i] = s, 0
	}
	r.n[i] += n
}

// perSecond is the mean over the last five whole seconds.
func (r *rates) perSecond(now model.Instant) float64 {
	const over = 5
	s := int64(now) / 1e6
	sum := 0
	for i := range r.at {
		if r.at[i] >= s-over && r.at[i] < s {
			sum += r.n[i]
		}
	}
	return float64(sum) / over
}
