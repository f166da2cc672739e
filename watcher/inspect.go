package watcher

import (
	"context"
	"strconv"
	"strings"

	"github.com/redis/go-redis/v9"

	"leasetop/keyspace"
)

// Inspection is what a server, its settings and a user allow, found out by
// trying. Nothing is written, and the reads ask for names that nobody uses (a
// pattern without a wildcard is such a name itself).
type Inspection struct {
	Address  string // host:port/db or socket/db
	Server   string // "redis 7.0.15"
	Mode     string // "standalone", "cluster" or "sentinel"; "" where INFO is denied
	Role     string // "master" or "slave"
	User     string
	Hz       int   // how often a second the server looks for expired keys; 0: not known
	Keys     int64 // in the database; -1: not known
	Volatile int64 // of those, with a TTL; -1: not known

	Flags    keyspace.NotifyFlags // notify-keyspace-events
	FlagsErr error                // why Flags could not be read
	Commands []Permission         // commands that the watcher needs
	Patterns []Permission         // reading keys of a pattern
	Channels []Permission         // subscribing to the channel of a pattern
	Tracking error                // nil: client tracking may be used
}

// Permission is one thing that was tried; nil Err: it is allowed.
type Permission struct {
	Name string
	Err  error
}

// Inspect connects and tries what a watcher does. The error is an *Error: the
// server could not be reached or let nobody in.
func Inspect(ctx context.Context, cfg Config) (*Inspection, error) {
	cfg = cfg.orDefaults()
	o := options(&cfg)
	o.TLSConfig = cfg.TLS
	client := redis.NewClient(o)
	defer client.Close()
	// PING may be denied to a user who is let in; only what is not an answer of
	// the server, or refuses the login, ends the inspection.
	if err := client.Ping(ctx).Err(); err != nil && !deniesCommand(err) {
		return nil, explain("connect to "+cfg.Addr, err, &cfg)
	}
	in := &Inspection{Address: cfg.address(), Keys: -1, Volatile: -1}
	in.server(ctx, client, cfg.DB)
	in.user(ctx, client, &cfg)
	in.settings(ctx, client)
	in.commands(ctx, client, &cfg)
	in.patterns(ctx, client, &cfg)
	in.Tracking = tryTracking(ctx, client, cfg.Patterns.Prefixes())
	return in, ctx.Err()
}

func (in *Inspection) server(ctx context.Context, client *redis.Client, db int) {
	info, err := client.Info(ctx).Result()
	if err != nil {
		return
	}
	facts := map[string]string{}
	for line := range strings.Lines(info) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), ":"); ok {
			facts[name] = value
		}
	}
	in.Server = "redis " + facts["redis_version"]
	if v := facts["valkey_version"]; v != "" {
		in.Server = "valkey " + v
	}
	in.Mode, in.Role = facts["redis_mode"], facts["role"]
	if m := facts["server_mode"]; m != "" {
		in.Mode = m
	}
	in.Hz, _ = strconv.Atoi(facts["hz"])
	// db0:keys=12,expires=3,avg_ttl=0; an empty database has no line.
	in.Keys, in.Volatile = 0, 0
	for pair := range strings.SplitSeq(facts["db"+strconv.Itoa(db)], ",") {
		name, value, _ := strings.Cut(pair, "=")
		n, _ := strconv.ParseInt(value, 10, 64)
		switch name {
		case "keys":
			in.Keys = n
		case "expires":
			in.Volatile = n
		}
	}
}

func (in *Inspection) user(ctx context.Context, client *redis.Client, cfg *Config) {
	in.User, _ = client.Do(ctx, "acl", "whoami").Text()
	if in.User == "" {
		in.User = cfg.User
	}
	if in.User == "" {
		in.User = "default"
	}
}

func (in *Inspection) settings(ctx context.Context, client *redis.Client) {
	got, err := client.ConfigGet(ctx, "notify-keyspace-events").Result()
	if err != nil {
		in.FlagsErr = err
		return
	}
	in.Flags = keyspace.ParseNotifyFlags(got["notify-keyspace-events"])
}

// probes are the commands that the watcher sends; %k is a key that nobody uses.
var probes = []string{
	"ping", "info server", "time", "scan 0 match %k count 1", "type %k",
	"getrange %k 0 0", "strlen %k", "hlen %k", "hscan %k 0 count 1", "zcard %k", "zrange %k 0 0",
	"scard %k", "sscan %k 0 count 1", "llen %k", "lrange %k 0 0", "pttl %k", "pexpiretime %k",
}

func (in *Inspection) commands(ctx context.Context, client *redis.Client, cfg *Config) {
	// Where key patterns are denied too, the first one that is allowed serves;
	// else the answer about the key is no answer about the command.
	key := unusedKey("*")
	for _, g := range cfg.Patterns.Globs() {
		if k := unusedKey(g); client.Do(ctx, "type", k).Err() == nil {
			key = k
			break
		}
	}
	for _, probe := range probes {
		words := []any{}
		for w := range strings.FieldsSeq(probe) {
			if w == "%k" {
				w = key
			}
			words = append(words, w)
		}
		err := client.Do(ctx, words...).Err()
		// An answer about the key, or its type, is no refusal of the command.
		if err == redis.Nil || err != nil && (deniesKey(err) || redis.HasErrorPrefix(err, "WRONGTYPE")) {
			err = nil
		}
		name, _, _ := strings.Cut(probe, " ")
		in.Commands = append(in.Commands, Permission{name, err})
	}
	_, err := client.TxPipelined(ctx, func(p redis.Pipeliner) error { p.Time(ctx); return nil })
	in.Commands = append(in.Commands, Permission{"multi", err})
}

func (in *Inspection) patterns(ctx context.Context, client *redis.Client, cfg *Config) {
	for _, g := range cfg.Patterns.Globs() {
		err := client.Do(ctx, "type", unusedKey(g)).Err()
		if err != nil && !deniesKey(err) {
			err = nil // told among the commands
		}
		in.Patterns = append(in.Patterns, Permission{g, err})
		in.Channels = append(in.Channels, trySubscribe(ctx, client, cfg.DB, g))
	}
}

// trySubscribe subscribes as the watcher does: with the database in the channel,
// and where that is refused with a star in its place, because an ACL compares
// the two letter by letter.
func trySubscribe(ctx context.Context, client *redis.Client, db int, glob string) Permission {
	var err error
	for _, n := range []int{db, keyspace.AnyDB} {
		channel := keyspace.KeyspaceChannel(n, glob)
		sub := client.PSubscribe(ctx, channel)
		_, err = sub.ReceiveTimeout(ctx, replyLimit)
		_ = sub.Close()
		if err == nil {
			return Permission{channel, nil}
		}
	}
	return Permission{keyspace.KeyspaceChannel(keyspace.AnyDB, glob), err}
}

// tryTracking switches tracking on for one connection and closes it.
func tryTracking(ctx context.Context, client *redis.Client, prefixes []string) error {
	conn := client.Conn()
	defer conn.Close()
	words := []any{"client", "tracking", "on", "bcast"}
	for _, p := range prefixes {
		words = append(words, "prefix", p)
	}
	if err := conn.Do(ctx, words...).Err(); err != nil {
		return err
	}
	return conn.Do(ctx, "client", "tracking", "off").Err()
}

// unusedKey is a name that a glob selects and nobody uses.
func unusedKey(glob string) string {
	const name = "leasetop-doctor"
	var b strings.Builder
	for i := 0; i < len(glob); i++ {
		switch glob[i] {
		case '*':
			b.WriteString(name)
		case '?':
			b.WriteByte('x')
		case '\\':
			if i++; i < len(glob) {
				b.WriteByte(glob[i])
			}
		case '[':
			first := min(i+1, len(glob)-1)
			b.WriteByte(glob[first])
			for i < len(glob) && glob[i] != ']' {
				i++
			}
		default:
			b.WriteByte(glob[i])
		}
	}
	if keyspace.Match(glob, b.String()) {
		return b.String()
	}
	return keyspace.LiteralPrefix(glob) + name
}
