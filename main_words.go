package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"leasetop/keyspace"
)

// patterns reads the PATTERN words of a command. At the root the first word may
// be a command's name with a slip in it: it is refused with a hint, unless --
// stands before it.
func patterns(cmd *cobra.Command, args []string) (keyspace.Patterns, error) {
	if !cmd.HasParent() && len(args) > 0 && cmd.ArgsLenAtDash() != 0 {
		if near := nearCommand(cmd, args[0]); near != "" {
			return keyspace.Patterns{}, usage(fmt.Errorf("%q is no command", args[0]),
				fmt.Sprintf("did you mean leasetop %s? To watch a key of that name: leasetop -- %s", near, args[0]))
		}
	}
	p, err := keyspace.ParsePatterns(args)
	if err != nil {
		return p, usage(err, "a pattern is a glob as in SCAN MATCH: 'lock:*'; !PATTERN leaves keys out")
	}
	return p, nil
}

// nearCommand is the command whose name a word misses by a letter or two, ""
// when there is none. A word with a mark of a glob or of a key's parts in it is
// meant as a pattern.
func nearCommand(root *cobra.Command, word string) string {
	if len(word) < 3 || strings.ContainsAny(word, "*?[]\\!:{}._-/#") {
		return ""
	}
	best, least := "", 3
	for _, c := range root.Commands() {
		if c.Hidden {
			continue
		}
		slips := 1
		if len(c.Name()) > 4 {
			slips = 2
		}
		if d := distance(word, c.Name()); d <= slips && d < least {
			best, least = c.Name(), d
		}
	}
	return best
}

// distance counts the letters to add, drop, change or swap with their neighbour
// to make a out of b (optimal string alignment).
func distance(a, b string) int {
	rows := [3][]int{make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)}
	for j := range rows[1] {
		rows[1][j] = j
	}
	for i := 1; i <= len(a); i++ {
		before, last, row := rows[(i-1)%3], rows[i%3], rows[(i+1)%3]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			change := 1
			if a[i-1] == b[j-1] {
				change = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
	}
	return rows[(len(a)+1)%3][len(b)]
}
