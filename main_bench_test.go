package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"leasetop/demo/server"
)

// BenchmarkChangeToLine measures from just before a client sends its SET to the
// line of it on the stdout of watch --json, in another process. 200 changes:
//
//	go test -run '^$' -bench ChangeToLine -benchtime 200x .
func BenchmarkChangeToLine(b *testing.B) {
	ctx := context.Background()
	for _, how := range []struct{ name, flags, args string }{
		{"notifications", "KEg$lshzxen", ""},
		{"tracking", "", ""},
		{"polling-50ms", "", "--tracking off --interval 50ms"},
	} {
		b.Run(how.name, func(b *testing.B) {
			s, err := server.Start(ctx, server.Options{Args: []string{"--notify-keyspace-events", how.flags}})
			if err != nil {
				b.Fatal(err)
			}
			defer s.Stop()
			c := redis.NewClient(&redis.Options{Addr: s.Addr(), DisableIdentity: true})
			defer c.Close()
			out, stop := watchLines(b, append([]string{"-p", fmt.Sprint(s.Port()), "lock:*"}, strings.Fields(how.args)...))
			defer stop()
			out.until(`"state":"synced"`)
			var took []time.Duration
			n := 0
			for b.Loop() {
				key := fmt.Sprintf("lock:%d", n)
				n++
				start := time.Now()
				if err := c.Set(ctx, key, "owner", time.Hour).Err(); err != nil {
					b.Fatal(err)
				}
				out.until(`"key":"` + key + `"`)
				took = append(took, time.Since(start))
			}
			slices.Sort(took)
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
			b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "p95-ms")
			b.ReportMetric(float64(took[len(took)-1].Microseconds())/1000, "max-ms")
		})
	}
}

// lineReader reads the lines of a watch.
type lineReader struct {
	b *testing.B
	r *bufio.Reader
}

func (l lineReader) until(text string) {
	for {
		line, err := l.r.ReadString('\n')
		if err != nil {
			l.b.Fatalf("no line with %s: %v", text, err)
		}
		if strings.Contains(line, text) {
			return
		}
	}
}

func watchLines(b *testing.B, args []string) (lineReader, func()) {
	program, err := built()
	if err != nil {
		b.Fatal(err)
	}
	cmd := exec.Command(program, append([]string{"watch", "--json"}, args...)...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	return lineReader{b, bufio.NewReader(out)}, func() {
		_ = cmd.Process.Kill()
		_, _ = io.Copy(io.Discard, out)
		_ = cmd.Wait()
	}
}
