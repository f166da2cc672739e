package peers

import (
	"strings"
	"testing"
	"time"
)

// TestRedisson plays the steps of Redisson's locks, each with the commands that
// the library's own scripts run. Patterns are wide, so that companions could be
// taken for locks.
func TestRedisson(t *testing.T) {
	stories(t, map[string]func(s *scene){
		"lock":             redissonLock,
		"fenced lock":      redissonFenced,
		"fair lock":        redissonFair,
		"read-write lock":  redissonReadWrite,
		"write re-entry":   redissonWriteReentry,
		"multi-value lock": redissonMulti,
		"permits":          redissonPermits,
		"semaphore":        redissonSemaphore,
	})
}

const (
	instanceA = "6f1c0a52-2f0e-4f6f-9f3b-0d6b3f8f3a11"
	instanceB = "b2d9c1e7-88a4-4a51-8f0a-5c1f2a7e9d22"
	threadA   = instanceA + ":57"
	threadB   = instanceB + ":-12"
	latch     = ":0f1e2d3c4b5a69788796a5b4c3d2e1f0"
)

// named gives the two clients their names.
func (s *scene) named() {
	for token, alias := range map[string]string{threadA: "A", threadB: "B"} {
		s.name(alias, token)
		s.name(alias+":write", token+":write")
	}
}

// rlock locks or re-enters; it answers with the TTL of another's lock.
func (s *scene) rlock(key, owner string, ms int) any {
	s.Helper()
	return s.eval(`if redis.call('exists', KEYS[1]) == 0 or redis.call('hexists', KEYS[1], ARGV[1]) == 1 then
		redis.call('hincrby', KEYS[1], ARGV[1], 1)
		redis.call('pexpire', KEYS[1], ARGV[2])
		return nil
	end
	return redis.call('pttl', KEYS[1])`, []string{key}, owner, ms)
}

// runlock gives one count back, with the latch that guards retries since 3.24.
func (s *scene) runlock(key, owner string, ms int) {
	s.Helper()
	l := "redisson_unlock_latch:{" + key + "}" + latch
	s.eval(`if redis.call('get', KEYS[2]) then return end
	if redis.call('hincrby', KEYS[1], ARGV[1], -1) > 0 then
		redis.call('pexpire', KEYS[1], ARGV[2])
		redis.call('set', KEYS[2], 0, 'px', 3000)
	else
		redis.call('del', KEYS[1])
		redis.call('publish', 'redisson_lock__channel:{' .. KEYS[1] .. '}', 0)
		redis.call('set', KEYS[2], 1, 'px', 3000)
	end`, []string{key, l}, owner, ms)
	s.do("del %", l)
}

func redissonLock(s *scene) {
	s.named()
	s.watch("*order:42*")
	const key = "order:42"
	s.rlock(key, threadA, 30000)
	s.tells(key, "acquired A x1 30s")
	s.stored(key, "redisson", "Redisson")
	if told := s.reading(key).Holders[0].Told; told == nil || told.Process != instanceA || told.Thread != "57" {
		s.Errorf("told %+v", told)
	}
	s.rlock(key, threadA, 30000)
	s.tells(key, "recount A x2 30s")
	if ttl, ok := s.rlock(key, threadB, 30000).(int64); !ok || ttl <= 0 {
		s.Fatal("B got it")
	}
	s.quiet()
	s.aged(key, 30*time.Second)
	s.do("pexpire % 30000", key) // the watchdog
	s.tells(key, "renewed A x2 30s")
	s.runlock(key, threadA, 30000)
	s.tells(key, "recount A x1 30s")
	s.runlock(key, threadA, 30000)
	s.tells(key, "released A x1 renewed 1")
	s.findings()
	s.rlock(key, threadB, 2000)
	s.tells(key, "acquired B x1 2s after released", "expired B x1")
	// An operator's forceUnlock is a deletion like any other.
	s.rlock(key, threadA, 30000)
	s.tells(key, "acquired A x1 30s after expired")
	s.do("del %", key)
	s.tells(key, "released A x1")
	s.leases(key)
}

func redissonFenced(s *scene) {
	s.named()
	s.watch("*order:42*")
	const key = "order:42"
	for i, owner := range []string{threadA, threadB} {
		s.eval(`redis.call('incr', KEYS[2])
			redis.call('hincrby', KEYS[1], ARGV[1], 1)
			redis.call('pexpire', KEYS[1], 30000)`, []string{key, "redisson_lock_token:{" + key + "}"}, owner)
		s.tells(key, []string{"acquired A x1 30s", "acquired B x1 30s after released"}[i])
		if f := s.reading(key).Fence; f == nil || *f != int64(i+1) {
			s.Errorf("fencing token %v, want %d", f, i+1)
		}
		s.do("del %", key)
		s.tells(key, []string{"released A x1", "released B x1"}[i])
	}
	s.leases(key) // and not the counter, which outlives the lock
	s.findings()
}

func redissonFair(s *scene) {
	s.named()
	s.watch("*fair*")
	const key, queue, timeouts = "fair", "redisson_lock_queue:{fair}", "redisson_lock_timeout:{fair}"
	s.eval(`redis.call('hset', KEYS[1], ARGV[1], 1) redis.call('pexpire', KEYS[1], 30000)`, []string{key}, threadA)
	s.tells(key, "acquired A x1 30s")
	s.eval(`redis.call('zadd', KEYS[2], ARGV[2], ARGV[1]) redis.call('rpush', KEYS[1], ARGV[1])`,
		[]string{queue, timeouts}, threadB, s.ms(330*time.Second))
	s.until("the waiter", func() bool { return strings.Join(s.lease(key).Reading.Waiters, " ") == threadB })
	s.quiet() // to wait is no change of the lease
	s.eval(`redis.call('del', KEYS[1])`, []string{key})
	s.tells(key, "released A x1")
	s.eval(`redis.call('lpop', KEYS[2]) redis.call('zrem', KEYS[3], ARGV[1])
		redis.call('hset', KEYS[1], ARGV[1], 1) redis.call('pexpire', KEYS[1], 30000)`, []string{key, queue, timeouts}, threadB)
	s.tells(key, "acquired B x1 30s after released")
	if w := s.reading(key).Waiters; len(w) != 0 {
		s.Errorf("waiters %q", w)
	}
	s.leases(key)
	s.findings()
}

// readHold takes a read lock, whose end is in a key of its own.
func (s *scene) readHold(key, owner string, n, ms int) {
	s.Helper()
	s.eval(`if redis.call('hexists', KEYS[1], 'mode') == 0 then redis.call('hset', KEYS[1], 'mode', 'read') end
		redis.call('hincrby', KEYS[1], ARGV[1], 1)
		local hold = '{' .. KEYS[1] .. '}:' .. ARGV[1] .. ':rwlock_timeout:' .. ARGV[2]
		redis.call('set', hold, 1)
		redis.call('pexpire', hold, ARGV[3])
		local left = redis.call('pttl', KEYS[1])
		redis.call('pexpire', KEYS[1], math.max(left, ARGV[3]))`, []string{key}, owner, n, ms)
}

func redissonReadWrite(s *scene) {
	s.named()
	s.busy = true
	s.watch("*doc:1*")
	const key = "doc:1"
	s.readHold(key, threadA, 1, 3000)
	s.tells(key, "acquired A x1 3s")
	s.readHold(key, threadB, 1, 30000)
	s.tells(key, "acquired B x1 30s")
	s.held(key, "A x1 read", "B x1 read")
	s.stored(key, "redisson-rw", "Redisson")
	s.readHold(key, threadB, 2, 40000)
	s.tells(key, "recount B x2 40s")
	// A is dead: its own key ends, its field stays behind.
	s.tells(key, "expired A x1")
	s.held(key, "B x2 read")
	s.do("del % % %", "{"+key+"}:"+threadB+":rwlock_timeout:1", "{"+key+"}:"+threadB+":rwlock_timeout:2", key)
	s.tells(key, "released B x2")
	s.leases(key)
	s.findings()
}

// redissonWriteReentry: each write re-entry adds a lease to what is left, and a
// writer may read beside.
func redissonWriteReentry(s *scene) {
	s.named()
	s.busy = true
	s.watch("*doc:2*")
	const key = "doc:2"
	s.eval(`redis.call('hset', KEYS[1], 'mode', 'write') redis.call('hset', KEYS[1], ARGV[1], 1)
		redis.call('pexpire', KEYS[1], 30000)`, []string{key}, threadA+":write")
	s.tells(key, "acquired A:write x1 30s")
	s.eval(`redis.call('hincrby', KEYS[1], ARGV[1], 1)
		redis.call('pexpire', KEYS[1], redis.call('pttl', KEYS[1]) + 30000)`, []string{key}, threadA+":write")
	s.tells(key, "recount A:write x2")
	if left := s.reading(key).Deadline.Sub(s.reading(key).At); left < 45*time.Second {
		s.Errorf("%s left after a re-entry", left)
	}
	s.readHold(key, threadA, 1, 20000)
	s.tells(key, "acquired A x1 20s")
	s.held(key, "A x1 read", "A:write x2 write")
	s.eval(`redis.call('hdel', KEYS[1], ARGV[1]) redis.call('hset', KEYS[1], 'mode', 'read')`, []string{key}, threadA+":write")
	s.tells(key, "released A:write x2")
	s.held(key, "A x1 read")
	s.leases(key)
	s.findings()
}

func redissonMulti(s *scene) {
	s.watch("group*")
	const item1, item2 = "q2Xb7VnKp0WzYtRs4LdMfA", "Zz2Xb7VnKp0WzYtRs4LdMf"
	take := func(item, owner string, d time.Duration) string {
		own, end := item+":"+owner, s.ms(d)
		s.name(own[:1]+owner[:1], own)
		s.eval(`redis.call('hset', KEYS[1], ARGV[1], ARGV[2], ARGV[1] .. ':' .. ARGV[2] .. ':lock_count', 1,
			ARGV[1] .. ':' .. ARGV[2] .. ':expire_time', ARGV[3])
			redis.call('pexpire', KEYS[1], 30000)`, []string{"group"}, item, owner, end)
		return at(end)
	}
	end := take(item1, threadA, 30*time.Second)
	s.tells("group", "acquired q6 x1 "+end)
	s.stored("group", "redisson-multi", "Redisson")
	end = take(item2, threadB, 2*time.Second)
	s.tells("group", "acquired Zb x1 "+end, "expired Zb x1 "+end)
	s.held("group", "q6 x1")
	own := item1 + ":" + threadA
	s.do("hdel group % % %", item1, own+":lock_count", own+":expire_time")
	s.tells("group", "released q6 x1")
	s.findings()
}

func redissonPermits(s *scene) {
	s.watch("*sem:api*", "sem:api=redisson-permits")
	const key, permits = "sem:api", "{sem:api}:timeout"
	s.do("set sem:api 2")
	s.quiet() // two free permits are no lease
	ids := []string{"\x00\x01\x02\x03\x04\x05\x06\x07\x08\t\n\x0b\x0c\r\x0e\x0f", "\xf0\xf1\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f"}
	s.name("P", "000102030405060708090a0b0c0d0e0f")
	s.name("Q", "f0f112131415161718191a1b1c1d1e1f")
	take := func(id string, end any) {
		s.eval(`redis.call('decrby', KEYS[1], 1) redis.call('zadd', KEYS[2], ARGV[2], ARGV[1])`, []string{key, permits}, id, end)
	}
	end := s.ms(20 * time.Second)
	take(ids[0], end)
	s.tells(key, "acquired P "+at(end))
	take(ids[1], "922337203685477")
	s.tells(key, "acquired Q endless")
	if note := s.reading(key).Note; note != "0 permits free" {
		s.Errorf("note %q", note)
	}
	s.eval(`redis.call('zrem', KEYS[2], ARGV[1]) redis.call('incrby', KEYS[1], 1)`, []string{key, permits}, ids[1])
	s.tells(key, "released Q inferred")
	s.do("zadd % % %", permits, s.ms(2*time.Second), ids[0]) // updateLeaseTime
	s.tells(key, "shortened P inferred", "expired P renewed 1")
	s.leases(key)
}

func redissonSemaphore(s *scene) {
	s.watch("sem:db", "sem:db=free-counter")
	s.do("set sem:db 1")
	s.quiet()
	s.do("decrby sem:db 1")
	s.tells("sem:db", "acquired ? endless")
	s.do("incrby sem:db 1")
	s.tells("sem:db", "released ? inferred")
	s.leases("sem:db")
}
