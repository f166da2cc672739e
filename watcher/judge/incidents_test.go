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
			t.Run(s.name, func(t *testing.T) { judgeScenario(t, play(t, s)) })
		})
	}
}

func judgeScenario(t *testing.T, g *stage) {
	for name, o := range g.observers {
		var wrong []string
		if eventually(func() bool { wrong = g.verdict(name); return len(wrong) == 0 }) {
			continue
		}
		t.Errorf("%s:\n  %s", name, strings.Join(wrong, "\n  "))
		for i := range o.told {
			t.Log("told ", g.tell(&o.told[i]))
		}
		for i := range o.health {
			t.Log("health ", g.clock(o.health[i].At), o.health[i].State, o.health[i].Detail, o.health[i].Notify)
		}
	}
}
