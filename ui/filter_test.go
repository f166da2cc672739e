package ui

import (
	"errors"
	"strings"
	"testing"
	"time"
	"unique"

	"leasetop/model"
)

func TestFilter(t *testing.T) {
	rows := map[string]sighting{
		"invoice": {row: &row{key: model.Key{Node: "n1", Name: "lock:Invoice:42"}, owner: model.OwnerOf("7f3a=="), format: unique.Make("string"),
			deadline: noon.Add(3 * time.Second), acquired: noon.Add(-time.Minute), renewals: 2, generation: 5}, state: model.Held},
		"report": {row: &row{key: model.Key{Node: "n2", DB: 3, Name: "lock:report 17"}, owner: model.OwnerOf("pod-b"), format: unique.Make("redisson"),
			deadline: noon.Add(30 * time.Second), acquired: noon.Add(-2 * time.Hour)}, state: model.Held, alias: "reports"},
		"mail": {row: &row{key: model.Key{Node: "n1", Name: "mail"}, owner: model.OwnerOf("pod-a"), format: unique.Make("string")}, state: model.NoExpiry},
		"done": {row: &row{key: model.Key{Node: "n1", Name: "done"}, ended: noon, deadline: noon.Add(time.Second), format: unique.Make("")}, state: model.Free},
	}
	for _, c := range []struct{ filter, want string }{
		{"", "done invoice mail report"},
		{"invoice", "invoice"},
		{"INVOICE", "invoice"},
		{"lock: !invoice", "report"},
		{"pod", "mail report"},
		{"owner:pod !owner:pod-a", "report"},
		{"reports", "report"},
		{"owner:reports", "report"},
		{"7f3a==", "invoice"},
		{"ttl<5s", "invoice"},
		{"ttl>=3s ttl<=30s", "invoice report"},
		{"!ttl<1d", "done mail"},
		{"held>1h", "report"},
		{"held>1d", ""},
		{"renewed>1", "invoice"},
		{"renewed=0 lock:", "report"},
		{"gen>=5", "invoice"},
		{"state:no-expiry", "mail"},
		{"!state:held", "done mail"},
		{"format:redis", "report"},
		{"node:n2", "report"},
		{"db:3", "report"},
		{"db:0 lock", "invoice"},
		{`"report 17"`, "report"},
		{`key:"lock:report 1"`, "report"},
		{"lock:invoice:42", "invoice"},
		{"zebra", ""},
	} {
		f, err := parseFilter(c.filter)
		if err != nil {
			t.Errorf("%q: %v", c.filter, err)
			continue
		}
		var got []string
		for _, name := range []string{"done", "invoice", "mail", "report"} {
			s := rows[name]
			s.now = noon
			if f.has(&s) {
				got = append(got, name)
			}
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%q shows %q, want %q", c.filter, s, c.want)
		}
	}
}

func TestFilterErrors(t *testing.T) {
	for _, c := range []struct {
		filter string
		at     int
		word   string
	}{
		{"a !", 2, "!"},
		{"ttl<", 0, "ttl<5s"},
		{"a ttl<5", 2, "unit"},
		{"ttl<soon", 0, "unit"},
		{"size>3", 0, "size"},
		{"renewed>x", 0, "number"},
		{"state:gone", 0, "held, no-expiry"},
		{"ownr:x", 0, "owner:"},
		{"db:x", 0, "number"},
		{"owner:", 0, "word"},
		{`"open`, 0, "quote"},
	} {
		_, err := parseFilter(c.filter)
		var fe *filterError
		if !errors.As(err, &fe) {
			t.Errorf("%q: no error", c.filter)
			continue
		}
		if fe.at != c.at || !strings.Contains(fe.what, c.word) {
			t.Errorf("%q: at %d %q, want at %d with %q", c.filter, fe.at, fe.what, c.at, c.word)
		}
	}
}

func FuzzFilter(f *testing.F) {
	for _, s := range []string{"ttl<5s", `!owner:"a b"`, "state:held", "!!a", "<>", `"`, "held>1d x:y"} {
		f.Add(s)
	}
	s := sighting{row: &row{key: model.Key{Name: "lock:a"}, owner: model.OwnerOf("b")}, now: noon, state: model.Held}
	f.Fuzz(func(t *testing.T, text string) {
		flt, err := parseFilter(text)
		if err == nil {
			flt.has(&s)
		}
	})
}
