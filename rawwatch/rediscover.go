package rawwatch

import (
	"context"
	"log/slog"
)

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
		r.client.log.Log(context.Background(), slog.LevelWarn, "the resource is not served, and was not found elsewhere", "watch", r.query.String(), "error", err)
	case found != r.query.Resource:
		r.client.log.Log(context.Background(), slog.LevelInfo, "the resource is served as another now", "watch", r.query.String(), "was", r.query.Resource.String(), "is", found.String())
		moved := *r.query
		moved.Resource = found
		r.query = &moved
		r.kinds = kindCache{resource: &moved.Resource}
		r.board.query(&moved)
	}
	return nil
}
