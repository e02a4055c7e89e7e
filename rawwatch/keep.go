package rawwatch

import (
	"fmt"

	"github.com/rawwatch/rawwatch/decode"
)

// Keep makes what a [Store] keeps of an object: it fills into, which is the
// zero T. o.Raw is borrowed; its encoding is JSON or protobuf. An error, or a
// panic, concerns this object only and becomes [Item.Err].
type Keep[T any] func(o Object, into *T) error

// KeepFields keeps the fields that T names; see [decode.For], whose error it
// returns. Strings that occur again and again are shared, and so are those of
// T that the [Item] has already: its name, its uid.
func KeepFields[T any]() (Keep[T], error) {
	plan, err := decode.For[T]()
	if err != nil {
		return nil, err
	}
	return func(o Object, into *T) error {
		return plan.DecodeKnown(o.Raw, decode.Known{Identity: o.Identity, APIVersion: o.APIVersion, Kind: o.Kind, Checked: o.checked}, into)
	}, nil
}

// KeepIdentity keeps nothing but what every [Item] has: who the object is.
func KeepIdentity() Keep[struct{}] {
	return func(Object, *struct{}) error { return nil }
}

// A KeepError says that a store's Keep or Transform panicked over an object.
type KeepError struct {
	Key decode.Key
	// Panic is what it panicked with. It may hold values of the object, and so
	// is not in the error's text.
	Panic any
}

// Error implements error.
func (e *KeepError) Error() string {
	return fmt.Sprintf("rawwatch: the store's Keep or Transform panicked over %s (with a %T); the object is in the store without its value", e.Key, e.Panic)
}

// Unwrap returns the panic's value if it is an error.
func (e *KeepError) Unwrap() error {
	err, _ := e.Panic.(error)
	return err
}

// keepObject fills an item from its object.
func (s *Store[T]) keepObject(o Object, item *Item[T]) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &KeepError{Key: o.Key(), Panic: p}
		}
	}()
	if err := s.keep(o, &item.Value); err != nil {
		return err
	}
	if item.more, err = s.labels.read(o.Raw); err != nil {
		return err
	}
	if s.transform != nil {
		return s.transform(item.Identity, &item.Value)
	}
	return nil
}
