package realapi

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/csv"
	"encoding/pem"
	"errors"
	"os"
	"path/filepath"
	"strings"
)

// User is somebody who may log in with a bearer token.
type User struct {
	// Name is the user's name in RBAC.
	Name string
	// Token is the bearer token.
	Token string
	// Groups the user is in; RBAC grants everything to system:masters.
	Groups []string
}

// Admin is the user that every cluster has and that may do everything. The
// token is no secret: it opens nothing but a test server on the loopback
// interface.
var Admin = User{Name: "admin", Token: "realapi-admin", Groups: []string{"system:masters"}}

// writeTokens writes the static token file
// (https://kubernetes.io/docs/reference/access-authn-authz/authentication/#static-token-file).
func writeTokens(path string, users []User) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	w := csv.NewWriter(f)
	for _, u := range users {
		row := []string{u.Token, u.Name, "uid-" + u.Name}
		if len(u.Groups) > 0 {
			row = append(row, strings.Join(u.Groups, ","))
		}
		if err := w.Write(row); err != nil {
			return errors.Join(err, f.Close())
		}
	}
	w.Flush()
	return errors.Join(w.Error(), f.Close())
}

// writeServiceAccountKeys writes the key pair that signs service account
// tokens. Nobody uses one here, but the server wants the keys.
func writeServiceAccountKeys(folder string) error {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return err
	}
	public, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		return err
	}
	private := pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})
	if err := os.WriteFile(filepath.Join(folder, "sa.key"), private, 0o600); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, "sa.pub"), pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: public}), 0o600)
}
