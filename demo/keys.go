package demo

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"time"

	"github.com/redis/go-redis/v9"

	"leasetop/keyspace"
)

// Prefix is where everything lies that the demo writes; Pattern selects its
// locks, without the counters and markers beside them.
const (
	Prefix  = "lease-demo:"
	Pattern = Prefix + "*:lock"
)

var (
	renewScript   = redis.NewScript(keyspace.RenewScript())
	releaseScript = redis.NewScript(keyspace.ReleaseScript())
)

// wait returns after d, or with ctx's error before that.
func wait(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func randomHex(bytes int) string {
	b := make([]byte, bytes)
	rand.Read(b)
	return hex.EncodeToString(b)
}
