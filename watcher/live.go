package watcher

import (
	"context"
	"sync/atomic"

	"leasetop/model"
)

// Live watches a server. Today its set of feeds is one: a server by itself.
type Live struct {
	feed    *feed
	running atomic.Bool
}

var _ Source = (*Live)(nil)

// New makes a watcher; nothing is connected before Run or Snapshot.
func New(cfg Config) *Live { return &Live{feed: newFeed(cfg.orDefaults())} }

// Run watches until ctx ends, and then returns nil. A failure of the very first
// connection, and what no further try can mend, it returns as an *Error; a
// connection that is lost later is made again for ever, and told as Health. An
// *Error at the end also tells that a setting could not be put back.
// emit is never called twice at a time; while it blocks, changes coalesce.
func (l *Live) Run(ctx context.Context, emit func([]model.Input)) error {
	if !l.running.CompareAndSwap(false, true) {
		panic("watcher: Run called twice")
	}
	l.feed.out.emit = emit
	return l.feed.run(ctx)
}

// Snapshot connects, reads every watched key once and ends. It keeps to the
// budget only when one is given. The error is an *Error.
func (l *Live) Snapshot(ctx context.Context) ([]model.Input, model.Counters, error) {
	if !l.running.CompareAndSwap(false, true) {
		panic("watcher: Snapshot after Run")
	}
	var all []model.Input
	l.feed.out.emit = func(batch []model.Input) { all = append(all, batch...) }
	err := l.feed.once(ctx)
	return all, l.Counters(), err
}

// Now is the best estimate of the server's clock; before the first answer it is
// the local wall clock.
func (l *Live) Now() model.Instant { return l.feed.clock.now() }

// Counters is a snapshot of what was done and dropped.
func (l *Live) Counters() model.Counters {
	c := l.feed.count.snapshot()
	c.Dirty = l.feed.dirty.size()
	c.Known = l.feed.book.present()
	c.ClockBound = l.feed.clock.bound()
	return c
}

// Undo is the command that puts the notification setting back by hand, "" when
// nothing was changed.
func (l *Live) Undo() string { return l.feed.notify.undo() }
