package keyspace_test

import (
	"testing"
	"time"

	"leasetop/keyspace"
)

// Command sequences as the libraries send them, on a real server.

func TestHashStories(t *testing.T) {
	stories(t, map[string]func(b bench){
		"Redisson lock":          redissonLock,
		"Redisson fenced":        redissonFenced,
		"Redisson fair":          redissonFair,
		"Redisson braced name":   redissonBraced,
		"Redisson transaction":   redissonTransaction,
		"Redisson read-write":    redissonReadWrite,
		"Redisson dead reader":   redissonDeadReader,
		"Redisson multi":         redissonMulti,
		"sidekiq-unique-jobs":    sidekiqUniqueJobs,
		"Ruby redis-semaphore":   rubySemaphore,
		"gocraft":                gocraft,
		"JuiceFS":                juiceFS,
		"Huey":                   huey,
		"a hash that is no lock": oddHash,
	})
}

func redissonLock(b bench) {
	b.do("hincrby order:42 % 1", clientA+":57")
	b.do("pexpire order:42 30000")
	b.shows("order:42", "redisson/Redisson +"+clientA+":57 x1")
	b.told("order:42", keyspace.Told{Shape: "redisson", Process: clientA, Thread: "57"})
	b.do("hincrby order:42 % 1", clientA+":57")
	b.shows("order:42", "redisson/Redisson +"+clientA+":57 x2")
	const latch = "redisson_unlock_latch:{order:42}:0f1e2d3c4b5a69788796a5b4c3d2e1f0"
	b.do("set % 0 px 30000", latch)
	b.parts("order:42", latch)
	b.do("hincrby order:42 % -1", clientA+":57")
	b.shows("order:42", "redisson/Redisson +"+clientA+":57 x1")
	b.do("del order:42")
	b.shows("order:42", "/")
}

func redissonFenced(b bench) {
	b.do("incr redisson_lock_token:{order:42}")
	b.do("incr redisson_lock_token:{order:42}")
	b.do("hincrby order:42 % 1", clientB+":-12")
	b.do("pexpire order:42 30000")
	b.shows("order:42", "redisson/Redisson +"+clientB+":-12 x1 fence 2")
	b.parts("order:42", "redisson_lock_token:{order:42}")
}

func redissonFair(b bench) {
	b.do("hset fair % 1", clientA+":1")
	b.do("pexpire fair 30000")
	b.do("zadd redisson_lock_timeout:{fair} % %", b.now(300*time.Second)/1000, clientB+":7")
	b.do("rpush redisson_lock_queue:{fair} %", clientB+":7")
	b.do("zadd redisson_lock_timeout:{fair} % %", b.now(600*time.Second)/1000, clientB+":9")
	b.do("rpush redisson_lock_queue:{fair} %", clientB+":9")
	b.shows("fair", "redisson/Redisson +"+clientA+":1 x1 waiters ["+clientB+":7 "+clientB+":9]")
	b.parts("fair", "redisson_lock_queue:{fair}", "redisson_lock_timeout:{fair}")
	// The first waiter's time is over; nobody has swept it yet.
	b.do("zadd redisson_lock_timeout:{fair} % %", b.now(-time.Second)/1000, clientB+":7")
	b.shows("fair", "redisson/Redisson +"+clientA+":1 x1 waiters ["+clientB+":9] (1 in the queue past their time)")
}

func redissonBraced(b bench) {
	b.do("hincrby {orders}:lock % 1", clientA+":1")
	b.do("set redisson_lock_token:{orders}:lock 7")
	b.shows("{orders}:lock", "redisson/Redisson +"+clientA+":1 x1 fence 7")
	b.parts("{orders}:lock", "redisson_lock_token:{orders}:lock")
}

func redissonTransaction(b bench) {
	const tx = "0f1e2d3c4b5a69788796a5b4c3d2e1f0"
	b.do("hset map:transaction_lock % 1", clientA+":57:"+tx)
	b.told("map:transaction_lock", keyspace.Told{Shape: "redisson", Process: clientA, Thread: "57", Metadata: "transaction " + tx})
}

func (b bench) readHold(lock, owner, n string, ms int) {
	b.do("hset % mode read", lock)
	b.do("hincrby % % 1", lock, owner)
	b.do("set % 1 px %", "{"+lock+"}:"+owner+":rwlock_timeout:"+n, ms)
}

func redissonReadWrite(b bench) {
	b.readHold("rw", clientA+":1", "1", 20_000)
	b.readHold("rw", clientA+":1", "2", 40_000)
	b.readHold("rw", clientB+":7", "1", 30_000)
	b.do("pexpire rw 40000")
	b.shows("rw", "redisson-rw/Redisson +"+clientA+":1 x2 read +40s +"+clientB+":7 x1 read +30s")
	b.parts("rw", "{rw}:"+clientA+":1:rwlock_timeout:2")
	// A writer that also reads.
	b.do("flushdb")
	b.do("hset rw mode write % 1", clientA+":1:write")
	b.do("pexpire rw 30000")
	b.shows("rw", "redisson-rw/Redisson +"+clientA+":1:write x1 write")
	b.told("rw", keyspace.Told{Shape: "redisson", Process: clientA, Thread: "1"})
	b.do("hincrby rw % 1", clientA+":1")
	b.do("set % 1 px 20000", "{rw}:"+clientA+":1:rwlock_timeout:1")
	b.shows("rw", "redisson-rw/Redisson +"+clientA+":1 x1 read +20s +"+clientA+":1:write x1 write")
}

// A reader whose own keys are gone holds nothing, though its field stays.
func redissonDeadReader(b bench) {
	b.readHold("rw", clientA+":1", "1", 1)
	b.readHold("rw", clientB+":7", "1", 30_000)
	b.do("pexpire rw 30000")
	waitGone(b, b.c, "{rw}:"+clientA+":1:rwlock_timeout:1")
	l, raw := decodeKey(b, b.c, "rw")
	if len(l.Holders) != 1 || l.Holders[0].Owner != clientB+":7" || len(l.Expired) != 1 ||
		l.Expired[0].Owner != clientA+":1" || l.Expired[0].Deadline != raw.Now {
		b.Errorf("%s", seen(l, raw))
	}
	// A hold key without a deadline keeps its reader alive.
	b.do("set % 1", "{rw}:"+clientA+":1:rwlock_timeout:1")
	if l, raw := decodeKey(b, b.c, "rw"); len(l.Holders) != 2 || l.Holders[0].Deadline != 0 {
		b.Errorf("%s", seen(l, raw))
	}
	// What was not read proves nothing.
	l = keyspace.Decode(raw, nil, nil)
	if len(l.Holders) != 2 || l.Holders[0].Deadline != 0 {
		b.Errorf("without companions: %s", seen(l, raw))
	}
}

func redissonMulti(b bench) {
	const item1, item2 = "q2Xb7VnKp0WzYtRs4LdMfA", "Zz2Xb7VnKp0WzYtRs4LdMf"
	for item, end := range map[string]time.Duration{item1: 30 * time.Second, item2: -10 * time.Second} {
		own := item + ":" + clientA + ":57"
		b.do("hset group % % % % % 2", item, clientA+":57", own+":expire_time", b.now(end)/1000, own+":lock_count")
	}
	b.shows("group", "redisson-multi/Redisson +"+item1+":"+clientA+":57 x2 +30s -"+item2+":"+clientA+":57 x2 -10s")
}

func sidekiqUniqueJobs(b bench) {
	const digest, jid = "uniquejobs:0fd4a6c2b1e39785d6c4b2a190817263", "7c9e6679f1b2a3c4d5e6f708"
	b.do("set % %", digest, jid)
	b.do("lpush % waiting-jid", digest+":QUEUED")
	b.do("lpush % 1", digest+":QUEUED")
	b.do("zadd uniquejobs:digests 1796186984.4 %", digest)
	b.do("set % {}", digest+":INFO")
	b.do("hset % % %", digest+":LOCKED", jid, float64(b.now(-time.Minute))/1e6)
	b.shows(digest+":LOCKED", "hash-holders/sidekiq-unique-jobs +"+jid+" waiters [waiting-jid]")
	b.parts(digest+":LOCKED", digest, digest+":QUEUED", digest+":INFO")
	b.parts("", "uniquejobs:digests")
	b.do("hset % % %", digest+":LOCKED", jid, `{"time":1796186984.5,"worker":"MyJob","queue":"default"}`)
	b.told(digest+":LOCKED", keyspace.Told{Shape: "since", Metadata: "MyJob default"})
}

func rubySemaphore(b bench) {
	b.do("set SEMAPHORE:api:EXISTS 1")
	b.do("set SEMAPHORE:api:VERSION 1")
	b.do("rpush SEMAPHORE:api:AVAILABLE 1")
	b.do("hset SEMAPHORE:api:GRABBED 0 %", float64(b.now(0))/1e6)
	b.shows("SEMAPHORE:api:GRABBED", "hash-holders/redis-semaphore (Ruby) +0?")
	b.parts("SEMAPHORE:api:GRABBED", "SEMAPHORE:api:EXISTS", "SEMAPHORE:api:VERSION", "SEMAPHORE:api:AVAILABLE")
}

func gocraft(b bench) {
	b.do("set work:jobs:mail:lock 3")
	b.do("hset work:jobs:mail:lock_info pool-a 2 pool-b 1 pool-c 0")
	b.shows("work:jobs:mail:lock", "counter/gocraft/work +pool-a x2 +pool-b x1")
	b.parts("work:jobs:mail:lock", "work:jobs:mail:lock_info")
	b.do("del work:jobs:mail:lock_info")
	b.shows("work:jobs:mail:lock", "counter/gocraft/work +? x3")
	b.do("set work:jobs:mail:lock 0")
	b.shows("work:jobs:mail:lock", "counter/gocraft/work")
}

func juiceFS(b bench) {
	b.do("hset lockf1024 3_00007F5A12345678 W 4_00007F5A00000001 R")
	b.shows("lockf1024", "juicefs/JuiceFS +3_00007F5A12345678 write +4_00007F5A00000001 read")
	record := "\x00\x00\x00\x01" + "\x00\x00\x10\xd8" + "\x00\x00\x00\x00\x00\x00\x00\x00" + "\x00\x00\x00\x00\x00\x00\x00\xff"
	b.do("hset {1}lockp7 3_00007F5A12345678 %", record+record)
	b.shows("{1}lockp7", "juicefs/JuiceFS +3_00007F5A12345678 x2 write")
	b.told("{1}lockp7", keyspace.Told{Shape: "session", Process: "3", Thread: "4312"})
}

func huey(b bench) {
	b.do("hset huey.results.myapp myapp.lock.nightly % other-result 1", "\x80\x05\x95\x00\x8c\x011\x94.")
	b.shows("huey.results.myapp", "hash-table/Huey +myapp.lock.nightly?")
	b.do("hdel huey.results.myapp myapp.lock.nightly")
	b.shows("huey.results.myapp", "hash-table/Huey")
	b.do("set huey.r.myapp.myapp.lock.nightly %", "\x80\x05\x95\x00\x8c\x011\x94.")
	b.shows("huey.r.myapp.myapp.lock.nightly", "mark/Huey (expiring storage) +\x80\x05\x95\x00\x8c\x011\x94.?")
}

func oddHash(b bench) {
	b.do("hset lock:profile name ada % 1", clientA+":57")
	b.shows("lock:profile", "unknown/ +?")
	b.do("hset lock:zero % 0", clientA+":57")
	b.shows("lock:zero", "unknown/ +?")
	b.do("hset job-lock:default:x a b")
	b.shows("job-lock:default:x", "unknown/ +? (not as ShedLock stores it)")
	b.do("rpush lock:list a")
	b.do("xadd lock:stream * a b")
	b.do("sadd lock:set a")
	for _, key := range []string{"lock:list", "lock:stream", "lock:set"} {
		b.shows(key, "unknown/ +?")
	}
	b.shows("lock:list", "unknown/ +? (does not read as string)", keyspace.Force{Pattern: "lock:*", Format: "string"})
}
