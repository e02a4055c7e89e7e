// Package watchtest is an API server in the process, for testing programs
// that list and watch, as net/http/httptest is for net/http.
//
//	s := watchtest.NewServer(watchtest.Options{})
//	defer s.Close()
//	pod, err := s.Create(watchtest.Pods, `{"metadata":{"namespace":"edge","name":"a"}}`)
//
// A server speaks HTTPS with HTTP/2, plain HTTP, HTTP over a Unix socket, or
// either over memory ([Mode]); in memory it works inside a bubble of
// testing/synctest, so that an hour of bookmarks and timeouts takes no time.
// [Server.Config] connects a client of package rawwatch to it,
// [Server.Client] one of net/http. The file example_handler_test.go is a
// program's test of its own handler, with the real client and informer.
//
// # What it does
//
// It keeps objects of any registered [Resource] under one global revision and
// serves them as kube-apiserver v1.37 does: create, update, patch and delete
// with optimistic concurrency, through Go calls and HTTP; LIST in pages that
// expire, with all forms of resourceVersion; WATCH with history, bookmarks,
// timeouts and initial events; label and field selectors; JSON, protobuf,
// metadata only and Tables, negotiated; gzip; discovery; Status errors in their real
// shapes; tokens, client certificates and rules that forbid.
//
// What real servers do to their clients on bad days it does on demand:
// [Server.Compact], [Server.Restart], [Server.Rollback], and any [Fault] by
// [Server.Inject], from a stream cut in the middle of a frame to a [Lie] that
// is well-formed; [Server.SendFrame], [Server.CutWatches] and [Server.Freeze]
// strike watches that are open. [Server.Journal] tells what was asked.
//
// # What it does not do
//
//   - JSON, and Kubernetes protobuf for the built-in kinds and for the metadata
//     of all; no YAML and no CBOR (406 for clients that accept nothing else).
//     Discovery and health are JSON only, whatever is asked for.
//   - Tables have the columns of v1.37 for pods, config maps, secrets and
//     namespaces; all other kinds have a name and an age, as custom resources
//     do.
//   - What is in an object but not in its kind is served in JSON, and left out
//     in protobuf.
//   - No schemas: any JSON object is stored as it is. No defaults, no
//     validation beyond names, labels and the identity in metadata; numbers
//     keep their digits.
//   - No admission: a namespace need not exist for objects to be created in
//     it, and deleting one leaves them.
//   - No grace period, no finalizers, no owner references: what is deleted is
//     gone at once, without deletionTimestamp.
//   - A strategic merge patch is a merge patch that also merges lists of
//     objects with names, by name, whatever the kind's own rules are; no
//     directives. Owners of fields are those who applied them: other writes own
//     nothing. No fieldValidation.
//   - Subresources: only /status. Writes to the object itself may change its
//     status, too.
//   - One version per kind: no conversion. No watches under /watch/ paths, no
//     WebSocket, no shardSelector.
//   - A LIST or an initial stream of a version that is still to come is refused
//     at once; kube-apiserver waits three seconds for it first.
//   - The watch cache is never behind: a LIST of resourceVersion "0" is
//     current.
//   - History is bounded by count and age for each resource, exactly as the
//     options say; kube-apiserver's watch cache adapts its size.
//   - Authorization is a list of denials, not RBAC objects; open watches
//     outlive it, as they do in kube-apiserver.
//
// It shares no encoder and no decoder with the library, so that an error in
// one is not hidden by the same error in the other; only the table of the
// built-in kinds is the same, and that one is tested against Kubernetes' own
// types.
package watchtest
