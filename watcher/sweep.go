package watcher

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"leasetop/keyspace"
	"leasetop/model"
)

// sweepKind says why everything is read.
type sweepKind uint8

const (
	sweepFloor sweepKind = iota // the interval is over
	sweepFlush                  // a flush: what is left?
	sweepGap                    // something may have been missed
	sweepFirst                  // nothing is known yet
)

// sweeper reads every watched key from time to time: SCAN for those that are
// there, and those that were there.
type sweeper struct {
	feed *feed
	kick chan struct{} // holds one

	mu    sync.Mutex
	next  sweepKind // of what was asked for while a sweep ran
	count int64     // of SCAN, adapted to what the server takes for it
	rtt   time.Duration
}

func newSweeper(f *feed) *sweeper {
	return &sweeper{feed: f, kick: make(chan struct{}, 1), count: firstCount}
}

// Bounds of SCAN COUNT, and the server's time for one call that it is steered by.
const (
	firstCount = 500
	leastCount = 100
	mostCount  = 1000
	shortCall  = 500 * time.Microsecond
	longCall   = time.Millisecond
	share      = 4 // pauses are this many times the call, so that we take 20 % at most
)

// want asks for a sweep at once. It never blocks.
func (s *sweeper) want(k sweepKind) {
	s.mu.Lock()
	s.next = max(s.next, k)
	s.mu.Unlock()
	select {
	case s.kick <- struct{}{}:
	default:
	}
}

// gently reports whether a sweep is to leave the server time: until somebody
// waits for the next one.
func (s *sweeper) gently(k sweepKind) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return k == sweepFloor && s.next == sweepFloor
}

func (s *sweeper) wanted() sweepKind {
	s.mu.Lock()
	defer s.mu.Unlock()
	k := s.next
	s.next = sweepFloor
	return k
}

// run sweeps until ctx ends.
func (s *sweeper) run(ctx context.Context) error {
	f := s.feed
	for first := true; ; first = false {
		select {
		case <-s.kick:
		default:
		}
		kind := s.wanted()
		if !f.synced {
			kind = sweepFirst
		}
		if first || !f.cfg.NoTouch || kind != sweepFloor {
			if err := s.sweep(ctx, kind); err != nil {
				return err
			}
		}
		t := time.NewTimer(f.cfg.Interval)
		select {
		case <-t.C:
		case <-s.kick:
			t.Stop()
			s.kick <- struct{}{}
		case <-ctx.Done():
			t.Stop()
			return ctx.Err()
		}
	}
}

// sweep reads everything once and tells what that makes sure.
func (s *sweeper) sweep(ctx context.Context, kind sweepKind) error {
	f := s.feed
	began := f.clock.earliest()
	n := f.dirty.beginSweep()
	// After a gap no announcement is to be waited for: it may have been in it.
	f.regaining.Store(kind == sweepGap)
	defer f.regaining.Store(false)
	if kind == sweepFirst || kind == sweepGap || !f.cfg.NoTouch {
		if err := s.pass(ctx, cover(f.cfg.Patterns.Globs()), kind); err != nil {
			return err
		}
	}
	// What was there and was not met is gone, or was put there while we looked.
	if err := s.poll(ctx, f.book.unmet(n), kind); err != nil {
		return err
	}
	if !f.dirty.awaitSweep() {
		return ctx.Err()
	}
	f.out.round.Lock() // what is settled has been handed on
	defer f.out.round.Unlock()
	s.done(kind, began)
	return nil
}

// longestPause bounds a pause: a server that stood still for seconds did not
// work for us all that time.
const longestPause = 250 * time.Millisecond

// pause is how long to rest after a call that cost the server so much.
func pause(cost time.Duration) time.Duration { return min(share*cost, longestPause) }

// done tells that a sweep is over. A key that is new after it may have come
// since it began.
func (s *sweeper) done(kind sweepKind, began model.Instant) {
	f := s.feed
	now := f.clock.now()
	f.count.update(func(c *model.Counters) {
		c.LastSweep, c.Scanned = now, f.keys.Load()
		c.Synced = true
		if kind == sweepFirst || kind == sweepGap {
			c.State = model.StateSynced
		}
	})
	switch {
	case kind == sweepFirst:
		f.synced = true
		f.out.put(f.healthInput(model.Health{State: model.StateSynced, From: began, Detail: s.synced()}))
	case kind == sweepGap:
		f.out.put(f.healthInput(model.Health{State: model.StateRecovered, Detail: "everything was read again"}))
	}
}

func (s *sweeper) synced() string {
	d := fmt.Sprintf("%d leases", s.feed.book.present())
	if s.feed.cfg.NoTouch {
		d += "; no further sweeps (--no-touch): new keys come from notifications only"
	}
	return d
}

// cover is one glob that selects all that some globs do, so that one pass over
// the database is enough: a second one would cost the server as much as sending
// every name.
func cover(globs []string) string {
	if len(globs) == 1 {
		return globs[0]
	}
	var first []byte
	for _, g := range globs {
		head := keyspace.LiteralPrefix(g)
		if head == "" {
			return "*"
		}
		if !slices.Contains(first, head[0]) {
			first = append(first, head[0])
		}
	}
	class := []byte{'['}
	for _, b := range first {
		class = append(class, '\\', b)
	}
	return string(append(class, ']', '*'))
}

// pass walks the database once, with the server selecting by a glob.
func (s *sweeper) pass(ctx context.Context, glob string, kind sweepKind) error {
	f := s.feed
	var cursor uint64
	for {
		if err := f.pace.take(ctx, 1); err != nil {
			return err
		}
		began := f.clock.local.now()
		keys, next, err := f.commands.Scan(ctx, cursor, glob, s.count).Result()
		if transport(err) && ctx.Err() == nil {
			keys, next, err = f.commands.Scan(ctx, cursor, glob, s.count).Result()
		}
		switch {
		case err == nil:
		case isBusy(err):
			f.fails(err)
			if err := sleep(ctx, retryDelay); err != nil {
				return err
			}
			continue
		case deniesCommand(err), isUnknownCommand(err):
			f.refusedCommand("scan", err)
			return nil
		default:
			return fmt.Errorf("sweep: %w", err)
		}
		took := f.clock.local.now() - began
		s.adapt(took)
		watched := keys[:0]
		for _, k := range keys {
			if _, ok := f.cfg.Patterns.Match(k); ok {
				watched = append(watched, k)
			}
		}
		if err := s.poll(ctx, watched, kind); err != nil {
			return err
		}
		if s.gently(kind) {
			if err := sleep(ctx, pause(s.serverTime(took))); err != nil {
				return err
			}
		}
		if cursor = next; cursor == 0 {
			return nil
		}
	}
}

// poll has keys read: at full speed, or a few at a time with pauses.
func (s *sweeper) poll(ctx context.Context, keys []string, kind sweepKind) error {
	f := s.feed
	for len(keys) > 0 {
		n := len(keys)
		gently := s.gently(kind)
		if gently {
			n = min(n, maxUnits)
		}
		began := f.clock.local.now()
		if !f.dirty.poll(keys[:n]) {
			return context.Cause(ctx)
		}
		keys = keys[n:]
		if !gently {
			continue
		}
		if !f.dirty.awaitSweep() {
			return context.Cause(ctx)
		}
		if err := sleep(ctx, pause(s.serverTime(f.clock.local.now()-began))); err != nil {
			return err
		}
	}
	return nil
}

// adapt steers COUNT by the time that the server took.
func (s *sweeper) adapt(took time.Duration) {
	if s.rtt == 0 || took < s.rtt {
		s.rtt = took
	}
	switch t := s.serverTime(took); {
	case t < shortCall:
		s.count = min(2*s.count, mostCount)
	case t > longCall:
		s.count = max(s.count/2, leastCount)
	}
}

// serverTime is what a call took without its way there and back.
func (s *sweeper) serverTime(took time.Duration) time.Duration {
	rtt := s.rtt
	s.feed.count.update(func(c *model.Counters) {
		if c.RoundTrip > 0 {
			rtt = min(rtt, c.RoundTrip)
		}
	})
	return max(0, took-rtt)
}
