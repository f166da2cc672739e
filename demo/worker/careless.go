package worker

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"

	"leasetop/keyspace"
)

// careless is a lease as it is held in the field: it may compare its token or
// ask before it writes, and it believes that what it was told once still holds.
type careless struct {
	client *redis.Client
	terms  Terms
	manner Manner
	owner  string
	fence  int64
	never  context.Context // a permission that nothing ends
	asked  string          // what the last check said
}

// acquireCareless makes one attempt. It may return ErrDenied or ErrUncertain.
func acquireCareless(ctx context.Context, client *redis.Client, terms Terms, manner Manner) (*careless, error) {
	c := &careless{client: client, terms: terms.filled(), manner: manner, owner: newToken(), never: context.WithoutCancel(ctx)}
	got, err := c.take(ctx)
	switch {
	case err != nil && refused(err):
		return nil, fmt.Errorf("acquire the lease: %w", err)
	case err != nil:
		return nil, fmt.Errorf("acquire the lease: %w", errors.Join(ErrUncertain, err))
	case !got:
		return nil, ErrDenied
	}
	return c, nil
}

func (c *careless) take(ctx context.Context) (bool, error) {
	key, ttl := c.terms.Key, c.terms.TTL
	switch c.manner.Acquire {
	case AcquireFenced:
		var err error
		c.fence, err = acquireScript.Run(ctx, c.client, []string{key, keyspace.FenceKey(key)}, c.owner, ttl.Milliseconds()).Int64()
		return c.fence != 0, err
	case AcquireTwoSteps:
		got, err := c.setNX(ctx, "SETNX", key, c.owner)
		if err != nil || !got {
			return got, err
		}
		// Here a crash leaves a lock that never ends.
		c.terms.Pause(ctx, GateExpire)
		return true, c.client.PExpire(ctx, key, ttl).Err()
	}
	return c.setNX(ctx, "SET", key, c.owner, "NX", "PX", ttl.Milliseconds())
}

// setNX sends a command as it is spelled: the client would make a SET of SETNX.
func (c *careless) setNX(ctx context.Context, words ...any) (bool, error) {
	answer, err := c.client.Do(ctx, words...).Result()
	if errors.Is(err, redis.Nil) {
		return false, nil
	}
	return err == nil && answer != int64(0), err
}

// Owner is the token.
func (c *careless) Owner() string { return c.owner }

// Fence is 0: many locks hand out no number.
func (c *careless) Fence() int64 { return c.fence }

// Lost never ends: a careless worker does not learn that its lease did.
func (c *careless) Lost() context.Context { return c.never }

// Check asks the server, if that is the worker's manner. What it says is true
// when it is said; two commands may even be of two moments.
func (c *careless) Check() error {
	if c.manner.Check != CheckByAsk {
		return nil
	}
	ctx, cancel := context.WithTimeout(c.never, c.terms.Timeout)
	defer cancel()
	owner, err := c.client.Get(ctx, c.terms.Key).Result()
	if err != nil && !errors.Is(err, redis.Nil) {
		return fmt.Errorf("ask for the owner: %w", err)
	}
	left, err := c.client.PTTL(ctx, c.terms.Key).Result()
	if err != nil {
		return fmt.Errorf("ask for the time that is left: %w", err)
	}
	if owner != c.owner || left <= 0 {
		return fmt.Errorf("%w: the key is not ours", ErrLost)
	}
	c.asked = fmt.Sprintf("GET said our token, PTTL said %d ms", left.Milliseconds())
	return nil
}

// Keep renews and shrugs at every answer.
func (c *careless) Keep(ctx context.Context) {
	tick := time.NewTicker(c.terms.Every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		c.terms.Pause(ctx, GateRenew)
		n, err := renewScript.Run(ctx, c.client, []string{c.terms.Key}, c.owner, c.terms.TTL.Milliseconds()).Int64()
		switch {
		case err != nil && ctx.Err() != nil:
		case err != nil:
			c.terms.Tell("lease_renewal", "timeout", cause(err))
		case n == 0:
			c.terms.Tell("lease_renewal", "rejected", "and the work goes on")
		default:
			c.terms.Tell("lease_renewal", "ok", "")
		}
	}
}

// Release deletes the key, with or without a look at whose it is, and reports
// whether it deleted one.
func (c *careless) Release(ctx context.Context) (bool, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.terms.Timeout)
	defer cancel()
	var (
		n   int64
		err error
	)
	if c.manner.Release == ReleaseDelete {
		n, err = c.client.Del(ctx, c.terms.Key).Result()
	} else {
		n, err = releaseScript.Run(ctx, c.client, []string{c.terms.Key}, c.owner).Int64()
	}
	if err != nil {
		return false, fmt.Errorf("release the lease: %w", err)
	}
	return n == 1, nil
}
