package decode

// Limits that hold when Options leaves them zero.
const (
	// DefaultFrameLimit bounds one watch frame, in bytes. client-go's framer
	// for streams has the same bound (16 MiB); etcd refuses objects of more
	// than 1.5 MiB unless told otherwise.
	DefaultFrameLimit = 16 << 20

	// DefaultItemLimit bounds one item of a list, and each other member of the
	// list's body, in bytes.
	DefaultItemLimit = 16 << 20

	// DefaultDepth bounds how deeply objects and arrays may nest. It is what
	// the API server itself accepts in JSON (and encoding/json too), so that
	// no stored object can stop a stream.
	DefaultDepth = 10_000
)

// Options bound what a reader accepts. The zero value is ready for use; a
// field that is zero or negative means its default.
type Options struct {
	// Encoding is that of the body: JSON unless set. For a response that is
	// what EncodingOfType says of its Content-Type.
	Encoding Encoding

	FrameLimit int // bytes of one watch frame; DefaultFrameLimit
	ItemLimit  int // bytes of one list item; DefaultItemLimit
	Depth      int // nesting of one frame or list; DefaultDepth

	// Poison overwrites the bytes lent out with an event or item as soon as
	// they are no longer valid. It is for tests: whoever kept a slice without
	// copying it sees nonsense at once, not once in a while.
	Poison bool
}

func (o Options) withDefaults() Options {
	if o.FrameLimit <= 0 {
		o.FrameLimit = DefaultFrameLimit
	}
	if o.ItemLimit <= 0 {
		o.ItemLimit = DefaultItemLimit
	}
	if o.Depth <= 0 {
		o.Depth = DefaultDepth
	}
	return o
}
