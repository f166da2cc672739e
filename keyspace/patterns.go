package keyspace

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ErrPattern means that a pattern of the command line cannot be used.
var ErrPattern = errors.New("keyspace: unusable pattern")

// Patterns say which keys are watched: a key is, when any glob selects it and
// no exclusion does. The order of the globs is kept: the first that selects a
// key owns it, so that a key reached through several subscriptions counts once.
// The zero value selects nothing. It is safe for concurrent use.
type Patterns struct {
	globs    []string
	excluded []string
	defaults bool
	selector *selector
}

// ParsePatterns reads the PATTERN words of the command line: globs, and
// !PATTERN for keys to leave out (\! begins a glob with a literal mark). With
// no glob among them the patterns of the known libraries are used, and
// Defaults tells so. It may return ErrPattern.
func ParsePatterns(words []string) (Patterns, error) {
	var p Patterns
	for _, w := range words {
		list, glob := &p.globs, w
		if strings.HasPrefix(w, "!") {
			list, glob = &p.excluded, w[1:]
		}
		if glob == "" {
			return Patterns{}, fmt.Errorf("%w: %q is empty", ErrPattern, w)
		}
		if !slices.Contains(*list, glob) {
			*list = append(*list, glob)
		}
	}
	if len(p.globs) == 0 {
		p.globs, p.defaults = DefaultPatterns(), true
	}
	p.selector = newSelector(p.globs)
	return p, nil
}

// Match reports whether a key is watched, and the glob that owns it.
func (p *Patterns) Match(key string) (pattern string, ok bool) {
	if p.selector == nil {
		return "", false
	}
	i := p.selector.next(key, 0)
	if i < 0 || p.excludes(key) {
		return "", false
	}
	return p.globs[i], true
}

func (p *Patterns) excludes(key string) bool {
	for _, g := range p.excluded {
		if Match(g, key) {
			return true
		}
	}
	return false
}

// Globs lists the globs in order, without the exclusions. The caller must not
// change it.
func (p *Patterns) Globs() []string { return p.globs }

// Excluded lists the globs of keys to leave out, without their mark.
func (p *Patterns) Excluded() []string { return p.excluded }

// Defaults reports whether no glob was given and those of the known libraries
// are in use.
func (p *Patterns) Defaults() bool { return p.defaults }

// Prefixes lists what watched keys begin with, sorted, without those that a
// shorter one covers: the prefixes for CLIENT TRACKING, which refuses
// overlapping ones and knows no glob. One empty prefix stands for every key.
// What tracking then reports must still pass Match.
func (p *Patterns) Prefixes() []string {
	heads := make([]string, 0, len(p.globs))
	for _, g := range p.globs {
		heads = append(heads, LiteralPrefix(g))
	}
	slices.Sort(heads)
	kept := heads[:0]
	for _, h := range heads {
		// Sorted, so whatever covers h stands right before it.
		if len(kept) == 0 || !strings.HasPrefix(h, kept[len(kept)-1]) {
			kept = append(kept, h)
		}
	}
	return kept
}
