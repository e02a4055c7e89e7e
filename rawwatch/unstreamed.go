package rawwatch

import "github.com/rawwatch/rawwatch/resume"

// InitialEventsError is a stream of initial events (WatchList) whose end mark
// did not come within [resume.DefaultInitialLimit].
type InitialEventsError struct {
	// Silent says that nothing came any more. Otherwise events went on to come:
	// from a server that ignores what it was asked, over a slow link, or to a
	// slow consumer.
	Silent bool
}

// Error implements error.
func (e *InitialEventsError) Error() string {
	s := "initial events were asked for as a stream, and did not end within " + resume.DefaultInitialLimit.String()
	if e.Silent {
		return s + ": nothing more came"
	}
	return s + ": the server ignores it, or link or consumer are slow"
}

// unstreamed remembers why lists are asked for from now on: for the server of
// this resource's group, which may be an aggregated one, or for this resource
// alone where slowness may be the reason. why is the refusal, if there was one.
func (r *reflection) unstreamed(s resume.State, why error) {
	if r.streamless || !s.StreamRefused && !s.StreamSlow {
		return
	}
	r.streamless = true
	resource := r.query.Resource
	if s.StreamRefused {
		resource = Resource{Group: resource.Group}
	}
	if why == nil {
		why = &InitialEventsError{Silent: s.StreamRefused}
	}
	r.client.noStreams.add(resource, why)
}

// unstreamed is why the resource is not asked for initial events; nil when it
// is.
func (c *Client) unstreamed(r Resource) error {
	if why := c.noStreams.reason(Resource{Group: r.Group}); why != nil {
		return why
	}
	return c.noStreams.reason(r)
}
