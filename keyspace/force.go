package keyspace

import (
	"errors"
	"fmt"
	"strings"
)

// ErrForce means that a --format word cannot be used.
var ErrForce = errors.New("keyspace: unusable format")

// Force says that keys which a glob selects are of a format, whatever they look
// like.
type Force struct {
	Pattern string
	Format  string
}

// Forces are tried in order; the first that selects a key decides.
type Forces []Force

// ParseForce reads PATTERN=NAME, where NAME is a format's. A pattern may hold
// equals signs: the last one counts. It may return ErrForce.
func ParseForce(word string) (Force, error) {
	pattern, name, ok := cutLast(word, "=")
	if !ok || pattern == "" {
		return Force{}, fmt.Errorf("%w: %q is not PATTERN=NAME", ErrForce, word)
	}
	if formatNamed(name) == nil {
		names := make([]string, len(formats))
		for i := range formats {
			names[i] = formats[i].Name
		}
		return Force{}, fmt.Errorf("%w: no format is called %q; there are %s", ErrForce, name, strings.Join(names, ", "))
	}
	return Force{Pattern: pattern, Format: name}, nil
}

func (f Forces) formatFor(key string) *Format {
	for i := range f {
		if Match(f[i].Pattern, key) {
			return formatNamed(f[i].Format)
		}
	}
	return nil
}
