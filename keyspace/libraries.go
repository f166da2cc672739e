package keyspace

import (
	"slices"
	"strings"
	"time"
)

// The table of libraries. Key patterns are tried in this order, so the narrow
// stand before the wide. Patterns that also select what is no lock (a job's
// data, a session) are left out: such a library needs the user's pattern.

var libraries = slices.Concat(schedulers, jobs, lockLibraries, applications, sharedNames, freelyNamed)

// schedulers hold one key so that one of many runs.
var schedulers = []Library{
	{Name: "leasetop demo", Language: "Go", Keys: []string{"lease-demo:*:lock"}, Format: Plain, Note: "our own two workers; fencing counter beside the lock"},
	{Name: "ShedLock", Language: "Java", Keys: []string{"job-lock:*:*"}, Format: Plain, Note: "kept on purpose until lockAtLeastFor; token tells time and host"},
	{Name: "RedBeat", Language: "Python", Keys: []string{"redbeat::lock"}, Format: Plain, TTL: 25 * time.Minute, Note: "renewed on each tick of the scheduler"},
	{Name: "rq-scheduler", Language: "Python", Keys: []string{"rq:scheduler_lock"}, Format: "mark", Note: "value is the start time; EX interval + 10"},
	{Name: "RQ scheduler", Language: "Python", Keys: []string{"rq:scheduler-lock:*"}, Format: Plain, TTL: 61 * time.Second, Note: "renewed on each loop of the scheduler"},
	{Name: "resque-scheduler", Language: "Ruby", Keys: []string{"*:resque_scheduler_master_lock"}, Format: Plain, TTL: 180 * time.Second, Every: 5 * time.Second},
	{Name: "Sidekiq Enterprise", Language: "Ruby", Keys: []string{"dear-leader"}, Format: Plain, Note: "leader of the cluster: host, pid, nonce"},
	{Name: "single-beat", Language: "Python", Keys: []string{"SINGLE_BEAT_*"}, Format: "single-beat", TTL: 5 * time.Second, Every: time.Second, Note: "the value changes at each heartbeat, the owner does not"},
	{Name: "n8n", Language: "JavaScript", Keys: []string{"n8n:main_instance_leader"}, Format: Plain, TTL: 10 * time.Second, Every: 3 * time.Second},
	{Name: "redlease", Language: "Go", Keys: []string{"*:leader"}, Format: Plain, TTL: 5 * time.Second, Share: 1. / 3, fits: hasFence, Note: "fencing counter beside the lock"},
	{Name: "machinery", Language: "Go", Keys: []string{"machinery_lock_*"}, Format: "deadline-value", Note: "value is the next run in ns; never deleted"},
	{Name: "machinery chord", Language: "Go", Keys: []string{"TriggerChordMutex"}, Format: Plain, TTL: 8 * time.Second, Note: "redsync"},
	{Name: "Laravel", Language: "PHP", Format: Plain, Keys: []string{
		"*laravel_unique_job:*", "*laravel-queue-overlap:*", "*framework/schedule-*", "*framework/command-*", "*illuminate:cache:flexible:lock:*",
	}, Note: "Cache::lock takes any name; 0 seconds means no deadline"},
}

// jobs are locks of work queues.
var jobs = []Library{
	{Name: "gocraft/work", Language: "Go", Keys: []string{"*:jobs:*:lock"}, Format: "counter", Endless: true, Note: "holders in lock_info beside it"},
	{Name: "BullMQ", Language: "JavaScript", Keys: []string{"bull:*:*:lock"}, Format: Plain, TTL: 30 * time.Second, Every: 15 * time.Second, Note: "renews each lock every 7.5 to 15 s by SET; Bull stores the same with one token a process"},
	{Name: "BullMQ stalled check", Language: "JavaScript", Keys: []string{"bull:*:stalled-check"}, Format: "mark", TTL: 30 * time.Second, Note: "value is when the check began"},
	{Name: "bee-queue", Language: "JavaScript", Keys: []string{"bq:*:stallBlock"}, Format: "mark", Note: "never deleted, only expires"},
	{Name: "arq", Language: "Python", Keys: []string{"arq:in-progress:*"}, Format: "mark", TTL: 310 * time.Second, Note: "job timeout + 10 s; kept 60 s for cron jobs"},
	{Name: "asynq", Language: "Go", Keys: []string{"asynq:{*}:lease"}, Format: "zset-deadline", TTL: 30 * time.Second, Every: 5 * time.Second, unit: seconds, Note: "one member for each job in work"},
	{Name: "asynq unique", Language: "Go", Keys: []string{"asynq:{*}:unique:*"}, Format: Plain, Note: "taken when a job is queued; the token is the job's id"},
	{Name: "RQ registries", Language: "Python", Keys: []string{"rq:clean_registries:*"}, Format: "mark", TTL: 899 * time.Second},
	{Name: "RQ work in progress", Language: "Python", Keys: []string{"rq:wip:*"}, Format: "zset-deadline", unit: seconds, Note: "+inf: a job without a time limit"},
	{Name: "kombu", Language: "Python", Keys: []string{"*unacked_mutex"}, Format: Plain, TTL: 300 * time.Second, Note: "Celery restoring unacknowledged messages"},
	{Name: "celery-once", Language: "Python", Keys: []string{"qo_*"}, Format: Plain, TTL: time.Hour, Note: "taken when a task is queued; released by plain DEL"},
	{Name: "celery-singleton", Language: "Python", Keys: []string{"SINGLETONLOCK_*"}, Format: Plain, Endless: true, Note: "taken when a task is queued; the token is the task's id"},
	{Name: "Huey", Language: "Python", Keys: []string{"huey.results.*"}, Format: "hash-table", Endless: true, Note: "locks among the results: fields with .lock. in them"},
	{Name: "Huey (expiring storage)", Language: "Python", Keys: []string{"huey.r.*.lock.*"}, Format: "mark", Endless: true},
	{Name: "tasktiger queue", Language: "Python", Keys: []string{"*:qslock:*"}, Format: "zset-deadline", unit: seconds, Note: "member SYSTEM_LOCK: blocked by an operator"},
	{Name: "tasktiger", Language: "Python", Keys: []string{"*:lockv2:*"}, Format: Plain, TTL: time.Minute, Every: 10 * time.Second},
	{Name: "sidekiq-throttled", Language: "Ruby", Keys: []string{"throttled:*:concurrency.v2*"}, Format: "zset-deadline", TTL: 900 * time.Second, unit: seconds},
	{Name: "sidekiq-unique-jobs", Language: "Ruby", Keys: []string{"*:LOCKED"}, Format: "hash-holders", Endless: true, watch: []string{"uniquejobs:*:LOCKED"}, Note: "taken when a job is queued, except while_executing"},
	{Name: "activejob-uniqueness", Language: "Ruby", Keys: []string{"activejob_uniqueness:*"}, Format: Plain, TTL: 24 * time.Hour, Note: "removed by plain DEL"},
	{Name: "Hangfire", Language: ".NET", Keys: []string{"{hangfire}:*lock", "{hangfire}:lock:*"}, Format: Plain, TTL: 30 * time.Second, Every: 15 * time.Second, fits: value(isUUID), Note: "one token a process"},
	{Name: "autoclaim of taskiq-redis", Language: "Python", Keys: []string{"autoclaim:*:*"}, Format: Plain, Endless: true},
}

// lockLibraries name their keys themselves.
var lockLibraries = []Library{
	{Name: "redis-mutex (Ruby)", Language: "Ruby", Keys: []string{"RedisMutex:*"}, Format: "deadline-value", TTL: 10 * time.Second, Note: "deadline in the value only"},
	{Name: "redis-semaphore (Ruby)", Language: "Ruby", Keys: []string{"SEMAPHORE:*:GRABBED"}, Format: "hash-holders", Endless: true},
	{Name: "redis-semaphore (npm)", Language: "JavaScript", Keys: []string{"semaphore:*"}, Format: "zset-refresh", TTL: 10 * time.Second, Every: 8 * time.Second, fits: uuidMembers, Note: "scores by the client's clock"},
	{Name: "redis-semaphore mutex (npm)", Language: "JavaScript", Keys: []string{"mutex:*"}, Format: Plain, TTL: 10 * time.Second, Every: 8 * time.Second, fits: value(beginsWithUUID)},
	{Name: "rueidislock", Language: "Go", Keys: []string{"rueidislock:[0-9]*:*"}, Format: Plain, TTL: 5 * time.Second, Every: 2500 * time.Millisecond, group: rueidisGroup, Note: "three keys, the holder needs two"},
	{Name: "RedLock.net or pottery", Language: ".NET, Python", Keys: []string{"redlock:*"}, Format: Plain, fits: value(isUUID), Note: "RedLock.net renews at half the TTL and brings a lost lock back; pottery (10 s) on request"},
	{Name: "FreeRedis", Language: ".NET", Keys: []string{"RedisClientLock:*"}, Format: Plain, Share: .5},
	{Name: "Medallion reader-writer", Language: ".NET", Keys: []string{"*.readers", "*.writer"}, Format: "medallion-rw", TTL: 30 * time.Second, Every: 9 * time.Second, fits: isMedallionRW},
	{Name: "lock4j", Language: "Java", Keys: []string{"lock4j:*"}, Format: Plain, TTL: 30 * time.Second, Note: "renews at a third of the TTL with expire -1 only"},
	{Name: "distributed-lock (alturkovic)", Language: "Java", Keys: []string{"distributed_lock:*"}, Format: Plain, TTL: 10 * time.Second},
	{Name: "php-lock 3", Language: "PHP", Keys: []string{"php-malkusch-lock:*"}, Format: Plain},
	{Name: "dogpile.cache", Language: "Python", Keys: []string{"_lock*"}, Format: Plain, Endless: true},
	{Name: "Dapr", Language: "Go", Keys: []string{"lock||*"}, Format: Plain, Note: "token and TTL are the caller's"},
	{Name: "mlanett/redis-lock", Language: "Ruby", Keys: []string{ownerPrefix + "*"}, Format: "deadline-beside", Note: "deadline in lock:expire:NAME"},
	{Name: "errorception/redis-lock", Language: "JavaScript", Keys: []string{"lock.*"}, Format: "deadline-value", TTL: 5 * time.Second, fits: value(isDigits)},
	{Name: "caddy-storage-redis", Language: "Go", Keys: []string{"caddy/locks/*"}, Format: Plain, TTL: 5 * time.Second, Every: 3 * time.Second, Note: "bsm/redislock"},
	{Name: "JuiceFS", Language: "Go", Keys: []string{"lockf[0-9]*", "lockp[0-9]*", "{*}lockf[0-9]*", "{*}lockp[0-9]*"}, Format: "juicefs", Endless: true, Note: "lives as long as its session"},
	{Name: "aiocache", Language: "Python", Keys: []string{"*-lock"}, Format: Plain, fits: value(isUUID)},
}

var applications = []Library{
	{Name: "GitLab", Language: "Ruby", Keys: []string{"gitlab:exclusive_lease:*"}, Format: Plain},
	{Name: "LiveKit", Language: "Go", Keys: []string{"room_lock:*"}, Format: Plain, TTL: 5 * time.Second},
	{Name: "Sentry", Language: "Python", Keys: []string{"l:*"}, Format: Plain, watch: []string{}, fits: value(isHex32), Note: "too short a prefix to be watched without being asked for"},
	{Name: "php-lock 2", Language: "PHP", Keys: []string{"lock_*"}, Format: Plain, fits: value(isHex32)},
}

// sharedNames are patterns of several libraries: the value tells them apart.
var sharedNames = []Library{
	{Name: "python-redis-lock", Language: "Python", Keys: []string{"lock:*"}, Format: Plain, Endless: true, fits: hasShape("base64-18"), Note: "renews at two thirds of the TTL with auto_renewal only"},
	{Name: "walrus", Language: "Python", Keys: []string{"lock:*"}, Format: Plain, Endless: true, fits: hasShape("raw-32")},
	{Name: "Foundatio", Language: ".NET", Keys: []string{"lock:*"}, Format: Plain, TTL: 20 * time.Minute, fits: hasShape("alnum-16")},
	{Name: "Mastodon", Language: "Ruby", Keys: []string{"lock:*"}, Format: Plain, TTL: 900 * time.Second, fits: hasShape("uuid-v4"), Note: "mario-redis-lock"},
	{Name: "resque-lock", Language: "Ruby", Keys: []string{"lock:*-[[]*", "*:lock:*-[[]*"}, Format: "deadline-value", Endless: true, fits: value(isDigits), watch: []string{"lock:*"}, Note: "deadline in the value only; namespaced keys need a pattern"},
	{Name: "warlock", Language: "JavaScript", Keys: []string{"*:lock"}, Format: Plain, fits: value(func(s string) bool { return len(s) == 24 && strings.HasSuffix(s, "==") })},
}

// Tests that a row's pattern alone does not decide.

func value(ok func(token string) bool) func(*reading) bool {
	return func(r *reading) bool { return ok(r.Text) }
}

func hasShape(shape string) func(*reading) bool {
	return func(r *reading) bool { return r.tellText() != nil && r.tellText().Shape == shape }
}

func isHex32(s string) bool { return isLowerHex(s, 32) }

func beginsWithUUID(s string) bool { return len(s) >= 36 && isUUID(s[:36]) }

func uuidMembers(r *reading) bool {
	return allPairs(r, func(p Pair) bool { return beginsWithUUID(p.Name) })
}

func hasFence(r *reading) bool { return r.companion(fenceKeyOf(r.Key)) != nil }

// rueidisGroup is rueidislock:NAME, without the number of the key.
func rueidisGroup(key string) string {
	prefix, rest, _ := strings.Cut(key, ":")
	_, name, _ := strings.Cut(rest, ":")
	return prefix + ":" + name
}
