package watcher

import (
	"sync"
	"time"

	"leasetop/model"
)

// Bounds of the dirty set. A key that is in it already takes more hints up to
// hintsPerKey; beyond that, or beyond maxHints in all, a hint is dropped and
// counted, and the observation tells how many (Lost). A key that finds no room
// at all sets overflow: the feed then has a gap and sweeps.
const (
	maxDirty    = 131_072 // keys that notifications made dirty
	hintsPerKey = 256
	maxHints    = 524_288 // 12 MiB
	maxPolled   = 4_096   // names of a sweep that wait to be read
)

// reason says why a key is to be read.
type reason uint8

const (
	byEvent reason = 1 << iota
	byTracking
	byDeadline
	byPoll
)

// dirtyKey is a key that waits for its reading, or whose reading is on its way.
type dirtyKey struct {
	key    string
	hints  []model.Hint
	lost   int
	why    reason
	queued queue
	flight bool   // being read
	again  bool   // to be read again whatever the reading says
	rounds uint8  // readings that did not settle
	sweep  uint32 // number of the sweep that waits for it; 0: none
}

type queue uint8

const (
	nowhere queue = iota
	slow          // of a sweep
	urgent        // of a notification or a deadline
)

// dirtySet is the set of keys to read. The receive loop adds to it and is never
// held up; a key is in it once, however often it changes.
type dirtySet struct {
	wake  chan struct{} // of the reader, holds one
	count *counters

	mu       sync.Mutex
	keys     map[string]*dirtyKey
	urgent   []*dirtyKey
	slow     []*dirtyKey
	hints    int
	fresh    bool // something urgent was added since the last wake
	overflow bool
	sweep    uint32     // number of the sweep in progress
	left     int        // its keys that are not read yet
	room     *sync.Cond // the sweep may go on: fewer names wait, or closed
	waiting  int        // names in slow
	closed   bool
}

func newDirtySet(c *counters) *dirtySet {
	d := &dirtySet{wake: make(chan struct{}, 1), count: c, keys: make(map[string]*dirtyKey)}
	d.room = sync.NewCond(&d.mu)
	return d
}

// hint notes a notification that came at a local time. It never blocks. Until
// the hint is handed on it stands with that time: see serverClock.date.
func (d *dirtySet) hint(key, op string, at time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	k := d.get(key, byEvent)
	if k == nil {
		return
	}
	if len(k.hints) >= hintsPerKey || d.hints >= maxHints {
		k.lost++
		d.count.dropped.Add(1)
		return
	}
	k.hints = append(k.hints, model.Hint{Op: op, At: model.Instant(at / time.Microsecond)})
	d.hints++
}

// touch asks for a reading without a hint.
func (d *dirtySet) touch(key string, why reason) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if k := d.get(key, why); k != nil && k.flight {
		k.again = true
	}
}

// get finds or adds a key and puts it where it is read in time. Nil: no room.
func (d *dirtySet) get(key string, why reason) *dirtyKey {
	k := d.keys[key]
	if k == nil {
		if len(d.keys) >= maxDirty+maxPolled {
			d.overflow = true
			d.count.dropped.Add(1)
			return nil
		}
		k = &dirtyKey{key: key}
		d.keys[key] = k
	} else if why&(byEvent|byTracking) != 0 {
		d.count.coalesced.Add(1)
	}
	k.why |= why
	if !k.flight {
		d.enqueue(k, urgent)
	}
	d.fresh = true
	return k
}

func (d *dirtySet) enqueue(k *dirtyKey, q queue) {
	if k.queued >= q {
		return
	}
	if k.queued == slow {
		d.waiting--
	}
	k.queued = q
	if q == urgent {
		d.urgent = append(d.urgent, k)
		return
	}
	d.slow = append(d.slow, k)
	d.waiting++
}

// flush wakes the reader if notifications came in. The connection calls it when
// all that was received is parsed, so that the events of one command, or of a
// burst, are read back once.
func (d *dirtySet) flush() {
	d.mu.Lock()
	fresh := d.fresh
	d.fresh = false
	d.mu.Unlock()
	if fresh {
		d.signal()
	}
}

func (d *dirtySet) signal() {
	select {
	case d.wake <- struct{}{}:
	default:
	}
}

// take gives at most n keys to read, urgent ones first, and marks them as being
// read. Their hints so far go along.
func (d *dirtySet) take(n int) []*unit {
	d.mu.Lock()
	defer d.mu.Unlock()
	units := make([]*unit, 0, min(n, len(d.keys)))
	d.urgent = d.pop(d.urgent, urgent, &units, n)
	d.slow = d.pop(d.slow, slow, &units, n)
	if d.waiting < maxPolled/2 {
		d.room.Broadcast()
	}
	return units
}

func (d *dirtySet) pop(list []*dirtyKey, q queue, units *[]*unit, n int) []*dirtyKey {
	i := 0
	for ; i < len(list) && len(*units) < n; i++ {
		k := list[i]
		list[i] = nil
		if k.queued != q {
			continue // it was moved to the other queue
		}
		if q == slow {
			d.waiting--
		}
		k.queued, k.flight, k.again = nowhere, true, false
		*units = append(*units, &unit{dirty: k, key: k.key, why: k.why, hints: k.hints, lost: k.lost, sweep: k.sweep})
		d.hints -= len(k.hints)
		k.hints, k.lost, k.why = nil, 0, 0
	}
	if i == len(list) {
		return list[:0]
	}
	return list[i:]
}

// more moves the hints that came since take into the unit, before it is read
// once more.
func (d *dirtySet) more(u *unit) {
	d.mu.Lock()
	defer d.mu.Unlock()
	k := u.dirty
	u.hints, u.lost, u.why = append(u.hints, k.hints...), u.lost+k.lost, u.why|k.why
	d.hints -= len(k.hints)
	k.hints, k.lost, k.why, k.again = nil, 0, 0, false
	u.sweep = k.sweep // a sweep that asked meanwhile is served by what follows
}

// Rules for a key that changes faster than it can be read.
const (
	maxRounds = 3  // readings without effect, then the hints are told alone
	manyHints = 64 // hints, likewise
)

// settle decides about units that were read, now that every notification from
// before the reading is in.
func (d *dirtySet) settle(units []*unit) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, u := range units {
		d.settleOne(u)
	}
}

func (d *dirtySet) settleOne(u *unit) {
	k := u.dirty
	k.flight = false
	late := len(k.hints) > 0 || k.lost > 0
	// A key that ended after the reading and was missing in it is missing still,
	// or was missing again: both tell the same.
	if late && k.lost == 0 && u.missing() && isEnd(k.hints[len(k.hints)-1].Op) {
		u.hints, u.why = append(u.hints, k.hints...), u.why|k.why
		d.hints -= len(k.hints)
		k.hints, k.why, late = nil, 0, false
	}
	switch {
	case !late:
		u.settled = !u.failed
		k.rounds = 0
	case k.rounds+1 >= maxRounds || len(u.hints)+len(k.hints) >= manyHints:
		k.rounds = 0 // the hints from before the reading are told alone
		// What only moved the deadline since left the holder as he was read: a key
		// that is renewed without a pause is still read.
		u.settled = !u.failed && !u.missing() && k.lost == 0 && onlyDeadlines(k.hints)
	default:
		k.rounds++
		k.hints, k.lost, k.why = append(u.hints, k.hints...), u.lost+k.lost, u.why|k.why
		d.hints += len(u.hints)
		u.held = true
		d.enqueue(k, urgent)
		return
	}
	if u.sweep != 0 && u.sweep == d.sweep {
		d.done()
	}
	if k.sweep == u.sweep {
		k.sweep = 0
	}
	if late || k.again {
		d.enqueue(k, urgent)
		return
	}
	delete(d.keys, k.key)
}

// giveBack puts units that could not be read back as they were.
func (d *dirtySet) giveBack(units []*unit) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, u := range units {
		k := u.dirty
		k.flight = false
		k.hints, k.lost, k.why = append(u.hints, k.hints...), u.lost+k.lost, u.why|k.why
		d.hints += len(u.hints)
		if k.why&^byPoll == 0 {
			d.enqueue(k, slow)
		} else {
			d.enqueue(k, urgent)
		}
	}
}

func (d *dirtySet) done() {
	if d.left--; d.left == 0 {
		d.room.Broadcast()
	}
}

// beginSweep starts a sweep: what the one before still waits for is forgotten.
func (d *dirtySet) beginSweep() uint32 {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.sweep++
	d.left = 0
	return d.sweep
}

// poll asks for the readings of a sweep. It waits while too many are due, and
// reports false when the set was closed.
func (d *dirtySet) poll(keys []string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, key := range keys {
		for d.waiting >= maxPolled && !d.closed {
			d.signal()
			d.room.Wait()
		}
		if d.closed {
			return false
		}
		k := d.keys[key]
		if k == nil {
			k = &dirtyKey{key: key}
			d.keys[key] = k
		}
		if k.sweep == d.sweep {
			continue
		}
		k.why |= byPoll
		k.sweep = d.sweep
		d.left++
		if k.flight {
			// Its reading may be older than the sweep.
			k.again = true
			continue
		}
		d.enqueue(k, slow)
	}
	d.signal()
	return true
}

// awaitSweep waits until every key of the sweep has been read; false when the
// set was closed.
func (d *dirtySet) awaitSweep() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	for d.left > 0 && !d.closed {
		d.room.Wait()
	}
	return !d.closed
}

// close lets everybody who waits go. open allows waiting again.
func (d *dirtySet) close() {
	d.mu.Lock()
	d.closed = true
	d.room.Broadcast()
	d.mu.Unlock()
}

// reset empties the set for a new session and gives what was left: hints that
// are true, although no reading followed them.
func (d *dirtySet) reset() []*unit {
	d.mu.Lock()
	defer d.mu.Unlock()
	var left []*unit
	for _, k := range d.keys {
		if len(k.hints) > 0 || k.lost > 0 {
			left = append(left, &unit{dirty: k, key: k.key, why: k.why, hints: k.hints, lost: k.lost})
		}
	}
	clear(d.keys)
	d.urgent, d.slow, d.hints, d.left, d.waiting = nil, nil, 0, 0, 0
	d.fresh, d.overflow, d.closed = false, false, false
	d.sweep++
	return left
}

// overflowed reports once that a key found no room.
func (d *dirtySet) overflowed() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	o := d.overflow
	d.overflow = false
	return o
}

// size is how many keys wait.
func (d *dirtySet) size() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.keys)
}
