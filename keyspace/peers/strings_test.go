package peers

import (
	"encoding/binary"
	"fmt"
	"math"
	"testing"
	"time"
)

// TestStringLocks plays libraries whose lock is a string, each with its own
// peculiarity, by the commands that they send.
func TestStringLocks(t *testing.T) {
	stories(t, map[string]func(s *scene){
		"ShedLock":          shedLock,
		"RedLock.net":       redlockNet,
		"redis-py":          redisPy,
		"python-redis-lock": pythonRedisLock,
		"Laravel":           laravel,
		"single-beat":       singleBeat,
		"redlease":          redlease,
		"redis-mutex":       redisMutex,
		"errorception":      errorception,
		"ServiceStack":      serviceStack,
		"mlanett":           mlanett,
		"arq":               arq,
		"cacheops":          cacheops,
		"Dramatiq":          dramatiq,
		"Nextcloud":         nextcloud,
		"suo":               suo,
		"n8n":               n8n,
		"machinery":         machinery,
		"Discourse":         discourse,
		"resque-lock":       resqueLock,
		"start times":       startTimes,
	})
}

// shedLock keeps the key on purpose after the work: its end is moved, then comes.
func shedLock(s *scene) {
	s.watch()
	const key, token = "job-lock:default:nightly", "ADDED:2026-11-30T03:04:05.678Z@build-7:" + instanceA
	s.name("A", token)
	s.do("set % % nx px 60000", key, token)
	s.tells(key, "acquired A 60s")
	s.stored(key, "string", "ShedLock")
	if told := s.reading(key).Holders[0].Told; told == nil || told.Host != "build-7" || told.Acquired == 0 {
		s.Errorf("told %+v", told)
	}
	s.do("set % % nx px 60000", key, "ADDED:2026-11-30T03:04:06.000Z@build-8:"+instanceB)
	s.quiet()
	s.aged(key, time.Minute)
	s.do("set % % xx px 60000", key, token) // an extension rewrites the value
	s.tells(key, "renewed A 60s")
	s.findings()
	s.do("set % % xx px 2000", key, token) // done; kept until lockAtLeastFor
	s.tells(key, "shortened A 2s", "expired A renewed 2")
	s.do("set % % nx px 60000", key, token)
	s.tells(key, "acquired A 60s after expired")
	s.do("del %", key) // done, and lockAtLeastFor is over
	s.tells(key, "released A")
	s.leases(key)
}

// redlockNet renews by a script that takes the lock again when it is gone.
func redlockNet(s *scene) {
	s.watch()
	const key = "redlock:invoice"
	s.name("A", instanceA)
	renew := func(ms int) {
		s.eval(`local v = redis.call('get', KEYS[1])
			if not v then return redis.call('set', KEYS[1], ARGV[1], 'px', ARGV[2]) end
			if v == ARGV[1] then return redis.call('pexpire', KEYS[1], ARGV[2]) end
			return -1`, []string{key}, instanceA, ms)
	}
	s.do("set % % px 30000 nx", key, instanceA)
	s.tells(key, "acquired A 30s")
	s.stored(key, "string", "RedLock.net or pottery")
	s.aged(key, 30*time.Second)
	renew(2000)
	s.tells(key, "shortened A 2s", "expired A renewed 1")
	renew(30000) // late: what was lost comes back, as a new tenure
	s.tells(key, "acquired A 30s after expired")
	s.leases(key)
}

func redisPy(s *scene) {
	s.watch("jobs:*", "old:*")
	const token = "c8635bd6ee0b11f192d902fc00000001" // UUID of version 1
	s.name("A", token)
	s.do("set jobs:a % nx", token) // no timeout was given
	s.tells("jobs:a", "acquired A endless")
	s.do("pexpire jobs:a 20000")
	s.tells("jobs:a", "expiry-added A 20s")
	s.do("persist jobs:a")
	s.tells("jobs:a", "expiry-removed A endless")
	s.eval(`if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0`, []string{"jobs:a"}, token)
	s.tells("jobs:a", "released A")
	// Version 2.10 acquired in two steps.
	s.do("setnx old:a %", token)
	s.tells("old:a", "acquired A endless")
	s.do("pexpire old:a 20000")
	s.tells("old:a", "expiry-added A 20s")
	s.do("del old:a")
	s.tells("old:a", "released A")
	// Up to 2.7 the value was the deadline, as a float of seconds.
	end := s.ms(time.Second)
	s.do("setnx old:b %", fmt.Sprintf("%d.%03d", end/1000, end%1000))
	s.tells("old:b", "acquired ? "+at(end), "expired ?")
	s.leases("jobs:a", "old:a", "old:b")
	s.findings("two-step jobs:a", "two-step old:a")
}

func pythonRedisLock(s *scene) {
	s.watch("*report*")
	const key, signal, token = "lock:report", "lock-signal:report", "q83Ff0VwWl2rXo1Z0p7m9mFh"
	s.name("A", token)
	s.do("set % % nx ex 20", key, token)
	s.tells(key, "acquired A 20s")
	s.stored(key, "string", "python-redis-lock")
	s.aged(key, 20*time.Second)
	s.do("expire % 20", key)
	s.tells(key, "renewed A 20s")
	s.eval(`redis.call('del', KEYS[2]) redis.call('lpush', KEYS[2], 1) redis.call('pexpire', KEYS[2], 1000) redis.call('del', KEYS[1])`,
		[]string{key, signal})
	s.tells(key, "released A renewed 1")
	s.leases(key) // and not the list that wakes waiters
	s.findings()
}

func laravel(s *scene) {
	s.watch()
	const schedule = "laravel-database-laravel-cache-framework/schedule-9e107d9d372bb6826bd81d3542a419d6e1a2b3c4"
	const unique = "laravel-database-laravel-cache-laravel_unique_job:App\\Jobs\\Send:7"
	s.name("A", "Xk3vP0aQ9bLm2ZtR")
	s.do("set % Xk3vP0aQ9bLm2ZtR ex 86400 nx", schedule)
	s.tells(schedule, "acquired A 24h")
	s.stored(schedule, "string", "Laravel")
	s.do("setnx % Xk3vP0aQ9bLm2ZtR", unique) // 0 seconds
	s.tells(unique, "acquired A endless")
	s.do("del %", schedule)
	s.tells(schedule, "released A")
	s.do("del %", unique)
	s.tells(unique, "released A")
	s.leases(schedule, unique)
	s.findings()
}

// singleBeat changes its value at each heartbeat, and is the same holder.
func singleBeat(s *scene) {
	s.watch()
	const key, owner = "SINGLE_BEAT_sync", "host-a:4711"
	s.name("A", owner)
	beat := func(n int64, flags string) { s.do("set % % ex "+flags, key, fmt.Sprintf("%d:%s", n, owner)) }
	beat(16, "10 nx")
	s.tells(key, "acquired A 10s")
	beat(17, "5 xx") // it lives half as long from its first beat on
	s.tells(key, "shortened A 5s")
	s.stored(key, "single-beat", "single-beat")
	for n := int64(18); n <= 20; n++ {
		s.aged(key, 5*time.Second)
		beat(n, "5 xx")
		s.tells(key, "renewed A 5s")
		if f := s.reading(key).Fence; f == nil || *f != n {
			s.Errorf("fence %v, want %d", f, n)
		}
	}
	s.findings()
	// No more beats: it is told before the lease is over.
	s.finds("renewals-stopped", key)
	s.tells(key, "expired A renewed 4")
	s.leases(key)
}

func redlease(s *scene) {
	s.watch("billing:*")
	const key = "billing:leader"
	s.name("A", "node-1")
	s.eval(`redis.call('set', KEYS[1], ARGV[1], 'nx', 'px', 5000) redis.call('incr', KEYS[2])`, []string{key, "billing:fence"}, "node-1")
	s.tells(key, "acquired A 5s")
	s.stored(key, "string", "redlease")
	if f := s.reading(key).Fence; f == nil || *f != 1 {
		s.Errorf("fence %v", f)
	}
	s.do("set billing:fence:applied 1")
	s.do("del billing:leader")
	s.tells(key, "released A")
	s.leases(key) // and not the counters
	s.findings()
}

// redisMutex has its deadline in the value; the key has none and stays.
func redisMutex(s *scene) {
	s.watch()
	const key = "RedisMutex:invoice"
	end := s.ms(2 * time.Second)
	s.do("setnx % %", key, fmt.Sprintf("%d.%03d", end/1000, end%1000))
	s.tells(key, "acquired ? "+at(end), "expired ?")
	s.stored(key, "deadline-value", "redis-mutex (Ruby)")
	if r := s.reading(key); len(r.Expired) != 1 || len(r.Holders) != 0 {
		s.Errorf("%+v", r)
	}
	// Whoever comes next takes the abandoned key over by GETSET.
	end = s.ms(20 * time.Second)
	s.do("getset % %", key, fmt.Sprintf("%d.%03d", end/1000, end%1000))
	s.tells(key, "acquired ? after expired "+at(end))
	s.do("del %", key)
	s.tells(key, "released ?")
	s.leases(key)
}

func errorception(s *scene) {
	s.watch()
	const key = "lock.mail"
	end := s.ms(5 * time.Second)
	s.do("set % % px 5000 nx", key, end)
	s.tells(key, "acquired ? "+at(end))
	s.stored(key, "deadline-value", "errorception/redis-lock")
	s.do("del %", key)
	s.tells(key, "released ?")
	s.leases(key)
}

func serviceStack(s *scene) {
	s.watch("app:*")
	end := s.now(20 * time.Second).Unix()
	s.do("setnx app:lock %", binary.LittleEndian.AppendUint64(nil, uint64(end)))
	s.tells("app:lock", "acquired ? "+at(end*1000))
	s.do("del app:lock")
	s.tells("app:lock", "released ?")
}

func mlanett(s *scene) {
	s.watch("lock:*")
	const key, expire = "lock:owner:invoice", "lock:expire:invoice"
	s.name("A", "host-a:4711")
	end := s.now(2*time.Second).Unix() * 1000
	s.do("msetnx % host-a:4711 % %", key, expire, end/1000)
	s.tells(key, "acquired A "+at(end), "expired A")
	s.stored(key, "deadline-beside", "mlanett/redis-lock")
	s.do("del % %", key, expire)
	s.quiet() // nobody held it any more
	s.leases(key)
}

func arq(s *scene) {
	s.watch()
	const key = "arq:in-progress:7f3a9b"
	s.do("psetex % 310000 1", key)
	s.tells(key, "acquired ? 310s")
	s.stored(key, "mark", "arq")
	s.do("del %", key)
	s.tells(key, "released ?")
	s.leases(key)
}

// cacheops: the lock is the cache key itself, which the data then replaces.
func cacheops(s *scene) {
	s.watch("cache:*", "cache:*=mark")
	s.do("set cache:view LOCK nx ex 60")
	s.tells("cache:view", "acquired ? 60s")
	s.do("set cache:view data ex 300")
	s.until("the data", func() bool { return s.lease("cache:view").Reading.Holders[0].Owner == "data" })
	s.leases("cache:view")
}

func dramatiq(s *scene) {
	s.watch("limit:*", "limit:*=counter")
	const key = "limit:api"
	take := `local n = redis.call('incr', KEYS[1]) redis.call('pexpire', KEYS[1], 900000) return n`
	give := `local n = redis.call('decr', KEYS[1]) redis.call('pexpire', KEYS[1], 900000) return n`
	s.eval(take, []string{key})
	s.tells(key, "acquired ? x1 15m")
	s.eval(take, []string{key})
	s.tells(key, "recount ? x2 15m")
	s.eval(give, []string{key})
	s.tells(key, "recount ? x1 15m")
	s.eval(give, []string{key})
	s.tells(key, "released ? x1 inferred") // the key stays, with 0
	s.leases(key)
}

// nextcloud: a number of readers, or "exclusive" with its quotes.
func nextcloud(s *scene) {
	s.watch("oc:*", "oc:*=counter")
	const key = "oc:files/5d41402abc4b2a76b9719d911017c592"
	s.do("set % 1 nx ex 3600", key)
	s.tells(key, "acquired ? x1 1h")
	s.do("incr %", key)
	s.tells(key, "recount ? x2")
	s.do("del %", key)
	s.tells(key, "released ? x2")
	s.do("set % % nx ex 3600", key, `"exclusive"`)
	s.tells(key, "acquired ? 1h after released")
	s.held(key, "? write")
	s.leases(key)
}

// suo keeps all holders in one msgpack value.
func suo(s *scene) {
	s.watch("suo:*")
	holder := func(token string) (value, end string) {
		now, since := s.ms(0), make([]byte, 8)
		binary.BigEndian.PutUint64(since, math.Float64bits(float64(now)/1000))
		return "\x92\xcb" + string(since) + "\xb8" + token, at(now + 3600_000)
	}
	const tokenA, tokenB = "q83Ff0VwWl2rXo1Z0p7m9g==", "z83Ff0VwWl2rXo1Z0p7m9g=="
	s.name("A", tokenA)
	s.name("B", tokenB)
	a, endA := holder(tokenA)
	b, endB := holder(tokenB)
	s.do("set suo:api %", "\x91"+a)
	s.tells("suo:api", "acquired A "+endA)
	s.stored("suo:api", "suo", "")
	s.do("set suo:api %", "\x92"+a+b)
	s.tells("suo:api", "acquired B "+endB)
	s.held("suo:api", "A", "B")
	s.do("set suo:api %", "\x91"+b)
	s.tells("suo:api", "released A inferred")
}

// n8n acquires in two steps, and a crash between them leaves it without an end.
func n8n(s *scene) {
	s.watch()
	const key = "n8n:main_instance_leader"
	s.name("A", "main-1")
	s.do("setnx % main-1", key)
	s.tells(key, "acquired A endless")
	s.do("expire % 10", key)
	s.tells(key, "expiry-added A 10s")
	s.stored(key, "string", "n8n")
	s.aged(key, 10*time.Second)
	s.do("expire % 10", key)
	s.tells(key, "renewed A 10s")
	s.findings("two-step " + key)
}

// machinery: the value is the next run in nanoseconds, and nobody deletes it.
func machinery(s *scene) {
	s.watch()
	const key = "machinery_lock_appreport@daily"
	end := s.ms(20 * time.Second)
	s.do("set % % nx px 20000", key, end*1_000_000)
	s.tells(key, "acquired ? "+at(end))
	s.stored(key, "deadline-value", "machinery")
	s.leases(key)
}

// discourse: the key outlives the deadline in its value by a second.
func discourse(s *scene) {
	s.watch("default:*")
	end := s.now(2*time.Second).Unix() * 1000
	s.do("setex default:post 3 %", end/1000)
	s.tells("default:post", "acquired ? "+at(end), "expired ?")
	s.quiet() // and not once more when the key goes
	s.leases("default:post")
}

func resqueLock(s *scene) {
	s.watch()
	const key = "lock:Mail-[7]"
	end := s.now(20*time.Second).Unix() * 1000
	s.do("setnx % %", key, end/1000)
	s.tells(key, "acquired ? "+at(end))
	s.stored(key, "deadline-value", "resque-lock")
	s.do("del %", key)
	s.tells(key, "released ?")
}

// startTimes: the value is when it was taken, which is no deadline.
func startTimes(s *scene) {
	s.watch("rq:scheduler_lock", "chat:*")
	now := s.ms(0)
	s.do("set rq:scheduler_lock % nx ex 70", now/1000)
	s.tells("rq:scheduler_lock", "acquired ? 70s")
	s.stored("rq:scheduler_lock", "mark", "rq-scheduler")
	s.do("set chat:lock % nx px 1000", fmt.Sprintf("%d.%03d", now/1000, now%1000))
	s.tells("chat:lock", "acquired ? 1s", "expired ?")
	s.do("del rq:scheduler_lock")
	s.tells("rq:scheduler_lock", "released ?")
}
