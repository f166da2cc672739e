package watcher

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strconv"
	"strings"
)

const (
	defaultHost = "127.0.0.1"
	defaultPort = 6379
)

// ConnOptions are redis-cli's words for a connection. What is not given (the
// zero value, nil for DB) is taken from URL, then from the defaults.
type ConnOptions struct {
	Host     string // default 127.0.0.1
	Port     int    // default 6379
	Socket   string // path of a unix socket, instead of host and port
	User     string
	Password string
	URL      string // redis, rediss, valkey, valkeys or unix
	DB       *int

	TLS      bool
	SNI      string // name for TLS; default: the host
	CACert   string // file of CA certificates, PEM
	Cert     string // file of the client's certificate, PEM
	Key      string // file of its private key, PEM
	Insecure bool   // do not verify the server's certificate
}

// Resolve makes the connection part of a Config. The error is an *Error that
// matches ErrOptions, and never holds the password.
func (o ConnOptions) Resolve() (Config, error) {
	c := Config{Network: "tcp"}
	host, port := defaultHost, defaultPort
	secure := o.TLS || o.SNI != "" || o.CACert != "" || o.Cert != "" || o.Key != "" || o.Insecure
	insecure := o.Insecure
	if o.URL != "" {
		u, err := parseURL(o.URL)
		if err != nil {
			return Config{}, optionError("read the URL", err, "redis://[USER:PASSWORD@]HOST[:PORT][/DB], rediss:// for TLS, unix:///PATH for a socket")
		}
		c.Network, c.Addr, c.User, c.Password, c.DB = u.network, u.socket, u.user, u.password, u.db
		host, port = u.host, u.port
		secure, insecure = secure || u.secure, insecure || u.insecure
	}
	if o.Host != "" || o.Port != 0 {
		c.Network, c.Addr = "tcp", ""
	}
	if o.Host != "" {
		host = o.Host
	}
	if o.Port != 0 {
		port = o.Port
	}
	if o.Socket != "" {
		c.Network, c.Addr = "unix", o.Socket
	}
	if c.Network == "tcp" {
		if port < 1 || port > 65535 {
			return Config{}, optionError("read the port", fmt.Errorf("%d is no port", port), "a port is a number from 1 to 65535")
		}
		c.Addr = net.JoinHostPort(strings.Trim(host, "[]"), strconv.Itoa(port))
	}
	if o.User != "" {
		c.User = o.User
	}
	if o.Password != "" {
		c.Password = o.Password
	}
	if o.DB != nil {
		c.DB = *o.DB
	}
	if c.DB < 0 {
		return Config{}, optionError("read the database", fmt.Errorf("%d is no database number", c.DB), "databases are numbered from 0")
	}
	if !secure {
		return c, nil
	}
	var err error
	c.TLS, err = o.tls(strings.Trim(host, "[]"), insecure)
	return c, err
}

func optionError(doing string, err error, hint string) error {
	return &Error{Doing: doing, Err: fmt.Errorf("%w: %w", ErrOptions, err), Hint: hint}
}

func (o ConnOptions) tls(host string, insecure bool) (*tls.Config, error) {
	t := &tls.Config{ServerName: host, InsecureSkipVerify: insecure, MinVersion: tls.VersionTLS12}
	if o.SNI != "" {
		t.ServerName = o.SNI
	}
	if o.CACert != "" {
		pem, err := os.ReadFile(o.CACert)
		if err != nil {
			return nil, optionError("read the CA certificates", err, "")
		}
		t.RootCAs = x509.NewCertPool()
		if !t.RootCAs.AppendCertsFromPEM(pem) {
			return nil, optionError("read the CA certificates", fmt.Errorf("%s holds no certificate in PEM form", o.CACert), "")
		}
	}
	if (o.Cert == "") != (o.Key == "") {
		return nil, optionError("read the client's certificate", errors.New("--cert and --key belong together"), "")
	}
	if o.Cert != "" {
		pair, err := tls.LoadX509KeyPair(o.Cert, o.Key)
		if err != nil {
			return nil, optionError("read the client's certificate", err, "")
		}
		t.Certificates = []tls.Certificate{pair}
	}
	return t, nil
}

type connURL struct {
	network, socket, host, user, password string
	port, db                              int
	secure, insecure                      bool
}

// parseURL reads a URL as redis-cli and the client libraries do. Its errors are
// of its own words: those of net/url hold the text, and so the password.
func parseURL(text string) (connURL, error) {
	r := connURL{network: "tcp", host: defaultHost, port: defaultPort}
	u, err := url.Parse(text)
	if err != nil {
		return r, errors.New("it is not a valid URL (special characters in the user or password must be percent-encoded)")
	}
	if u.User != nil {
		r.user = u.User.Username()
		r.password, _ = u.User.Password()
	}
	switch strings.ToLower(u.Scheme) {
	case "redis", "valkey":
	case "rediss", "valkeys":
		r.secure = true
	case "unix":
		r.network, r.socket = "unix", u.Path
		if r.socket == "" {
			return r, errors.New("it names no socket")
		}
	default:
		return r, errors.New("it does not begin with redis://, rediss://, valkey://, valkeys:// or unix://")
	}
	db := u.Query().Get("db")
	if r.network == "tcp" {
		if h := u.Hostname(); h != "" {
			r.host = h
		}
		if p := u.Port(); p != "" {
			if r.port, err = strconv.Atoi(p); err != nil || r.port < 1 || r.port > 65535 {
				return r, errors.New("its port is not a number from 1 to 65535")
			}
		}
		if path := strings.Trim(u.Path, "/"); path != "" {
			db = path
		}
	}
	if db != "" {
		if r.db, err = strconv.Atoi(db); err != nil || r.db < 0 {
			return r, errors.New("its database is not a number")
		}
	}
	return r, r.query(u.Query())
}

func (r *connURL) query(q url.Values) error {
	for name, values := range q {
		switch name {
		case "db":
		case "skip_verify":
			on, err := strconv.ParseBool(values[0])
			if err != nil {
				return errors.New("skip_verify is neither true nor false")
			}
			r.insecure = on && r.secure
		default:
			return errors.New("it has a parameter that is not known: only db and skip_verify are")
		}
	}
	return nil
}
