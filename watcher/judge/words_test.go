package judge

import (
	"fmt"
	"strconv"
	"strings"
)

// splitWords splits a line of a scenario at its spaces. A word, or a part of
// one, may stand in single or double quotes; a backslash outside of single
// quotes stands for a byte as in Go (\x1b \n \r \t \\ \").
func splitWords(line string) ([]string, error) {
	var words []string
	var word []byte
	inside, quote := false, byte(0)
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && (c == '\'' || c == '"'):
			quote, inside = c, true
		case c == '\\' && quote != '\'':
			b, n, err := escape(line[i:])
			if err != nil {
				return nil, err
			}
			word, inside = append(word, b), true
			i += n - 1
		case quote == 0 && c == ' ':
			if inside {
				words = append(words, string(word))
			}
			word, inside = word[:0], false
		default:
			word, inside = append(word, c), true
		}
	}
	if quote != 0 {
		return nil, fmt.Errorf("a quote is not closed in %q", line)
	}
	if inside {
		words = append(words, string(word))
	}
	return words, nil
}

// escape reads one escape at the beginning of s and tells its length.
func escape(s string) (b byte, n int, err error) {
	if len(s) < 2 {
		return 0, 0, fmt.Errorf("a backslash ends %q", s)
	}
	if s[1] == 'x' && len(s) >= 4 {
		v, err := strconv.ParseUint(s[2:4], 16, 8)
		return byte(v), 4, err
	}
	if i := strings.IndexByte(`nrt\"`, s[1]); i >= 0 {
		return "\n\r\t\\\""[i], 2, nil
	}
	return 0, 0, fmt.Errorf("no escape is known that begins as %.4q", s)
}
