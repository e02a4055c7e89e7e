package rawwatch

import "time"

// requestStarts tells the hooks of a request, and returns what tells them of
// its end.
func (c *Client) requestStarts(q request) (ends func(*exchange, error)) {
	for _, h := range c.hooks.requestStart {
		h.OnRequestStart(q.info())
	}
	if len(c.hooks.requestEnd) == 0 {
		return func(*exchange, error) {}
	}
	began := time.Now()
	return func(x *exchange, err error) {
		r := RequestResult{Duration: time.Since(began), Err: err}
		if x != nil {
			r.Code = x.resp.StatusCode
		} else if failed, ok := err.(*RequestError); ok {
			r.Code = failed.Code
		}
		for _, h := range c.hooks.requestEnd {
			h.OnRequestEnd(q.info(), r)
		}
	}
}

func (c *Client) breakerChanged(from, to BreakerState) {
	if to == BreakerOpen {
		c.log.Warn("the server cannot be reached; requests fail at once for a while", "breaker", to)
	} else {
		c.log.Info("circuit breaker", "from", from, "to", to)
	}
	for _, h := range c.hooks.breaker {
		h.OnBreaker(from, to)
	}
}
