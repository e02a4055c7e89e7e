package selector

// Parse reads a label selector. White space may stand between any two words or
// signs. The error is a [*SyntaxError] or an [*InvalidError].
func Parse(text string) (Selector, error) {
	p := parser{text: text}
	p.advance()
	var terms []Requirement
	for p.word != "" {
		r, err := p.requirement()
		if err != nil {
			return Selector{}, err
		}
		terms = append(terms, r)
		switch p.word {
		case "":
		case ",":
			if p.advance(); p.word == "" {
				return Selector{}, p.unexpected("a key or '!' after ','")
			}
		default:
			return Selector{}, p.unexpected("',' or the end")
		}
	}
	return New(terms...)
}

// parser stands before one word or sign of its text.
type parser struct {
	text string
	word string // "" at the end
	at   int    // where it begins
	next int    // what comes after it
}

// advance crosses white space and takes the next word or sign.
func (p *parser) advance() {
	i := p.next
	for i < len(p.text) && isSpace(p.text[i]) {
		i++
	}
	end := i
	switch {
	case i < len(p.text) && isSign(p.text[i]):
		end++
		if c := p.text[i]; (c == '=' || c == '!') && end < len(p.text) && p.text[end] == '=' {
			end++
		}
	default:
		for end < len(p.text) && !isSpace(p.text[end]) && !isSign(p.text[end]) {
			end++
		}
	}
	p.word, p.at, p.next = p.text[i:end], i, end
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

func isSign(c byte) bool {
	switch c {
	case '=', '!', '(', ')', ',', '>', '<':
		return true
	}
	return false
}

func (p *parser) isName() bool { return p.word != "" && !isSign(p.word[0]) }

func (p *parser) unexpected(want string) error {
	return &SyntaxError{Offset: p.at, Found: p.word, Want: want}
}

// operators are the words and signs between a key and its values.
var operators = map[string]Operator{
	"=": In, "==": In, "in": In, "!=": NotIn, "notin": NotIn, ">": GreaterThan, "<": LessThan,
}

func (p *parser) requirement() (Requirement, error) {
	r := Requirement{Operator: Exists}
	if p.word == "!" {
		r.Operator = DoesNotExist
		p.advance()
	}
	if !p.isName() {
		return r, p.unexpected("a key")
	}
	r.Key = p.word
	if why := invalidKey(r.Key); why != "" {
		return r, &InvalidError{Offset: p.at, Key: r.Key, Why: why}
	}
	p.advance()
	if r.Operator == DoesNotExist || p.word == "" || p.word == "," {
		return r, nil
	}
	op, ok := operators[p.word]
	if !ok {
		return r, p.unexpected("in, notin, =, ==, !=, >, <")
	}
	r.Operator = op
	set := p.word == "in" || p.word == "notin"
	p.advance()
	if set {
		return r, p.set(&r)
	}
	return r, p.value(&r)
}

// value reads one value, which may be missing: it is empty then.
func (p *parser) value(r *Requirement) error {
	word := ""
	if p.isName() {
		word = p.word
	} else if p.word != "" && p.word != "," {
		return p.unexpected("a value")
	}
	if why := r.invalidValue(word); why != "" {
		return &InvalidError{Offset: p.at, Key: r.Key, Value: word, Why: why}
	}
	r.Values = append(r.Values, word)
	if word != "" {
		p.advance()
	}
	return nil
}

// set reads values in parentheses; where one is missing it is empty.
func (p *parser) set(r *Requirement) error {
	if p.word != "(" {
		return p.unexpected("'('")
	}
	for p.word != ")" {
		p.advance() // the parenthesis or comma
		word := ""
		if p.isName() {
			word = p.word
		}
		if why := r.invalidValue(word); why != "" {
			return &InvalidError{Offset: p.at, Key: r.Key, Value: word, Why: why}
		}
		r.Values = append(r.Values, word)
		if word != "" {
			p.advance()
		}
		if p.word != "," && p.word != ")" {
			return p.unexpected("',' or ')'")
		}
	}
	p.advance()
	return nil
}
