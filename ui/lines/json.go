package lines

import (
	"encoding/base64"
	"strconv"
	"unicode"
	"unicode/utf8"

	"leasetop/model"
)

// base64Suffix marks a field whose value is base64 (RFC 4648, with padding) of
// raw bytes.
const base64Suffix = "_b64"

func encode(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }

// object appends one JSON object to b.
type object struct {
	b     []byte
	empty bool
}

func newObject(b []byte) *object { return &object{b: append(b, '{'), empty: true} }

// close ends the object and gives the whole of b.
func (o *object) close() []byte { return append(o.b, '}') }

func (o *object) name(name string) {
	if !o.empty {
		o.b = append(o.b, ',')
	}
	o.empty = false
	o.b = append(o.b, '"')
	o.b = append(o.b, name...)
	o.b = append(o.b, '"', ':')
}

func (o *object) text(name, s string) {
	o.name(name)
	o.b = appendString(o.b, s)
}

func (o *object) bytes(name, s string) {
	if utf8.ValidString(s) {
		o.text(name, s)
		return
	}
	o.text(name+base64Suffix, encode(s))
}

func (o *object) none(name string) {
	o.name(name)
	o.b = append(o.b, "null"...)
}

func (o *object) number(name string, n int64) {
	o.name(name)
	o.b = strconv.AppendInt(o.b, n, 10)
}

func (o *object) flag(name string, v bool) {
	o.name(name)
	o.b = strconv.AppendBool(o.b, v)
}

func (o *object) instant(name string, i model.Instant) {
	if i.IsZero() {
		o.none(name)
		return
	}
	o.text(name, i.String())
}

// list writes an array of objects, one for each call of item.
func (o *object) list(name string, n int, item func(i int, s *object)) {
	o.name(name)
	o.b = append(o.b, '[')
	for i := range n {
		if i > 0 {
			o.b = append(o.b, ',')
		}
		s := newObject(o.b)
		item(i, s)
		o.b = s.close()
	}
	o.b = append(o.b, ']')
}

const hex = "0123456789abcdef"

// appendString appends s as a JSON string. Beyond what JSON asks for, every
// rune that does not print (controls of both sets, bidi overrides, zero-width
// marks) is escaped: a reader decodes the same text, a terminal stays unharmed.
// Invalid UTF-8 becomes U+FFFD; callers that must not lose bytes use base64.
func appendString(b []byte, s string) []byte {
	b = append(b, '"')
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			b = appendASCII(b, c)
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			b = append(b, "�"...)
		case shows(r):
			b = append(b, s[i:i+n]...)
		case r > 0xffff:
			r -= 0x10000
			b = appendEscape(b, 0xd800+(r>>10))
			b = appendEscape(b, 0xdc00+(r&0x3ff))
		default:
			b = appendEscape(b, r)
		}
		i += n
	}
	return append(b, '"')
}

// shows reports whether a rune is seen on a terminal for what it is.
func shows(r rune) bool {
	return unicode.IsPrint(r) && !unicode.In(r, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

func appendASCII(b []byte, c byte) []byte {
	switch {
	case c == '"' || c == '\\':
		return append(b, '\\', c)
	case c == '\n':
		return append(b, '\\', 'n')
	case c == '\t':
		return append(b, '\\', 't')
	case c == '\r':
		return append(b, '\\', 'r')
	case c < 0x20 || c == 0x7f:
		return appendEscape(b, rune(c))
	}
	return append(b, c)
}

func appendEscape(b []byte, r rune) []byte {
	return append(b, '\\', 'u', hex[r>>12&15], hex[r>>8&15], hex[r>>4&15], hex[r&15])
}
