package keyspace

import (
	"encoding/hex"
	"strings"
)

// isPermits: a sorted set of 16-byte members under a name that Redisson makes,
// or the count of free permits with such a set beside it.
func isPermits(r *reading) bool {
	if r.Type == "string" {
		c := r.companion(redissonSuffixed(r.Key, permitsSuffix))
		_, ok := parseCount(r.Text)
		return ok && c != nil && arePermits(c)
	}
	_, ok := permitsOf(r.Key)
	return ok && arePermits(r.Raw)
}

// arePermits reports whether every member is 16 bytes of which some are no
// text: ids are drawn at random.
func arePermits(raw *Raw) bool {
	binary := false
	for _, p := range raw.Pairs {
		if len(p.Name) != 16 {
			return false
		}
		binary = binary || !allBytes(p.Name, isPrintable)
	}
	return raw.Type == "zset" && binary
}

// decodePermits: an owner is the id of a permit as Redisson's users see it, in
// hexadecimal. Deadlines are by the clock of the client that acquired. The dead
// are given back by the next call of anybody.
func decodePermits(r *reading, l *Lock) bool {
	set, free := r.Raw, ""
	if r.Type == "string" {
		free = r.Text
		if _, ok := parseCount(free); !ok {
			return false
		}
		set = r.companion(redissonSuffixed(r.Key, permitsSuffix))
	}
	if set != nil {
		l.Library = "Redisson"
		for _, p := range set.Pairs {
			if len(p.Name) != 16 {
				return false
			}
			r.putScored(l, Holder{Owner: hex.EncodeToString([]byte(p.Name))}, p.Value, millis)
		}
		if set.Cut && set != r.Raw {
			l.note("%d of %d permits read", len(set.Pairs), set.Size)
		}
	}
	if free != "" {
		l.note("%s permits free", free)
	}
	return true
}

// putScored files a holder whose deadline is a score.
func (r *reading) putScored(l *Lock, h Holder, score string, u unit) {
	t, ok := parseInstant(score, u)
	if !ok {
		l.note("the score %.32q is no time", score)
	}
	h.Deadline, h.NoExpiry = t.at, t.never
	r.put(l, h)
}

const symfonyWriter = "__write__"

func isSymfonyToken(s string) bool {
	return len(s) == 44 && s[43] == '=' && allBytes(s[:43], func(c byte) bool {
		return isDigit(c) || isLetter(c) || c == '+' || c == '/'
	})
}

func isSymfony(r *reading) bool {
	if allPairs(r, func(p Pair) bool { return isSymfonyToken(p.Name) || p.Name == symfonyWriter }) {
		return true
	}
	for _, p := range r.Pairs {
		if p.Name == symfonyWriter {
			return true
		}
	}
	return false
}

// decodeSymfony: an exclusive lock is its owner and __write__ with one score. A
// dead __write__ may stay beside living readers, until somebody acquires.
func decodeSymfony(r *reading, l *Lock) bool {
	mode := "read"
	for _, p := range r.Pairs {
		if p.Name != symfonyWriter {
			continue
		}
		if t, ok := parseInstant(p.Value, millis); !ok || t.never || t.at >= r.Now {
			mode = "write"
		}
	}
	for _, p := range r.Pairs {
		if p.Name != symfonyWriter {
			r.putScored(l, Holder{Owner: p.Name, Mode: mode, Told: Tell(p.Name, r.Now)}, p.Value, millis)
		}
	}
	for i := range l.Expired {
		l.Expired[i].Mode = ""
	}
	return true
}

// isZsetDeadline: every score is a time in one unit, or none at all, and one of
// them lies ahead; or the members are such as only a deadline belongs to.
func isZsetDeadline(r *reading) bool {
	if allPairs(r, func(p Pair) bool { _, ok := parseMedallionID(p.Name); return ok }) {
		return true
	}
	times, ahead := r.scores()
	if !times {
		return false
	}
	// Without a deadline of its own the key cannot be the other format.
	return ahead || r.deadline() == 0
}

// refreshSkew is how far a client's clock may run ahead of the server's before
// the time of a refresh is taken for a deadline.
const refreshSkew = 5 * second

// scores reports whether all scores are times that somebody may have written
// in these years, in one unit, and whether one of them lies ahead or never
// comes.
func (r *reading) scores() (times, ahead bool) {
	var first unit
	times = allPairs(r, func(p Pair) bool {
		t, ok := parseInstant(p.Value, bySize)
		if !ok {
			return false
		}
		if t.never {
			ahead = true
			return true
		}
		n, _ := parseNumber(p.Value)
		u, _ := unitOf(n)
		if first == 0 {
			first = u
		}
		ahead = ahead || t.at > r.Now+refreshSkew
		return u == first && plausible(t.at, r.Now, 10*year, 10*year)
	})
	return times, ahead
}

// operatorBlock is the member by which tasktiger's operators stop a queue.
const operatorBlock = "SYSTEM_LOCK"

func decodeZsetDeadline(r *reading, l *Lock) bool {
	u := bySize
	if r.lib != nil {
		u = r.lib.unit
	}
	for _, p := range r.Pairs {
		h := Holder{Owner: p.Name, Told: Tell(p.Name, r.Now)}
		if p.Name == operatorBlock {
			l.note("%s: blocked by an operator", operatorBlock)
		}
		r.putScored(l, h, p.Value, u)
	}
	return true
}

// isZsetRefresh: all scores are past times and the key has a deadline.
func isZsetRefresh(r *reading) bool {
	times, ahead := r.scores()
	return times && !ahead && r.deadline() != 0
}

// decodeZsetRefresh: each refresh sets the key to live one timeout more, so the
// timeout is the key's deadline less the latest score, and a member ends as
// long before the key as its score is before the latest. No clock enters but
// the distance of the members' own; scores are by the clients' clocks. It is off
// by what the latest refresh was on its way, which is why Refreshed is given too.
//
// A client that holds several permits at once has members ID_0, ID_1, ...; they
// are one holder with a count.
func decodeZsetRefresh(r *reading, l *Lock) bool {
	if _, ahead := r.scores(); ahead {
		return false
	}
	var latest int64
	scored := make([]int64, len(r.Pairs))
	for i, p := range r.Pairs {
		t, ok := parseInstant(p.Value, millis)
		if !ok || t.never {
			return false
		}
		scored[i] = t.at
		latest = max(latest, t.at)
	}
	at := map[string]int{} // owner to its place among holders
	var holders []Holder
	for i, p := range r.Pairs {
		owner, many := permitOwner(p.Name)
		h := Holder{Owner: owner, Told: refreshed(Tell(owner, r.Now), scored[i])}
		if end := r.deadline(); end != 0 {
			h.Deadline = max(1, end-(latest-scored[i]))
		}
		if many {
			h.Count = 1
			if j, ok := at[owner]; ok {
				holders[j].Count++
				holders[j].Deadline = max(holders[j].Deadline, h.Deadline)
				holders[j].Told.Refreshed = max(holders[j].Told.Refreshed, scored[i])
				continue
			}
			at[owner] = len(holders)
		}
		holders = append(holders, h)
	}
	for _, h := range holders {
		r.put(l, h)
	}
	if r.deadline() == 0 {
		l.note("no deadline on the key, so the timeout is not known")
	}
	return true
}

// refreshed adds to what a token tells when its holder was refreshed.
func refreshed(t *Told, at int64) *Told {
	own := Told{Refreshed: at}
	if t != nil {
		own = *t // which others may share
		own.Refreshed = at
	}
	return &own
}

// permitOwner splits UUID_n.
func permitOwner(member string) (owner string, many bool) {
	id, n, ok := cutLast(member, "_")
	if ok && isDigits(n) && len(id) >= 36 && isUUID(id[:36]) {
		return id, true
	}
	return member, false
}

const (
	readersSuffix = ".readers"
	writerSuffix  = ".writer"
)

func isMedallionRW(r *reading) bool {
	if r.Type == "string" {
		_, ok := parseMedallionID(r.Text)
		return ok && strings.HasSuffix(r.Key, writerSuffix)
	}
	return strings.HasSuffix(r.Key, readersSuffix) && allPairs(r, func(p Pair) bool {
		_, ok := parseMedallionID(p.Name)
		return ok
	})
}

// decodeMedallionRW: readers share the deadline of their set; the writer's key
// may hold one that only waits for them to leave.
func decodeMedallionRW(r *reading, l *Lock) bool {
	base := strings.TrimSuffix(strings.TrimSuffix(r.Key, readersSuffix), writerSuffix)
	if base != r.Key {
		l.Group = base
	}
	if r.Type == "string" {
		if token, waits := strings.CutSuffix(r.Text, writerWaiting); waits {
			l.Waiters = []string{token}
			return true
		}
		r.put(l, Holder{Owner: r.Text, Mode: "write", Told: Tell(r.Text, r.Now)})
		return true
	}
	for _, p := range r.Pairs {
		r.put(l, Holder{Owner: p.Name, Mode: "read", Told: Tell(p.Name, r.Now)})
	}
	if c := r.companion(base + writerSuffix); c != nil && c.Type == "string" {
		if token, waits := strings.CutSuffix(c.Text, writerWaiting); waits {
			l.Waiters = []string{token}
		}
	}
	return true
}
