package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/rogpeppe/go-internal/testscript"

	"leasetop/demo/server"
)

// limit bounds every wait for something that must happen.
const limit = 20 * time.Second

func TestMain(m *testing.M) {
	testscript.Main(cleaning{m}, map[string]func(){"leasetop": main})
}

// cleaning removes the program that the tests of the screen built.
type cleaning struct{ *testing.M }

func (c cleaning) Run() int {
	defer func() { _ = os.RemoveAll(buildDir) }() // "" removes nothing
	return c.M.Run()
}

// TestScripts runs testdata/script. Beside testscript's own commands there are
//
//	server [ARG...]          start a private server; sets $PORT and $SOCKET
//	kill-server              end it at once
//	restart-server           start it again on its port, empty
//	redis ARG...             run a command on it; arguments may hold Go escapes
//	redis-empty              the database holds no key
//	configis FLAGS           compare notify-keyspace-events, the order aside
//	exitstatus N CMD ARG...  exec, and compare the exit status
//	start NAME ARG...        run leasetop beside the script, to NAME.out, NAME.err
//	until FILE REGEXP        wait until a file has a match
//	signal NAME INT|TERM|HUP|KILL
//	ends NAME STATUS         wait for its end, and compare its exit status
//	jsonlines FILE           every line is a JSON object
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			// The settings of whoever runs the tests must not reach them.
			for _, name := range []string{"REDIS_URL", "REDISCLI_AUTH", "NO_COLOR"} {
				env.Setenv(name, "")
			}
			env.Values[benchKey{}] = &bench{running: map[string]*running{}}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"server":      startServer,
			"kill-server": func(ts *testscript.TestScript, _ bool, _ []string) { of(ts).server.Kill() },
			"restart-server": func(ts *testscript.TestScript, _ bool, _ []string) {
				ts.Check(of(ts).server.Restart(context.Background()))
			},
			"redis":       redisCommand,
			"redis-empty": redisEmpty,
			"configis":    configIs,
			"exitstatus":  exitStatus,
			"start":       startBeside,
			"until":       until,
			"signal":      signalBeside,
			"ends":        ends,
			"jsonlines":   jsonLines,
		},
	})
}

type benchKey struct{}

// bench is what one script has set up.
type bench struct {
	server  *server.Server
	client  *redis.Client
	running map[string]*running
}

// running is a leasetop beside the script.
type running struct {
	cmd  *exec.Cmd
	done chan error
}

func of(ts *testscript.TestScript) *bench { return ts.Value(benchKey{}).(*bench) }

func startServer(ts *testscript.TestScript, _ bool, args []string) {
	b := of(ts)
	s, err := server.Start(context.Background(), server.Options{Socket: true, Args: args})
	ts.Check(err)
	ts.Defer(s.Stop)
	b.server = s
	b.client = redis.NewClient(&redis.Options{Addr: s.Addr(), DisableIdentity: true, Protocol: 2, Password: passwordOf(args)})
	ts.Defer(func() { _ = b.client.Close() })
	ts.Setenv("PORT", strconv.Itoa(s.Port()))
	ts.Setenv("SOCKET", s.Socket())
}

func passwordOf(args []string) string {
	for i, a := range args {
		if a == "--requirepass" && i+1 < len(args) {
			return args[i+1]
		}
	}
	return ""
}

func redisCommand(ts *testscript.TestScript, neg bool, args []string) {
	words := make([]any, len(args))
	for i, a := range args {
		if strings.Contains(a, `\`) {
			raw, err := strconv.Unquote(`"` + strings.ReplaceAll(a, `"`, `\"`) + `"`)
			ts.Check(err)
			a = raw
		}
		words[i] = a
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	v, err := of(ts).client.Do(ctx, words...).Result()
	if errors.Is(err, redis.Nil) {
		err = nil
	}
	if neg != (err != nil) {
		ts.Fatalf("redis %q: %v, %v", args, v, err)
	}
	ts.Logf("%v", v)
}

func redisEmpty(ts *testscript.TestScript, _ bool, _ []string) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	keys, err := of(ts).client.Keys(ctx, "*").Result()
	ts.Check(err)
	if len(keys) > 0 {
		ts.Fatalf("left behind: %q", keys)
	}
}

func configIs(ts *testscript.TestScript, _ bool, args []string) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	got, err := of(ts).client.ConfigGet(ctx, "notify-keyspace-events").Result()
	ts.Check(err)
	letters := func(s string) string { b := []byte(s); slices.Sort(b); return string(b) }
	if v := got["notify-keyspace-events"]; letters(v) != letters(args[0]) {
		ts.Fatalf("notify-keyspace-events is %q, want %q", v, args[0])
	}
}

func exitStatus(ts *testscript.TestScript, _ bool, args []string) {
	status := 0
	var exit *exec.ExitError
	if err := ts.Exec(args[1], args[2:]...); errors.As(err, &exit) {
		status = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if strconv.Itoa(status) != args[0] {
		ts.Fatalf("%q ended with %d, want %s", args[1:], status, args[0])
	}
}

func startBeside(ts *testscript.TestScript, _ bool, args []string) {
	name := args[0]
	path := ""
	for _, dir := range filepath.SplitList(ts.Getenv("PATH")) {
		if p := filepath.Join(dir, "leasetop"); path == "" && executable(p) {
			path = p
		}
	}
	cmd := exec.Command(path, args[1:]...)
	cmd.Dir = ts.MkAbs(".")
	cmd.Env = append(os.Environ(), "REDIS_URL=", "REDISCLI_AUTH="+ts.Getenv("REDISCLI_AUTH"), "NO_COLOR=")
	create := func(file string) *os.File {
		f, err := os.Create(ts.MkAbs(file))
		ts.Check(err)
		ts.Defer(func() { _ = f.Close() })
		return f
	}
	cmd.Stdout, cmd.Stderr = create(name+".out"), create(name+".err")
	ts.Check(cmd.Start())
	r := &running{cmd: cmd, done: make(chan error, 1)}
	go func() { r.done <- cmd.Wait() }()
	of(ts).running[name] = r
	ts.Defer(func() { _ = cmd.Process.Kill() })
}

func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode()&0o111 != 0
}

func until(ts *testscript.TestScript, _ bool, args []string) {
	file, re := ts.MkAbs(args[0]), regexp.MustCompile("(?m)"+args[1])
	for end := time.Now().Add(limit); ; time.Sleep(5 * time.Millisecond) {
		text, _ := os.ReadFile(file)
		if re.Match(text) {
			return
		}
		if time.Now().After(end) {
			other, _ := os.ReadFile(strings.TrimSuffix(file, ".out") + ".err")
			ts.Fatalf("no match of %q in %s:\n%s\n%s", args[1], args[0], text, other)
		}
	}
}

func signalBeside(ts *testscript.TestScript, _ bool, args []string) {
	sig := map[string]os.Signal{"INT": syscall.SIGINT, "TERM": syscall.SIGTERM, "HUP": syscall.SIGHUP, "KILL": syscall.SIGKILL}[args[1]]
	ts.Check(of(ts).running[args[0]].cmd.Process.Signal(sig))
}

func ends(ts *testscript.TestScript, _ bool, args []string) {
	r := of(ts).running[args[0]]
	select {
	case <-r.done:
	case <-time.After(limit):
		ts.Fatalf("%s has not ended", args[0])
	}
	if got := strconv.Itoa(r.cmd.ProcessState.ExitCode()); got != args[1] {
		text, _ := os.ReadFile(ts.MkAbs(args[0] + ".err"))
		ts.Fatalf("%s ended with %s, want %s:\n%s", args[0], got, args[1], text)
	}
}

func jsonLines(ts *testscript.TestScript, _ bool, args []string) {
	text := strings.TrimSuffix(ts.ReadFile(args[0]), "\n")
	for i, line := range strings.Split(text, "\n") {
		var object map[string]any
		if err := json.Unmarshal([]byte(line), &object); err != nil {
			ts.Fatalf("%s:%d: %v: %s", args[0], i+1, err, line)
		}
		if object["kind"] == nil {
			ts.Fatalf("%s:%d: no kind: %s", args[0], i+1, line)
		}
	}
}
