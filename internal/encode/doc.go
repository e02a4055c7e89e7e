// Package encode writes Kubernetes protobuf from JSON: what a kube-apiserver
// sends where it is asked for protobuf, byte for byte, for objects as it would
// send them in JSON.
//
//	wire, err := encode.Object(nil, []byte(`{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"}}`))
//
// It is the other side of package decode and knows the same table of the
// built-in kinds (internal/schema), but shares no code with it. Servers that
// tests talk to need it; a client never does, so that no program links it that
// does not bring such a server along.
//
// Members of a JSON object that the kind does not have are left out, as the API
// server drops unknown fields; so are kind and apiVersion inside other objects,
// which have no place on the wire. Fields that JSON leaves out are written with
// their zero value where the server's types hold values and not pointers.
// Texts of quantities go out as they are: it is for the caller to have them in
// their canonical form.
//
// All functions append to dst and may be called from many goroutines at once.
package encode
