package peers

import (
	"testing"
	"time"
)

// TestJavaScriptLibraries runs the libraries for JavaScript themselves.
func TestJavaScriptLibraries(t *testing.T) {
	needNode(t)
	stories(t, map[string]func(s *scene){
		"redlock 5":             func(s *scene) { nodeRedlock(s, "redlock") },
		"redlock 4":             func(s *scene) { nodeRedlock(s, "redlock4") },
		"redlock using":         nodeRedlockUsing,
		"redis-semaphore mutex": nodeMutex,
		"redis-semaphore":       nodeSemaphore,
		"redis-semaphore multi": nodeMultiSemaphore,
		"BullMQ":                bullWorker,
	})
}

// nodeRedlock: two resources are one lock with one token.
func nodeRedlock(s *scene, library string) {
	s.watch("room:*")
	both := func(want string) {
		s.Helper()
		s.tells("room:1", want)
		s.tells("room:2", want)
	}
	a, b := s.peer(library), s.peer(library)
	s.name("A", a.does("acquire", 20000, "room:1", "room:2"))
	both("acquired A 20s")
	s.stored("room:1", "string", "")
	s.stored("room:2", "string", "")
	s.together("room:1", "room:2")
	s.aged("room:1", 20*time.Second)
	a.does("extend", 20000)
	both("renewed A 20s")
	b.refused("acquire", 20000, "room:2")
	a.does("release")
	both("released A renewed 1")
	s.findings()
	s.name("B", b.does("acquire", 2000, "room:2"))
	b.does("cut")
	s.tells("room:2", "acquired B 2s after released", "expired B")
	s.leases("room:1", "room:2")
}

// nodeRedlockUsing: the library extends while a routine runs.
func nodeRedlockUsing(s *scene) {
	s.watch("room:*")
	a := s.peer("redlock")
	a.does("using", 8000, "room:1")
	s.name("A", s.value("room:1"))
	s.renewed("room:1", "renewed A 8s", 2)
	s.tells("room:1", "acquired A 8s")
	a.does("end")
	s.tells("room:1", "released A")
	s.findings()
}

func nodeMutex(s *scene) {
	s.watch()
	const key = "mutex:invoice"
	a, b := s.peer("mutex"), s.peer("mutex")
	s.name("A", a.does("acquire", 8000, 600, "invoice"))
	s.renewed(key, "renewed A 8s", 2)
	s.tells(key, "acquired A 8s")
	if r := s.reading(key); r.Format != "string" || r.Library != "redis-semaphore mutex (npm)" {
		s.Errorf("%s of %s", r.Format, r.Library)
	}
	b.refused("acquire", 8000, 0, "invoice")
	a.does("release")
	s.tells(key, "released A")
	s.findings()
	s.name("B", b.does("acquire", 2000, 0, "invoice"))
	b.does("cut")
	s.tells(key, "acquired B 2s after released", "expired B")
	s.leases(key)
}

// nodeSemaphore: each holder ends by its own last refresh.
func nodeSemaphore(s *scene) {
	s.slack = 100 * time.Millisecond // scores are by the client's clock, before they are sent
	s.watch()
	const key = "semaphore:pool"
	a, b, c := s.peer("semaphore"), s.peer("semaphore"), s.peer("semaphore")
	s.name("A", a.does("acquire", 20000, 0, "pool", 2))
	s.tells(key, "acquired A 20s")
	s.stored(key, "zset-refresh", "redis-semaphore (npm)")
	s.name("B", b.does("acquire", 20000, 0, "pool", 2))
	s.tells(key, "acquired B 20s")
	s.held(key, "A", "B")
	c.refused("acquire", 20000, 0, "pool", 2)
	a.does("release")
	s.tells(key, "released A")
	s.held(key, "B")
	b.does("release")
	s.tells(key, "released B")
	s.findings()
	s.name("D", a.does("acquire", 8000, 600, "pool", 2))
	s.renewed(key, "renewed D 8s", 2)
	s.tells(key, "acquired D 8s after released")
	a.does("release")
	s.tells(key, "released D")
	s.findings()
	// A dead holder's key ends with it.
	s.name("E", a.does("acquire", 2000, 0, "pool", 2))
	a.does("cut")
	s.tells(key, "acquired E 2s after released", "expired E")
}

// nodeMultiSemaphore: the permits of one client are one holder with a count.
func nodeMultiSemaphore(s *scene) {
	s.slack = 100 * time.Millisecond
	s.watch()
	const key = "semaphore:slots"
	a, b := s.peer("multi"), s.peer("multi")
	s.name("A", a.does("acquire", 20000, 0, "slots", 3, 2))
	s.tells(key, "acquired A x2 20s")
	s.stored(key, "zset-refresh", "redis-semaphore (npm)")
	b.refused("acquire", 20000, 0, "slots", 3, 2)
	s.name("B", b.does("acquire", 20000, 0, "slots", 3, 1))
	s.tells(key, "acquired B x1 20s")
	s.held(key, "A x2", "B x1")
	a.does("release")
	s.tells(key, "released A x2")
	b.does("release")
	s.tells(key, "released B x1")
	s.leases(key)
	s.findings()
}

func bullWorker(s *scene) {
	s.watch()
	const lock, check = "bull:mail:1:lock", "bull:mail:stalled-check"
	a := s.ownPeer("bullmq")
	if id := a.does("add", "mail"); id != "1" {
		s.Fatalf("job %s", id)
	}
	s.name("A", a.does("work", "mail", 8000, 1000))
	s.renewed(lock, "renewed A 8s", 2)
	s.tells(lock, "acquired A 8s")
	if r := s.reading(lock); r.Format != "string" || r.Library != "BullMQ" {
		s.Errorf("%s of %s", r.Format, r.Library)
	}
	s.stored(check, "mark", "BullMQ stalled check")
	s.tells(check, "acquired ? 60s")
	if told := s.reading(check).Holders[0].Told; told == nil || told.Acquired == 0 {
		s.Errorf("%s tells %+v", check, told)
	}
	a.does("end")
	s.tells(lock, "released A")
	s.leases(lock, check)
	s.findings()
	a.p.kill()

	// Another worker takes the next job and dies with it.
	b := s.ownPeer("bullmq")
	if id := b.does("add", "mail"); id != "2" {
		s.Fatalf("job %s", id)
	}
	const next = "bull:mail:2:lock"
	s.name("B", b.does("work", "mail", 3000, 2000))
	b.p.kill()
	s.until("the end of B", func() bool { l := s.lease(next); return l != nil && l.EndedBy != 0 })
	s.mu.Lock()
	s.renews[next] = true // it may have had the time
	s.mu.Unlock()
	s.tells(next, "acquired B 3s", "expired B")
}
