package inventory

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"

	"pidsbench/internal/builder"
	"pidsbench/internal/detect"
	"pidsbench/internal/fault"
	"pidsbench/internal/models"
)

// lockedPackage starts an entry of a locked requirements file; hashes follow on further lines.
var lockedPackage = regexp.MustCompile(`(?m)^([a-z0-9][a-z0-9.-]*)==([^ \\]+)`)

// RequirementsLock pins every Python package of tools/train and tools/export with its hashes.
const RequirementsLock = "tools/train/requirements.lock"

// pythonPackages returns the packages of the training and export tools, dependencies among them. No file of them says
// what their licences are; the licence check has them.
func pythonPackages(root string) ([]Component, error) {
	data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(RequirementsLock)))
	if err != nil {
		return nil, err
	}
	found := lockedPackage.FindAllSubmatch(data, -1)
	if len(found) == 0 {
		return nil, fault.New(fault.Failed, "%s pins no package", RequirementsLock)
	}
	var all []Component
	for _, m := range found {
		all = append(all, Component{Kind: Python, Name: string(m[1]), Version: string(m[2])})
	}
	return all, nil
}

// texts returns the packages that the open edition is built from, and the collections in them.
func texts(root string) ([]Component, error) {
	lock, err := builder.LoadLock(root)
	if err != nil {
		return nil, err
	}
	names := map[string]string{}
	var all []Component
	for _, p := range lock.Packages {
		names[p.ID] = p.Name + " " + p.Version
		all = append(all, Component{Kind: DataPack, Name: p.Name, Version: p.Version, Licence: p.Licence, SHA256: p.SHA256})
	}
	for _, s := range lock.Sources {
		all = append(all, Component{Kind: DataSource, Name: s.ID, Licence: known(s.Licence), Part: names[s.Package]})
	}
	return all, nil
}

// known returns a licence as a record has it, and nothing for the word that says that nobody knows.
func known(licence string) string {
	if licence == "unknown" {
		return ""
	}
	return licence
}

// detectors returns the configured detectors, and the models that lie in the project.
func detectors(root string) ([]Component, error) {
	config, err := detect.LoadConfig(filepath.Join(root, "configs", "detectors.yaml"))
	if err != nil {
		return nil, err
	}
	var all []Component
	for _, e := range config.Detectors {
		if e.Kind == "constant" {
			continue // arithmetic of this program
		}
		c := Component{Kind: Detector, Name: e.ID, Licence: known(e.Licence)}
		if e.Pull != nil {
			p, _ := models.Package(e.Pull)
			c.Version, c.SHA256 = p.Version, p.SHA256
		}
		all = append(all, c)
	}
	locks, err := filepath.Glob(filepath.Join(root, "models", "*", models.LockName))
	if err != nil {
		return nil, err
	}
	for _, l := range locks {
		dir := filepath.Dir(l)
		lock, err := models.ReadLock(dir)
		if err != nil {
			return nil, err
		}
		c := Component{Kind: Model, Name: lock.Name, Licence: known(lock.Licence), Part: path.Join("models", filepath.Base(dir))}
		if i := slices.IndexFunc(lock.Files, func(f models.File) bool { return path.Ext(f.Path) == ".onnx" }); i >= 0 {
			c.SHA256 = lock.Files[i].SHA256
			_, err := os.Stat(filepath.Join(dir, lock.Files[i].Path))
			c.Shipped = err == nil
		}
		all = append(all, c)
	}
	return all, nil
}
