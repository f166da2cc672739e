package watcher

import (
	"sync"

	"leasetop/model"
)

// maxBatch bounds what is handed on at once.
const maxBatch = 256

// outlet hands inputs on, one batch at a time and numbered in this order. Its
// caller is held up while the consumer is busy; the receive loop never calls it.
type outlet struct {
	// round is held from the settling of what was read until it is handed on. Who
	// waits for a sweep to be settled takes it before telling so: synced must not
	// come before the leases that were found.
	round sync.Mutex

	mu   sync.Mutex
	emit func([]model.Input)
	seq  uint64
}

func (o *outlet) put(inputs ...model.Input) {
	if len(inputs) == 0 {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	for i := range inputs {
		if obs := inputs[i].Observation; obs != nil {
			o.seq++
			obs.Seq = o.seq
		}
	}
	for len(inputs) > maxBatch {
		o.emit(inputs[:maxBatch:maxBatch])
		inputs = inputs[maxBatch:]
	}
	o.emit(inputs)
}
