package watcher

import (
	"slices"
	"strconv"
	"strings"

	"github.com/redis/go-redis/v9"

	"leasetop/keyspace"
	"leasetop/model"
)

// unit is one key on its way through a reading.
type unit struct {
	dirty *dirtyKey
	key   string
	why   reason
	hints []model.Hint
	lost  int
	sweep uint32

	main   request
	beside []request
	lock   keyspace.Lock

	skip    bool // there is no need, or no leave, to read it now
	failed  bool // it could not be read
	held    bool // it goes back into the dirty set with its hints
	settled bool // the reading reflects exactly the hints
}

func (u *unit) missing() bool { return !u.failed && u.main.raw.Type == typeNone }

const typeNone = "none"

// request is one key inside a transaction: what is asked depends on the type
// that the key is believed to have.
type request struct {
	key   string
	shape string // "" when nothing is believed: read as a string
	ask   bool   // nor is that certain: ask for the type too
	whole bool   // the members are few, but one step of a scan did not bring all
	size  bool   // the string is long: ask how long
	read  bool   // raw is complete

	typ    *redis.StatusCmd
	ttl    *redis.IntCmd
	length *redis.IntCmd
	value  *redis.Cmd
	text   *redis.StringCmd

	raw    keyspace.Raw
	denied bool // the user may not read this key
}

// commander makes the commands of requests, as far as the user may send them.
type commander struct {
	forbidden map[string]bool
	relative  bool // no PEXPIRETIME: PTTL and TIME instead
}

// add puts the commands of a request into a transaction: at most four. The type
// is seldom among them: a value of another type answers with WRONGTYPE, and a
// missing key has no deadline in a way of its own.
func (c *commander) add(pipe redis.Pipeliner, r *request) {
	r.typ, r.ttl, r.length, r.value, r.text = nil, nil, nil, nil, nil
	defer func() {
		if r.ask || r.ttl == nil || r.text == nil && r.length == nil && r.value == nil {
			r.typ = redis.NewStatusCmd(bg, "type", r.key)
			put(pipe, r.typ)
		}
	}()
	switch {
	case c.relative && c.forbidden["pttl"]:
	case c.relative:
		r.ttl = redis.NewIntCmd(bg, "pttl", r.key)
	default:
		r.ttl = redis.NewIntCmd(bg, "pexpiretime", r.key)
	}
	if r.ttl != nil {
		put(pipe, r.ttl)
	}
	length := func(name string) {
		if !c.forbidden[name] {
			r.length = redis.NewIntCmd(bg, name, r.key)
			put(pipe, r.length)
		}
	}
	value := func(args ...any) {
		if !c.forbidden[args[0].(string)] {
			r.value = redis.NewCmd(bg, args...)
			put(pipe, r.value)
		}
	}
	switch r.shape {
	case "", "string":
		if !c.forbidden["getrange"] {
			r.text = redis.NewStringCmd(bg, "getrange", r.key, 0, keyspace.MaxValue)
			put(pipe, r.text)
		}
		if r.size {
			length("strlen")
		}
	case "hash":
		length("hlen")
		if r.whole {
			value("hgetall", r.key)
		} else {
			value("hscan", r.key, 0, "count", keyspace.MaxMembers)
		}
	case "zset":
		// The end of a sorted set holds the latest deadlines: who is alive.
		length("zcard")
		value("zrange", r.key, -keyspace.MaxMembers, -1, "withscores")
	case "set":
		length("scard")
		value("sscan", r.key, 0, "count", keyspace.MaxMembers)
	case "list":
		length("llen")
		value("lrange", r.key, 0, keyspace.MaxMembers-1)
	}
}

// take makes a raw reading of the answers. It reports false when the key must
// be read once more, in another shape or in full.
func (r *request) take(now int64, relative bool) bool {
	r.raw = keyspace.Raw{Key: r.key, Now: now, Deadline: -1}
	shape := r.shape
	if shape == "" {
		shape = "string"
	}
	typ := shape
	switch {
	case r.typ != nil:
		if typ = r.typ.Val(); typ == "" {
			typ = typeNone
		}
	case r.wrongType():
		r.ask = true
		return false
	}
	r.raw.Type = typ
	if r.ttl != nil && r.ttl.Err() == nil {
		r.raw.Deadline = r.ttl.Val()
		if relative && r.raw.Deadline >= 0 {
			r.raw.Deadline += now / 1000
		}
	}
	if r.raw.Deadline == -2 || typ == typeNone {
		r.raw.Type, r.raw.Deadline = typeNone, -2
		return true
	}
	r.shape, r.ask = typ, false
	switch typ {
	case "string", "hash", "zset", "set", "list":
		if typ != shape {
			r.whole, r.size = false, false
			return false
		}
	default:
		return true // no format knows it: type and deadline are all
	}
	if r.length != nil {
		r.raw.Size = r.length.Val()
	}
	if typ == "string" {
		return r.takeText()
	}
	return r.takeMembers()
}

// wrongType reports whether the key is not of the type that it was believed to
// have.
func (r *request) wrongType() bool {
	for _, c := range []redis.Cmder{r.text, r.length, r.value} {
		if !isNil(c) && redis.HasErrorPrefix(c.Err(), "WRONGTYPE") {
			return true
		}
	}
	return false
}

func isNil(c redis.Cmder) bool {
	switch c := c.(type) {
	case *redis.StringCmd:
		return c == nil
	case *redis.IntCmd:
		return c == nil
	case *redis.Cmd:
		return c == nil
	}
	return c == nil
}

func (r *request) takeText() bool {
	if r.text == nil {
		r.raw.Cut = true
		return true
	}
	text := r.text.Val()
	if len(text) <= keyspace.MaxValue {
		r.raw.Text, r.raw.Size = text, int64(len(text))
		return true
	}
	// Cloned, so that the byte too much is not kept with a thousand others.
	r.raw.Text, r.raw.Cut = strings.Clone(text[:keyspace.MaxValue]), true
	if r.length == nil && !r.size {
		r.size = true
		return false
	}
	r.raw.Size = max(r.raw.Size, int64(len(text)))
	return true
}

func (r *request) takeMembers() bool {
	if r.value == nil {
		r.raw.Cut = true
		return true
	}
	list, more := members(r.value.Val(), r.raw.Type)
	if more && !r.whole && r.raw.Type == "hash" && r.raw.Size <= keyspace.MaxMembers {
		r.whole = true
		return false
	}
	if len(list) > keyspace.MaxMembers {
		list = list[:keyspace.MaxMembers]
	}
	r.raw.Pairs = slices.Clone(list)
	r.raw.Size = max(r.raw.Size, int64(len(list)))
	r.raw.Cut = r.raw.Size > int64(len(list))
	for i := range r.raw.Pairs {
		p := &r.raw.Pairs[i]
		if len(p.Name) > keyspace.MaxValue || len(p.Value) > keyspace.MaxValue {
			p.Name, p.Value = strings.Clone(p.Name[:min(len(p.Name), keyspace.MaxValue)]), strings.Clone(p.Value[:min(len(p.Value), keyspace.MaxValue)])
			r.raw.Cut = true
		}
	}
	return true
}

// members reads the answers of HSCAN, HGETALL, ZRANGE WITHSCORES, SSCAN and
// LRANGE in the forms of RESP2 and RESP3. more: a scan did not come to its end.
func members(v any, typ string) (pairs []keyspace.Pair, more bool) {
	list, _ := v.([]any)
	if m, ok := v.(map[any]any); ok {
		for name, value := range m {
			pairs = append(pairs, keyspace.Pair{Name: text(name), Value: text(value)})
		}
		return sorted(pairs), false
	}
	scanned := len(list) == 2
	if scanned {
		inner, ok := list[1].([]any)
		if scanned = ok && (typ == "hash" || typ == "set"); scanned {
			more = text(list[0]) != "0"
			list = inner
		}
	}
	for i := 0; i < len(list); i++ {
		p := keyspace.Pair{}
		switch nested, ok := list[i].([]any); {
		case ok && len(nested) == 2:
			p.Name, p.Value = text(nested[0]), text(nested[1])
		case (typ == "hash" || typ == "zset") && i+1 < len(list):
			p.Name, p.Value = text(list[i]), text(list[i+1])
			i++
		default:
			p.Name = text(list[i])
		}
		pairs = append(pairs, p)
	}
	if typ == "hash" || typ == "set" {
		pairs = sorted(pairs)
	}
	return pairs, more
}

// sorted puts fields in the order of their names and takes out what a scan gave
// twice, so that two readings of one state are equal.
func sorted(pairs []keyspace.Pair) []keyspace.Pair {
	slices.SortFunc(pairs, func(a, b keyspace.Pair) int { return strings.Compare(a.Name, b.Name) })
	return slices.CompactFunc(pairs, func(a, b keyspace.Pair) bool { return a.Name == b.Name })
}

func text(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return ""
}
