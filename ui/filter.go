package ui

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"leasetop/model"
)

// filter is what the user asked to see. Terms are separated by blanks and all
// of them must hold:
//
//	word          the key, the owner or its alias contains it
//	key: owner: format: node: with a word that it contains
//	db:0          state:held, no-expiry, overdue, free, unseen
//	ttl<5s held>1h renewed>3 gen>=2 with < > <= >= or =
//	!term         the opposite
//	"a b"         a word with blanks
type filter struct {
	text  string
	terms []term
	timed bool // its result changes as time passes
	state bool // it asks for the state
}

// sighting is a row at an instant, as a filter sees it.
type sighting struct {
	*row
	now   model.Instant
	state model.LeaseState
	alias string
}

// term is one condition.
type term struct {
	not  bool
	test func(s *sighting) bool
}

// filterError says what is wrong with a filter, and where.
type filterError struct {
	at   int // byte of the text
	what string
}

func (e *filterError) Error() string { return e.what }

// parseFilter reads a filter. A text that is not finished yet, as it is while
// it is typed, is an error like any other: *filterError.
func parseFilter(text string) (filter, error) {
	f := filter{text: text}
	for i := 0; i < len(text); {
		if text[i] == ' ' {
			i++
			continue
		}
		word, n, err := nextWord(text[i:])
		if err != nil {
			return f, &filterError{i, err.Error()}
		}
		t, timed, err := parseTerm(word)
		if err != nil {
			return f, &filterError{i, err.Error()}
		}
		f.terms = append(f.terms, t)
		f.timed = f.timed || timed
		f.state = f.state || strings.Contains(word, "state:")
		i += n
	}
	return f, nil
}

// nextWord takes a word off the front of s, with its quotes removed, and the
// bytes that it took.
func nextWord(s string) (word string, n int, err error) {
	var b strings.Builder
	quoted := false
	for n < len(s) && (quoted || s[n] != ' ') {
		if s[n] == '"' {
			quoted = !quoted
		} else {
			b.WriteByte(s[n])
		}
		n++
	}
	if quoted {
		return "", n, fmt.Errorf(`a quote (") is not closed`)
	}
	return b.String(), n, nil
}

func parseTerm(word string) (t term, timed bool, err error) {
	if rest, ok := strings.CutPrefix(word, "!"); ok {
		t.not, word = true, rest
		if word == "" {
			return t, false, fmt.Errorf("! needs a word behind it")
		}
	}
	if i := strings.IndexAny(word, "<>="); i > 0 && isName(word[:i]) && (word[i] != '=' || comparable[word[:i]]) {
		t.test, err = parseComparison(word, i)
		return t, true, err
	}
	if name, value, ok := strings.Cut(word, ":"); ok {
		test, timed, err := parseField(name, value)
		if test != nil || err != nil {
			t.test = test
			return t, timed, err
		}
	}
	lower := strings.ToLower(word)
	t.test = func(s *sighting) bool {
		return contains(s.key.Name, lower) || contains(s.owner.Token, lower) || contains(s.alias, lower)
	}
	return t, false, nil
}

// fieldNames are what stands before a colon in a filter. Keys hold colons too,
// so another name is part of a word, unless it is nearly one of these.
var fieldNames = []string{"key", "owner", "state", "format", "node", "db"}

// parseField reads name:value; no test and no error: it is a plain word.
func parseField(name, value string) (test func(*sighting) bool, timed bool, err error) {
	lower := strings.ToLower(value)
	switch name {
	case "key":
		test = func(s *sighting) bool { return contains(s.key.Name, lower) }
	case "owner":
		test = func(s *sighting) bool { return contains(s.owner.Token, lower) || contains(s.alias, lower) }
	case "format":
		test = func(s *sighting) bool { return contains(s.format.Value(), lower) }
	case "node":
		test = func(s *sighting) bool { return contains(s.key.Node, lower) }
	case "db":
		n, err := strconv.Atoi(value)
		if err != nil {
			return nil, false, fmt.Errorf("db: needs a number, as in db:0")
		}
		test = func(s *sighting) bool { return s.key.DB == n }
	case "state":
		return parseState(lower)
	default:
		if near := nearest(name, fieldNames); near != "" {
			return nil, false, fmt.Errorf("%s: is not known; did you mean %s:?", name, near)
		}
		return nil, false, nil
	}
	if value == "" {
		return nil, false, fmt.Errorf("%s: needs a word behind it", name)
	}
	return test, false, nil
}

var stateNames = map[string]model.LeaseState{
	"held": model.Held, "no-expiry": model.NoExpiry, "overdue": model.Over, "free": model.Free, "unseen": model.Blind,
}

func parseState(name string) (test func(*sighting) bool, timed bool, err error) {
	want, ok := stateNames[name]
	if !ok {
		return nil, false, fmt.Errorf("state: is one of held, no-expiry, overdue, free, unseen")
	}
	return func(s *sighting) bool { return s.state == want }, true, nil
}

// comparable are the names that a comparison knows. Tokens in base64 end in "=",
// so that sign alone makes no comparison.
var comparable = map[string]bool{"ttl": true, "held": true, "renewed": true, "gen": true}

func isName(s string) bool {
	for _, r := range s {
		if r < 'a' || r > 'z' {
			return false
		}
	}
	return true
}

// parseComparison reads name, operator and value; the operator is at i.
func parseComparison(word string, i int) (func(*sighting) bool, error) {
	name, op, value := word[:i], word[i:i+1], word[i+1:]
	if strings.HasPrefix(value, "=") && op != "=" {
		op, value = op+"=", value[1:]
	}
	holds := map[string]func(c int) bool{
		"<": func(c int) bool { return c < 0 }, "<=": func(c int) bool { return c <= 0 },
		">": func(c int) bool { return c > 0 }, ">=": func(c int) bool { return c >= 0 },
		"=": func(c int) bool { return c == 0 },
	}[op]
	switch name {
	case "ttl", "held":
		d, err := parseDuration(value)
		if err != nil {
			return nil, fmt.Errorf("%s%s needs a time with a unit, as in %s%s5s", name, op, name, op)
		}
		if name == "ttl" {
			return func(s *sighting) bool {
				return s.ended == 0 && s.deadline != 0 && holds(cmpOf(int64(s.deadline.Sub(s.now)), int64(d)))
			}, nil
		}
		return func(s *sighting) bool {
			return s.acquired != 0 && holds(cmpOf(int64(s.now.Sub(s.acquired)), int64(d)))
		}, nil
	case "renewed", "gen":
		n, err := strconv.Atoi(value)
		if err != nil {
			return nil, fmt.Errorf("%s%s needs a number, as in %s%s3", name, op, name, op)
		}
		return func(s *sighting) bool {
			v := s.renewals
			if name == "gen" {
				v = s.generation
			}
			return holds(cmpOf(int(v), n))
		}, nil
	}
	return nil, fmt.Errorf("%s cannot be compared; ttl, held, renewed and gen can", name)
}

// parseDuration reads a duration of package time, or days.
func parseDuration(s string) (time.Duration, error) {
	if days, ok := strings.CutSuffix(s, "d"); ok {
		n, err := strconv.ParseFloat(days, 64)
		return time.Duration(n * 24 * float64(time.Hour)), err
	}
	return time.ParseDuration(s)
}

// contains reports whether s holds a word in lower case, in any case.
func contains(s, lower string) bool {
	if strings.Contains(s, lower) {
		return true
	}
	return strings.Contains(strings.ToLower(s), lower)
}

// nearest is the word of a list that differs from s in one letter, or "".
func nearest(s string, list []string) string {
	for _, w := range list {
		if len(s) > 2 && oneApart(s, w) {
			return w
		}
	}
	return ""
}

// oneApart reports whether one letter added, lost, changed, or two exchanged
// make a of b.
func oneApart(a, b string) bool {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	a, b = a[i:], b[i:]
	switch {
	case len(a) == len(b)+1:
		return a[1:] == b
	case len(b) == len(a)+1:
		return b[1:] == a
	case len(a) != len(b) || a == "":
		return false
	}
	return a[1:] == b[1:] || len(a) > 1 && a[0] == b[1] && a[1] == b[0] && a[2:] == b[2:]
}

// has reports whether a row at an instant is to be seen.
func (f *filter) has(s *sighting) bool {
	for _, t := range f.terms {
		if t.test(s) == t.not {
			return false
		}
	}
	return true
}
