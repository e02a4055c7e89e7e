// Package decode turns the bytes of Kubernetes' list and watch answers into
// events, items and metadata, without decoding what nobody asked for. It knows
// no network: its only input is an io.Reader.
//
//	watch body --> EventReader --> Event{Type, Object, Meta, Status}
//	list body  --> ListReader  --> Item{Object, Meta} ..., ListMeta
//	one object --> ScanMeta    --> Meta --> Identity
//	one object --> Plan[T]     --> T, which is the user's own struct
//
// # One pass
//
// The walker that finds where a frame ends also notes where its type, its
// object and the few members of the object's metadata stand; the rest is
// crossed, not decoded. The walker pulls: when the bytes at hand end in the
// middle of a value it reads more and goes on at the same byte, so it does not
// matter how a body was cut into chunks, lines or packets, and no byte is
// looked at twice. A plan walks in the same way, down to the members that its T
// names, and fills these as encoding/json would.
//
// # Two encodings
//
// All of this works on JSON and on Kubernetes' protobuf alike. A body's
// encoding is told to its reader (Options.Encoding); an object says itself
// which one it has ([EncodingOf]). Objects in protobuf stand in the API
// server's envelope, which names their apiVersion and kind; the items of a
// list, which arrive bare, are put into one.
//
// Protobuf is crossed by its lengths, several gigabytes in a second, and its
// numbered fields find the members of a T through one table of all built-in
// API groups. Custom resources exist only in JSON, as does what is newer than
// the table: [Plan.Protobuf] tells, so that nothing is ever silently left
// zero. A T has the same value from both encodings. [ToJSON] turns protobuf
// into what the API server would have written.
//
// The table is linked into programs that use plans or ToJSON, and into no
// others.
//
// # Who owns the bytes
//
// Event, Item and Meta lend: their slices point into the reader's buffer and
// are valid until the next call of Next or Close. Copy what is to be kept;
// [Meta.Identity] does so for what identifies an object, in one allocation.
// Whatever is a string, a Status or an error is owned and can be kept.
// Options.Poison overwrites what was lent as soon as the loan ends, so that a
// test sees who kept it.
//
// While a stream waits between frames, its reader holds 512 bytes of buffer;
// larger ones are borrowed from a pool when bytes arrive and given back when
// they are used up. A buffer of more than 1 MiB is never pooled.
//
// # What is checked
//
// All of every value is held against the grammar of RFC 8259, also where it is
// only crossed: brackets, commas, colons, literals, numbers, escape sequences,
// and the absence of control characters in strings. Bytes are accepted, and
// split into values, exactly as by encoding/json; the package's fuzz tests
// compare the two. Not checked is what encoding/json does not check either:
//
//   - that strings are UTF-8. Bytes pass through unchanged, where
//     encoding/json would put U+FFFD in their place. A surrogate escape
//     without its other half becomes U+FFFD where a string is unescaped, and
//     stays as it is in raw bytes.
//   - that the names in an object differ. The last of equal names counts, and
//     replaces the earlier ones whole.
//   - that numbers fit any type.
//
// Names are case-sensitive, as the API server's are.
//
// # What goes wrong
//
// Errors tell what has to be done next apart:
//
//   - io.EOF: a watch ended as watches do, or a list is complete.
//   - [*StreamError]: the bytes stopped coming; resume.
//   - [*StatusError]: the API server says no, and why.
//   - [*LimitError], [*SyntaxError], [*NotListError]: reading the same again
//     will fail the same way.
//   - [*ObjectError]: one object is bad; the stream goes on. It is found in
//     Event.Err and Item.Err, next to the raw bytes, or comes from a plan.
//   - [*UnknownError]: a T, or an object, has something that is not known in
//     protobuf; ask for JSON.
//   - [*TypeError]: a T cannot be decoded into.
//
// No error contains a value of an object, which may be a Secret.
package decode
