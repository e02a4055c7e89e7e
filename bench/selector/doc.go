// Package selector compares rawwatch's label selectors with those of
// k8s.io/apimachinery, which the API server uses. It holds tests only.
package selector
