package peers

import (
	"fmt"
	"testing"
)

// TestHashLocks plays libraries that keep locks in hashes, besides Redisson.
func TestHashLocks(t *testing.T) {
	stories(t, map[string]func(s *scene){
		"sidekiq-unique-jobs":  sidekiqUniqueJobs,
		"redis-semaphore Ruby": rubySemaphore,
		"JuiceFS":              juiceFS,
		"Huey":                 huey,
	})
}

// sidekiqUniqueJobs writes six keys for one lock; only :LOCKED is shown.
func sidekiqUniqueJobs(s *scene) {
	s.watch("uniquejobs:*")
	const digest, jid = "uniquejobs:0fd4a6c2b1e39785d6c4b2a190817263", "7c9e6679f1b2a3c4d5e6f708"
	since := fmt.Sprintf("%.4f", float64(s.ms(0))/1000)
	s.name("A", jid)
	s.eval(`redis.call('set', KEYS[1], ARGV[1]) redis.call('lpush', KEYS[1] .. ':QUEUED', ARGV[1])
		redis.call('set', KEYS[1] .. ':INFO', '{}') redis.call('zadd', 'uniquejobs:digests', ARGV[2], KEYS[1])`,
		[]string{digest}, jid, since)
	s.quiet()
	s.eval(`redis.call('rpoplpush', KEYS[1] .. ':QUEUED', KEYS[1] .. ':PRIMED') redis.call('hset', KEYS[1] .. ':LOCKED', ARGV[1], ARGV[2])
		redis.call('del', KEYS[1] .. ':PRIMED')`, []string{digest}, jid, since)
	s.tells(digest+":LOCKED", "acquired A endless")
	s.stored(digest+":LOCKED", "hash-holders", "sidekiq-unique-jobs")
	if told := s.reading(digest + ":LOCKED").Holders[0].Told; told == nil || told.Acquired == 0 {
		s.Errorf("told %+v", told)
	}
	s.do("lpush % other-jid", digest+":QUEUED")
	s.until("the waiter", func() bool {
		w := s.lease(digest + ":LOCKED").Reading.Waiters
		return len(w) == 1 && w[0] == "other-jid"
	})
	s.eval(`redis.call('hdel', KEYS[1] .. ':LOCKED', ARGV[1]) redis.call('unlink', KEYS[1], KEYS[1] .. ':INFO')
		redis.call('zrem', 'uniquejobs:digests', KEYS[1]) redis.call('lpush', KEYS[1] .. ':QUEUED', '1') redis.call('expire', KEYS[1] .. ':QUEUED', 5)`,
		[]string{digest}, jid)
	s.tells(digest+":LOCKED", "released A")
	s.leases(digest + ":LOCKED")
	s.findings()
}

func rubySemaphore(s *scene) {
	s.watch("SEMAPHORE:*")
	const key = "SEMAPHORE:api:GRABBED"
	s.do("set SEMAPHORE:api:EXISTS 1")
	s.do("set SEMAPHORE:api:VERSION 1")
	s.do("rpush SEMAPHORE:api:AVAILABLE 0 1")
	s.do("lpop SEMAPHORE:api:AVAILABLE")
	s.do("hset % 0 %", key, float64(s.ms(0))/1000)
	s.tells(key, "acquired ? endless")
	s.stored(key, "hash-holders", "redis-semaphore (Ruby)")
	s.do("lpop SEMAPHORE:api:AVAILABLE")
	s.do("hset % 1 %", key, float64(s.ms(0))/1000)
	s.tells(key, "acquired ? endless")
	s.do("hdel % 0", key)
	s.tells(key, "released ?")
	s.held(key, "?")
	s.leases(key)
	s.findings()
}

func juiceFS(s *scene) {
	s.watch()
	s.name("A", "3_00007F5A12345678")
	s.name("B", "4_00007F5A00000001")
	s.do("hset lockf1024 3_00007F5A12345678 R")
	s.tells("lockf1024", "acquired A endless")
	s.do("hset lockf1024 4_00007F5A00000001 R")
	s.tells("lockf1024", "acquired B endless")
	s.held("lockf1024", "A read", "B read")
	s.stored("lockf1024", "juicefs", "JuiceFS")
	s.do("hdel lockf1024 4_00007F5A00000001")
	s.tells("lockf1024", "released B")
	s.leases("lockf1024")
	s.findings()
}

// huey keeps locks among the results of its tasks.
func huey(s *scene) {
	s.watch()
	const key = "huey.results.myapp"
	s.do("hset % task-1 result", key)
	s.quiet()
	s.do("hsetnx % myapp.lock.nightly 1", key)
	s.tells(key, "acquired ? endless")
	s.stored(key, "hash-table", "Huey")
	s.do("hset % task-2 result", key)
	s.quiet()
	s.do("hdel % myapp.lock.nightly", key)
	s.tells(key, "released ?")
	s.leases(key)
	s.findings()
}
