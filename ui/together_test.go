package ui

import (
	"testing"
	"time"

	"leasetop/model"
)

// The page of a key names the others that are one lock with it.
func TestKeysOfOneLock(t *testing.T) {
	s := newStage(t, 120, 30)
	const token = "9d1f3b6a7c2e4805f1a2b3c4d5e6f708"
	both := func(name string) {
		d := s.deadline(10 * time.Second)
		s.observe(name, model.SourceEvent, model.Reading{Deadline: d, Size: int64(len(token)), Holders: []model.Holder{{Owner: token, Deadline: d}}}, "set", "expire")
	}
	both("lock:room:1")
	s.press("enter")
	s.lacks("one lock")
	both("lock:room:2")
	both("lock:room:3")
	s.pass(2 * time.Second)
	s.wants("one lock", "with lock:room:2, lock:room:3")
	s.release("lock:room:2")
	s.pass(2 * time.Second)
	s.wants("with lock:room:3")
	s.lacks("with lock:room:2")
}
