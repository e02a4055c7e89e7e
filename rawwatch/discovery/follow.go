package discovery

import (
	"context"

	"github.com/rawwatch/rawwatch/rawwatch"
)

// Follow makes a rawwatch.ListWatchOptions.Rediscover that asks the server in
// which version it serves the resource's group now. It takes the server's
// preferred version; see [Find] for its cost and its errors.
func Follow(c *rawwatch.Client) func(context.Context, rawwatch.Resource) (rawwatch.Resource, error) {
	return func(ctx context.Context, r rawwatch.Resource) (rawwatch.Resource, error) {
		return Find(ctx, c, r.GroupResource())
	}
}
