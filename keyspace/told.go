package keyspace

import (
	"encoding/base64"
	"encoding/hex"
	"strconv"
	"strings"
	"time"
)

// Tell says what an owner token tells by its own shape: who wrote it and when.
// It was written by the client and proves nothing; it is told only where it is
// plausible. now is the server's clock in µs since the epoch; without it (0) no
// time is plausible. Nil: no shape that we know. The answer may be shared and
// must not be changed.
func Tell(token string, now int64) *Told {
	if token == "" || len(token) > 512 {
		return nil
	}
	if !allBytes(token, isPrintable) {
		return tellBinary(token)
	}
	for _, tell := range tellers {
		if t := tell(token, now); t != nil {
			return t
		}
	}
	return nil
}

// tellers are tried in order: unmistakable shapes first, lengths last.
var tellers = []func(string, int64) *Told{
	tellShedLock, tellMedallion, tellUUID, tellHex, tellBase64, tellMetadata,
	tellMicrotime, tellHostProcess, tellWrapped, tellAlphanumeric,
}

// shapeOnly holds the answers that say nothing but the name of a shape: one of
// each for all tokens.
var shapeOnly = func() map[string]*Told {
	m := map[string]*Told{}
	for _, s := range []string{
		"uuid", "uuid-v4", "hex-32", "hex-50", "hex-64", "hex-80",
		"base64-16", "base64-18", "base64-32", "base64url-16",
		"alnum-16", "alnum-20", "alnum-22", "raw-16", "raw-20", "raw-24", "raw-32",
		"pickle", "php", "json",
	} {
		m[s] = &Told{Shape: s}
	}
	return m
}()

var uuid4 = shapeOnly["uuid-v4"]

// Raw bytes: rueidislock 24, rslock and redlock-rs 20, walrus 32, EasyCaching
// 16; Python pickles begin with their protocol.
func tellBinary(token string) *Told {
	if len(token) > 2 && token[0] == 0x80 && token[1] <= 5 && token[len(token)-1] == '.' {
		return shapeOnly["pickle"]
	}
	return shapeOnly["raw-"+strconv.Itoa(len(token))]
}

func tellShedLock(token string, now int64) *Told {
	v, ok := parseShedValue(token)
	if !ok {
		return nil
	}
	t := &Told{Shape: "shedlock", Host: v.host}
	if at, err := time.Parse(time.RFC3339Nano, v.time); err == nil && plausible(at.UnixMicro(), now, 10*year, 10*year) {
		t.Acquired = at.UnixMicro()
	}
	return t
}

func tellMedallion(token string, _ int64) *Told {
	id, ok := parseMedallionID(token)
	if !ok {
		return nil
	}
	return &Told{Shape: "medallion", Host: id.host, Process: id.process}
}

// How far from now a time inside a token may lie. Locks are rarely held for
// years, and a client's clock may be off by some hours.
const (
	oldest  = 5 * year
	ahead   = 86_400 * second
	newHome = year // for shapes that random text meets more easily
)

func tellUUID(token string, now int64) *Told {
	if len(token) < 36 || !isUUID(token[:36]) {
		return nil
	}
	uuid, rest := token[:36], token[36:]
	if rest == "" {
		switch uuid[14] {
		case '4':
			return uuid4
		case '1', '7':
			if t := tellTimedUUID(strings.ReplaceAll(uuid, "-", ""), now); t != nil {
				return t
			}
		}
		return shapeOnly["uuid"]
	}
	switch n, tx, _ := strings.Cut(rest[1:], ":"); {
	case rest[0] == ':' && isLongID(n) && (tx == "" || isLowerHex(tx, 32)):
		return &Told{Shape: "uuid:n", Process: uuid}
	case rest[0] == '-' && len(rest) > 1:
		return &Told{Shape: "uuid-text", Metadata: rest[1:]}
	}
	return nil
}

// tellTimedUUID reads the time inside a UUID of version 1 or 7, given as 32
// hexadecimal digits. A random one looks like version 1 in one of 64 cases, so
// the time must be plausible too.
func tellTimedUUID(flat string, now int64) *Told {
	if !strings.ContainsRune("89abAB", rune(flat[16])) {
		return nil
	}
	switch flat[12] {
	case '1':
		return tellUUID1(flat, now)
	case '7':
		ms, err := strconv.ParseInt(flat[:12], 16, 64)
		if err != nil || !plausible(ms*1000, now, oldest, ahead) {
			return nil
		}
		return &Told{Shape: "uuid-v7", Acquired: ms * 1000}
	}
	return nil
}

// gregorian is the distance of 1582-10-15, where UUIDs begin to count, to the
// Unix epoch, in their unit of 100 ns.
const gregorian = 0x01B21DD213814000

func tellUUID1(flat string, now int64) *Told {
	ticks, err := strconv.ParseInt(flat[13:16]+flat[8:12]+flat[:8], 16, 64)
	if err != nil {
		return nil
	}
	at := (ticks - gregorian) / 10
	if !plausible(at, now, oldest, ahead) {
		return nil
	}
	t := &Told{Shape: "uuid-v1", Acquired: at}
	// A node with the multicast bit is no network address: it was drawn at
	// random, once for each process.
	node, err := strconv.ParseUint(flat[20:22], 16, 8)
	if err != nil {
		return nil
	}
	if node&1 != 0 {
		t.Process = flat[20:]
		return t
	}
	mac := make([]byte, 0, 17)
	for i := 20; i < 32; i += 2 {
		if i > 20 {
			mac = append(mac, ':')
		}
		mac = append(mac, flat[i], flat[i+1])
	}
	t.Host = string(mac)
	return t
}

// tellHex: 32 digits may be a UUID without dashes, 13 are PHP's uniqid(): eight
// of seconds and five of microseconds.
func tellHex(token string, now int64) *Told {
	if !allBytes(token, isHexByte) {
		return nil
	}
	switch len(token) {
	case 13:
		s, err1 := strconv.ParseInt(token[:8], 16, 64)
		us, err2 := strconv.ParseInt(token[8:], 16, 64)
		at := s*second + us
		if err1 != nil || err2 != nil || us >= second || !plausible(at, now, newHome, ahead) {
			return nil
		}
		return &Told{Shape: "uniqid", Acquired: at}
	case 32:
		if t := tellTimedUUID(token, now); t != nil {
			return t
		}
		return shapeOnly["hex-32"]
	case 50, 64, 80:
		return shapeOnly["hex-"+strconv.Itoa(len(token))]
	}
	return nil
}

// tellBase64 names base64 tokens by the bytes inside; 16 of them may be a UUID.
func tellBase64(token string, now int64) *Told {
	if len(token) != 24 && len(token) != 44 || !mixed(token) {
		return nil
	}
	raw, err := base64.StdEncoding.DecodeString(token)
	if err != nil {
		return nil
	}
	if len(raw) == 16 {
		if t := tellTimedUUID(hex.EncodeToString(raw), now); t != nil {
			return t
		}
	}
	return shapeOnly["base64-"+strconv.Itoa(len(raw))]
}

// mixed reports whether text looks drawn at random: digits, capitals and small
// letters together. Names of hosts and jobs hardly ever are.
func mixed(s string) bool {
	var digit, upper, lower int
	for i := range len(s) {
		switch c := s[i]; {
		case isDigit(c):
			digit++
		case 'A' <= c && c <= 'Z':
			upper++
		case 'a' <= c && c <= 'z':
			lower++
		}
	}
	return digit > 0 && upper > 0 && lower > 0
}

func isBase64URL(c byte) bool { return isDigit(c) || isLetter(c) || c == '-' || c == '_' }

// tellMetadata: bsm/redislock writes 16 random bytes as 22 characters of
// base64url, then whatever the caller wants. The last of the 22 carries two
// bits only, so it is one of four letters.
func tellMetadata(token string, _ int64) *Told {
	const n = 22
	if len(token) < n || !allBytes(token[:n], isBase64URL) || strings.IndexByte("AQgw", token[n-1]) < 0 || !mixed(token[:n-1]) {
		return nil
	}
	if len(token) == n {
		return shapeOnly["base64url-16"]
	}
	return &Told{Shape: "base64url-16+text", Metadata: token[n:]}
}

// tellMicrotime reads "pid:0.12345600 1767323045:4711", where PHP's microtime()
// stands in the middle.
func tellMicrotime(token string, now int64) *Told {
	pid, rest, _ := strings.Cut(token, ":")
	clock, random, ok := strings.Cut(rest, ":")
	frac, secs, spaced := strings.Cut(clock, " ")
	if !ok || !spaced || !isDigits(pid) || !isDigits(random) || !isDigits(secs) || !strings.HasPrefix(frac, "0.") {
		return nil
	}
	at, ok := parseInstant(secs+frac[1:], seconds)
	if !ok || at.never || !plausible(at.at, now, oldest, ahead) {
		return nil
	}
	return &Told{Shape: "pid:microtime", Process: pid, Acquired: at.at}
}

func isHostByte(c byte) bool { return isDigit(c) || isLetter(c) || c == '.' || c == '-' || c == '_' }

func isHost(s string) bool {
	return len(s) <= 253 && allBytes(s, isHostByte) && strings.ContainsFunc(s, func(r rune) bool { return r < 0x80 && isLetter(byte(r)) })
}

// isPID reports whether s can be a process id: seven digits are more than any
// system hands out.
func isPID(s string) bool { return isDigits(s) && len(s) <= 7 && s[0] != '0' }

// tellHostProcess reads host:pid, and host:pid:nonce as Sidekiq writes it.
func tellHostProcess(token string, _ int64) *Told {
	host, rest, _ := strings.Cut(token, ":")
	pid, nonce, more := strings.Cut(rest, ":")
	if !isHost(host) || !isPID(pid) {
		return nil
	}
	switch {
	case !more:
		return &Told{Shape: "host:pid", Host: host, Process: pid}
	case isLowerHex(nonce, 12):
		return &Told{Shape: "host:pid:nonce", Host: host, Process: pid}
	}
	return nil
}

// tellWrapped names values that an application's serializer wrapped.
func tellWrapped(token string, _ int64) *Told {
	switch {
	case strings.HasPrefix(token, "s:") && strings.HasSuffix(token, `";`):
		return shapeOnly["php"]
	case token[0] == '{' && token[len(token)-1] == '}':
		return shapeOnly["json"]
	}
	return nil
}

func tellAlphanumeric(token string, _ int64) *Told {
	if !mixed(token) || !allBytes(token, func(c byte) bool { return isDigit(c) || isLetter(c) }) {
		return nil
	}
	return shapeOnly["alnum-"+strconv.Itoa(len(token))]
}
