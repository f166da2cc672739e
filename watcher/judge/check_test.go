package judge

import (
	"fmt"
	"strings"

	"leasetop/model"
)

// check waits until the ledger says what a step `at` wants: KEY STATE [OWNER]
// and pairs of field and value, or `of WATCHER` first.
func (g *stage) check(st stepSpec) {
	words := st.words
	name := "main"
	if words[0] == "of" {
		name, words = words[1], words[2:]
	}
	o := g.observers[name]
	var why string
	if !eventually(func() bool {
		o.state(func(l *model.Ledger) { why = g.lacks(l, words) })
		return why == ""
	}) {
		g.fault("at %.3f %s: %s", st.at, strings.Join(words, " "), why)
	}
}

// lacks says what keeps the ledger from the wanted state; "" when nothing does.
func (g *stage) lacks(l *model.Ledger, words []string) string {
	var lease *model.Lease
	for x := range l.Leases() {
		if x.Key.Name == words[0] {
			lease = x
		}
	}
	if lease == nil {
		if words[1] == "unknown" {
			return ""
		}
		return "the key is not known"
	}
	if got := l.State(lease, l.Now()).String(); got != words[1] {
		return "the state is " + got
	}
	if len(words) < 3 {
		return ""
	}
	for i := range lease.Tenures {
		if why := g.tenureLacks(lease, &lease.Tenures[i], words[2:]); why == "" || i == len(lease.Tenures)-1 {
			return why
		}
	}
	return "nobody holds it"
}

func (g *stage) tenureLacks(lease *model.Lease, t *model.Tenure, words []string) string {
	if got := ownerWord(t.Owner); words[0] != "-" && words[0] != got {
		return "the owner is " + got
	}
	for i := 1; i+1 < len(words); i += 2 {
		got := ""
		switch words[i] {
		case "until":
			m, _ := parseMoment(words[i+1])
			s, ok := g.instants(m)
			if !ok || t.Deadline < s.lo-2*millisecond || t.Deadline > s.hi+2*millisecond {
				return "the deadline is " + g.clock(t.Deadline)
			}
			continue
		case "count":
			got = fmt.Sprint(t.Count)
		case "mode":
			got = t.Mode
		case "format":
			got = lease.Reading.Format
		case "type":
			got = lease.Reading.Type
		case "renewals":
			got = fmt.Sprint(t.Renewals)
		}
		if got != words[i+1] {
			return words[i] + " is " + got
		}
	}
	return ""
}
