package keyspace

import (
	"encoding/binary"
	"math"
	"strconv"
	"strings"
)

func anyString(*reading) bool { return true }

// decodeString: the value is the owner token, unless the library says which
// part of it. The deadline is the key's.
func decodeString(r *reading, l *Lock) bool {
	r.put(l, Holder{Owner: r.Text, Told: r.tellText()})
	if key := fenceKeyOf(r.Key); key != "" {
		if c := r.companion(key); c != nil {
			l.Fence = fenceOf(c)
		}
	}
	if r.lib != nil && r.lib.group != nil {
		l.Group = r.lib.group(r.Key)
	}
	if _, ok := parseShedValue(r.Text); ok {
		l.note("may be kept after its job ended (lockAtLeastFor)")
	}
	if r.lib == nil && r.Text == "0" {
		l.note("0 is free in formats that count: --format PATTERN=counter says so")
	}
	return true
}

// decodeSingleBeat: the first number grows with each heartbeat, so the owner is
// what follows it.
func decodeSingleBeat(r *reading, l *Lock) bool {
	fence, owner, ok := strings.Cut(r.Text, ":")
	host, pid, ok2 := strings.Cut(owner, ":")
	if !ok || !ok2 || host == "" || !isInteger(fence) || !isInteger(pid) {
		return false
	}
	n, err := strconv.ParseInt(fence, 10, 64)
	if err != nil {
		return false
	}
	l.Fence = &n
	r.put(l, Holder{Owner: owner, Told: &Told{Shape: "single-beat", Host: host, Process: pid}})
	return true
}

// decodeDeadlineBeside: without its companion the deadline is not known, and
// the key has none.
func decodeDeadlineBeside(r *reading, l *Lock) bool {
	h := Holder{Owner: r.Text, Told: r.tellText()}
	c := r.companion(deadlineKeyOf(r.Key))
	switch {
	case c == nil:
		l.note("its deadline could not be read")
	default:
		t, ok := parseInstant(c.Text, bySize)
		if !ok {
			l.note("its deadline %.32q is no time", c.Text)
		}
		h.Deadline, h.NoExpiry = t.at, t.never
	}
	r.put(l, h)
	if len(l.Expired) > 0 {
		l.note("abandoned: free for the taking")
	}
	return true
}

// maxCounter bounds what counts as a number of permits: beyond it a number is
// something else.
const maxCounter = 1_000_000

// decodeCounter: n holders that nobody names, or those that a companion names;
// the text "exclusive" (Nextcloud writes its quotes) is one writer.
func decodeCounter(r *reading, l *Lock) bool {
	if strings.Trim(r.Text, `"`) == "exclusive" {
		r.put(l, Holder{Owner: "exclusive", Anonymous: true, Mode: "write"})
		return true
	}
	n, ok := parseCount(r.Text)
	if !ok || n > maxCounter {
		return false
	}
	if c := r.companion(poolsKeyOf(r.Key)); c != nil && c.Type == "hash" {
		for _, p := range c.Pairs {
			if held, ok := parseCount(p.Value); ok && held > 0 {
				r.put(l, Holder{Owner: p.Name, Count: held})
			}
		}
		return true
	}
	if n > 0 {
		r.put(l, Holder{Anonymous: true, Count: n})
	}
	return true
}

// decodeFreeCounter: how many permits there are is not stored, so only "none
// left" shows that somebody holds one.
func decodeFreeCounter(r *reading, l *Lock) bool {
	n, ok := parseCount(r.Text)
	if !ok || n > maxCounter {
		return false
	}
	if n == 0 {
		r.put(l, Holder{Anonymous: true})
	}
	l.note("%d permits free; how many are held is not stored", n)
	return true
}

// valueTime reads a string as a time: as text, or as ServiceStack's eight bytes
// of seconds.
func valueTime(r *reading) (instant, bool) {
	if len(r.Text) == 8 && !allBytes(r.Text, isPrintable) {
		n := binary.LittleEndian.Uint64([]byte(r.Text))
		if n > math.MaxInt64 {
			return instant{}, false
		}
		at := number{whole: int64(n)}.micros(seconds)
		return instant{at: at}, plausible(at, r.Now, 10*year, 10*year)
	}
	t, ok := parseInstant(r.Text, bySize)
	return t, ok && !t.never
}

// forever is how redis-py 2.7 spells "until the end", in seconds.
const forever = "2147483649.0"

// Bounds that keep a start time and a deadline apart where the key has a
// deadline of its own.
const (
	startSkew = 10 * second // a start may seem to lie ahead by so much
	keyExcess = 5 * second  // a key may outlive the deadline in its value by so much
	keyLinger = 2 * second  // and, once that is past, is known for a lock by so little
)

// isDeadlineValue: a number of seconds to nanoseconds that is a time of these
// years and no start time.
func isDeadlineValue(r *reading) bool {
	if r.Text == forever {
		return true
	}
	t, ok := valueTime(r)
	if !ok || !plausible(t.at, r.Now, 10*year, 10*year) {
		return false
	}
	end := r.deadline()
	switch {
	case end == 0:
		return true // past: abandoned
	case t.at >= r.Now:
		return t.at > r.Now+startSkew || end-t.at <= keyExcess
	}
	// The key outlived the deadline in its value by a moment. Start times of
	// locks as short as that are written with decimals.
	return end-t.at <= keyLinger && isDigits(r.Text)
}

// decodeDeadlineValue: who holds it is not recorded. A deadline in the past
// means that the holder is gone and anybody may take the key over.
func decodeDeadlineValue(r *reading, l *Lock) bool {
	if r.Text == forever {
		r.put(l, Holder{Anonymous: true, NoExpiry: true})
		return true
	}
	t, ok := valueTime(r)
	if !ok {
		return false
	}
	r.put(l, Holder{Anonymous: true, Deadline: t.at})
	if len(l.Expired) > 0 {
		l.note("abandoned: free for the taking")
	}
	return true
}

// marks are the constants by which libraries say "taken" and no more.
var marks = map[string]bool{"": true, "1": true, "LOCK": true, "persistent": true, "true": true, `"exclusive"`: true}

func isMark(r *reading) bool {
	if marks[r.Text] {
		return true
	}
	t, ok := valueTime(r)
	return ok && plausible(t.at, r.Now, 10*year, startSkew) && r.deadline() != 0
}

// decodeMark: who holds it is not recorded. Where the value is the time of the
// acquisition, it tells one tenure from the next.
func decodeMark(r *reading, l *Lock) bool {
	h := Holder{Owner: r.Text, Anonymous: true}
	if t, ok := valueTime(r); ok && plausible(t.at, r.Now, 10*year, ahead) {
		h.Told = &Told{Shape: "start", Acquired: t.at}
	}
	r.put(l, h)
	return true
}

// suoStale is after how long suo takes a holder for dead, in its own code.
const suoStale = 3600 * second

// isSuo: nothing but a msgpack list of [float seconds, token] pairs. Other text
// hardly ever is one to its last byte.
func isSuo(r *reading) bool {
	list, ok := parseSuo(r.Text)
	return ok && len(list) > 0
}

func decodeSuo(r *reading, l *Lock) bool {
	list, ok := parseSuo(r.Text)
	if !ok {
		return false
	}
	for _, h := range list {
		at := int64(h.since * 1e6)
		r.put(l, Holder{Owner: h.token, Deadline: at + suoStale, Told: &Told{Shape: "suo", Acquired: at}})
	}
	return true
}

type suoHolder struct {
	since float64 // seconds
	token string
}

// parseSuo reads an array of [float64, string]; an empty value or array is
// nobody.
func parseSuo(s string) ([]suoHolder, bool) {
	if s == "" {
		return nil, true
	}
	n, s, ok := msgpackLength(s, 0x90, 0x9f, 0xdc)
	if !ok || n > MaxMembers {
		return nil, false
	}
	list := make([]suoHolder, n)
	for i := range list {
		// 0x92: a pair; 0xcb: eight bytes of float.
		if len(s) < 10 || s[0] != 0x92 || s[1] != 0xcb {
			return nil, false
		}
		since := math.Float64frombits(binary.BigEndian.Uint64([]byte(s[2:10])))
		if !(since >= year2000 && since < year2100) {
			return nil, false
		}
		var size int
		if size, s, ok = msgpackLength(s[10:], 0xa0, 0xbf, 0xd9); !ok || size > len(s) {
			return nil, false
		}
		list[i], s = suoHolder{since, s[:size]}, s[size:]
	}
	return list, s == ""
}

// msgpackLength reads the head of an array or a string: the length inside one
// byte, or behind the mark of the next longer form (two bytes for arrays, one
// for strings).
func msgpackLength(s string, lo, hi, long byte) (n int, rest string, ok bool) {
	switch {
	case s == "":
		return 0, "", false
	case lo <= s[0] && s[0] <= hi:
		return int(s[0] - lo), s[1:], true
	case s[0] == long && long == 0xdc && len(s) >= 3:
		return int(s[1])<<8 | int(s[2]), s[3:], true
	case s[0] == long && long == 0xd9 && len(s) >= 2:
		return int(s[1]), s[2:], true
	}
	return 0, "", false
}
