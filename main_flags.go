package main

import (
	"os"
	"time"

	"github.com/spf13/cobra"

	"leasetop/ui/lines"
	"leasetop/watcher"
)

// flags are the words of the command line, as they were given.
type flags struct {
	conn           watcher.ConnOptions
	db             int
	cluster        bool
	sentinels      []string
	sentinelMaster string

	notify              string
	tracking            string
	enableNotifications bool
	interval            time.Duration
	budget              int
	noTouch             bool
	formats             []string
	aliases             []string
	mask                bool
	maskKey             string

	record string // file to record to
	speed  float64

	severity string
	ttl      time.Duration
	workers  string // file of worker lines, "-": stdin
	yes      bool

	noFound bool
	json    bool
	csv     bool
	noColor bool
	ascii   bool
}

// looks adds the flags that say how text may look.
func (f *flags) looks(root *cobra.Command) {
	p := root.PersistentFlags()
	p.BoolVar(&f.noColor, "no-color", false, "no colours; also NO_COLOR")
	p.BoolVar(&f.ascii, "ascii", false, "our own marks in ASCII only")
}

// reading adds the flags of every command that reads leases.
func (f *flags) reading(c *cobra.Command) {
	p := c.Flags()
	p.IntVar(&f.budget, "budget", 0, "most commands a second in the steady state; list and check keep to it only when it is given\n(default: one SCAN in flight, at most 20 % of the server's time)")
	p.StringArrayVar(&f.formats, "format", nil, "force a format: PATTERN=NAME")
	f.owners(c)
}

// owners adds the flags that say how owners are shown.
func (f *flags) owners(c *cobra.Command) {
	p := c.Flags()
	p.StringArrayVar(&f.aliases, "alias", nil, "call owners by a name: REGEXP=NAME")
	p.BoolVar(&f.mask, "mask", false, "show tokens as stable fingerprints everywhere")
	p.StringVar(&f.maskKey, "mask-key", "", "file of the key for --mask, to share it between people")
}

// watching adds the flags of commands that go on reading.
func (f *flags) watching(c *cobra.Command) {
	f.reading(c)
	p := c.Flags()
	p.StringVar(&f.notify, "notify", "auto", "keyspace notifications: auto, require or off")
	p.BoolVar(&f.enableNotifications, "enable-notifications", false, "set the notification flags that are missing, and put the old value back at the end")
	p.StringVar(&f.tracking, "tracking", "auto", "client tracking, a source of hints without a server setting: auto (where notifications are not in use), require or off")
	p.DurationVar(&f.interval, "interval", 2*time.Second, "time between full sweeps")
	p.StringVar(&f.record, "record", "", "write what is seen to this file, for leasetop replay")
	p.BoolVar(&f.noTouch, "no-touch", false, "no read of a key between its deadline and the server's own announcement; sweeps stop")
}

// machine adds the flags of machine-readable output.
func (f *flags) machine(c *cobra.Command) {
	c.Flags().BoolVar(&f.json, "json", false, "a JSON object on each line")
	c.Flags().BoolVar(&f.csv, "csv", false, "CSV with a head line")
	c.MarkFlagsMutuallyExclusive("json", "csv")
}

// format is how lines are to be written.
func (f *flags) format() lines.Format {
	switch {
	case f.json:
		return lines.JSON
	case f.csv:
		return lines.CSV
	}
	return lines.Text
}

// colorless reports whether colours are unwanted (no-color.org: NO_COLOR set to
// anything but the empty string).
func (f *flags) colorless() bool { return f.noColor || os.Getenv("NO_COLOR") != "" }
