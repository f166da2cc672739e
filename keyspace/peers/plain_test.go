package peers

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// plain is a library whose lock is one string: its commands, with K for the key
// and T for the token. A command that begins with "if" is a script.
type plain struct {
	library string // as leasetop names it; "" where the name of the key says nothing
	key     string
	token   string
	ttl     string // "endless": none
	acquire string
	renew   string // "": only if the application asks, or never
	release string // "": DEL, with or without a comparison before it
}

const (
	uuid1  = "c8635bd6ee0b11f192d902fc00000001"
	hex32  = "9d1f3b6a7c2e4805f1a2b3c4d5e6f708"
	raw16  = "\x8f\x02\xc1\xd4\xe5\xf6\x07\x18\x29\x3a\x4b\x5c\x6d\x7e\x8f\x90"
	setIf  = "if redis.call('exists', KEYS[1]) == 0 then return redis.call('set', KEYS[1], ARGV[1], 'px', %d) end"
	setNX  = "if redis.call('setnx', KEYS[1], ARGV[1]) == 1 then return redis.call('expire', KEYS[1], %d) end"
	setOwn = "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('set', KEYS[1], ARGV[1], 'px', %d) end"
)

func script(lua string, n int) string { return fmt.Sprintf(lua, n) }

// plains are the libraries that no story of their own plays.
var plains = []plain{
	{"RedBeat", "redbeat::lock", uuid1, "25m", "set K T nx px 1500000", "pexpire K 1500000", ""},
	{"RQ scheduler", "rq:scheduler-lock:default", hex32, "61s", "set K T nx ex 61", "expire K 61", ""},
	{"resque-scheduler", "resque:resque:resque_scheduler_master_lock", "web-3:4312", "180s", script(setNX, 180), "expire K 180", ""},
	{"kombu", "unacked_mutex", uuid1, "300s", "set K T nx px 300000", "", ""},
	{"celery-once", "qo_tasks.add_a-1", uuid1, "1h", "set K T nx px 3600000", "", ""},
	{"celery-singleton", "SINGLETONLOCK_0f1e2d3c4b5a69788796a5b4c3d2e1f0", instanceA, "endless", "set K T nx", "", ""},
	{"tasktiger", "t:lockv2:" + hex32 + hex32, uuid1, "60s", "set K T nx px 60000", "pexpire K 60000", ""},
	{"autoclaim of taskiq-redis", "autoclaim:group:stream", uuid1, "endless", "set K T nx", "", ""},
	{"activejob-uniqueness", "activejob_uniqueness:send:0f1e", instanceA, "24h", script(setIf, 86400000), "", ""},
	{"Hangfire", "{hangfire}:queue:q:dequeued:lock", instanceA, "30s", "set K T nx ex 30", "expire K 30", ""},
	{"FreeRedis", "RedisClientLock:invoice", instanceA, "20s", "set K T nx ex 20", "pexpire K 20000", ""},
	{"lock4j", "lock4j:pay#7", hex32, "30s", script(setIf, 30000), "pexpire K 30000", ""},
	{"distributed-lock (alturkovic)", "distributed_lock:invoice", instanceA, "10s", script(setIf, 10000), "pexpire K 10000", ""},
	{"php-lock 3", "php-malkusch-lock:invoice", hex32 + hex32, "20s", "set K T nx px 20000", "", ""},
	{"php-lock 2", "lock_invoice", hex32, "20s", "set K T nx ex 20", "", ""},
	{"dogpile.cache", "_lockcache:user", uuid1, "endless", "set K T nx", "", ""},
	{"Dapr", "lock||app||invoice", "worker-1", "20s", "set K T nx ex 20", "", ""},
	{"aiocache", "users-lock", instanceA, "20s", "set K T nx px 20000", "", ""},
	{"GitLab", "gitlab:exclusive_lease:pages", instanceA, "20s", "set K T nx ex 20", "expire K 20", ""},
	{"LiveKit", "room_lock:standup", "LOCK_a1b2c3", "20s", "set K T nx px 20000", "", ""},
	{"Sentry", "l:group", hex32, "10s", "set K T nx ex 10", "", ""},
	{"walrus", "lock:walrus", raw16 + raw16, "endless", "setnx K T", "", ""},
	{"Foundatio", "lock:foundatio", "k2Jd93LmQpZx81Wa", "20m", "set K T nx px 1200000", script(setOwn, 1200000), ""},
	{"Mastodon", "lock:mastodon", instanceA, "900s", "set K T nx px 900000", "", ""},
	{"warlock", "warlock:lock", "yGNb1u4LEfGS2QL8AAAAAQ==", "20s", "set K T nx px 20000", "set K T xx px 20000", ""},
	{"Huey (expiring storage)", "huey.r.app.app.lock.nightly", "\x80\x05\x95\x00\x8c\x011\x94.", "endless", "setnx K T", "", ""},
	{"bee-queue", "bq:mail:stallBlock", "1", "20s", "set K T nx px 20000", "", ""},
	{"RQ registries", "rq:clean_registries:default", "1", "899s", "set K T nx ex 899", "", ""},
	{"Medallion DistributedLock", "own:medallion", "WEB-3_4312_0f8fad5bd9cb469fa16570867728950e", "30s", "set K T nx px 30000", "pexpire K 30000", ""},
	{"", "own:quartz", instanceA, "30s", "set K T nx px 30000", "", ""},
	{"", "own:jetcache", "\xac\xed\x00\x05" + instanceA, "20s", "set K T nx px 20000", "", ""},
	{"", "own:django-redis", uuid1, "20s", "set K T nx px 20000", "pexpire K 20000", ""},
	{"", "own:aioredlock", instanceA, "10s", script(setIf, 10000), script(setOwn, 10000), ""},
	{"", "own:redlock-py", "k2Jd93LmQpZx81WaAbCdE7", "10s", "set K T nx px 10000", "", ""},
	{"", "own:glasslion", hex32, "100s", "set K T nx px 100000", "", ""},
	{"", "own:cashews", instanceA, "20s", "set K T nx px 20000", "", ""},
	{"", "own:sherlock", instanceA, "60s", script(setNX, 60), "", ""},
	{"", "own:verrou", "k2Jd93LmQpZx81WaAbCdE", "20s", "set K T nx px 20000", "pexpire K 20000", ""},
	{"", "own:upstash", instanceA, "10s", "set K T nx px 10000", "expire K 10", ""},
	{"", "own:go-zero", "k2Jd93LmQpZx81Wa", "10500ms", "set K T nx px 10500", script(setOwn, 10500), ""},
	{"", "own:StackExchange", "machine-1", "20s", "set K T ex 20 nx", "expire K 20", ""},
	{"", "own:EasyCaching", raw16, "31s", "set K T px 31000 nx", "set K T px 31000", ""},
	{"", "own:RedLock-PHP", "692fd4a81b2c3", "10s", "set K T nx px 10000", "", ""},
	{"", "own:cheprasov", "4312:0.12345600 1796186984:4711", "10s", "set K T nx px 10000", "pexpire K 10000", ""},
	{"", "own:Yii2", "k2Jd93LmQpZx81WaAb-_", "30s", "set K T nx px 30000", "", ""},
	{"", "own:Drupal", "1796186984692fd4a81b2c3.12345678", "30s", "set K T nx px 30000", "psetex K 30000 T", ""},
	{"", "own:redlock-rb", instanceA, "20s", script(setIf, 20000), script(setOwn, 20000), ""},
	{"", "own:sidekiq-lock", strings.Repeat("ab", 25), "20s", "set K T nx px 20000", "", ""},
	{"", "own:redis-objects", "", "20s", "set K T nx px 20000", "", ""},
	{"", "own:rslock", raw16 + "\xff\x00\xff\x00", "20s", "set K T nx px 20000", script(setOwn, 20000), ""},
	{"", "own:async-redis", instanceA, "20s", script(setIf, 20000), "pexpire K 20000", ""},
	{"", "own:lyokato", strings.Repeat("ab", 40), "20s", "set K T nx px 20000", "pexpire K 20000 gt", ""},
	{"", "own:podium", "c8635bd6-ee0b-11f1-92d9-02fc00000001", "20s", "set K T nx px 20000", "", ""},
	{"", "own:redis-plus-plus", "k2Jd93LmQpZx81WaAbCd", "20s", "set K T nx px 20000", "pexpire K 20000", ""},
	{"", "own:Superset", "1", "20s", "set K T nx ex 20", "", ""},
	{"", "own:Spring", instanceA, "60s", "set K T nx px 60000", "pexpire K 60000", "unlink K"},
}

// TestPlainStrings plays all of them at once, each under its own key.
func TestPlainStrings(t *testing.T) {
	stories(t, map[string]func(s *scene){"all": plainStrings})
}

func (s *scene) run(command string, p *plain, token string) {
	s.Helper()
	if strings.HasPrefix(command, "if ") {
		s.eval(command, []string{p.key}, token)
		return
	}
	words := strings.Fields(command)
	var args []any
	for i, w := range words {
		switch w {
		case "K":
			words[i], args = "%", append(args, p.key)
		case "T":
			words[i], args = "%", append(args, token)
		}
	}
	s.do(strings.Join(words, " "), args...)
}

// owner is A, or nobody where the token is a mark.
func (p *plain) owner() string {
	switch {
	case p.token == "", p.token == "1", strings.HasPrefix(p.library, "Huey"):
		return "?"
	}
	return "A"
}

func plainStrings(s *scene) {
	s.watch("*")
	renewals := map[string]string{}
	for i := range plains {
		s.name("A", plains[i].token)
		s.run(plains[i].acquire, &plains[i], plains[i].token)
	}
	for i := range plains {
		p := &plains[i]
		s.tells(p.key, "acquired "+p.owner()+" "+p.ttl)
		if r := s.reading(p.key); r.Library != p.library {
			s.Errorf("%q is of %q, want %q", p.key, r.Library, p.library)
		}
		s.run(p.acquire, p, "another-party-s-token")
	}
	s.quiet() // nobody else got one
	for i := range plains {
		p := &plains[i]
		if ttl, _ := time.ParseDuration(p.ttl); p.renew != "" {
			s.aged(p.key, ttl)
			s.run(p.renew, p, p.token)
			s.tells(p.key, "renewed "+p.owner()+" "+p.ttl)
			renewals[p.key] = " renewed 1"
		}
	}
	for i := range plains {
		p := &plains[i]
		s.run(pick(p.release, "del K"), p, p.token)
		s.tells(p.key, "released "+p.owner()+renewals[p.key])
	}
	s.expiry()
}

// expiry takes each lock once more, and lets it end as a dead holder's does.
func (s *scene) expiry() {
	s.Helper()
	for i := range plains {
		s.run(plains[i].acquire, &plains[i], plains[i].token)
	}
	for i := range plains {
		p := &plains[i]
		s.tells(p.key, "acquired "+p.owner()+" "+p.ttl+" after released")
	}
	for i := range plains {
		s.do("pexpire % 2000", plains[i].key) // the time that it would have to wait
	}
	for i := range plains {
		p := &plains[i]
		if p.ttl == "endless" {
			s.tells(p.key, "expiry-added "+p.owner()+" 2s", "expired "+p.owner())
			continue
		}
		s.tells(p.key, "shortened "+p.owner()+" 2s", "expired "+p.owner()+" renewed 1")
	}
	s.quiet()
}

func pick(a, b string) string {
	if a != "" {
		return a
	}
	return b
}
