package inventory

import (
	"fmt"
	"strings"
)

// satisfied says whether an SPDX expression leaves a choice in which every licence is allowed. AND binds stronger than
// OR; "A WITH B" is one name.
func satisfied(expression string, allowed func(name string) bool) (bool, error) {
	p := parser{allowed: allowed}
	p.words = strings.Fields(strings.NewReplacer("(", " ( ", ")", " ) ").Replace(expression))
	ok := p.or()
	if p.err == nil && p.at < len(p.words) {
		p.fail()
	}
	return ok && p.err == nil, p.err
}

// IsExpression says whether a licence is written as an SPDX expression.
func IsExpression(licence string) bool {
	_, err := satisfied(licence, func(string) bool { return true })
	return err == nil
}

type parser struct {
	words   []string
	at      int
	allowed func(string) bool
	err     error
}

// next takes the next word when it is the one wanted.
func (p *parser) next(want string) bool {
	if p.at < len(p.words) && p.words[p.at] == want {
		p.at++
		return true
	}
	return false
}

func (p *parser) fail() {
	if p.err == nil {
		p.err = fmt.Errorf("%q is no SPDX expression", strings.Join(p.words, " "))
	}
}

func (p *parser) or() bool {
	ok := p.and()
	for p.next("OR") {
		right := p.and()
		ok = ok || right
	}
	return ok
}

func (p *parser) and() bool {
	ok := p.one()
	for p.next("AND") {
		right := p.one()
		ok = ok && right
	}
	return ok
}

func (p *parser) one() bool {
	if p.next("(") {
		ok := p.or()
		if !p.next(")") {
			p.fail()
		}
		return ok
	}
	name, ok := p.name()
	if ok && p.next("WITH") {
		var exception string
		exception, ok = p.name()
		name += " WITH " + exception
	}
	if !ok {
		p.fail()
		return false
	}
	return p.allowed(name)
}

func (p *parser) name() (string, bool) {
	if p.at == len(p.words) {
		return "", false
	}
	switch w := p.words[p.at]; w {
	case "AND", "OR", "WITH", "(", ")":
		return "", false
	default:
		p.at++
		return w, true
	}
}
