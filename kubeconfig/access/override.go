package access

// override replaces single fields, as kubectl's global flags do.
func (ch *choice) override(o Options) {
	c := ch.config
	c.overrideCluster(o)
	c.overrideUser(o)
	if o.Namespace != "" {
		c.Namespace = o.Namespace
	}
	c.Timeout = o.Timeout
	if c.Source == "" {
		c.Source = first(c.origin.clusterFile, c.origin.userFile)
	}
}

func (c *Config) overrideCluster(o Options) {
	c.replace(&c.ProxyURL, o.ProxyURL, memberProxy)
	if o.Insecure || o.CertificateAuthority != "" {
		c.InsecureSkipTLSVerify, c.CAFile, c.CAData = o.Insecure, o.CertificateAuthority, nil
		c.overridden(memberInsecure, memberCAFile, memberCAData)
	}
	if o.TLSServerName != "" || o.Server != "" {
		c.TLSServerName = o.TLSServerName
		c.overridden(memberTLSServerName)
	}
	c.replace(&c.Server, o.Server, memberServer)
	if o.DisableCompression {
		c.DisableCompression = true
		c.overridden(memberCompression)
	}
}

func (c *Config) overrideUser(o Options) {
	if o.Token != "" {
		c.BearerToken, c.BearerTokenFile = o.Token, ""
		c.overridden(memberToken, memberTokenFile)
	}
	if o.ClientCertificate != "" {
		c.CertFile, c.CertData = o.ClientCertificate, nil
		c.overridden(memberCertFile, memberCertData)
	}
	if o.ClientKey != "" {
		c.KeyFile, c.KeyData = o.ClientKey, nil
		c.overridden(memberKeyFile, memberKeyData)
	}
	c.replace(&c.Username, o.Username, memberUsername)
	c.replace(&c.Password, o.Password, memberPassword)
	i := o.impersonation()
	if i.isZero() {
		return
	}
	c.replace(&c.Impersonate.UserName, i.UserName, memberImpersonate)
	c.overridden(memberImpersonate)
	if i.UID != "" {
		c.Impersonate.UID = i.UID
	}
	if len(i.Groups) > 0 {
		c.Impersonate.Groups = i.Groups
	}
	if len(i.Extra) > 0 {
		c.Impersonate.Extra = i.Extra
	}
}

func (c *Config) replace(field *string, value string, m member) {
	if value != "" {
		*field = value
		c.overridden(m)
	}
}

func (c *Config) overridden(members ...member) {
	for _, m := range members {
		c.origin.overridden[m.name] = true
	}
}
