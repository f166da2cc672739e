package peers

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/go-co-op/gocron-redis-lock/v2"
	"github.com/go-co-op/gocron/v2"
	"github.com/gocraft/work"
	"github.com/gomodule/redigo/redis"
	"github.com/hibiken/asynq"
)

// TestGoQueues runs schedulers and work queues for Go that keep leases.
func TestGoQueues(t *testing.T) {
	stories(t, map[string]func(s *scene){
		"asynq":        asynqServer,
		"gocraft work": gocraftPool,
		"gocron":       gocronScheduler,
	})
}

const (
	asynqLease  = "asynq:{default}:lease"
	asynqUnique = "asynq:{default}:unique:mail:ec0281682597866b9b15cbae1e3df7b3" // MD5 of the payload
)

// asynqTasks starts a server of asynq whose tasks run until they are told to
// end, by their type.
func (s *scene) asynqTasks(ends map[string]chan struct{}) {
	s.Helper()
	srv := asynq.NewServer(asynq.RedisClientOpt{Addr: s.srv.Addr()}, asynq.Config{
		Concurrency: 2, LogLevel: asynq.FatalLevel, TaskCheckInterval: 10 * time.Millisecond, ShutdownTimeout: time.Millisecond,
	})
	s.must(srv.Start(asynq.HandlerFunc(func(c context.Context, t *asynq.Task) error {
		select {
		case <-ends[t.Type()]:
			return nil
		case <-c.Done():
			return c.Err()
		}
	})))
	s.Cleanup(srv.Shutdown)
}

func asynqServer(s *scene) {
	s.slack = 1100 * time.Millisecond // scores are whole seconds, cut
	s.watch()
	ends := map[string]chan struct{}{"mail": make(chan struct{}), "report": make(chan struct{})}
	client := asynq.NewClient(asynq.RedisClientOpt{Addr: s.srv.Addr()})
	s.Cleanup(func() { _ = client.Close() })
	mail := asynq.NewTask("mail", []byte(`{"to":"ada"}`), asynq.Unique(20*time.Second))
	_, err := client.Enqueue(mail, asynq.TaskID("task-1"))
	s.must(err)
	s.tells(asynqUnique, `acquired "task-1" 20s`) // held by nobody who runs
	s.stored(asynqUnique, "string", "asynq unique")
	if _, err := client.Enqueue(mail); !errors.Is(err, asynq.ErrDuplicateTask) {
		s.Fatalf("enqueued twice: %v", err)
	}
	s.quiet()

	s.asynqTasks(ends)
	s.tells(asynqLease, `acquired "task-1" 30s`)
	s.stored(asynqLease, "zset-deadline", "asynq")
	_, err = client.Enqueue(asynq.NewTask("report", nil), asynq.TaskID("task-2"))
	s.must(err)
	s.tells(asynqLease, `acquired "task-2" 30s`)
	s.held(asynqLease, `"task-1"`, `"task-2"`)
	// One heartbeat, 5 s after the server's start, renews both.
	s.tells(asynqLease, `renewed "task-1" 30s`, `renewed "task-2" 30s`)
	close(ends["mail"])
	s.tells(asynqLease, `released "task-1" renewed 1`)
	s.tells(asynqUnique, `released "task-1"`)
	s.leases(asynqLease, asynqUnique)
	s.findings()

	// A dead worker's lease is over at its score; the member stays.
	s.do("zadd "+asynqLease+" xx % task-2", s.ms(time.Second)/1000+1)
	s.tells(asynqLease, `shortened "task-2"`, `expired "task-2" renewed 2`)
	if r := s.reading(asynqLease); len(r.Holders) != 0 || len(r.Expired) != 1 || r.Expired[0].Owner != "task-2" {
		s.Errorf("holders %v, expired %v", r.Holders, r.Expired)
	}
}

func gocraftPool(s *scene) {
	s.watch()
	pool := &redis.Pool{Dial: func() (redis.Conn, error) { return redis.Dial("tcp", s.srv.Addr()) }, MaxActive: 10, MaxIdle: 10, Wait: true}
	s.Cleanup(func() { _ = pool.Close() })
	end := make(chan struct{})
	workers := work.NewWorkerPool(struct{}{}, 2, "app", pool)
	workers.JobWithOptions("mail", work.JobOptions{MaxConcurrency: 2}, func(*work.Job) error { <-end; return nil })
	workers.Start()
	s.Cleanup(workers.Stop)
	queue := work.NewEnqueuer("app", pool)
	const key = "app:jobs:mail:lock"
	_, err := queue.Enqueue("mail", nil)
	s.must(err)
	s.await("a holder", func() bool { return s.c.HLen(ctx, key+"_info").Val() == 1 })
	s.name("pool", s.c.HKeys(ctx, key+"_info").Val()[0])
	s.tells(key, "acquired pool x1 endless")
	s.stored(key, "counter", "gocraft/work")
	_, err = queue.Enqueue("mail", nil)
	s.must(err)
	s.tells(key, "recount pool x2 endless")
	// The third waits: two are the most that may run.
	_, err = queue.Enqueue("mail", nil)
	s.must(err)
	s.quiet()
	end <- struct{}{}
	// It comes as the first leaves; who looks in between sees that too.
	s.await("the third job", func() bool { return s.c.LLen(ctx, "app:jobs:mail").Val() == 0 && s.value(key) == "2" })
	s.settle(key)
	s.held(key, "pool x2")
	close(end)
	s.await("the end of all", func() bool { return s.value(key) == "0" })
	s.settle(key)
	s.held(key)
	if l := s.ledger.Lease(s.key(key)); l.EndedBy.String() != "released" {
		s.Errorf("ended by %s", l.EndedBy)
	}
	s.leases(key)
	s.findings()
}

func gocronScheduler(s *scene) {
	s.watch("report")
	locker, err := redislock.NewRedisLocker(s.c, redislock.WithTries(1))
	s.must(err)
	started, end := make(chan struct{}), make(chan struct{})
	jobs, err := gocron.NewScheduler(gocron.WithDistributedLocker(locker))
	s.must(err)
	_, err = jobs.NewJob(gocron.OneTimeJob(gocron.OneTimeJobStartImmediately()),
		gocron.NewTask(func() { close(started); <-end }), gocron.WithName("report"))
	s.must(err)
	jobs.Start()
	s.Cleanup(func() { _ = jobs.Shutdown() })
	<-started
	s.name("A", s.value("report"))
	s.tells("report", "acquired A 8s")
	s.stored("report", "string", "")
	if _, err := locker.Lock(ctx, "report"); err == nil {
		s.Fatal("B got it")
	}
	s.quiet()
	close(end)
	s.tells("report", "released A")
	s.leases("report")
	s.findings()
}
