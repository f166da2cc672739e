package resource_test

import (
	"fmt"
	"path/filepath"
	"sync"
	"testing"

	"leasetop/demo/resource"
)

// two opens a new file twice, as two processes would.
func two(t *testing.T) (a, b *resource.Resource) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a name? with #marks%.db")
	a, err := resource.Create(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	b, err = resource.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = a.Close(); _ = b.Close() })
	return a, b
}

func write(execution string, fence int64) resource.Write {
	return resource.Write{Job: "j", Execution: execution, Value: "by " + execution, Fence: fence}
}

func state(t *testing.T, r *resource.Resource) resource.State {
	t.Helper()
	s, err := r.State(t.Context(), "j")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestWhatALateWriterCanDo(t *testing.T) {
	type put func(*resource.Resource, resource.Write) (resource.Outcome, string, error)
	plain := func(r *resource.Resource, w resource.Write) (resource.Outcome, string, error) {
		o, err := r.Put(t.Context(), w)
		return o, "", err
	}
	fenced := func(r *resource.Resource, w resource.Write) (resource.Outcome, string, error) {
		return r.PutFenced(t.Context(), w)
	}
	once := func(r *resource.Resource, w resource.Write) (resource.Outcome, string, error) {
		return r.PutOnce(t.Context(), w)
	}
	for _, c := range []struct {
		name    string
		put     put
		late    int64 // fence of the late writer; the one before it has 34
		outcome resource.Outcome
		says    string
		stands  string
	}{
		{"plain", plain, 33, resource.Accepted, "", "by a"},
		{"fenced", fenced, 33, resource.Rejected, "fence 33 < 34", "by b"},
		{"fenced without a number", fenced, 0, resource.Rejected, "fence 0 < 34", "by b"},
		{"fenced with the same number", fenced, 34, resource.Accepted, "", "by a"},
		{"once", once, 33, resource.Duplicate, "by b", "by b"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, b := two(t)
			if s := state(t, a); s.Value != "" || len(s.Attempts) != 0 {
				t.Fatalf("a new resource holds %+v", s)
			}
			if o, _, err := c.put(b, write("b", 34)); o != resource.Accepted || err != nil {
				t.Fatalf("the first write: %v, %v", o, err)
			}
			o, says, err := c.put(a, write("a", c.late))
			if o != c.outcome || says != c.says || err != nil {
				t.Errorf("the late write: %v %q, %v", o, says, err)
			}
			s := state(t, b)
			if s.Value != c.stands || "by "+s.Writer != c.stands {
				t.Errorf("it holds %q by %q", s.Value, s.Writer)
			}
			if len(s.Attempts) != 2 || s.Attempts[1].Outcome != c.outcome || s.Attempts[1].Execution != "a" {
				t.Errorf("attempts: %+v", s.Attempts)
			}
		})
	}
}

// Whatever the order in which many writers come, a fenced resource ends with the
// highest number, and each job is completed once.
func TestManyWriters(t *testing.T) {
	a, b := two(t)
	var wg sync.WaitGroup
	for n := range 20 {
		wg.Go(func() {
			r := []*resource.Resource{a, b}[n%2]
			if _, _, err := r.PutFenced(t.Context(), write(fmt.Sprint(n), int64(n+1))); err != nil {
				t.Error(err)
			}
			once := write(fmt.Sprint(n), 0)
			once.Job = "k"
			if _, _, err := r.PutOnce(t.Context(), once); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if s := state(t, a); s.Fence != 20 || s.Writer != "19" || len(s.Attempts) != 20 {
		t.Errorf("after all writes: %+v", s)
	}
	s, err := a.State(t.Context(), "k")
	if err != nil || s.Count(resource.Accepted) != 1 || s.Count(resource.Duplicate) != 19 {
		t.Errorf("the job was completed %d times, and %d were duplicates (%v)", s.Count(resource.Accepted), s.Count(resource.Duplicate), err)
	}
}
