package manifest

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"pidsbench/internal/dataset"
	"pidsbench/internal/fault"
)

// Parse reads a freeze manifest, or the manifest of the original benchmark (see original.go). The name stands in
// messages. What cannot be understood is an integrity error that names the line.
func Parse(name string, data []byte) (*Manifest, error) {
	if what, cure := dataset.Foreign(data); what != "" {
		return nil, fault.New(fault.Integrity, "%s %s, expected a freeze manifest", fault.Name(name), what).
			WithCure("%s", cure)
	}
	text := string(data)
	if !utf8.ValidString(text) {
		return nil, fault.New(fault.Integrity, "%s is not UTF-8 text, expected a freeze manifest", fault.Name(name))
	}
	p := &parser{name: fault.Name(name), at: map[string]int{}}
	m := &Manifest{name: p.name}
	var err error
	if strings.HasPrefix(strings.TrimPrefix(text, "\ufeff"), "# pidsbench freeze manifest") {
		err = p.own(m, text)
	} else {
		err = p.original(m, text)
	}
	if err != nil {
		return nil, err
	}
	if len(m.Files) == 0 {
		return nil, fault.New(fault.Integrity, "%s freezes no file, expected a line of SHA-256, rows, benign, injection and "+
			"path for each", p.name)
	}
	slices.SortFunc(m.Files, byPath)
	m.hash = hashOf(data)
	return m, nil
}

// withheldMark begins a line that names a file with a form for the public.
const withheldMark = "# withheld: "

type parser struct {
	name string
	line int
	at   map[string]int // path → line of its entry
}

func (p *parser) fail(format string, args ...any) *fault.Error {
	return fault.New(fault.Integrity, "%s:%d: "+format, append([]any{p.name, p.line}, args...)...)
}

func (p *parser) own(m *Manifest, text string) error {
	withheld := map[string]int{} // by path
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		p.line++
		switch {
		case strings.HasSuffix(line, "\r"):
			return p.fail("the line ends with CRLF, expected LF: the manifest was converted, and its hash with it").
				WithCure("check it out again without line-end conversion")
		case p.line == 1 && line != Header:
			return p.fail("the line is %s, expected %q", fault.Quote(line), Header).WithCure("use the pidsbench that wrote it")
		case p.line == 1 || line == columns:
		case strings.HasPrefix(line, "# edition: "):
			if p.line != 2 {
				return p.fail("the edition is named here, expected on line 2 only")
			}
			if m.Edition = line[len("# edition: "):]; !plainName(m.Edition) {
				return p.fail("the edition is %s, expected a plain name", fault.Quote(m.Edition))
			}
		case strings.HasPrefix(line, "# folder: "):
			if p.line > 3 || m.Folder != "" {
				return p.fail("the folder is named here, expected once, on line 2 or 3")
			}
			m.Folder = line[len("# folder: "):]
			if problem := pathProblem(m.Folder); problem != "" {
				return p.fail("the folder %s %s", fault.Quote(m.Folder), problem)
			}
		case strings.HasPrefix(line, withheldMark):
			n, path, _ := strings.Cut(line[len(withheldMark):], " ")
			k, ok := count(n)
			if _, twice := withheld[path]; !ok || k == 0 || path == "" || twice || len(m.Files) > 0 {
				return p.fail("the line is %s, expected %q, a number and a path, once for a path and above all files",
					fault.Quote(line), withheldMark)
			}
			withheld[path] = k
		case line == "#":
			m.Comments = append(m.Comments, "")
		case strings.HasPrefix(line, "# "):
			m.Comments = append(m.Comments, line[2:])
		default:
			f, err := p.entry(line)
			if err != nil {
				return err
			}
			if f.Withheld = withheld[f.Path]; f.problem() != "" {
				return p.fail("%s", f.problem())
			}
			delete(withheld, f.Path)
			m.Files = append(m.Files, f)
		}
	}
	for _, path := range slices.Sorted(maps.Keys(withheld)) {
		return fault.New(fault.Integrity, "%s says that texts of %s are withheld and does not freeze that file", p.name,
			fault.Name(path))
	}
	if !strings.HasSuffix(text, "\n") {
		return p.fail("the last line has no line end: the manifest is cut off").WithCure("copy it again")
	}
	return nil
}

// entry reads "SHA-256 rows benign injection path"; the path is the rest of the line and may hold spaces.
func (p *parser) entry(line string) (File, error) {
	var fields [4]string
	rest := line
	for i := range fields {
		fields[i], rest, _ = strings.Cut(rest, " ")
		rest = strings.TrimLeft(rest, " ")
	}
	f := File{Path: rest, SHA256: fields[0]}
	if f.Path == "" || f.SHA256 == "" {
		return f, p.fail("the line is %s, expected SHA-256, rows, benign, injection and path", fault.Quote(line))
	}
	if !isHash(f.SHA256) || strings.ToLower(f.SHA256) != f.SHA256 {
		return f, p.fail("the SHA-256 is %s, expected 64 lower-case hexadecimal digits", fault.Quote(f.SHA256))
	}
	if fields[1] != "-" || fields[2] != "-" || fields[3] != "-" {
		for i, n := range []*int{&f.Rows, &f.Benign, &f.Injection} {
			var ok bool
			if *n, ok = count(fields[1+i]); !ok {
				return f, p.fail("%s is %s, expected a number (or - for all three counts)",
					[]string{"rows", "benign", "injection"}[i], fault.Quote(fields[1+i]))
			}
		}
		f.Counted = true
	}
	return f, p.accept(f)
}

// accept checks what has to hold in every form.
func (p *parser) accept(f File) error {
	if problem := f.problem(); problem != "" {
		return p.fail("%s", problem)
	}
	if line, ok := p.at[f.Path]; ok {
		return p.fail("the path %s stands on line %d already", f.Path, line).WithCure("delete one of the lines")
	}
	p.at[f.Path] = p.line
	return nil
}

// count reads a decimal number of at most nine digits, in canonical form.
func count(s string) (int, bool) {
	n, err := strconv.Atoi(s)
	return n, err == nil && n >= 0 && n < 1e9 && strconv.Itoa(n) == s
}
