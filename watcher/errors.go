package watcher

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"syscall"

	"github.com/redis/go-redis/v9"
)

// What an *Error may match with errors.Is.
var (
	ErrOptions     = errors.New("unusable connection options")
	ErrUnreachable = errors.New("no connection to the server")
	ErrAuth        = errors.New("the server did not accept the user or password")
	ErrDenied      = errors.New("the user lacks a permission")
	ErrCluster     = errors.New("the server is a node of a cluster, which leasetop cannot watch yet")
	ErrSentinel    = errors.New("the server is a sentinel, which leasetop cannot ask yet")
	ErrNotifyOff   = errors.New("the server sends no keyspace notifications")
	ErrTracking    = errors.New("the server does not allow client tracking")
	ErrLost        = errors.New("the connection was lost")
	ErrSilent      = errors.New("the server has been silent for too long")
	ErrDB          = errors.New("the server has no such database")
)

// Error is a failure that reaches the user: what was being done, its cause and
// what to do about it. It holds no password.
type Error struct {
	Doing string // "connect to 127.0.0.1:6379"
	Err   error
	Hint  string // "" where there is nothing to advise
}

func (e *Error) Error() string { return e.Doing + ": " + e.Err.Error() }
func (e *Error) Unwrap() error { return e.Err }

// both is an error that is a kind of ours and the cause as it came, told by the
// cause alone.
type both struct{ kind, cause error }

func (b both) Error() string   { return b.cause.Error() }
func (b both) Unwrap() []error { return []error{b.kind, b.cause} }

// explain makes an *Error of what the network, TLS or the server said.
func explain(doing string, err error, cfg *Config) error {
	var known *Error
	if err == nil || errors.As(err, &known) || errors.Is(err, context.Canceled) {
		return err
	}
	hint, kind := classify(err, cfg)
	if kind != nil && !errors.Is(err, kind) {
		err = both{kind, err}
	}
	return &Error{Doing: doing, Err: err, Hint: hint}
}

// classify finds the kind of an error and what to do about it.
func classify(err error, cfg *Config) (hint string, kind error) {
	text := err.Error()
	var (
		verify *tls.CertificateVerificationError
		record tls.RecordHeaderError
		op     *net.OpError
		dns    *net.DNSError
		netErr net.Error
	)
	switch {
	case strings.Contains(text, "WRONGPASS"), strings.Contains(text, "invalid password"):
		return "check --user and the password (-a, REDISCLI_AUTH, or the URL)", ErrAuth
	case redis.IsAuthError(err), strings.Contains(text, "NOAUTH"):
		return "this server wants a password: set REDISCLI_AUTH or give -a, with --user for an ACL user", ErrAuth
	case redis.IsPermissionError(err), strings.HasPrefix(text, "NOPERM"):
		return "leasetop doctor prints the ACL rule that lets this user watch", ErrDenied
	case strings.Contains(text, "DB index is out of range"):
		return "choose a database that the server has with -n", ErrDB
	case strings.Contains(text, "OOM command not allowed"):
		return "the server is over its maxmemory and refuses all that stands in a transaction, which leasetop reads with: raise maxmemory, or let it evict", ErrUnreachable
	case strings.Contains(text, "redis: can't parse"), strings.Contains(text, "redis: invalid reply"):
		return "this port does not seem to speak Redis", ErrUnreachable
	case redis.IsMaxClientsError(err):
		return "the server has no room for another client: raise maxclients or close some", ErrUnreachable
	case redis.IsLoadingError(err):
		return "the server is loading its data: try again in a while", ErrUnreachable
	case errors.As(err, &verify):
		return "give the CA with --cacert, the right name with --sni, or --insecure to skip the check", ErrUnreachable
	case errors.As(err, &record):
		return "the port does not speak TLS: leave out --tls, or use redis:// instead of rediss://", ErrUnreachable
	case errors.As(err, &op) && op.Op == "remote error", // an alert of TLS
		cfg.TLS != nil && (errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) || errors.Is(err, io.EOF)):
		return "the server ended the TLS handshake: it may want a certificate of yours (--cert and --key)", ErrUnreachable
	case errors.As(err, &dns):
		return "check the host name", ErrUnreachable
	case errors.Is(err, syscall.ECONNREFUSED):
		return "is the server running there? -h and -p, -s or -u say where it is", ErrUnreachable
	case cfg.Network == "unix" && errors.Is(err, os.ErrNotExist):
		return "there is no such socket: the server's unixsocket setting says where it is", ErrUnreachable
	case errors.Is(err, os.ErrPermission):
		return "this user may not open the socket", ErrUnreachable
	case (errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)) && cfg.TLS == nil:
		return "the server closed the connection at once: does the port want --tls?", ErrUnreachable
	case errors.As(err, &netErr) && netErr.Timeout(), errors.Is(err, context.DeadlineExceeded):
		if cfg.TLS != nil {
			return "no answer in time: a firewall, or a port without TLS", ErrUnreachable
		}
		return "no answer in time: a firewall, or a server that is stopped", ErrUnreachable
	case errors.As(err, &netErr), errors.Is(err, io.EOF):
		return "", ErrUnreachable
	}
	return "", nil
}

// Kinds of refusal inside a transaction, told apart by the words that all
// versions share.
func isUnknownCommand(err error) bool {
	return err != nil && (strings.HasPrefix(err.Error(), "ERR unknown command") || strings.HasPrefix(err.Error(), "ERR unknown subcommand") ||
		strings.HasPrefix(err.Error(), "ERR Unknown subcommand"))
}

func deniesKey(err error) bool {
	t := err.Error()
	return strings.HasPrefix(t, "NOPERM") && (strings.Contains(t, "the keys used") || strings.Contains(t, "access a key"))
}

func deniesChannel(err error) bool {
	t := err.Error()
	return strings.HasPrefix(t, "NOPERM") && strings.Contains(t, "channel")
}

func deniesCommand(err error) bool {
	return err != nil && strings.HasPrefix(err.Error(), "NOPERM") && !deniesKey(err) && !deniesChannel(err)
}

// isBusy reports an answer that will be another one in a while.
func isBusy(err error) bool {
	return redis.IsLoadingError(err) || redis.HasErrorPrefix(err, "BUSY") || redis.HasErrorPrefix(err, "MASTERDOWN")
}

// transport reports whether an error is of the connection, not a server's
// answer.
func transport(err error) bool {
	var answer redis.Error
	return err != nil && !errors.As(err, &answer)
}
