// Package decode turns the bytes of Kubernetes' list and watch answers into
// events, items and metadata, without decoding what nobody asked for.
package decode
