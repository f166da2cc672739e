// Leasetop is top for Redis leases: it shows every lock key of a server with
// its owner token and a live countdown, and tells each change as it happens.
//
// This package is the command line: flags, wiring and exit status.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"charm.land/fang/v2"
	"github.com/spf13/cobra"

	"leasetop/demo"
)

func main() {
	// The demo starts this program again for its workers.
	if len(os.Args) == 2 && os.Args[1] == "demo-worker" {
		os.Exit(demo.WorkerMain(context.Background(), os.Stdin, os.Stdout))
	}
	// Without a handler a write to a closed pipe ends the process by SIGPIPE;
	// with one it is an error like any other, and ends watch and list with 0. A
	// handler, unlike an ignored signal, is not passed on to child processes.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	// The first signal asks for a clean end; a second one ends at once.
	context.AfterFunc(ctx, stop)
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run carries out one command line and returns the exit status of the contract.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	a := &app{stdin: stdin, stdout: stdout, stderr: stderr}
	root := a.root()
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	// Errors of a command are kept in a.err and only those of the arguments come
	// back from fang: on the way to its error handler it asks the terminal for
	// its background, which has no place in an error.
	err := fang.Execute(ctx, root, fang.WithoutManpage(), fang.WithVersion(version()),
		fang.WithErrorHandler(func(io.Writer, fang.Styles, error) {}))
	if err != nil {
		err = asUsage(err)
	}
	return report(stderr, errors.Join(err, a.err))
}

// app is one run of the command line.
type app struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	flags          flags
	err            error // of the command that ran
}

// command wraps what a command does, so that its error reaches run and no other.
func (a *app) command(do func(ctx context.Context, cmd *cobra.Command, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		a.err = do(cmd.Context(), cmd, args)
		return nil
	}
}

// root builds the tree of commands.
func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "leasetop [PATTERN...]",
		Short: "Top for Redis leases: who holds which lock, and for how long",
		Long: "Leasetop shows the lock keys of a Redis or Valkey server: their owners, the time that is left, and every change as it happens.\n" +
			"A lock key with a TTL is a lease: when it expires the key is free, and nothing has stopped whoever held it.\n\n" +
			patternHelp + "\n\n" + effectHelp,
		Example: "# the live screen, on 127.0.0.1:6379\nleasetop\n" +
			"# your own lock names, another server\nleasetop -h redis.example -p 6380 'lock:*' 'jobs:*:mutex' '!lock:test:*'\n" +
			"# every change as a line of JSON\nleasetop watch --json 'lock:*'\n" +
			"# a key that is named like a command\nleasetop -- watch",
		Args: cobra.ArbitraryArgs,
		RunE: a.command(a.screen),
	}
	// -h is the host, as in redis-cli; cobra leaves a help flag alone that is
	// there already.
	root.PersistentFlags().Bool("help", false, "print this help; also a bare -h")
	root.SetFlagErrorFunc(flagError)
	root.CompletionOptions.HiddenDefaultCmd = false
	root.SetHelpCommand(a.helpCommand())
	root.PersistentFlags().SortFlags = false
	a.flags.connection(root)
	a.flags.looks(root)
	a.flags.watching(root)
	a.flags.real(root)
	root.AddCommand(a.watchCommand(), a.listCommand(), a.checkCommand(), a.doctorCommand(), a.formatsCommand(), a.demoCommand(), a.replayCommand(), a.versionCommand())
	for _, c := range append(root.Commands(), root) {
		if c.ValidArgs == nil {
			c.ValidArgsFunction = cobra.NoFileCompletions
		}
	}
	return root
}

const patternHelp = "PATTERN is a Redis glob as in SCAN MATCH; !PATTERN leaves keys out. Without one the patterns of the known lock libraries are used " +
	"(leasetop formats). Locks that are named freely, as Redisson and redis-py do, need a pattern."

const effectHelp = "Only commands that read are sent. One effect they have on any Redis: reading a key past its deadline makes the server delete and announce it " +
	"a moment before it would have done so itself (--no-touch avoids that)."

func (a *app) helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Help about a command",
		RunE: func(cmd *cobra.Command, args []string) error {
			about, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return usage(fmt.Errorf("there is no command %q", args[len(args)-1]), "leasetop --help lists the commands")
			}
			about.InitDefaultHelpFlag()
			return about.Help()
		},
	}
}

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  noArgs,
		RunE: a.command(func(context.Context, *cobra.Command, []string) error {
			_, err := fmt.Fprintln(a.stdout, "leasetop", version())
			return err
		}),
	}
}

// version is what the build knows of itself.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(built from source)"
	}
	return info.Main.Version
}

// noArgs refuses words where a command takes none.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usage(fmt.Errorf("%s takes no %q", cmd.CommandPath(), args[0]), cmd.CommandPath()+" --help tells what it takes")
	}
	return nil
}
