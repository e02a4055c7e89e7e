package rawwatch

import (
	"errors"
	"net/url"
	"strings"
	"sync/atomic"

	"github.com/rawwatch/rawwatch/kubeconfig/access"
)

// endpoints are the servers of one cluster: the configuration's, then those of
// ClientOptions.Endpoints. Requests go to one of them until it cannot be
// reached, then to the next.
type endpoints struct {
	session *access.Session
	others  []*url.URL
	current atomic.Uint32 // index; 0 is the configuration's
}

func newEndpoints(session *access.Session, others []string) (*endpoints, error) {
	e := &endpoints{session: session}
	for _, text := range others {
		u, err := url.Parse(text)
		problem := ""
		switch {
		case err != nil:
			problem = "has a value that is no URL"
		case u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "":
			problem = "has a value that is not of the form https://host:port/path"
		case u.Scheme != session.BaseURL().Scheme || session.DialContext() != nil:
			problem = "has a value whose scheme is not that of the configuration's server"
		}
		if problem != "" {
			return nil, &OptionError{Option: "ClientOptions.Endpoints", Problem: problem}
		}
		u.Path = strings.TrimSuffix(u.Path, "/")
		e.others = append(e.others, u)
	}
	return e, nil
}

func (e *endpoints) count() int { return 1 + len(e.others) }

// base is where requests go now, and its number.
func (e *endpoints) base() (*url.URL, uint32) {
	i := e.current.Load()
	if i == 0 {
		return e.session.BaseURL(), 0
	}
	base := *e.others[i-1]
	return &base, i
}

// leave makes requests go to the next server, unless somebody has left this one
// already.
func (e *endpoints) leave(i uint32) {
	e.current.CompareAndSwap(i, (i+1)%uint32(e.count()))
}

// elsewhere reports whether another server may do better than the one whose
// answer was err.
func elsewhere(err error) bool {
	switch ofServer(err) {
	case notReached, throughProxy:
		return true
	}
	return false
}

// atOnce reports whether the same request may be sent elsewhere right away: it
// changes nothing, and no time bound has run out over it.
func (q request) atOnce(err error) bool {
	var timeout *TimeoutError
	return q.write == nil && ofServer(err) == notReached && !errors.As(err, &timeout)
}
