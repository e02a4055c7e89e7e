package watchtest

import (
	"encoding/base64"
	"encoding/json"
	"strings"
)

// token is what a continue token holds, in the API server's own form: the
// revision of the first page, and where the next page starts.
type token struct {
	Version  string `json:"v"`
	Revision int64  `json:"rv"`
	Start    string `json:"start"`
}

// anyRevision in a token goes on with the latest state: an inconsistent list.
const anyRevision = -1

func (t token) encode() string {
	t.Version = "meta.k8s.io/v1"
	return base64.RawURLEncoding.EncodeToString(marshal(t))
}

// after is the token of the page that follows a key of the collection.
func after(key, namespace string, revision int64) string {
	if namespace != "" {
		key = strings.TrimPrefix(key, namespace+"/")
	}
	return token{Revision: revision, Start: "/" + key + "\x00"}.encode()
}

// key is where the page starts in the collection.
func (t token) key(namespace string) string {
	return storeKey(namespace, strings.TrimPrefix(t.Start, "/"))
}

func parseToken(text string) (token, *StatusError) {
	var t token
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err == nil {
		err = json.Unmarshal(raw, &t)
	}
	switch {
	case err != nil:
		return t, badRequest("invalid continue token: continue key is not valid: %v", err)
	case t.Version != "meta.k8s.io/v1":
		return t, badRequest("invalid continue token: continue key is not valid: server does not recognize this encoded version %s", t.Version)
	case t.Revision == 0 || t.Start == "":
		return t, badRequest("invalid continue token: continue key is not valid: incorrect encoded start resourceVersion (version meta.k8s.io/v1)")
	}
	return t, nil
}

// tokenExpired refuses a token whose revision is compacted, and offers one
// that goes on with the latest state.
func tokenExpired(t token) *StatusError {
	e := Expired()
	e.Message = "The provided continue parameter is too old to display a consistent list result. " +
		"You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. " +
		"Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted " +
		"between the time the first chunk was returned and now may show up in the list."
	e.Continue = token{Revision: anyRevision, Start: t.Start}.encode()
	return e
}
