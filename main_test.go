package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"leasetop/model"
	"leasetop/ui/lines"
	"leasetop/watcher"
)

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"watch", "watch", 0}, {"wach", "watch", 1}, {"wtach", "watch", 1}, {"lsit", "list", 1},
		{"", "list", 4}, {"dcotro", "doctor", 2}, {"lock", "list", 3},
	} {
		if got := distance(c.a, c.b); got != c.want {
			t.Errorf("distance(%q, %q) = %d, want %d", c.a, c.b, got, c.want)
		}
		if got := distance(c.b, c.a); got != c.want {
			t.Errorf("distance(%q, %q) = %d, want %d", c.b, c.a, got, c.want)
		}
	}
}

func TestFingerprintsAreStableAndTellTokensApart(t *testing.T) {
	key := bytes.Repeat([]byte{7}, maskKeySize)
	a := fingerprint(key, "7f3a")
	if a != fingerprint(key, "7f3a") || a == fingerprint(key, "7f3b") || a == fingerprint(append([]byte{8}, key[1:]...), "7f3a") {
		t.Error("a fingerprint depends on the token and the key, and on nothing else")
	}
	if !regexp.MustCompile(`^[A-Z2-7]{13}$`).MatchString(a) {
		t.Errorf("%q is not 8 bytes in base32", a)
	}
}

func TestMaskKeyIsMadeOnceAndKeptSecret(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state", "leasetop", "mask-key")
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if err := makeMaskKey(path); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	first, err := os.ReadFile(path)
	if err != nil || len(first) != maskKeySize {
		t.Fatalf("%d bytes, %v", len(first), err)
	}
	if err := makeMaskKey(path); err != nil {
		t.Fatal(err)
	}
	if again, _ := os.ReadFile(path); !bytes.Equal(first, again) {
		t.Error("the key was made anew")
	}
	if info, _ := os.Stat(path); info.Mode().Perm() != 0o600 {
		t.Errorf("mode %o", info.Mode().Perm())
	}
	if left, _ := os.ReadDir(filepath.Dir(path)); len(left) != 1 {
		t.Errorf("%d files are left beside the key", len(left)-1)
	}
}

func TestReport(t *testing.T) {
	server := &watcher.Error{Doing: "connect to h:1", Err: errors.New("refused\x1b[2J"), Hint: "is it running?"}
	for _, c := range []struct {
		err    error
		status int
		stderr string
	}{
		{nil, 0, ""},
		{context.Canceled, 0, ""},
		{syscall.EPIPE, 0, ""},
		{errNegative, 1, ""},
		{usage(errors.New("no"), "try"), 2, "leasetop: read the arguments: no\nhint: try\n"},
		{server, 3, "leasetop: connect to h:1: refused\\x1b[2J\nhint: is it running?\n"},
		{&watcher.Error{Doing: "read the URL", Err: watcher.ErrOptions}, 2, "leasetop: read the URL: " + watcher.ErrOptions.Error() + "\n"},
		{errors.New("a\nb"), 3, "leasetop: a; b\n"},
	} {
		var stderr bytes.Buffer
		if got := report(&stderr, c.err); got != c.status || stderr.String() != c.stderr {
			t.Errorf("%v: %d %q, want %d %q", c.err, got, stderr.String(), c.status, c.stderr)
		}
	}
}

func TestCommandToReachTheServerIsForAShell(t *testing.T) {
	for _, c := range []struct {
		cfg  watcher.Config
		want string
	}{
		{watcher.Config{Network: "tcp", Addr: "127.0.0.1:6379", Password: "secret"}, "redis-cli -h 127.0.0.1 -p 6379"},
		{watcher.Config{Network: "unix", Addr: "/tmp/it's.sock", DB: 2, User: "ops"}, `redis-cli -s '/tmp/it'\''s.sock' -n 2 --user ops`},
	} {
		if got := redisCLI(c.cfg); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}

// script is a source that hands on what it is told to and then waits.
type script struct {
	batches [][]model.Input
	now     model.Instant
	ended   bool
}

func (s *script) Run(ctx context.Context, emit func([]model.Input)) error {
	for _, b := range s.batches {
		emit(b)
	}
	<-ctx.Done()
	s.ended = true
	return nil
}

func (s *script) Now() model.Instant { return s.now }

// refusing is an output that takes no line.
type refusing struct{ err error }

func (r refusing) Write([]byte) (int, error) { return 0, r.err }

func TestAFailingOutputEndsTheSourceFirst(t *testing.T) {
	src := &script{batches: [][]model.Input{{{Health: &model.Health{At: 1, State: model.StateConnected}}}}}
	err := follow(context.Background(), src, &teller{
		ledger: model.NewLedger(model.Limits{}), inspector: model.NewInspector(),
		out: lines.NewWriter(refusing{syscall.EPIPE}, lines.JSON, lines.Style{}), undo: func() string { return "" },
	})
	if !errors.Is(err, syscall.EPIPE) || report(&bytes.Buffer{}, err) != exitDone {
		t.Errorf("%v", err)
	}
	if !src.ended {
		t.Error("follow returned before the source had put everything back")
	}
}

func TestTimeAloneTellsAnOverdueLease(t *testing.T) {
	at := model.InstantOf(time.Now())
	deadline := at.Add(time.Second)
	reading := &model.Reading{At: at, Type: "string", Format: "string", Deadline: deadline, Holders: []model.Holder{{Owner: "a", Deadline: deadline}}}
	src := &script{now: deadline.Add(time.Minute), batches: [][]model.Input{{
		{Health: &model.Health{Node: "n", At: at, State: model.StateConnected}},
		{Observation: &model.Observation{Seq: 1, Key: model.Key{Node: "n", Name: "k"}, Reading: reading, Source: model.SourcePoll, ToldAt: at}},
	}}}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	out := &waiting{want: `"change":"overdue"`, found: cancel}
	if err := follow(ctx, src, &teller{
		ledger: model.NewLedger(model.Limits{}), inspector: model.NewInspector(),
		out: lines.NewWriter(out, lines.JSON, lines.Style{}), undo: func() string { return "" },
	}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.text.String(), out.want) {
		t.Errorf("no overdue line in\n%s", out.text.String())
	}
}

// waiting is an output that ends the test when it has what it wants.
type waiting struct {
	text  bytes.Buffer
	want  string
	found func()
}

func (w *waiting) Write(b []byte) (int, error) {
	n, err := w.text.Write(b)
	if strings.Contains(w.text.String(), w.want) {
		w.found()
	}
	return n, err
}
