package judge

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"leasetop/watcher"
)

// A scenario file reads from top to bottom:
//
//	# remarks
//	server --maxmemory 2mb                    further arguments of every server
//	watch main lock:* interval=250ms notify=off
//	                                          a watcher: name, patterns, options (db= node= tracking=
//	                                          no-touch child late); it watches from before the first step
//	0.000 A SET lock:a t NX PX 3000 -> OK     time in s, actor or actor@node, command, expected reply
//	1.000 !restart                            an action, see stage_test.go
//	3.500 at lock:a held t until 0+3          what the ledger must say at that time, or soon after
//	story main                                the lines from here on are about this watcher
//	= 0 lock:a acquired t until 0+3           each line that it must tell, in order within a key
//	never lock:a released                     words of a line that it must not tell
//	finding ran-out lock:a                    each finding, no other may be there
//	status gap / no-status gap
//	sent-never keys / sent-at-most 60         commands of the watcher
//	ignore cache:*                            keys whose lines do not matter
//	end 4.5                                   how long to watch; 0.4 s after the last step if not said
//
// A time in a line is a step's nominal time, and means the instant at which the
// step was really carried out; 0+3 is that plus three seconds; 1..2.5 is a span.
type scenario struct {
	name    string
	server  []string
	watches []watchSpec
	steps   []stepSpec
	stories map[string]*story
	end     float64
}

type watchSpec struct {
	name, node        string
	config            watcher.Config
	patterns          []string
	child, late, cuts bool
}

type stepSpec struct {
	at          float64
	actor, node string
	words       []string
	reply       string // "": not looked at
}

type story struct {
	lines     []wantLine
	never     [][]string
	ignore    []string
	findings  []string // "rule key"
	status    []string
	noStatus  []string
	sentNever []string
	sentMost  uint64 // 0: not looked at
}

// wantLine is one line that must be told.
type wantLine struct {
	text   string
	at     moment
	key    string
	change string
	owner  string
	fields map[string]string
}

// moment is a time of a scenario: of a step plus an offset, or a span.
type moment struct {
	step, plus float64
	lo, hi     float64
	kind       momentKind
}

type momentKind uint8

const (
	whenever momentKind = iota // "?"
	ofStep
	ofSpan
	never // "none"
)

func parseMoment(s string) (moment, error) {
	switch s {
	case "?":
		return moment{}, nil
	case "none":
		return moment{kind: never}, nil
	}
	if a, b, ok := strings.Cut(s, ".."); ok {
		lo, err := strconv.ParseFloat(a, 64)
		if err != nil {
			return moment{}, err
		}
		hi, err := strconv.ParseFloat(b, 64)
		return moment{kind: ofSpan, lo: lo, hi: hi}, err
	}
	a, b, plus := strings.Cut(s, "+")
	step, err := strconv.ParseFloat(a, 64)
	if err != nil || !plus {
		return moment{kind: ofStep, step: step}, err
	}
	off, err := strconv.ParseFloat(b, 64)
	return moment{kind: ofStep, step: step, plus: off}, err
}

func readScenario(file string) (*scenario, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	s := &scenario{name: strings.TrimSuffix(filepath.Base(file), ".txt"), stories: map[string]*story{}}
	about := "main"
	for n, line := range strings.Split(string(b), "\n") {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		if name, ok := strings.CutPrefix(line, "story "); ok {
			about = name
			continue
		}
		if s.stories[about] == nil {
			s.stories[about] = &story{}
		}
		if err := s.line(line, s.stories[about]); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, n+1, err)
		}
	}
	if s.end == 0 && len(s.steps) > 0 {
		s.end = s.steps[len(s.steps)-1].at + 0.4
	}
	return s, nil
}

func (s *scenario) line(line string, about *story) error {
	words, err := splitWords(line)
	if err != nil {
		return err
	}
	switch words[0] {
	case "server":
		s.server = words[1:]
	case "watch":
		w, err := parseWatch(words[1:])
		s.watches = append(s.watches, w)
		return err
	case "end":
		s.end, err = strconv.ParseFloat(words[1], 64)
		return err
	case "=":
		w, err := parseLine(line, words[1:])
		about.lines = append(about.lines, w)
		return err
	case "never":
		about.never = append(about.never, words[1:])
	case "ignore":
		about.ignore = append(about.ignore, words[1:]...)
	case "finding":
		about.findings = append(about.findings, strings.Join(words[1:], " "))
	case "status":
		about.status = append(about.status, words[1])
	case "no-status":
		about.noStatus = append(about.noStatus, words[1])
	case "sent-at-most":
		about.sentMost, err = strconv.ParseUint(words[1], 10, 64)
		return err
	case "sent-never":
		about.sentNever = append(about.sentNever, words[1])
	default:
		return s.step(line, words)
	}
	return nil
}

func (s *scenario) step(line string, words []string) error {
	at, err := strconv.ParseFloat(words[0], 64)
	if err != nil || len(words) < 2 {
		return fmt.Errorf("%q is neither a step nor a word of the language", line)
	}
	st := stepSpec{at: at, words: words[2:]}
	st.actor, st.node, _ = strings.Cut(words[1], "@")
	for i, w := range st.words {
		if w == "->" {
			st.reply = strings.Join(st.words[i+1:], " ")
			st.words = st.words[:i]
			break
		}
	}
	s.steps = append(s.steps, st)
	return nil
}

func parseWatch(words []string) (watchSpec, error) {
	w := watchSpec{name: words[0]}
	for _, word := range words[1:] {
		name, value, ok := strings.Cut(word, "=")
		var err error
		switch {
		case word == "no-touch":
			w.config.NoTouch = true
		case word == "child":
			w.child = true
		case word == "late":
			w.late = true
		case word == "cuts":
			w.cuts = true
		case ok && name == "db":
			w.config.DB, err = strconv.Atoi(value)
		case ok && name == "node":
			w.node = value
		case ok && name == "interval":
			w.config.Interval, err = time.ParseDuration(value)
		case ok && name == "notify":
			w.config.Notify = watcher.Mode(value)
		case ok && name == "tracking":
			w.config.Tracking = watcher.Mode(value)
		default:
			w.patterns = append(w.patterns, word)
		}
		if err != nil {
			return w, err
		}
	}
	return w, nil
}

// parseLine reads TIME KEY CHANGE OWNER and then pairs of a field and its value,
// and the word "inferred".
func parseLine(text string, words []string) (wantLine, error) {
	if len(words) < 4 {
		return wantLine{}, fmt.Errorf("%q is no line: time, key, change, owner", text)
	}
	at, err := parseMoment(words[0])
	w := wantLine{text: text, at: at, key: words[1], change: words[2], owner: words[3], fields: map[string]string{}}
	for i := 4; i < len(words); i++ {
		if words[i] == "inferred" || words[i] == "observed" {
			w.fields["certainty"] = words[i]
			continue
		}
		if i+1 == len(words) {
			return w, fmt.Errorf("%q has a field without a value", text)
		}
		w.fields[words[i]] = words[i+1]
		i++
	}
	return w, err
}
