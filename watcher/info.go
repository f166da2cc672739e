package watcher

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"leasetop/model"
)

// info is what INFO says of a server, as far as it says it.
type info struct {
	name, version string
	runID         string
	role          string
	mode          string
	link          string // of a replica to its primary: "up" or "down"
	cluster       bool
	keys          uint64 // in our database
	flushes       uint64 // FLUSHALL, FLUSHDB and SWAPDB so far
	counted       bool   // flushes is known
}

func parseInfo(text string, db int) info {
	var i info
	ours := "db" + strconv.Itoa(db)
	for line := range strings.Lines(text) {
		name, value, ok := strings.Cut(strings.TrimRight(line, "\r\n"), ":")
		if !ok {
			continue
		}
		switch name {
		case "server_name":
			i.name = value
		case "valkey_version":
			i.name, i.version = "valkey", value
		case "redis_version":
			if i.version == "" {
				i.name, i.version = "redis", value
			}
		case "run_id":
			i.runID = value
		case "master_link_status":
			i.link = value
		case "role":
			i.role = value
		case "redis_mode", "server_mode":
			i.mode = value
		case "cluster_enabled":
			i.cluster = value == "1"
		case ours:
			i.keys = number(value, "keys=")
		case "cmdstat_flushall", "cmdstat_flushdb", "cmdstat_swapdb":
			i.flushes += number(value, "calls=")
		}
		i.counted = i.counted || strings.HasPrefix(name, "cmdstat_")
	}
	return i
}

// number is the value of a word in "keys=1,expires=0".
func number(list, word string) uint64 {
	for part := range strings.SplitSeq(list, ",") {
		if v, ok := strings.CutPrefix(part, word); ok {
			n, _ := strconv.ParseUint(v, 10, 64)
			return n
		}
	}
	return 0
}

func (i *info) server() string {
	if i.version == "" {
		return "unknown server"
	}
	return i.name + " " + i.version
}

func (i *info) roleWord() string {
	switch i.role {
	case "master":
		return "primary"
	case "slave":
		return "replica: expiries arrive as deletions"
	}
	return "role unknown"
}

// infoForms are the ways to ask, the cheapest first: several sections in one
// call (Redis 7.0), everything, whatever is default.
var infoForms = [][]any{
	{"info", "server", "replication", "cluster", "commandstats", "keyspace"},
	{"info", "all"},
	{"info"},
}

// errNoInfo means that the server tells nothing of itself to this user.
var errNoInfo = errors.New("INFO is refused")

// ask asks with INFO. It may return errNoInfo, or a transport error.
func (f *feed) ask(ctx context.Context) (info, error) {
	f.asking.Lock()
	defer f.asking.Unlock()
	for ; f.asked < len(infoForms); f.asked++ {
		if err := f.pace.take(ctx, 1); err != nil {
			return info{}, err
		}
		text, err := f.commands.Do(ctx, infoForms[f.asked]...).Text()
		switch {
		case err == nil:
			i := parseInfo(text, f.cfg.DB)
			f.keys.Store(i.keys)
			return i, nil
		case transport(err), isAuth(err):
			return info{}, err
		case deniesCommand(err):
			f.asked = len(infoForms)
			return info{}, fmt.Errorf("%w: %w", errNoInfo, err)
		}
	}
	return info{}, errNoInfo
}

// greet makes the first contact of a session: it finds out which server this is
// and that it answers transactions.
func (f *feed) greet(ctx context.Context, x *executor) error {
	doing := "connect to " + f.cfg.address()
	f.asked = 0
	now, err := f.ask(ctx)
	if err != nil && !errors.Is(err, errNoInfo) {
		return explain(doing, err, &f.cfg)
	}
	switch {
	case now.mode == "sentinel":
		return &Error{Doing: doing, Err: ErrSentinel, Hint: "connect to the master that it watches: redis-cli -p 26379 sentinel get-master-addr-by-name NAME"}
	case now.cluster || now.mode == "cluster":
		return &Error{Doing: doing, Err: ErrCluster, Hint: "watch a server that stands alone for now; the keys of one node alone would be shown as if they were all"}
	}
	if err := x.prove(ctx); err != nil {
		return explain(doing, err, &f.cfg)
	}
	if f.connected && (now.runID != f.info.runID || now.role != f.info.role) {
		f.changed(now)
	}
	f.info = now
	f.flushes.grew(&now)
	return nil
}

// changed tells that this is another server, or the same in another role.
func (f *feed) changed(now info) {
	detail := fmt.Sprintf("another server process: %s, %s", now.server(), now.roleWord())
	if now.runID == f.info.runID {
		detail = "the server's role changed: now " + now.roleWord()
	}
	f.count.update(func(c *model.Counters) { c.Server, c.Role = now.server(), now.role })
	f.out.put(f.healthInput(model.Health{State: model.StateTopology, Detail: detail, Role: now.role, RunID: now.runID,
		Changed: now.runID != f.info.runID || now.role != f.info.role}))
}

// lookEvery is how often the server is asked what no event tells.
const lookEvery = 2 * time.Second

// look asks from time to time for what no event tells: another role, a flush, a
// swapped database, notifications switched off.
func (f *feed) look(ctx context.Context) error {
	good := f.clock.now()
	for {
		if err := sleep(ctx, lookEvery); err != nil {
			return err
		}
		asked := f.clock.now()
		now, err := f.ask(ctx)
		if transport(err) && ctx.Err() == nil && !errors.Is(err, errNoInfo) {
			now, err = f.ask(ctx)
		}
		switch {
		case errors.Is(err, errNoInfo):
		case err != nil:
			return err
		default:
			f.compare(now, good, asked)
		}
		if err := f.notify.check(ctx, good); err != nil {
			return err
		}
		good = asked
	}
}

// compare tells what changed since the last look.
func (f *feed) compare(now info, good, asked model.Instant) {
	was := f.info
	if now.runID != was.runID || now.role != was.role {
		f.changed(now)
		f.info = now
		f.gap(good, asked, "the server changed")
		return
	}
	f.info = now
	if now.link == "up" && was.link == "down" {
		// What came with the synchronization came without events.
		f.gap(good, asked, "the replica caught up with its primary")
	}
	if f.flushes.grew(&now) {
		f.out.put(f.healthInput(model.Health{State: model.StateTopology, Flushed: true, From: good, Role: now.role, RunID: now.runID, Detail: flushDetail}))
		f.sweeper.want(sweepFlush)
	}
	f.count.update(func(c *model.Counters) { c.Role = now.role })
}

func isAuth(err error) bool {
	return strings.HasPrefix(err.Error(), "NOAUTH") || strings.HasPrefix(err.Error(), "WRONGPASS")
}
