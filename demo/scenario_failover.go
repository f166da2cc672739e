package demo

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/redis/go-redis/v9"

	"leasetop/demo/server"
	"leasetop/demo/worker"
	"leasetop/keyspace"
)

// failoverTTL is the least TTL of failover: A's lease must still run when B
// acquires, however long each step is looked at, or there would not be two
// holders. Nobody waits for it to run out.
const failoverTTL = 10 * time.Minute

func failover() *scenario {
	return &scenario{
		Info: Info{
			Name: "failover", Title: "a replica without the key becomes primary", NeedsReal: true,
			Lesson: "A replica can be promoted without the newest lock: then two workers hold it at once, and a replicated counter hands out one number twice.",
		},
		job:    "invoice-42",
		a:      first(rightly(worker.WriteFenced, false), worker.GateWrite, worker.GateRelease),
		b:      second(worker.WriteFenced, worker.GateWrite, worker.GateRelease),
		minTTL: failoverTTL,
		expect: []expectation{
			{"one-holder", "one worker at a time has a lease that runs", false},
			{"fence-unique", "each acquisition gets a number of its own", false},
			writeRejected.not(),
		},
		setUp: startPair,
		steps: []step{
			{StepInfo{"Primary and replica agree", "The counter of the fence stands on both. What comes next is on its way to the replica when the network fails."},
				[]op{loseAnswersFromPrimary}},
			{StepInfo{"A acquires on the primary", "The primary answers before the replica has the write: replication is asynchronous."},
				[]op{open("A", worker.GateBegin), reached("A", worker.GateWrite), looked, replicaLacksKey}},
			{StepInfo{"The primary dies and the replica is promoted", "It knows nothing of A's lease, nor of the number that A was given."},
				[]op{promote, looked}},
			{StepInfo{"B acquires on the new primary", "Two leases run at the same time, and both carry the same number."},
				[]op{open("B", worker.GateBegin), reached("B", worker.GateWrite), looked, judgeTwoHolders}},
			{StepInfo{"B commits its result", "The resource takes it."},
				[]op{open("B", worker.GateWrite), reached("B", worker.GateRelease)}},
			{StepInfo{"A writes, its lease running as far as it can know", "A's number is not lower than B's: the fence lets it through, and B's result is gone."},
				[]op{open("A", worker.GateWrite), reached("A", worker.GateRelease), judged(writeRejected.Name, bStands)}},
			{StepInfo{"Both end", "A cannot reach its server for the release, and says so without calling its job a failure. Numbers that fence must come from a place that loses none."},
				[]op{open("A", worker.GateRelease), done("A"), open("B", worker.GateRelease), done("B"), looked}},
		},
	}
}

// startPair starts a primary and a replica, with a proxy between them, and waits
// until the replica has what the primary has.
func startPair(ctx context.Context, r *Run) error {
	// A primary waits some seconds for more replicas before it serves the first.
	primary, err := server.Start(ctx, server.Options{Args: []string{"--notify-keyspace-events", notifyFlags, "--repl-diskless-sync-delay", "0"}})
	if err != nil {
		return fmt.Errorf("start the primary: %w", err)
	}
	r.pair = append(r.pair, primary)
	if r.proxy, err = newProxy(Target{Addr: primary.Addr()}); err != nil {
		return err
	}
	host, port, err := net.SplitHostPort(r.proxy.Addr())
	if err != nil {
		return err
	}
	replica, err := server.Start(ctx, server.Options{Args: []string{"--notify-keyspace-events", notifyFlags, "--replicaof", host + " " + port}})
	if err != nil {
		return fmt.Errorf("start the replica: %w", err)
	}
	r.pair = append(r.pair, replica)
	r.targets[""], r.targets["A"] = Target{Addr: primary.Addr()}, Target{Addr: primary.Addr()}
	r.targets["B"] = Target{Addr: replica.Addr()}
	return nil
}

// loseAnswersFromPrimary cuts the replication once the replica has caught up:
// what the primary says to the replica is lost, and neither notices for long.
func loseAnswersFromPrimary(ctx context.Context, r *Run) error {
	replica, err := r.targets["B"].Client(time.Second)
	if err != nil {
		return err
	}
	defer replica.Close()
	limit, cancel := context.WithTimeout(ctx, opLimit)
	defer cancel()
	for {
		n, err := replica.Get(limit, keyspace.FenceKey(r.key)).Int64()
		if err == nil && n == firstFence {
			break
		}
		if err := wait(limit, 10*time.Millisecond); err != nil {
			return errors.Join(ctx.Err(), fmt.Errorf("%w: the replica did not catch up within %v", ErrSlow, opLimit))
		}
	}
	r.note("the replica has the counter at %d; from now on nothing reaches it", firstFence)
	r.proxy.LoseAnswers()
	return nil
}

// replicaLacksKey makes sure that the story is what it says.
func replicaLacksKey(ctx context.Context, r *Run) error {
	replica, err := r.targets["B"].Client(time.Second)
	if err != nil {
		return err
	}
	defer replica.Close()
	seen, err := look(ctx, replica, r.key)
	if err != nil {
		return err
	}
	if seen.owner != "" {
		return fmt.Errorf("%w: the replica has the lock of A", ErrSlow)
	}
	r.note("the primary has the lock, the replica does not")
	return nil
}

// promote ends the primary and makes the replica the server to look at.
func promote(ctx context.Context, r *Run) error {
	r.pair[0].Kill()
	_ = r.client.Close()
	client, err := r.targets["B"].Client(2 * time.Second)
	if err != nil {
		return err
	}
	r.client = client
	r.mu.Lock()
	r.targets[""] = r.targets["B"]
	r.mu.Unlock()
	if err := client.Do(ctx, "REPLICAOF", "NO", "ONE").Err(); err != nil && !errors.Is(err, redis.Nil) {
		return fmt.Errorf("promote the replica: %w", err)
	}
	r.note("the primary is gone, the replica is promoted")
	return nil
}

// judgeTwoHolders compares what both workers were given.
func judgeTwoHolders(ctx context.Context, r *Run) error {
	r.mu.Lock()
	a, b := r.a, r.b
	runs := b.acquired < a.acquired.Add(r.ttl("A"))
	same := a.fence != nil && b.fence != nil && *a.fence == *b.fence
	r.mu.Unlock()
	r.judge("one-holder", !runs)
	r.judge("fence-unique", !same)
	return nil
}
