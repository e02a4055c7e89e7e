package watchtest

import (
	"net/http"
	"net/url"
	"time"
)

// call is a request that is being answered.
type call struct {
	target
	server     *Server
	request    *http.Request
	query      url.Values
	header     http.Header // of the answer
	body       *body
	era        *era
	note       *Request
	injection  *Injection
	collection *collection
	user       string
}

// handle is the one entry for all requests.
func (s *Server) handle(w http.ResponseWriter, r *http.Request) {
	e := s.enter()
	if e == nil {
		panic(http.ErrAbortHandler)
	}
	defer e.requests.Done()
	query, _ := url.ParseQuery(r.URL.RawQuery) // what cannot be parsed is not there
	c := &call{target: aim(r, query), server: s, request: r, query: query, header: w.Header(), era: e}
	c.open()
	defer c.close()
	c.body = newBody(c, w)
	defer c.body.dropMember()
	c.conclude(c.serve())
}

func (c *call) open() {
	entry := Request{
		Time: time.Now(), Method: c.request.Method, Path: c.request.URL.Path, Query: c.query,
		Header: c.request.Header.Clone(), Proto: c.request.Proto, Verb: c.verb,
		Group: c.group, Version: c.version, Resource: c.plural, Namespace: c.namespace, Name: c.name,
	}
	if own := c.connection(); own != nil {
		entry.Connection = own.number
	}
	c.injection = c.server.faults.strike(c.target, c.request)
	entry.Fault = c.injection != nil
	c.note = c.server.journal.open(entry)
}

func (c *call) close() {
	c.server.journal.edit(c.note, func(r *Request) { r.Done = true })
}

func (c *call) connection() *connection {
	own, _ := c.request.Context().Value(connectionKey{}).(*connection)
	return own
}

// fault is what strikes this request; the zero Fault when nothing does.
func (c *call) fault() *Fault {
	if c.injection == nil {
		return &Fault{}
	}
	return &c.injection.fault
}

// serve answers the request: the fault first, then what is always asked, then
// the verb.
func (c *call) serve() error {
	n := c.server.counter.Add(1)
	if every := int64(c.server.options.GoawayAfter); c.fault().Goaway || every > 0 && n%every == 0 {
		// The net/http server makes GOAWAY of it in HTTP/2.
		c.header.Set("Connection", "close")
	}
	if done, err := c.struck(); done || err != nil {
		return err
	}
	user, refusal := c.server.access.who(c.request)
	if refusal != nil {
		return refusal
	}
	c.user = user
	c.server.journal.edit(c.note, func(r *Request) { r.User = user })
	if c.verb == "" {
		return c.discover()
	}
	if refusal := c.server.access.may(user, c.target); refusal != nil {
		return refusal
	}
	if c.collection = c.server.store.collection(c.address); c.collection == nil {
		return c.unknown()
	}
	return c.dispatch()
}

// struck plays the part of a fault that comes before the server's own answer;
// true when there is no such answer any more.
func (c *call) struck() (bool, error) {
	f := c.fault()
	switch {
	case !c.pause(f.Delay):
		return true, errGone
	case f.Hold:
		c.linger()
		return true, errGone
	case f.Drop:
		return true, &cutError{Reset}
	case c.lieInstead():
		return true, nil
	case f.Status != nil:
		return true, f.Status
	case f.Answer != nil:
		for name, values := range f.Answer.Header {
			c.header[http.CanonicalHeaderKey(name)] = values
		}
		c.body.begin(max(f.Answer.Code, 0))
		_, err := c.body.Write(f.Answer.Body)
		return true, err
	}
	return false, nil
}

// pause waits; false when there is nobody left to answer.
func (c *call) pause(d time.Duration) bool {
	if d <= 0 {
		return true
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-c.request.Context().Done():
	case <-c.era.over:
	}
	return false
}

// linger waits until the client has gone, the server restarts, or the fault
// is removed.
func (c *call) linger() {
	var released chan struct{}
	if c.injection != nil {
		released = c.injection.released
	}
	select {
	case <-released:
	case <-c.request.Context().Done():
	case <-c.era.over:
	}
}

// unknown answers for a resource that is not registered: as a Status in a
// built-in group, as plain text otherwise.
func (c *call) unknown() error {
	if c.server.store.knows(c.group, c.version) {
		return &StatusError{Code: http.StatusNotFound, Reason: "NotFound", Message: "the server could not find the requested resource", Details: &StatusDetails{}}
	}
	return c.text(http.StatusNotFound, "404 page not found\n")
}

// methodNotAllowed is what a verb gets on a path that does not have it.
func methodNotAllowed() *StatusError {
	return &StatusError{Code: http.StatusMethodNotAllowed, Reason: "MethodNotAllowed", Message: "the server does not allow this method on the requested resource", Details: &StatusDetails{}}
}

// dispatch carries out the verb.
func (c *call) dispatch() error {
	r := c.collection.resource
	if c.subresource != "" && c.subresource != "status" || c.namespace != "" && !r.Namespaced {
		return &StatusError{Code: http.StatusNotFound, Reason: "NotFound", Message: "the server could not find the requested resource", Details: &StatusDetails{}}
	}
	switch c.verb {
	case "list":
		return c.list()
	case "watch":
		return c.watch()
	case "get":
		return c.get()
	case "create", "update", "patch", "delete", "deletecollection":
		return c.write()
	}
	return methodNotAllowed()
}
