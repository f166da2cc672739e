package judge

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"
)

// op is one thing that a client does to a key.
type op struct {
	kind  string
	key   string
	token string
	next  string // handover: the new owner; rename: the new name
	ttl   int64  // milliseconds
}

// group is what a client sends in one write, at its time after the start.
type group struct {
	at  time.Duration
	ops []op
}

// scripts of the judge, besides the macros. Each has one key but rename.
var judgeScripts = map[string]string{
	// deletes and takes again in one step
	"handover": `if redis.call('GET',KEYS[1])==ARGV[1] then redis.call('DEL',KEYS[1]) redis.call('SET',KEYS[1],ARGV[2],'PX',ARGV[3]) return 1 end return 0`,
	// overwrites whatever is there, and tells whether something was
	"put": `local e=redis.call('EXISTS',KEYS[1]) redis.call('SET',KEYS[1],ARGV[1],'PX',ARGV[2]) return e`,
	// answers -1: nothing to rename, 0: onto a free name, 1: over another key
	"rename": `if redis.call('EXISTS',KEYS[1])==0 then return -1 end local e=redis.call('EXISTS',KEYS[2]) redis.call('RENAME',KEYS[1],KEYS[2]) return e`,
	// a semaphore in a sorted set, by the server's clock: acquire answers the
	// deadline of the permit, 0 when there is no room
	"zacq": `local t=redis.call('TIME') local now=t[1]*1000+math.floor(t[2]/1000)
redis.call('ZREMRANGEBYSCORE',KEYS[1],'-inf','('..now)
if redis.call('ZCARD',KEYS[1])>=3 then return 0 end
redis.call('ZADD',KEYS[1],now+ARGV[2],ARGV[1])
if ARGV[3]=='1' then redis.call('PEXPIREAT',KEYS[1],redis.call('ZRANGE',KEYS[1],-1,-1,'WITHSCORES')[2]) end
return now+ARGV[2]`,
	"zren": `local t=redis.call('TIME') local now=t[1]*1000+math.floor(t[2]/1000)
local s=redis.call('ZSCORE',KEYS[1],ARGV[1]) if not s or tonumber(s)<now then return 0 end
redis.call('ZADD',KEYS[1],now+ARGV[2],ARGV[1])
if ARGV[3]=='1' then redis.call('PEXPIREAT',KEYS[1],redis.call('ZRANGE',KEYS[1],-1,-1,'WITHSCORES')[2]) end
return now+ARGV[2]`,
	"zrel": `return redis.call('ZREM',KEYS[1],ARGV[1])`,
}

// words is the command of an op.
func (o *op) words() []any {
	ttl := fmt.Sprint(o.ttl)
	eval := func(script string, keys int, args ...string) []any {
		w := []any{"EVAL", script, keys}
		for _, a := range args {
			w = append(w, a)
		}
		return w
	}
	switch o.kind {
	case "acquire":
		return []any{"SET", o.key, o.token, "NX", "PX", ttl}
	case "acquire-forever":
		return []any{"SET", o.key, o.token, "NX"}
	case "steal":
		return []any{"SET", o.key, o.token, "PX", ttl, "GET"}
	case "rewrite":
		return []any{"SET", o.key, o.token, "XX", "PX", ttl}
	case "keep":
		return []any{"SET", o.key, o.token, "XX", "KEEPTTL"}
	case "delete":
		return []any{"DEL", o.key}
	case "persist":
		return []any{"PERSIST", o.key}
	case "pexpire":
		return []any{"PEXPIRE", o.key, ttl}
	case "flush":
		return []any{"FLUSHDB"}
	case "rename":
		return eval(judgeScripts["rename"], 2, o.key, o.next)
	case "handover":
		return eval(judgeScripts["handover"], 1, o.key, o.token, o.next, ttl)
	case "put":
		return eval(judgeScripts["put"], 1, o.key, o.token, ttl)
	case "zacq", "zren", "zrel":
		follow := "0"
		if o.key[len(o.key)-1]%2 == 0 {
			follow = "1" // the key ends with its last permit
		}
		return eval(judgeScripts[o.kind], 1, o.key, o.token, ttl, follow)
	}
	return eval(macros[o.kind], 1, o.key, o.token, ttl)
}

// weights of the kinds, by the shape of the key.
type weighted struct {
	kind   string
	weight int
}

var stringOps = []weighted{{"acquire", 40}, {"CAE", 22}, {"CAS", 12}, {"rewrite", 4}, {"CAD", 26}, {"delete", 5}, {"steal", 5},
	{"acquire-forever", 2}, {"persist", 3}, {"pexpire", 5}, {"keep", 3}, {"handover", 4}, {"rename", 4}, {"again", 6}, {"end-now", 2}}

var hashOps = []weighted{{"HACQ", 45}, {"HREN", 20}, {"HREL", 35}, {"delete", 4}, {"persist", 2}, {"pexpire", 4}, {"put", 3}, {"end-now", 2}}

var zsetOps = []weighted{{"zacq", 45}, {"zren", 25}, {"zrel", 30}, {"delete", 2}}

func pick(r *rand.Rand, list []weighted) string {
	total := 0
	for _, w := range list {
		total += w.weight
	}
	n := r.IntN(total)
	for _, w := range list {
		if n -= w.weight; n < 0 {
			return w.kind
		}
	}
	panic("unreachable")
}

// planner makes the history of one client. What it does depends on its seed
// alone, not on what became of it.
type planner struct {
	r      *rand.Rand
	client int
	count  int
	tokens map[string][]string // by key: what this client wrote or meant to, the latest last
}

// ttls in ms: many that run out at once, some that last.
func (p *planner) ttl() int64 {
	switch n := p.r.IntN(10); {
	case n == 0:
		return int64(5 + p.r.IntN(15))
	case n < 6:
		return int64(20 + p.r.IntN(150))
	}
	return int64(200 + p.r.IntN(1500))
}

func (p *planner) fresh(key string) string {
	p.count++
	token := fmt.Sprintf("c%d-%d", p.client, p.count)
	if key[5] == 'h' {
		token = fmt.Sprintf("%08x-0000-4000-8000-%012x:%d", p.client, p.count, p.client)
	}
	p.tokens[key] = append(p.tokens[key], token)
	return token
}

// mine is the latest token of this client on a key, now and then an older one:
// a late release, a late renewal.
func (p *planner) mine(key string) string {
	list := p.tokens[key]
	switch {
	case len(list) == 0:
		return p.fresh(key)
	case len(list) > 1 && p.r.IntN(6) == 0:
		return list[p.r.IntN(len(list)-1)]
	}
	return list[len(list)-1]
}

func (p *planner) op(key string) op {
	o := op{key: key, ttl: p.ttl()}
	switch key[5] {
	case 'h':
		o.kind = pick(p.r, hashOps)
	case 'z':
		o.kind = pick(p.r, zsetOps)
	default:
		o.kind = pick(p.r, stringOps)
	}
	switch o.kind {
	case "acquire", "acquire-forever", "steal", "put", "zacq":
		o.token = p.fresh(key)
	case "HACQ":
		o.token = p.mine(key)
		if p.r.IntN(2) == 0 {
			o.token = p.fresh(key)
		}
	case "again": // the token that was used before
		o.kind, o.token = "acquire", p.mine(key)
	case "end-now": // a deadline that is over
		o.kind, o.ttl = "pexpire", int64(-p.r.IntN(2))
	case "handover":
		o.token = p.mine(key)
		o.next = p.fresh(key)
	case "keep", "rewrite":
		o.token = p.mine(key)
		if p.r.IntN(4) == 0 {
			o.token = p.fresh(key)
		}
	case "rename":
		o.next = stringKeys[p.r.IntN(len(stringKeys))]
		if p.r.IntN(4) == 0 {
			o.next = "gone:" + key // out of sight
		}
		if o.next == key {
			o.kind, o.next = "delete", ""
		}
	default:
		o.token = p.mine(key)
	}
	return o
}

var (
	stringKeys = []string{"lock:s0", "lock:s1", "lock:s2", "lock:s3", "lock:s4", "lock:s5"}
	hashKeys   = []string{"lock:h0", "lock:h1"}
	zsetKeys   = []string{"lock:z0", "lock:z1"}
	judgedKeys = slices.Concat(stringKeys, hashKeys, zsetKeys)
)

// plan makes n ops of a client.
func plan(seed uint64, client, n int, mean time.Duration) []group {
	p := &planner{r: rand.New(rand.NewPCG(seed, uint64(client))), client: client, tokens: map[string][]string{}}
	var groups []group
	at := time.Duration(0)
	for done := 0; done < n; {
		at += time.Duration(p.r.ExpFloat64() * float64(mean))
		size := 1
		if p.r.IntN(8) == 0 {
			size = 2 + p.r.IntN(4)
		}
		key := judgedKeys[p.r.IntN(len(judgedKeys))]
		g := group{at: at}
		for range size {
			g.ops = append(g.ops, p.op(key))
		}
		if client == 0 && p.r.IntN(250) == 0 {
			g.ops = []op{{kind: "flush"}}
		}
		groups = append(groups, g)
		done += len(g.ops)
	}
	return groups
}
