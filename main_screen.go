package main

import (
	"context"
	"errors"
	"net"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"leasetop/demo"
	"leasetop/model"
	"leasetop/ui"
	"leasetop/watcher"
)

// screen is what leasetop does without a command.
func (a *app) screen(ctx context.Context, cmd *cobra.Command, args []string) error {
	cfg, err := a.watched(cmd, args)
	if err != nil {
		return err
	}
	if !isTerminal(a.stdout) || os.Getenv("TERM") == "dumb" {
		return usage(errors.New("the live screen needs a terminal on stdout"), "leasetop watch prints a line for each change, leasetop list the leases of this moment")
	}
	screen, err := a.screenConfig(cfg)
	if err != nil {
		return err
	}
	rec, err := a.flags.recorder()
	if err != nil {
		return err
	}
	if rec != nil {
		screen.Record, screen.Recording = rec.Add, a.flags.record
	}
	log, err := a.applog()
	if err != nil {
		return err
	}
	s := &stage{watch: cfg, options: demo.Options{Target: a.flags.target(cfg)}}
	if log == nil {
		return errors.Join(playing(ctx, s, screen), recorded(rec))
	}
	told := make(chan model.WorkerEvent)
	screen.Workers, screen.WorkerFaults = told, func() string { return unfit(log) }
	err = withWorkers(ctx, log, func(ctx context.Context, e model.WorkerEvent) {
		select {
		case told <- masked(e, cfg.Mask):
		case <-ctx.Done():
		}
	}, func(ctx context.Context) error { return playing(ctx, s, screen) })
	return errors.Join(err, recorded(rec))
}

// screenConfig is what the screen needs beside the watcher.
func (a *app) screenConfig(cfg watcher.Config) (ui.Config, error) {
	alias, err := a.flags.aliaser()
	words := slices.Clone(cfg.Patterns.Globs())
	for _, x := range cfg.Patterns.Excluded() {
		words = append(words, "!"+x)
	}
	return ui.Config{
		Feed:            watcher.New(cfg),
		Patterns:        words,
		DefaultPatterns: cfg.Patterns.Defaults(),
		Options:         ui.Options{ASCII: a.flags.ascii, NoColor: a.flags.colorless()},
		Alias:           alias,
		Masked:          cfg.Mask != nil,
		Command:         redisCLI(cfg),
	}, err
}

// redisCLI is how to reach the same server by hand, without the password.
func redisCLI(cfg watcher.Config) string {
	words := []string{"redis-cli"}
	if cfg.Network == "unix" {
		words = append(words, "-s", cfg.Addr)
	} else if host, port, err := net.SplitHostPort(cfg.Addr); err == nil {
		words = append(words, "-h", host, "-p", port)
	}
	if cfg.DB != 0 {
		words = append(words, "-n", strconv.Itoa(cfg.DB))
	}
	if cfg.User != "" {
		words = append(words, "--user", cfg.User)
	}
	if cfg.TLS != nil {
		words = append(words, "--tls")
	}
	for i, w := range words {
		words[i] = shellWord(w)
	}
	return strings.Join(words, " ")
}

// plainWord is what a shell takes as it is.
var plainWord = regexp.MustCompile(`^[A-Za-z0-9_./:@%+=-]+$`)

func shellWord(w string) string {
	if plainWord.MatchString(w) {
		return w
	}
	return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
}

// shown is the end of a screen: an interrupt from outside is a wish like any
// other.
func shown(err error) error {
	if errors.Is(err, ui.ErrInterrupted) {
		return nil
	}
	return err
}
