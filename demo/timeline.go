package demo

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"leasetop/model"
	"leasetop/model/overlap"
)

// reading is what the demo itself saw of its lock at a step, in one atomic read.
type reading struct {
	at       model.Instant // server clock
	owner    string        // "" when nobody holds it
	deadline model.Instant // 0: none
}

// sameDeadline allows for the server's rounding to milliseconds.
const sameDeadline = 2 * time.Millisecond

// look reads owner, deadline and server clock together; apart, they could be of
// two different leases.
func look(ctx context.Context, c *redis.Client, key string) (reading, error) {
	var (
		owner    *redis.StringCmd
		deadline *redis.DurationCmd
		now      *redis.TimeCmd
	)
	_, err := c.TxPipelined(ctx, func(pipe redis.Pipeliner) error {
		owner, deadline, now = pipe.Get(ctx, key), pipe.PExpireTime(ctx, key), pipe.Time(ctx)
		return nil
	})
	if err != nil && !errors.Is(err, redis.Nil) {
		return reading{}, fmt.Errorf("read the lock: %w", err)
	}
	r := reading{at: model.InstantOf(now.Val()), owner: owner.Val()}
	if ms := deadline.Val().Milliseconds(); ms > 0 {
		r.deadline = model.InstantOfMillis(ms)
	}
	return r, nil
}

func (r reading) same(o reading) bool {
	return r.owner == o.owner && r.deadline.Sub(o.deadline).Abs() <= sameDeadline
}

// timeline is the lock's life as the demo knows it from its own readings. The
// screen has a better one from the watcher; this one needs none, and serves the
// verdict.
type timeline struct {
	entries []model.Entry
	held    reading // of the open tenure; no owner: free
}

// fold adds what a reading shows. ttl is what the reading's owner asks for.
func (t *timeline) fold(r reading, ttl time.Duration) {
	if t.held.owner != "" && t.held.owner != r.owner {
		e := model.Entry{Change: model.Released, Owner: model.OwnerOf(t.held.owner), At: r.at, Earliest: t.held.at, Latest: r.at, ToldAt: r.at}
		if d := t.held.deadline; d != 0 && d <= r.at {
			e.Change, e.At, e.Earliest, e.Latest = model.Expired, d, d, d
		}
		t.add(e)
	}
	switch {
	case r.owner == "":
	case t.held.owner != r.owner:
		e := model.Entry{Change: model.Acquired, Owner: model.OwnerOf(r.owner), At: r.at, Earliest: t.held.at, Latest: r.at, ToldAt: r.at, Deadline: r.deadline}
		if r.deadline != 0 {
			// The deadline is exact where the moment of the reading is not.
			e.At = r.deadline.Add(-ttl)
			e.Earliest, e.Latest = e.At.Add(-sameDeadline), e.At.Add(sameDeadline)
		}
		t.add(e)
	case !t.held.same(r):
		t.add(model.Entry{Change: model.Renewed, Owner: model.OwnerOf(r.owner), At: r.at, Earliest: t.held.at, Latest: r.at, ToldAt: r.at, Deadline: r.deadline})
	}
	t.held = r
}

func (t *timeline) add(e model.Entry) {
	e.Seq = uint64(len(t.entries) + 1)
	t.entries = append(t.entries, e)
}

// began is when an owner's tenure began, 0 when it was not seen.
func (t *timeline) began(owner string) model.Instant {
	for i := range t.entries {
		if t.entries[i].Change == model.Acquired && t.entries[i].Owner.Token == owner {
			return t.entries[i].At
		}
	}
	return 0
}

// ended is when an owner's tenure ended; its last deadline while it has not.
func (t *timeline) ended(owner string) model.Instant {
	for _, tenure := range overlap.Tenures(t.entries) {
		if tenure.Owner.Token == owner {
			return tenure.To
		}
	}
	return 0
}

// offset measures the server's clock against this machine's: the best of a few
// tries, with half the round trip as its bound.
func offset(ctx context.Context, c *redis.Client) (overlap.Clock, error) {
	best := time.Duration(-1)
	var clock overlap.Clock
	for range 3 {
		sent := time.Now()
		server, err := c.Time(ctx).Result()
		if err != nil {
			return clock, fmt.Errorf("ask for the server's time: %w", err)
		}
		trip := time.Since(sent)
		if best < 0 || trip < best {
			best = trip
			clock = overlap.Known(server.Sub(sent.Add(trip/2)), trip/2)
		}
	}
	return clock, nil
}

// refusal reports whether an error is the server's own answer, and not a
// failure to reach it.
func refusal(err error) bool {
	var answer redis.Error
	return errors.As(err, &answer) && !errors.Is(err, redis.Nil)
}

// advice is what to do about a server's answer.
func advice(err error) string {
	text := err.Error()
	switch {
	case strings.Contains(text, "NOPERM"):
		return "the demo needs a user who may write under " + Prefix + " and run scripts; without one, leave the connection flags out: it starts a server of its own"
	case strings.Contains(text, "READONLY"):
		return "this server is a replica; give its primary, or leave the connection flags out"
	case strings.Contains(text, "MOVED"), strings.Contains(text, "CROSSSLOT"):
		return "this server is a node of a cluster; the demo plays on a single server"
	case strings.Contains(text, "NOAUTH"), strings.Contains(text, "WRONGPASS"):
		return "-a and --user, or REDISCLI_AUTH, log in"
	}
	return ""
}
