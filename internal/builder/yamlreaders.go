package builder

import (
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"
)

// readYAMLRow reads a file that is one object.
func readYAMLRow(_ *Source, data []byte, yield func(fields) error) error {
	var row map[string]any
	if err := decodeYAML(data, &row); err != nil {
		return err
	}
	return yield(func(column string) (string, bool) {
		at := any(row)
		for name := range strings.SplitSeq(column, ".") {
			m, ok := at.(map[string]any)
			if !ok {
				return "", false
			}
			if at, ok = m[name]; !ok {
				return "", false
			}
		}
		v, ok := at.(string)
		return v, ok
	})
}

// decodeYAML reads YAML of a package: not ours, so it may hold what our own may not, and may make the parser panic.
func decodeYAML(data []byte, into any) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("no YAML that can be read (%.60q)", fmt.Sprint(p))
		}
	}()
	if err := yaml.Unmarshal(data, into); err != nil {
		message, _, _ := strings.Cut(yaml.FormatError(err, false, false), "\n")
		return fmt.Errorf("no YAML of the expected form (%.80q)", message)
	}
	return nil
}
