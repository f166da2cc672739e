package judge

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"leasetop/keyspace"
	"leasetop/model"
	"leasetop/watcher"
)

// childVar holds the orders of a watcher in a process of its own, which can be
// stopped and continued as a whole.
const childVar = "LEASETOP_JUDGE_CHILD"

func TestMain(m *testing.M) {
	if orders := os.Getenv(childVar); orders != "" {
		os.Exit(beChild(orders))
	}
	os.Exit(m.Run())
}

type childOrders struct {
	Addr     string
	Patterns []string
}

// beChild watches and writes what it sees, and the time, as JSON lines.
func beChild(orders string) int {
	var o childOrders
	if err := json.Unmarshal([]byte(orders), &o); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	patterns, err := keyspace.ParsePatterns(o.Patterns)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	source := watcher.New(watcher.Config{Network: "tcp", Addr: o.Addr, Patterns: patterns})
	lines := make(chan []model.Input, 1024)
	go func() {
		for t := time.NewTicker(tick); ctx.Err() == nil; <-t.C {
			lines <- []model.Input{{Advance: source.Now()}}
		}
	}()
	go func() {
		out := json.NewEncoder(os.Stdout)
		for batch := range lines {
			if out.Encode(batch) != nil {
				stop()
			}
		}
	}()
	if err := source.Run(ctx, func(b []model.Input) { lines <- b }); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// child is the other end: a source whose watcher is another process.
type child struct {
	orders childOrders
	now    atomic.Int64
	cmd    atomic.Pointer[exec.Cmd]
}

func (c *child) Now() model.Instant       { return model.Instant(c.now.Load()) }
func (c *child) Counters() model.Counters { return model.Counters{} }

func (c *child) Run(ctx context.Context, emit func([]model.Input)) error {
	orders, err := json.Marshal(c.orders)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, os.Args[0])
	cmd.Env = append(os.Environ(), childVar+"="+string(orders))
	var trouble strings.Builder
	cmd.Stderr = &trouble
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	c.cmd.Store(cmd)
	lines := bufio.NewReader(out)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			break
		}
		var batch []model.Input
		if err := json.Unmarshal(line, &batch); err != nil {
			return fmt.Errorf("read the child: %w", err)
		}
		if len(batch) == 1 && batch[0].Advance != 0 {
			c.now.Store(int64(batch[0].Advance))
		}
		emit(batch)
	}
	if err := cmd.Wait(); ctx.Err() == nil {
		return fmt.Errorf("the child ended: %w: %s", err, trouble.String())
	}
	return nil
}

// signal stops or continues the process.
func (c *child) signal(s syscall.Signal) { _ = c.cmd.Load().Process.Signal(s) }
