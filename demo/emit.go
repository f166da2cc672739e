package demo

import (
	"sync"

	"leasetop/model"
)

// EventKind says what an Event is about.
type EventKind uint8

// The kinds of events.
const (
	StepBegan  EventKind = iota + 1 // Step
	StepEnded                       // Step; a new moment is there
	WorkerTold                      // Worker
	Noted                           // Note: what the demo did or saw itself, in words
)

// Event is something that happened in a run.
type Event struct {
	Kind   EventKind
	Step   int // 1 is the first; 0: before it
	Worker *model.WorkerEvent
	Note   string
}

// emitter hands events on in their order, from one goroutine. Its queue is
// bounded by what a run can tell, which maxEvents bounds.
type emitter struct {
	mu    sync.Mutex
	moved *sync.Cond
	queue []Event
	busy  bool
	ended bool
	done  chan struct{}
}

func (e *emitter) start(emit func(Event)) {
	if emit == nil {
		emit = func(Event) {}
	}
	e.moved = sync.NewCond(&e.mu)
	e.done = make(chan struct{})
	// Awaited by stop.
	go e.run(emit)
}

func (e *emitter) run(emit func(Event)) {
	defer close(e.done)
	e.mu.Lock()
	defer e.mu.Unlock()
	for {
		for len(e.queue) == 0 {
			if e.ended {
				return
			}
			e.moved.Wait()
		}
		next := e.queue[0]
		e.queue = e.queue[1:]
		e.busy = true
		e.mu.Unlock()
		emit(next)
		e.mu.Lock()
		e.busy = false
		e.moved.Broadcast()
	}
}

func (e *emitter) add(event Event) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.queue = append(e.queue, event)
	e.moved.Broadcast()
}

// drain waits until everything that was added has been handed on.
func (e *emitter) drain() {
	e.mu.Lock()
	defer e.mu.Unlock()
	for len(e.queue) > 0 || e.busy {
		e.moved.Wait()
	}
}

// stop hands on what is left and ends.
func (e *emitter) stop() {
	e.mu.Lock()
	e.ended = true
	e.moved.Broadcast()
	e.mu.Unlock()
	<-e.done
}
