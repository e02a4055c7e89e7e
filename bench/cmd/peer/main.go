// Command peer is the agent that client-go's documentation leads to: a pod
// informer with all its defaults. It says what that has cost when it is in
// sync, and again when the pod named "marker" has come. It is what measure
// compares with. The programs in the folders below are one peer each, and link
// nothing of the others.
//
//	peer -as typed|dynamic|metadata
package main

import (
	"flag"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"github.com/rawwatch/rawwatch/bench/clientgo"
)

func main() {
	as := flag.String("as", "typed", "typed, dynamic or metadata")
	clientgo.Main(func(config *rest.Config) (cache.SharedIndexInformer, error) { return informer(*as, config) })
}

func informer(as string, config *rest.Config) (cache.SharedIndexInformer, error) {
	resource := corev1.SchemeGroupVersion.WithResource("pods")
	switch as {
	case "dynamic":
		c, err := dynamic.NewForConfig(config)
		if err != nil {
			return nil, err
		}
		return dynamicinformer.NewDynamicSharedInformerFactory(c, 0).ForResource(resource).Informer(), nil
	case "metadata":
		c, err := metadata.NewForConfig(config)
		if err != nil {
			return nil, err
		}
		return metadatainformer.NewSharedInformerFactory(c, 0).ForResource(resource).Informer(), nil
	}
	c, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	return informers.NewSharedInformerFactory(c, 0).Core().V1().Pods().Informer(), nil
}
