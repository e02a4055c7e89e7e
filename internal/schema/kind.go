package schema

// Kind is the type of a value, without regard to how many there are of it.
type Kind uint8

// The kinds of values, with their form in protobuf and in JSON.
const (
	Message     Kind = iota // a message of the table; an object
	String                  // a string
	Bool                    // a varint; a boolean
	Int32                   // a varint; a number
	Int64                   // a varint; a number
	Double                  // 64 bits; a number
	Bytes                   // bytes; a string in base64
	Quantity                // a message with a string (1); that string
	Time                    // a message with seconds (1) and nanoseconds (2); RFC 3339 in seconds, or null
	MicroTime               // the same; RFC 3339 in microseconds, or null
	Duration                // a message with nanoseconds (1); a string as of time.Duration
	IntOrString             // a message with type (1), number (2), string (3); one of the latter two
	Raw                     // a message with bytes (1), which are JSON, or null
)

// words are the kinds' names in the table.
var words = map[string]Kind{
	"string": String, "bool": Bool, "int32": Int32, "int64": Int64, "double": Double, "bytes": Bytes,
	"Quantity": Quantity, "Time": Time, "MicroTime": MicroTime, "Duration": Duration,
	"IntOrString": IntOrString, "Raw": Raw,
}

// Shape says how many values a field has, and what stands for none.
type Shape uint8

// The shapes of fields.
const (
	Single  Shape = iota // one; zero where the wire has none
	Pointer              // one, or null
	List                 // repeated; null where there is none
	Map                  // repeated entries with a key (1), a string, and a value (2); null where there is none
)

// Form is how a message looks in JSON.
type Form uint8

// The forms of messages.
const (
	Members   Form = iota // an object with the fields as members
	OrBool                // the second field, a message, or else the first, a boolean
	OrArray               // the second field, an array, or else the first, a message or null
	ItemsOnly             // the only field, an array
)

var forms = map[string]Form{"|bool": OrBool, "|array": OrArray, "|items": ItemsOnly}
