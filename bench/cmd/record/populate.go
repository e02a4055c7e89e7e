package main

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/rawwatch/rawwatch/bench/realapi"
)

// populate creates objects whose answers hold what decoders stumble over:
// maps, quantities, times, nested templates, bytes, raw extensions.
func populate(ctx context.Context, d *realapi.Direct) error {
	const pod = `"containers":[{"name":"main","image":"registry.example.com/app:v1","env":[{"name":"A","value":"x"},{"name":"B","valueFrom":{"fieldRef":{"fieldPath":"status.podIP"}}}],` +
		`"resources":{"requests":{"cpu":"250m","memory":"64Mi"},"limits":{"memory":"1.5Gi"}},"ports":[{"containerPort":8080}],"livenessProbe":{"httpGet":{"path":"/healthz","port":"web"},"periodSeconds":7}}]`
	for _, o := range []struct{ path, body string }{
		{"/api/v1/namespaces", `{"metadata":{"name":"recorded"}}`},
		{inNamespace + "/pods", `{"metadata":{"name":"one","labels":{"app":"web","tier":"front"},"annotations":{"note":"ü, a \"quoted\"\nline"}},"spec":{"nodeName":"node-7",` + pod + `}}`},
		{inNamespace + "/pods", `{"metadata":{"name":"three"},"spec":{` + pod + `}}`},
		{inNamespace + "/pods", `{"metadata":{"name":"two","finalizers":["example.com/hold"]},"spec":{"tolerations":[{"operator":"Exists"}],` + pod + `}}`},
		{inNamespace + "/secrets", `{"metadata":{"name":"bytes"},"type":"Opaque","data":{"empty":"","raw":"AP8Q"}}`},
		{"/apis/coordination.k8s.io/v1/namespaces/recorded/leases", `{"metadata":{"name":"held"},"spec":{"holderIdentity":"me","leaseDurationSeconds":15,"renewTime":"2026-01-02T03:04:05.678901Z"}}`},
		{"/apis/apps/v1/namespaces/recorded/statefulsets", `{"metadata":{"name":"db"},"spec":{"serviceName":"db","replicas":0,"selector":{"matchLabels":{"app":"db"}},"template":{"metadata":{"labels":{"app":"db"}},"spec":{` + pod + `}},` +
			`"volumeClaimTemplates":[{"metadata":{"name":"data"},"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"10Gi"}}}}]}}`},
		{"/apis/apiextensions.k8s.io/v1/customresourcedefinitions", `{"metadata":{"name":"widgets.example.com"},"spec":{"group":"example.com","scope":"Namespaced","names":{"plural":"widgets","singular":"widget","kind":"Widget","shortNames":["wd"]},` +
			`"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object","default":{"size":1},"properties":{"size":{"type":"integer","minimum":1}}}}}}}]}}`},
	} {
		if _, err := d.Do(ctx, "POST", o.path, []byte(o.body)); err != nil {
			return err
		}
	}
	return populateCustom(ctx, d)
}

// populateCustom creates a custom resource, which the server serves a moment
// after its definition.
func populateCustom(ctx context.Context, d *realapi.Direct) error {
	const widget = `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"one"},"spec":{"size":9007199254740993,"text":"ü <&> \u2028"}}`
	for {
		_, err := d.Do(ctx, "POST", inCustom+"/widgets", []byte(widget))
		if err == nil || realapi.Code(err) != http.StatusNotFound {
			return err
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// awaitCustom waits until custom resources are served from their cache, a
// moment after the server is.
func awaitCustom(ctx context.Context, d *realapi.Direct) error {
	for {
		_, err := d.Do(ctx, "GET", inCustom+"/widgets?resourceVersion=0", nil)
		if code := realapi.Code(err); err == nil || code != http.StatusNotFound && code != http.StatusTooManyRequests {
			return err
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// currentVersion is the resourceVersion of a list.
func currentVersion(ctx context.Context, d *realapi.Direct, path string) (string, error) {
	body, err := d.Do(ctx, "GET", path+"?limit=1", nil)
	if err != nil {
		return "", err
	}
	var list struct {
		Metadata struct {
			ResourceVersion string `json:"resourceVersion"`
		} `json:"metadata"`
	}
	return list.Metadata.ResourceVersion, json.Unmarshal(body, &list)
}
