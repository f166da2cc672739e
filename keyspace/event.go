package keyspace

import (
	"errors"
	"strconv"
	"strings"
)

// ErrEvent means that a message is not a keyspace notification: another
// channel that a wide pattern caught, or a forged one.
var ErrEvent = errors.New("keyspace: not a keyspace notification")

// Event is one keyspace notification. It is a hint: it says that a key changed
// and by which kind of command, never what the key holds.
type Event struct {
	DB  int
	Op  string // "set", "expire", "del", "expired", ...: raw bytes, never empty
	Key string // raw bytes, may be empty
}

// The two families of channels. A key's own name may hold any bytes, these
// marks included, so only the first one in a channel counts.
const (
	keyspaceHead = "__keyspace@"
	keyeventHead = "__keyevent@"
	channelMark  = "__:"
)

// maxDB bounds the database number; Redis keeps it in an int.
const maxDB = 1<<31 - 1

// ParseEvent reads a message of either family: __keyspace@N__:KEY carries the
// name of the event, __keyevent@N__:OP carries the key. It allocates nothing:
// the parts share memory with the arguments. It may return ErrEvent.
func ParseEvent(channel, payload string) (Event, error) {
	byKey := strings.HasPrefix(channel, keyspaceHead)
	if !byKey && !strings.HasPrefix(channel, keyeventHead) {
		return Event{}, ErrEvent
	}
	db, rest, ok := cutDB(channel[len(keyspaceHead):])
	if !ok {
		return Event{}, ErrEvent
	}
	e := Event{DB: db, Op: rest, Key: payload}
	if byKey {
		e.Op, e.Key = payload, rest
	}
	if e.Op == "" {
		return Event{}, ErrEvent
	}
	return e, nil
}

// cutDB reads "N__:rest".
func cutDB(s string) (db int, rest string, ok bool) {
	i := 0
	for ; i < len(s) && '0' <= s[i] && s[i] <= '9'; i++ {
		db = db*10 + int(s[i]-'0')
		if db > maxDB {
			return 0, "", false
		}
	}
	if i == 0 || !strings.HasPrefix(s[i:], channelMark) {
		return 0, "", false
	}
	return db, s[i+len(channelMark):], true
}

// AnyDB stands for "whatever the database" in the builders of channels.
const AnyDB = -1

func dbWord(db int) string {
	if db < 0 {
		return "*"
	}
	return strconv.Itoa(db)
}

// KeyspaceChannel is the channel pattern that carries the events of the keys
// that a glob selects: __keyspace@0__:lock:*. With AnyDB it is the form for a
// server or an ACL rule that names no database: __keyspace@*__:lock:*.
//
// Redis compares an ACL rule for PSUBSCRIBE letter by letter, so what is
// subscribed must be spelled exactly as the rule. The pattern may let foreign
// keys through (a star after the @ also spans a "__:" inside a key): whoever
// receives must still ask Match about Event.Key and Event.DB.
func KeyspaceChannel(db int, glob string) string {
	return keyspaceHead + dbWord(db) + channelMark + glob
}

// KeyeventChannel is the channel pattern that carries every event of every key
// of a database: __keyevent@0__:*.
func KeyeventChannel(db int) string {
	return keyeventHead + dbWord(db) + channelMark + "*"
}

// EscapeGlob spells a literal key as a glob that matches this key only.
func EscapeGlob(key string) string {
	if !strings.ContainsAny(key, `*?[\`) {
		return key
	}
	b := make([]byte, 0, len(key)+8)
	for i := range len(key) {
		switch key[i] {
		case '*', '?', '[', '\\':
			b = append(b, '\\')
		}
		b = append(b, key[i])
	}
	return string(b)
}
