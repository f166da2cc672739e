package applog_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"leasetop/demo/applog"
	"leasetop/model"
)

const renewal = `{"kind":"worker","key":"lock:invoice:42","at":"2026-12-02T12:04:30.801204Z","jobId":"invoice-42","executionId":"attempt-a","pod":"worker-a","event":"lease_renewal","elapsedMs":4200,"outcome":"timeout"}`

func TestParse(t *testing.T) {
	e, err := applog.Parse([]byte(renewal))
	at := model.InstantOf(time.Date(2026, 12, 2, 12, 4, 30, 801204000, time.UTC))
	want := model.WorkerEvent{Key: "lock:invoice:42", At: at, JobID: "invoice-42", ExecutionID: "attempt-a", Pod: "worker-a", Event: "lease_renewal", ElapsedMs: 4200, Outcome: "timeout"}
	if err != nil || !reflect.DeepEqual(e, want) {
		t.Errorf("read as %+v (%v)", e, err)
	}
	full := `{"key_b64":"/wA=","owner_b64":"/g==","at":"2026-12-02T13:04:30.801204+01:00","executionId":"x","event":"job_stopped","fence":33,"stopMs":7,"detail":"d","more":[1]}`
	e, err = applog.Parse([]byte(full))
	if err != nil || e.Key != "\xff\x00" || e.Owner != "\xfe" || e.At != at || *e.Fence != 33 || *e.StopMs != 7 || e.Detail != "d" {
		t.Errorf("read as %+v (%v)", e, err)
	}
}

func TestWhatDoesNotFit(t *testing.T) {
	change := func(old, new string) string { return strings.Replace(renewal, old, new, 1) }
	for text, says := range map[string]string{
		"INFO lease renewed": "no JSON",
		`{"kind":"worker"`:   "no JSON",
		"[1]":                "no object",
		change(`"worker","key"`, `"metric","key"`):   `kind "metric" is not worker`,
		change("lease_renewal", "lease_renewed"):     `event "lease_renewed"`,
		change("timeout", "maybe"):                   `outcome "maybe"`,
		change(`"2026-12-02T12:04:30.801204Z"`, `1`): "at is a number",
		change("2026-12-02T12", "2026-13-02T12"):     "RFC 3339",
		change("lock:invoice:42", ""):                "no key",
		change("attempt-a", ""):                      "no executionId",
		change("4200", "-1"):                         "below zero",
		change("4200", `"4200"`):                     "elapsedMs is a string",
		change(`"key":`, `"key_b64":"***","x":`):     "key_b64",
	} {
		if e, err := applog.Parse([]byte(text)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s\nwas read as %+v (%v)", text, e, err)
		}
	}
}

// collected gathers events for a test that waits for them.
type collected struct {
	mu     sync.Mutex
	events []model.WorkerEvent
}

func (c *collected) add(e model.WorkerEvent) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.events = append(c.events, e)
}

func (c *collected) names() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var names []string
	for _, e := range c.events {
		names = append(names, e.ExecutionID)
	}
	return strings.Join(names, " ")
}

func named(name string) string { return strings.Replace(renewal, "attempt-a", name, 1) }

func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !holds(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited in vain: %s", what)
		}
	}
}

func follow(t *testing.T, f *applog.Follower) (*collected, func() error) {
	t.Helper()
	var c collected
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- f.Run(ctx, c.add) }()
	t.Cleanup(cancel)
	return &c, func() error { cancel(); return <-ended }
}

func TestAFileThatGrows(t *testing.T) {
	path := filepath.Join(t.TempDir(), "workers.jsonl")
	write := func(text string) {
		t.Helper()
		f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteString(text); err != nil {
			t.Fatal(err)
		}
		_ = f.Close()
	}
	write(named("one") + "\n\n" + `{"kind":"verdict"}` + "\nnonsense\n")
	f, err := applog.Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	got, end := follow(t, f)
	until(t, "what is there", func() bool { return got.names() == "one" })
	half := named("two")
	write(half[:40])
	write(half[40:] + "\r\n" + named("three")[:10])
	until(t, "a line in two parts", func() bool { return got.names() == "one two" })
	// The third one never gets its end: the file is cut.
	if err := os.Truncate(path, 0); err != nil {
		t.Fatal(err)
	}
	write(named("four") + "\n")
	until(t, "after the cut", func() bool { return got.names() == "one two four" })
	// And another file takes its name.
	if err := os.Rename(path, path+".1"); err != nil {
		t.Fatal(err)
	}
	write(strings.Repeat("x", 200<<10) + "\n" + named("five") + "\n")
	until(t, "after the change of files", func() bool { return got.names() == "one two four five" })
	if err := end(); err != nil {
		t.Error(err)
	}
	c := f.Counts()
	if c.Events != 4 || c.Other != 1 || c.Bad != 2 || c.First == nil || c.First.Number != 4 || c.First.Text != "nonsense" || c.First.Why != "no JSON" {
		t.Errorf("counted %+v, first %+v", c, c.First)
	}
}

func TestAPipe(t *testing.T) {
	r, w := io.Pipe()
	f, err := applog.Open("-", r)
	if err != nil {
		t.Fatal(err)
	}
	got, _ := follow(t, f)
	for i := range 100 {
		fmt.Fprintf(w, "%s\n", named(fmt.Sprint(i)))
	}
	fmt.Fprint(w, named("last without an end"))
	_ = w.Close()
	until(t, "all lines", func() bool { return strings.HasSuffix(got.names(), "99 last without an end") })
	if c := f.Counts(); c.Lines != 101 || c.Events != 101 || c.Bad != 0 {
		t.Errorf("counted %+v", c)
	}
}

func TestAPipeThatStaysSilentDoesNotHoldUpTheEnd(t *testing.T) {
	r, w := io.Pipe()
	defer w.Close()
	f, err := applog.Open("-", r)
	if err != nil {
		t.Fatal(err)
	}
	_, end := follow(t, f)
	if err := end(); err != nil {
		t.Error(err)
	}
}

func TestFilesThatCannotBeRead(t *testing.T) {
	for _, path := range []string{filepath.Join(t.TempDir(), "none"), t.TempDir()} {
		if _, err := applog.Open(path, nil); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(renewal))
	f.Add([]byte(`{"kind":"status"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		e, err := applog.Parse(text)
		if err == nil && (e.Key == "" || e.Event == "" || e.ExecutionID == "") {
			t.Errorf("an event without its names: %+v", e)
		}
	})
}
