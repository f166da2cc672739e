package keyspace

// Match reports whether a Redis glob selects a key, exactly as SCAN MATCH and
// KEYS decide it: case-sensitive, byte by byte, with Redis's own readings of
// what other globs call an error. An unterminated class ends with the pattern;
// a class may be empty and then matches nothing ([]a] is an empty class and
// the text "a]"); a range may stand backwards; a lone backslash at the end is
// itself. Bytes from 0x80 on are negative in a range, as on a server whose C
// compiler has a signed char (x86-64, and arm64 where it is built so).
//
// It takes time len(pattern)*len(key) at worst and never recurses.
func Match(pattern, key string) bool {
	// SCAN and KEYS take a lone star as "no pattern"; the matcher itself would
	// refuse the empty key.
	if pattern == "*" {
		return true
	}
	if pattern == "" || key == "" {
		return pattern == key
	}
	return matchRest(pattern, key)
}

// matchRest matches as the server's matcher does. Every element but the star
// takes exactly one byte, so going back to the last star alone is enough.
func matchRest(pattern, key string) bool {
	p, k := 0, 0
	star, from := -1, 0 // the last star's follower, and where its text may begin
	for k < len(key) {
		if p < len(pattern) && pattern[p] == '*' {
			for p < len(pattern) && pattern[p] == '*' {
				p++
			}
			if p == len(pattern) {
				return true
			}
			star, from = p, k
			continue
		}
		if p < len(pattern) {
			if next, ok := matchOne(pattern, p, key[k]); ok {
				p, k = next, k+1
				continue
			}
		}
		if star < 0 {
			return false
		}
		from++
		p, k = star, from
	}
	for p < len(pattern) && pattern[p] == '*' {
		p++
	}
	return p == len(pattern)
}

// matchOne matches the element at p against one byte and gives the position
// behind the element.
func matchOne(pattern string, p int, c byte) (next int, ok bool) {
	switch pattern[p] {
	case '?':
		return p + 1, true
	case '[':
		return matchClass(pattern, p+1, c)
	case '\\':
		if p+1 < len(pattern) {
			p++
		}
	}
	return p + 1, pattern[p] == c
}

// matchClass matches a class whose text begins at p, behind the bracket.
func matchClass(pattern string, p int, c byte) (next int, ok bool) {
	not := p < len(pattern) && pattern[p] == '^'
	if not {
		p++
	}
	for p < len(pattern) && pattern[p] != ']' {
		switch {
		case pattern[p] == '\\' && p+1 < len(pattern):
			ok = ok || pattern[p+1] == c
			p += 2
		case p+2 < len(pattern) && pattern[p+1] == '-':
			lo, hi := int8(pattern[p]), int8(pattern[p+2])
			if lo > hi {
				lo, hi = hi, lo
			}
			ok = ok || lo <= int8(c) && int8(c) <= hi
			p += 3
		default:
			ok = ok || pattern[p] == c
			p++
		}
	}
	return min(p+1, len(pattern)), ok != not
}
