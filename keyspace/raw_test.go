package keyspace_test

import (
	"context"
	"math"
	"testing"

	"github.com/redis/go-redis/v9"

	"leasetop/keyspace"
)

// readRaw reads a key as a monitor does: type, bounded value, deadline, clock.
func readRaw(t testing.TB, c *redis.Client, key string) *keyspace.Raw {
	t.Helper()
	ctx := context.Background()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("read %q: %v", key, err)
		}
	}
	now, err := c.Time(ctx).Result()
	must(err)
	raw := &keyspace.Raw{Key: key, Now: now.UnixMicro()}
	raw.Type, err = c.Type(ctx, key).Result()
	must(err)
	raw.Deadline, err = c.Do(ctx, "pexpiretime", key).Int64()
	must(err)
	switch raw.Type {
	case "string":
		raw.Text, err = c.Get(ctx, key).Result()
		must(err)
		raw.Size = int64(len(raw.Text))
	case "hash":
		pairs, err := c.Do(ctx, "hgetall", key).Slice()
		must(err)
		addPairs(raw, pairs)
	case "zset":
		pairs, err := c.Do(ctx, "zrange", key, 0, -1, "withscores").Slice()
		must(err)
		addPairs(raw, pairs)
	case "set":
		members, err := c.SMembers(ctx, key).Result()
		must(err)
		addNames(raw, members)
	case "list":
		members, err := c.LRange(ctx, key, 0, -1).Result()
		must(err)
		addNames(raw, members)
	}
	return raw
}

func addNames(raw *keyspace.Raw, names []string) {
	for _, n := range names {
		raw.Pairs = append(raw.Pairs, keyspace.Pair{Name: n})
	}
	raw.Size = int64(len(raw.Pairs))
}

// addPairs takes a flat reply, as RESP2 gives hashes and scores.
func addPairs(raw *keyspace.Raw, reply []any) {
	for i := 0; i+1 < len(reply); i += 2 {
		raw.Pairs = append(raw.Pairs, keyspace.Pair{Name: reply[i].(string), Value: reply[i+1].(string)})
	}
	raw.Size = int64(len(raw.Pairs))
}

// decodeKey does both steps of a read and gives the lock and the raw reading.
func decodeKey(t testing.TB, c *redis.Client, key string, forces ...keyspace.Force) (keyspace.Lock, *keyspace.Raw) {
	t.Helper()
	raw := readRaw(t, c, key)
	names := keyspace.Companions(raw)
	if len(names) > keyspace.MaxCompanions {
		t.Fatalf("%d companions of %q", len(names), key)
	}
	beside := map[string]*keyspace.Raw{}
	for _, name := range names {
		beside[name] = readRaw(t, c, name)
		if of, _, ok := keyspace.CompanionOf(name); !ok && name != "doc.writer" || ok && of != key {
			t.Errorf("%q reads %q, which names %q", key, name, of)
		}
	}
	return keyspace.Decode(raw, beside, forces), raw
}

func floatBits(f float64) uint64 { return math.Float64bits(f) }
