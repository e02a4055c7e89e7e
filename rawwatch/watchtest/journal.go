package watchtest

import (
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"
)

// Request is an entry of the journal: what a client asked, and what became of
// it.
type Request struct {
	// Time of arrival, by the server's clock (the bubble's in
	// testing/synctest).
	Time time.Time
	// Method, Path, Query, Header and Proto are as received; Header and Query
	// must not be changed. Header holds the credential as it was sent.
	Method, Path string
	Query        url.Values
	Header       http.Header
	Proto        string
	// Verb is the API's: "list", "watch", "get", "create", "update", "patch",
	// "delete", "deletecollection"; "" for what is no resource.
	Verb string
	// Group, Version, Resource, Namespace and Name are from the path; Name
	// also from the field selector metadata.name.
	Group, Version, Resource, Namespace, Name string
	// User is whom the credential stands for; "" when it was refused.
	User string
	// Connection numbers the connections of the server from 1: requests with
	// the same number shared one.
	Connection int
	// Code is the HTTP status of the answer; 0 while there is none.
	Code int
	// Fault tells whether an injected fault struck the request.
	Fault bool
	// Done tells whether the answer has ended, in whatever way.
	Done bool
}

// journal keeps the latest requests.
type journal struct {
	limit int

	mu      sync.Mutex
	entries []*Request
}

func (j *journal) open(r Request) *Request {
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.entries) >= j.limit {
		j.entries = slices.Delete(j.entries, 0, len(j.entries)-j.limit+1)
	}
	j.entries = append(j.entries, &r)
	return &r
}

func (j *journal) edit(r *Request, change func(*Request)) {
	j.mu.Lock()
	defer j.mu.Unlock()
	change(r)
}

// Journal returns the requests so far in the order of their arrival, those
// that are still being answered included. It keeps the latest
// [Options.Journal] ones.
func (s *Server) Journal() []Request {
	s.journal.mu.Lock()
	defer s.journal.mu.Unlock()
	all := make([]Request, len(s.journal.entries))
	for i, r := range s.journal.entries {
		all[i] = *r
	}
	return all
}

// ClearJournal forgets the requests so far.
func (s *Server) ClearJournal() {
	s.journal.mu.Lock()
	defer s.journal.mu.Unlock()
	s.journal.entries = nil
}
