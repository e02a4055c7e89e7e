package rawwatch

import "log/slog"

// retryLog is what go-retryablehttp logs to. To it each failed attempt is an
// error; here that is a detail, since the caller is given the error of the
// last attempt.
type retryLog struct{ log *slog.Logger }

// Error implements retryablehttp.LeveledLogger.
func (l retryLog) Error(msg string, keysAndValues ...any) { l.log.Debug(msg, keysAndValues...) }

// Warn implements retryablehttp.LeveledLogger.
func (l retryLog) Warn(msg string, keysAndValues ...any) { l.log.Debug(msg, keysAndValues...) }

// Info implements retryablehttp.LeveledLogger.
func (l retryLog) Info(msg string, keysAndValues ...any) { l.log.Debug(msg, keysAndValues...) }

// Debug implements retryablehttp.LeveledLogger.
func (l retryLog) Debug(msg string, keysAndValues ...any) { l.log.Debug(msg, keysAndValues...) }
