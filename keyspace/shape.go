package keyspace

import "strings"

// Small tests of text, written out because they run for every value read.

func allBytes(s string, ok func(c byte) bool) bool {
	for i := range len(s) {
		if !ok(s[i]) {
			return false
		}
	}
	return true
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func isHexByte(c byte) bool { return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' }

func isLowerHexByte(c byte) bool { return isDigit(c) || 'a' <= c && c <= 'f' }

func isPrintable(c byte) bool { return ' ' <= c && c < 0x7f }

// isHex reports whether s is n hexadecimal digits of either case.
func isHex(s string, n int) bool { return len(s) == n && allBytes(s, isHexByte) }

func isLowerHex(s string, n int) bool { return len(s) == n && allBytes(s, isLowerHexByte) }

// isUUID reports whether s is a dashed UUID of any version.
func isUUID(s string) bool {
	if len(s) != 36 || s[8] != '-' || s[13] != '-' || s[18] != '-' || s[23] != '-' {
		return false
	}
	for i := range len(s) {
		if !isHexByte(s[i]) && i != 8 && i != 13 && i != 18 && i != 23 {
			return false
		}
	}
	return true
}

// isInteger reports whether s is a decimal integer that fits in 18 digits.
func isInteger(s string) bool {
	s = strings.TrimPrefix(s, "-")
	return isDigits(s) && len(s) <= 18
}

// cutUUID splits "uuid:rest".
func cutUUID(s string) (uuid, rest string, ok bool) {
	if len(s) < 37 || s[36] != ':' || !isUUID(s[:36]) {
		return "", "", false
	}
	return s[:36], s[37:], true
}

// redissonField is a hash field that names a hold: instance:thread, with a
// transaction id where one holds it.
type redissonField struct{ instance, thread, transaction string }

func parseRedissonField(s string) (f redissonField, ok bool) {
	uuid, rest, ok := cutUUID(s)
	if !ok {
		return f, false
	}
	thread, tx, has := strings.Cut(rest, ":")
	if !isLongID(thread) || has && !isLowerHex(tx, 32) {
		return f, false
	}
	return redissonField{uuid, thread, tx}, true
}

// isLongID reports whether s is a Java long, a thread id or a number that the
// caller chose.
func isLongID(s string) bool {
	s = strings.TrimPrefix(s, "-")
	return isDigits(s) && len(s) <= 19
}

// medallionID is machine_pid_guid, the identity that Medallion writes.
type medallionID struct {
	host, process string
	waiting       bool // a writer in the queue, not a holder
}

const writerWaiting = "_WRITERWAITING"

func parseMedallionID(s string) (id medallionID, ok bool) {
	s, id.waiting = strings.CutSuffix(s, writerWaiting)
	rest, guid, ok := cutLast(s, "_")
	if !ok || !isLowerHex(guid, 32) {
		return id, false
	}
	id.host, id.process, ok = cutLast(rest, "_")
	return id, ok && id.host != "" && isDigits(id.process) && allBytes(id.host, isPrintable)
}

// cutLast splits at the last mark.
func cutLast(s, mark string) (before, after string, ok bool) {
	i := strings.LastIndex(s, mark)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(mark):], true
}

// shedValue is ADDED:<time>@<host>:<uuid>.
type shedValue struct{ time, host string }

func parseShedValue(s string) (v shedValue, ok bool) {
	s, ok = strings.CutPrefix(s, "ADDED:")
	if !ok {
		return v, false
	}
	v.time, s, ok = strings.Cut(s, "@")
	if !ok || !strings.HasSuffix(v.time, "Z") {
		return v, false
	}
	host, id, ok := cutLast(s, ":")
	v.host = host
	return v, ok && host != "" && isUUID(id)
}
