package main

import (
	"context"
	"time"

	"leasetop/model"
)

// source is what main needs of a watcher: it hands on what it reads in batches
// until ctx ends, and knows the server's clock.
type source interface {
	Run(ctx context.Context, emit func([]model.Input)) error
	Now() model.Instant
}

// follower folds what a source reads.
type follower interface {
	// take folds one batch. Its error ends the following.
	take(batch []model.Input) error
	// next is the instant by which take wants to know that time has passed; 0:
	// there is none.
	next() model.Instant
}

// Bounds of the wait for the next instant. The upper one lets a machine that
// slept be noticed in time; the lower one keeps an instant that does not go away
// from spinning.
const (
	longWait  = time.Second
	shortWait = time.Millisecond
)

// follow hands on what a source reads until ctx ends, the source gives up or the
// follower does, whose error comes first. The source has ended when follow
// returns, so that what it set on the server is put back. Nothing is buffered
// between the two: a follower that is slow holds the source up, whose own queue
// then coalesces and counts.
func follow(ctx context.Context, src source, f follower) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	batches := make(chan []model.Input)
	ended := make(chan error, 1)
	go func() {
		ended <- src.Run(ctx, func(batch []model.Input) {
			select {
			case batches <- batch:
			case <-ctx.Done():
			}
		})
	}()
	timer := time.NewTimer(longWait)
	defer timer.Stop()
	for {
		var err error
		select {
		case batch := <-batches:
			err = f.take(batch)
		case err := <-ended:
			return err
		case <-timer.C:
			// What was read already comes before the passing of time, or a lease
			// could be called overdue whose renewal is waiting to be told.
			select {
			case batch := <-batches:
				err = f.take(batch)
			default:
				err = f.take([]model.Input{{Advance: src.Now()}})
			}
		}
		if err != nil {
			cancel()
			<-ended
			return err
		}
		timer.Reset(pause(f.next(), src.Now()))
	}
}

func pause(next, now model.Instant) time.Duration {
	if next.IsZero() {
		return longWait
	}
	return min(max(next.Sub(now), shortWait), longWait)
}
