package demo

import (
	"context"
	"io"

	"leasetop/demo/worker"
)

// WorkerMain is a child process of the demo: a worker or the guard. It is told
// what to be through in and answers through out, and returns the exit status.
// The program that plays the demo must call it when it is started as
// Options.Command says.
func WorkerMain(ctx context.Context, in io.Reader, out io.Writer) int {
	return worker.Main(ctx, in, out)
}
