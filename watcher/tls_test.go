package watcher

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"leasetop/model"
)

// selfSigned writes a certificate for a name, and its key.
func selfSigned(t *testing.T, name string) (cert, key string) {
	t.Helper()
	k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	tmpl := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, DNSNames: []string{name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign}
	der, err := x509.CreateCertificate(rand.Reader, tmpl, tmpl, &k.PublicKey, k)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(k)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for file, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return cert, key
}

func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

func TestTLS(t *testing.T) {
	t.Parallel()
	cert, key := selfSigned(t, "redis.test")
	port := freePort(t)
	s := startServer(t, "--notify-keyspace-events", allEvents, "--tls-port", strconv.Itoa(port),
		"--tls-cert-file", cert, "--tls-key-file", key, "--tls-ca-cert-file", cert)
	trusted := ConnOptions{Port: port, CACert: cert, SNI: "redis.test", Cert: cert, Key: key}
	cfg, err := trusted.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	cfg.Patterns = patterns(t, "lock:*")
	w := watch(t, cfg)
	w.state(model.StateSynced)
	c := client(t, s)
	do(t, c, "set lock:a one")
	if o := w.held(0, "lock:a", "one"); o.Source != model.SourceEvent {
		t.Errorf("source %v", o.Source)
	}
	m := w.mark()
	do(t, c, "client kill type pubsub")
	w.afterGap(m)

	for _, wrong := range []struct {
		o    ConnOptions
		hint string
	}{
		{ConnOptions{Port: port, TLS: true, Cert: cert, Key: key}, "--cacert"},
		{ConnOptions{Port: port, CACert: cert, SNI: "other.test", Cert: cert, Key: key}, "--sni"},
		{ConnOptions{Port: port}, "--tls"},
	} {
		cfg, err := wrong.o.Resolve()
		if err != nil {
			t.Fatal(err)
		}
		if e := fails(t, cfg, ErrUnreachable); !strings.Contains(e.Hint, wrong.hint) {
			t.Errorf("%v: hint %q", e, e.Hint)
		}
	}
	trusted.SNI, trusted.CACert, trusted.Insecure = "", "", true
	if cfg, err = trusted.Resolve(); err != nil {
		t.Fatal(err)
	}
	cfg.Patterns = patterns(t, "lock:*")
	if _, _, err := New(cfg).Snapshot(t.Context()); err != nil {
		t.Errorf("--insecure: %v", err)
	}
	// Without a certificate of ours the server ends the handshake.
	cfg, err = ConnOptions{Port: port, CACert: cert, SNI: "redis.test"}.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	fails(t, cfg, ErrUnreachable)
}

func TestUnixSocket(t *testing.T) {
	t.Parallel()
	s := startSocket(t)
	cfg, err := ConnOptions{Socket: s}.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	cfg.Patterns = patterns(t, "lock:*")
	w := watch(t, cfg)
	w.state(model.StateSynced)
	c := redis.NewClient(&redis.Options{Network: "unix", Addr: s, DisableIdentity: true})
	defer c.Close()
	do(t, c, "set lock:a one")
	if o := w.held(0, "lock:a", "one"); o.Source != model.SourceEvent || o.Key.Node != s {
		t.Errorf("%+v", o)
	}
}
