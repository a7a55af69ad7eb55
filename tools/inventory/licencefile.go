package inventory

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/google/licensecheck"
)

var (
	licenceName = regexp.MustCompile(`(?i)^(un)?(licen[cs]es?|copying)\b`)
	noticeName  = regexp.MustCompile(`(?i)^(notice|copyright|patents|third.?party.?(notices|licen[cs]es))\b`)
)

// recognised is the share of a licence file, in percent, that must be the wording of known licences.
const recognised = 75

// licenceFiles returns the licence files of a folder, and the notices beside them, by name.
func licenceFiles(dir string) ([]Text, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var found []Text
	for _, e := range entries {
		if !e.Type().IsRegular() || !licenceName.MatchString(e.Name()) && !noticeName.MatchString(e.Name()) {
			continue
		}
		body, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		found = append(found, Text{Name: e.Name(), Body: body})
	}
	return found, nil
}

// classify returns the SPDX expression of all licences that the files hold, joined by AND; notices are left out. It is
// empty when there is no licence file or one of them is not known by its wording.
func classify(files []Text) string {
	var ids []string
	for _, f := range files {
		if !licenceName.MatchString(filepath.Base(f.Name)) {
			continue
		}
		cover := licensecheck.Scan(f.Body)
		if cover.Percent < recognised {
			return ""
		}
		for _, m := range cover.Match {
			ids = append(ids, m.ID)
		}
	}
	slices.Sort(ids)
	return strings.Join(slices.Compact(ids), " AND ")
}
