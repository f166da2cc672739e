package model

import "strings"

// opClass is what a notification's name means for the life of a key. The names
// and their orders were measured on seven server versions (REDIS 1, EVENTS 1).
type opClass uint8

const (
	opOther    opClass = iota // says only that something changed
	opNew                     // a key was put under the name
	opWrite                   // a value was written, or a member joined
	opDeadline                // a deadline was set, moved or taken away
	opLeave                   // a member left; the key may live on
	opEnd                     // the key is gone from under this name
)

var opClasses = map[string]opClass{
	"new": opNew,

	"set": opWrite, "setrange": opWrite, "append": opWrite, "incrby": opWrite, "incrbyfloat": opWrite,
	"hset": opWrite, "hincrby": opWrite, "hincrbyfloat": opWrite,
	"zadd": opWrite, "zincr": opWrite, "sadd": opWrite, "lpush": opWrite, "rpush": opWrite,
	"restore": opWrite, "rename_to": opWrite, "copy_to": opWrite, "move_to": opWrite,
	"sortstore": opWrite, "zinterstore": opWrite, "zunionstore": opWrite, "zrangestore": opWrite,
	"sinterstore": opWrite, "sunionstore": opWrite, "sdiffstore": opWrite,

	"expire": opDeadline, "persist": opDeadline,

	"hdel": opLeave, "hexpired": opLeave, "zrem": opLeave, "srem": opLeave, "spop": opLeave,
	"zremrangebyscore": opLeave, "zrembyscore": opLeave, "zremrangebyrank": opLeave, "zrembyrank": opLeave,
	"zpopmin": opLeave, "zpopmax": opLeave, "lpop": opLeave, "rpop": opLeave, "lrem": opLeave, "ltrim": opLeave,

	"del": opEnd, "expired": opEnd, "evicted": opEnd, "rename_from": opEnd, "move_from": opEnd,
}

// replacesValue reports whether a writing event tells of a whole new value, not
// of a member that joined.
func replacesValue(op string) bool {
	switch op {
	case "set", "restore", "rename_to", "copy_to", "move_to":
		return true
	}
	return strings.HasSuffix(op, "store")
}

func classOf(op string) opClass { return opClasses[op] }

// EndsKey reports whether an event of this name says that the key is gone from
// under its name.
func EndsKey(op string) bool { return classOf(op) == opEnd }
