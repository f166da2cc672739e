package keyspace_test

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"
	"time"

	"leasetop/keyspace"
)

func TestStringStories(t *testing.T) {
	stories(t, map[string]func(b bench){
		"tokens":             tokens,
		"ShedLock":           shedLock,
		"shared lock prefix": sharedPrefix,
		"rueidislock":        rueidislock,
		"redlease":           redlease,
		"single-beat":        singleBeat,
		"deadline in value":  deadlineInValue,
		"mlanett":            mlanett,
		"marks":              marksAndStarts,
		"counters":           counters,
		"suo":                suo,
		"signals":            signals,
		"plain numbers":      plainNumbers,
	})
}

// tokens: key, value, library. All are strings whose value is the owner.
func tokens(b bench) {
	const v1 = "c8635bd6ee0b11f192d902fc00000001"
	for _, c := range [][3]string{
		{"reindex", v1, ""},
		{"my-registry:job", clientA, ""},
		{":1:report", v1, ""},
		{"lock4j:m#k", "9d1f3b6a7c2e4805f1a2b3c4d5e6f708", "lock4j"},
		{"distributed_lock:k", clientA, "distributed-lock (alturkovic)"},
		{"redlock:k", clientA, "RedLock.net or pottery"},
		{"redlock:k", "mine", ""},
		{"bull:mail:17:lock", clientA + ":3", "BullMQ"},
		{"other:mail:17:lock", clientA + ":3", "BullMQ"},
		{"jobs:lock", "yGNb1u4LEfGS2QL8AAAAAQ==", "warlock"},
		{"users-lock", clientA, "aiocache"},
		{"users-lock", "me", ""},
		{"redbeat::lock", v1, "RedBeat"},
		{"prefix:unacked_mutex", v1, "kombu"},
		{"qo_task_a-1", v1, "celery-once"},
		{"SINGLETONLOCK_0f1e2d3c4b5a69788796a5b4c3d2e1f0", clientA, "celery-singleton"},
		{"rq:scheduler-lock:default", "9d1f3b6a7c2e4805f1a2b3c4d5e6f708", "RQ scheduler"},
		{"laravel-database-laravel-cache-laravel_unique_job:abc:1", "k2Jd93LmQpZx81Wa", "Laravel"},
		{"gitlab:exclusive_lease:k", clientA, "GitLab"},
		{"l:group", "9d1f3b6a7c2e4805f1a2b3c4d5e6f708", "Sentry"},
		{"l:group", "x", ""},
		{"activejob_uniqueness:job_class:0f", clientA, "activejob-uniqueness"},
		{"resque:resque:resque_scheduler_master_lock", "web-3.example:4312", "resque-scheduler"},
		{"dear-leader", "web-3:4312:0123456789ab", "Sidekiq Enterprise"},
		{"TriggerChordMutex", "n9Ydq0xWmI2rXo1Z0p7m9g==", "machinery chord"},
		{"lock||app||k", "me", "Dapr"},
		{"room_lock:r", "LOCK_x", "LiveKit"},
		{"RedisClientLock:k", clientA, "FreeRedis"},
		{"n8n:main_instance_leader", "main-1", "n8n"},
		{"t:lockv2:" + strings.Repeat("ab", 32), v1, "tasktiger"},
		{"caddy/locks/example.org", "q1w2E3r4t5y6u7i8o9p0aQ", "caddy-storage-redis"},
		{"php-malkusch-lock:k", strings.Repeat("ab", 32), "php-lock 3"},
		{"lock_k", "9d1f3b6a7c2e4805f1a2b3c4d5e6f708", "php-lock 2"},
		{"_lockcache:k", v1, "dogpile.cache"},
		{"{hangfire}:queue:q:dequeued:lock", clientA, "Hangfire"},
		{"autoclaim:g:s", v1, "autoclaim of taskiq-redis"},
		{"some:name", "\xff\x00 any bytes", ""},
	} {
		b.do("set % % px 30000", c[0], c[1])
		b.shows(c[0], "string/"+c[2]+" +"+c[1])
	}
	b.told("reindex", keyspace.Told{Shape: "uuid-v1", Host: "02:fc:00:00:00:01"})
	b.told("bull:mail:17:lock", keyspace.Told{Shape: "uuid:n", Process: clientA})
}

func shedLock(b bench) {
	const kept = " (may be kept after its job ended (lockAtLeastFor))"
	at := time.UnixMicro(b.now(-time.Minute)).UTC().Format("2006-01-02T15:04:05.000Z")
	value := "ADDED:" + at + "@build-7:" + clientA
	b.do("set job-lock:default:nightly % nx px 600000", value)
	b.shows("job-lock:default:nightly", "string/ShedLock +"+value+kept)
	b.told("job-lock:default:nightly", keyspace.Told{Shape: "shedlock", Host: "build-7"})
	b.do("set jobs:prod:nightly % px 600000", value)
	b.shows("jobs:prod:nightly", "string/ShedLock +"+value+kept)
}

func sharedPrefix(b bench) {
	raw32 := strings.Repeat("\x8f\x02", 16)
	for value, library := range map[string]string{
		"p3Zk0sXl9bqYw7dTnM1cVg8R": "python-redis-lock", raw32: "walrus",
		"k2Jd93LmQpZx81Wa": "Foundatio", clientA: "Mastodon", "anything": "",
	} {
		b.do("set lock:report % px 30000", value)
		b.shows("lock:report", "string/"+library+" +"+value)
	}
}

func rueidislock(b bench) {
	token, err := hex.DecodeString("8f02c1d4e5f60718293a4b5c6d7e8f900112233445566778")
	if err != nil {
		b.Fatal(err)
	}
	for _, key := range []string{"rueidislock:0:job:a", "rueidislock:1:job:a", "rueidislock:2:job:a"} {
		b.do("set % % nx px 5000", key, token)
		b.shows(key, "string/rueidislock +"+string(token)+" group rueidislock:job:a")
	}
}

func redlease(b bench) {
	b.do("set worker:leader node-1 px 5000")
	b.shows("worker:leader", "string/ +node-1")
	b.do("set worker:fence 34")
	b.do("set worker:fence:applied 33")
	b.shows("worker:leader", "string/redlease +node-1 fence 34")
	b.parts("worker:leader", "worker:fence", "worker:fence:applied")
	b.do("set paddock:fence owner-1 px 1000")
	b.shows("paddock:fence", "string/ +owner-1")
}

func singleBeat(b bench) {
	b.do("set SINGLE_BEAT_cron 41:web-3:4312 ex 5")
	b.shows("SINGLE_BEAT_cron", "single-beat/single-beat +web-3:4312 fence 41")
	b.do("set SINGLE_BEAT_cron 42:web-3:4312 ex 5")
	b.shows("SINGLE_BEAT_cron", "single-beat/single-beat +web-3:4312 fence 42")
	b.do("set SINGLE_BEAT_cron odd ex 5")
	b.shows("SINGLE_BEAT_cron", "string/ +odd")
}

func deadlineInValue(b bench) {
	b.do("set RedisMutex:import %", fmt.Sprintf("%.6f", float64(b.now(10*time.Second))/1e6))
	b.shows("RedisMutex:import", "deadline-value/redis-mutex (Ruby) +? +10s")
	b.do("set RedisMutex:import %", fmt.Sprintf("%.6f", float64(b.now(-10*time.Second))/1e6))
	b.shows("RedisMutex:import", "deadline-value/redis-mutex (Ruby) -? -10s (abandoned: free for the taking)")
	b.do("setex default:sidekiq_job 61 %", b.now(60*time.Second)/1e6)
	b.shows("default:sidekiq_job", "deadline-value/ +? +60s")
	b.do("set lock.myLock % px 20000", b.now(20*time.Second)/1000+1)
	b.shows("lock.myLock", "deadline-value/errorception/redis-lock +? +20s")
	b.do("set machinery_lock_task % ex 180", b.now(180*time.Second)*1000)
	b.shows("machinery_lock_task", "deadline-value/machinery +? +180s")
	b.do("set lock:Class-[1] %", b.now(60*time.Second)/1e6)
	b.shows("lock:Class-[1]", "deadline-value/resque-lock +? +60s")
	b.do("set servicestack %", b.now(40*time.Second)/1000)
	b.shows("servicestack", "deadline-value/ +? +40s")
	var raw [8]byte
	binary.LittleEndian.PutUint64(raw[:], uint64(b.now(40*time.Second)/1e6))
	b.do("set distributed %", raw[:])
	b.shows("distributed", "deadline-value/ +? +40s")
	b.do("set old 2147483649.0")
	b.shows("old", "deadline-value/ +? never")
	b.do("set RedisMutex:odd text")
	b.shows("RedisMutex:odd", "string/ +text")
}

func mlanett(b bench) {
	b.do("mset lock:owner:user-1 web-3:4312 lock:expire:user-1 %", b.now(60*time.Second)/1e6)
	b.shows("lock:owner:user-1", "deadline-beside/mlanett/redis-lock +web-3:4312 +60s")
	b.told("lock:owner:user-1", keyspace.Told{Shape: "host:pid", Host: "web-3", Process: "4312"})
	b.parts("lock:owner:user-1", "lock:expire:user-1")
	b.do("set lock:expire:user-1 %", b.now(-60*time.Second)/1e6)
	b.shows("lock:owner:user-1", "deadline-beside/mlanett/redis-lock -web-3:4312 -60s (abandoned: free for the taking)")
	b.do("del lock:expire:user-1")
	b.shows("lock:owner:user-1", "deadline-beside/mlanett/redis-lock +web-3:4312 (its deadline could not be read)")
	// Somebody else's lock under that name is a lock.
	b.do("set lock:expire:cards p3Zk0sXl9bqYw7dTnM1cVg8R px 60000")
	b.shows("lock:expire:cards", "string/python-redis-lock +p3Zk0sXl9bqYw7dTnM1cVg8R")
}

func marksAndStarts(b bench) {
	for _, c := range [][3]string{
		{"arq:in-progress:5f2d", "1", "mark/arq"},
		{"rq:clean_registries:default", "1", "mark/RQ registries"},
		{"bq:mail:stallBlock", "1", "mark/bee-queue"},
		{"user:1:counter_lock", "", "mark/"},
		{"cache:key", "LOCK", "mark/"},
		{"superset", "1", "mark/"},
		{"files/path", `"exclusive"`, "mark/"},
		{"drupal:lock:x", "persistent", "mark/"},
	} {
		b.do("set % % px 30000", c[0], c[1])
		b.shows(c[0], c[2]+" +"+c[1]+"?")
	}
	start := fmt.Sprint(b.now(-time.Second) / 1000)
	b.do("set bull:mail:stalled-check % px 30000", start)
	b.shows("bull:mail:stalled-check", "mark/BullMQ stalled check +"+start+"?")
	b.told("bull:mail:stalled-check", keyspace.Told{Shape: "start"})
	start = fmt.Sprintf("%.6f", float64(b.now(-time.Minute))/1e6)
	b.do("set rq:scheduler_lock % ex 70", start)
	b.shows("rq:scheduler_lock", "mark/rq-scheduler +"+start+"?")
	b.do("set alfred:k % ex 1", start)
	b.shows("alfred:k", "mark/ +"+start+"?")
}

func counters(b bench) {
	dramatiq := keyspace.Force{Pattern: "import", Format: "counter"}
	b.do("set import 2 px 900000")
	b.shows("import", "counter/ +? x2", dramatiq)
	b.shows("import", "string/ +2")
	b.do("set import 0 px 900000")
	b.shows("import", "counter/", dramatiq)
	b.shows("import", "string/ +0 (0 is free in formats that count: --format PATTERN=counter says so)")
	b.do("set import % px 900000", `"exclusive"`)
	b.shows("import", "counter/ +exclusive? write", dramatiq)
	b.do("set import text")
	b.shows("import", "unknown/ +? (does not read as counter)", dramatiq)
	free := keyspace.Force{Pattern: "sem*", Format: "free-counter"}
	b.do("set sem 0")
	b.shows("sem", "free-counter/ +? (0 permits free; how many are held is not stored)", free)
}

func suo(b bench) {
	float := func(at int64) string {
		return "\xcb" + string(binary.BigEndian.AppendUint64(nil, floatBits(float64(at)/1e6)))
	}
	const token = "n9Ydq0xWmI2rXo1Z0p7m9g=="
	b.do("set many %", "\x92"+"\x92"+float(b.now(-time.Minute))+"\xb8"+token+"\x92"+float(b.now(-3610*time.Second))+"\xd9\x01z")
	b.shows("many", "suo/ +"+token+" +3540s -z -10s")
	b.do("setex many 60 %", "\x90")
	b.shows("many", "suo/", keyspace.Force{Pattern: "many", Format: "suo"})
}

func signals(b bench) {
	b.do("lpush lock-signal:report 1")
	b.do("lpush lock.event:report 1")
	b.parts("lock:report", "lock-signal:report", "lock.event:report")
	b.do("lpush cache:key:signal 1")
	b.parts("cache:key", "cache:key:signal")
	b.do("set turn:signal owner")
	b.shows("turn:signal", "string/ +owner")
}

// plainNumbers: a number that is no time of these years is a token.
func plainNumbers(b bench) {
	for _, value := range []string{"7", "4711", "8312345678", "-1", "12.5", "99999999999999999999999", "1e999", "nan", "0x10"} {
		b.do("set lock:n % px 30000", value)
		b.shows("lock:n", "string/ +"+value)
	}
}
