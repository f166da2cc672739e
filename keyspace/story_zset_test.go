package keyspace_test

import (
	"testing"
	"time"

	"leasetop/keyspace"
)

func TestZsetStories(t *testing.T) {
	stories(t, map[string]func(b bench){
		"Redisson permits":        redissonPermits,
		"Symfony":                 symfony,
		"npm redis-semaphore":     npmSemaphore,
		"npm multi-semaphore":     npmMultiSemaphore,
		"Medallion semaphore":     medallionSemaphore,
		"Medallion reader-writer": medallionReaderWriter,
		"asynq":                   asynqLease,
		"RQ":                      rqWork,
		"tasktiger":               tasktiger,
		"sidekiq-throttled":       sidekiqThrottled,
		"by shape":                zsetsByShape,
		"odd scores":              oddScores,
	})
}

const (
	permit1 = "\x00\x01\x02\x03\x04\x05\x06\x07\x08\t\n\x0b\x0c\r\x0e\x0f"
	permit2 = "\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f"
	permit3 = "\xf0\xf1\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f"
	hex1    = "000102030405060708090a0b0c0d0e0f"
	hex2    = "101112131415161718191a1b1c1d1e1f"
	hex3    = "f0f112131415161718191a1b1c1d1e1f"
)

func redissonPermits(b bench) {
	b.do("set sem 0")
	b.do("zadd {sem}:timeout % %", b.now(20*time.Second)/1000, permit1)
	b.do("zadd {sem}:timeout 922337203685477 %", permit2)
	b.do("zadd {sem}:timeout % %", b.now(-10*time.Second)/1000, permit3)
	b.shows("sem", "redisson-permits/Redisson +"+hex1+" +20s +"+hex2+" never -"+hex3+" -10s (0 permits free)")
	b.shows("{sem}:timeout", `redisson-permits/Redisson +`+hex1+" +20s +"+hex2+" never -"+hex3+` -10s permits of "sem"`)
	b.parts("sem", "{sem}:timeout")
	// A number without permits beside it is a token like any other.
	b.do("set lone 5")
	b.shows("lone", "string/ +5")
	b.shows("lone", "free-counter/ (5 permits free; how many are held is not stored)", keyspace.Force{Pattern: "lone", Format: "free-counter"})
	// A key that only is called so is nobody's part.
	b.do("set {job}:timeout owner-1")
	b.shows("{job}:timeout", "string/ +owner-1")
}

const (
	symfony1 = "q83Ff0VwWl2rXo1Z0p7m9mFhcN4t6bB5yKxq1TzWcJM="
	symfony2 = "z83Ff0VwWl2rXo1Z0p7m9mFhcN4t6bB5yKxq1TzWcJM="
)

func symfony(b bench) {
	end := b.now(300*time.Second) / 1000
	b.do("zadd invoice % %", end, symfony1)
	b.do("zadd invoice % __write__", end)
	b.do("pexpireat invoice %", end)
	b.shows("invoice", "symfony/Symfony Lock +"+symfony1+" write +300s")
	b.do("zrem invoice __write__")
	b.do("zadd invoice % %", b.now(-10*time.Second)/1000, symfony2)
	b.shows("invoice", "symfony/Symfony Lock +"+symfony1+" read +300s -"+symfony2+" -10s")
	// A dead writer's mark beside a living reader excludes nobody.
	b.do("zadd invoice % __write__", b.now(-10*time.Second)/1000)
	b.shows("invoice", "symfony/Symfony Lock +"+symfony1+" read +300s -"+symfony2+" -10s")
	b.do("set symfony_check_support_time 1")
	b.parts("", "symfony_check_support_time")
}

func npmSemaphore(b bench) {
	b.do("zadd semaphore:pool % %", b.now(-40*time.Second)/1000, clientA)
	b.do("zadd semaphore:pool % %", b.now(-10*time.Second)/1000, clientB+"-web")
	b.do("pexpire semaphore:pool 50000") // a timeout of 60 s, refreshed 10 s ago
	b.shows("semaphore:pool", "zset-refresh/redis-semaphore (npm) +"+clientA+" +20s +"+clientB+"-web +50s")
	b.do("pexpire semaphore:pool 20000") // 30 s: the first is dead
	b.shows("semaphore:pool", "zset-refresh/redis-semaphore (npm) +"+clientB+"-web +20s -"+clientA+" -10s")
	b.do("set mutex:pool % px 10000", clientA)
	b.shows("mutex:pool", "string/redis-semaphore mutex (npm) +"+clientA)
}

func npmMultiSemaphore(b bench) {
	at := b.now(-10*time.Second) / 1000
	b.do("zadd semaphore:multi % % % %", at, clientA+"_0", at, clientA+"_1")
	b.do("zadd semaphore:multi % %", at, clientB+"_0")
	b.do("pexpire semaphore:multi 20000")
	b.shows("semaphore:multi", "zset-refresh/redis-semaphore (npm) +"+clientA+" x2 +20s +"+clientB+" x1 +20s")
}

const (
	webID  = "WEB-3_4312_0f8fad5bd9cb469fa16570867728950e"
	web4ID = "WEB-4_99_1f8fad5bd9cb469fa16570867728950e"
)

func medallionSemaphore(b bench) {
	b.do("zadd msem % %", float64(b.now(30*time.Second))/1000, webID)
	b.do("pexpire msem 90000")
	b.shows("msem", "zset-deadline/Medallion DistributedLock +"+webID+" +30s")
	b.told("msem", keyspace.Told{Shape: "medallion", Host: "WEB-3", Process: "4312"})
	// All dead, and the key goes on living: nobody holds it.
	b.do("zadd msem % %", float64(b.now(-10*time.Second))/1000, webID)
	b.shows("msem", "zset-deadline/Medallion DistributedLock -"+webID+" -10s")
	b.do("set mutex % nx px 30000", webID)
	b.shows("mutex", "string/Medallion DistributedLock +"+webID)
	b.told("mutex", keyspace.Told{Shape: "medallion", Host: "WEB-3", Process: "4312"})
}

func medallionReaderWriter(b bench) {
	b.do("sadd doc.readers % %", webID, web4ID)
	b.do("pexpire doc.readers 30000")
	b.do("set doc.writer % px 30000", "WEB-5_1_2f8fad5bd9cb469fa16570867728950e_WRITERWAITING")
	b.shows("doc.readers", "medallion-rw/Medallion reader-writer +"+webID+" read +"+web4ID+" read waiters [WEB-5_1_2f8fad5bd9cb469fa16570867728950e] group doc")
	b.shows("doc.writer", "medallion-rw/Medallion reader-writer waiters [WEB-5_1_2f8fad5bd9cb469fa16570867728950e] group doc")
	b.do("set doc.writer % px 30000", webID)
	b.shows("doc.writer", "medallion-rw/Medallion reader-writer +"+webID+" write group doc")
	b.do("set other.writer ada")
	b.shows("other.writer", "string/ +ada")
}

func asynqLease(b bench) {
	b.do("zadd asynq:{default}:lease % task-1", b.now(30*time.Second)/1e6)
	b.do("zadd asynq:{default}:lease % task-2", b.now(-20*time.Second)/1e6)
	b.shows("asynq:{default}:lease", "zset-deadline/asynq +task-1 +30s -task-2 -20s")
	b.do("set % task-1 nx ex 3600", "asynq:{default}:unique:email:send:9e107d9d372bb6826bd81d3542a419d6")
	b.shows("asynq:{default}:unique:email:send:9e107d9d372bb6826bd81d3542a419d6", "string/asynq unique +task-1")
}

func rqWork(b bench) {
	b.do("zadd rq:wip:default % job:exec % forever:exec", b.now(40*time.Second)/1e6, "+inf")
	b.shows("rq:wip:default", "zset-deadline/RQ work in progress +forever:exec never +job:exec +40s")
}

func tasktiger(b bench) {
	b.do("zadd t:qslock:default % worker-1", float64(b.now(20*time.Second))/1e6)
	b.do("zadd t:qslock:default % SYSTEM_LOCK", b.now(60*time.Second)/1e6)
	b.shows("t:qslock:default", "zset-deadline/tasktiger queue +SYSTEM_LOCK +60s +worker-1 +20s (SYSTEM_LOCK: blocked by an operator)")
}

func sidekiqThrottled(b bench) {
	b.do("zadd throttled:MyJob:concurrency.v2 % 7c9e6679f1b2a3c4d5e6f708", float64(b.now(20*time.Second))/1e6)
	b.do("pexpire throttled:MyJob:concurrency.v2 900000")
	b.shows("throttled:MyJob:concurrency.v2", "zset-deadline/sidekiq-throttled +7c9e6679f1b2a3c4d5e6f708 +20s")
	b.do("hset throttled:MyJob:concurrency.v2.backlog_info size 1")
	b.parts("throttled:MyJob:concurrency.v2", "throttled:MyJob:concurrency.v2.backlog_info")
}

func zsetsByShape(b bench) {
	b.do("zadd mine % a", b.now(20*time.Second)/1000)
	b.do("zadd mine % b", b.now(-20*time.Second)/1000)
	b.shows("mine", "zset-deadline/ +a +20s -b -20s")
	b.do("zadd mine % a", b.now(-10*time.Second)/1000)
	b.shows("mine", "zset-deadline/ -a -10s -b -20s") // no TTL: deadlines, all over
	b.do("pexpire mine 30000")
	b.shows("mine", "zset-refresh/ +a +30s +b +20s") // with one: times of refresh
	b.do("zadd board 100 ada 200 bob")
	b.shows("board", "unknown/ +?")
	b.do("zadd both % a % b", b.now(time.Minute)/1000, b.now(time.Minute)/1e6)
	b.shows("both", "unknown/ +?") // two units: no times
	b.do("zadd asynq:{q}:lease 5 a")
	l, raw := decodeKey(b, b.c, "asynq:{q}:lease")
	if len(l.Expired) != 1 || l.Expired[0].Deadline != 5_000_000 {
		b.Errorf("%s", seen(l, raw))
	}
}

func oddScores(b bench) {
	b.do("zadd rq:wip:odd -inf a 0 b % c 1e300 d -5 e", "+inf")
	b.shows("rq:wip:odd", `zset-deadline/RQ work in progress +a +b +c never +d +e `+
		`(the score "-inf" is no time; the score "-5" is no time; the score "0" is no time; the score "1.0000000000000001e+300" is no time)`)
	b.do("zadd lock:odd -inf a 1e300 b")
	b.shows("lock:odd", "unknown/ +?")
	// The far future saturates and does not wrap.
	b.do("zadd asynq:{q}:lease 9007199254740991 a")
	l, raw := decodeKey(b, b.c, "asynq:{q}:lease")
	if len(l.Holders) != 1 || l.Holders[0].Deadline < raw.Now {
		b.Errorf("%s", seen(l, raw))
	}
}
