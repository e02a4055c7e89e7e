package access

// origin remembers where Load found things, for errors, Describe and Follow.
type origin struct {
	options Options
	// reload reads it all again, and follow does so when it has changed; nil in
	// a pod.
	reload func(Options) (*Config, error)
	follow func(*Session, *Config) error
	// looked are the files that were read or looked for.
	looked []string
	// clusterFile and userFile hold the entries.
	clusterFile, userFile string
	// overridden are the members that options have replaced, by name.
	overridden map[string]bool
	// notes are said in the log by every session.
	notes []string
}

// A member is a field of a cluster or user entry, as it is called in the three
// places where it can be set.
type member struct{ list, name, config, option string }

const (
	clusters = "clusters"
	users    = "users"
)

var (
	memberServer        = member{clusters, "server", "Server", "Server"}
	memberCAFile        = member{clusters, "certificate-authority", "CAFile", "CertificateAuthority"}
	memberCAData        = member{clusters, "certificate-authority-data", "CAData", "CertificateAuthority"}
	memberTLSServerName = member{clusters, "tls-server-name", "TLSServerName", "TLSServerName"}
	memberInsecure      = member{clusters, "insecure-skip-tls-verify", "InsecureSkipTLSVerify", "Insecure"}
	memberProxy         = member{clusters, "proxy-url", "ProxyURL", "ProxyURL"}
	memberCompression   = member{clusters, "disable-compression", "DisableCompression", "DisableCompression"}
	memberCertFile      = member{users, "client-certificate", "CertFile", "ClientCertificate"}
	memberCertData      = member{users, "client-certificate-data", "CertData", "ClientCertificate"}
	memberKeyFile       = member{users, "client-key", "KeyFile", "ClientKey"}
	memberKeyData       = member{users, "client-key-data", "KeyData", "ClientKey"}
	memberToken         = member{users, "token", "BearerToken", "Token"}
	memberTokenFile     = member{users, "tokenFile", "BearerTokenFile", "Token"}
	memberUsername      = member{users, "username", "Username", "Username"}
	memberPassword      = member{users, "password", "Password", "Password"}
	memberExec          = member{users, "exec", "Exec", ""}
	memberAuthProvider  = member{users, "auth-provider", "AuthProvider", ""}
	memberImpersonate   = member{users, "as", "Impersonate.UserName", "ImpersonateUser"}
)

// execMember and providerMember are members of the plugins' own sections.
func execMember(name, config string) member {
	return member{users, "exec." + name, "Exec." + config, ""}
}

func providerMember(name string) member {
	return member{users, "auth-provider." + name, "AuthProvider." + name, ""}
}

// fault names the member in the place where it was set.
func (c *Config) fault(m member, err error) error {
	o := c.origin
	switch {
	case o == nil:
		return &FieldError{Field: "Config." + m.config, Err: err}
	case o.overridden[m.name]:
		return &FieldError{Field: "Options." + m.option, Err: err}
	case c.Source == inClusterSource:
		return &FieldError{File: inClusterSource, Field: m.name, Err: err}
	case m.list == clusters:
		return &FieldError{File: o.clusterFile, Field: entryPath(clusters, c.ClusterName) + "." + m.name, Err: err}
	default:
		return &FieldError{File: o.userFile, Field: entryPath(users, c.UserName) + "." + m.name, Err: err}
	}
}

// follow starts to look at the files that c is from.
func (c *Config) follow(s *Session) error {
	switch {
	case c.origin == nil:
		return &OptionError{Option: "Config.Follow", Problem: "is set, but the Config was not read from files by Load"}
	case c.origin.follow == nil:
		return nil // a pod's service account renews itself, file by file
	}
	return c.origin.follow(s, c)
}

// note keeps a remark about what was found. Only Load may call it.
func (c *Config) note(text string) { c.origin.notes = append(c.origin.notes, text) }

func (c *Config) notes() []string {
	if c.origin == nil {
		return nil
	}
	return c.origin.notes
}
