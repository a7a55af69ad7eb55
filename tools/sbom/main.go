// Command sbom writes the bill of materials of a release: CycloneDX 1.6, JSON. The same sources give the same bytes.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"pidsbench/internal/atomicfile"
	"pidsbench/tools/inventory"
)

func main() {
	arch := flag.String("arch", "amd64", "processor of the release: amd64 or arm64")
	version := flag.String("version", "", "`VERSION` of the program")
	made := flag.Int64("time", 0, "when the sources were made, in `SECONDS` since 1970; 0 leaves it out")
	to := flag.String("to", "", "`FILE` to write; standard output when it is empty")
	flag.Parse()
	if err := run(*arch, *version, *made, *to); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

func run(arch, version string, made int64, to string) error {
	root, err := os.Getwd()
	if err != nil {
		return err
	}
	all, err := inventory.All(context.Background(), root, arch)
	if err != nil {
		return err
	}
	policy, err := inventory.LoadPolicy(root)
	if err != nil {
		return err
	}
	verdicts, _ := policy.Judge(all) // problems are for the licence check to say
	var when time.Time
	if made != 0 {
		when = time.Unix(made, 0)
	}
	bill := newBill(version, when, verdicts)
	if to == "" {
		return bill.write(os.Stdout)
	}
	return atomicfile.Write(to, 0o644, func(w io.Writer) error { return bill.write(w) })
}
