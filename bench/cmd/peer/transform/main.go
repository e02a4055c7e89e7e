// Command transform is client-go's typed pod informer with a transform that
// keeps of each pod what rawwatch's agent keeps, and drops the rest: the least
// memory that client-go's documentation leads to.
//
//	transform [-plain] [-follow]
package main

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"github.com/rawwatch/rawwatch/bench/clientgo"
)

func main() {
	clientgo.Main(func(config *rest.Config) (cache.SharedIndexInformer, error) {
		c, err := kubernetes.NewForConfig(config)
		if err != nil {
			return nil, err
		}
		pods := informers.NewSharedInformerFactory(c, 0).Core().V1().Pods().Informer()
		return pods, pods.SetTransform(strip)
	})
}

// strip makes a new, small pod: one that is cut down in place would go on
// holding the strings of the whole.
func strip(o any) (any, error) {
	pod, ok := o.(*corev1.Pod)
	if !ok {
		return o, nil // a tombstone
	}
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: pod.Namespace, Name: pod.Name, UID: pod.UID, ResourceVersion: pod.ResourceVersion,
		},
		Spec:   corev1.PodSpec{NodeName: pod.Spec.NodeName},
		Status: corev1.PodStatus{Phase: pod.Status.Phase, PodIP: pod.Status.PodIP},
	}, nil
}
