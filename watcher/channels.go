package watcher

import (
	"context"
	"fmt"
	"slices"
	"time"

	"leasetop/keyspace"
)

// routes say which subscription owns which event. Events that come before they
// are complete are dropped: the sweep that follows reads what they changed.
type routes struct {
	globs   map[string]string // keyspace channels that were confirmed, with their globs
	watched keyspace.Patterns // of these globs
	any     bool              // the keyevent channel was confirmed
}

// subscribeKeyspace subscribes to the channel of each glob, in the form that
// names the database or, where an ACL rule refuses that, in the one that does
// not.
func (s *subscriber) subscribeKeyspace(ctx context.Context, r *routes) error {
	f := s.feed
	open := slices.Clone(f.cfg.Patterns.Globs())
	for _, db := range []int{f.cfg.DB, keyspace.AnyDB} {
		channels := make([]string, len(open))
		for i, g := range open {
			channels[i] = keyspace.KeyspaceChannel(db, g)
		}
		ok, err := s.subscribeTo(ctx, channels...)
		if err != nil {
			return err
		}
		refused := open[:0]
		for i, g := range open {
			if ok[i] {
				r.globs[channels[i]] = g
			} else {
				refused = append(refused, g)
			}
		}
		open = refused
	}
	for _, g := range open {
		f.notify.refuse(g)
	}
	if len(r.globs) == 0 {
		return nil
	}
	var words []string
	for _, g := range f.cfg.Patterns.Globs() {
		if !slices.Contains(open, g) {
			words = append(words, g)
		}
	}
	for _, g := range f.cfg.Patterns.Excluded() {
		words = append(words, "!"+g)
	}
	var err error
	if r.watched, err = keyspace.ParsePatterns(words); err != nil {
		return fmt.Errorf("read the patterns: %w", err)
	}
	return nil
}

// guard subscribes a connection that only tracks to a channel that nobody uses:
// it becomes a subscriber in the server's eyes, whose output buffer is bounded.
// A refusal changes nothing for us.
func (s *subscriber) guard(ctx context.Context) error {
	_, err := s.subscribeTo(ctx, "__leasetop__")
	return err
}

// subscribeTo subscribes to channels, each with a command of its own because one
// refusal refuses a whole command, and says which of them the user may have.
func (s *subscriber) subscribeTo(ctx context.Context, channels ...string) ([]bool, error) {
	ok := make([]bool, len(channels))
	for sent, answered := 0, 0; answered < len(channels); answered++ {
		for ; sent < len(channels) && sent-answered < cap(s.answers); sent++ {
			s.feed.pace.spend(1)
			s.feed.count.count("psubscribe")
			if err := s.ps.PSubscribe(ctx, channels[sent]); err != nil {
				return nil, fmt.Errorf("subscribe: %w", err)
			}
		}
		select {
		case err := <-s.answers:
			if err != nil && !deniesChannel(err) && !deniesCommand(err) && !isUnknownCommand(err) {
				return nil, fmt.Errorf("subscribe: %w", err)
			}
			ok[answered] = err == nil
		case <-s.ended:
			return nil, s.err
		case <-time.After(silence):
			return nil, fmt.Errorf("subscribe: %w", ErrSilent)
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return ok, nil
}
