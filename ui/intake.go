package ui

import (
	"context"
	"sync"
	"time"

	"leasetop/model"

	tea "charm.land/bubbletea/v2"
)

// maxPending bounds the inputs that wait for the screen. When they are there,
// emit blocks: nothing is dropped here, the feed coalesces behind it.
const maxPending = 8192

// sendGap is the least time between two batches: a little more than a frame. A
// batch after a pause goes at once, so that a single change waits for nothing.
const sendGap = 12 * time.Millisecond

// batchMsg brings inputs, and the server's time when they were handed over.
type batchMsg struct {
	inputs   []model.Input
	now      model.Instant
	counters *model.Counters // with news of what can be seen, else nil
}

// feedEndedMsg tells that no more inputs will come.
type feedEndedMsg struct{ err error }

// intake is the queue between the feed and the Bubble Tea program.
type intake struct {
	feed    Feed
	mu      sync.Mutex
	pending []model.Input
	closed  bool
	ready   chan struct{} // holds a token when pending is not empty or closed
	room    chan struct{} // holds a token after pending was taken
}

func newIntake(feed Feed) *intake {
	return &intake{feed: feed, ready: make(chan struct{}, 1), room: make(chan struct{}, 1)}
}

// emit queues a batch; it blocks while the queue is full.
func (q *intake) emit(ctx context.Context, batch []model.Input) {
	for {
		q.mu.Lock()
		if len(q.pending) < maxPending {
			q.pending = append(q.pending, batch...)
			q.mu.Unlock()
			signal(q.ready)
			return
		}
		q.mu.Unlock()
		select {
		case <-q.room:
		case <-ctx.Done():
			return
		}
	}
}

// close tells the pump that no more will come.
func (q *intake) close() {
	q.mu.Lock()
	q.closed = true
	q.mu.Unlock()
	signal(q.ready)
}

func (q *intake) take() (batch []model.Input, closed bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	batch, q.pending = q.pending, nil
	signal(q.room)
	return batch, q.closed
}

// pump hands batches to the program until the context ends, or the queue is
// closed and empty. Whatever arrives within sendGap of the last batch goes
// together.
func (q *intake) pump(ctx context.Context, send func(tea.Msg)) {
	pause := time.NewTimer(0)
	defer pause.Stop()
	for {
		select {
		case <-q.ready:
		case <-ctx.Done():
			return
		}
		select {
		case <-pause.C:
		case <-ctx.Done():
			return
		}
		batch, closed := q.take()
		if len(batch) > 0 {
			send(q.message(batch))
		}
		if closed {
			return
		}
		pause.Reset(sendGap)
	}
}

func (q *intake) message(batch []model.Input) batchMsg {
	msg := batchMsg{inputs: batch, now: q.feed.Now()}
	for i := range batch {
		if batch[i].Health != nil {
			c := q.feed.Counters()
			msg.counters = &c
			break
		}
	}
	return msg
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
