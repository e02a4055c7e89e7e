package watchtest

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
)

const anonymous = "system:anonymous"

// access decides who somebody is and what they may do.
type access struct {
	anonymous bool

	mu      sync.RWMutex
	tokens  map[string]string
	denials []*Denial
}

func newAccess(o Options) *access {
	return &access{anonymous: o.Anonymous, tokens: maps.Clone(o.Tokens)}
}

// SetToken lets a bearer token stand for a user from now on.
func (s *Server) SetToken(token, user string) {
	s.access.mu.Lock()
	defer s.access.mu.Unlock()
	s.access.tokens[token] = user
}

// RevokeToken refuses a bearer token with 401 from now on. Watches that are
// open stay open, as in the API server.
func (s *Server) RevokeToken(token string) {
	s.access.mu.Lock()
	defer s.access.mu.Unlock()
	delete(s.access.tokens, token)
}

// token is one that is valid: the first in order, "" when there is none.
func (a *access) token() string {
	a.mu.RLock()
	defer a.mu.RUnlock()
	if all := slices.Sorted(maps.Keys(a.tokens)); len(all) > 0 {
		return all[0]
	}
	return ""
}

// who authenticates a request: by client certificate, then by bearer token.
func (a *access) who(r *http.Request) (string, *StatusError) {
	if r.TLS != nil && len(r.TLS.PeerCertificates) > 0 {
		return r.TLS.PeerCertificates[0].Subject.CommonName, nil
	}
	authorization := r.Header.Get("Authorization")
	if authorization == "" && a.anonymous {
		return anonymous, nil
	}
	scheme, token, _ := strings.Cut(authorization, " ")
	a.mu.RLock()
	defer a.mu.RUnlock()
	if user, ok := a.tokens[strings.TrimSpace(token)]; ok && strings.EqualFold(scheme, "Bearer") {
		return user, nil
	}
	return "", &StatusError{Code: http.StatusUnauthorized, Reason: "Unauthorized", Message: "Unauthorized"}
}

// Denial is a rule that forbids: requests that match all its fields get 403.
// An empty field matches everything.
type Denial struct {
	// User is the user's name.
	User string
	// Verb is the API's, see [Request].
	Verb string
	// Group and Resource (plural) are the resource; Group counts only together
	// with Resource.
	Group, Resource string
	// Namespace of the request. Requests over all namespaces match only an
	// empty one.
	Namespace string
	// ExceptName lets requests for this one object pass (resourceNames in
	// RBAC), lists and watches with the field selector metadata.name included.
	ExceptName string
}

// Deny puts a rule into force and returns what lifts it. Without rules
// everybody may do everything. Watches that are open stay open.
func (s *Server) Deny(d Denial) (lift func()) {
	rule := &d
	s.access.mu.Lock()
	defer s.access.mu.Unlock()
	s.access.denials = append(s.access.denials, rule)
	return func() {
		s.access.mu.Lock()
		defer s.access.mu.Unlock()
		s.access.denials = slices.DeleteFunc(s.access.denials, func(d *Denial) bool { return d == rule })
	}
}

func (d *Denial) matches(user string, t target) bool {
	same := func(want, have string) bool { return want == "" || want == have }
	return same(d.User, user) && same(d.Verb, t.verb) && same(d.Namespace, t.namespace) &&
		(d.Resource == "" || d.Resource == t.plural && d.Group == t.group) &&
		(d.ExceptName == "" || d.ExceptName != t.name)
}

// may authorizes a request for a resource.
func (a *access) may(user string, t target) *StatusError {
	a.mu.RLock()
	defer a.mu.RUnlock()
	for _, d := range a.denials {
		if d.matches(user, t) {
			return forbidden(user, t)
		}
	}
	return nil
}

// forbidden words the refusal as the API server does.
func forbidden(user string, t target) *StatusError {
	resource := t.plural
	if t.subresource != "" {
		resource += "/" + t.subresource
	}
	where := "at the cluster scope"
	if t.namespace != "" {
		where = fmt.Sprintf("in the namespace %q", t.namespace)
	}
	qualified := (&Resource{Group: t.group, Plural: t.plural}).qualified()
	if t.name != "" {
		qualified += fmt.Sprintf(" %q", t.name)
	}
	return &StatusError{
		Code: http.StatusForbidden, Reason: "Forbidden",
		Message: fmt.Sprintf("%s is forbidden: User %q cannot %s resource %q in API group %q %s", qualified, user, t.verb, resource, t.group, where),
		Details: &StatusDetails{Name: t.name, Group: t.group, Kind: t.plural},
	}
}
