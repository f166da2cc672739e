package watcher

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"

	"leasetop/model"
)

// bg is the context of single commands: what bounds them is their transaction.
var bg = context.Background()

func put(pipe redis.Pipeliner, cmd redis.Cmder) { _ = pipe.Process(bg, cmd) }

// errBusy is an answer that says "not now": the data is loading, a script runs.
var errBusy = errors.New("the server cannot answer now")

// executor sends transactions and learns from their refusals.
type executor struct {
	feed *feed
	cmd  commander
}

// prove asks for the server's clock in a transaction, command by command: a
// user who may not send MULTI would otherwise leave answers in the connection
// that nobody waits for.
func (x *executor) prove(ctx context.Context) error {
	conn := x.feed.commands.Conn()
	defer conn.Close()
	ctx, cancel := context.WithTimeout(ctx, replyLimit)
	defer cancel()
	// Without TYPE nothing can be read. A pattern is a name that the user may
	// most likely read.
	if globs := x.feed.cfg.Patterns.Globs(); len(globs) > 0 {
		if err := conn.Do(ctx, "type", globs[0]).Err(); transport(err) || deniesCommand(err) || isUnknownCommand(err) {
			return fmt.Errorf("TYPE: %w", err)
		}
	}
	if err := conn.Do(ctx, "multi").Err(); err != nil {
		return fmt.Errorf("MULTI: %w", err)
	}
	sent := x.feed.clock.local.now()
	if err := conn.Do(ctx, "time").Err(); err != nil {
		return fmt.Errorf("TIME: %w", err)
	}
	list, err := conn.Do(ctx, "exec").Slice()
	if err != nil {
		return fmt.Errorf("EXEC: %w", err)
	}
	received := x.feed.clock.local.now()
	if len(list) == 1 {
		if pair, ok := list[0].([]any); ok && len(pair) == 2 {
			var s, us int64
			if _, err := fmt.Sscan(text(pair[0]), &s); err != nil {
				return fmt.Errorf("read the answer to TIME: %w", err)
			}
			if _, err := fmt.Sscan(text(pair[1]), &us); err != nil {
				return fmt.Errorf("read the answer to TIME: %w", err)
			}
			x.feed.clock.sample(model.Instant(s*1_000_000+us), sent, received)
		}
	}
	return nil
}

// maxRefusals bounds how often a transaction is sent again without what was
// refused: there are fewer commands than that, and a batch of keys is finite.
const maxRefusals = 16

// read sends one transaction for requests and takes the answers. Requests of
// keys that the user may not read come back denied; incomplete ones come back
// with read false.
func (x *executor) read(ctx context.Context, reqs []*request) error {
	var busy error
	for try := 0; try < maxRefusals; try++ {
		ask := make([]*request, 0, len(reqs))
		for _, r := range reqs {
			if !r.denied {
				ask = append(ask, r)
			}
		}
		if len(ask) == 0 {
			return nil
		}
		again, err := x.send(ctx, ask)
		if err != nil || !again {
			return err
		}
		busy = fmt.Errorf("%w: a transaction was refused %d times", errBusy, maxRefusals)
	}
	return busy
}

// send sends the transaction once. It reports true when something was refused
// and left out, so that the rest is to be sent again.
func (x *executor) send(ctx context.Context, ask []*request) (again bool, err error) {
	f := x.feed
	pipe := f.commands.TxPipeline()
	clock := pipe.Time(bg)
	for _, r := range ask {
		x.cmd.add(pipe, r)
	}
	if err := f.pace.take(ctx, pipe.Len()+2); err != nil {
		return false, err
	}
	ctx, cancel := context.WithTimeout(ctx, replyLimit)
	defer cancel()
	sent := f.clock.local.now()
	cmds, err := pipe.Exec(ctx)
	received := f.clock.local.now()
	if transport(err) {
		return false, err
	}
	if err := clock.Err(); err != nil {
		return x.refused(cmds, ask, err)
	}
	now := model.InstantOf(clock.Val())
	if step := f.clock.sample(now, sent, received); step != 0 {
		f.stepped(step)
	}
	f.count.update(func(c *model.Counters) { c.LastRead, c.RoundTrip = now, received-sent })
	if f.sub == nil && received-sent > silence {
		// Nobody else notices that the server stood still.
		f.notices.add(model.Health{State: model.StateGap, From: f.clock.of(sent), To: f.clock.of(received), Detail: "the server gave no answer"})
	}
	for _, r := range ask {
		r.read = r.take(int64(now), x.cmd.relative)
	}
	return false, nil
}

// refused looks for what made the server refuse a whole transaction.
func (x *executor) refused(cmds []redis.Cmder, ask []*request, cause error) (again bool, err error) {
	owner := make(map[redis.Cmder]*request, len(cmds))
	for _, r := range ask {
		for _, c := range []redis.Cmder{r.typ, r.ttl, r.length, r.value, r.text} {
			owner[c] = r
		}
	}
	for _, c := range cmds {
		err := c.Err()
		if err == nil || redis.IsExecAbortError(err) {
			continue
		}
		name := c.Name()
		switch {
		case deniesKey(err):
			if r := owner[c]; r != nil {
				r.denied, again = true, true
			}
		case isUnknownCommand(err) && name == "pexpiretime":
			x.cmd.relative, again = true, true
		case deniesCommand(err) && name == "pexpiretime":
			x.cmd.relative, again = true, true
			x.feed.refusedCommand(name, err)
		case (deniesCommand(err) || isUnknownCommand(err)) && name != "time" && name != "type" && name != "multi" && name != "exec":
			x.cmd.forbidden[name], again = true, true
			x.feed.refusedCommand(name, err)
		case isBusy(err):
			return false, fmt.Errorf("%w: %w", errBusy, err)
		default:
			return false, err
		}
	}
	if !again {
		return false, cause
	}
	return true, nil
}

// retryDelay is the wait before a transaction is sent again that a busy server
// or a broken connection failed.
const retryDelay = 50 * time.Millisecond
