package watcher

import (
	"context"
	"sync"
	"time"
)

// pacer keeps to a budget of commands a second: a bucket that holds a quarter
// of a second's worth. The zero rate lets everything pass.
type pacer struct {
	rate float64

	mu     sync.Mutex
	tokens float64
	last   time.Time
}

func newPacer(budget int) *pacer {
	p := &pacer{rate: float64(budget), last: time.Now()}
	p.tokens = p.full()
	return p
}

// full is what the bucket holds: at least one smallest transaction.
func (p *pacer) full() float64 { return max(p.rate/4, smallest) }

// smallest is one transaction of one key: MULTI, TIME, four commands, EXEC.
const smallest = 7

// batch is how many keys a transaction may hold so that it fits the bucket.
func (p *pacer) batch(most int) int {
	if p.rate == 0 {
		return most
	}
	return min(most, max(1, int(p.full()-3)/4))
}

// take waits until n commands fit the budget.
func (p *pacer) take(ctx context.Context, n int) error {
	if p.rate == 0 {
		return nil
	}
	for {
		wait := p.try(n)
		if wait <= 0 {
			return nil
		}
		if err := sleep(ctx, wait); err != nil {
			return err
		}
	}
}

func (p *pacer) try(n int) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fill()
	need := min(float64(n), p.full())
	if p.tokens >= need {
		p.tokens -= float64(n)
		return 0
	}
	return time.Duration((need - p.tokens) / p.rate * float64(time.Second))
}

// spend takes commands that cannot wait: they are paid for by those that can.
func (p *pacer) spend(n int) {
	if p.rate == 0 {
		return
	}
	p.mu.Lock()
	p.fill()
	p.tokens -= float64(n)
	p.mu.Unlock()
}

func (p *pacer) fill() {
	now := time.Now()
	p.tokens = min(p.full(), p.tokens+now.Sub(p.last).Seconds()*p.rate)
	p.last = now
}

// sleep waits, or returns the error of ctx.
func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
