package peers

import (
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"leasetop/demo/server"
	"leasetop/keyspace"
	"leasetop/model"
	"leasetop/watcher"
)

// TestMain lets many stories run at a time: they wait for leases to end most of
// theirs.
func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.parallel", "12"); err != nil {
		panic(err)
	}
	code := m.Run()
	endPeers()
	os.Exit(code)
}

// limit bounds every wait. It is far beyond what any step takes.
const limit = 20 * time.Second

// sight is how a scene's watcher learns of changes.
type sight string

const (
	byEvents  sight = "events"  // notifications only: no sweep after the first
	byPolling sight = "polling" // sweeps only
)

// fence is a key of the scene's own. Once its coming and going are told,
// everything before is told too.
const fence = "peers-fence"

// scene is a private server, a watcher on it, and the ledger that it feeds.
type scene struct {
	*testing.T
	sight sight
	srv   *server.Server
	c     *redis.Client
	live  *watcher.Live
	slack time.Duration     // how far a library rounds its deadlines
	busy  bool              // steps of several writes make the count of renewals a lower bound
	alias map[string]string // owner token to the name that the story gives it

	mu      sync.Mutex
	news    chan struct{} // closed when something came
	synced  bool
	ledger  *model.Ledger
	look    *model.Inspector
	told    map[string][]model.Transition
	read    map[string]int  // of told, what the story has checked
	renews  map[string]bool // a library renews it, at times of its own
	found   []model.Finding
	healths []model.Health
}

// stories runs each story by events and by polling, side by side.
func stories(t *testing.T, list map[string]func(s *scene)) {
	t.Parallel()
	for name, story := range list {
		for _, by := range []sight{byEvents, byPolling} {
			t.Run(name+"/"+string(by), func(t *testing.T) {
				t.Parallel()
				story(newScene(t, by))
			})
		}
	}
}

func newScene(t *testing.T, by sight) *scene {
	t.Helper()
	var args []string
	if by == byEvents {
		args = []string{"--notify-keyspace-events", "KEA"}
	}
	srv, err := server.Start(context.Background(), server.Options{Args: args})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(srv.Stop)
	c := redis.NewClient(&redis.Options{Addr: srv.Addr()})
	t.Cleanup(func() { _ = c.Close() })
	return &scene{
		T: t, sight: by, srv: srv, c: c, slack: 5 * time.Millisecond,
		alias: make(map[string]string), news: make(chan struct{}),
		ledger: model.NewLedger(model.Limits{}), look: model.NewInspector(),
		told: make(map[string][]model.Transition), read: make(map[string]int), renews: make(map[string]bool),
	}
}

// watch starts leasetop on patterns and returns when the first sweep is done.
// No pattern means those of the known libraries. Words such as "a:*=counter"
// are those of --format.
func (s *scene) watch(patterns ...string) {
	s.Helper()
	cfg := watcher.Config{Addr: s.srv.Addr(), Tracking: watcher.Off}
	for i := 0; i < len(patterns); i++ {
		if f, err := keyspace.ParseForce(patterns[i]); err == nil {
			cfg.Forces = append(cfg.Forces, f)
			patterns = slices.Delete(slices.Clone(patterns), i, i+1)
			i--
		}
	}
	if len(patterns) == 0 {
		patterns = keyspace.DefaultPatterns()
	}
	p, err := keyspace.ParsePatterns(append(slices.Clone(patterns), fence))
	if err != nil {
		s.Fatal(err)
	}
	cfg.Patterns = p
	switch s.sight {
	case byEvents:
		cfg.Notify, cfg.Interval = watcher.Require, time.Hour
	case byPolling:
		cfg.Notify, cfg.Interval = watcher.Off, 20*time.Millisecond
	}
	s.live = watcher.New(cfg)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.live.Run(ctx, s.take) }()
	s.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			s.Errorf("the watcher: %v", err)
		}
	})
	s.until("the first sweep", func() bool { return s.synced })
}

// take folds a batch as leasetop's commands do.
func (s *scene) take(batch []model.Input) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range batch {
		if h := batch[i].Health; h != nil {
			s.healths = append(s.healths, *h)
			s.synced = s.synced || h.State == model.StateSynced
		}
	}
	told := s.ledger.Apply(batch...)
	for _, t := range told {
		s.told[t.Key.Name] = append(s.told[t.Key.Name], t)
	}
	s.found = append(s.found, s.look.Heed(s.ledger, told)...)
	close(s.news)
	s.news = make(chan struct{})
}

// until waits for a condition on what was told.
func (s *scene) until(what string, ok func() bool) {
	s.Helper()
	timeout := time.After(limit)
	for {
		s.mu.Lock()
		done, news := ok(), s.news
		s.mu.Unlock()
		if done {
			return
		}
		select {
		case <-news:
		case <-timeout:
			s.mu.Lock()
			defer s.mu.Unlock()
			s.Fatalf("no sign of %s\n%s", what, s.all())
		}
	}
}

// await waits for a condition outside of leasetop.
func (s *scene) await(what string, ok func() bool) {
	s.Helper()
	for end := time.Now().Add(limit); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			s.Fatalf("no sign of %s", what)
		}
	}
}

// must ends the test on an error of a step.
func (s *scene) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// do sends one command, words apart by spaces; args fill its %.
func (s *scene) do(command string, args ...any) {
	s.Helper()
	words := strings.Fields(command)
	line := make([]any, len(words))
	for i, w := range words {
		line[i] = w
		if w == "%" {
			line[i], args = args[0], args[1:]
		}
	}
	if len(args) > 0 {
		s.Fatalf("%s: %d words too many", command, len(args))
	}
	if err := s.c.Do(context.Background(), line...).Err(); err != nil && err != redis.Nil {
		s.Fatalf("%s: %v", command, err)
	}
}

// eval runs a script, as libraries do what must be one step.
func (s *scene) eval(script string, keys []string, args ...any) any {
	s.Helper()
	v, err := s.c.Eval(context.Background(), script, keys, args...).Result()
	if err != nil && err != redis.Nil {
		s.Fatalf("%s: %v", script, err)
	}
	return v
}

// now is the server's clock plus d.
func (s *scene) now(d time.Duration) time.Time {
	s.Helper()
	t, err := s.c.Time(context.Background()).Result()
	s.must(err)
	return t.Add(d)
}

// ms is the server's clock plus d in milliseconds.
func (s *scene) ms(d time.Duration) int64 { s.Helper(); return s.now(d).UnixMilli() }

// at spells a deadline for a story.
func at(ms int64) string { return fmt.Sprintf("@%d", ms) }

// value is what a string key holds.
func (s *scene) value(key string) string {
	s.Helper()
	v, err := s.c.Get(context.Background(), key).Result()
	s.must(err)
	return v
}

// name gives an owner token a name for the story.
func (s *scene) name(alias, token string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.alias[token] = alias
}

// aged waits until a key's deadline is no longer as far as it was granted: a
// renewal within the same millisecond would set the same one.
func (s *scene) aged(key string, granted time.Duration) {
	s.Helper()
	s.await("time passing", func() bool { return s.c.PTTL(context.Background(), key).Val() < granted-2*time.Millisecond })
}
