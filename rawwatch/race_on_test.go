//go:build race

package rawwatch_test

// raceDetector is set in tests that run slower by its factor.
const raceDetector = true
