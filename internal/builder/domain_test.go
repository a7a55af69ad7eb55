package builder

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pidsbench/internal/dataset"
	"pidsbench/internal/disguise"
	"pidsbench/internal/draw"
	"pidsbench/internal/fault"
	"pidsbench/internal/testenv"
	"pidsbench/internal/textnorm"
)

// poolOfDomains makes plain benign rows of four domains, each its own family.
func poolOfDomains(n int) (in []Record) {
	for i, s := range sentences(n, "pool of domains") {
		r := pool(dataset.Benign, s)
		r.Family, r.Domain = r.ID, []string{"law", "finance", "sailing", ""}[i%4]
		in = append(in, r)
	}
	canonical(in)
	return in
}

func TestARowOfAShiftedDomainLeavesThePool(t *testing.T) {
	in := poolOfDomains(40)
	want := map[string]Domain{"law": {Benign: 9, ThirdParty: 4}, "finance": {Benign: 9}}
	own := pool(dataset.Injection, "a text of ours about law")
	own.Family, own.Domain, own.Own = own.ID, "law", true
	in = append(in, own)
	canonical(in)
	left, rows, removed, err := ShiftedDomains(in, want, 3, 42)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range left {
		if r.Domain == "law" || r.Domain == "finance" {
			t.Errorf("%s of %s stays in the pool", r.ID, r.Domain)
		}
	}
	for _, r := range rows {
		if r.Domain != "law" || r.Own {
			t.Errorf("the domain split takes %+v", r)
		}
	}
	if len(left) != 20 || len(rows) != 4 || reasons(removed)["of a shifted domain"] != 17 || len(removed) != 17 {
		t.Errorf("%d rows are left, %d taken, %v removed", len(left), len(rows), reasons(removed))
	}
	draw.Order(in, 5, "permute", byID)
	_, again, _, err := ShiftedDomains(in, want, 3, 42)
	if diff := cmp.Diff(rows, again); diff != "" || err != nil {
		t.Errorf("the order of the rows matters: %s (%v)", diff, err)
	}
	if _, other, _, _ := ShiftedDomains(in, want, 3, 43); cmp.Equal(rows, other) {
		t.Error("the seed changes nothing")
	}
	all, none, removed, err := ShiftedDomains(in, nil, 3, 42)
	if len(all) != len(in) || len(none)+len(removed) > 0 || err != nil {
		t.Errorf("no domain is wanted: %d rows left, %d taken, %d removed, %v", len(all), len(none), len(removed), err)
	}
}

func TestOnlyPlainRowsOfPureSmallFamiliesStandInTheDomainSplit(t *testing.T) {
	for name, change := range map[string]func(r, kin *Record){
		"a rewording":           func(r, _ *Record) { r.Round = 1 },
		"disguised":             func(r, _ *Record) { r.Obfuscation = disguise.AsFound },
		"ours":                  func(r, _ *Record) { r.Own = true },
		"kin of an attack":      func(r, kin *Record) { kin.Family, kin.Label = r.Family, dataset.Injection },
		"kin of another role":   func(r, kin *Record) { kin.Family, kin.Role = r.Family, Control },
		"of too large a family": func(r, kin *Record) { kin.Family = r.Family },
	} {
		t.Run(name, func(t *testing.T) {
			in := poolOfDomains(8)
			i := slices.IndexFunc(in, func(r Record) bool { return r.Domain == "law" })
			k := slices.IndexFunc(in, func(r Record) bool { return r.Domain == "" })
			change(&in[i], &in[k])
			_, _, _, err := ShiftedDomains(in, map[string]Domain{"law": {ThirdParty: 2}}, 1, 42)
			testenv.WantFault(t, err, fault.Integrity, ConfigPath,
				"field domain_ood.law.third_party holds 2, expected at most 1: so many rows are suitable", domainPath)
		})
	}
}

// Of a family one row serves, and the others serve nobody.
func TestAFamilyGivesTheDomainSplitOneRow(t *testing.T) {
	in := poolOfDomains(12)
	for i := range in {
		if in[i].Domain != "" {
			in[i].Family = in[i].Domain
		}
	}
	left, rows, removed, err := ShiftedDomains(in, map[string]Domain{"law": {ThirdParty: 1}}, 3, 42)
	if err != nil || len(rows) != 1 || len(left) != 9 {
		t.Fatalf("%d rows, %d left, %v", len(rows), len(left), err)
	}
	for _, m := range removed {
		if m.Reason != "family held out" || m.Partner != rows[0].ID {
			t.Errorf("%s is removed as %s of %s", m.ID, m.Reason, m.Partner)
		}
	}
	_, _, _, err = ShiftedDomains(in, map[string]Domain{"law": {ThirdParty: 2}}, 3, 42)
	testenv.WantFault(t, err, fault.Integrity, "field domain_ood.law.third_party holds 2, expected at most 1")
}

func domainShift(frames, perFrame int, source string) (in []Record) {
	for i := range frames * perFrame {
		r := pool(dataset.Benign, fmt.Sprint(source, " ", i))
		r.Source, r.Own, r.Role, r.Domain, r.Family = source, true, DomainShift, "law", r.ID
		r.Frame = fmt.Sprint(source, "/f/", i/perFrame)
		in = append(in, r)
	}
	canonical(in)
	return in
}

func TestAFrameGivesOneInAHundredOfTheDomainSplit(t *testing.T) {
	in := domainShift(100, 9, TemplateSource)
	for _, tt := range []struct{ rows, most int }{{100, 1}, {101, 2}, {200, 2}, {300, 3}} {
		want := map[string]Domain{"law": {Benign: tt.rows / 2}, "finance": {Injection: tt.rows - tt.rows/2}}
		for i := range in {
			in[i].Domain, in[i].Label = "law", dataset.Benign
			if i%2 == 0 {
				in[i].Domain, in[i].Label = "finance", dataset.Injection
			}
		}
		out, removed, err := DomainRows(in, nil, want, nil, 42)
		if err != nil {
			t.Fatal(err)
		}
		count, greatest := map[string]int{}, 0
		for _, r := range out {
			count[r.Frame]++
			greatest = max(greatest, count[r.Frame])
		}
		if greatest != tt.most || reasons(removed)["beyond the share of its frame"] == 0 {
			t.Errorf("a frame gives %d of %d rows, want at most %d; %v", greatest, tt.rows, tt.most, reasons(removed))
		}
	}
	_, _, err := DomainRows(domainShift(9, 50, TemplateSource), nil, map[string]Domain{"law": {Benign: 10}}, nil, 42)
	testenv.WantFault(t, err, fault.Integrity, "field domain_ood.law asks for 10 benign and 0 injection, found 9 and 0")
}

func TestThirdPartyRowsOfAFrameCountInItsShare(t *testing.T) {
	held := domainShift(1, 1, "forms")
	in := domainShift(10, 9, TemplateSource)
	for i := range in[:9] {
		in[i].Frame = held[0].Frame
	}
	out, _, err := DomainRows(in, held, map[string]Domain{"law": {Benign: 5}}, nil, 42)
	if err != nil {
		t.Fatal(err)
	}
	if n := slices.IndexFunc(out, func(r Record) bool { return r.Frame == held[0].Frame && r.ID != held[0].ID }); n >= 0 {
		t.Errorf("%s stands beside the held row of its frame", out[n].ID)
	}
}

func TestWrittenTextsComeBeforeFramesInTheDomainSplit(t *testing.T) {
	in := slices.Concat(domainShift(20, 3, TemplateSource), domainShift(7, 1, WrittenSource))
	out, _, err := DomainRows(in, nil, map[string]Domain{"law": {Benign: 10}}, nil, 42)
	if err != nil {
		t.Fatal(err)
	}
	written := 0
	for _, r := range out {
		if r.Source == WrittenSource {
			written++
		}
	}
	if written != 7 {
		t.Errorf("%d of 7 written texts are among %d rows", written, len(out))
	}
}

// The whole way: a list of domains, read by stage classify, empties the pool of them.
func TestListedRowsStandInTheDomainSplitAlone(t *testing.T) {
	b := smallBuild(t)
	listed := small().lists.Domains
	found := 0
	for _, f := range b.files {
		for _, r := range f.Records {
			text := r.Text
			if r.Clean != "" {
				text = r.Clean
			}
			if listed[textnorm.ExactHash(text)] != "legal" {
				continue
			}
			if found++; f.Path != domainFile || r.Domain != "legal" {
				t.Errorf("%s of %s is in %s", r.ID, r.Domain, f.Path)
			}
		}
	}
	if want := small().cfg.Domain["legal"].ThirdParty; found != want {
		t.Errorf("%d listed rows stand in the edition, want %d", found, want)
	}
}
