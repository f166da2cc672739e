package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"leasetop/demo"
	"leasetop/keyspace"
	"leasetop/ui"
	"leasetop/watcher"
)

func (a *app) demoCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "demo",
		Short: "The live screen over a private server with two workers on one lease; needs no server",
		Long: "Demo starts a private server on 127.0.0.1 and plays on it, over and over, what a lease cannot prevent: a worker stops past its lease, " +
			"another one takes the lease, and the first comes back. Everything is gone at the end.\n\n" +
			"It uses redis-server or valkey-server when one is on the PATH, and otherwise a small server inside this program.",
		Args: noArgs,
		RunE: a.command(a.demo),
	}
}

// demo plays and shows: the screen sees the demo's leases through the watcher,
// as it sees everybody's.
func (a *app) demo(ctx context.Context, _ *cobra.Command, _ []string) error {
	if !isTerminal(a.stdout) {
		return usage(errors.New("the demo needs a terminal on stdout"), "run it in a terminal")
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	private, err := demo.Embed(ctx)
	if err != nil {
		return err
	}
	defer private.Close()
	p, err := keyspace.ParsePatterns([]string{demo.Prefix + "*"})
	if err != nil {
		return err
	}
	screen, err := a.screenConfig(watcher.Config{Network: "tcp", Addr: private.Addr(), Patterns: p})
	if err != nil {
		return err
	}
	played := make(chan error, 1)
	go func() {
		err := demo.Loop(ctx, private.Addr())
		if err != nil {
			cancel() // there is nothing left to see
		}
		played <- err
	}()
	err = shown(ui.Run(ctx, screen))
	cancel()
	// Awaited because the loop removes its keys on the way out.
	return errors.Join(err, <-played)
}
