package access

import (
	"crypto/tls"
	"errors"
	"fmt"
	"time"
)

// parseExecCredential reads what a plugin printed: an ExecCredential of the
// version that it was asked for, in JSON (from a kubeconfig's plugin YAML, too). The error never quotes it.
func parseExecCredential(text []byte, e *ExecConfig, tokenLimit int64) (*issued, error) {
	if len(text) == 0 {
		return nil, errors.New("printed nothing; it must print an ExecCredential")
	}
	tree, err := e.parseAnswer(text)
	if err != nil {
		return nil, fmt.Errorf("printed what %w", err)
	}
	f := &failure{}
	top := newSection("", tree, f)
	kind, got := top.text("kind"), top.text("apiVersion")
	status := top.sub("status")
	token := status.text("token")
	cert, key := status.text("clientCertificateData"), status.text("clientKeyData")
	expiry := status.text("expirationTimestamp")
	switch {
	case f.err != nil && f.field == "":
		return nil, fmt.Errorf("printed what is no ExecCredential: it %w", f.err)
	case f.err != nil:
		return nil, fmt.Errorf("printed an ExecCredential whose %s %w", f.field, f.err)
	case kind != "ExecCredential":
		return nil, fmt.Errorf("printed the kind %q, but must print an ExecCredential", short(kind))
	case got != e.APIVersion:
		return nil, fmt.Errorf("answers in apiVersion %q, but exec.apiVersion is %q; make the two agree", short(got), e.APIVersion)
	case !top.has("status"):
		return nil, errors.New("printed an ExecCredential without a status; it is to hold the token or the certificate")
	case token == "" && cert == "" && key == "":
		return nil, errors.New("gave neither a token nor a client certificate")
	case cert == "" && key != "":
		return nil, errors.New("gave clientKeyData without clientCertificateData; it must give both or neither")
	case cert != "" && key == "":
		return nil, errors.New("gave clientCertificateData without clientKeyData; it must give both or neither")
	}
	if err := headerSafe(token, tokenLimit); err != nil {
		return nil, fmt.Errorf("gave a token that %w", err)
	}
	i := &issued{token: token}
	if expiry != "" {
		if i.expires, err = time.Parse(time.RFC3339, expiry); err != nil {
			return nil, errors.New("gave an expirationTimestamp that is not of the form 2006-01-02T15:04:05Z (RFC 3339)")
		}
	}
	if cert == "" {
		return i, nil
	}
	return i, i.takePair(cert, key)
}

// takePair adds a client certificate, whose end is also the credential's.
func (i *issued) takePair(cert, key string) error {
	pair, err := tls.X509KeyPair([]byte(cert), []byte(key))
	if err != nil {
		return fmt.Errorf("gave a certificate and key that are no pair: %w", err)
	}
	i.cert = &pair
	if end := pair.Leaf.NotAfter; i.expires.IsZero() || end.Before(i.expires) {
		i.expires = end
	}
	return nil
}
