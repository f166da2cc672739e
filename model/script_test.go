package model_test

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"leasetop/model"
)

var rewrite = flag.Bool("rewrite", false, "write what the model tells into the scripts; read the diff")

// TestScripts plays testdata/*.txt. A script reads like a story:
//
//	# remark
//	status synced                         a change in what can be seen (see status below)
//	1.000 event set,expire -> A@6.000     hints, then a reading: holder A until 6.000
//	2.000 poll -> gone                    no hints
//	2.000 event set,del -> ?              no reading
//	2.000 event hset on=h -> hash A*2@6 B@7 dead=C@1   type, counts, members whose time is over
//	2.000 event zadd -> zset A@6~2        a deadline reckoned from a refresh at 2
//	1.000 poll -> A@6 habit=2.5/5         a library that renews 5 s each 2.5 s; habit=0.5: by halves
//	9.000 now                             time passes
//	> acquired A ...                      what the model tells, written by -rewrite
//	! no-expiry A ...                     findings, in scripts that begin with "# Findings"
func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no scripts", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := play(t, string(b))
			if *rewrite {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if d := cmp.Diff(string(b), got); d != "" {
				t.Errorf("the story differs (-script +model):\n%s", d)
			}
		})
	}
}

const epoch = model.Instant(1_700_000_000_000_000)

func sec(s string) model.Instant {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		panic(err)
	}
	return epoch + model.Instant(f*1e6) // a time.Duration would not hold six centuries
}

type stage struct {
	ledger *model.Ledger
	seq    uint64
	inputs []model.Input
}

func play(t *testing.T, script string) string {
	s := &stage{ledger: model.NewLedger(model.Limits{})}
	inspector := model.NewInspector()
	var out strings.Builder
	lines := bufio.NewScanner(strings.NewReader(script))
	for lines.Scan() {
		line := lines.Text()
		if strings.HasPrefix(line, ">") || strings.HasPrefix(line, "!") {
			continue
		}
		out.WriteString(line + "\n")
		words := strings.Fields(line)
		if len(words) == 0 || strings.HasPrefix(line, "#") {
			continue
		}
		in := s.input(t, words)
		s.inputs = append(s.inputs, in)
		told := s.ledger.Apply(in)
		for _, tr := range told {
			out.WriteString("> " + tell(tr) + "\n")
		}
		if strings.HasPrefix(script, "# Findings") {
			found := append(inspector.Heed(s.ledger, told), inspector.Look(s.ledger, s.ledger.Now())...)
			for _, f := range found {
				fmt.Fprintf(&out, "! %s %s %s #%d since %s: %s\n", f.Rule.Severity, f.Rule.Name, name(f.Owner), f.Generation, clock(f.Since), f.Detail)
			}
		}
	}
	return out.String()
}

func (s *stage) input(t *testing.T, words []string) model.Input {
	if words[0] == "status" {
		return model.Input{Health: status(words[1:])}
	}
	at := sec(words[0])
	if words[1] == "now" {
		return model.Input{Advance: at}
	}
	s.seq++
	o := &model.Observation{Seq: s.seq, Key: model.Key{Node: "n", Name: "k"}, ToldAt: at}
	for src := model.SourceEvent; src <= model.SourcePoll; src++ {
		if src.String() == words[1] {
			o.Source = src
		}
	}
	rest := words[2:]
	for len(rest) > 0 && rest[0] != "->" {
		if name, ok := strings.CutPrefix(rest[0], "on="); ok {
			o.Key.Name = name
		} else if n, ok := strings.CutPrefix(rest[0], "lost="); ok {
			o.Lost, _ = strconv.Atoi(n)
		} else {
			for _, op := range strings.Split(rest[0], ",") {
				h := model.Hint{Op: op, At: at}
				if name, when, ok := strings.Cut(op, "@"); ok {
					h = model.Hint{Op: name, At: sec(when)}
				}
				o.Hints = append(o.Hints, h)
			}
		}
		rest = rest[1:]
	}
	if len(rest) < 2 {
		t.Fatalf("no reading in %q", words)
	}
	o.Reading = reading(at, rest[1:])
	return model.Input{Observation: o}
}

func status(words []string) *model.Health {
	h := &model.Health{Node: "n", State: model.State(words[0]), At: epoch}
	for _, w := range words[1:] {
		k, v, _ := strings.Cut(w, "=")
		switch k {
		case "at":
			h.At = sec(v)
		case "from":
			h.From = sec(v)
		case "to":
			h.To, h.At = sec(v), sec(v)
		case "notify":
			h.Notify = model.Notify(v)
		case "role":
			h.Role = v
		case "changed":
			h.Changed = true
		case "flushed":
			h.Flushed = true
		}
	}
	return h
}

func reading(at model.Instant, words []string) *model.Reading {
	switch words[0] {
	case "?":
		return nil
	case "gone":
		return &model.Reading{At: at, Type: "none"}
	}
	r := &model.Reading{At: at, Type: "string", Format: "string"}
	if words[0] == "hash" || words[0] == "zset" || words[0] == "string" || words[0] == "unknown" {
		r.Type, r.Format = words[0], words[0]
		words = words[1:]
	}
	for _, w := range words {
		dead := strings.HasPrefix(w, "dead=")
		w = strings.TrimPrefix(w, "dead=")
		if d, ok := strings.CutPrefix(w, "habit="); ok {
			r.Library, r.Habit = "lib", habit(d)
			continue
		}
		if d, ok := strings.CutPrefix(w, "key@"); ok {
			r.Deadline = sec(d)
			continue
		}
		var h model.Holder
		name, deadline, ok := strings.Cut(w, "@")
		if ok {
			deadline, refreshed, ok := strings.Cut(deadline, "~")
			if ok {
				h.Told = &model.Told{Refreshed: sec(refreshed)}
			}
			h.Deadline = sec(deadline)
		}
		name, count, ok := strings.Cut(name, "*")
		if ok {
			h.Count, _ = strconv.ParseInt(count, 10, 64)
		}
		h.Owner = name
		if dead {
			r.Expired = append(r.Expired, h)
			continue
		}
		r.Holders = append(r.Holders, h)
		if r.Type == "string" || r.Type == "hash" {
			r.Deadline = h.Deadline
		}
	}
	return r
}

// habit reads EVERY/TTL in seconds, or a share.
func habit(s string) *model.Habit {
	every, ttl, ok := strings.Cut(s, "/")
	if !ok {
		share, _ := strconv.ParseFloat(s, 64)
		return &model.Habit{Share: share}
	}
	return &model.Habit{Every: sec(every).Sub(epoch), TTL: sec(ttl).Sub(epoch)}
}

func clock(i model.Instant) string {
	if i == 0 {
		return "-"
	}
	return fmt.Sprintf("%.3f", i.Sub(epoch).Seconds())
}

func span(d time.Duration) string {
	if d == model.NoDuration {
		return "-"
	}
	return fmt.Sprintf("%.3f", d.Seconds())
}

func name(o model.Owner) string {
	if !o.Known {
		return "null"
	}
	return o.Token
}

func tell(t model.Transition) string {
	var b strings.Builder
	if t.Key.Name != "k" {
		fmt.Fprintf(&b, "%s: ", t.Key.Name)
	}
	fmt.Fprintf(&b, "%s %s #%d at %s", t.Change, name(t.Owner), t.Generation, clock(t.At))
	if t.Earliest != t.At || t.Latest != t.At {
		fmt.Fprintf(&b, " [%s %s]", clock(t.Earliest), clock(t.Latest))
	}
	fmt.Fprintf(&b, " until %s granted %s", clock(t.Deadline), span(t.Granted))
	if t.Held != model.NoDuration {
		fmt.Fprintf(&b, " held %s", span(t.Held))
	}
	if t.After != 0 {
		fmt.Fprintf(&b, " after %s free %s", t.After, span(t.Free))
	}
	if t.Count != 0 {
		fmt.Fprintf(&b, " count %d", t.Count)
	}
	if t.Renewals != 0 || t.Change == model.Renewed {
		fmt.Fprintf(&b, " renewals %d", t.Renewals)
		if !t.RenewalsExact {
			b.WriteString(" or more")
		}
	}
	if p := t.Previous; p != nil {
		fmt.Fprintf(&b, " was %s %s #%d until %s held %s", p.Format, name(p.Owner), p.Generation, clock(p.Deadline), span(p.Held))
	}
	if t.To != "" {
		fmt.Fprintf(&b, " to %s", t.To)
	}
	fmt.Fprintf(&b, " (%s, %s)", t.Certainty, t.Source)
	return b.String()
}
