package watcher

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"leasetop/keyspace"
	"leasetop/model"
)

const notifySetting = "notify-keyspace-events"

// notifier knows the server's notification setting, and changes it if it was
// asked to.
type notifier struct {
	feed *feed

	mu      sync.Mutex
	known   bool // the setting could be read
	flags   keyspace.NotifyFlags
	spelled string
	proven  bool     // an event came
	refused []string // globs that may not be subscribed to
	mine    *keyspace.NotifyFlags
	old     keyspace.NotifyFlags
}

// read asks for the setting; false where the user may not.
func (n *notifier) read(ctx context.Context) (string, bool, error) {
	if err := n.feed.pace.take(ctx, 1); err != nil {
		return "", false, err
	}
	list, err := n.feed.commands.Do(ctx, "config", "get", notifySetting).Result()
	if transport(err) {
		return "", false, err
	}
	if err != nil {
		return "", false, nil
	}
	switch v := list.(type) {
	case map[any]any:
		return text(v[notifySetting]), true, nil
	case []any:
		if len(v) == 2 {
			return text(v[1]), true, nil
		}
	}
	return "", false, nil
}

// ask reads the setting at the start of a session, and sets what is missing if
// it was asked to.
func (n *notifier) ask(ctx context.Context) error {
	n.mu.Lock()
	n.known, n.proven, n.refused = false, false, nil
	n.mu.Unlock()
	if n.feed.cfg.Notify == Off {
		return nil
	}
	value, ok, err := n.read(ctx)
	if err != nil {
		return explain("read the notification setting", err, &n.feed.cfg)
	}
	n.mu.Lock()
	n.known, n.spelled, n.flags = ok, value, keyspace.ParseNotifyFlags(value)
	n.mu.Unlock()
	if n.feed.cfg.EnableNotifications {
		return n.enable(ctx)
	}
	return nil
}

// enable sets the flags that are missing.
func (n *notifier) enable(ctx context.Context) error {
	doing := "switch notifications on"
	if !n.known {
		return &Error{Doing: doing, Err: fmt.Errorf("%w: CONFIG GET is refused", ErrDenied), Hint: "a user who may not read the setting cannot put it back; ask for it, or leave out --enable-notifications"}
	}
	family := n.family()
	if n.flags.Missing(family) == "" {
		return nil
	}
	n.old = n.flags
	want := n.flags.Union(family)
	err := n.set(ctx, want)
	if err != nil && strings.Contains(err.Error(), "Invalid event class") {
		// Servers before 7.0 do not know "new".
		want = n.flags.With(n.flags.Missing(family))
		err = n.set(ctx, want)
	}
	if err != nil {
		return explain(doing, err, &n.feed.cfg)
	}
	value, _, err := n.read(ctx)
	if err != nil {
		return explain(doing, err, &n.feed.cfg)
	}
	n.mu.Lock()
	n.mine, n.spelled, n.flags = &want, value, keyspace.ParseNotifyFlags(value)
	n.mu.Unlock()
	return nil
}

func (n *notifier) set(ctx context.Context, flags keyspace.NotifyFlags) error {
	return n.feed.commands.Do(ctx, "config", "set", notifySetting, flags.String()).Err()
}

// restoreLimit bounds how long the way out may take.
const restoreLimit = 2 * time.Second

// restore puts the old setting back if ours still stands. It works on a
// connection of its own: the end of a session, or of the program, is when it is
// needed. The error is an *Error.
func (n *notifier) restore() error {
	n.mu.Lock()
	mine, old := n.mine, n.old
	n.mine = nil
	n.mu.Unlock()
	if mine == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), restoreLimit)
	defer cancel()
	n.feed.commands = newCommands(&n.feed.cfg, n.feed.count)
	defer n.feed.commands.Close()
	value, ok, err := n.read(ctx)
	switch {
	case err == nil && !ok:
		err = fmt.Errorf("%w: CONFIG GET is refused", ErrDenied)
	case err == nil && mine.Stands(keyspace.ParseNotifyFlags(value)):
		err = n.set(ctx, old.Restore())
	}
	// Where somebody changed it meanwhile it stays as it is.
	if err != nil {
		return &Error{Doing: "put the notification setting back", Err: err, Hint: "by hand: " + undoCommand(old)}
	}
	return nil
}

// undo is the command that puts the setting back by hand.
func (n *notifier) undo() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.mine == nil {
		return ""
	}
	return undoCommand(n.old)
}

func undoCommand(old keyspace.NotifyFlags) string {
	return fmt.Sprintf("CONFIG SET %s %q", notifySetting, old.Restore().String())
}

// family is the kind of channel that is used: K is narrower.
func (n *notifier) family() string {
	if n.known && n.flags.Has('E') && !n.flags.Has('K') {
		return "E"
	}
	return "K"
}

// wantsKeyspace and wantsKeyevent say which channels to subscribe to. Where the
// setting cannot be read, both are tried. Where notifications are off, the
// keyspace ones wait for the moment that somebody switches them on.
func (n *notifier) wantsKeyspace() bool { return n.family() == "K" }
func (n *notifier) wantsKeyevent() bool { return !n.known || n.family() == "E" }

// state is what is known of notifications.
func (n *notifier) state() model.Notify {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.stateLocked()
}

func (n *notifier) stateLocked() model.Notify {
	switch {
	case n.feed.cfg.Notify == Off:
		return model.NotifyOff
	case n.known && n.flags.Off():
		return model.NotifyOff
	case !n.known && !n.proven:
		return model.NotifyUnknown
	case len(n.refused) > 0, n.known && n.flags.Missing(n.family()) != "":
		return model.NotifyPartial
	}
	return model.NotifyOn
}

// off reports whether no event can come.
func (n *notifier) off() bool { return n.state() == model.NotifyOff }

// refuse notes a glob whose channel the user may not have.
func (n *notifier) refuse(glob string) {
	n.mu.Lock()
	n.refused = append(n.refused, glob)
	n.mu.Unlock()
}

// demand fails where notifications are required and do not come.
func (n *notifier) demand() error {
	f := n.feed
	if f.cfg.Notify != Require {
		return nil
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	switch {
	case !f.sub.events():
		return &Error{Doing: "subscribe to notifications", Err: fmt.Errorf("%w to this user", ErrNotifyOff), Hint: "leasetop doctor prints the ACL rule"}
	case n.known && n.flags.Off():
		return &Error{Doing: "subscribe to notifications", Err: fmt.Errorf("%w: %s is %q", ErrNotifyOff, notifySetting, n.spelled),
			Hint: fmt.Sprintf("CONFIG SET %s %q, or --enable-notifications", notifySetting, n.flags.Union("K").String())}
	}
	return nil
}

// health tells the state of notifications.
func (n *notifier) health() model.Health {
	n.mu.Lock()
	h := model.Health{State: model.StateNotifications, Notify: n.stateLocked(), Flags: n.spelled}
	h.Detail = n.detail(h.Notify)
	n.mu.Unlock()
	h.Source = n.feed.source()
	n.feed.count.update(func(c *model.Counters) { c.Notify, c.Source = h.Notify, h.Source })
	return h
}

func (n *notifier) detail(state model.Notify) string {
	var d string
	switch {
	case n.feed.cfg.Notify == Off:
		d = "not used, as asked"
	case state == model.NotifyOff:
		d = fmt.Sprintf("off: %s is %q", notifySetting, n.spelled)
	case state == model.NotifyUnknown:
		d = "the setting may not be read: an event would show that they are on"
	case len(n.refused) > 0:
		d = "no permission to subscribe for " + strings.Join(n.refused, " ")
	case state == model.NotifyPartial:
		d = "missing classes: " + n.flags.Missing(n.family())
	case !n.known:
		d = "events arrive"
	default:
		d = n.spelled
	}
	if n.mine != nil {
		d += "; set by leasetop, to undo by hand: " + undoCommand(n.old)
	}
	return d
}

// prove notes the first event of a session whose setting may not be read.
func (n *notifier) prove() {
	n.mu.Lock()
	news := !n.known && !n.proven
	n.proven = true
	n.mu.Unlock()
	if news {
		n.feed.notices.proven() // the receive loop waits for nobody
	}
}

// check reads the setting again. good is the last moment at which it was known.
func (n *notifier) check(ctx context.Context, good model.Instant) error {
	n.mu.Lock()
	known, before := n.known, n.stateLocked()
	family := n.family()
	n.mu.Unlock()
	if !known || n.feed.cfg.Notify == Off {
		return nil
	}
	value, ok, err := n.read(ctx)
	if err != nil || !ok {
		return err
	}
	n.mu.Lock()
	same := value == n.spelled
	n.spelled, n.flags = value, keyspace.ParseNotifyFlags(value)
	after := n.stateLocked()
	moved := n.family() != family
	n.mu.Unlock()
	if same {
		return nil
	}
	n.feed.out.put(n.feed.healthInput(n.health()))
	tracking := n.feed.wantsTracking()
	switch {
	case moved && after != model.NotifyOff, tracking.wanted != n.feed.sub.tracks():
		return &resubscribe{since: good}
	case before != after:
		n.feed.gap(good, n.feed.clock.now(), "the notification setting was changed")
	}
	return nil
}

// resubscribe ends a session for another one with other subscriptions: what the
// server sent since a moment is not known.
type resubscribe struct{ since model.Instant }

func (r *resubscribe) Error() string { return "the notification setting was changed" }
