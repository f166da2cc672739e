package demo_test

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"testing"
	"time"

	"leasetop/demo"
)

// TestMain makes the test binary a worker when the demo starts it as one, and a
// program that plays the demo when a test does.
func TestMain(m *testing.M) {
	switch {
	case len(os.Args) == 2 && os.Args[1] == "demo-worker":
		os.Exit(demo.WorkerMain(context.Background(), os.Stdin, os.Stdout))
	case len(os.Args) > 1 && os.Args[1] == "demo-program":
		os.Exit(program(os.Args[2:]))
	}
	os.Exit(m.Run())
}

// program plays as many steps of a scenario as it is told, says so, begins the
// next one, and goes on until a signal asks it to end.
func program(args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	addr, scenario, run := args[0], args[1], args[2]
	steps, _ := strconv.Atoi(args[3])
	ttl, _ := time.ParseDuration(args[4])
	r, err := demo.Start(ctx, demo.Options{Scenario: scenario, Run: run, TTL: ttl, Target: demo.Target{Addr: addr, Password: os.Getenv("DEMO_PASSWORD")}}, nil)
	if err != nil {
		fmt.Println("start:", err)
		return 1
	}
	for range steps {
		if _, err := r.Step(ctx); err != nil {
			fmt.Println("step:", err)
			return 1
		}
	}
	fmt.Println("played")
	_, _ = r.Step(ctx)
	<-ctx.Done()
	if err := r.Close(); err != nil {
		fmt.Println("close:", err)
		return 1
	}
	return 0
}
