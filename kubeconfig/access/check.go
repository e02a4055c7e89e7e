package access

import (
	"errors"
	"fmt"
	"os"
)

// The modes of ExecConfig.InteractiveMode (KEP-541).
const (
	interactiveNever       = "Never"
	interactiveIfAvailable = "IfAvailable"
	interactiveAlways      = "Always"
)

// check holds the chosen entries against client-go's rules: what it refuses is
// refused here, whether the server is reached with TLS or not.
func (c *Config) check() error {
	if err := c.checkCluster(); err != nil {
		return err
	}
	return c.checkUser()
}

func (c *Config) checkCluster() error {
	if c.Server == "" {
		return c.fault(memberServer, errors.New("is empty; give the API server's URL, such as https://10.0.0.1:6443"))
	}
	if _, err := parseServer(c.Server); err != nil {
		return c.fault(memberServer, err)
	}
	if _, err := parseProxy(c.ProxyURL); err != nil {
		return c.fault(memberProxy, err)
	}
	if c.CAFile != "" && len(c.CAData) > 0 {
		return c.fault(memberCAData, errors.New("excludes certificate-authority; remove one of them"))
	}
	return c.checkReadable(memberCAFile, c.CAFile)
}

func (c *Config) checkUser() error {
	for _, check := range []func() error{c.checkPair, c.checkExec, c.checkMethods, c.checkImpersonation} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

func (c *Config) hasCert() bool {
	return c.CertFile != "" || len(c.CertData) > 0
}

func (c *Config) hasKey() bool {
	return c.KeyFile != "" || len(c.KeyData) > 0
}

func (c *Config) checkPair() error {
	switch {
	case !c.hasCert():
		return nil // a key alone is not used
	case c.CertFile != "" && len(c.CertData) > 0:
		return c.fault(memberCertData, errors.New("excludes client-certificate; remove one of them"))
	case c.KeyFile != "" && len(c.KeyData) > 0:
		return c.fault(memberKeyData, errors.New("excludes client-key; remove one of them"))
	case !c.hasKey():
		return c.fault(memberKeyFile, errors.New("is missing, and so is client-key-data; a client-certificate needs one of them"))
	}
	if err := c.checkReadable(memberCertFile, c.CertFile); err != nil {
		return err
	}
	return c.checkReadable(memberKeyFile, c.KeyFile)
}

func (c *Config) checkReadable(m member, path string) error {
	if path == "" {
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		return c.fault(m, fmt.Errorf("cannot be read: %w", err))
	}
	_ = f.Close()
	return nil
}

func (c *Config) checkExec() error {
	x := c.Exec
	if x == nil {
		return nil
	}
	switch {
	case c.AuthProvider != nil:
		return c.fault(providerMember("name"), errors.New("excludes exec; remove auth-provider"))
	case x.Command == "":
		return c.fault(execMember("command", "Command"), errors.New("is empty; name the program to run"))
	case x.APIVersion == "":
		return c.fault(execMember("apiVersion", "APIVersion"), fmt.Errorf("is empty; give %s or %s, whichever the plugin speaks", execV1, execV1beta1))
	}
	for i, v := range x.Env {
		if v.Name == "" {
			return c.fault(execMember(fmt.Sprintf("env[%d].name", i), fmt.Sprintf("Env[%d].Name", i)), errors.New("is empty; name the variable"))
		}
	}
	switch x.InteractiveMode {
	case interactiveNever, interactiveIfAvailable, interactiveAlways:
	case "":
		if x.APIVersion == execV1 {
			return c.fault(execMember("interactiveMode", "InteractiveMode"), errors.New("is empty; give Never, IfAvailable or Always"))
		}
	default:
		return c.fault(execMember("interactiveMode", "InteractiveMode"), fmt.Errorf("is %q; give Never, IfAvailable or Always", short(x.InteractiveMode)))
	}
	return nil
}

func (c *Config) checkMethods() error {
	if c.BearerToken != "" && (c.Username != "" || c.Password != "") {
		return c.fault(memberToken, errors.New("excludes username and password: both are sent as the Authorization header; remove one of them"))
	}
	return nil
}

func (c *Config) checkImpersonation() error {
	i := c.Impersonate
	if i.UserName == "" && !i.isZero() {
		return c.fault(memberImpersonate, errors.New("is empty, but a uid, groups or extra are to be impersonated; name the user too"))
	}
	values := append([]string{i.UserName, i.UID}, i.Groups...)
	for _, extra := range i.Extra {
		values = append(values, extra...)
	}
	for _, value := range values {
		if err := headerSafe(value, DefaultTokenLimit); err != nil {
			return c.fault(memberImpersonate, fmt.Errorf("or what belongs to it %w", err))
		}
	}
	return nil
}

// checkPlugins is what client-go says when it makes the client, and only then.
func (c *Config) checkPlugins() error {
	if x := c.Exec; x != nil && x.APIVersion != execV1 && x.APIVersion != execV1beta1 {
		return c.fault(execMember("apiVersion", "APIVersion"), fmt.Errorf("is %q; supported are %s and %s: update the plugin, and this line with it", short(x.APIVersion), execV1, execV1beta1))
	}
	if c.Username != "" && (c.BearerToken != "" || c.BearerTokenFile != "") {
		return c.fault(memberTokenFile, errors.New("excludes username and password: both are sent as the Authorization header; remove one of them"))
	}
	if c.AuthProvider != nil {
		return c.checkProvider()
	}
	return nil
}

// withholdFromPlainHTTP removes the credentials, as client-go does: anybody on
// the way could read them.
func (c *Config) withholdFromPlainHTTP() {
	if u, err := parseServer(c.Server); err != nil || u.scheme != "http" {
		return
	}
	if kind := c.Credential(); kind != "none" {
		c.note("the credential (" + kind + ") is not sent, since the server is reached over plain http; use https")
	}
	c.CertFile, c.CertData, c.KeyFile, c.KeyData = "", nil, "", nil
	c.BearerToken, c.BearerTokenFile, c.Username, c.Password = "", "", "", ""
	c.Exec, c.AuthProvider = nil, nil
	c.CAFile, c.CAData, c.TLSServerName, c.InsecureSkipTLSVerify = "", nil, "", false
}
