package peers

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"leasetop/model"
)

// TestBadInput: whatever stands under a watched name is shown as it is, and
// nothing keeps the lease beside it from being seen.
func TestBadInput(t *testing.T) {
	stories(t, map[string]func(s *scene){
		"a million fields":       millionFields,
		"scores of any size":     anyScores,
		"binary values":          binaryValues,
		"types that change":      changingTypes,
		"a type at every read":   restlessTypes,
		"names and kinds":        oddNames,
		"companions of any type": oddCompanions,
		"a forced format":        forcedFormat,
		"endless hash tags":      oddRedisson,
	})
}

// alive proves that leasetop goes on: a lease beside is acquired and released.
func (s *scene) alive() {
	s.Helper()
	s.do("set lock:alive token-1 px 20000")
	s.until("a lease beside", func() bool { l := s.lease("lock:alive"); return l != nil && len(l.Tenures) == 1 })
	s.do("del lock:alive")
	s.until("its end", func() bool { return len(s.lease("lock:alive").Tenures) == 0 })
	s.settle("lock:alive")
}

// shown waits for a reading of a key that fits.
func (s *scene) shown(key, what string, fits func(r *model.Reading) bool) {
	s.Helper()
	s.until(what, func() bool { l := s.lease(key); return l != nil && l.Reading != nil && fits(l.Reading) })
}

func unknown(r *model.Reading) bool {
	return r.Format == "unknown" && len(r.Holders) == 1 && r.Holders[0].Anonymous
}

func millionFields(s *scene) {
	for n := range 10 { // in pieces, or the server reports itself busy
		s.eval(`for i = ARGV[1], ARGV[1] + 99999, 1000 do
			local t = {}
			for j = 0, 999 do t[2 * j + 1] = i + j t[2 * j + 2] = 1 end
			redis.call('hset', KEYS[1], unpack(t))
		end`, []string{"lock:big"}, n*100_000)
	}
	s.watch("lock:*")
	s.shown("lock:big", "the hash", func(r *model.Reading) bool {
		return unknown(r) && r.Size == 1_000_000 && r.Cut
	})
	// Many holders of a known format: a part is shown, and how many there are.
	s.eval(`for i = 1, 10000 do redis.call('zadd', KEYS[1], ARGV[1] + i, 'owner-' .. i) end`, []string{"lock:crowd"}, s.ms(time.Hour))
	s.shown("lock:crowd", "the sorted set", func(r *model.Reading) bool {
		return r.Format == "zset-deadline" && r.Size == 10_000 && r.Cut && len(r.Holders) == 64 && strings.Contains(r.Note, "64 of 10000")
	})
	s.alive()
	s.do("unlink lock:big lock:crowd")
	s.until("the end of both", func() bool {
		return len(s.lease("lock:big").Tenures) == 0 && len(s.lease("lock:crowd").Tenures) == 0
	})
}

func anyScores(s *scene) {
	s.watch("lock:*", "rq:wip:*", "semaphore:*", "asynq:*")
	scores := []string{"-inf", "+inf", "0", "-1", "1e-320", "5e-324", "1.7976931348623157e308", "-1.7976931348623157e308",
		"1e18", "9007199254740993", "9223372036854775807", "1796186984.000001", "0.1"}
	for _, key := range []string{"lock:odd", "rq:wip:odd", "semaphore:odd", "asynq:{odd}:lease"} {
		for i, score := range scores {
			s.do("zadd % % %", key, score, fmt.Sprintf("%s-%d", instanceA, i))
		}
		s.shown(key, "all members", func(r *model.Reading) bool {
			return r.Size == int64(len(scores)) && (unknown(r) || len(r.Holders)+len(r.Expired) == len(scores))
		})
		s.do("pexpire % 60000", key)
		s.shown(key, "the deadline", func(r *model.Reading) bool { return r.Deadline != 0 })
	}
	s.alive()
}

func binaryValues(s *scene) {
	s.watch("lock:*", "job-lock:*:*", "SINGLE_BEAT_*", "redlock:*")
	all := make([]byte, 4096)
	for i := range all {
		all[i] = byte(i)
	}
	for _, key := range []string{"lock:bin", "job-lock:default:bin", "SINGLE_BEAT_bin", "redlock:bin", "lock:\xff\x00\n\x1b[2J"} {
		s.do("set % % px 60000", key, all)
		s.shown(key, "the value", func(r *model.Reading) bool {
			return r.Size == 4096 && !r.Cut && len(r.Holders) == 1 && (r.Holders[0].Owner == string(all) || unknown(r))
		})
		s.do("append % x", key)
		s.shown(key, "a part of it", func(r *model.Reading) bool { return r.Size == 4097 && r.Cut && r.Note != "" })
	}
	s.do("set lock:huge %", make([]byte, 64<<20))
	s.shown("lock:huge", "64 MiB", func(r *model.Reading) bool { return r.Size == 64<<20 && r.Cut && len(r.Holders[0].Owner) <= 4096 })
	s.alive()
}

// changingTypes: a key that becomes another type is read as that, one line each.
func changingTypes(s *scene) {
	s.busy = true
	s.named()
	s.watch("lock:*")
	const key = "lock:shape"
	s.name("S", "token-of-sixteen")
	s.do("set % token-of-sixteen px 60000", key)
	s.tells(key, "acquired S 60s")
	s.eval(`redis.call('del', KEYS[1]) redis.call('hset', KEYS[1], ARGV[1], 1) redis.call('pexpire', KEYS[1], 60000)`, []string{key}, threadA)
	if s.sight == byEvents {
		s.tells(key, "released S", "acquired A x1 after released 60s")
	} else {
		s.tells(key, "replaced A x1 from S 60s")
	}
	s.stored(key, "redisson", "Redisson")
	s.do("set % token-of-sixteen px 60000", key) // over the hash, in place
	s.tells(key, "overwritten S from A 60s")
	s.do("del %", key)
	s.tells(key, "released S")
	s.do("xadd % * a b", key)
	s.tells(key, "acquired ? endless after released inferred")
	s.stored(key, "unknown", "")
	if r := s.reading(key); r.Type != "stream" {
		s.Errorf("type %s", r.Type)
	}
	s.do("del %", key)
	s.tells(key, "released ?")
	s.alive()
}

// restlessTypes: a key has another type nearly every time that it is read, so
// that reads meet the wrong one in the middle.
func restlessTypes(s *scene) {
	s.watch("lock:*")
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			pipe := s.c.Pipeline()
			pipe.Del(ctx, "lock:restless")
			switch i % 5 {
			case 0:
				pipe.Set(ctx, "lock:restless", "token", time.Minute)
			case 1:
				pipe.HSet(ctx, "lock:restless", threadA, "1")
			case 2:
				pipe.Do(ctx, "zadd", "lock:restless", "1e300", "a")
			case 3:
				pipe.RPush(ctx, "lock:restless", "a")
			case 4:
				pipe.SAdd(ctx, "lock:restless", "a")
			}
			_, _ = pipe.Exec(ctx)
		}
	}()
	s.until("it", func() bool {
		return len(s.told["lock:restless"]) > 200 || s.sight == byPolling && len(s.told["lock:restless"]) > 5
	})
	s.alive() // while it goes on
	close(stop)
	<-stopped
	s.do("del lock:restless")
	s.do("set lock:restless calm px 60000")
	s.shown("lock:restless", "its last value", func(r *model.Reading) bool {
		return r.Type == "string" && len(r.Holders) == 1 && r.Holders[0].Owner == "calm"
	})
	s.settle("lock:restless")
	s.mu.Lock()
	defer s.mu.Unlock()
	if l := s.lease("lock:restless"); len(l.Tenures) != 1 {
		s.Errorf("%d holders", len(l.Tenures))
	}
	if c := s.live.Counters(); c.Err != "" || c.Gaps != 0 {
		s.Errorf("%q, %d gaps", c.Err, c.Gaps)
	}
}

func oddNames(s *scene) {
	s.watch("*")
	names := []string{"", " ", "{", "{}", "{}:timeout", ":", "*", "a\x00b", "\xff\xfe", "redisson_lock_queue:", "redisson_unlock_latch::",
		":rwlock_timeout:1", "{x}:rwlock_timeout:", "lock:owner:", "lock:expire:", ":LOCKED", "uniquejobs:", "uniquejobs::LOCKED",
		"SEMAPHORE::GRABBED", ":jobs::lock", ":fence", ":leader", "rueidislock:0:", "rueidislock:99999999999999999999:x", "lockf", "lockf1", ".readers",
		".writer", "huey.results.", "SINGLE_BEAT_", strings.Repeat("k", 100_000)}
	for _, name := range names {
		s.do("set % v px 60000", name)
	}
	s.do("set lock:alive v px 60000")
	for _, name := range names {
		s.shown0(name)
	}
	s.do("flushall")
	s.until("the end of all", func() bool { return s.ledger.Totals(s.live.Now()).Held == 0 })
}

// shown0 waits until a name was read, as a lock or as a companion of one.
func (s *scene) shown0(name string) {
	s.Helper()
	if s.c.Type(ctx, name).Val() != "string" {
		s.Fatalf("%.40q is not there", name)
	}
	s.until(fmt.Sprintf("%.40q", name), func() bool {
		l := s.lease(name)
		return l != nil && l.Reading != nil || strings.Contains(name, "redisson_") || name == "lock:expire:" || strings.HasPrefix(name, "uniquejobs:") ||
			strings.HasSuffix(name, ".writer")
	})
}

// oddCompanions: what should be a companion has any type.
func oddCompanions(s *scene) {
	s.named()
	s.watch("order:*", "rw:*", "*:leader", "lock:*", "sem:*")
	for i, make := range []string{"set % x", "hset % a b", "rpush % a", "sadd % a", "zadd % 1e300 a", "xadd % * a b"} {
		order, rw, leader, owner, sem := fmt.Sprint("order:", i), fmt.Sprint("rw:", i), fmt.Sprint(i, ":leader"), fmt.Sprint("lock:owner:", i), fmt.Sprint("sem:", i)
		for _, name := range []string{"redisson_lock_queue:{" + order + "}", "redisson_lock_timeout:{" + order + "}", "redisson_lock_token:{" + order + "}",
			"{" + rw + "}:" + threadA + ":rwlock_timeout:1", fmt.Sprint(i, ":fence"), fmt.Sprint("lock:expire:", i), "{" + sem + "}:timeout"} {
			s.do(make, name)
		}
		s.rlock(order, threadA, 60000)
		s.tells(order, "acquired A x1 60s")
		s.eval(`redis.call('hset', KEYS[1], 'mode', 'read', ARGV[1], 1) redis.call('pexpire', KEYS[1], 60000)`, []string{rw}, threadA)
		s.shown(rw, "the reader", func(r *model.Reading) bool { return len(r.Holders) == 1 })
		s.do("set % v px 60000", leader)
		s.shown(leader, "the leader", func(r *model.Reading) bool { return len(r.Holders) == 1 })
		s.do("set % host:1", owner)
		s.shown(owner, "the owner", func(r *model.Reading) bool { return len(r.Holders) == 1 && r.Note != "" })
		s.do("set % 3", sem)
		s.shown(sem, "the count", func(r *model.Reading) bool { return len(r.Holders) == 1 })
	}
}

// forcedFormat: what does not read as the user says is unknown, with a remark.
func forcedFormat(s *scene) {
	words := []string{"f:*"}
	formats := []string{"redisson", "redisson-rw", "redisson-multi", "hash-holders", "juicefs", "hash-table", "redisson-permits", "symfony",
		"zset-deadline", "zset-refresh", "medallion-rw", "suo", "single-beat", "deadline-beside", "counter", "free-counter", "deadline-value", "mark", "string"}
	for _, f := range formats {
		words = append(words, "f:"+f+":*="+f)
	}
	s.watch(words...)
	for _, f := range formats {
		for i, make := range []string{"set % \xff\x00", "hset % a b", "rpush % a", "sadd % a", "zadd % 1e300 a", "xadd % * a b"} {
			key := fmt.Sprint("f:", f, ":", i)
			s.do(make, key)
			if f == "hash-table" && i == 1 {
				continue // a table without a lock: nothing to show
			}
			s.shown(key, f, func(r *model.Reading) bool {
				return r.Format == f || unknown(r) && strings.Contains(r.Note, "does not read as "+f)
			})
		}
	}
}

// oddRedisson: hashes nearly of Redisson's shape, with huge counts and many
// readers, each of which asks for companions.
func oddRedisson(s *scene) {
	s.watch("rw:*", "order:*")
	s.do("hset order:count % 99999999999999999999", threadA)
	s.shown("order:count", "a huge count", func(r *model.Reading) bool { return len(r.Holders) == 1 && r.Holders[0].Count == 1<<63-1 })
	s.do("hset rw:count mode read % 9223372036854775807", threadA)
	s.shown("rw:count", "a huge count of holds", func(r *model.Reading) bool { return len(r.Holders)+len(r.Expired) == 1 })
	for i := range 200 {
		s.do("hset rw:many mode read % 1", fmt.Sprintf("%s:%d", instanceA, i))
	}
	s.shown("rw:many", "many readers", func(r *model.Reading) bool {
		return r.Size == 201 && r.Cut && (unknown(r) || len(r.Holders)+len(r.Expired) > 50)
	})
	s.do("set order:count 1")
	s.shown("order:count", "another type", func(r *model.Reading) bool { return r.Type == "string" })
}
