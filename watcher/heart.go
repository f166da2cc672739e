package watcher

import (
	"context"
	"time"
)

const (
	heartbeat = 250 * time.Millisecond
	suspended = 1500 * time.Millisecond // between two beats: our process did not run
)

// heart beats a few times a second: it keeps the clocks, notices that our own
// process was stopped, and asks the subscriber's connection for a sign of life.
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
			f.gap(f.clock.of(last), f.clock.now(), "leasetop itself was stopped")
			// What was silent meanwhile was us.
			f.sub.excuse()
		}
		if f.dirty.overflowed() {
			f.gap(f.clock.of(last), f.clock.now(), "more keys changed at once than leasetop can keep")
		}
		if f.tell.CompareAndSwap(true, false) {
			f.out.put(f.healthInput(f.notify.health()))
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
