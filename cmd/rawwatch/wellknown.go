package main

import (
	"strings"

	"github.com/rawwatch/rawwatch/rawwatch"
)

// wellKnown are the names of the kinds that every cluster serves. They need no
// discovery: one request less at the start, and none that might be forbidden.
// Each name means here what discovery would make of it, since built-in groups
// come before all others.
var wellKnown = names(map[string]rawwatch.Resource{
	"cm":     rawwatch.ConfigMaps,
	"ep":     rawwatch.Endpoints,
	"ev":     rawwatch.Events,
	"ns":     rawwatch.Namespaces,
	"no":     rawwatch.Nodes,
	"pvc":    rawwatch.PersistentVolumeClaims,
	"pv":     rawwatch.PersistentVolumes,
	"po":     rawwatch.Pods,
	"secret": rawwatch.Secrets,
	"sa":     rawwatch.ServiceAccounts,
	"svc":    rawwatch.Services,
	"ds":     rawwatch.DaemonSets,
	"deploy": rawwatch.Deployments,
	"rs":     rawwatch.ReplicaSets,
	"sts":    rawwatch.StatefulSets,
	"cj":     rawwatch.CronJobs,
	"job":    rawwatch.Jobs,
})

// names adds plural, singular and the names with group and version.
func names(short map[string]rawwatch.Resource) map[string]rawwatch.Resource {
	all := make(map[string]rawwatch.Resource, 5*len(short))
	for name, r := range short {
		for _, n := range []string{name, r.Name, strings.ToLower(r.Kind), r.GroupResource(), r.String()} {
			all[n] = r
		}
	}
	return all
}
