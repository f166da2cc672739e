package watcher

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"leasetop/keyspace"
	"leasetop/model"
)

// Bounds of one transaction: keys, and steps until a key is read in full.
const (
	maxUnits = 128
	maxSteps = 6
)

// reader turns dirty keys into observations. One goroutine runs it.
type reader struct {
	*feed
	exec executor
}

func newReader(f *feed) *reader {
	return &reader{feed: f, exec: executor{feed: f, cmd: commander{forbidden: make(map[string]bool)}}}
}

// run reads until ctx ends or the connection fails.
func (r *reader) run(ctx context.Context) error {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for ctx.Err() == nil {
		wait := r.confirm()
		units := r.dirty.take(r.pace.batch(maxUnits))
		if len(units) > 0 {
			if err := r.round(ctx, units); err != nil {
				return err
			}
			continue
		}
		timer.Reset(wait)
		select {
		case <-r.dirty.wake:
		case <-timer.C:
		case <-ctx.Done():
		}
	}
	return ctx.Err()
}

// confirm makes the keys dirty whose deadline is over, and says when the next
// one is.
func (r *reader) confirm() time.Duration {
	if r.cfg.NoTouch {
		return time.Hour
	}
	names, wait := r.book.due(r.clock)
	for _, n := range names {
		r.dirty.touch(n, byDeadline)
	}
	return max(wait, 100*time.Microsecond)
}

// round reads units, waits until all notifications from before are in, and
// hands on what is settled.
func (r *reader) round(ctx context.Context, units []*unit) error {
	r.prepare(units)
	err := r.readAll(ctx, units)
	if err == nil && r.settles() {
		err = r.sub.barrier(ctx)
	}
	if err != nil {
		r.dirty.giveBack(units)
		if errors.Is(err, errBusy) {
			r.fails(err)
			return sleep(ctx, retryDelay)
		}
		return err
	}
	flush, err := r.pushedFlush(ctx)
	if err != nil {
		r.dirty.giveBack(units)
		return err
	}
	r.works()
	r.out.round.Lock()
	r.dirty.settle(units)
	r.out.put(append(flush, r.fold(units)...)...)
	r.out.round.Unlock()
	return ctx.Err()
}

// prepare lays out what to ask of each unit, from what is known of its key.
func (r *reader) prepare(units []*unit) {
	r.book.mu.Lock()
	defer r.book.mu.Unlock()
	for _, u := range units {
		u.main = request{key: u.key}
		if e := r.book.keys[u.key]; e != nil {
			u.main.shape = e.shape
			u.beside = slices.Clone(e.beside)
			u.skip = u.why == byPoll && u.sweep != 0 && e.sweep == u.sweep ||
				r.cfg.NoTouch && !r.regaining.Load() && len(u.hints) == 0 && u.lost == 0 && e.end != 0 && r.clock.mayBePast(e.end.Add(-noTouchMargin))
			continue
		}
		u.main.shape, u.main.ask = r.guess(u)
		if at, ok := r.book.denied[u.key]; ok && u.why == byPoll {
			u.skip = r.clock.local.now()-at < deniedFor
		}
	}
}

// noTouchMargin is how long before its deadline a key is left alone: a read
// must be over by then.
const noTouchMargin = 20 * time.Millisecond

// shapes are the types that the keys of a glob turned out to have.
type shapes struct {
	last  string
	mixed bool // more than one
}

// guess is the type that a new key most likely has, and whether to ask for it
// too: a wrong guess costs an error in the server's statistics and more steps.
func (r *reader) guess(u *unit) (shape string, ask bool) {
	for i := len(u.hints) - 1; i >= 0; i-- {
		if c, ok := keyspace.OpClass(u.hints[i].Op); ok {
			switch c {
			case '$':
				return "string", false
			case 'h':
				return "hash", false
			case 'z':
				return "zset", false
			case 's':
				return "set", false
			case 'l':
				return "list", false
			}
		}
	}
	glob, _ := r.cfg.Patterns.Match(u.key)
	return r.shapes[glob].last, r.shapes[glob].mixed
}

// readAll reads every unit in full. A key whose type was not as believed, whose
// companions were not known, or that does not fit, is read once more with all
// that belongs to it, so that one transaction holds the whole picture.
func (r *reader) readAll(ctx context.Context, units []*unit) error {
	open := make([]*unit, 0, len(units))
	for _, u := range units {
		if !u.skip {
			open = append(open, u)
		}
	}
	for step := 0; len(open) > 0 && step < maxSteps; step++ {
		var reqs []*request
		for _, u := range open {
			if step > 0 {
				r.dirty.more(u)
			}
			reqs = append(reqs, &u.main)
			for i := range u.beside {
				reqs = append(reqs, &u.beside[i])
			}
		}
		err := r.exec.read(ctx, reqs)
		if transport(err) && !errors.Is(err, errBusy) && ctx.Err() == nil {
			err = r.exec.read(ctx, reqs) // once on a new connection: a read may be repeated
		}
		if err != nil {
			return err
		}
		open = slices.DeleteFunc(open, r.complete)
	}
	return nil
}

// complete reports whether a unit needs no further step, and adds the
// companions that it asks for.
func (r *reader) complete(u *unit) bool {
	if u.main.denied {
		u.failed = true
		return true
	}
	if !u.main.read {
		return false
	}
	whole := true
	wanted := keyspace.Companions(&u.main.raw)
	for _, name := range wanted {
		if !slices.ContainsFunc(u.beside, func(q request) bool { return q.key == name }) {
			u.beside = append(u.beside, request{key: name, shape: companionShape(name)})
			whole = false
		}
	}
	u.beside = slices.DeleteFunc(u.beside, func(q request) bool { return !slices.Contains(wanted, q.key) })
	for i := range u.beside {
		if q := &u.beside[i]; !q.denied && !q.read {
			whole = false
		}
	}
	if whole {
		r.decode(u)
	}
	return whole
}

func companionShape(name string) string {
	_, kind, _ := keyspace.CompanionOf(name)
	if kind == keyspace.PartQueue || kind == keyspace.PartSignal {
		return "list"
	}
	return ""
}

func (r *reader) decode(u *unit) {
	beside := make(map[string]*keyspace.Raw, len(u.beside))
	for i := range u.beside {
		if q := &u.beside[i]; q.read && !q.denied {
			beside[q.key] = &q.raw
		}
	}
	u.lock = keyspace.Decode(&u.main.raw, beside, r.cfg.Forces)
	if u.main.raw.Type == "string" && u.main.text == nil {
		u.lock = keyspace.Lock{Format: keyspace.Unknown, Note: "the user may not read values: GETRANGE is refused"}
	}
}

// fold notes what was read and makes observations of it.
func (r *reader) fold(units []*unit) []model.Input {
	told, bound := r.clock.now(), r.clock.bound()
	inputs := make([]model.Input, 0, len(units))
	reads := 0
	r.book.mu.Lock()
	for _, u := range units {
		if u.skip || u.held {
			continue
		}
		if !u.failed {
			reads++
		}
		part := r.isPart(u)
		r.clock.date(u.hints)
		if u.settled {
			r.note(u)
		}
		if part {
			continue // a companion is no lock
		}
		if o := r.observation(u); o != nil {
			o.ToldAt, o.Bound = told, bound
			inputs = append(inputs, model.Input{Observation: o})
		}
	}
	r.book.mu.Unlock()
	for _, u := range units {
		if u.failed && r.book.refuse(u.key, r.clock.local.now()) {
			inputs = append(inputs, r.deniedKey(u.key)...)
		}
	}
	r.count.update(func(c *model.Counters) { c.Reads += uint64(reads) })
	return inputs
}

// isPart reports whether a key is a companion of a lock. A name alone does not
// make it one, so where it was not read, or is gone, what was last read of it
// decides. The caller holds the book.
func (f *feed) isPart(u *unit) bool {
	if u.settled && !u.missing() {
		return u.lock.Part != ""
	}
	if e := f.book.keys[u.key]; e != nil {
		return e.part
	}
	_, _, ok := keyspace.CompanionOf(u.key)
	return ok
}

// note keeps in the book what the next reading of a key starts from. The caller
// holds the book.
func (r *reader) note(u *unit) {
	e := r.book.keys[u.key]
	if e != nil {
		r.measure(u, e)
	}
	if u.missing() {
		if e != nil {
			r.book.drop(e)
		}
		return
	}
	part := u.lock.Part != ""
	if e == nil {
		e = &entry{name: u.key, at: -1}
		r.book.keys[u.key] = e
		if !part {
			r.book.locks++
		}
	} else if e.part != part {
		if part {
			r.book.locks--
		} else {
			r.book.locks++
		}
	}
	e.part, e.shape = part, typeName(u.main.raw.Type)
	if glob, ok := r.cfg.Patterns.Match(u.key); ok {
		s := r.shapes[glob]
		r.shapes[glob] = shapes{last: e.shape, mixed: s.mixed || s.last != "" && s.last != e.shape}
	}
	e.beside = nil
	for i := range u.beside {
		e.beside = append(e.beside, request{key: u.beside[i].key, shape: u.beside[i].shape, denied: u.beside[i].denied})
	}
	if u.sweep != 0 {
		e.sweep = u.sweep
	}
	r.steady(u, e)
	e.end = 0
	if d := u.main.raw.Deadline; d > 0 {
		e.end = model.InstantOfMillis(d)
	}
	now := model.Instant(u.main.raw.Now)
	next := e.end
	for i := range u.lock.Holders {
		if d := model.Instant(u.lock.Holders[i].Deadline); d > now {
			next = model.Earlier(next, d)
		}
	}
	if part {
		next = 0 // the lock that it belongs to has its deadline
	}
	r.book.keep(e, next, now)
}

// steady undoes the wobble of a deadline that was computed from PTTL, so that a
// lease that nobody renewed does not seem renewed.
func (r *reader) steady(u *unit, e *entry) {
	const wobble = 2 // ms
	d, old := u.main.raw.Deadline, int64(e.end)/1000
	if r.exec.cmd.relative && d > 0 && old > 0 && d-old <= wobble && old-d <= wobble && d != old {
		for i := range u.lock.Holders {
			if u.lock.Holders[i].Deadline == d*1000 {
				u.lock.Holders[i].Deadline = old * 1000
			}
		}
		u.main.raw.Deadline = old
	}
}

// measure notes how late the server announced an expiry.
func (r *reader) measure(u *unit, e *entry) {
	if e.end == 0 {
		return
	}
	for _, h := range u.hints {
		if h.Op == "expired" && h.At > e.end {
			r.count.lag(h.At.Sub(e.end))
			return
		}
	}
}

// typeName is a type without the memory of the answer that told it.
func typeName(t string) string {
	for _, known := range []string{"string", "hash", "zset", "set", "list", "stream"} {
		if t == known {
			return known
		}
	}
	return t
}

func (r *reader) deniedKey(name string) []model.Input {
	first := false
	r.count.update(func(c *model.Counters) { c.Denied++; first = c.Denied == 1 })
	if !first {
		return nil
	}
	return []model.Input{r.healthInput(model.Health{State: model.StateDegraded,
		Detail: fmt.Sprintf("the user may not read some keys, the first is %q; leasetop doctor prints the ACL rule", name)})}
}
