package decode

import (
	"bytes"
	"encoding/json"
	"errors"
)

// leafDecoder decodes the single values that the walker has found. The walker
// has already decided which member a value belongs to, so that encoding/json's
// tolerance for the case of names matters only inside values that a type
// decodes by itself. encoding/json is in every program that reads a kubeconfig;
// json-iterator would add 450 KB to the smallest agent.
type leafDecoder struct{}

var leaf leafDecoder

// Unmarshal decodes one value. Integers are exact or an error.
func (leafDecoder) Unmarshal(value []byte, to any) error { return json.Unmarshal(value, to) }

var errTrailing = errors.New("more than one value")

// exactDecoder decodes into interface{} without touching numbers.
type exactDecoder struct{}

var exact exactDecoder

// Unmarshal decodes one value; numbers become json.Number.
func (exactDecoder) Unmarshal(value []byte, to any) error {
	d := json.NewDecoder(bytes.NewReader(value))
	d.UseNumber()
	if err := d.Decode(to); err != nil {
		return err
	}
	if d.More() {
		return errTrailing
	}
	return nil
}
