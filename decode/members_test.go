package decode

import (
	"encoding/json"
	"errors"
	"reflect"
	"testing"
)

// Ways of embedding; encoding/json says what they mean.

type inner struct {
	A string `json:"a"`
	B string `json:"b"`
	C string
}

type Exported struct {
	A int    `json:"a"`
	D string `json:"d"`
}

type deeper struct{ Exported }

type hidesA struct {
	inner
	A bool `json:"a"`
}

type byPointer struct {
	*Exported
	B string `json:"b"`
}

type renamed struct {
	Exported `json:"sub"`
	inner
}

type taggedWins struct {
	C1 struct{} `json:"-"`
	tagsC
	inner
}

type tagsC struct {
	X string `json:"C"`
}

type lessDeep struct {
	deeper
	Exported
}

type Recursive struct {
	*Recursive
	A string `json:"a"`
}

type dashed struct {
	A string `json:"-"`
	B string `json:"b"`
	c string
}

func TestEmbedding(t *testing.T) {
	const object = `{"a":1,"b":"b","C":"c","d":"d","sub":{"a":2,"d":"e"},"-":"dash","c":"no"}`
	const texts = `{"a":"x","b":"b","C":"c","d":"d","-":"dash"}`
	const flags = `{"a":true,"b":"b","C":"c"}`
	asJSON[inner](t, texts)
	asJSON[deeper](t, object)
	asJSON[hidesA](t, flags)
	asJSON[byPointer](t, object)
	asJSON[byPointer](t, `{"b":"no pointer"}`)
	asJSON[renamed](t, `{"a":"x","sub":{"a":2,"d":"e"}}`)
	asJSON[taggedWins](t, texts)
	asJSON[lessDeep](t, object)
	asJSON[Recursive](t, texts)
	asJSON[dashed](t, texts)
	_ = dashed{}.c
}

func asJSON[T any](t *testing.T, object string) {
	t.Helper()
	var got, want T
	if err := json.Unmarshal([]byte(object), &want); err != nil {
		t.Fatal(err)
	}
	if err := planFor[T](t).Decode([]byte(object), &got); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%T from %s: %+v, %v, want %+v", got, object, got, err, want)
	}
}

func TestEmbeddingErrors(t *testing.T) {
	type twice struct {
		Other struct{ inner } `json:",inline"`
		More  struct{ inner } `json:",inline"`
	}
	type throughPointer struct{ *inner }
	_, err1 := For[twice]()
	_, err2 := For[throughPointer]()
	for _, err := range []error{err1, err2} {
		if !errors.As(err, new(*TypeError)) {
			t.Error(err)
		}
	}
}
