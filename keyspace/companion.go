package keyspace

import (
	"strconv"
	"strings"
)

// MaxCompanions bounds what Companions asks for.
const MaxCompanions = 64

// What a companion key is to its lock: Lock.Part and the kind of CompanionOf.
const (
	PartQueue    = "queue"    // who waits, in order
	PartFence    = "fence"    // counter of fencing tokens
	PartDeadline = "deadline" // when the lock, a hold or a wait ends
	PartPermits  = "permits"  // the holders of a semaphore
	PartHolders  = "holders"  // who holds how much
	PartLatch    = "latch"    // guard of a client's own retries
	PartSignal   = "signal"   // wake-up list
	PartIndex    = "index"    // list of locks, job data, slots, versions
	PartProbe    = "probe"    // a client's test of the server
)

// Redisson's names: a name without a brace of its own is put in braces, so that
// all keys of a lock lie in one slot of a cluster.
const (
	redissonQueue   = "redisson_lock_queue"
	redissonTimeout = "redisson_lock_timeout"
	redissonToken   = "redisson_lock_token"
	permitsSuffix   = ":timeout"
	readHoldMark    = ":rwlock_timeout:"
)

func redissonName(prefix, name string) string { return prefix + ":" + braced(name) }

func redissonSuffixed(name, suffix string) string { return braced(name) + suffix }

func braced(name string) string {
	if strings.Contains(name, "{") {
		return name
	}
	return "{" + name + "}"
}

// unbraced undoes braced. A name that was in braces from the start cannot be
// told from one that was put there.
func unbraced(name string) string {
	if len(name) >= 2 && name[0] == '{' && name[len(name)-1] == '}' && !strings.Contains(name[1:], "{") {
		return name[1 : len(name)-1]
	}
	return name
}

// permitsOf is the semaphore whose permits a key name would hold.
func permitsOf(key string) (string, bool) {
	name, ok := strings.CutSuffix(key, permitsSuffix)
	if !ok || !strings.Contains(name, "{") {
		return "", false
	}
	return unbraced(name), true
}

// readHoldKeys names the keys with the deadlines of a reader's holds, newest
// first, as many as its share of the bound among holders allows.
func readHoldKeys(key, owner string, count int64, holders int) []string {
	share := int64(max(1, MaxCompanions/max(1, holders)))
	head := redissonSuffixed(key, ":"+owner+readHoldMark)
	var keys []string
	for n := count; n > 0 && n > count-share; n-- {
		keys = append(keys, head+strconv.FormatInt(n, 10))
	}
	return keys
}

// FenceKey is where the lease scripts of this package keep the fencing counter
// of a lock: beside it. A lock name for a cluster must hold a {hash tag}.
func FenceKey(lock string) string { return lock + fenceSuffix }

const (
	fenceSuffix   = ":fence"
	appliedSuffix = ":applied"
	leaderSuffix  = ":leader"
	demoPrefix    = "lease-demo:"
	ownerPrefix   = "lock:owner:"
	expirePrefix  = "lock:expire:"
	poolSuffix    = "_info"
	jobLockSuffix = ":lock"
)

// fenceKeyOf is where the fencing counter of a string lock stands, "" where
// nothing says that it has one.
func fenceKeyOf(key string) string {
	if name, ok := strings.CutSuffix(key, leaderSuffix); ok {
		return name + fenceSuffix
	}
	if strings.HasPrefix(key, demoPrefix) && !strings.HasSuffix(key, fenceSuffix) {
		return FenceKey(key)
	}
	return ""
}

func deadlineKeyOf(key string) string {
	if name, ok := strings.CutPrefix(key, ownerPrefix); ok {
		return expirePrefix + name
	}
	return ""
}

func poolsKeyOf(key string) string {
	if strings.HasSuffix(key, jobLockSuffix) && strings.Contains(key, ":jobs:") {
		return key + poolSuffix
	}
	return ""
}

// Companions names the keys to read along with a lock, in a second step, for
// Decode: at most MaxCompanions, most often none. They may be missing.
func Companions(raw *Raw) []string {
	if raw == nil {
		return nil
	}
	if _, _, ok := partOf(raw); ok {
		return nil
	}
	var keys []string
	switch raw.Type {
	case "hash":
		keys = hashCompanions(raw)
	case "set":
		if base, ok := strings.CutSuffix(raw.Key, readersSuffix); ok {
			keys = []string{base + writerSuffix}
		}
	case "string":
		keys = stringCompanions(raw)
	}
	return keys[:min(len(keys), MaxCompanions)]
}

func hashCompanions(raw *Raw) []string {
	r := &reading{Raw: raw}
	switch {
	case strings.HasSuffix(raw.Key, lockedSuffix):
		return []string{strings.TrimSuffix(raw.Key, lockedSuffix) + ":QUEUED"}
	case isRedisson(r):
		return []string{
			redissonName(redissonQueue, raw.Key),
			redissonName(redissonTimeout, raw.Key),
			redissonName(redissonToken, raw.Key),
		}
	case isRedissonRW(r):
		var keys []string
		for _, p := range raw.Pairs {
			if n, ok := parseCount(p.Value); ok && !strings.HasSuffix(p.Name, writeHold) {
				keys = append(keys, readHoldKeys(raw.Key, p.Name, n, len(raw.Pairs))...)
			}
		}
		return keys
	}
	return nil
}

func stringCompanions(raw *Raw) []string {
	for _, key := range []string{fenceKeyOf(raw.Key), deadlineKeyOf(raw.Key), poolsKeyOf(raw.Key)} {
		if key != "" {
			return []string{key}
		}
	}
	// A small number may be the free permits of a semaphore.
	if n, ok := parseCount(raw.Text); ok && n <= maxCounter && !raw.Cut {
		if _, known := LibraryFor(raw.Key); !known {
			return []string{redissonSuffixed(raw.Key, permitsSuffix)}
		}
	}
	return nil
}

// CompanionOf says, by a key's name alone, of which lock it can be a companion
// and of what kind: when it changes, that lock is to be read again. lock is ""
// where a companion belongs to none (kind tells it from no companion).
//
// A name alone does not make a key a companion: some of these names are short
// enough for a lock of somebody else. Whether to leave a key out of the locks,
// Decode says by Lock.Part.
func CompanionOf(key string) (lock, kind string, ok bool) {
	for _, c := range companionPrefixes {
		if rest, has := strings.CutPrefix(key, c.mark); has {
			return c.of(rest), c.kind, true
		}
	}
	if i := strings.LastIndex(key, readHoldMark); i >= 0 && isDigits(key[i+len(readHoldMark):]) {
		if name, ok := beforeOwner(key[:i]); ok {
			return unbraced(name), PartDeadline, true
		}
	}
	if name, ok := permitsOf(key); ok {
		return name, PartPermits, true
	}
	return companionBySuffix(key)
}

// beforeOwner cuts ":uuid:thread" off the end.
func beforeOwner(s string) (name string, ok bool) {
	rest, thread, ok := cutLast(s, ":")
	if !ok || !isLongID(thread) || len(rest) < 37 {
		return "", false
	}
	at := len(rest) - 36
	return rest[:at-1], rest[at-1] == ':' && isUUID(rest[at:])
}

var companionPrefixes = []struct {
	mark, kind string
	of         func(rest string) string
}{
	{redissonQueue + ":", PartQueue, unbraced},
	{redissonTimeout + ":", PartDeadline, unbraced},
	{redissonToken + ":", PartFence, unbraced},
	{"redisson_unlock_latch:", PartLatch, func(rest string) string {
		name, _, _ := cutLast(rest, ":")
		return unbraced(name)
	}},
	{"redisson__execute_task_once_latch:", PartLatch, func(string) string { return "" }},
	{"lock-signal:", PartSignal, func(rest string) string { return "lock:" + rest }},
	{"lock.event:", PartSignal, func(rest string) string { return "lock:" + rest }},
	{expirePrefix, PartDeadline, func(rest string) string { return ownerPrefix + rest }},
	{"symfony_check_support_time", PartProbe, func(string) string { return "" }},
}

func companionBySuffix(key string) (lock, kind string, ok bool) {
	if strings.HasPrefix(key, "uniquejobs:") {
		return uniqueJobsPart(key)
	}
	if strings.HasPrefix(key, "SEMAPHORE:") {
		for _, s := range []string{":AVAILABLE", ":EXISTS", ":VERSION"} {
			if name, ok := strings.CutSuffix(key, s); ok {
				return name + grabbedSuffix, PartIndex, true
			}
		}
	}
	fence := strings.TrimSuffix(key, appliedSuffix)
	if name, ok := strings.CutSuffix(fence, fenceSuffix); ok {
		if strings.HasPrefix(key, demoPrefix) {
			return name, PartFence, true
		}
		return name + leaderSuffix, PartFence, true
	}
	if name, ok := strings.CutSuffix(key, poolSuffix); ok && poolsKeyOf(name) != "" {
		return name, PartHolders, true
	}
	if name, ok := strings.CutSuffix(key, ".backlog_info"); ok && strings.HasPrefix(key, "throttled:") {
		return name, PartIndex, true
	}
	if name, ok := strings.CutSuffix(key, ":signal"); ok {
		return name, PartSignal, true
	}
	return "", "", false
}

// uniqueJobsPart: of all the keys of sidekiq-unique-jobs only DIGEST:LOCKED is a
// lock.
func uniqueJobsPart(key string) (lock, kind string, ok bool) {
	switch key {
	case "uniquejobs:digests", "uniquejobs:expiring_digests", "uniquejobs:changelog":
		return "", PartIndex, true
	}
	for _, s := range []string{":QUEUED", ":PRIMED", ":INFO"} {
		if digest, ok := strings.CutSuffix(key, s); ok {
			kind := PartIndex
			if s == ":QUEUED" {
				kind = PartQueue
			}
			return digest + lockedSuffix, kind, true
		}
	}
	if strings.HasSuffix(key, lockedSuffix) || strings.HasSuffix(key, grabbedSuffix) {
		return "", "", false
	}
	return key + lockedSuffix, PartIndex, true
}

// partOf says of what lock a key that was read is a part: its name must allow
// it, and where the name is short its content too.
func partOf(raw *Raw) (of, part string, ok bool) {
	of, part, ok = CompanionOf(raw.Key)
	if !ok {
		return "", "", false
	}
	switch {
	case part == PartPermits:
		ok = arePermits(raw)
	case part == PartSignal:
		ok = raw.Type == "list"
	case strings.HasPrefix(raw.Key, expirePrefix):
		_, timed := parseInstant(raw.Text, bySize)
		ok = raw.Type == "string" && timed
	case part == PartFence && !strings.HasPrefix(raw.Key, redissonToken):
		ok = raw.Type == "string" && isInteger(raw.Text) && raw.Deadline < 0
	case part == PartHolders:
		ok = raw.Type == "hash"
	}
	return of, part, ok
}
