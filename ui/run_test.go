package ui

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"leasetop/model"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/vt"
)

// lineFeed is a Feed whose script runs in the time of a synctest bubble.
type lineFeed struct {
	start  time.Time
	mu     sync.Mutex
	seq    uint64
	script func(ctx context.Context, f *lineFeed, emit func([]model.Input)) error
	done   bool
}

func (f *lineFeed) Now() model.Instant {
	if f.start.IsZero() {
		return noon
	}
	return noon.Add(time.Since(f.start))
}

func (f *lineFeed) Counters() model.Counters {
	return model.Counters{Address: "127.0.0.1:6379/0", State: model.StateSynced, Source: model.SourceEvent, Connected: true, Synced: true,
		Interval: 2 * time.Second}
}

func (f *lineFeed) Run(ctx context.Context, emit func([]model.Input)) error {
	defer func() {
		f.mu.Lock()
		f.done = true
		f.mu.Unlock()
	}()
	return f.script(ctx, f, emit)
}

// held is the observation of a key that is taken, or renewed, now.
func (f *lineFeed) held(name, owner string, ttl time.Duration, ops ...string) []model.Input {
	f.seq++
	d := f.Now().Add(ttl)
	o := &model.Observation{Seq: f.seq, Key: model.Key{Node: node, Name: name}, Source: model.SourceEvent, ToldAt: f.Now(),
		Reading: &model.Reading{At: f.Now(), Type: "string", Format: "string", Deadline: d, Holders: []model.Holder{{Owner: owner, Deadline: d}}}}
	for _, op := range ops {
		o.Hints = append(o.Hints, model.Hint{Op: op, At: f.Now()})
	}
	return []model.Input{{Observation: o}}
}

// display is an emulated terminal that counts what is written to it.
type display struct {
	mu    sync.Mutex
	emu   *vt.Emulator
	bytes int
	raw   bytes.Buffer
}

func (d *display) Write(b []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.bytes += len(b)
	d.raw.Write(b)
	_, err := d.emu.Write(bytes.ReplaceAll(b, []byte("\n"), []byte("\r\n"))) // as a terminal's driver does
	return len(b), err
}

func (d *display) String() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.emu.String()
}

func (d *display) sent() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.bytes
}

// session runs the whole program in a bubble; play runs beside it, and ends it
// by its return.
func session(t *testing.T, script func(context.Context, *lineFeed, func([]model.Input)) error, play func(*lineFeed, *display), change ...func(*Config)) (d *display, err error) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		feed := &lineFeed{start: time.Now(), script: script}
		d = &display{emu: vt.NewEmulator(120, 30)}
		profile := colorprofile.ANSI256
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() {
			cfg := Config{Feed: feed, NoInput: true, NoSignals: true, Output: d, Environ: []string{"TERM=xterm-256color"},
				Width: 120, Height: 30, Profile: &profile}
			for _, c := range change {
				c(&cfg)
			}
			ended <- Run(ctx, cfg)
		}()
		time.Sleep(50 * time.Millisecond)
		play(feed, d)
		cancel()
		err = <-ended
		if !feed.done {
			t.Error("Run returned before its feed")
		}
		time.Sleep(3 * time.Second) // the last tick of Bubble Tea runs out
	})
	return d, err
}

func wantOn(t *testing.T, d *display, words ...string) {
	t.Helper()
	for _, w := range words {
		if !strings.Contains(d.String(), w) {
			t.Errorf("%q is not on the terminal:\n%s", w, d.String())
		}
	}
}

// A change is on the terminal within a frame or two of its arrival, a countdown
// runs by itself, and a deadline shows at once.
func TestChangesReachTheTerminal(t *testing.T) {
	_, err := session(t, func(ctx context.Context, f *lineFeed, emit func([]model.Input)) error {
		emit([]model.Input{{Health: &model.Health{Node: node, At: f.Now(), State: model.StateSynced}}})
		time.Sleep(500 * time.Millisecond)
		emit(f.held("lock:a", "pod-a", 3*time.Second, "set", "expire"))
		<-ctx.Done()
		return ctx.Err()
	}, func(f *lineFeed, d *display) {
		time.Sleep(440 * time.Millisecond)
		if strings.Contains(d.String(), "lock:a") {
			t.Error("a lease before there is one")
		}
		time.Sleep(30 * time.Millisecond)
		wantOn(t, d, "lock:a", "pod-a", "▶ ACQUIRED")
		time.Sleep(time.Second)
		wantOn(t, d, " 2.0")
		time.Sleep(2020 * time.Millisecond)
		synctest.Wait()
		wantOn(t, d, "overdue")
	})
	if err != nil {
		t.Errorf("Run: %v", err)
	}
}

// A burst is taken whole: emit blocks behind the screen and drops nothing.
func TestABurstIsTakenWhole(t *testing.T) {
	const n = 40_000
	session(t, func(ctx context.Context, f *lineFeed, emit func([]model.Input)) error {
		for i := range n {
			emit(f.held(fmt.Sprintf("lock:%d", i), "pod-a", time.Hour, "set", "expire"))
		}
		<-ctx.Done()
		return nil
	}, func(f *lineFeed, d *display) {
		time.Sleep(20 * time.Second)
		wantOn(t, d, "40,000 leases")
	})
}

// What little changes on a screen of ticking leases costs little.
func TestTickingIsCheap(t *testing.T) {
	session(t, func(ctx context.Context, f *lineFeed, emit func([]model.Input)) error {
		for i := range 30 {
			emit(f.held(fmt.Sprintf("lock:%d", i), fmt.Sprint("pod-", i), 9500*time.Millisecond+time.Duration(i)*33*time.Millisecond, "set", "expire"))
		}
		<-ctx.Done()
		return nil
	}, func(f *lineFeed, d *display) {
		time.Sleep(3 * time.Second)
		before := d.sent()
		time.Sleep(5 * time.Second)
		if per := (d.sent() - before) / 50; per < 50 || per > 1000 {
			t.Errorf("%d bytes a frame, want under 1,000", per)
		}
	})
}

func TestFeedErrorEndsTheScreen(t *testing.T) {
	wrong := errors.New("WRONGPASS invalid username-password pair")
	d, err := session(t, func(context.Context, *lineFeed, func([]model.Input)) error {
		time.Sleep(time.Second)
		return wrong
	}, func(*lineFeed, *display) { time.Sleep(2 * time.Second) })
	if !errors.Is(err, wrong) {
		t.Errorf("Run: %v, want %v", err, wrong)
	}
	restored(t, d)
}

func TestFeedPanicRestoresTheTerminal(t *testing.T) {
	d, err := session(t, func(context.Context, *lineFeed, func([]model.Input)) error { panic("a bug") },
		func(*lineFeed, *display) { time.Sleep(time.Second) })
	if err == nil || !strings.Contains(err.Error(), "a bug") {
		t.Errorf("Run: %v", err)
	}
	restored(t, d)
}

// A bug in the screen itself leaves a usable terminal behind, too.
func TestPanicInTheScreenRestoresTheTerminal(t *testing.T) {
	silent, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func(e *os.File) { os.Stderr = e; _ = silent.Close() }(os.Stderr)
	os.Stderr = silent // Bubble Tea prints the stack
	d, err := session(t, func(ctx context.Context, f *lineFeed, emit func([]model.Input)) error {
		time.Sleep(300 * time.Millisecond)
		emit(f.held("lock:a", "pod-a", time.Second, "set"))
		<-ctx.Done()
		return nil
	}, func(*lineFeed, *display) { time.Sleep(time.Second) }, func(c *Config) {
		c.Record = func(...model.Input) { panic("a bug") }
	})
	if !errors.Is(err, tea.ErrProgramPanic) {
		t.Errorf("Run: %v", err)
	}
	restored(t, d)
}

// A recording that is over leaves the screen standing.
func TestEndOfARecording(t *testing.T) {
	d, err := session(t, func(ctx context.Context, f *lineFeed, emit func([]model.Input)) error {
		emit(f.held("lock:a", "pod-a", time.Hour, "set", "expire"))
		return nil
	}, func(f *lineFeed, d *display) {
		time.Sleep(3 * time.Second)
		wantOn(t, d, "lock:a", "the recording is over")
	})
	if err != nil {
		t.Errorf("Run: %v", err)
	}
	restored(t, d)
}

// restored fails unless the program has left the alternate screen and shown the
// cursor again.
func restored(t *testing.T, d *display) {
	t.Helper()
	raw := d.raw.String()
	for _, seq := range []string{"\x1b[?1049l", "\x1b[?25h"} {
		if !strings.Contains(raw, seq) {
			t.Errorf("%q was not sent", seq)
		}
	}
	if strings.LastIndex(raw, "\x1b[?1049h") > strings.LastIndex(raw, "\x1b[?1049l") {
		t.Error("the alternate screen is still on")
	}
}
