package access

import "slices"

// Description is what was understood of a configuration, and from where,
// without the secrets: for people, and for a command like `config view`.
type Description struct {
	// Source is the file that holds the context, or "in-cluster"; "" for a
	// Config filled by hand.
	Source string `json:"source,omitempty"`
	// Files are all that were read or looked for, in the order in which they win.
	Files   []string `json:"files,omitempty"`
	Context string   `json:"context,omitempty"`
	Cluster string   `json:"cluster,omitempty"`
	User    string   `json:"user,omitempty"`
	// Server is the address as it will be used, Namespace the context's.
	Server    string `json:"server"`
	Namespace string `json:"namespace,omitempty"`
	// Credential is the kind of credential that requests carry; see
	// [Config.Credential].
	Credential string `json:"credential"`
	// Settings are the single fields that are set.
	Settings []Setting `json:"settings,omitempty"`
	// Notes are remarks, such as a credential that is not used.
	Notes []string `json:"notes,omitempty"`
}

// Setting is one field of a configuration.
type Setting struct {
	// Field is the path, such as "users[edge].client-key".
	Field string `json:"field"`
	// Value is the value; "REDACTED" for a secret, "(data)" for a certificate.
	Value string `json:"value"`
	// From is the file that holds it, "in-cluster", "option", or "" for a
	// Config filled by hand.
	From string `json:"from,omitempty"`
}

// Describe tells what was understood, without the secrets.
func (c *Config) Describe() Description {
	d := Description{
		Source: c.Source, Context: c.Context, Cluster: c.ClusterName, User: c.UserName,
		Server: redactURL(c.Server), Namespace: c.Namespace, Credential: c.Credential(), Notes: slices.Clone(c.notes()),
	}
	if c.origin != nil {
		d.Files = slices.Clone(c.origin.looked)
	}
	if a, err := parseServer(c.Server); err == nil && a.scheme != "unix" {
		d.Server = a.base.String()
	}
	d.Settings = c.settings()
	return d
}

func (c *Config) settings() []Setting {
	var all []Setting
	add := func(m member, value string) {
		if value != "" {
			all = append(all, c.setting(m, value))
		}
	}
	secret := func(set bool) string { return when(set, redacted) }
	data := func(b []byte) string { return when(len(b) > 0, "(data)") }
	add(memberServer, redactURL(c.Server))
	add(memberCAFile, c.CAFile)
	add(memberCAData, data(c.CAData))
	add(memberTLSServerName, c.TLSServerName)
	add(memberInsecure, when(c.InsecureSkipTLSVerify, "true"))
	add(memberProxy, redactURL(c.ProxyURL))
	add(memberCompression, when(c.DisableCompression, "true"))
	add(memberCertFile, c.CertFile)
	add(memberCertData, data(c.CertData))
	add(memberKeyFile, c.KeyFile)
	add(memberKeyData, secret(len(c.KeyData) > 0))
	add(memberToken, secret(c.BearerToken != ""))
	add(memberTokenFile, c.BearerTokenFile)
	add(memberUsername, c.Username)
	add(memberPassword, secret(c.Password != ""))
	add(memberImpersonate, c.Impersonate.UserName)
	if x := c.Exec; x != nil {
		add(execMember("command", "Command"), x.Command)
		add(execMember("apiVersion", "APIVersion"), x.APIVersion)
		add(execMember("args", "Args"), secret(len(x.Args) > 0))
		add(execMember("env", "Env"), secret(len(x.Env) > 0))
	}
	if p := c.AuthProvider; p != nil {
		add(providerMember("name"), p.Name)
		add(providerMember("config"), secret(len(p.Config) > 0))
	}
	return all
}

func when(condition bool, text string) string {
	if condition {
		return text
	}
	return ""
}

// setting says where a member was set.
func (c *Config) setting(m member, value string) Setting {
	at, _ := c.fault(m, nil).(*FieldError)
	from := at.File
	if c.origin != nil && c.origin.overridden[m.name] {
		from = "option"
	}
	return Setting{Field: at.Field, Value: value, From: from}
}
