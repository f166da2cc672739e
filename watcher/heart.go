package watcher

import (
	"context"
	"sync"
	"time"

	"leasetop/model"
)

const (
	heartbeat = 250 * time.Millisecond
	suspended = 1500 * time.Millisecond // between two beats: our process did not run
)

// heart beats a few times a second: it keeps the clocks, notices that our own
// process was stopped, and asks the subscriber's connection for a sign of life.
// It waits for nobody, or a consumer that is slow would look like a process
// that was stopped.
func (f *feed) heart(ctx context.Context) error {
	last, pinged := f.clock.local.now(), f.clock.local.now()
	for {
		if err := sleep(ctx, heartbeat); err != nil {
			return err
		}
		f.clock.local.tick()
		f.count.tick()
		now := f.clock.local.now()
		if now-last > suspended {
			f.notices.add(model.Health{State: model.StateGap, From: f.clock.of(last), To: f.clock.now(), Detail: "leasetop itself was stopped"})
			// What was silent meanwhile was us.
			f.sub.excuse()
		}
		if f.dirty.overflowed() {
			f.notices.add(model.Health{State: model.StateGap, From: f.clock.of(last), To: f.clock.now(), Detail: "more keys changed at once than leasetop can keep"})
		}
		last = now
		if f.sub == nil {
			continue
		}
		if f.sub.wire.quietFor() > silence {
			f.sub.wire.cut()
			return ErrSilent
		}
		if now-pinged >= pingEvery {
			pinged = now
			if err := f.sub.ping(ctx, make(chan struct{})); err != nil {
				return err
			}
		}
	}
}

// excuse starts the count of silence anew.
func (s *subscriber) excuse() {
	if s != nil {
		s.wire.last.Store(int64(s.feed.clock.local.now()))
	}
}

// notices are states that goroutines have to tell which must not wait for the
// consumer. There are never many: gaps of one kind are merged, and the state of
// notifications is told as it is when its turn comes.
type notices struct {
	kick chan struct{} // holds one

	mu     sync.Mutex
	gaps   []model.Health
	notify bool
}

func newNotices() *notices { return &notices{kick: make(chan struct{}, 1)} }

// add notes a gap; one that follows on one of its kind makes that longer.
func (n *notices) add(gap model.Health) {
	n.mu.Lock()
	defer n.mu.Unlock()
	defer n.wake()
	for i := range n.gaps {
		if n.gaps[i].Detail == gap.Detail {
			n.gaps[i].To = gap.To
			return
		}
	}
	n.gaps = append(n.gaps, gap)
}

// proven notes that the state of notifications is to be told.
func (n *notices) proven() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.notify = true
	n.wake()
}

func (n *notices) wake() {
	select {
	case n.kick <- struct{}{}:
	default:
	}
}

func (n *notices) take() (gaps []model.Health, notify bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	gaps, notify = n.gaps, n.notify
	n.gaps, n.notify = nil, false
	return gaps, notify
}

// tell hands notices on until ctx ends.
func (f *feed) tell(ctx context.Context) error {
	for {
		select {
		case <-f.notices.kick:
		case <-ctx.Done():
			return ctx.Err()
		}
		gaps, notify := f.notices.take()
		if notify {
			f.out.put(f.healthInput(f.notify.health()))
		}
		for _, g := range gaps {
			f.gap(g.From, g.To, g.Detail)
		}
	}
}
