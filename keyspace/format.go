package keyspace

// Raw is what one atomic read of a key brought, before any format is known.
// All strings are raw bytes.
type Raw struct {
	Key      string
	Type     string // "string", "hash", "zset", "set", "list", "stream", ...; "none" when missing
	Text     string // string: the value, at most MaxValue bytes of it
	Pairs    []Pair // hash: field and value; zset: member and score; set, list: member; at most MaxMembers
	Size     int64  // full length of the string or number of members
	Cut      bool   // Text or Pairs is a part
	Deadline int64  // the key's own, ms since the epoch; -1: none; -2: missing
	Now      int64  // server clock inside the read, µs since the epoch
}

// Bounds of what is ever read of one value.
const (
	MaxValue   = 4096 // bytes of a string
	MaxMembers = 64   // fields or members of a collection
)

// Pair is a field with its value, or a member with its score as Redis spells it.
type Pair struct{ Name, Value string }

// Told is what an owner token itself says, when plausible.
type Told struct {
	Shape    string // name of the token shape
	Host     string
	Process  string
	Thread   string
	Metadata string
	Acquired int64 // µs since the epoch, by the client's clock; 0: not told
	// Refreshed is when the holder was last seen by itself, where that is what the
	// lock stores; as Acquired. The same again means not renewed.
	Refreshed int64
}

// Holder is one party recorded on a key.
type Holder struct {
	Owner     string // identity within the key, raw bytes
	Anonymous bool   // the format does not record who it is; Owner only tells holders apart
	Count     int64  // re-entry count or permits; 0 where the format has none
	Deadline  int64  // its own, µs since the epoch on the server's clock; 0: the key's
	NoExpiry  bool   // it has no deadline, whatever the key has
	Mode      string // "", "read" or "write"
	Told      *Told
}

// Lock is a key decoded.
type Lock struct {
	Format  string // name of the format, Unknown where none fits, "" for a missing key
	Library string // whose key pattern or unmistakable shape it is, "" where none's
	Holders []Holder
	Expired []Holder // members whose own deadline is over
	Waiters []string // in order; nil where the format has none
	Fence   *int64
	Group   string // keys of one lock share it
	Note    string // what could not be decoded, or must be known to read the rest
	Part    string // "": a lock. Else the key is no lock of its own but this part of one
	Of      string // the lock that a part belongs to; "" where it belongs to none
}

// The names of formats that code outside this package meets.
const (
	Unknown   = "unknown"   // a type or a shape that no format has: one holder that nobody names
	Companion = "companion" // Lock.Part says of what kind
	Plain     = "string"    // the value of a string is the owner token
)
