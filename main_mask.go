package main

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

const (
	maskKeySize = 32 // bytes of a mask key
	maskBytes   = 8  // of the digest that are shown
)

// masker makes the function that turns tokens into fingerprints; nil where
// --mask was not given. The same token has the same fingerprint wherever the
// same key is used, and without the key nobody gets from one to the other, also
// not by trying tokens that are easily guessed.
func (f *flags) masker() (func(string) string, error) {
	if !f.mask {
		if f.maskKey != "" {
			return nil, usage(errors.New("--mask-key goes with --mask"), "give both")
		}
		return nil, nil
	}
	path := f.maskKey
	if path == "" {
		var err error
		if path, err = maskKeyPath(); err != nil {
			return nil, usage(err, "give the file of a key with --mask-key")
		}
		if err := makeMaskKey(path); err != nil {
			return nil, usage(err, "give the file of a key with --mask-key")
		}
	}
	key, err := os.ReadFile(path)
	if err != nil {
		return nil, usage(fmt.Errorf("read the mask key: %w", err), "")
	}
	if len(key) < maskKeySize {
		return nil, usage(fmt.Errorf("the mask key in %s has %d bytes", path, len(key)), fmt.Sprintf("it needs %d random bytes: head -c %d /dev/urandom > FILE", maskKeySize, maskKeySize))
	}
	return func(token string) string { return fingerprint(key, token) }, nil
}

// fingerprint is the first bytes of HMAC-SHA-256 over the raw token, in base32
// (RFC 4648) without padding.
func fingerprint(key []byte, token string) string {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(token))
	return base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(h.Sum(nil)[:maskBytes])
}

// maskKeyPath is in the XDG state folder.
func maskKeyPath() (string, error) {
	state := os.Getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(state) { // the XDG specification ignores relative ones
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("find a place for the mask key: %w", err)
		}
		state = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(state, "leasetop", "mask-key"), nil
}

// makeMaskKey makes a key once. It is written under another name and linked, so
// that two runs at once end up with the same one and none reads half of it.
func makeMaskKey(path string) error {
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("make the mask key: %w", err)
	}
	key := make([]byte, maskKeySize)
	rand.Read(key)                                            // never fails (crypto/rand)
	f, err := os.CreateTemp(filepath.Dir(path), "mask-key-*") // mode 0600
	if err != nil {
		return fmt.Errorf("make the mask key: %w", err)
	}
	defer os.Remove(f.Name())
	_, err = f.Write(key)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Link(f.Name(), path)
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("make the mask key: %w", err)
	}
	return nil
}
