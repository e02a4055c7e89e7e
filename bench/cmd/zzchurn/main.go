package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"time"

	"github.com/rawwatch/rawwatch/bench/load"
	"github.com/rawwatch/rawwatch/bench/realapi"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	c, err := realapi.Launch(ctx, realapi.Options{})
	if err != nil {
		panic(err)
	}
	defer c.Close()
	kc, _ := c.WriteKubeconfig("kubeconfig", c.Config())
	if err := load.Pods(ctx, c.Direct(), 0, 500); err != nil {
		panic(err)
	}
	for _, args := range os.Args[1:] {
		cmd := exec.Command("sh", "-c", args)
		cmd.Env = append(os.Environ(), "KUBECONFIG="+kc)
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		fmt.Println("==", args)
		cmd.Start()
		time.Sleep(3 * time.Second)
		t := time.Now()
		if err := load.Churn(ctx, c.Direct(), 500, 10000); err != nil {
			panic(err)
		}
		fmt.Println("churn", time.Since(t))
		load.Marker(ctx, c.Direct(), "marker")
		cmd.Wait()
		load.RemoveMarker(ctx, c.Direct(), "marker")
	}
}
