// Package dial connects the demo's processes to the server that they play on.
package dial

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
)

// init silences the client library, which writes to stderr on its own and would
// tear the screen. Its errors come back from the calls as well.
func init() { redis.SetLogger(silent{}) }

type silent struct{}

func (silent) Printf(context.Context, string, ...any) {}

// Target is a server and how to log in to it. It goes to the workers as JSON
// through a pipe, never as an argument: it holds a password.
type Target struct {
	Network  string `json:"network,omitempty"` // "tcp" when empty, or "unix"
	Addr     string `json:"addr"`              // host:port, or the path of a socket
	User     string `json:"user,omitempty"`
	Password string `json:"password,omitempty"`
	DB       int    `json:"db,omitempty"`
	TLS      *TLS   `json:"tls,omitempty"` // nil: plain
}

// TLS is how to make a connection private. The fields are those of redis-cli;
// files are read by each process itself.
type TLS struct {
	CACert   string `json:"cacert,omitempty"`
	Cert     string `json:"cert,omitempty"`
	Key      string `json:"key,omitempty"`
	SNI      string `json:"sni,omitempty"`
	Insecure bool   `json:"insecure,omitempty"`
}

// String is the target without its password.
func (t Target) String() string { return fmt.Sprintf("%s/%d", t.Addr, t.DB) }

// GoString is String: no way of printing a target may tell its password.
func (t Target) GoString() string { return t.String() }

// Loopback reports whether the server is on this machine: a unix socket, or an
// address that cannot lead elsewhere.
func (t Target) Loopback() bool {
	if t.Network == "unix" {
		return true
	}
	host, _, err := net.SplitHostPort(t.Addr)
	if err != nil {
		return false
	}
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// Host is the name that a certificate must have, when none other is asked for.
func (t Target) Host() string {
	host, _, err := net.SplitHostPort(t.Addr)
	if err != nil {
		return ""
	}
	return host
}

// Dial opens a bare connection, for a proxy to pass bytes through.
func (t Target) Dial(ctx context.Context) (net.Conn, error) {
	return (&net.Dialer{Timeout: time.Second}).DialContext(ctx, t.network(), t.Addr)
}

func (t Target) network() string {
	if t.Network == "" {
		return "tcp"
	}
	return t.Network
}

// Client is a client with bounded calls: timeout for one answer, and no second
// try. It fails only over the files of the TLS settings.
//
// A retry has no place here. The second try of a SET NX whose first answer was
// lost is refused by the first, and a caller would never learn that it holds the
// lock; a lost answer must stay what it is: an unknown outcome.
func (t Target) Client(timeout time.Duration) (*redis.Client, error) {
	config, err := t.TLS.config(t.Host())
	if err != nil {
		return nil, err
	}
	return redis.NewClient(&redis.Options{
		Network:                  t.network(),
		Addr:                     t.Addr,
		Username:                 t.User,
		Password:                 t.Password,
		DB:                       t.DB,
		TLSConfig:                config,
		DisableIdentity:          true,
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
		MaxRetries:               -1,
		DialerRetries:            1,
		DialTimeout:              timeout,
		ReadTimeout:              timeout,
		WriteTimeout:             timeout,
		PoolTimeout:              timeout,
		ContextTimeoutEnabled:    true,
	}), nil
}

func (t *TLS) config(host string) (*tls.Config, error) {
	if t == nil {
		return nil, nil
	}
	c := &tls.Config{ServerName: host, InsecureSkipVerify: t.Insecure, MinVersion: tls.VersionTLS12}
	if t.SNI != "" {
		c.ServerName = t.SNI
	}
	if t.CACert != "" {
		pem, err := os.ReadFile(t.CACert)
		if err != nil {
			return nil, fmt.Errorf("read the CA certificates: %w", err)
		}
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("read the CA certificates: %w", errors.New("no certificate in "+t.CACert))
		}
	}
	if t.Cert != "" {
		pair, err := tls.LoadX509KeyPair(t.Cert, t.Key)
		if err != nil {
			return nil, fmt.Errorf("read the client's certificate: %w", err)
		}
		c.Certificates = []tls.Certificate{pair}
	}
	return c, nil
}
