package watchtest

import (
	"encoding/json"
	"fmt"
)

var podColumns = []column{
	nameColumn,
	text("Ready", "How many of the containers are ready.", 0, podReady),
	text("Status", "What the pod is doing, or why it is not.", 0, podStatus),
	text("Restarts", "How often containers were started again.", 0, podRestarts),
	ageColumn,
	text("IP", "The pod's address.", 1, func(r *tableRow) any { return orNone(r.pod().status.PodIP) }),
	text("Node", "Where the pod runs.", 1, func(r *tableRow) any { return orNone(r.pod().spec.NodeName) }),
	text("Nominated Node", "Where the pod may run once others have made room.", 1, func(r *tableRow) any { return orNone(r.pod().status.NominatedNodeName) }),
	text("Readiness Gates", "How many of the further conditions for being ready are met.", 1, podGates),
}

func orNone(s string) string {
	if s == "" {
		return noneCell
	}
	return s
}

// podView is what the cells of a pod look at.
type podView struct {
	spec struct {
		NodeName       string
		Containers     []struct{}
		ReadinessGates []struct{ ConditionType string }
	}
	status struct {
		Phase, Reason, PodIP, NominatedNodeName string
		ContainerStatuses                       []containerStatus
		Conditions                              []struct{ Type, Status string }
	}
}

type containerStatus struct {
	Ready        bool
	RestartCount int
	State        struct {
		Waiting    *struct{ Reason string }
		Running    *struct{}
		Terminated *struct {
			Reason           string
			ExitCode, Signal int
		}
	}
}

func (r *tableRow) pod() *podView {
	p := &podView{}
	_ = json.Unmarshal(r.Spec, &p.spec) // see readRow
	_ = json.Unmarshal(r.Status, &p.status)
	return p
}

func podReady(r *tableRow) any {
	p := r.pod()
	ready := 0
	for _, c := range p.status.ContainerStatuses {
		if c.Ready && c.State.Running != nil {
			ready++
		}
	}
	return fmt.Sprintf("%d/%d", ready, len(p.spec.Containers))
}

// podStatus is the phase, unless there is something more precise to say: the
// pod's own reason, that of the first container that does not run, or that the
// pod is being deleted.
func podStatus(r *tableRow) any {
	p := r.pod()
	status := p.status.Phase
	if p.status.Reason != "" {
		status = p.status.Reason
	}
	running := false
	for i := len(p.status.ContainerStatuses) - 1; i >= 0; i-- {
		c := &p.status.ContainerStatuses[i]
		switch s := c.State; {
		case s.Waiting != nil && s.Waiting.Reason != "":
			status = s.Waiting.Reason
		case s.Terminated != nil && s.Terminated.Reason != "":
			status = s.Terminated.Reason
		case s.Terminated != nil && s.Terminated.Signal != 0:
			status = fmt.Sprint("Signal:", s.Terminated.Signal)
		case s.Terminated != nil:
			status = fmt.Sprint("ExitCode:", s.Terminated.ExitCode)
		case c.Ready && s.Running != nil:
			running = true
		}
	}
	if status == "Completed" && running {
		status = "Running"
	}
	if r.Metadata.DeletionTimestamp != "" {
		status = "Terminating"
	}
	return status
}

func podRestarts(r *tableRow) any {
	n := 0
	for _, c := range r.pod().status.ContainerStatuses {
		n += c.RestartCount
	}
	return fmt.Sprint(n)
}

func podGates(r *tableRow) any {
	p := r.pod()
	met := 0
	for _, g := range p.spec.ReadinessGates {
		for _, c := range p.status.Conditions {
			if c.Type == g.ConditionType && c.Status == "True" {
				met++
			}
		}
	}
	if len(p.spec.ReadinessGates) == 0 {
		return noneCell
	}
	return fmt.Sprintf("%d/%d", met, len(p.spec.ReadinessGates))
}
