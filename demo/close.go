package demo

import (
	"context"
	"errors"
	"fmt"
	"time"

	"leasetop/demo/worker"
)

// guardLimit bounds the wait for the guard's work, which has bounds of its own.
const guardLimit = 8 * time.Second

// Close ends the workers and removes what the run wrote: its keys, its folder,
// its servers. It may be called at any point of a run, and more than once. Its
// error says what is left.
func (r *Run) Close() error {
	if r.closed {
		return nil
	}
	r.closed = true
	for _, c := range []*child{r.a, r.b} {
		if c != nil {
			c.end()
		}
	}
	r.leaving.Wait()
	if r.fromWorkers != nil {
		_ = r.fromWorkers.Close()
	}
	if r.proxy != nil {
		r.proxy.Close()
	}
	var errs []error
	if r.store != nil {
		errs = append(errs, r.store.Close())
	}
	errs = append(errs, r.clean())
	for _, s := range r.pair {
		s.Stop()
	}
	if r.client != nil {
		errs = append(errs, r.client.Close())
	}
	r.readers.Wait()
	r.emitter.stop()
	if err := errors.Join(errs...); err != nil {
		return &Error{Doing: "clean up after the demo", Err: err, Hint: "what may be left: the keys under " + r.base + ": and the folder " + r.dir}
	}
	return nil
}

// clean has the guard do its work, and does it here where there is no guard.
func (r *Run) clean() error {
	if r.guard == nil {
		return worker.Clean(context.Background(), r.targets[""], nil, r.dirs())
	}
	r.guard.hangUp()
	defer r.guard.end()
	limit := time.After(guardLimit)
	for {
		select {
		case m, ok := <-r.guarded:
			switch {
			case ok && m.End:
				return nil
			case ok && m.Fail != "":
				return errors.New(m.Fail)
			case !ok:
				// Somebody ended the guard.
				return worker.Clean(context.Background(), r.targets[""], r.keys(), r.dirs())
			}
		case <-limit:
			return fmt.Errorf("the guard did not end within %v", guardLimit)
		}
	}
}

func (r *Run) dirs() []string {
	if r.dir == "" {
		return nil
	}
	return []string{r.dir}
}

// explain makes an *Error of what went wrong in a step. A server that is gone is
// the cause of whatever else was noticed first.
func (r *Run) explain(ctx context.Context, doing string, err error) error {
	var known *Error
	if errors.As(err, &known) || ctx.Err() != nil {
		return err
	}
	switch {
	case refusal(err):
		return &Error{Doing: doing, Err: fmt.Errorf("%w: %w", ErrRefused, err), Hint: advice(err)}
	case r.client != nil && !r.alive(ctx):
		return &Error{
			Doing: doing, Err: fmt.Errorf("%w: %w", ErrGone, err),
			Hint: "was it stopped, or is the way to it cut? If it comes back with what was on it, the keys under " + r.base + " are to be deleted by hand",
		}
	}
	e := &Error{Doing: doing, Err: err}
	if errors.Is(err, ErrSlow) {
		e.Hint = "a longer --ttl gives the workers more time"
	}
	if errors.Is(err, ErrWorker) {
		e.Hint = advice(err)
	}
	return e
}

// alive asks the server that a run needs to the end.
func (r *Run) alive(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	err := r.client.Ping(ctx).Err()
	return err == nil || refusal(err)
}
