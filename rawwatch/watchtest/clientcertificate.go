package watchtest

import (
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
)

// ClientCertificate signs a certificate that authenticates as the user, and
// returns it and its key in PEM. It fails without TLS.
func (s *Server) ClientCertificate(user string) (certPEM, keyPEM []byte, err error) {
	if s.authority == nil {
		return nil, nil, errors.New("watchtest: no client certificates without TLS: use the modes TLS or Memory")
	}
	return s.authority.issue(pkix.Name{CommonName: user}, x509.ExtKeyUsageClientAuth, nil, nil)
}
