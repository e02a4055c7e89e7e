package main

import (
	"slices"
	"strings"

	"github.com/rawwatch/rawwatch/rawwatch"
)

// form says what to ask the server for. A name needs the metadata only. JSON is
// printed as the server wrote it, unless protobuf is asked for, of which the
// printed JSON is made here: that would lack what a newer server has added.
func (s *selection) form(output string) (e rawwatch.Encoding, metadataOnly bool) {
	e = s.encoding.encoding
	if output == formatJSON && e == rawwatch.EncodingAutomatic {
		e = rawwatch.EncodingJSON
	}
	return e, output == formatName
}

// encodingFlag is the value of --encoding.
type encodingFlag struct{ encoding rawwatch.Encoding }

// encodings are named in the order of the library's constants.
var encodings = []string{"auto", "json", "protobuf"}

// String implements pflag.Value.
func (f *encodingFlag) String() string { return encodings[f.encoding] }

// Type implements pflag.Value.
func (f *encodingFlag) Type() string { return "encoding" }

// Set implements pflag.Value.
func (f *encodingFlag) Set(s string) error {
	i, err := oneOf(encodings, s)
	f.encoding = rawwatch.Encoding(i)
	return err
}

// linkFlag is the value of --link.
type linkFlag struct{ link rawwatch.Link }

// links are named in the order of the library's constants.
var links = []string{"average", "metered", "lan"}

// String implements pflag.Value.
func (f *linkFlag) String() string { return links[f.link] }

// Type implements pflag.Value.
func (f *linkFlag) Type() string { return "link" }

// Set implements pflag.Value.
func (f *linkFlag) Set(s string) error {
	i, err := oneOf(links, s)
	f.link = rawwatch.Link(i)
	return err
}

func oneOf(names []string, s string) (int, error) {
	i := slices.Index(names, s)
	if i < 0 {
		return 0, misuse("one of %s is needed", strings.Join(names, ", "))
	}
	return i, nil
}
