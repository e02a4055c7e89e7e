// Package rawwatchprometheus makes Prometheus metrics of what a rawwatch client
// does: of its requests, streams, frames, lists, waits and circuit breaker, from
// the client's hooks, and of how its watches are, from their status.
//
//	metrics := rawwatchprometheus.New()
//	prometheus.MustRegister(metrics)
//	client, err := rawwatch.NewClient(config, rawwatch.ClientOptions{Hooks: []rawwatch.Hook{metrics}})
//	…
//	metrics.Add(reflector) // or an informer
//
// It is a module of its own, so that programs without Prometheus do not depend
// on it, and uses nothing of rawwatch but hooks and status: whoever wants other
// metrics can write as much.
//
// # Metrics
//
// The label resource is as in "pods" or "deployments.apps"; watch is a whole
// query, namespace and selectors included. There are as many values as a program
// has resources and watches.
//
//	rawwatch_requests_total{verb,code}              code is HTTP's, "none" without an answer
//	rawwatch_request_duration_seconds{verb}         histogram, until the answer's headers
//	rawwatch_streams_open{resource}                 watches that are open
//	rawwatch_streams_closed_total{resource,reason}  timeout is the rule; see rawwatch.StreamEnd
//	rawwatch_frames_total{resource,type}            of watches, bookmarks included
//	rawwatch_frame_bytes_total{resource}            after unpacking
//	rawwatch_pages_total{resource}                  of lists
//	rawwatch_page_bytes_total{resource}             after unpacking
//	rawwatch_relists_total{resource,reason}         "initial" is the first list of a watch
//	rawwatch_relist_duration_seconds{resource}      histogram, until the state was complete
//	rawwatch_backoff_seconds_total{resource,reason} waits that were begun
//	rawwatch_decode_errors_total{resource}          objects that could not be understood
//	rawwatch_lag_seconds{resource}                  histogram: how long the consumer takes for a frame
//	rawwatch_breaker_state                          0 closed, 1 half-open, 2 open
//	rawwatch_watch_synced{watch}                    0 or 1
//	rawwatch_watch_connected{watch}                 0 or 1
//	rawwatch_watch_failures{watch}                  in a row
//	rawwatch_watch_reconnects_total{watch}          streams opened after a loss
//	rawwatch_watch_heard_timestamp_seconds{watch}   last sign of life; absent before the first
//	rawwatch_watch_progress_timestamp_seconds{watch} last progress; absent before the first
package rawwatchprometheus
