package realapi

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/rawwatch/rawwatch/kubeconfig"
)

// StartTimeout bounds one start of a server whose program is built. It takes
// under three seconds on an idle machine.
const StartTimeout = 60 * time.Second

// Options adjusts a [Cluster]. The zero value is etcd and one kube-apiserver
// with RBAC and the user [Admin].
type Options struct {
	// Store keeps the objects; "" means [OnEtcd].
	Store StoreKind
	// StoreFlags are added to the store's command line.
	StoreFlags []string
	// Server is the API server's program; zero means [KubeAPIServer].
	Server Program
	// Flags are added to kube-apiserver's command line.
	Flags []string
	// Users may log in beside [Admin]. RBAC grants them nothing yet.
	Users []User
	// Folder holds data, certificates and logs; "" means a temporary folder
	// that Close removes.
	Folder string
	// Progress, when not nil, is told what takes long.
	Progress func(string)
}

// Cluster is a store with one kube-apiserver on it. Its methods must not be
// called at the same time, but for Config, As, Compact and Direct.
type Cluster struct {
	options Options
	folder  string
	remove  bool // the folder is this cluster's to remove
	port    int
	store   *store
	server  *process
	direct  *Direct
	binary  string
}

// Launch starts a cluster and waits until it is ready. The context bounds the
// start, builds included, not the cluster's life: end that with [Cluster.Close].
func Launch(ctx context.Context, o Options) (*Cluster, error) {
	if o.Store == "" {
		o.Store = OnEtcd
	}
	if o.Server.Name == "" {
		o.Server = KubeAPIServer
	}
	c := &Cluster{options: o, folder: o.Folder}
	err := c.launch(ctx)
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

func (c *Cluster) launch(ctx context.Context) error {
	var err error
	if c.binary, err = Build(ctx, c.options.Server, c.options.Progress); err != nil {
		return err
	}
	if err := c.prepareFolder(); err != nil {
		return fmt.Errorf("realapi: %w", err)
	}
	ports, err := freePorts(1)
	if err != nil {
		return err
	}
	c.port = ports[0]
	if c.store, err = newStore(c.options.Store, c.folder); err != nil {
		return err
	}
	if err := c.store.start(ctx, c.options); err != nil {
		return err
	}
	return c.Start(ctx)
}

func (c *Cluster) prepareFolder() (err error) {
	if c.folder == "" {
		c.remove = true
		if c.folder, err = os.MkdirTemp("", "realapi-"); err != nil {
			return err
		}
	}
	if c.folder, err = filepath.Abs(c.folder); err != nil {
		return err
	}
	if err := writeServiceAccountKeys(c.folder); err != nil {
		return err
	}
	return writeTokens(c.path("tokens.csv"), append([]User{Admin}, c.options.Users...))
}

func (c *Cluster) path(name string) string { return filepath.Join(c.folder, name) }

// Start starts the API server, after [Cluster.Stop] or [Cluster.Kill] on the
// same port with the same store and certificate, and waits until it is ready.
// Launch has done it once. Flags, when given, replace Options.Flags from now on.
func (c *Cluster) Start(ctx context.Context, flags ...string) error {
	if flags != nil {
		c.options.Flags = flags
	}
	ctx, cancel := context.WithTimeout(ctx, StartTimeout)
	defer cancel()
	var err error
	if c.server, err = spawn("kube-apiserver", c.binary, c.folder, c.serverFlags()...); err != nil {
		return err
	}
	return c.server.ready(ctx, c.readyz)
}

func (c *Cluster) serverFlags() []string {
	return append([]string{
		"--etcd-servers", c.store.url,
		"--bind-address", "127.0.0.1", "--secure-port", fmt.Sprint(c.port),
		"--cert-dir", c.path("certs"),
		"--token-auth-file", c.path("tokens.csv"), "--authorization-mode", "RBAC",
		"--service-account-issuer", "https://kubernetes.default.svc",
		"--service-account-key-file", c.path("sa.pub"),
		"--service-account-signing-key-file", c.path("sa.key"),
		// Pods may then be created with nothing but their namespace there.
		"--disable-admission-plugins", "ServiceAccount",
		"--service-cluster-ip-range", "10.0.0.0/24",
		// Loaders write faster than priority and fairness would let them.
		"--max-requests-inflight", "4000", "--max-mutating-requests-inflight", "2000",
		"--enable-priority-and-fairness=false",
	}, c.options.Flags...)
}

// readyz reads the certificate anew until the server has made one.
func (c *Cluster) readyz(ctx context.Context) error {
	if c.direct == nil {
		direct, err := newDirect(c.Config())
		if err != nil {
			return err
		}
		c.direct = direct
	}
	_, err := c.direct.Do(ctx, "GET", "/readyz", nil)
	return err
}

// Stop ends the API server in an orderly way; the store goes on.
func (c *Cluster) Stop() { c.server.stop() }

// Kill ends the API server at once with SIGKILL; the store goes on.
func (c *Cluster) Kill() { c.server.kill() }

// Restart kills the API server and starts it again.
func (c *Cluster) Restart(ctx context.Context, flags ...string) error {
	c.Kill()
	return c.Start(ctx, flags...)
}

// Wipe starts the cluster again with an empty store, as a backup that is
// restored does: resourceVersions begin low again, and every object is gone.
func (c *Cluster) Wipe(ctx context.Context) error {
	c.Kill()
	c.store.proc.kill()
	if err := c.store.wipe(); err != nil {
		return fmt.Errorf("realapi: emptying the store: %w", err)
	}
	if err := c.store.start(ctx, c.options); err != nil {
		return err
	}
	return c.Start(ctx)
}

// Close ends API server and store and removes what is theirs. It may be
// called more than once.
func (c *Cluster) Close() error {
	if c.direct != nil {
		c.direct.Close()
	}
	if c.server != nil {
		c.server.kill()
	}
	if c.store != nil && c.store.proc != nil {
		c.store.proc.kill()
	}
	if c.remove && c.folder != "" {
		return os.RemoveAll(c.folder)
	}
	return nil
}

// Config is how [Admin] reaches the server. The caller owns it.
func (c *Cluster) Config() *kubeconfig.Config { return c.As(Admin) }

// As is how the user reaches the server. The caller owns it.
func (c *Cluster) As(u User) *kubeconfig.Config {
	return &kubeconfig.Config{
		Server:      "https://" + address(c.port),
		CAFile:      c.path("certs/apiserver.crt"),
		BearerToken: u.Token,
	}
}

// Direct is plain access to the server as [Admin], without the library that
// is tested. It stays valid across restarts.
func (c *Cluster) Direct() *Direct { return c.direct }

// Folder holds data, certificates and logs.
func (c *Cluster) Folder() string { return c.folder }

// PIDs are the processes of API server and store, for whoever measures them.
func (c *Cluster) PIDs() []int {
	pids := []int{c.server.proc.Pid, c.store.proc.proc.Pid}
	return slices.Clip(pids)
}

// Logs is the end of what the servers printed.
func (c *Cluster) Logs() string {
	return "kube-apiserver: " + c.server.logTail() + "\n" + c.store.proc.name + ": " + c.store.proc.logTail()
}
