package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/kubeconfig"
	"github.com/rawwatch/rawwatch/rawwatch"
)

const whoamiLong = `Asks the server who it takes you for (SelfSubjectReview, Kubernetes 1.28 and
later): whether the credential works, and which user and groups it stands for.`

func (a *app) whoamiCommand() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "whoami",
		Short: "Ask the server who it takes you for",
		Long:  whoamiLong,
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkDocumentFormat(format); err != nil {
				return err
			}
			config, err := a.load()
			if err != nil {
				return err
			}
			user, err := a.whoami(cmd.Context(), config)
			if err != nil {
				return err
			}
			return a.printDocument(user, format)
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	bindDocumentFormat(cmd, &format)
	return cmd
}

// userInfo is authentication.k8s.io/v1 UserInfo.
type userInfo struct {
	Username string              `json:"username"`
	UID      string              `json:"uid,omitempty"`
	Groups   []string            `json:"groups,omitempty"`
	Extra    map[string][]string `json:"extra,omitempty"`
}

const (
	// selfSubjectReviews is where KEP-3325 put the question.
	selfSubjectReviews = "/apis/authentication.k8s.io/v1/selfsubjectreviews"
	selfSubjectReview  = `{"kind":"SelfSubjectReview","apiVersion":"authentication.k8s.io/v1"}`
	// whoamiTimeout bounds the question where --request-timeout does not.
	whoamiTimeout = 30 * time.Second
	maxAnswer     = 1 << 20
)

func (a *app) whoami(ctx context.Context, config *kubeconfig.Config) (*userInfo, error) {
	session, err := config.Open(kubeconfig.SessionOptions{Logger: a.logger()})
	if err != nil {
		return nil, err
	}
	defer func() { _ = session.Close() }()
	timeout := whoamiTimeout
	if config.Timeout > 0 {
		timeout = config.Timeout
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	transport := &http.Transport{
		TLSClientConfig:   session.TLSConfig(),
		Proxy:             session.Proxy,
		DialContext:       session.DialContext(),
		ForceAttemptHTTP2: true,
	}
	defer transport.CloseIdleConnections()
	q := &question{session: session, transport: transport}
	for {
		user, again, err := q.ask(ctx)
		if err == nil || !again || q.asked > 1 {
			return user, err
		}
	}
}

// question is the review as it is sent, once or, after a 401 that a new
// credential may cure, twice.
type question struct {
	session   *kubeconfig.Session
	transport http.RoundTripper
	asked     int
}

func (q *question) ask(ctx context.Context) (user *userInfo, again bool, err error) {
	q.asked++
	target := *q.session.BaseURL()
	target.User = nil
	target.Path = strings.TrimSuffix(target.Path, "/") + selfSubjectReviews
	fail := func(code int, err error) error {
		return &rawwatch.RequestError{Verb: "create", URL: target.Redacted(), Code: code, Err: err}
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, target.String(), strings.NewReader(selfSubjectReview))
	if err != nil {
		return nil, false, fail(0, err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json")
	if err := q.session.Authorize(r); err != nil {
		return nil, false, fail(0, &rawwatch.CredentialError{Err: err})
	}
	resp, err := q.transport.RoundTrip(r)
	if err != nil {
		return nil, false, fail(0, err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return nil, false, fail(resp.StatusCode, err)
	}
	_, credential, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	var echoed secrets
	echoed.add(credential) // of a file or a plugin it is known only now
	user, err = userOf(resp, body, echoed)
	if err != nil {
		again = resp.StatusCode == http.StatusUnauthorized && q.session.Rejected(r)
		return nil, again, fail(resp.StatusCode, err)
	}
	return user, false, nil
}

// userOf reads the answer. What a foreign one echoes of the secrets is hidden.
func userOf(resp *http.Response, body []byte, echoed secrets) (*userInfo, error) {
	if status, ok := decode.ParseStatus(body); ok {
		status.Status.Message = echoed.hide(status.Status.Message)
		return nil, status
	}
	var review struct {
		Kind   string `json:"kind"`
		Status struct {
			UserInfo userInfo `json:"userInfo"`
		} `json:"status"`
	}
	if resp.StatusCode/100 != 2 || json.Unmarshal(body, &review) != nil || review.Kind != "SelfSubjectReview" {
		foreign := &rawwatch.BodyError{ContentType: resp.Header.Get("Content-Type")}
		if !bytes.HasPrefix(bytes.TrimSpace(body), []byte("{")) {
			text := echoed.hide(string(body))
			foreign.Excerpt = strings.Join(strings.Fields(text[:min(len(text), 200)]), " ")
		}
		return nil, foreign
	}
	return &review.Status.UserInfo, nil
}
