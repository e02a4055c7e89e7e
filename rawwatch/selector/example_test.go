package selector_test

import (
	"errors"
	"fmt"

	"github.com/rawwatch/rawwatch/rawwatch/selector"
)

func Example() {
	sel, err := selector.Parse("tier notin (edge), app in (web, db), !legacy")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(sel)
	fmt.Println(sel.MatchesMap(map[string]string{"app": "db"}))
	fmt.Println(sel.MatchesMap(map[string]string{"app": "db", "legacy": ""}))
	// Output:
	// app in (db,web),!legacy,tier!=edge
	// true
	// false
}

func ExampleSyntaxError() {
	_, err := selector.Parse("app = web or app = db")
	var syntax *selector.SyntaxError
	if errors.As(err, &syntax) {
		fmt.Println(syntax.Offset, syntax.Found)
	}
	fmt.Println(err)
	// Output:
	// 10 or
	// label selector: at byte 10: found 'or', expected: ',' or the end
}

func ExampleNew() {
	sel, err := selector.New(
		selector.Requirement{Key: "app", Operator: selector.In, Values: []string{"web"}},
		selector.Requirement{Key: "cores", Operator: selector.GreaterThan, Values: []string{"3"}},
	)
	fmt.Println(sel, err)
	// Output: app=web,cores>3 <nil>
}
