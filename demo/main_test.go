package demo_test

import (
	"context"
	"os"
	"testing"

	"leasetop/demo"
)

// TestMain makes the test binary a worker when a test starts it as one.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == "demo-worker" {
		os.Exit(demo.WorkerMain(context.Background(), os.Stdin, os.Stdout))
	}
	os.Exit(m.Run())
}
