package ui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"time"

	"leasetop/model"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
)

// Feed is where the inputs come from: a live server or a recording.
type Feed interface {
	// Run delivers batches until the context ends (its error is then nil or the
	// context's) or the source does (nil: a recording is over; else why).
	// emit blocks while the screen is behind; it may be called from one
	// goroutine at a time and keeps the slice.
	Run(ctx context.Context, emit func([]model.Input)) error
	// Now is the server's clock; it follows a monotonic one. 0: not known yet.
	Now() model.Instant
	// Counters is a snapshot that nobody changes any more.
	Counters() model.Counters
}

// Options are the screen's own settings.
type Options struct {
	ASCII   bool
	NoColor bool           // also by NO_COLOR in Environ
	NoMouse bool           // leave the mouse to the terminal from the start
	Theme   string         // "auto" or "", "light", "dark"
	Zone    *time.Location // of the clock times shown; nil: UTC
}

func (o *Options) zone() *time.Location {
	if o.Zone == nil {
		return time.UTC
	}
	return o.Zone
}

// Config is what a screen needs. Only Feed is required.
type Config struct {
	Feed            Feed
	Patterns        []string // the patterns watched, "!PATTERN" leaves out
	DefaultPatterns bool     // they are the program's own, because none was given
	Options         Options
	Limits          model.Limits

	Alias   func(token string) string // "" where it has none
	Masked  bool                      // tokens are fingerprints: offer no command made of one
	Command string                    // how to reach this server by hand: "redis-cli -p 6380"; holds no password
	Workers <-chan model.WorkerEvent  // what workers tell of themselves
	// WorkerFaults says what of the workers' lines could not be read, "" for
	// nothing. It is called from commands.
	WorkerFaults func() string
	Demo         Demo                        // nil: none can be played
	Scenario     string                      // of Demo, to begin with at once; "": the leases are on the screen
	Record       func(inputs ...model.Input) // takes what is folded, in order; must not wait
	Recording    string                      // name of the file that Record writes
	Clipboard    func(text string) tea.Cmd   // nil: OSC 52

	// For tests; zero values mean the process's own terminal.
	Input         io.Reader
	NoInput       bool
	Output        io.Writer
	Environ       []string
	Width, Height int
	Profile       *colorprofile.Profile
	NoSignals     bool // leave SIGINT and SIGTERM alone
}

// Finding is one result of a rule, ready to be shown.
type Finding struct {
	Rule     string
	Severity string // "info", "warning" or "critical"
	Key      model.Key
	Owner    model.Owner
	Since    model.Instant
	Detail   string // what was seen
	Means    string // what it means
	NotProof string // what it does not prove
	Next     string // what to check next
}

// ErrInterrupted is returned by Run after an interrupt from outside.
var ErrInterrupted = errors.New("interrupted")

// Run shows the screen until the user quits, the context ends or the feed
// fails. It returns nil for the first two, the feed's error for the last,
// ErrInterrupted after SIGINT. The terminal is restored in every case, also
// after a panic, and the feed has returned before Run does, because on its way
// out it may put settings of the server back.
func Run(ctx context.Context, cfg Config) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	m := New(cfg)
	m.ctx = ctx
	program := tea.NewProgram(m, programOptions(ctx, &cfg)...)
	in := newIntake(cfg.Feed)
	fed := make(chan error, 1)
	go func() {
		err := guarded(func() error { return cfg.Feed.Run(ctx, func(b []model.Input) { in.emit(ctx, b) }) })
		in.close()
		fed <- err
	}()
	pumped := make(chan struct{})
	go func() {
		defer close(pumped)
		in.pump(ctx, program.Send)
		if ctx.Err() == nil {
			err := <-fed
			fed <- err
			program.Send(feedEndedMsg{err})
		}
	}()
	_, err := program.Run()
	cancel()
	<-pumped
	feedErr := <-fed
	switch {
	case errors.Is(err, tea.ErrInterrupted):
		return ErrInterrupted
	case errors.Is(err, tea.ErrProgramPanic):
		return fmt.Errorf("drawing the screen: %w", err)
	case feedErr != nil && !errors.Is(feedErr, context.Canceled):
		return feedErr
	case err != nil && !errors.Is(err, tea.ErrProgramKilled):
		return fmt.Errorf("running the screen: %w", err)
	}
	return nil
}

func programOptions(ctx context.Context, cfg *Config) []tea.ProgramOption {
	opts := []tea.ProgramOption{tea.WithContext(ctx), tea.WithFPS(framesPerSecond)}
	if cfg.Input != nil {
		opts = append(opts, tea.WithInput(cfg.Input))
	}
	if cfg.NoInput {
		opts = append(opts, tea.WithInput(nil))
	}
	if cfg.Output != nil {
		opts = append(opts, tea.WithOutput(cfg.Output))
	}
	if cfg.Environ != nil {
		opts = append(opts, tea.WithEnvironment(cfg.Environ))
	}
	if cfg.Width > 0 {
		opts = append(opts, tea.WithWindowSize(cfg.Width, cfg.Height))
	}
	if cfg.NoSignals {
		opts = append(opts, tea.WithoutSignalHandler())
	}
	switch {
	case cfg.Options.NoColor:
		opts = append(opts, tea.WithColorProfile(colorprofile.ASCII))
	case cfg.Profile != nil:
		opts = append(opts, tea.WithColorProfile(*cfg.Profile))
	}
	return opts
}

// framesPerSecond bounds how often the terminal is written to, which happens
// only when there is something new. A change waits for the next frame, so this
// is most of the delay to the screen: 60 instead cost 5 ms of it and saved
// nothing that could be measured.
const framesPerSecond = 120

// guarded turns a panic of the feed's goroutine into an error, so that the
// terminal is restored before it is told.
func guarded(run func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic in the feed: %v\n%s", r, debug.Stack())
		}
	}()
	return run()
}

// environ is the environment that the screen looks at.
func (cfg *Config) environ() []string {
	if cfg.Environ != nil {
		return cfg.Environ
	}
	return os.Environ()
}
