package rawwatch

import (
	"context"
	"errors"
)

// errNoStreams is why a group is not asked for initial streams.
var errNoStreams = errors.New("the server does not stream initial events")

// refuseStreams remembers that the server of this resource's group, which may
// be an aggregated one, does not stream initial events.
func (c *Client) refuseStreams(r Resource) { c.noStreams.add(Resource{Group: r.Group}, errNoStreams) }

func (c *Client) streamsRefused(r Resource) bool { return c.noStreams.has(Resource{Group: r.Group}) }

// rediscover asks where the resource is now, when the server has said again and
// again that it is not there. It returns the context's error only.
func (r *reflection) rediscover(failure error) error {
	r.notFound++
	if r.options.Rediscover == nil || r.notFound < 2 {
		return nil
	}
	found, err := r.options.Rediscover(r.ctx, r.query.Resource)
	switch {
	case r.ctx.Err() != nil:
		return context.Cause(r.ctx)
	case err != nil:
		r.log().Warn("the resource is not served, and was not found elsewhere", "error", err)
	case found != r.query.Resource:
		r.log().Info("the resource is served as another now", "was", r.query.Resource.String(), "is", found.String())
		moved := *r.query
		moved.Resource = found
		r.query = &moved
		r.kinds = kindCache{resource: &moved.Resource}
		r.board.query(moved)
	}
	return nil
}
