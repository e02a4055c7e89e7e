package load

import "fmt"

type object = map[string]any

// Pod is a pod of a web server with a sidecar, as a workload controller
// creates it: about 3 KB. Together with [PodStatus] and what the server adds,
// two field managers' managedFields above all, it comes back as 7.7 KB.
func Pod(n int) map[string]any {
	return object{
		"apiVersion": "v1", "kind": "Pod",
		"metadata": object{
			"name":         fmt.Sprintf("web-7d4b9c6f5d-%05d", n),
			"generateName": "web-7d4b9c6f5d-",
			"labels":       object{"app": "web", "app.kubernetes.io/name": "web", "app.kubernetes.io/part-of": "shop", "pod-template-hash": "7d4b9c6f5d"},
			"annotations":  object{"checksum/config": digest, "prometheus.io/scrape": "true", "note": "say \"hello\" to C:\\web\n"},
			"ownerReferences": []object{{
				"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web-7d4b9c6f5d",
				"uid": "0b1c2d3e-4f50-6172-8394-a5b6c7d8e9f0", "controller": true, "blockOwnerDeletion": true,
			}},
		},
		"spec": object{
			"nodeName":   Node(n),
			"containers": []object{container("web", 3), container("sidecar", 1)},
			"volumes":    []object{{"name": "config", "configMap": object{"name": "web-config"}}, {"name": "scratch", "emptyDir": object{}}},
			"tolerations": []object{
				{"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300},
				{"key": "node.kubernetes.io/unreachable", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300},
			},
		},
	}
}

const digest = "b5bb9d8014a0f9b1d61e21e796d78dccdf1352f23cd32812f4850b878ae4944c"

// Node is the name of the node that pod n runs on: fifty of them.
func Node(n int) string { return fmt.Sprintf("node-%d", n%50) }

func container(name string, settings int) object {
	var env []object
	for i := range settings {
		env = append(env, object{"name": fmt.Sprintf("SETTING_%02d", i), "value": fmt.Sprintf("value-%02d.%s.example.com", i, name)})
	}
	probe := object{"httpGet": object{"path": "/healthz", "port": 8080}, "periodSeconds": 10, "failureThreshold": 3}
	return object{
		"name": name, "image": "registry.example.com/shop/" + name + ":1.42.0", "env": env,
		"ports":         []object{{"containerPort": 8080, "name": "http"}},
		"livenessProbe": probe,
		"resources":     object{"requests": object{"cpu": "50m", "memory": "64Mi"}, "limits": object{"memory": "128Mi"}},
		"volumeMounts":  []object{{"name": "config", "mountPath": "/etc/web"}, {"name": "scratch", "mountPath": "/tmp"}},
	}
}

// PodStatus is what the kubelet reports of pod n after the given number of
// restarts.
func PodStatus(n, restarts int) map[string]any {
	var conditions, statuses []object
	for _, kind := range []string{"PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled"} {
		conditions = append(conditions, object{"type": kind, "status": "True", "lastTransitionTime": "2026-03-01T12:00:00Z"})
	}
	for _, name := range []string{"web", "sidecar"} {
		image := "registry.example.com/shop/" + name
		statuses = append(statuses, object{
			"name": name, "ready": true, "started": true, "restartCount": restarts,
			"image": image + ":1.42.0", "imageID": image + "@sha256:" + digest, "containerID": "containerd://" + digest,
			"state": object{"running": object{"startedAt": "2026-03-01T12:00:03Z"}},
		})
	}
	ip := fmt.Sprintf("10.2.%d.%d", n/200%250, n%200)
	return object{"status": object{
		"phase": "Running", "hostIP": "10.1.0." + fmt.Sprint(n%50+1), "podIP": ip, "podIPs": []object{{"ip": ip}},
		"startTime": "2026-03-01T12:00:00Z", "qosClass": "Burstable", "conditions": conditions, "containerStatuses": statuses,
	}}
}
