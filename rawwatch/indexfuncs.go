package rawwatch

import "reflect"

// IndexByLabel indexes items by the value of one of their labels; those without
// it are not in the index. Nothing is in it where labels are not known; see
// [StoreOptions.KeepLabels].
func IndexByLabel[T any](key string) IndexFunc[T] {
	inValue := labelSource[T]{field: labelField(reflect.TypeFor[T]())}
	return func(i *Item[T]) []string {
		value, ok := i.Labels().Get(key)
		if !ok && inValue.known() {
			value, ok = inValue.get(i, key)
		}
		if !ok {
			return nil
		}
		return []string{value}
	}
}

// IndexBy indexes items by one value, which may be empty.
func IndexBy[T any](value func(*T) string) IndexFunc[T] {
	return func(i *Item[T]) []string { return []string{value(&i.Value)} }
}
