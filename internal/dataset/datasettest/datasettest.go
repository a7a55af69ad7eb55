// Package datasettest makes splits for tests.
package datasettest

import (
	"testing"

	"pidsbench/internal/dataset"
)

// Split reads a small split out of CSV text.
func Split(t testing.TB, name, csv string) *dataset.Split {
	t.Helper()
	s, err := dataset.ReadBytes(name+".csv", []byte(csv), dataset.Mapping{})
	if err != nil {
		t.Fatal(err)
	}
	s.Name = name
	return s
}
