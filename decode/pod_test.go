package decode

import (
	"bytes"
	"fmt"
	"strings"
)

// podJSON is a pod as an API server sends it, of about 7.7 KB: a third of it
// managedFields, then environment, volumes, conditions and container statuses.
func podJSON(n int) []byte {
	var b bytes.Buffer
	name := fmt.Sprintf("web-7d4b9c6f5d-%05d", n)
	fmt.Fprintf(&b, `{"kind":"Pod","apiVersion":"v1","metadata":{"name":%q,"generateName":"web-7d4b9c6f5d-","namespace":"edge-%d","uid":"6f1d2c3b-0a9e-4b7c-8d5e-%012d","resourceVersion":"%d","generation":1,"creationTimestamp":"2026-03-01T12:00:00Z",`, name, n%10, n, 80000+n)
	b.WriteString(`"labels":{"app":"web","app.kubernetes.io/name":"web","app.kubernetes.io/part-of":"shop","pod-template-hash":"7d4b9c6f5d"},`)
	b.WriteString(`"annotations":{"checksum/config":"b5bb9d8014a0f9b1d61e21e796d78dccdf1352f23cd32812f4850b878ae4944c","prometheus.io/scrape":"true","note":"say \"hello\" to C:\\web\n"},`)
	b.WriteString(`"ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"web-7d4b9c6f5d","uid":"0b1c2d3e-4f50-6172-8394-a5b6c7d8e9f0","controller":true,"blockOwnerDeletion":true}],`)
	b.WriteString(`"managedFields":[` + managed("kube-controller-manager", "", specFields()) + `,` + managed("kubelet", "status", statusFields()) + `]},`)
	b.WriteString(`"spec":{"volumes":[{"name":"config","configMap":{"name":"web-config","defaultMode":420}},{"name":"kube-api-access-x7x7x","projected":{"sources":[{"serviceAccountToken":{"expirationSeconds":3607,"path":"token"}},{"configMap":{"name":"kube-root-ca.crt","items":[{"key":"ca.crt","path":"ca.crt"}]}}],"defaultMode":420}}],"containers":[`)
	b.WriteString(container("web", 7) + `,` + container("sidecar", 2))
	fmt.Fprintf(&b, `],"restartPolicy":"Always","terminationGracePeriodSeconds":30,"dnsPolicy":"ClusterFirst","serviceAccountName":"web","serviceAccount":"web","nodeName":"node-%d","securityContext":{},"schedulerName":"default-scheduler","tolerations":[{"key":"node.kubernetes.io/not-ready","operator":"Exists","effect":"NoExecute","tolerationSeconds":300},{"key":"node.kubernetes.io/unreachable","operator":"Exists","effect":"NoExecute","tolerationSeconds":300}],"priority":0,"enableServiceLinks":true,"preemptionPolicy":"PreemptLowerPriority"},`, n%50)
	b.WriteString(`"status":{"phase":"Running","conditions":[`)
	for i, c := range []string{"PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled"} {
		fmt.Fprintf(&b, `%s{"type":%q,"status":"True","lastProbeTime":null,"lastTransitionTime":"2026-03-01T12:00:%02dZ"}`, comma(i), c, i)
	}
	fmt.Fprintf(&b, `],"hostIP":"10.1.%d.7","podIP":"10.2.%d.%d","podIPs":[{"ip":"10.2.%d.%d"}],"startTime":"2026-03-01T12:00:00Z","containerStatuses":[`, n%250, n%250, n%200, n%250, n%200)
	for i, c := range []string{"web", "sidecar"} {
		fmt.Fprintf(&b, `%s{"name":%q,"state":{"running":{"startedAt":"2026-03-01T12:00:03Z"}},"lastState":{},"ready":true,"restartCount":%d,"image":"registry.example.com/shop/%s:1.42.0","imageID":"registry.example.com/shop/%s@sha256:b5bb9d8014a0f9b1d61e21e796d78dccdf1352f23cd32812f4850b878ae4944c","containerID":"containerd://7d865e959b2466918c9863afca942d0fb89d7c9ac0c99bafc3749504ded97730","started":true}`, comma(i), c, n%3, c, c)
	}
	b.WriteString(`],"qosClass":"Burstable"}}`)
	return b.Bytes()
}

func comma(i int) string {
	if i == 0 {
		return ""
	}
	return ","
}

func managed(manager, subresource, fields string) string {
	s := fmt.Sprintf(`{"manager":%q,"operation":"Update","apiVersion":"v1","time":"2026-03-01T12:00:00Z","fieldsType":"FieldsV1","fieldsV1":{%s}`, manager, fields)
	if subresource != "" {
		s += fmt.Sprintf(`,"subresource":%q`, subresource)
	}
	return s + `}`
}

func specFields() string {
	var b strings.Builder
	b.WriteString(`"f:metadata":{"f:annotations":{".":{},"f:checksum/config":{},"f:prometheus.io/scrape":{}},"f:generateName":{},"f:labels":{".":{},"f:app":{},"f:app.kubernetes.io/name":{},"f:pod-template-hash":{}},"f:ownerReferences":{".":{},"k:{\"uid\":\"0b1c2d3e-4f50-6172-8394-a5b6c7d8e9f0\"}":{}}},"f:spec":{"f:containers":{`)
	for i, c := range []string{"web", "sidecar"} {
		fmt.Fprintf(&b, `%s"k:{\"name\":\"%s\"}":{".":{},"f:env":{".":{}`, comma(i), c)
		for e := range 7 - 5*i {
			fmt.Fprintf(&b, `,"k:{\"name\":\"SETTING_%02d\"}":{".":{},"f:name":{},"f:value":{}}`, e)
		}
		b.WriteString(`},"f:image":{},"f:imagePullPolicy":{},"f:livenessProbe":{".":{},"f:failureThreshold":{},"f:httpGet":{".":{},"f:path":{},"f:port":{},"f:scheme":{}},"f:periodSeconds":{}},"f:name":{},"f:ports":{".":{},"k:{\"containerPort\":8080,\"protocol\":\"TCP\"}":{".":{},"f:containerPort":{},"f:protocol":{}}},"f:resources":{".":{},"f:limits":{".":{},"f:memory":{}},"f:requests":{".":{},"f:cpu":{},"f:memory":{}}},"f:volumeMounts":{".":{},"k:{\"mountPath\":\"/etc/web\"}":{".":{},"f:mountPath":{},"f:name":{}}}}`)
	}
	b.WriteString(`},"f:dnsPolicy":{},"f:enableServiceLinks":{},"f:restartPolicy":{},"f:schedulerName":{},"f:securityContext":{},"f:terminationGracePeriodSeconds":{}}`)
	return b.String()
}

func statusFields() string {
	var b strings.Builder
	b.WriteString(`"f:status":{"f:conditions":{`)
	for i, c := range []string{"ContainersReady", "Initialized", "Ready"} {
		fmt.Fprintf(&b, `%s"k:{\"type\":\"%s\"}":{".":{},"f:lastProbeTime":{},"f:lastTransitionTime":{},"f:status":{},"f:type":{}}`, comma(i), c)
	}
	b.WriteString(`},"f:containerStatuses":{},"f:hostIP":{},"f:phase":{},"f:podIP":{},"f:startTime":{}}`)
	return b.String()
}

func container(name string, env int) string {
	var b strings.Builder
	fmt.Fprintf(&b, `{"name":%q,"image":"registry.example.com/shop/%s:1.42.0","args":["--listen=:8080","--config=/etc/web/config.yaml"],"ports":[{"containerPort":8080,"protocol":"TCP"}],"env":[`, name, name)
	for e := range env {
		fmt.Fprintf(&b, `%s{"name":"SETTING_%02d","value":"a value of usual length, number %d"}`, comma(e), e, e*1000)
	}
	b.WriteString(`],"resources":{"limits":{"memory":"256Mi"},"requests":{"cpu":"100m","memory":"128Mi"}},"volumeMounts":[{"name":"config","readOnly":true,"mountPath":"/etc/web"},{"name":"kube-api-access-x7x7x","readOnly":true,"mountPath":"/var/run/secrets/kubernetes.io/serviceaccount"}],"livenessProbe":{"httpGet":{"path":"/healthz","port":8080,"scheme":"HTTP"},"timeoutSeconds":1,"periodSeconds":10,"successThreshold":1,"failureThreshold":3},"terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File","imagePullPolicy":"IfNotPresent"}`)
	return b.String()
}

// watchBody is n frames, as an API server writes them: one line each.
func watchBody(n int) []byte {
	var b bytes.Buffer
	for i := range n {
		fmt.Fprintf(&b, `{"type":"MODIFIED","object":%s}`+"\n", podJSON(i))
	}
	return b.Bytes()
}

// listBody is a page of n pods.
func listBody(n int) []byte {
	var b bytes.Buffer
	b.WriteString(`{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"80407"},"items":[`)
	for i := range n {
		b.WriteString(comma(i))
		b.Write(podJSON(i))
	}
	b.WriteString("]}\n")
	return b.Bytes()
}
