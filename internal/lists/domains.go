package lists

import (
	"path/filepath"
	"regexp"

	"pidsbench/internal/fault"
)

// domainsSchema names the form of a list of domains.
const domainsSchema = "pidsbench-domains/1"

var domain = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

type domainsFile struct {
	Schema value         `yaml:"schema"`
	Rows   []domainEntry `yaml:"rows"`
}

type domainEntry struct {
	SHA256 value `yaml:"sha256"`
	Domain value `yaml:"domain"`
	Source value `yaml:"source"`
}

// LoadDomains reads which domain readers found third-party benign rows to be of, by the hash of the row's exact form
// (textnorm.ExactHash), from the file of that path below root, with slashes. A file that does not parse, an unknown
// field or schema, a malformed hash or domain, a hash that stands there twice, or no source is an error of kind
// Integrity that names file, line and field.
func LoadDomains(root, name string) (map[string]string, error) {
	var f domainsFile
	file := list(name)
	if err := file.Load(filepath.Join(root, filepath.FromSlash(name)), &f); err != nil {
		return nil, err
	}
	if f.Schema.text != domainsSchema {
		return nil, file.Fail(max(f.Schema.line, 1), "field schema holds %s, expected %q", fault.Quote(f.Schema.text),
			domainsSchema)
	}
	out := make(map[string]string, len(f.Rows))
	seen := make(map[string]int, len(f.Rows))
	for i, e := range f.Rows {
		line := file.Line("rows", i)
		switch {
		case !hash.MatchString(e.SHA256.text):
			return nil, file.Fail(line, "field sha256 holds %s, expected 64 hexadecimal digits in lower case",
				fault.Quote(e.SHA256.text))
		case seen[e.SHA256.text] > 0:
			return nil, file.Fail(line, "field sha256 holds %s, which stands on line %d already, expected each row once",
				fault.Quote(e.SHA256.text), seen[e.SHA256.text])
		case !domain.MatchString(e.Domain.text):
			return nil, file.Fail(line, "field domain holds %s, expected a name of small letters", fault.Quote(e.Domain.text))
		case e.Source.text == "":
			return nil, file.Fail(line, "field source is empty, expected the name of a source")
		}
		seen[e.SHA256.text] = line
		out[e.SHA256.text] = e.Domain.text
	}
	return out, nil
}
