package watcher

import (
	"context"
	"errors"
	"sync"

	"leasetop/model"
)

// nobody is a prefix that no key has: tracking it costs the server nothing, and
// still tells at once of a flush, which is a push to every tracking client.
const nobody = "__leasetop__:"

// flushes knows of flushes what pushes and the server's own count tell. A push
// names no database and no key, comes for a resynchronization too, and SWAPDB
// sends none; the count says which it was.
type flushes struct {
	mu       sync.Mutex
	from, to model.Instant // of pushes that are not told yet; to 0: none
	known    uint64        // count as last seen
	counted  bool          // known is known
}

// push notes a push between two moments.
func (f *flushes) push(from, to model.Instant) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.to == 0 {
		f.from = from
	}
	f.to = to
}

// take gives what is not told yet; false when there is nothing.
func (f *flushes) take() (from, to model.Instant, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	from, to, ok = f.from, f.to, f.to != 0
	f.from, f.to = 0, 0
	return from, to, ok
}

// grew reports whether the server counts a flush more than when last asked. A
// count that fell was reset.
func (f *flushes) grew(i *info) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	grew := f.counted && i.counted && i.flushes > f.known
	f.known, f.counted = i.flushes, i.counted
	return grew
}

// pushedFlush tells a flush that a push brought. It goes before everything that
// was heard of later.
func (f *feed) pushedFlush(ctx context.Context) ([]model.Input, error) {
	from, to, ok := f.flushes.take()
	if !ok {
		return nil, nil
	}
	now, err := f.ask(ctx)
	switch {
	case errors.Is(err, errNoInfo): // what else it was, nobody may know
	case err != nil:
		return nil, err
	case !f.flushes.grew(&now):
		return nil, nil
	}
	in := f.healthInput(model.Health{State: model.StateTopology, Flushed: true, From: from, Detail: flushDetail})
	in.Health.At = to
	return []model.Input{in}, nil
}

const flushDetail = "a database was flushed or swapped"
