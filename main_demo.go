package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"leasetop/demo"
	"leasetop/keyspace"
	"leasetop/model"
	"leasetop/ui"
	"leasetop/watcher"
)

// allScenarios is the word that plays one scenario after the other.
const allScenarios = "all"

func (a *app) demoCommand() *cobra.Command {
	var about strings.Builder
	names := []string{allScenarios}
	for _, s := range demo.Scenarios() {
		fmt.Fprintf(&about, "\n  %-17s %s", s.Name, s.Title)
		names = append(names, s.Name)
	}
	c := &cobra.Command{
		Use:   "demo [SCENARIO]",
		Short: "Two workers and one lease, played beside the live screen; needs no server",
		Long: "Demo plays what a lease cannot prevent: a worker stops past its lease, another one takes the lease, and the first comes back. " +
			"A scenario starts two worker processes and a database that both write to. In a terminal it plays by itself until a key is pressed, then step by step, with the leases beneath it as the monitor sees them. " +
			"All plays every scenario and tells it in lines. Without a terminal, or with --json or --csv, what happens is told in lines, the verdict last; the exit status is 1 when a scenario did not go as its lesson says.\n\n" +
			"It plays on a private server (redis-server or valkey-server when one is on the PATH, else a small one inside this program), or on the server of the connection flags. " +
			"It writes under " + demo.Prefix + " only, and removes what it wrote.\n\nScenarios:" + about.String(),
		Example:   "leasetop demo\nleasetop demo token\nleasetop demo all --json",
		ValidArgs: names,
		Args:      cobra.ArbitraryArgs,
		RunE:      a.command(a.demo),
	}
	a.flags.machine(c)
	a.flags.owners(c)
	c.Flags().DurationVar(&a.flags.ttl, "ttl", demo.DefaultTTL, "time that the first worker's lease is granted")
	c.Flags().BoolVar(&a.flags.yes, "yes", false, "play on a server that is not on this machine, too")
	return c
}

func (a *app) demo(ctx context.Context, cmd *cobra.Command, args []string) error {
	if len(args) > 1 {
		return usage(fmt.Errorf("%d scenarios at once", len(args)), "one scenario, or all")
	}
	scenario := ""
	if len(args) == 1 {
		scenario = args[0]
	}
	names, err := scenarioNames(scenario)
	if err != nil {
		return err
	}
	inLines := a.flags.json || a.flags.csv || scenario == allScenarios || !isTerminal(a.stdout)
	if inLines && scenario == "" {
		return usage(errors.New("the demo page needs a terminal on stdout"), "leasetop demo SCENARIO tells one scenario in lines, leasetop demo all every one")
	}
	s, err := a.setStage(ctx, cmd)
	if err != nil {
		return err
	}
	defer s.close()
	if inLines {
		return a.playLines(ctx, s, names)
	}
	return a.playScreen(ctx, s, scenario)
}

// scenarioNames resolves a scenario's word; an unknown one lists them all.
func scenarioNames(word string) ([]string, error) {
	var all []string
	for _, s := range demo.Scenarios() {
		if s.Name == word {
			return []string{word}, nil
		}
		all = append(all, s.Name)
	}
	switch word {
	case "":
		return nil, nil
	case allScenarios:
		return all, nil
	}
	return nil, usage(fmt.Errorf("there is no scenario %q", word), strings.Join(all, ", ")+", or all of them: "+allScenarios)
}

// stage is the server that the demo plays on, and how it is watched.
type stage struct {
	options demo.Options
	watch   watcher.Config
	close   func()
}

// demoInterval is between sweeps of a server in this process, which sends no
// notifications and has nothing to do but play.
const demoInterval = 50 * time.Millisecond

// setStage takes the server of the connection flags, or starts a private one.
// The environment does not count here: who has REDIS_URL set for work does not
// mean to play there.
func (a *app) setStage(ctx context.Context, cmd *cobra.Command) (*stage, error) {
	p, err := keyspace.ParsePatterns([]string{demo.Prefix + "*:lock"})
	if err != nil {
		return nil, err
	}
	s := &stage{close: func() {}}
	s.options.TTL, s.options.Yes = a.flags.ttl, a.flags.yes
	if a.flags.namesServer() {
		if s.watch, err = a.flags.connect(cmd); err != nil {
			return nil, err
		}
		s.options.Target = a.flags.target(s.watch)
	} else {
		private, err := demo.Embed(ctx)
		if err != nil {
			return nil, err
		}
		s.close = private.Close
		s.options.Embedded = private
		s.watch = watcher.Config{Network: "tcp", Addr: private.Addr()}
		if !private.Real() {
			s.watch.Interval = demoInterval
		}
	}
	s.watch.Patterns = p
	s.watch.Mask, err = a.flags.masker()
	return s, err
}

// target is where the workers connect to.
func (f *flags) target(cfg watcher.Config) demo.Target {
	t := demo.Target{Network: cfg.Network, Addr: cfg.Addr, User: cfg.User, Password: cfg.Password, DB: cfg.DB}
	if cfg.TLS != nil {
		t.TLS = &demo.TLS{CACert: f.conn.CACert, Cert: f.conn.Cert, Key: f.conn.Key, SNI: f.conn.SNI, Insecure: cfg.TLS.InsecureSkipVerify}
	}
	return t
}

// playScreen shows the demo page over the stage, and begins with a scenario.
func (a *app) playScreen(ctx context.Context, s *stage, scenario string) error {
	screen, err := a.screenConfig(s.watch)
	if err != nil {
		return err
	}
	screen.Scenario = scenario
	if scenario == "" {
		screen.Scenario = demo.Scenarios()[0].Name
	}
	return playing(ctx, s, screen)
}

// playing runs a screen on which scenarios can be played. It sees their leases
// through the watcher, as it sees everybody's.
func playing(ctx context.Context, s *stage, screen ui.Config) error {
	seats := newAudience(s.watch)
	t := &theatre{stage: s, seats: seats.add}
	screen.Feed, screen.Demo = seats, t
	// The run removes what it wrote on the way out, whatever ended the screen.
	return errors.Join(shown(ui.Run(ctx, screen)), t.close())
}

// masked is a worker's line with its token as a fingerprint, where that is asked
// for; mask may be nil.
func masked(w model.WorkerEvent, mask func(string) string) model.WorkerEvent {
	if mask != nil && w.Owner != "" {
		w.Owner = mask(w.Owner)
	}
	return w
}

// namesServer reports whether a flag says where the server is.
func (f *flags) namesServer() bool {
	return f.conn.URL != "" || f.conn.Host != "" || f.conn.Port != 0 || f.conn.Socket != "" || f.cluster || len(f.sentinels) > 0
}

// settleLimit bounds the wait for the last lines of a run that is over.
const settleLimit = 3 * time.Second
