package keyspace

// opClass says which letter of notify-keyspace-events switches an event on, as
// Redis 7.0 to 8.0 and Valkey 8 to 9 send them. The documentation names
// zrembyscore and zrembyrank, servers send zremrangebyscore and
// zremrangebyrank: both are here.
var opClass = map[string]byte{
	"del": 'g', "expire": 'g', "persist": 'g', "rename_from": 'g', "rename_to": 'g',
	"move_from": 'g', "move_to": 'g', "copy_to": 'g', "restore": 'g',
	"set": '$', "append": '$', "setrange": '$', "incrby": '$', "incrbyfloat": '$',
	"lpush": 'l', "rpush": 'l', "lpop": 'l', "rpop": 'l', "linsert": 'l', "lset": 'l',
	"lrem": 'l', "ltrim": 'l', "sortstore": 'l',
	"sadd": 's', "srem": 's', "spop": 's', "sinterstore": 's', "sunionstore": 's', "sdiffstore": 's',
	"hset": 'h', "hincrby": 'h', "hincrbyfloat": 'h', "hdel": 'h', "hexpire": 'h',
	"hexpired": 'h', "hpersist": 'h',
	"zadd": 'z', "zincr": 'z', "zrem": 'z', "zremrangebyscore": 'z', "zremrangebyrank": 'z',
	"zremrangebylex": 'z', "zrembyscore": 'z', "zrembyrank": 'z', "zdiffstore": 'z',
	"zinterstore": 'z', "zunionstore": 'z', "zrangestore": 'z', "geosearchstore": 'z',
	"expired": 'x', "evicted": 'e', "new": 'n', "keymiss": 'm',
	"overwritten": 'o', "type_changed": 'c',
	"xadd": 't', "xtrim": 't', "xdel": 't', "xsetid": 't',
}

// OpClass is the letter of notify-keyspace-events that switches an event on;
// false for an event of a module or of a newer server. Nothing depends on an
// op being known: any event says that its key must be read again.
func OpClass(op string) (byte, bool) {
	c, ok := opClass[op]
	return c, ok
}
