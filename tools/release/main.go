// Command release packs what was built for linux/ARCH and the files of the checkout that go along into one archive, and
// writes the archive's SHA-256 beside it. The same files give the same bytes, wherever and whenever it runs.
package main

import (
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"pidsbench/internal/atomicfile"
)

func main() {
	version := flag.String("version", "", "`VERSION` of the release")
	arch := flag.String("arch", "", "processor: amd64 or arm64")
	when := flag.Int64("time", 0, "time of all files, in `SECONDS` since 1970")
	to := flag.String("to", "", "`FILE` to write")
	flag.Parse()
	if err := run(*version, *arch, time.Unix(*when, 0), *to); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(version, arch string, when time.Time, to string) error {
	root, err := os.Getwd()
	if err != nil {
		return err
	}
	kept, err := checkedOut(root)
	if err != nil {
		return err
	}
	files := append(kept, built(root, arch)...)
	if err := complete(files); err != nil {
		return err
	}
	sum := sha256.New()
	top := fmt.Sprintf("pidsbench-%s-linux-%s", version, arch)
	err = atomicfile.Write(to, 0o644, func(w io.Writer) error {
		return pack(io.MultiWriter(w, sum), top, files, when)
	})
	if err != nil {
		return err
	}
	digest := hex.EncodeToString(sum.Sum(nil))
	fmt.Printf("%s  %s\n", digest, to)
	return atomicfile.Write(to+".sha256", 0o644, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "%s  %s\n", digest, filepath.Base(to))
		return err
	})
}
