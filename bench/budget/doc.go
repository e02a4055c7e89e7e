// Package budget holds what rawwatch may cost: budgets.json has the limits, this
// package finds what is above them. Command budget measures.
package budget
