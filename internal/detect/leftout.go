package detect

import (
	"slices"
	"strings"

	"pidsbench/internal/fault"
)

// wrongSources returns the mistake in what an entry says of sources that its runs did not train on.
func (e *Entry) wrongSources() *mistake {
	held := strings.Contains(e.Model, "{source}")
	switch {
	case len(e.Sources) == 0 && e.WithoutOf == "" && held:
		return wrong("sources", "none", "the sources that {source} in model stands for")
	case len(e.Sources) == 0 && e.WithoutOf == "":
		return nil
	case len(e.Sources) == 0:
		return wrong("sources", "none", "the sources that were left out of training, one after the other")
	case e.WithoutOf == "":
		return wrong("without_of", fault.Quote(""), "the id of the detector that was trained on all sources")
	case !held:
		return wrong("model", fault.Quote(e.Model), "a folder with {source} in its name, since sources are given")
	}
	for i, s := range e.Sources {
		if !localPath(s) || strings.Contains(s, "/") {
			return wrong("sources", fault.Quote(s), "names that can be part of a folder's name")
		}
		if slices.Contains(e.Sources[:i], s) {
			return wrong("sources", fault.Quote(s), "each source once")
		}
	}
	return nil
}

// strayWithout returns the mistake of an entry whose detector of all sources is not there.
func (e *Entry) strayWithout(all []Entry) *mistake {
	if e.WithoutOf != "" && (e.WithoutOf == e.ID || !slices.ContainsFunc(all, func(o Entry) bool { return o.ID == e.WithoutOf })) {
		return wrong("without_of", fault.Quote(e.WithoutOf), "the id of another entry")
	}
	return nil
}

// expand puts a detector for each source in the place of an entry that lists sources.
func (c *Config) expand() {
	var out []Entry
	for _, e := range c.Detectors {
		if len(e.Sources) == 0 {
			out = append(out, e)
			continue
		}
		for _, source := range e.Sources {
			one := e
			one.ID += "-" + strings.ReplaceAll(strings.ToLower(source), "_", "-")
			one.Name += " without " + source
			one.Model = strings.ReplaceAll(e.Model, "{source}", source)
			one.Sources, one.LeftOut = nil, source
			out = append(out, one)
		}
	}
	c.Detectors = out
}
