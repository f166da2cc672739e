package keyspace

import (
	"math/bits"
	"strings"
)

// selector finds which of many globs select a key, in their order. A sweep asks
// for every key of a database, and nearly all are refused: so two sets of bits,
// of the globs that allow the first byte and of those that allow the last, leave
// few to look at.
type selector struct {
	list        []candidate
	first, last [256]bitset
}

type bitset []uint64

// candidate is a glob taken apart for speed; most keys are refused by its head
// or its tail.
type candidate struct {
	glob string
	head string // what a key must begin with
	tail string // what it must end with, behind the head
	mid  string // what must stand between, where the glob is *mid*
	easy bool   // head, tail and mid are all that the glob says
}

func newSelector(globs []string) *selector {
	s := &selector{list: make([]candidate, len(globs))}
	words := (len(globs) + 63) / 64
	for b := range s.first {
		s.first[b], s.last[b] = make(bitset, words), make(bitset, words)
	}
	for i, g := range globs {
		c := takeApart(g)
		s.list[i] = c
		for b := range 256 {
			if c.head == "" || c.head[0] == byte(b) {
				s.first[b][i/64] |= 1 << (i % 64)
			}
			if c.tail == "" || c.tail[len(c.tail)-1] == byte(b) {
				s.last[b][i/64] |= 1 << (i % 64)
			}
		}
	}
	return s
}

// next is the first glob at or behind from that selects the key, -1 when none
// does.
func (s *selector) next(key string, from int) int {
	if key == "" {
		return s.nextEmpty(from)
	}
	first, last := s.first[key[0]], s.last[key[len(key)-1]]
	for w := from / 64; w < len(first); w++ {
		set := first[w] & last[w]
		if w == from/64 {
			set &= ^uint64(0) << (from % 64)
		}
		for ; set != 0; set &= set - 1 {
			if i := w*64 + bits.TrailingZeros64(set); s.list[i].selects(key) {
				return i
			}
		}
	}
	return -1
}

// nextEmpty: the server has its own mind about the empty key.
func (s *selector) nextEmpty(from int) int {
	for i := from; i < len(s.list); i++ {
		if Match(s.list[i].glob, "") {
			return i
		}
	}
	return -1
}

// takeApart finds the literal parts of a glob.
func takeApart(glob string) candidate {
	head, n := literalHead(glob)
	c := candidate{glob: glob, head: head}
	rest := glob[n:]
	if strings.ContainsAny(rest, `[\`) {
		return c
	}
	i := strings.LastIndexAny(rest, "*?")
	c.tail = rest[i+1:]
	switch mid := strings.Trim(rest[:max(i, 0)], "*"); {
	case i < 0 || rest[i] == '?' || strings.ContainsAny(mid, "*?"):
	case mid == "":
		c.easy = strings.HasPrefix(rest, "*")
	case head == "" && c.tail == "":
		c.mid, c.easy = mid, true
	}
	return c
}

func (c *candidate) selects(key string) bool {
	if len(key) < len(c.head)+len(c.tail) || !strings.HasPrefix(key, c.head) || !strings.HasSuffix(key, c.tail) {
		return false
	}
	if c.easy {
		return strings.Contains(key, c.mid)
	}
	return Match(c.glob, key)
}

// LiteralPrefix is what every key that a glob selects begins with.
func LiteralPrefix(glob string) string {
	head, _ := literalHead(glob)
	return head
}

// literalHead is the unescaped literal beginning of a glob and the length of
// its spelling.
func literalHead(glob string) (head string, n int) {
	end := strings.IndexAny(glob, `*?[\`)
	if end < 0 {
		return glob, len(glob)
	}
	b := []byte(glob[:end])
	for end < len(glob) {
		switch glob[end] {
		case '*', '?', '[':
			return string(b), end
		case '\\':
			if end+1 < len(glob) {
				end++
			}
		}
		b = append(b, glob[end])
		end++
	}
	return string(b), end
}
