package packages

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"pidsbench/internal/fault"
)

var (
	npmName    = regexp.MustCompile(`^(@[a-z0-9][a-z0-9._-]*/)?[a-z0-9][a-z0-9._-]*$`)
	npmVersion = regexp.MustCompile(`^[0-9]+\.[0-9]+\.[0-9]+([-+][0-9A-Za-z.+-]+)?$`)
)

// tarball is the name that npm pack gives to the package's file.
func (p Package) tarball() string {
	name := strings.TrimPrefix(p.Name, "@")
	return strings.ToLower(strings.ReplaceAll(name, "/", "-") + "-" + p.Version + ".tgz")
}

func (p Package) client() string {
	if p.Client == NPM {
		return "npm"
	}
	return "pip"
}

// npm downloads the tarball into the folder got. No script of the package is run.
func (p Package) npm(ctx context.Context, o Options, temp, got string) error {
	if err := os.Mkdir(got, 0o777); err != nil {
		return fault.New(fault.Failed, "cannot make a folder for the download: %w", err)
	}
	o.log("fetching %s with npm", p)
	cmd := exec.CommandContext(ctx, "npm", "pack", "--ignore-scripts", "--no-update-notifier", "--loglevel=error",
		"--pack-destination="+got, p.String())
	cmd.Dir = temp // away from any package.json
	if said, err := run(cmd); err != nil {
		return npmFailed(p, err, said)
	}
	// Once it is in the cache a wrong hash means a damaged file, here that the registry holds another one.
	if sum, err := HashFile(filepath.Join(got, p.tarball())); err == nil && sum != p.SHA256 {
		return fault.New(fault.Integrity, "the file that npm found for %s has SHA-256 %s, expected %s", p, sum, p.SHA256).
			WithCure("do not use it; name a folder that holds the pinned %s in %s", p.FileName(), SourcesVar)
	}
	return nil
}

func npmFailed(p Package, err error, stderr string) error {
	if errors.Is(err, exec.ErrNotFound) {
		return fault.New(fault.Usage, "cannot fetch %s: npm is needed and not installed", p).
			WithCure("install it, or name a folder that holds %s in %s", p.FileName(), SourcesVar)
	}
	said := "" // npm's first line is an error code, its last ones say where the log lies
	for line := range strings.Lines(stderr) {
		line = strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(line), "npm error "), "code ")
		if said = fault.Line(line); said != "" {
			break
		}
	}
	if said == "" {
		said = fault.Line(err.Error())
	}
	return fault.New(fault.Failed, "npm could not download %s: %s", p, said).
		WithCure("check the network, or name a folder that holds %s in %s", p.FileName(), SourcesVar)
}
