package main

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"github.com/rawwatch/rawwatch/kubeconfig"
	"github.com/rawwatch/rawwatch/rawwatch"
)

func ownJSON(ctx context.Context, config *kubeconfig.Config, synced func(), told func(string)) error {
	return own(ctx, config, rawwatch.EncodingJSON, synced, told)
}

func ownProtobuf(ctx context.Context, config *kubeconfig.Config, synced func(), told func(string)) error {
	return own(ctx, config, rawwatch.EncodingProtobuf, synced, told)
}

func own(ctx context.Context, config *kubeconfig.Config, encoding rawwatch.Encoding, synced func(), told func(string)) error {
	client, err := rawwatch.NewClient(config, rawwatch.ClientOptions{})
	if err != nil {
		return err
	}
	defer client.Close()
	for e, err := range client.ListWatch(ctx, rawwatch.Pods.Query(), rawwatch.ListWatchOptions{Encoding: encoding}) {
		switch {
		case err != nil:
			return err
		case e.Type == rawwatch.Synced:
			synced()
		case e.Type == rawwatch.Modified:
			told(e.Object.ResourceVersion)
		}
	}
	return nil
}

func peerConfig(config *kubeconfig.Config) *rest.Config {
	return &rest.Config{
		Host: config.Server, BearerToken: config.BearerToken, QPS: -1,
		TLSClientConfig: rest.TLSClientConfig{CAFile: config.CAFile},
	}
}

func typedInformer(ctx context.Context, config *kubeconfig.Config, synced func(), told func(string)) error {
	rc := peerConfig(config)
	rc.ContentType = "application/vnd.kubernetes.protobuf"
	clients, err := kubernetes.NewForConfig(rc)
	if err != nil {
		return err
	}
	informer := informers.NewSharedInformerFactory(clients, 0).Core().V1().Pods().Informer()
	return inform(ctx, informer, synced, func(o any) { told(o.(*corev1.Pod).ResourceVersion) })
}

func dynamicInformer(ctx context.Context, config *kubeconfig.Config, synced func(), told func(string)) error {
	client, err := dynamic.NewForConfig(peerConfig(config))
	if err != nil {
		return err
	}
	factory := dynamicinformer.NewDynamicSharedInformerFactory(client, 0)
	informer := factory.ForResource(corev1.SchemeGroupVersion.WithResource("pods")).Informer()
	return inform(ctx, informer, synced, func(o any) { told(o.(metav1.Object).GetResourceVersion()) })
}

func inform(ctx context.Context, informer cache.SharedIndexInformer, synced func(), told func(any)) error {
	handler, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{UpdateFunc: func(_, now any) { told(now) }})
	if err != nil {
		return err
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		informer.Run(ctx.Done())
	}()
	if cache.WaitForCacheSync(ctx.Done(), handler.HasSynced) {
		synced()
	}
	<-done
	return context.Cause(ctx)
}
