// Package worker is the workers of the demo, each a process of its own.
//
// lease.go is the worker done right, and made to be copied: it needs a Redis
// client and the three lease scripts, and nothing else of this repository.
// careless.go is the workers that are met in the field.
package worker

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"leasetop/keyspace"
)

// Reasons to have no lease, or to have it no more.
var (
	// ErrDenied means that somebody else holds the lease.
	ErrDenied = errors.New("lease: held by somebody else")
	// ErrUncertain means that nobody knows whether the lease was acquired: the
	// answer did not come in time. It is not a permission to work.
	ErrUncertain = errors.New("lease: the answer did not come in time, it may or may not be ours")
	// ErrLost means that there is no permission to begin anything more. It never
	// turns back into one: a worker that wants to go on acquires a new lease.
	ErrLost = errors.New("lease: lost")
)

var (
	acquireScript = redis.NewScript(keyspace.AcquireScript())
	renewScript   = redis.NewScript(keyspace.RenewScript())
	releaseScript = redis.NewScript(keyspace.ReleaseScript())
)

// Terms are the terms of a lease.
type Terms struct {
	Key     string        // of the lock; its fence counter stands beside it
	TTL     time.Duration // asked for with each acquisition and renewal
	Margin  time.Duration // given up of each TTL for clocks that run apart; 0: a tenth of it
	Every   time.Duration // between renewals; 0: a third of the TTL
	Timeout time.Duration // of each call; 0: a third of the TTL

	// Tell is called with what happens, for the log. Nil tells nobody.
	Tell func(event, outcome, detail string)
	// Pause is called with "renew" between the check and the sending of a
	// renewal, where a process may be stopped at any time. Nil in production:
	// it is there so that a test can stop it there on purpose.
	Pause func(ctx context.Context, point string)
}

func (t Terms) filled() Terms {
	if t.Margin == 0 {
		t.Margin = t.TTL / 10
	}
	if t.Every == 0 {
		t.Every = t.TTL / 3
	}
	if t.Timeout == 0 {
		t.Timeout = t.TTL / 3
	}
	if t.Tell == nil {
		t.Tell = func(string, string, string) {}
	}
	if t.Pause == nil {
		t.Pause = func(context.Context, string) {}
	}
	return t
}

// Lease is one acquisition and what may still be begun under it. Its methods may
// be called by several goroutines.
type Lease struct {
	client redis.Scripter
	terms  Terms
	owner  string
	fence  int64

	lost   context.Context // ends with the permission; its cause is why
	forget context.CancelCauseFunc

	mu       sync.Mutex
	deadline time.Time // the last moment at which something may be begun
}

// Acquire makes one attempt to take the lease. The client must not retry on its
// own. It may return ErrDenied, or ErrUncertain with the attempt taken back as
// far as that is possible; in both cases there is no permission to work.
func Acquire(ctx context.Context, client redis.Scripter, terms Terms) (*Lease, error) {
	l := &Lease{client: client, terms: terms.filled(), owner: newToken()}
	l.lost, l.forget = context.WithCancelCause(context.WithoutCancel(ctx))
	// The TTL runs from some moment after the request is sent. Counting from the
	// sending is the safe side.
	sent := time.Now()
	call, cancel := context.WithTimeout(ctx, l.terms.Timeout)
	defer cancel()
	fence, err := acquireScript.Run(call, client, []string{terms.Key, keyspace.FenceKey(terms.Key)},
		l.owner, terms.TTL.Milliseconds()).Int64()
	l.fence = fence
	l.deadline = sent.Add(l.terms.TTL - l.terms.Margin)
	switch {
	case err != nil && refused(err):
		return nil, fmt.Errorf("acquire the lease: %w", err)
	case err != nil, fence != 0 && past(l.deadline):
		// It may be ours all the same, and would keep others out for a TTL. The
		// token makes the release safe if it is not.
		_, _ = l.Release(ctx)
		return nil, fmt.Errorf("acquire the lease: %w", errors.Join(ErrUncertain, err))
	case fence == 0:
		return nil, ErrDenied
	}
	return l, nil
}

// Owner is the token of this acquisition. It proves to the lock who renews and
// releases; it orders nothing.
func (l *Lease) Owner() string { return l.owner }

// Fence is the number of this acquisition, higher than that of each before it.
// It goes with every write, and the resource refuses what is lower than the
// highest number it has seen.
func (l *Lease) Fence() int64 { return l.fence }

// Lost ends when the permission to begin work does; context.Cause says why. Hand
// it to calls that can be broken off.
func (l *Lease) Lost() context.Context { return l.lost }

// Check is to be asked before each unit of work and before its completion. It
// returns ErrLost with the reason once the lease is lost or over.
//
// What was begun before goes on, and the process can be stopped between a check
// and the act: only the resource itself can refuse a write that comes too late.
func (l *Lease) Check() error {
	l.mu.Lock()
	over := past(l.deadline)
	l.mu.Unlock()
	if over {
		l.lose("the lease is over by this process's clock")
	}
	if l.lost.Err() != nil {
		return context.Cause(l.lost)
	}
	return nil
}

// Keep renews the lease until ctx ends or the lease is lost. It runs apart from
// the work, in a goroutine that whoever starts it waits for before the release.
func (l *Lease) Keep(ctx context.Context) {
	tick := time.NewTicker(l.terms.Every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-l.lost.Done():
			return
		case <-tick.C:
			l.renew(ctx)
		}
	}
}

// renew prolongs the lease, or loses it for good: refused, late or unanswered is
// all the same to the work.
func (l *Lease) renew(ctx context.Context) {
	if l.Check() != nil {
		return
	}
	l.terms.Pause(ctx, "renew")
	l.mu.Lock()
	before := l.deadline
	l.mu.Unlock()
	sent := time.Now()
	call, cancel := context.WithTimeout(ctx, l.terms.Timeout)
	defer cancel()
	renewed, err := renewScript.Run(call, l.client, []string{l.terms.Key}, l.owner, l.terms.TTL.Milliseconds()).Int64()
	switch {
	case err != nil && ctx.Err() != nil:
		// The work is done and nobody waits for this answer.
	case err != nil:
		l.terms.Tell("lease_renewal", "timeout", cause(err))
		l.lose("a renewal was not answered, nobody knows whether it was carried out")
	case renewed == 0:
		l.terms.Tell("lease_renewal", "rejected", "")
		l.lose("a renewal was refused, the lease was not ours any more")
	case past(before):
		// It was carried out, but the lease was over for this process when the
		// answer came, and work may have been refused on that ground.
		l.terms.Tell("lease_renewal", "late", "")
		l.lose("a renewal was answered too late")
	default:
		l.mu.Lock()
		l.deadline = sent.Add(l.terms.TTL - l.terms.Margin)
		l.mu.Unlock()
		l.terms.Tell("lease_renewal", "ok", "")
	}
}

// lose ends the permission, once.
func (l *Lease) lose(why string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.lost.Err() != nil {
		return
	}
	l.forget(fmt.Errorf("%w: %s", ErrLost, why))
	l.terms.Tell("ownership_uncertain", "", why)
	l.terms.Tell("job_stop_requested", "", "")
}

// Release gives the lease back if it is still ours, and reports whether it was.
// It goes on when ctx has ended, for a bounded time: a lease that is not given
// back keeps others out until it runs out. Its error says nothing about the job;
// record it beside the job's outcome, never instead of it.
func (l *Lease) Release(ctx context.Context) (bool, error) {
	call, cancel := context.WithTimeout(context.WithoutCancel(ctx), l.terms.Timeout)
	defer cancel()
	n, err := releaseScript.Run(call, l.client, []string{l.terms.Key}, l.owner).Int64()
	if err != nil {
		return false, fmt.Errorf("release the lease: %w", err)
	}
	return n == 1, nil
}

// past reports whether a deadline that was made from time.Now is over. A
// monotonic clock may stand still while the machine sleeps, and a wall clock may
// be set; the lease is over as soon as one of them says so.
func past(deadline time.Time) bool {
	now := time.Now()
	return !now.Before(deadline) || !now.Round(0).Before(deadline.Round(0))
}

// refused reports whether the server itself answered, with an error: then
// nothing was carried out.
func refused(err error) bool {
	var answer redis.Error
	return errors.As(err, &answer) && !errors.Is(err, redis.Nil)
}

// cause is an error in the words of a log.
func cause(err error) string {
	var slow net.Error
	if errors.Is(err, context.DeadlineExceeded) || errors.As(err, &slow) && slow.Timeout() {
		return "no answer in time"
	}
	return err.Error()
}

// newToken names one acquisition attempt: 128 random bits, never used again.
func newToken() string {
	b := make([]byte, 16)
	rand.Read(b)
	return hex.EncodeToString(b)
}
