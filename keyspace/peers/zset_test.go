package peers

import (
	"fmt"
	"testing"
	"time"
)

// TestSortedSetLocks plays libraries whose holders are members with deadlines of
// their own, and locks in hashes and sets.
func TestSortedSetLocks(t *testing.T) {
	stories(t, map[string]func(s *scene){
		"Symfony":                 symfony,
		"Medallion semaphore":     medallionSemaphore,
		"Medallion reader-writer": medallionReaderWriter,
		"RQ work in progress":     rqWork,
		"tasktiger queue":         tasktiger,
		"sidekiq-throttled":       sidekiqThrottled,
	})
}

// symfony purges the dead, adds the token and, for a writer, __write__.
func symfony(s *scene) {
	s.busy = true
	s.watch("invoice:*")
	const key = "invoice:7"
	const a, b = "q83Ff0VwWl2rXo1Z0p7m9mFhcN4t6bB5yKxq1TzWcJM=", "z83Ff0VwWl2rXo1Z0p7m9mFhcN4t6bB5yKxq1TzWcJM="
	s.name("A", a)
	s.name("B", b)
	take := func(token string, d time.Duration, write bool) string {
		end := s.ms(d)
		s.eval(`redis.call('zremrangebyscore', KEYS[1], '-inf', ARGV[3])
			redis.call('zadd', KEYS[1], ARGV[2], ARGV[1])
			if ARGV[4] == '1' then redis.call('zadd', KEYS[1], ARGV[2], '__write__') end
			redis.call('pexpireat', KEYS[1], math.max(ARGV[2], redis.call('zrange', KEYS[1], -1, -1, 'withscores')[2]))`,
			[]string{key}, token, end, s.ms(0), write)
		return at(end)
	}
	s.do("set symfony_check_support_time 1 px 1")
	end := take(a, 300*time.Second, true)
	s.tells(key, "acquired A "+end)
	s.stored(key, "symfony", "Symfony Lock")
	s.held(key, "A write")
	end = take(a, 310*time.Second, true)
	s.tells(key, "renewed A "+end)
	s.eval(`redis.call('zrem', KEYS[1], ARGV[1]) redis.call('zrem', KEYS[1], '__write__')`, []string{key}, a)
	s.tells(key, "released A renewed 1")
	s.findings()
	// Two readers; one is dead and purged only by the next acquisition.
	end1, end2 := take(a, 2*time.Second, false), take(b, 300*time.Second, false)
	s.tells(key, "acquired A after released "+end1, "acquired B "+end2, "expired A")
	s.held(key, "B read")
	take(b, 310*time.Second, false)
	s.tells(key, "renewed B")
	s.do("zrem % %", key, b)
	s.tells(key, "released B renewed 1")
	// The purge of the last dead member deletes the key for a moment: no release.
	end1 = take(a, 2*time.Second, true)
	s.tells(key, "acquired A after released "+end1, "expired A")
	end2 = take(b, 300*time.Second, true)
	s.tells(key, "acquired B after expired "+end2)
	s.leases(key)
}

// medallionSemaphore: scores with decimals, and a key that outlives them.
func medallionSemaphore(s *scene) {
	s.watch("sem:*")
	const key = "sem:api"
	const a, b = "WEB-3_4312_0f8fad5bd9cb469fa16570867728950e", "WEB-4_99_1f8fad5bd9cb469fa16570867728950e"
	s.name("A", a)
	s.name("B", b)
	take := func(id string, ms int) any {
		return s.eval(`local t = redis.call('time')
			local now = t[1] * 1000 + t[2] / 1000
			redis.call('zremrangebyscore', KEYS[1], '-inf', now)
			if redis.call('zcard', KEYS[1]) >= 2 then return 0 end
			redis.call('zadd', KEYS[1], now + ARGV[2], ARGV[1])
			if redis.call('pttl', KEYS[1]) < 3 * ARGV[2] then redis.call('pexpire', KEYS[1], 3 * ARGV[2]) end
			return 1`, []string{key}, id, ms)
	}
	take(a, 30000)
	s.tells(key, "acquired A 30s")
	s.stored(key, "zset-deadline", "Medallion DistributedLock")
	if told := s.reading(key).Holders[0].Told; told == nil || told.Host != "WEB-3" || told.Process != "4312" {
		s.Errorf("told %+v", told)
	}
	take(b, 2000)
	s.tells(key, "acquired B 2s")
	if take("WEB-5_1_2f8fad5bd9cb469fa16570867728950e", 700) != int64(0) {
		s.Fatal("C got it")
	}
	s.tells(key, "expired B")
	s.held(key, "A")
	s.eval(`local t = redis.call('time')
		redis.call('zadd', KEYS[1], 'xx', t[1] * 1000 + t[2] / 1000 + 30000, ARGV[1])
		redis.call('pexpire', KEYS[1], 90000)`, []string{key}, a)
	s.tells(key, "renewed A 30s")
	s.do("zrem % %", key, a)
	s.tells(key, "released A renewed 1")
	s.leases(key)
	s.findings()
}

func medallionReaderWriter(s *scene) {
	s.watch("doc.*")
	const a, b = "WEB-3_4312_0f8fad5bd9cb469fa16570867728950e", "WEB-4_99_1f8fad5bd9cb469fa16570867728950e"
	s.name("A", a)
	s.name("B", b)
	s.eval(`redis.call('sadd', KEYS[1], ARGV[1]) redis.call('pexpire', KEYS[1], 30000)`, []string{"doc.readers"}, a)
	s.tells("doc.readers", "acquired A 30s")
	s.stored("doc.readers", "medallion-rw", "Medallion reader-writer")
	s.held("doc.readers", "A read")
	s.do("set doc.writer % nx px 30000", b+"_WRITERWAITING")
	s.quiet() // it holds nothing
	s.aged("doc.readers", 30*time.Second)
	s.do("pexpire doc.readers 30000")
	s.tells("doc.readers", "renewed A 30s")
	if r := s.reading("doc.readers"); len(r.Waiters) != 1 || r.Waiters[0] != b || r.Group != "doc" {
		s.Errorf("waiters %q, group %q", r.Waiters, r.Group)
	}
	s.do("srem doc.readers %", a)
	s.tells("doc.readers", "released A renewed 1")
	s.do("set doc.writer % px 30000", b)
	s.tells("doc.writer", "acquired B 30s")
	s.held("doc.writer", "B write")
	s.do("del doc.writer")
	s.tells("doc.writer", "released B")
	s.leases("doc.readers", "doc.writer")
	s.findings()
}

func rqWork(s *scene) {
	s.watch()
	const key = "rq:wip:default"
	end := s.now(20 * time.Second).Unix()
	s.do("zadd % % job-1:exec", key, end)
	s.tells(key, `acquired "job-1:exec" `+at(end*1000))
	s.do("zadd % +inf job-2:exec", key)
	s.tells(key, `acquired "job-2:exec" endless`)
	s.stored(key, "zset-deadline", "RQ work in progress")
	s.do("zrem % job-2:exec", key)
	s.tells(key, `released "job-2:exec"`)
	s.do("zrem % job-1:exec", key)
	s.tells(key, `released "job-1:exec"`)
	s.leases(key)
	s.findings()
}

func tasktiger(s *scene) {
	s.watch()
	const key = "t:qslock:default"
	end := s.ms(20 * time.Second)
	s.do("zadd % % worker-1", key, fmt.Sprintf("%d.%03d", end/1000, end%1000))
	s.tells(key, `acquired "worker-1" `+at(end))
	s.do("zadd % % SYSTEM_LOCK", key, end/1000)
	s.tells(key, `acquired "SYSTEM_LOCK" `+at(end/1000*1000))
	s.do("zrem % worker-1", key)
	s.tells(key, `released "worker-1"`)
	s.leases(key)
}

func sidekiqThrottled(s *scene) {
	s.watch()
	const key, jid = "throttled:MyJob:concurrency.v2", "7c9e6679f1b2a3c4d5e6f708"
	end := s.ms(2 * time.Second)
	s.eval(`redis.call('zadd', KEYS[1], ARGV[2], ARGV[1]) redis.call('expire', KEYS[1], 900)`, []string{key}, jid, fmt.Sprintf("%d.%03d", end/1000, end%1000))
	s.tells(key, `acquired "`+jid+`" `+at(end), `expired "`+jid+`"`)
	s.stored(key, "zset-deadline", "sidekiq-throttled")
	s.do("hset " + key + ".backlog_info size 1")
	s.leases(key)
}
