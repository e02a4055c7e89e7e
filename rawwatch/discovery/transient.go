package discovery

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"

	"github.com/rawwatch/rawwatch/rawwatch"
)

// transient reports whether the connection failed in a way that may be over at
// the next attempt. A certificate that does not verify, a name that does not
// resolve to anything and a credential that is missing stay as they are.
func transient(err error) bool {
	var (
		unknownCA   x509.UnknownAuthorityError
		badHost     x509.HostnameError
		invalid     x509.CertificateInvalidError
		verify      *tls.CertificateVerificationError
		notTLS      tls.RecordHeaderError
		dns         *net.DNSError
		credential  *rawwatch.CredentialError
		networkErr  net.Error
		opErr       *net.OpError
		interrupted = errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
	)
	switch {
	case errors.Is(err, context.Canceled):
		return false
	case errors.As(err, &unknownCA), errors.As(err, &badHost), errors.As(err, &invalid),
		errors.As(err, &verify), errors.As(err, &notTLS), errors.As(err, &credential):
		return false
	case errors.As(err, &dns):
		return dns.IsTemporary || dns.IsTimeout
	}
	return interrupted || errors.As(err, &opErr) || errors.As(err, &networkErr)
}
