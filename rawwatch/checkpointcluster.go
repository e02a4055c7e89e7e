package rawwatch

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"log/slog"
	"math/rand/v2"
	"net/http"

	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/resume"
)

// cluster tells which cluster the client talks to, asking the server at most
// once with success.
func (k *checkpoints[T]) cluster(ctx context.Context) (string, error) {
	k.mu.Lock()
	known := k.clusterID
	k.mu.Unlock()
	if known == "" {
		known = k.options.Cluster
	}
	if known == "" {
		var err error
		if known, err = askCluster(ctx, k.client); err != nil {
			return "", err
		}
	}
	k.mu.Lock()
	k.clusterID = known
	k.mu.Unlock()
	return known, nil
}

// maxNamespace bounds what is read of a namespace: ten times what a server lets
// anybody write.
const maxNamespace = 16 << 20

// askCluster is the uid of the namespace kube-system, or, where that is hidden,
// the server's address and the hash of its authorities.
func askCluster(ctx context.Context, c *Client) (string, error) {
	const path = "api/v1/namespaces/kube-system"
	document, err := c.GetDocument(ctx, path, DocumentOptions{Limit: maxNamespace})
	if err == nil {
		var meta decode.Meta
		err = decode.ScanMeta(bytes.TrimSpace(document), &meta)
		switch {
		case err != nil:
		case len(meta.UID) > 0:
			return "kube-system:" + string(meta.UID), nil
		case string(meta.Name) != "kube-system": // a proxy's answer, with HTTP 200
			err = &UnnamedObjectError{}
		}
		if err != nil {
			return "", &RequestError{Verb: "get", URL: c.target(request{path: path}).Redacted(), Code: http.StatusOK, Err: err}
		}
	}
	if err != nil {
		// Only the server's own word counts: others forbid things, too.
		var status *decode.StatusError
		if !errors.As(err, &status) || !status.IsForbidden() && !status.IsNotFound() {
			return "", err
		}
	}
	sum := sha256.Sum256(c.session.Authorities())
	return "server:" + c.session.BaseURL().Redacted() + " ca:" + hex.EncodeToString(sum[:]), nil
}

// knowCluster is cluster, tried until it succeeds: meanwhile the checkpoint's
// state is served. It ends with ctx, or with OnFailure's error.
func (k *checkpoints[T]) knowCluster(ctx context.Context, p *part[T]) (string, error) {
	for failures := 1; ; failures++ {
		id, err := k.cluster(ctx)
		if err == nil {
			return id, nil
		}
		if cause := context.Cause(ctx); cause != nil {
			return "", cause
		}
		if errors.Is(err, ErrClosed) {
			return "", err
		}
		if err := p.reflector.Load().troubled(err, failures); err != nil {
			return "", err
		}
		wait := p.reflector.Load().options.Backoff.Wait(failures, rand.Float64())
		k.log.Log(context.Background(), slog.LevelWarn, "the server cannot be asked which cluster it is; what is served is the checkpoint's", "checkpoint", k.options.Watch, "error", err, "retry_in", wait)
		if !sleep(ctx, wait) {
			return "", context.Cause(ctx)
		}
	}
}

// troubled publishes a failure from before the events.
func (r *Reflector) troubled(failure error, failures int) error {
	class := classify(failure).Class
	r.board.failed(failure, class)
	r.board.write(func(s *standing) { s.Failures, s.Phase = failures, resume.PhaseWaiting })
	if r.options.OnFailure == nil {
		return nil
	}
	return r.options.OnFailure(failure)
}
