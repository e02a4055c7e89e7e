package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/rawwatch/rawwatch/decode"
)

// streams are recordings of a real API server.
const streams = "../testdata/streams"

// repeated is how often a recorded body's objects are repeated, so that what is
// allocated once for each body is not what is measured.
const repeated = 200

// five are the fields that are decoded: examples/informer's.
type five struct {
	Metadata decode.Identity `json:"metadata"`
	Spec     struct {
		NodeName string `json:"nodeName"`
	} `json:"spec"`
	Status struct {
		Phase string `json:"phase"`
		PodIP string `json:"podIP"`
	} `json:"status"`
}

// decoding counts allocations for each event of recorded watches, with five
// fields decoded and without.
func decoding(context.Context, bool) (measurements, error) {
	m := measurements{}
	plan, err := decode.For[five]()
	if err != nil {
		return nil, err
	}
	for name, form := range map[string]struct {
		file string
		o    decode.Options
	}{
		"json":     {"watch-initial.json", decode.Options{}},
		"protobuf": {"watch-initial.pb", decode.Options{Encoding: decode.Protobuf}},
	} {
		body, err := os.ReadFile(filepath.Join(streams, form.file))
		if err != nil {
			return nil, err
		}
		body = bytes.Repeat(body, repeated)
		scan := func(*decode.Event) error { return nil }
		fill := func(e *decode.Event) error { return plan.Decode(e.Object, new(five)) }
		for what, each := range map[string]func(*decode.Event) error{"-event": scan, "-event-five": fill} {
			events := 0
			runs := testing.AllocsPerRun(5, func() {
				if events, err = readEvents(body, form.o, each); err != nil {
					return
				}
			})
			if err != nil {
				return nil, fmt.Errorf("%s: %w", form.file, err)
			}
			m[name+what] = runs / float64(events)
		}
	}
	return m, nil
}

// readEvents reads a body and counts its events.
func readEvents(body []byte, o decode.Options, each func(*decode.Event) error) (events int, err error) {
	r := decode.NewEventReader(bytes.NewReader(body), o)
	defer r.Close()
	for {
		e, err := r.Next()
		if err == io.EOF {
			return events, nil
		}
		if err != nil {
			return events, err
		}
		if e.Type != decode.Bookmark {
			if err := each(e); err != nil {
				return events, err
			}
		}
		events++
	}
}
