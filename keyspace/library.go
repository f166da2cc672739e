package keyspace

import (
	"iter"
	"slices"
	"strings"
	"time"
)

// Library is a row of the table of lock libraries: what its locks are called,
// how they are stored, how long they live and how it renews them.
type Library struct {
	Name     string
	Language string
	Keys     []string      // globs of its lock keys; nil: the application names them
	Format   string        // a Format's name
	TTL      time.Duration // default; 0: the application gives it
	Endless  bool          // by default its locks have no deadline
	Every    time.Duration // renews a lock with that TTL this often by itself
	Share    float64       // or after this share of any TTL; 0 both: only if the application asks
	Note     string

	watch []string            // globs among DefaultPatterns where Keys are too wide; nil: Keys
	unit  unit                // of scores
	fits  func(*reading) bool // what else must be true; nil: the name is enough
	group func(string) string // the lock that a key is one of several of
}

// owns reports whether a key that its name allows is the library's: by its Redis
// type, and by its content where the name is not the library's alone.
func (l *Library) owns(r *reading) bool {
	return formatNamed(l.Format).Takes(r.Type) && (l.fits == nil || l.fits(r))
}

// claims are the key patterns of the whole table in its order, with the rows
// that they belong to: they are asked for every key that is read.
var (
	claims   *selector
	claimers []*Library
)

func init() {
	var globs []string
	for i := range libraries {
		for _, g := range libraries[i].Keys {
			globs = append(globs, g)
			claimers = append(claimers, &libraries[i])
		}
	}
	claims = newSelector(globs)
}

// claimants yields the libraries whose name patterns select a key.
func claimants(key string) iter.Seq[*Library] {
	return func(yield func(*Library) bool) {
		for i := claims.next(key, 0); i >= 0; i = claims.next(key, i+1) {
			if !yield(claimers[i]) {
				return
			}
		}
	}
}

// RenewEvery is how often the library renews a lock that was granted ttl; 0 when
// it does so only if the application asks, or that is not known.
func (l *Library) RenewEvery(ttl time.Duration) time.Duration {
	if l.Every > 0 {
		return l.Every
	}
	if ttl <= 0 {
		ttl = l.TTL
	}
	return time.Duration(float64(ttl) * l.Share)
}

// Libraries is the table, in the order in which key patterns are tried. The
// caller must not change it.
func Libraries() []Library { return libraries }

// LibraryNamed finds a row by its name, as Lock.Library gives it.
func LibraryNamed(name string) (Library, bool) {
	for i := range libraries {
		if libraries[i].Name == name {
			return libraries[i], true
		}
	}
	return Library{}, false
}

// LibraryFor says whose lock a key is by its name alone. Where the name is not
// one library's alone, only the content tells, and the answer is false.
func LibraryFor(key string) (Library, bool) {
	for lib := range claimants(key) {
		if lib.fits == nil {
			return *lib, true
		}
	}
	return Library{}, false
}

// DefaultPatterns are the globs that are watched when the user gives none: those
// of the libraries that name their own keys, in the order of the table, each
// once. Redisson, redis-py and others let the application name their keys and
// cannot be among them.
func DefaultPatterns() []string {
	var globs []string
	for i := range libraries {
		list := libraries[i].watch
		if list == nil {
			list = libraries[i].Keys
		}
		for _, g := range list {
			if !slices.Contains(globs, g) {
				globs = append(globs, g)
			}
		}
	}
	return globs
}

// libraryByShape names a library whose stored form nobody else has.
func libraryByShape(raw *Raw) string {
	r := &reading{Raw: raw}
	switch raw.Type {
	case "string":
		return libraryOfToken(raw.Key, raw.Text)
	case "hash":
		if isRedisson(r) || isRedissonRW(r) || isRedissonMulti(r) {
			return "Redisson"
		}
	case "zset":
		switch {
		case arePermits(raw):
			return "Redisson"
		case isSymfony(r):
			return "Symfony Lock"
		case allPairs(r, func(p Pair) bool { _, ok := parseMedallionID(p.Name); return ok }):
			return "Medallion DistributedLock"
		}
	}
	return ""
}

// libraryOfToken: only the shapes that are unmistakable.
func libraryOfToken(key, token string) string {
	if _, ok := parseShedValue(token); ok {
		return "ShedLock"
	}
	if _, ok := parseMedallionID(token); ok {
		return "Medallion DistributedLock"
	}
	if strings.HasSuffix(key, jobLockSuffix) && isJobToken(token) {
		return "BullMQ"
	}
	return ""
}

// isJobToken reports whether a token is BullMQ's: worker id and counter.
func isJobToken(token string) bool {
	_, n, ok := cutUUID(token)
	return ok && isDigits(n)
}
