package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"leasetop/keyspace"
	"leasetop/ui/printable"
	"leasetop/watcher"
)

func (a *app) doctorCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "doctor [PATTERN...]",
		Short: "Tell what this server, its settings and this user allow, and what to do about it",
		Long: "Doctor connects, tries what leasetop needs, and tells what is missing. It writes nothing and changes no setting. " +
			"What is denied to this user is tried once, so it may show in the server's ACL LOG.\n\n" + patternHelp,
		Args: cobra.ArbitraryArgs,
		RunE: a.command(a.doctor),
	}
	a.flags.reading(c)
	return c
}

func (a *app) doctor(ctx context.Context, cmd *cobra.Command, args []string) error {
	cfg, err := a.watched(cmd, args)
	if err != nil {
		return err
	}
	in, err := watcher.Inspect(ctx, cfg)
	if err != nil {
		return err
	}
	d := diagnosis{out: &strings.Builder{}, in: in, patterns: &cfg.Patterns}
	d.server()
	d.notifications()
	d.permissions()
	d.deadlines()
	d.rule()
	_, err = io.WriteString(a.stdout, d.out.String())
	return err
}

// diagnosis lays out what an inspection found, section by section.
type diagnosis struct {
	out      *strings.Builder
	in       *watcher.Inspection
	patterns *keyspace.Patterns
}

// head begins a section; say goes on in it; todo says what to do.
func (d *diagnosis) head(name, format string, args ...any) {
	fmt.Fprintf(d.out, "%-14s %s\n", name, fmt.Sprintf(format, args...))
}

func (d *diagnosis) say(format string, args ...any) { d.head("", format, args...) }

func (d *diagnosis) todo(format string, args ...any) { d.head("  to do", format, args...) }

func (d *diagnosis) server() {
	in := d.in
	d.head("server", "%s, %s, %s", orUnknown(in.Server), orUnknown(in.Role), printable.String(in.Address))
	if in.Mode != "" && in.Mode != "standalone" {
		d.say("It runs as a %s, which leasetop cannot watch yet.", in.Mode)
	}
	if in.Role == "slave" {
		d.say("A replica announces every expiry as a deletion, and hides a key past its deadline without a word.")
		d.todo("watch the primary; it also sees the changes a moment earlier")
	}
	d.head("user", "%s", printable.String(in.User))
	if in.Keys >= 0 {
		d.head("keys", "%d in this database, %d of them with a TTL", in.Keys, in.Volatile)
	}
}

func orUnknown(s string) string {
	if s == "" {
		return "unknown"
	}
	return printable.String(s)
}

func (d *diagnosis) notifications() {
	in := d.in
	if in.FlagsErr != nil {
		d.head("notifications", "unknown: this user may not ask (%s)", printable.String(in.FlagsErr.Error()))
		d.say("leasetop then finds out by watching whether events arrive.")
		d.todo("have an administrator run CONFIG GET notify-keyspace-events; +config|get would show this user all")
		d.say("settings, passwords among them, so it is better not granted")
		return
	}
	setting, missing := in.Flags.String(), in.Flags.Missing("K")
	switch {
	case in.Flags.Off():
		d.head("notifications", "off (notify-keyspace-events %q)", setting)
		d.say("Changes are found by client tracking or by sweeps; what begins and ends between two looks is not seen.")
	case missing != "":
		d.head("notifications", "partial (notify-keyspace-events %q lacks %s)", setting, missing)
		d.say("Changes of the missing classes are found by sweeps only.")
	default:
		d.head("notifications", "on (notify-keyspace-events %q)", setting)
		return
	}
	d.todo("leasetop --enable-notifications sets it and puts it back at the end, or for good:")
	d.say("  CONFIG SET notify-keyspace-events %s", in.Flags.Union("K"))
	d.say("It costs a busy server a part of its top write rate, because every change of every key is published.")
}

func (d *diagnosis) permissions() {
	denied := refused(d.in.Commands)
	switch {
	case len(denied) == 0:
		d.head("commands", "all that leasetop needs are allowed")
	default:
		d.head("commands", "denied: %s", strings.Join(names(denied), ", "))
		d.say("%s", printable.String(denied[0].Err.Error()))
		d.todo("the rule at the end allows them")
	}
	d.list("patterns", "readable", "not readable", d.in.Patterns)
	d.list("channels", "may be subscribed", "may not be subscribed", d.in.Channels)
	if d.in.Tracking == nil {
		d.head("tracking", "allowed: changes can be noticed without notifications, though not how often a key changed")
	} else {
		d.head("tracking", "not allowed (%s)", printable.String(d.in.Tracking.Error()))
	}
	d.say("SCAN is not bound by a user's key patterns: it lists the names of all keys to whoever may run it.")
}

// list tells what was refused of many, or that nothing was.
func (d *diagnosis) list(head, allowed, forbidden string, all []watcher.Permission) {
	denied := refused(all)
	if len(denied) == 0 {
		d.head(head, "%d of %d %s", len(all), len(all), allowed)
		return
	}
	d.head(head, "%d of %d %s:", len(denied), len(all), forbidden)
	for _, p := range denied {
		d.say("  %s", printable.String(p.Name))
	}
	d.say("%s", printable.String(denied[0].Err.Error()))
}

func refused(all []watcher.Permission) []watcher.Permission {
	var denied []watcher.Permission
	for _, p := range all {
		if p.Err != nil {
			denied = append(denied, p)
		}
	}
	return denied
}

func names(all []watcher.Permission) []string {
	list := make([]string, len(all))
	for i, p := range all {
		list[i] = p.Name
	}
	return list
}

// deadlines tells how late this server announces an expiry when nobody looks,
// and what our looking does. The server samples about twenty keys with a TTL a
// round and database, hz rounds a second, so an unread key waits up to V/(20 hz)
// seconds among V others (measured on Redis 7 and 8 and Valkey 9).
func (d *diagnosis) deadlines() {
	const sample = 20
	if d.in.Volatile >= 0 && d.in.Hz > 0 {
		wait := time.Duration(d.in.Volatile) * time.Second / time.Duration(sample*d.in.Hz)
		d.head("deadlines", "left alone, this server removes and announces an expired key up to about %s late", late(wait))
	} else {
		d.head("deadlines", "left alone, a server removes and announces an expired key some time after its deadline")
	}
	d.say("leasetop reads a lease just after its deadline. Reading or scanning a key past its deadline makes a")
	d.say("primary delete and announce it at once: the only effect on data that leasetop has.")
	d.todo("--no-touch avoids it; then an end is told when the server tells it, and new keys come from hints only")
}

func late(d time.Duration) string {
	if d < time.Second {
		return "half a second"
	}
	return d.Round(time.Second).String()
}

// rule prints the smallest ACL rule for the patterns in use.
func (d *diagnosis) rule() {
	globs := d.patterns.Globs()
	d.head("permissions", "a user with this rule can watch and do nothing else:")
	if d.patterns.Defaults() {
		d.say("(it names the patterns of all known libraries; leasetop doctor PATTERN... makes a shorter one)")
	}
	fmt.Fprintf(d.out, "\nACL SETUSER leasemon on >PASSWORD resetkeys")
	for _, g := range globs {
		fmt.Fprintf(d.out, " %s", aclWord("%R~"+g))
	}
	fmt.Fprintf(d.out, " resetchannels")
	for _, g := range globs {
		fmt.Fprintf(d.out, " %s", aclWord("&"+keyspace.KeyspaceChannel(keyspace.AnyDB, g)))
	}
	fmt.Fprintf(d.out, " -@all %s\n", aclCommands)
}

// aclCommands is what a watcher sends, and nothing more.
const aclCommands = "+hello +auth +ping +select +scan +type +get +getrange +strlen +hlen +hscan +hgetall " +
	"+zcard +zrange +scard +sscan +llen +lrange +pttl +pexpiretime +time +info +multi +exec +discard " +
	"+psubscribe +punsubscribe +client|tracking +client|setname +client|id"

// aclWord quotes a word for redis-cli where it must be.
func aclWord(w string) string {
	if strings.ContainsAny(w, " '\"\\") || printable.String(w) != w {
		return fmt.Sprintf("%q", w)
	}
	return w
}
