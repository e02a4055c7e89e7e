package rawwatch

import (
	"bytes"
	"encoding/json"
	"net/http"

	"github.com/rawwatch/rawwatch/decode"
)

// answered makes an [Object] of the answer to a request for one object. The
// bytes are the caller's. A server that answers a delete or the like with a
// Status gives a stub.
func (c *Client) answered(q objectRequest, body []byte) (Object, error) {
	if body == nil {
		return q.stub(nil), nil
	}
	body = bytes.TrimSpace(body)
	var meta decode.Meta
	err := decode.ScanMeta(body, &meta)
	switch {
	case err != nil:
		return Object{}, c.failed(q, http.StatusOK, err)
	case string(meta.Kind) == "Status" && string(meta.APIVersion) == "v1":
		// Some proxies answer a failure with HTTP 200.
		if status, ok := decode.ParseStatus(body); ok && (status.Status.Status == "Failure" || status.Status.Code >= 300) {
			return Object{}, c.failed(q, http.StatusOK, q.write.withoutValues(status))
		}
		return q.stub(body), nil
	case len(meta.Name) == 0 && (q.subresource == "" || q.subresource == "status"):
		return Object{}, c.failed(q, http.StatusOK, &UnnamedObjectError{})
	}
	var kinds kindCache
	return kinds.object(body, &meta), nil
}

// stub is the object that a Status of success is about.
func (q objectRequest) stub(body []byte) Object {
	var status struct {
		Details struct{ Name, UID string }
	}
	if body != nil {
		_ = json.Unmarshal(body, &status) // what it does not say stays empty
	}
	o := Object{APIVersion: q.address.resource.apiVersion(), Kind: q.address.resource.Kind}
	o.Namespace, o.Name, o.UID = q.key.Namespace, q.key.Name, status.Details.UID
	return o
}
