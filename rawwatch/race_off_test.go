//go:build !race

package rawwatch_test

// raceDetector is not set: nothing slows this run down.
const raceDetector = false
