package keyspace

var (
	ofString = []string{"string"}
	ofHash   = []string{"hash"}
	ofZset   = []string{"zset"}
)

// formats is the table of decoders. Within a Redis type, shapes are tried in
// this order, so what is unmistakable stands before what is general.
var formats = []Format{
	{"redisson", ofHash, "hash of owner to re-entry count, deadline of the key; waiters and fencing token beside it", isRedisson, decodeRedisson},
	{"redisson-rw", ofHash, "hash with a mode field; each read hold has a deadline in a key of its own", isRedissonRW, decodeRedissonRW},
	{"redisson-multi", ofHash, "hash of many locks, each with owner, deadline and count", isRedissonMulti, decodeRedissonMulti},
	{"hash-holders", ofHash, "hash of holder to the time or a description of its acquisition, deadline of the key", isHashHolders, decodeHashHolders},
	{"juicefs", ofHash, "hash of session and owner to a read or write lock, or to ranges of a file", isJuiceFS, decodeJuiceFS},
	{"hash-table", ofHash, "hash in which a field with .lock. in its name is a lock of its own", nil, decodeHashTable},

	{"redisson-permits", []string{"zset", "string"}, "permits as 16 raw bytes with a deadline in ms, beside a count of free permits", isPermits, decodePermits},
	{"symfony", ofZset, "sorted set of owner to deadline in ms; the member __write__ marks an exclusive lock", isSymfony, decodeSymfony},
	{"zset-deadline", ofZset, "sorted set of owner to deadline; dead members stay until the next acquisition", isZsetDeadline, decodeZsetDeadline},
	{"zset-refresh", ofZset, "sorted set of owner to its last refresh in ms; the timeout follows from the key's deadline", isZsetRefresh, decodeZsetRefresh},

	{"medallion-rw", []string{"set", "string"}, "set of readers NAME.readers, and NAME.writer for the writer or the one that waits", isMedallionRW, decodeMedallionRW},

	{"suo", ofString, "msgpack list of acquire time and token of each holder", isSuo, decodeSuo},
	{"single-beat", ofString, "fence:host:pid, where the fence grows with each heartbeat", nil, decodeSingleBeat},
	{"deadline-beside", ofString, "owner token whose deadline stands in another key", nil, decodeDeadlineBeside},
	{"counter", ofString, "number of holders or permits in use, 0 is free", nil, decodeCounter},
	{"free-counter", ofString, "number of permits that are free; holders are not recorded", nil, decodeFreeCounter},
	{"deadline-value", ofString, "the value is the deadline, the owner is not recorded", isDeadlineValue, decodeDeadlineValue},
	{"mark", ofString, "a constant or the acquire time, the owner is not recorded; deadline of the key", isMark, decodeMark},
	{Plain, ofString, "the value is the owner token, deadline of the key", anyString, decodeString},
}
