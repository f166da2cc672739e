package lines

import (
	"bytes"
	"encoding/base64"
	"encoding/csv"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"leasetop/model"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares with a file of testdata, or writes it under -update.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s differs (-want +got):\n%s", name, diff)
	}
}

// tell writes everything that watch, check and demo can print.
func tell(format Format, style Style) []byte {
	var out bytes.Buffer
	w := NewWriter(&out, format, style)
	for _, h := range states() {
		w.Status(&h)
	}
	for _, tr := range story() {
		w.Transition(&tr)
	}
	for _, f := range findings() {
		w.Finding(&f)
	}
	for _, e := range workers() {
		w.Worker(&e)
	}
	v := verdict()
	w.Verdict(&v)
	w.Note("between us\x1b")
	w.Summary([]Verdict{v, {Scenario: "naive"}})
	if err := w.Flush(); err != nil {
		panic(err)
	}
	return out.Bytes()
}

func TestGoldenLines(t *testing.T) {
	golden(t, "watch.json", tell(JSON, Style{}))
	golden(t, "watch.csv", tell(CSV, Style{}))
	golden(t, "watch.txt", tell(Text, Style{}))
	golden(t, "watch-ascii.txt", tell(Text, Style{ASCII: true}))
	golden(t, "watch-color.txt", tell(Text, Style{Color: true}))
}

func TestASCIIStyleIsASCII(t *testing.T) {
	for _, c := range tell(Text, Style{ASCII: true}) {
		if c >= utf8.RuneSelf {
			t.Fatalf("byte %#x in a text that shall be ASCII", c)
		}
	}
}

func TestAliasNamesAnOwner(t *testing.T) {
	var out bytes.Buffer
	w := NewWriter(&out, Text, Style{Alias: func(token string) string {
		if token == "7f3ac19e" {
			return "payments\x1b"
		}
		return ""
	}})
	for _, tr := range story() {
		w.Transition(&tr)
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	if s := out.String(); !strings.Contains(s, `payments\x1b`) || strings.Contains(s, "7f3ac19e") || !strings.Contains(s, `51be\xff`) {
		t.Errorf("aliases:\n%s", s)
	}
}

func TestGoldenList(t *testing.T) {
	leases := readings()
	SortLeases(leases)
	for _, c := range []struct {
		name   string
		format Format
	}{{"list.json", JSON}, {"list.csv", CSV}, {"list.txt", Text}} {
		var out bytes.Buffer
		if err := WriteLeases(&out, c.format, Style{}, leases); err != nil {
			t.Fatal(err)
		}
		golden(t, c.name, out.Bytes())
	}
}

func TestNoLeasesPrintNothing(t *testing.T) {
	for _, format := range []Format{Text, JSON, CSV} {
		var out bytes.Buffer
		if err := WriteLeases(&out, format, Style{}, nil); err != nil || out.Len() > 0 {
			t.Errorf("format %d: %q, %v", format, out.String(), err)
		}
	}
}

// anyBytes draws names as strangers write them: text, raw bytes, escapes.
func anyBytes() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.String(),
		rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }),
		rapid.SampledFrom([]string{"", "\x1b]52;c;aGk=\a", "a\u202eb\u200b", "\ufe0f", "lock:\n{\"kind\":1}", "\u2028", "=1+1"}),
	)
}

func TestPropertyJSONGivesTheBytesBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		key, token, to := anyBytes().Draw(t, "key"), anyBytes().Draw(t, "token"), anyBytes().Draw(t, "to")
		node, format := anyBytes().Draw(t, "node"), anyBytes().Draw(t, "format")
		tr := model.Transition{Key: model.Key{Node: node, Name: key}, Entry: model.Entry{
			Owner: model.OwnerOf(token), To: to, Format: format, Change: model.Overwritten,
			Previous: &model.Previous{Owner: model.OwnerOf(key)},
		}}
		var out bytes.Buffer
		w := NewWriter(&out, JSON, Style{})
		w.Transition(&tr)
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		oneHarmlessLine(t, out.String())
		var got map[string]any
		if err := json.Unmarshal(out.Bytes(), &got); err != nil {
			t.Fatalf("%v in %s", err, out.String())
		}
		want := map[string]string{"key": key, "owner": token, "previous_owner": key}
		if to != "" {
			want["to"] = to
		}
		for name, raw := range want {
			if g := rawField(t, got, name); g != raw {
				t.Errorf("%s: %q, want %q", name, g, raw)
			}
		}
	})
}

// rawField reads a field that holds bytes as the contract says to read it.
func rawField(t *rapid.T, fields map[string]any, name string) string {
	if s, ok := fields[name].(string); ok {
		return s
	}
	b64, ok := fields[name+"_b64"].(string)
	if !ok {
		t.Fatalf("neither %s nor %s_b64 in %v", name, name, fields)
	}
	b, err := base64.StdEncoding.DecodeString(b64)
	if err != nil || utf8.Valid(b) {
		t.Fatalf("%s_b64 %q: %v, or it was UTF-8", name, b64, err)
	}
	return string(b)
}

// oneHarmlessLine fails on anything that a terminal would obey.
func oneHarmlessLine(t *rapid.T, s string) {
	body, ok := strings.CutSuffix(s, "\n")
	if !ok || !utf8.ValidString(body) {
		t.Fatalf("not one line of UTF-8: %q", s)
	}
	for _, r := range body {
		if !unicode.IsPrint(r) {
			t.Fatalf("%U in %q", r, s)
		}
	}
}

func TestPropertyTextIsHarmless(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		raw := anyBytes()
		tr := model.Transition{Key: model.Key{Name: raw.Draw(t, "key")}, Entry: model.Entry{
			Change: model.Change(rapid.IntRange(int(model.Found), int(model.Lost)).Draw(t, "change")),
			Owner:  model.OwnerOf(raw.Draw(t, "token")), To: raw.Draw(t, "to"), Format: raw.Draw(t, "format"),
			Previous: &model.Previous{Owner: model.OwnerOf(raw.Draw(t, "previous")), Format: raw.Draw(t, "previous format")},
		}}
		h := model.Health{Node: raw.Draw(t, "node"), State: model.StateDegraded, Detail: raw.Draw(t, "detail")}
		for _, write := range []func(*Writer){func(w *Writer) { w.Transition(&tr) }, func(w *Writer) { w.Status(&h) }} {
			var out bytes.Buffer
			w := NewWriter(&out, Text, Style{})
			write(w)
			if err := w.Flush(); err != nil {
				t.Fatal(err)
			}
			oneHarmlessLine(t, out.String())
		}
	})
}

func TestPropertyCSVGivesTheBytesBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		key := anyBytes().Draw(t, "key")
		l := Lease{model.Key{Name: key}, &model.Reading{Type: "string", Holders: []model.Holder{{Owner: key}}}}
		var out bytes.Buffer
		if err := WriteLeases(&out, CSV, Style{}, []Lease{l}); err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(&out).ReadAll()
		if err != nil || len(rows) != 2 {
			t.Fatalf("%v, %d rows", err, len(rows))
		}
		cell := func(name string) string {
			for i, c := range rows[0] {
				if c == name {
					return rows[1][i]
				}
			}
			t.Fatalf("no column %s", name)
			return ""
		}
		for _, name := range []string{"key", "owner"} {
			got := cell(name)
			if got == "" {
				b, err := base64.StdEncoding.DecodeString(cell(name + "_b64"))
				if err != nil {
					t.Fatal(err)
				}
				got = string(b)
			}
			if got != key {
				t.Errorf("%s: %q, want %q", name, got, key)
			}
		}
	})
}

func TestSpan(t *testing.T) {
	for _, c := range []struct {
		d    time.Duration
		want string
	}{
		{0, "0 ms"},
		{450 * time.Microsecond, "0.4 ms"},
		{112 * time.Millisecond, "112 ms"},
		{9999999 * time.Microsecond, "9.999 s"},
		{28 * time.Second, "28.00 s"},
		{12*time.Minute + 31*time.Second, "12m31s"},
		{184 * time.Minute, "3h04m"},
		{76 * time.Hour, "3d04h"},
		{-1500 * time.Millisecond, "-1.500 s"},
		{model.NoDuration, "?"},
	} {
		if got := span(c.d); got != c.want {
			t.Errorf("span(%v) = %q, want %q", c.d, got, c.want)
		}
	}
}

func TestTimeLeftIsNeverOverstated(t *testing.T) {
	for d, want := range map[time.Duration]int64{1999 * time.Microsecond: 1, -1 * time.Microsecond: -1, -1000 * time.Microsecond: -1, 0: 0} {
		if got := floorMillis(d); got != want {
			t.Errorf("floorMillis(%v) = %d, want %d", d, got, want)
		}
	}
}

// counter counts writes and can refuse them.
type counter struct {
	writes int
	err    error
}

func (c *counter) Write(b []byte) (int, error) {
	c.writes++
	return len(b), c.err
}

func TestABatchIsOneWriteAndErrorsComeThrough(t *testing.T) {
	out := &counter{}
	w := NewWriter(out, JSON, Style{})
	for _, tr := range story() {
		w.Transition(&tr)
	}
	if err := w.Flush(); err != nil || out.writes != 1 {
		t.Errorf("%d writes, %v", out.writes, err)
	}
	if err := w.Flush(); err != nil || out.writes != 1 {
		t.Errorf("an empty flush wrote: %d, %v", out.writes, err)
	}
	out.err = os.ErrClosed
	w.Verdict(&Verdict{})
	if err := w.Flush(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("the writer's error is lost: %v", err)
	}
}

func BenchmarkTransitionJSON(b *testing.B) {
	w, trs := NewWriter(&counter{}, JSON, Style{}), story()
	b.ReportAllocs()
	for b.Loop() {
		for i := range trs {
			w.Transition(&trs[i])
		}
		if err := w.Flush(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(trs)), "ns/line")
}
