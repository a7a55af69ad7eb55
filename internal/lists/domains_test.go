package lists

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pidsbench/internal/testenv"
	"pidsbench/internal/textnorm"
)

var (
	feverHash = textnorm.ExactHash("What lowers a fever?")
	leaseHash = textnorm.ExactHash("Who ends a lease?")
)

var domains = `schema: pidsbench-domains/1
rows:
  - {sha256: ` + leaseHash + `, domain: law, source: theirs}
  - {sha256: ` + feverHash + `, domain: medicine, source: ours}
`

func TestLoadDomainsReturnsDomainsByHash(t *testing.T) {
	got, err := LoadDomains(filepath.Split(write(t, domains)))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{textnorm.ExactHash(" what LOWERS a  fever?"): "medicine", leaseHash: "law"}
	if !maps.Equal(got, want) {
		t.Errorf("LoadDomains = %v, want %v", got, want)
	}
}

func TestLoadDomainsRefuses(t *testing.T) {
	tests := []struct{ name, old, new, want string }{
		{"another schema", "domains/1", "domains/2", `:1: field schema holds "pidsbench-domains/2", expected`},
		{"no schema", "schema: pidsbench-domains/1\n", "", `:1: field schema holds "", expected`},
		{"a short hash", leaseHash, leaseHash[1:], ":3: field sha256 holds"},
		{"capitals in a hash", leaseHash, strings.ToUpper(leaseHash), ":3: field sha256 holds"},
		{"no hash", "sha256: " + feverHash + ", ", "", `:4: field sha256 holds "", expected`},
		{"a row twice", feverHash, leaseHash, ":4: field sha256 holds"},
		{"a row twice, whose first line is named", feverHash, leaseHash, "stands on line 3 already"},
		{"a domain in capitals", "domain: law", "domain: Law", `:3: field domain holds "Law", expected a name of small`},
		{"a domain of two words", "domain: law", "domain: civil law", `:3: field domain holds "civil law"`},
		{"no domain", ", domain: medicine", "", `:4: field domain holds "", expected`},
		{"no source", ", source: theirs", "", ":3: field source is empty"},
		{"an unknown field", "source: ours", "source: ours, text: no", ":4:"},
		{"a list for a word", "domain: law", "domain: [law]", ":3:"},
		{"nothing", domains, "# no list\n", "list.yaml is empty"},
		{"a second list", "rows:", "---\nrows:", ":3: a second document begins here"},
		{"control characters", "domain: law", `domain: "l\e[2J"`, `:3: field domain holds "l\x1b[2J", expected`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			changed := strings.Replace(domains, tt.old, tt.new, 1)
			if changed == domains {
				t.Fatalf("%q does not stand in the list", tt.old)
			}
			_, err := LoadDomains(filepath.Split(write(t, changed)))
			expect(t, err, tt.want)
		})
	}
	_, err := LoadDomains(t.TempDir(), "absent.yaml")
	expect(t, err, "absent.yaml")
}

func TestTheDomainListHoldsEnoughRows(t *testing.T) {
	dir := filepath.Join(testenv.Root(t), "data", "lists")
	path := filepath.Join(dir, "domains.yaml")
	got, err := LoadDomains(filepath.Split(path))
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	for _, d := range got {
		counts[d]++
	}
	want := map[string]int{"medicine": 60, "law": 40, "finance": 60, "code": 60}
	for d, n := range counts {
		if want[d] == 0 {
			t.Errorf("the list holds %d rows of domain %s, which the domain split has not", n, d)
		}
	}
	for d, n := range want {
		if counts[d] < n {
			t.Errorf("the list holds %d rows of domain %s, expected at least %d", counts[d], d, n)
		}
	}

	verdicts, err := LoadHardBenign(dir, "hard_benign.yaml")
	if err != nil {
		t.Fatal(err)
	}
	drops, _, err := LoadDrops(dir, "drop.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for h := range got {
		if verdicts[h].Verdict == keepVerdict {
			t.Errorf("row %s is of a domain, but kept as hard benign", h)
		}
		if drops[h] != "" {
			t.Errorf("row %s is of a domain, but dropped as %s", h, drops[h])
		}
	}

	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	last := ""
	for line := range strings.Lines(string(content)) {
		if !strings.HasPrefix(line, "  - ") {
			continue
		}
		h, rest, _ := strings.Cut(strings.TrimPrefix(line, "  - {sha256: "), ", domain: ")
		d, _, _ := strings.Cut(rest, ",")
		if key := d + " " + h; key <= last {
			t.Fatalf("row %s stands after %s, expected rows sorted by domain, then hash, one a line", key, last)
		} else {
			last = key
		}
	}
}

func FuzzLoadDomains(f *testing.F) {
	for _, s := range []string{domains, "schema: pidsbench-domains/1\nrows: []\n", "rows: {", "\xff", ""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, err := LoadDomains(filepath.Split(write(t, s)))
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Fatalf("error %q, want one line", err)
			}
			return
		}
		for h, d := range got {
			if !hash.MatchString(h) || !domain.MatchString(d) {
				t.Fatalf("LoadDomains accepts %q: %q, %q", s, h, d)
			}
		}
	})
}
