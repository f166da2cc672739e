package worker_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/redis/go-redis/v9"

	"leasetop/demo/worker"
	"leasetop/keyspace"
)

// answer is what a server says to one call, and when.
type answer struct {
	value int64
	err   error
	after time.Duration
}

// scripted is a server that answers as it is told. It knows the three scripts by
// their hashes.
type scripted struct {
	answers map[string][]answer // by script, in the order of the calls; then the last again
	calls   []string
	tokens  []string
}

func named(sha string) string {
	for name, text := range map[string]string{"acquire": keyspace.AcquireScript(), "renew": keyspace.RenewScript(), "release": keyspace.ReleaseScript()} {
		if redis.NewScript(text).Hash() == sha {
			return name
		}
	}
	return sha
}

func (s *scripted) EvalSha(ctx context.Context, sha string, keys []string, args ...any) *redis.Cmd {
	name := named(sha)
	s.calls = append(s.calls, name)
	s.tokens = append(s.tokens, args[0].(string))
	cmd := redis.NewCmd(ctx)
	list := s.answers[name]
	if len(list) == 0 {
		cmd.SetVal(int64(1))
		return cmd
	}
	a := list[0]
	if len(list) > 1 {
		s.answers[name] = list[1:]
	}
	select {
	case <-time.After(a.after):
	case <-ctx.Done():
		cmd.SetErr(ctx.Err())
		return cmd
	}
	if a.err != nil {
		cmd.SetErr(a.err)
	} else {
		cmd.SetVal(a.value)
	}
	return cmd
}

func (s *scripted) Eval(ctx context.Context, _ string, _ []string, _ ...any) *redis.Cmd {
	panic("a script whose hash is known is not sent as text")
}
func (s *scripted) EvalRO(ctx context.Context, _ string, _ []string, _ ...any) *redis.Cmd {
	panic("a lease is not read only")
}
func (s *scripted) EvalShaRO(ctx context.Context, _ string, _ []string, _ ...any) *redis.Cmd {
	panic("a lease is not read only")
}
func (s *scripted) ScriptExists(ctx context.Context, _ ...string) *redis.BoolSliceCmd {
	panic("nobody asks for scripts")
}
func (s *scripted) ScriptLoad(ctx context.Context, _ string) *redis.StringCmd {
	panic("nobody loads scripts")
}

// serverError is an error that the server itself answers with.
type serverError string

func (e serverError) Error() string { return string(e) }
func (serverError) RedisError()     {}

const ttl = 10 * time.Second

func terms(told *[]string) worker.Terms {
	return worker.Terms{
		Key: "k", TTL: ttl, Margin: time.Second, Every: 3 * time.Second, Timeout: 2 * time.Second,
		Tell: func(event, outcome, _ string) { *told = append(*told, strings.TrimSpace(event+" "+outcome)) },
	}
}

func TestTheLocalDeadlineCountsFromTheSending(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &scripted{answers: map[string][]answer{"acquire": {{value: 33, after: 1500 * time.Millisecond}}}}
		var told []string
		sent := time.Now()
		l, err := worker.Acquire(t.Context(), server, terms(&told))
		if err != nil || l.Fence() != 33 {
			t.Fatalf("acquired: %v", err)
		}
		time.Sleep(time.Until(sent.Add(ttl - time.Second - time.Millisecond)))
		if err := l.Check(); err != nil {
			t.Errorf("a millisecond before the deadline: %v", err)
		}
		time.Sleep(time.Millisecond)
		if err := l.Check(); !errors.Is(err, worker.ErrLost) {
			t.Errorf("at the deadline: %v", err)
		}
		if l.Lost().Err() == nil || !slices.Equal(told, []string{"ownership_uncertain", "job_stop_requested"}) {
			t.Errorf("it told %v", told)
		}
	})
}

func TestAcquisitionsThatGiveNoPermission(t *testing.T) {
	for _, c := range []struct {
		name   string
		answer answer
		margin time.Duration
		is     error
		calls  []string
	}{
		{"held by somebody", answer{value: 0}, 0, worker.ErrDenied, []string{"acquire"}},
		{"no answer in time", answer{value: 33, after: time.Minute}, 0, worker.ErrUncertain, []string{"acquire", "release"}},
		{"the connection broke", answer{err: errors.New("EOF")}, 0, worker.ErrUncertain, []string{"acquire", "release"}},
		{"an answer when it is over", answer{value: 33, after: 1500 * time.Millisecond}, 9 * time.Second, worker.ErrUncertain, []string{"acquire", "release"}},
		{"the server's own error", answer{err: serverError("NOPERM no")}, 0, serverError("NOPERM no"), []string{"acquire"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := &scripted{answers: map[string][]answer{"acquire": {c.answer}}}
				var told []string
				asked := terms(&told)
				if c.margin > 0 {
					asked.Margin = c.margin
				}
				l, err := worker.Acquire(t.Context(), server, asked)
				if l != nil || !errors.Is(err, c.is) {
					t.Errorf("it gave %v, %v", l, err)
				}
				if !slices.Equal(server.calls, c.calls) {
					t.Errorf("it called %v", server.calls)
				}
				if len(server.tokens) == 2 && server.tokens[0] != server.tokens[1] {
					t.Error("it released another token than its own")
				}
			})
		})
	}
}

func TestEachAttemptHasATokenOfItsOwn(t *testing.T) {
	server := &scripted{answers: map[string][]answer{"acquire": {{value: 0}}}}
	var told []string
	for range 100 {
		_, _ = worker.Acquire(t.Context(), server, terms(&told))
	}
	slices.Sort(server.tokens)
	if n := len(slices.Compact(server.tokens)); n != 100 {
		t.Errorf("100 attempts had %d tokens", n)
	}
}

func TestRenewals(t *testing.T) {
	ok := answer{value: 1}
	for _, c := range []struct {
		name    string
		answers []answer
		every   time.Duration
		timeout time.Duration
		told    []string
	}{
		{"all go well", []answer{ok}, 0, 0, []string{"lease_renewal ok", "lease_renewal ok", "lease_renewal ok", "lease_renewal ok"}},
		{"refused", []answer{ok, {value: 0}, ok}, 0, 0, []string{"lease_renewal ok", "lease_renewal rejected", "ownership_uncertain", "job_stop_requested"}},
		{"no answer", []answer{ok, {value: 1, after: time.Minute}, ok}, 0, 0, []string{"lease_renewal ok", "lease_renewal timeout", "ownership_uncertain", "job_stop_requested"}},
		{"an error", []answer{{err: serverError("LOADING")}, ok}, 0, 0, []string{"lease_renewal timeout", "ownership_uncertain", "job_stop_requested"}},
		{"a success that came too late", []answer{{value: 1, after: 4 * time.Second}, ok}, 6 * time.Second, 5 * time.Second, []string{"lease_renewal late", "ownership_uncertain", "job_stop_requested"}},
		{"too late to ask", []answer{ok}, 9500 * time.Millisecond, 0, []string{"ownership_uncertain", "job_stop_requested"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := &scripted{answers: map[string][]answer{"renew": c.answers}}
				var told []string
				asked := terms(&told)
				if c.every > 0 {
					asked.Every = c.every
				}
				if c.timeout > 0 {
					asked.Timeout = c.timeout
				}
				l, err := worker.Acquire(t.Context(), server, asked)
				if err != nil {
					t.Fatal(err)
				}
				ctx, cancel := context.WithCancel(t.Context())
				ended := make(chan struct{})
				go func() { l.Keep(ctx); close(ended) }()
				time.Sleep(4*3*time.Second + 500*time.Millisecond)
				kept := l.Check() == nil
				cancel()
				<-ended
				if !slices.Equal(told, c.told) {
					t.Errorf("it told %v", told)
				}
				if lost := slices.Contains(c.told, "ownership_uncertain"); kept == lost {
					t.Errorf("the permission stands: %v", kept)
				}
				// However well the server answers from now on, it does not come back.
				time.Sleep(time.Hour)
				if l.Check() == nil {
					t.Error("a lost permission came back")
				}
			})
		})
	}
}

func TestReleaseGoesOnWhenTheJobWasBrokenOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &scripted{answers: map[string][]answer{"release": {{value: 1}, {value: 0}, {value: 1, after: time.Minute}}}}
		var told []string
		ctx, cancel := context.WithCancel(t.Context())
		l, err := worker.Acquire(ctx, server, terms(&told))
		if err != nil {
			t.Fatal(err)
		}
		cancel()
		if ours, err := l.Release(ctx); !ours || err != nil {
			t.Errorf("released: %v, %v", ours, err)
		}
		if ours, err := l.Release(ctx); ours || err != nil {
			t.Errorf("released again: %v, %v", ours, err)
		}
		before := time.Now()
		if _, err := l.Release(ctx); err == nil || time.Since(before) != 2*time.Second {
			t.Errorf("without an answer: %v after %v", err, time.Since(before))
		}
		if slices.Contains(told, "ownership_uncertain") {
			t.Error("a failed release was taken for a lost lease")
		}
	})
}
