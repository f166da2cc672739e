package watcher

import (
	"container/heap"
	"sync"
	"time"

	"leasetop/model"
)

// entry is what is kept of a key that was there when last read.
type entry struct {
	name   string
	shape  string        // its type
	beside []request     // companions, with the types that they had
	end    model.Instant // the key's own deadline; 0: none
	next   model.Instant // earliest deadline ahead, of the key or of a holder; 0: none
	due    model.Instant // when to confirm it
	at     int32         // place in the heap, -1: none
	tries  uint8         // confirming reads that found no change
	part   bool          // a companion of a lock, no lock itself
	sweep  uint32        // last sweep that read it
}

// book keeps the watched keys that are there, and when to confirm which.
type book struct {
	mu     sync.Mutex
	keys   map[string]*entry
	heap   deadlines
	locks  int
	denied map[string]time.Duration // keys that may not be read: local time of the refusal
}

func newBook() *book {
	return &book{keys: make(map[string]*entry), denied: make(map[string]time.Duration)}
}

// present is how many locks are there.
func (b *book) present() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.locks
}

// A confirming read comes one millisecond after a deadline: a key whose time is
// not over by a whole millisecond is alive. One that finds the key still there
// (a frozen clock, a paused server) is repeated, ever more rarely.
const (
	afterDeadline = time.Millisecond
	firstRetry    = 2 * time.Millisecond
	lastRetry     = time.Second
)

// keep notes a reading of a key that is there.
func (b *book) keep(e *entry, next, now model.Instant) {
	if e.next != next {
		e.next, e.tries = next, 0
	}
	switch {
	case next == 0:
		b.forget(e)
		return
	case next.Add(afterDeadline) > now:
		e.due = next.Add(afterDeadline)
	default:
		e.due = now.Add(min(firstRetry<<min(e.tries, 10), lastRetry))
		e.tries++
	}
	if e.at < 0 {
		heap.Push(&b.heap, e)
	} else {
		heap.Fix(&b.heap, int(e.at))
	}
}

// forget takes a key out of the heap.
func (b *book) forget(e *entry) {
	if e.at >= 0 {
		heap.Remove(&b.heap, int(e.at))
	}
}

// drop forgets a key that is gone.
func (b *book) drop(e *entry) {
	b.forget(e)
	delete(b.keys, e.name)
	if !e.part {
		b.locks--
	}
}

// due gives the keys whose deadline is over for certain, and how long it is to
// the next one.
func (b *book) due(clock *serverClock) (names []string, wait time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(b.heap) > 0 {
		e := b.heap[0]
		if wait = clock.past(e.due); wait > 0 {
			return names, wait
		}
		// Put back by the reading that follows; if none does, tried again later.
		e.due = e.due.Add(lastRetry)
		heap.Fix(&b.heap, 0)
		names = append(names, e.name)
	}
	return names, time.Hour
}

// expect has the next sweep read a key that was told by hints alone: only that
// shows whether it is there. The caller holds the book.
func (b *book) expect(name string) {
	if b.keys[name] == nil {
		b.keys[name] = &entry{name: name, at: -1}
		b.locks++
	}
}

// unmet lists the keys that a sweep has not read.
func (b *book) unmet(sweep uint32) []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var names []string
	for name, e := range b.keys {
		if e.sweep != sweep {
			names = append(names, name)
		}
	}
	return names
}

// maxDenied bounds what is remembered of keys that may not be read.
const maxDenied = 10_000

// refuse notes a key that may not be read and reports whether that is news.
func (b *book) refuse(name string, local time.Duration) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	_, was := b.denied[name]
	if len(b.denied) >= maxDenied {
		clear(b.denied)
	}
	b.denied[name] = local
	return !was
}

// deniedFor is how long a sweep leaves a key alone that may not be read.
const deniedFor = time.Minute

// deadlines is a heap by due.
type deadlines []*entry

func (h deadlines) Len() int           { return len(h) }
func (h deadlines) Less(i, j int) bool { return h[i].due < h[j].due }
func (h deadlines) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].at, h[j].at = int32(i), int32(j)
}
func (h *deadlines) Push(x any) {
	e := x.(*entry)
	e.at = int32(len(*h))
	*h = append(*h, e)
}
func (h *deadlines) Pop() any {
	old := *h
	e := old[len(old)-1]
	old[len(old)-1] = nil
	*h = old[:len(old)-1]
	e.at = -1
	return e
}
