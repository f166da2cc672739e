package main

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// alias names the owners that a regular expression (RE2) matches.
type alias struct {
	match *regexp.Regexp
	name  string
}

// aliaser makes the function that names owners: the first expression that
// matches decides, "" where none does. nil without --alias.
func (f *flags) aliaser() (func(token string) string, error) {
	if len(f.aliases) == 0 {
		return nil, nil
	}
	var list []alias
	for _, word := range f.aliases {
		// The last equals sign counts: an expression may hold others.
		at := strings.LastIndexByte(word, '=')
		if at <= 0 || at == len(word)-1 {
			return nil, usage(fmt.Errorf("--alias %q is not REGEXP=NAME", word), "--alias '^pod-a/=payments'")
		}
		re, err := regexp.Compile(word[:at])
		if err != nil {
			return nil, usage(errors.Join(fmt.Errorf("--alias %q", word), err), "the syntax is RE2: https://golang.org/s/re2syntax")
		}
		list = append(list, alias{re, word[at+1:]})
	}
	return func(token string) string {
		for _, a := range list {
			if a.match.MatchString(token) {
				return a.name
			}
		}
		return ""
	}, nil
}
