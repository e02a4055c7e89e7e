package discovery

import (
	"context"
	"errors"

	jsoniter "github.com/json-iterator/go"

	"github.com/rawwatch/rawwatch/rawwatch"
)

// documents reads what servers tell; names of fields are matched exactly.
var documents = jsoniter.Config{CaseSensitive: true}.Froze()

// server is the API server that is asked.
type server struct{ client *rawwatch.Client }

// unmarshal reads a document.
func unmarshal(path string, body []byte, v any) error {
	if err := documents.Unmarshal(body, v); err != nil {
		return &rawwatch.RequestError{Verb: "get", URL: path, Code: 200, Err: errors.New("the discovery document does not parse: is this a Kubernetes API server?")}
	}
	return nil
}

// groups is what one of the two discovery roots has to say.
type groups struct {
	served      []served
	unreachable []string
}

func (s server) groupsAt(ctx context.Context, root string) (groups, error) {
	body, err := s.get(ctx, root, aggregated)
	if err != nil {
		return groups{}, err
	}
	var kind struct {
		Kind string `json:"kind"`
	}
	if err := unmarshal(root, body, &kind); err != nil {
		return groups{}, err
	}
	switch kind.Kind {
	case "APIGroupDiscoveryList":
		return aggregatedGroups(root, body)
	case "APIVersions":
		return s.coreVersions(ctx, root, body)
	default:
		return s.legacyGroups(ctx, root, body)
	}
}
