package worker

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"leasetop/demo/resource"
)

// callLimit bounds each call of a worker to the server; lease.go sets narrower
// ones by the lease's terms.
const callLimit = 2 * time.Second

// exitOrphan is the status of a worker whose demo is gone.
const exitOrphan = 3

// Main is a child process of the demo: what it is and does comes through in, what
// happens goes to out. It returns the exit status.
func Main(ctx context.Context, in io.Reader, out io.Writer) int {
	orders := json.NewDecoder(in)
	var setup Setup
	if err := orders.Decode(&setup); err != nil {
		fmt.Fprintln(os.Stderr, "leasetop: this command is a part of leasetop demo, which starts it by itself")
		return 2
	}
	say := &speaker{out: out, who: setup.Name}
	if setup.Role == RoleGuard {
		// The guard must see the demo's end through, whatever ends the demo.
		signal.Ignore(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
		return guard(setup, orders, say)
	}
	j, err := newJob(setup, say)
	if err != nil {
		say.say(Message{Fail: err.Error()})
		return 1
	}
	go obey(orders, j)
	if err := j.run(ctx); err != nil {
		say.say(Message{Fail: err.Error()})
		return 1
	}
	say.say(Message{End: true})
	return 0
}

func newJob(setup Setup, say *speaker) (*job, error) {
	j := &job{setup: setup, say: say, started: time.Now()}
	j.gates = newGates(setup.Gates, func(gate string) { say.say(Message{Gate: gate}) })
	var err error
	if j.client, err = setup.Target.Client(callLimit); err != nil {
		return nil, err
	}
	if setup.Resource != "" {
		j.store, err = resource.Open(setup.Resource)
	}
	return j, err
}

// obey carries out orders until there are no more. Then the demo is gone, and
// with it everybody who would notice a worker that goes on alone.
func obey(orders *json.Decoder, j *job) {
	for {
		var o Order
		if err := orders.Decode(&o); err != nil {
			os.Exit(exitOrphan)
		}
		j.gates.carryOut(o)
		switch o.Do {
		case Arm, Pause, Resume:
			j.say.say(Message{Ack: o.Do})
		}
	}
}
