package judge

import (
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// atOnce bounds how many scenarios are played at a time: they mostly wait.
const atOnce = 8

// TestIncidents plays testdata/incidents.
func TestIncidents(t *testing.T) {
	files, err := filepath.Glob("testdata/incidents/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no scenarios", err)
	}
	slots := make(chan struct{}, atOnce)
	var wg sync.WaitGroup
	defer wg.Wait()
	for _, file := range files {
		s, err := readScenario(file)
		if err != nil {
			t.Fatal(err)
		}
		// Not t.Parallel: that would play no more at a time than there are cores.
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			t.Run(s.name, func(t *testing.T) { judgeScenario(t, s) })
		})
	}
}

// tries bounds how often a scenario is played that the machine kept from being
// played at its times.
const tries = 3

func judgeScenario(t *testing.T, s *scenario) {
	for try := 1; ; try++ {
		g := play(t, s)
		wrong := g.judge()
		if len(wrong) == 0 {
			return
		}
		if late, stalled := g.stalled(); stalled && try < tries {
			t.Logf("the machine stood still for %v; played again", late)
			continue
		}
		for _, w := range wrong {
			t.Error(w)
		}
		g.log()
		return
	}
}

// judge is what was not as the script says, in the replies and in what was told.
func (g *stage) judge() []string {
	all := g.wrong
	for name := range g.observers {
		var wrong []string
		if !eventually(func() bool { wrong = g.verdict(name); return len(wrong) == 0 }) {
			all = append(all, name+":\n  "+strings.Join(wrong, "\n  "))
		}
	}
	return all
}

func (g *stage) log() {
	for _, o := range g.observers {
		for i := range o.told {
			g.t.Log("told ", g.tell(&o.told[i]))
		}
		for i := range o.health {
			g.t.Log("health ", g.clock(o.health[i].At), o.health[i].State, o.health[i].Detail, o.health[i].Notify)
		}
	}
}
