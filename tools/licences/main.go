// Command licences lists every component of the project with its licence, and fails when one is unknown or on no list of
// tools/licences/policy.yaml.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"text/tabwriter"

	"pidsbench/internal/atomicfile"
	"pidsbench/tools/inventory"
)

func main() {
	arch := flag.String("arch", "amd64", "processor of the release: amd64 or arm64")
	notices := flag.String("notices", "", "also write the licence texts of a release to this `FILE`")
	flag.Parse()
	if err := run(os.Stdout, *arch, *notices); err != nil {
		fmt.Fprintln(os.Stderr, "licences:", err)
		os.Exit(1)
	}
}

func run(out io.Writer, arch, notices string) error {
	root, err := os.Getwd()
	if err != nil {
		return err
	}
	all, err := inventory.All(context.Background(), root, arch)
	if err != nil {
		return err
	}
	p, err := inventory.LoadPolicy(root)
	if err != nil {
		return err
	}
	verdicts, stale := p.Judge(all)
	if err := list(out, verdicts); err != nil {
		return err
	}
	bad := len(stale)
	for _, v := range verdicts {
		if v.Problem != "" {
			bad++
			fmt.Fprintf(out, "bad: %s %s %s: %s\n", v.Kind, v.Name, v.Version, v.Problem)
		}
	}
	for _, s := range stale {
		fmt.Fprintln(out, "bad:", s)
	}
	if bad > 0 {
		return fmt.Errorf("%d entries need a decision: write it into tools/licences/policy.yaml", bad)
	}
	if notices == "" {
		return nil
	}
	return atomicfile.Write(notices, 0o644, func(w io.Writer) error { return writeNotices(w, verdicts) })
}

func list(out io.Writer, verdicts []inventory.Verdict) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, v := range verdicts {
		name := v.Name
		if v.Part != "" {
			name += " in " + v.Part
		}
		licence := v.Licence
		if licence == "" {
			licence = "unknown"
		}
		where := "not shipped"
		if v.Shipped {
			where = "shipped"
		}
		if v.Note != "" {
			licence += " (known: " + v.Note + ")"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", v.Kind, name, v.Version, where, licence)
	}
	return w.Flush()
}
