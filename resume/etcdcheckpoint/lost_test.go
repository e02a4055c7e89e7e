package etcdcheckpoint_test

import (
	"context"

	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"github.com/rawwatch/rawwatch/resume"
	"github.com/rawwatch/rawwatch/resume/checkpointtest"
	"github.com/rawwatch/rawwatch/resume/etcdcheckpoint"
)

// Answers get lost, of requests that came through and of others. Commits that
// failed are made again, with what came meanwhile; nothing is lost or mixed up.
func TestLostAnswers(t *testing.T) {
	n := 0
	lose := func(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
		if !strings.HasSuffix(method, "/Txn") {
			return invoke(ctx, method, req, reply, cc, opts...)
		}
		n++
		gone := status.Error(codes.DataLoss, "the answer is lost")
		switch n % 7 {
		case 3:
			return gone // and the request too
		case 5:
			_ = invoke(ctx, method, req, reply, cc, opts...)
			return gone
		}
		return invoke(ctx, method, req, reply, cc, opts...)
	}
	client, err := clientv3.New(clientv3.Config{Endpoints: []string{endpoint}, Logger: zap.NewNop(), DialOptions: []grpc.DialOption{grpc.WithUnaryInterceptor(lose)}})
	ok(t, err)
	t.Cleanup(func() { _ = client.Close() })
	o := etcdcheckpoint.Options{Prefix: "/" + t.Name(), CompactFrom: 2 << 10}
	s := etcdcheckpoint.New(client, o)
	again := func(do func() error) {
		t.Helper()
		for range 5 {
			if err = do(); err == nil {
				return
			}
			if h := s.Status().Health; h != resume.CheckpointDegraded {
				t.Errorf("after %v it is %v", err, h)
			}
		}
		t.Fatal(err)
	}
	ctx := t.Context()
	again(func() error {
		return s.Replace(ctx, checkpointtest.PodsIdentity("pods"), "30", checkpointtest.Pods(30))
	})
	plain := etcdcheckpoint.New(connect(t), o)
	want, err := checkpointtest.Load(ctx, plain, "pods")
	ok(t, err)
	again(func() error {
		_, err := s.Load(ctx, "pods")
		return err
	})
	churn := checkpointtest.NewChurn(9, 30)
	var b resume.Batch
	failed := 0
	for range 150 {
		version := churn.Next(&b, 8)
		if err := s.Commit(ctx, "pods", &b, version); err != nil {
			failed++
			continue // the batch stays, and grows
		}
		ok(t, want.Apply(&b, version))
		b.Reset()
	}
	version := "last"
	again(func() error { return s.Commit(ctx, "pods", &b, version) })
	ok(t, want.Apply(&b, version))
	for range 7 {
		again(func() error { return s.SetAside(ctx, "pods", "why") })
	}
	if failed < 20 {
		t.Errorf("only %d commits failed", failed)
	}
	holds(t, plain, want)
}
