package keyspace

import (
	"encoding/binary"
	"encoding/json"
	"strconv"
	"strings"
)

// parseCount reads a hold count. What does not fit saturates.
func parseCount(s string) (int64, bool) {
	if !isDigits(s) {
		return 0, false
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return 1<<63 - 1, true
	}
	return n, true
}

func allPairs(r *reading, ok func(p Pair) bool) bool {
	for _, p := range r.Pairs {
		if !ok(p) {
			return false
		}
	}
	return len(r.Pairs) > 0
}

// isHold reports whether a field is a hold of Redisson: owner and a positive
// count.
func isHold(field, value string) bool {
	_, ok := parseRedissonField(field)
	n, num := parseCount(value)
	return ok && num && n > 0
}

func isRedisson(r *reading) bool {
	return allPairs(r, func(p Pair) bool { return isHold(p.Name, p.Value) })
}

// hold is a holder out of a Redisson field.
func hold(field, value string) (Holder, bool) {
	f, ok := parseRedissonField(strings.TrimSuffix(field, writeHold))
	n, num := parseCount(value)
	if !ok || !num || n == 0 {
		return Holder{}, false
	}
	h := Holder{Owner: field, Count: n, Told: &Told{Shape: "redisson", Process: f.instance, Thread: f.thread}}
	if f.transaction != "" {
		h.Told.Metadata = "transaction " + f.transaction
	}
	return h, true
}

func decodeRedisson(r *reading, l *Lock) bool {
	for _, p := range r.Pairs {
		h, ok := hold(p.Name, p.Value)
		if !ok {
			return false
		}
		r.put(l, h)
	}
	decodeQueue(r, l)
	if c := r.companion(redissonName(redissonToken, r.Key)); c != nil {
		l.Fence = fenceOf(c)
	}
	return true
}

// fenceOf is the number in a companion, nil when it is none.
func fenceOf(c *Raw) *int64 {
	if c.Type != "string" || !isInteger(c.Text) {
		return nil
	}
	n, err := strconv.ParseInt(c.Text, 10, 64)
	if err != nil {
		return nil
	}
	return &n
}

// decodeQueue attaches the waiters of a fair lock. Both of its keys outlive a
// crash; who stands in the queue past its time is dropped by the next lock or
// unlock, and does not count here.
func decodeQueue(r *reading, l *Lock) {
	queue := r.companion(redissonName(redissonQueue, r.Key))
	if queue == nil || queue.Type != "list" {
		return
	}
	until := map[string]int64{}
	if c := r.companion(redissonName(redissonTimeout, r.Key)); c != nil && c.Type == "zset" {
		for _, p := range c.Pairs {
			if t, ok := parseInstant(p.Value, millis); ok && !t.never {
				until[p.Name] = t.at
			}
		}
	}
	l.Waiters = []string{}
	var late int
	for _, p := range queue.Pairs {
		if t := until[p.Name]; t != 0 && t < r.Now {
			late++
			continue
		}
		l.Waiters = append(l.Waiters, p.Name)
	}
	if late > 0 {
		l.note("%d in the queue past their time", late)
	}
	if queue.Cut {
		l.note("%d of %d in the queue read", len(queue.Pairs), queue.Size)
	}
}

const writeHold = ":write"

func isRedissonRW(r *reading) bool {
	var mode string
	others := allPairs(r, func(p Pair) bool {
		if p.Name == "mode" {
			mode = p.Value
			return true
		}
		return isHold(strings.TrimSuffix(p.Name, writeHold), p.Value)
	})
	return others && len(r.Pairs) > 1 && (mode == "read" || mode == "write")
}

// decodeRedissonRW: a write hold lives as long as the key. A read hold lives as
// long as the last of its own keys; once they are gone its field stays behind
// and holds nothing.
func decodeRedissonRW(r *reading, l *Lock) bool {
	for _, p := range r.Pairs {
		if p.Name == "mode" {
			continue
		}
		h, ok := hold(p.Name, p.Value)
		if !ok {
			return false
		}
		h.Mode = "read"
		if strings.HasSuffix(p.Name, writeHold) {
			h.Mode = "write"
			r.put(l, h)
			continue
		}
		at, gone := r.readHoldEnd(p.Name, h.Count)
		h.Deadline = at
		if gone {
			l.Expired = append(l.Expired, h)
			continue
		}
		r.put(l, h)
	}
	return true
}

// readHoldEnd is the latest deadline among a reader's own keys, 0 when none was
// read or one has none. gone: every one of them was asked for and none is there;
// the hold's end is then not known, and the time of the reading stands for the
// latest that it can have been.
func (r *reading) readHoldEnd(owner string, count int64) (at int64, gone bool) {
	var missing int64
	for _, key := range readHoldKeys(r.Key, owner, count, len(r.Pairs)) {
		switch c := r.companion(key); {
		case c != nil:
			at = max(at, (&reading{Raw: c}).deadline())
		case r.asked(key):
			missing++
		}
	}
	if missing == count {
		return r.Now, true
	}
	return at, false
}

const (
	itemDeadline = ":expire_time"
	itemCount    = ":lock_count"
)

func isRedissonMulti(r *reading) bool {
	var ends, counts int
	for _, p := range r.Pairs {
		switch {
		case strings.HasSuffix(p.Name, itemDeadline):
			ends++
		case strings.HasSuffix(p.Name, itemCount):
			counts++
		}
	}
	return ends > 0 && counts > 0
}

// decodeRedissonMulti: ITEM holds the owner, ITEM:OWNER:expire_time and
// ITEM:OWNER:lock_count the rest. One owner may hold many items, so a holder is
// named ITEM:OWNER, as its own fields begin.
func decodeRedissonMulti(r *reading, l *Lock) bool {
	fields := make(map[string]string, len(r.Pairs))
	for _, p := range r.Pairs {
		fields[p.Name] = p.Value
	}
	for _, p := range r.Pairs {
		end, ok := fields[p.Name+":"+p.Value+itemDeadline]
		if !ok {
			continue
		}
		h := Holder{Owner: p.Name + ":" + p.Value}
		if f, ok := parseRedissonField(p.Value); ok {
			h.Told = &Told{Shape: "redisson", Process: f.instance, Thread: f.thread, Metadata: "item " + p.Name}
		}
		h.Count, _ = parseCount(fields[h.Owner+itemCount])
		t, ok := parseInstant(end, millis)
		if !ok {
			l.note("no time in %s", h.Owner+itemDeadline)
		}
		h.Deadline, h.NoExpiry = t.at, t.never
		r.put(l, h)
	}
	return len(l.Holders)+len(l.Expired) > 0
}

const (
	lockedSuffix  = ":LOCKED"
	grabbedSuffix = ":GRABBED"
)

func isHashHolders(r *reading) bool {
	return strings.HasSuffix(r.Key, lockedSuffix) || strings.HasSuffix(r.Key, grabbedSuffix)
}

// decodeHashHolders: field is the holder, or a slot's number where the library
// does not record one; the value is when it came, or a JSON text with that.
func decodeHashHolders(r *reading, l *Lock) bool {
	slots := strings.HasSuffix(r.Key, grabbedSuffix)
	for _, p := range r.Pairs {
		r.put(l, Holder{Owner: p.Name, Anonymous: slots, Told: toldSince(p.Value, r.Now)})
	}
	if c := r.companion(strings.TrimSuffix(r.Key, lockedSuffix) + ":QUEUED"); c != nil && c.Type == "list" && !slots {
		l.Waiters = []string{}
		for _, p := range c.Pairs {
			// An unlock leaves a "1" behind to wake whoever waits.
			if p.Name != "1" {
				l.Waiters = append(l.Waiters, p.Name)
			}
		}
	}
	return true
}

// toldSince reads the value beside a holder.
func toldSince(value string, now int64) *Told {
	var job struct {
		Time          json.Number
		Worker, Queue string
	}
	text := value
	t := &Told{Shape: "since"}
	if strings.HasPrefix(value, "{") && json.Unmarshal([]byte(value), &job) == nil {
		text, t.Metadata = job.Time.String(), strings.TrimSpace(job.Worker+" "+job.Queue)
	}
	if at, ok := parseInstant(text, bySize); ok && !at.never && plausible(at.at, now, 10*year, ahead) {
		t.Acquired = at.at
	}
	if t.Acquired == 0 && t.Metadata == "" {
		return nil
	}
	return t
}

// isSessionOwner reports whether a field is JuiceFS's SESSION_OWNER.
func isSessionOwner(s string) (session string, ok bool) {
	session, owner, ok := strings.Cut(s, "_")
	return session, ok && isDigits(session) && isHex(owner, 16)
}

func isJuiceFS(r *reading) bool {
	base := r.Key
	if i := strings.LastIndexByte(base, '}'); i >= 0 { // the prefix on a cluster
		base = base[i+1:]
	}
	n, ok := strings.CutPrefix(base, "lockf")
	if !ok {
		n, ok = strings.CutPrefix(base, "lockp")
	}
	return ok && isDigits(n) && allPairs(r, func(p Pair) bool { _, ok := isSessionOwner(p.Name); return ok })
}

// decodeJuiceFS: a session lives as long as its score in allSessions, which
// this key does not show. A lockp value is a row of 24-byte records, big
// endian: type (1 writes), pid, start, end.
func decodeJuiceFS(r *reading, l *Lock) bool {
	for _, p := range r.Pairs {
		session, ok := isSessionOwner(p.Name)
		if !ok {
			return false
		}
		h := Holder{Owner: p.Name, Told: &Told{Shape: "session", Process: session}}
		switch {
		case p.Value == "R":
			h.Mode = "read"
		case p.Value == "W":
			h.Mode = "write"
		case p.Value != "" && len(p.Value)%24 == 0:
			h.Mode = "read"
			for rest := p.Value; rest != ""; rest = rest[24:] {
				if binary.BigEndian.Uint32([]byte(rest[:4])) == 1 {
					h.Mode = "write"
				}
				h.Count++
			}
			h.Told.Thread = strconv.FormatUint(uint64(binary.BigEndian.Uint32([]byte(p.Value[4:8]))), 10)
		default:
			l.note("the lock of %s is not understood", p.Name)
		}
		r.put(l, h)
	}
	return true
}

// decodeHashTable: Huey keeps locks among the results of its tasks, one field
// each, with no owner and no end.
func decodeHashTable(r *reading, l *Lock) bool {
	for _, p := range r.Pairs {
		if strings.Contains(p.Name, ".lock.") {
			r.put(l, Holder{Owner: p.Name, Anonymous: true})
		}
	}
	return true
}
