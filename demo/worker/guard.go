package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"leasetop/demo/dial"
)

// A guard outlives the demo by a moment. However the demo ends, also by SIGKILL,
// its pipe to the guard ends with it: the guard then ends the workers that are
// left, stopped or not, deletes the keys of the run and removes its folders.

// cleanLimit bounds a guard's work.
const cleanLimit = 5 * time.Second

// guard waits for the end of its orders and cleans up. Its answer is an End, or
// a Fail that says what is left.
func guard(setup Setup, orders *json.Decoder, say *speaker) int {
	pids := map[int]bool{}
	say.say(Message{Ack: Watch})
	for {
		var o Order
		if err := orders.Decode(&o); err != nil {
			break
		}
		switch o.Do {
		case Watch:
			pids[o.Pid] = true
		case Forget:
			delete(pids, o.Pid)
		}
	}
	for pid := range pids {
		endProcess(pid)
	}
	for pid := range pids {
		awaitEnd(pid, time.Second)
	}
	if err := Clean(context.Background(), setup.Target, setup.Keys, setup.Dirs); err != nil {
		say.say(Message{Fail: err.Error()})
		return 1
	}
	say.say(Message{End: true})
	return 0
}

// Clean deletes the keys and removes the folders of a run.
func Clean(ctx context.Context, target dial.Target, keys, dirs []string) error {
	ctx, cancel := context.WithTimeout(ctx, cleanLimit)
	defer cancel()
	return errors.Join(deleteKeys(ctx, target, keys), removeDirs(dirs))
}

func deleteKeys(ctx context.Context, target dial.Target, keys []string) error {
	if len(keys) == 0 {
		return nil
	}
	client, err := target.Client(time.Second)
	if err != nil {
		return err
	}
	defer client.Close()
	if err := client.Del(ctx, keys...).Err(); err != nil {
		return fmt.Errorf("delete the keys %s: %w", strings.Join(keys, ", "), err)
	}
	return nil
}

// DirPrefix begins the name of each folder that Clean may remove, so that a slip
// of ours can never remove anything else.
const DirPrefix = "leasetop-"

func removeDirs(dirs []string) error {
	var errs []error
	for _, dir := range dirs {
		if !strings.HasPrefix(filepath.Base(dir), DirPrefix) {
			errs = append(errs, fmt.Errorf("remove %s: not a folder of the demo", dir))
			continue
		}
		if err := os.RemoveAll(dir); err != nil {
			errs = append(errs, fmt.Errorf("remove the folder of the run: %w", err))
		}
	}
	return errors.Join(errs...)
}
