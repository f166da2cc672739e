package worker

import (
	"context"
	"fmt"
	"time"
)

// The two workers of the report coordinate by markers in Redis, so that the
// first keeps its job open until the second has started, whoever is faster.
const (
	MarkerAStarted  = ":a-started"
	MarkerBStarted  = ":b-started"
	MarkerAFinished = ":a-finished"
)

const (
	markerTTL  = time.Hour // they go away by themselves, too
	markerPoll = 20 * time.Millisecond
)

// report is the job that outlives its lease with nothing wrong in it but its
// length.
func (j *job) report(ctx context.Context) error {
	first := j.setup.Manner.Marker == "first"
	if !first {
		if err := j.await(ctx, MarkerAStarted); err != nil {
			return err
		}
	}
	lease, err := j.acquire(ctx)
	if lease == nil {
		return err
	}
	j.tell("job_start", "", "")
	stop := j.keep(ctx, lease)
	if first {
		err = j.outlive(ctx)
	} else {
		err = j.follow(ctx)
	}
	j.gates.pass(ctx, GateRelease)
	if first && err == nil {
		j.tell("job_finish", "", "it went on after the other one had started")
	}
	stop()
	j.release(ctx, lease)
	if first && err == nil {
		err = j.mark(ctx, MarkerAFinished)
	}
	return err
}

// outlive keeps the job open until the other worker has started its own.
func (j *job) outlive(ctx context.Context) error {
	if err := j.mark(ctx, MarkerAStarted); err != nil {
		return err
	}
	return j.await(ctx, MarkerBStarted)
}

// follow works until the first worker has tried its late release.
func (j *job) follow(ctx context.Context) error {
	if err := j.mark(ctx, MarkerBStarted); err != nil {
		return err
	}
	if err := j.await(ctx, MarkerAFinished); err != nil {
		return err
	}
	j.tell("job_finish", "", "")
	return nil
}

func (j *job) mark(ctx context.Context, marker string) error {
	if err := j.client.Set(ctx, j.setup.Base+marker, "1", markerTTL).Err(); err != nil {
		return fmt.Errorf("set the marker %s: %w", marker, err)
	}
	return nil
}

func (j *job) await(ctx context.Context, marker string) error {
	for {
		n, err := j.client.Exists(ctx, j.setup.Base+marker).Result()
		if err != nil {
			return fmt.Errorf("look for the marker %s: %w", marker, err)
		}
		if n == 1 {
			return nil
		}
		if err := sleep(ctx, markerPoll); err != nil {
			return err
		}
		j.gates.pass(ctx, "marker")
	}
}
