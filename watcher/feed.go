package watcher

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
	"golang.org/x/sync/errgroup"

	"leasetop/model"
)

// feed watches one node: it has connections, gaps, counters and a clock of its
// own. A session is the life of its connections; the rest outlives them.
type feed struct {
	cfg     Config
	node    string
	clock   *serverClock
	count   *counters
	dirty   *dirtySet
	book    *book
	pace    *pacer
	out     *outlet
	notify  *notifier
	notices *notices
	flushes flushes
	shapes  map[string]shapes // by glob: of the keys that were read; of the reader

	commands *redis.Client // of the session
	sub      *subscriber   // of the session; nil when only polling
	info     info          // as last asked
	asking   sync.Mutex
	asked    int           // form of INFO that the server understands
	keys     atomic.Uint64 // in the database, as last asked
	sweeper  *sweeper

	connected bool          // there was a session
	synced    bool          // a first sweep is done
	blind     model.Instant // last moment that we could see, while we cannot
	began     model.Instant // when the session began

	regaining atomic.Bool // a sweep after a gap is under way

	mu      sync.Mutex
	refused map[string]bool // commands that the user may not send
	failing string          // what fails now
}

func newFeed(cfg Config) *feed {
	f := &feed{
		cfg: cfg, node: cfg.Addr, clock: &serverClock{local: newLocalClock()},
		count: newCounters(), book: newBook(), pace: newPacer(cfg.Budget), out: &outlet{},
		shapes: make(map[string]shapes), refused: make(map[string]bool),
	}
	f.dirty = newDirtySet(f.count)
	f.notify, f.notices = &notifier{feed: f}, newNotices()
	f.sweeper = newSweeper(f)
	f.count.rest.Address, f.count.rest.Interval = cfg.address(), cfg.Interval
	return f
}

// Backoff between two sessions.
const (
	firstBackoff = 50 * time.Millisecond
	lastBackoff  = 2 * time.Second
)

// run keeps a session until ctx ends, and puts back what was changed.
func (f *feed) run(ctx context.Context) error {
	return errors.Join(f.keep(ctx), f.notify.restore())
}

func (f *feed) keep(ctx context.Context) error {
	backoff := firstBackoff
	for {
		began := f.clock.local.now()
		err := f.session(ctx)
		if ctx.Err() != nil {
			return nil
		}
		err = explain("watch "+f.cfg.address(), err, &f.cfg)
		if hopeless(err) || !f.connected && !errors.Is(err, errBusy) {
			return err
		}
		var again *resubscribe
		if errors.As(err, &again) {
			f.leftovers()
			continue
		}
		f.lost(err)
		if f.clock.local.now()-began > 10*time.Second {
			backoff = firstBackoff
		}
		if sleep(ctx, backoff/2+rand.N(backoff)) != nil {
			return nil
		}
		backoff = min(2*backoff, lastBackoff)
	}
}

// hopeless reports whether no further try can help.
func hopeless(err error) bool {
	return errors.Is(err, ErrCluster) || errors.Is(err, ErrSentinel) || errors.Is(err, ErrNotifyOff) || errors.Is(err, ErrTracking)
}

// session connects, watches, and returns what ended it.
func (f *feed) session(ctx context.Context) error {
	f.dirty.reset()
	f.commands = newCommands(&f.cfg, f.count)
	defer f.commands.Close()
	r := newReader(f)
	if err := f.greet(ctx, &r.exec); err != nil {
		return err
	}
	if err := f.notify.ask(ctx); err != nil {
		return err
	}
	sub, err := f.subscribe(ctx)
	if err != nil {
		return err
	}
	f.sub = sub
	defer func() { f.sub = nil }()
	defer sub.close()
	if err := f.notify.demand(); err != nil {
		return err
	}
	f.begin()
	return f.watch(ctx, r)
}

// begin tells that a session stands, and of the gap before it.
func (f *feed) begin() {
	now := f.clock.now()
	inputs := []model.Input{
		f.healthInput(model.Health{State: model.StateConnected, Role: f.info.role, RunID: f.info.runID,
			Detail: fmt.Sprintf("%s, %s", f.info.server(), f.info.roleWord()), Source: f.source()}),
		f.healthInput(f.notify.health()),
	}
	if f.connected {
		inputs = append(inputs, f.gapInput(f.blind, now))
		f.sweeper.want(sweepGap)
	}
	f.connected, f.blind, f.began = true, 0, now
	f.works()
	f.count.update(func(c *model.Counters) {
		c.Connected, c.State, c.Server, c.Role, c.Source = true, model.StateConnected, f.info.server(), f.info.role, f.source()
	})
	f.out.put(inputs...)
}

// watch runs the goroutines of a session. The first error ends them all.
func (f *feed) watch(ctx context.Context, r *reader) error {
	g, inner := errgroup.WithContext(ctx)
	g.Go(func() error { return r.run(inner) })
	g.Go(func() error { return f.sweeper.run(inner) })
	g.Go(func() error { return f.heart(inner) })
	g.Go(func() error { return f.look(inner) })
	g.Go(func() error { return f.tell(inner) })
	if f.sub != nil {
		g.Go(func() error {
			select {
			case <-f.sub.ended:
				return f.sub.err
			case <-inner.Done():
				return inner.Err()
			}
		})
	}
	g.Go(func() error {
		// Whoever waits for room in the dirty set, or for an answer, does not look
		// at a context.
		<-inner.Done()
		f.dirty.close()
		_ = f.commands.Close()
		return nil
	})
	err := g.Wait()
	f.blind = f.lastGood()
	var again *resubscribe
	if errors.As(err, &again) {
		f.blind = again.since
	}
	return err
}

// lastGood is the last moment up to which nothing was missed: events sent before
// it were received for certain.
func (f *feed) lastGood() model.Instant {
	if f.listening() || f.sub.tracks() {
		return f.clock.of(f.sub.good())
	}
	last := f.began
	f.count.update(func(c *model.Counters) { last = model.Later(last, c.LastRead) })
	return last
}

// lost tells that a session is over. Hints that no reading followed are true
// nevertheless and told first.
func (f *feed) lost(err error) {
	f.leftovers()
	tell := false
	f.count.update(func(c *model.Counters) {
		tell = c.State != model.StateDisconnected
		c.Connected, c.State = false, model.StateDisconnected
	})
	f.fails(err)
	if tell {
		f.out.put(f.healthInput(model.Health{State: model.StateDisconnected, From: f.blind, Detail: err.Error()}))
	}
}

// leftovers tells the hints of a session that no reading followed.
func (f *feed) leftovers() {
	var inputs []model.Input
	told, bound := f.clock.now(), f.clock.bound()
	f.book.mu.Lock()
	for _, u := range f.dirty.reset() {
		if f.isPart(u) {
			continue
		}
		f.book.expect(u.key)
		f.clock.date(u.hints)
		inputs = append(inputs, model.Input{Observation: &model.Observation{
			Key: f.key(u.key), Hints: u.hints, Lost: u.lost, Source: model.SourceEvent, ToldAt: told, Bound: bound}})
	}
	f.book.mu.Unlock()
	f.out.put(inputs...)
}

// fails notes what fails now, for the counters.
func (f *feed) fails(err error) {
	var e *Error
	hint := ""
	if errors.As(err, &e) {
		hint = e.Hint
	}
	f.mu.Lock()
	f.failing = err.Error()
	f.mu.Unlock()
	f.count.update(func(c *model.Counters) { c.Err, c.Hint = err.Error(), hint })
}

// works notes that nothing fails any more.
func (f *feed) works() {
	f.mu.Lock()
	was := f.failing
	f.failing = ""
	f.mu.Unlock()
	if was != "" {
		f.count.update(func(c *model.Counters) { c.Err, c.Hint = "", "" })
	}
}

// healthInput completes a health input.
func (f *feed) healthInput(h model.Health) model.Input {
	h.Node, h.At = f.node, f.clock.now()
	return model.Input{Health: &h}
}

func (f *feed) gapInput(from, to model.Instant) model.Input {
	f.count.update(func(c *model.Counters) { c.Gaps++ })
	return f.healthInput(model.Health{State: model.StateGap, From: from, To: to})
}

// gap tells of a span in which something may have been missed although the
// connection stands, and has everything read again.
func (f *feed) gap(from, to model.Instant, detail string) {
	in := f.gapInput(from, to)
	in.Health.Detail = detail
	f.out.put(in)
	f.sweeper.want(sweepGap)
}

// degraded tells what is missing or slow.
func (f *feed) degraded(format string, args ...any) {
	f.out.put(f.healthInput(model.Health{State: model.StateDegraded, Detail: fmt.Sprintf(format, args...)}))
}

// refusedCommand tells once of a command that the user may not send.
func (f *feed) refusedCommand(name string, err error) {
	f.mu.Lock()
	was := f.refused[name]
	f.refused[name] = true
	f.mu.Unlock()
	if !was {
		f.degraded("without %s: %v; leasetop doctor prints the ACL rule", name, err)
	}
}

// stepped tells that the server's clock was set.
func (f *feed) stepped(step time.Duration) {
	const slight = 10 * time.Millisecond
	if step > slight || step < -slight {
		f.degraded("the server's clock was set: it jumped by %v", step.Round(time.Millisecond))
	}
}

// listening reports whether notifications are received, as far as is known.
func (f *feed) listening() bool { return f.sub != nil && f.sub.events() && !f.notify.off() }

// settles reports whether a reading must wait for the notifications before it.
func (f *feed) settles() bool { return f.listening() }

// source is the best source of hints in use.
func (f *feed) source() model.Source {
	switch {
	case f.listening() && f.notify.state() != model.NotifyUnknown:
		return model.SourceEvent
	case f.sub.tracks():
		return model.SourceTracking
	}
	return model.SourcePoll
}

// once connects, sweeps and ends.
func (f *feed) once(ctx context.Context) error {
	f.cfg.Notify, f.cfg.Tracking = Off, Off
	f.commands = newCommands(&f.cfg, f.count)
	defer f.commands.Close()
	r := newReader(f)
	doing := "read " + f.cfg.address()
	if err := f.greet(ctx, &r.exec); err != nil {
		return explain(doing, err, &f.cfg)
	}
	f.begin()
	g, inner := errgroup.WithContext(ctx)
	reading, done := context.WithCancel(inner)
	g.Go(func() error {
		err := r.run(reading)
		if inner.Err() == nil && reading.Err() != nil {
			return nil // everything is read
		}
		return err
	})
	g.Go(func() error {
		defer done()
		return f.sweeper.sweep(inner, sweepFirst)
	})
	g.Go(func() error {
		<-reading.Done()
		f.dirty.close()
		return nil
	})
	return explain(doing, g.Wait(), &f.cfg)
}
