package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"leasetop/demo"
	"leasetop/ui/printable"
	"leasetop/watcher"
)

// The exit status of the contract.
const (
	exitDone     = 0
	exitNegative = 1 // a negative answer: findings, a demo that went wrong
	exitUsage    = 2 // unusable arguments
	exitServer   = 3 // the server could not be reached or refused us
)

// errNegative ends a command with exitNegative; what there is to say has been
// said on stdout.
var errNegative = errors.New("a negative answer")

// usageError is a command line that cannot be used.
type usageError struct {
	err  error
	hint string
}

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

// usage makes a usageError; hint may be empty.
func usage(err error, hint string) error { return &usageError{err: err, hint: hint} }

// asUsage makes what cobra says of arguments a usageError.
func asUsage(err error) error {
	var u *usageError
	if errors.As(err, &u) {
		return err
	}
	return usage(err, "leasetop --help lists the commands and flags")
}

// flagError answers a bare -h with help, and anything else with a hint.
func flagError(cmd *cobra.Command, err error) error {
	var missing *pflag.ValueRequiredError
	if errors.As(err, &missing) && missing.GetSpecifiedName() == "h" {
		return pflag.ErrHelp
	}
	return usage(err, cmd.CommandPath()+" --help lists its flags")
}

// report prints an error as the contract has it, with its hint when there is
// one, and returns the exit status.
func report(stderr io.Writer, err error) int {
	var (
		u *usageError
		w *watcher.Error
		d *demo.Error
	)
	switch {
	case err == nil, errors.Is(err, syscall.EPIPE), errors.Is(err, context.Canceled):
		return exitDone
	case errors.Is(err, errNegative):
		return exitNegative
	case errors.As(err, &u):
		complain(stderr, "read the arguments", u.err, u.hint)
		return exitUsage
	case errors.As(err, &w):
		complain(stderr, w.Doing, w.Err, w.Hint)
		if errors.Is(err, watcher.ErrOptions) {
			return exitUsage
		}
		return exitServer
	case errors.As(err, &d):
		complain(stderr, d.Doing, d.Err, d.Hint)
		for _, words := range []error{demo.ErrScenario, demo.ErrTTL, demo.ErrElsewhere} {
			if errors.Is(err, words) {
				return exitUsage
			}
		}
		return exitServer
	}
	complain(stderr, "", err, "")
	return exitServer
}

// complain writes "leasetop: what failed: cause" and "hint: what to do". An
// error may quote what a server said, so it passes printable like all text of
// strangers.
func complain(stderr io.Writer, doing string, err error, hint string) {
	text := strings.TrimSpace(err.Error())
	if doing != "" {
		text = doing + ": " + text
	}
	fmt.Fprintf(stderr, "leasetop: %s\n", oneLine(text))
	if hint != "" {
		fmt.Fprintf(stderr, "hint: %s\n", oneLine(hint))
	}
}

// oneLine keeps our own line breaks readable and everything else harmless.
func oneLine(s string) string {
	return printable.String(strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r == '\n' }), "; "))
}
