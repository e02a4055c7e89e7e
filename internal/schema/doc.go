// Package schema knows the protobuf form of the built-in API groups: for each
// message its fields, their numbers on the wire and their names in JSON. It is
// one generated text, table.txt, of which only the messages that are asked for
// are ever parsed. Programs link it deflated, as table.bin, in blocks of which
// only those are inflated that hold such a message.
//
// The text has a line for each message, and below it, indented by a space, one
// for each field, in the order in which JSON has them:
//
//	apps/v1.DeploymentSpec
//	 replicas? 1 *int32
//	 selector 2 *.LabelSelector
//	 template 3 v1.PodTemplateSpec
//
// A message's name is the group and version that its type belongs to, a dot,
// and the type. The lines of messages are sorted. Behind the name may stand
//
//   - the message is a kind: an object or list that a server answers with
//     =NAME   this is the kind of that name
//     |bool   its JSON is its second field, or its first, a boolean
//     |array  its JSON is its second field, an array, or else its first
//     |items  its JSON is the array that is its only field
//
// A field has its name in JSON, its number, and its type. A name that ends in
// "?" is left out of JSON when its value is empty; "~" is no name: the fields
// of that message stand in place of the field. A type begins with "*" when
// absence means null, with "[]" when it is repeated, with "{}" when it is a map
// from strings; "&" says that what is in the list are objects that say their
// kind and apiVersion in JSON, though not in protobuf. Then comes a word of the list in kind.go, or the name of a
// message; one without a dot belongs to the same group and version, one that
// begins with a dot to meta.k8s.io/v1.
//
// The types Quantity, Time, MicroTime, Duration, IntOrString and Raw stand for
// messages that have a JSON form of their own.
package schema
