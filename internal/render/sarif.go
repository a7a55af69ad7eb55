package render

import (
	"encoding/json"
	"io"
	"net/url"
	"path/filepath"
	"strings"

	"pidsbench/internal/gate"
)

// The parts of SARIF 2.1.0 (OASIS Standard, 2020) that a gate fills in.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool struct {
			Driver sarifDriver `json:"driver"`
		} `json:"tool"`
		Invocations []sarifInvocation `json:"invocations"`
		ColumnKind  string            `json:"columnKind"`
		Results     []sarifResult     `json:"results"`
	}
	sarifDriver struct {
		Name    string      `json:"name"`
		Version string      `json:"version,omitempty"`
		Rules   []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID          string    `json:"id"`
		Description sarifText `json:"shortDescription"`
		Default     struct {
			Level string `json:"level"`
		} `json:"defaultConfiguration"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifInvocation struct {
		Successful bool `json:"executionSuccessful"`
	}
	sarifResult struct {
		RuleID       string            `json:"ruleId"`
		RuleIndex    int               `json:"ruleIndex"`
		Level        string            `json:"level"`
		Message      sarifText         `json:"message"`
		Locations    []sarifLocation   `json:"locations"`
		Fingerprints map[string]string `json:"partialFingerprints"`
		Properties   map[string]any    `json:"properties"`
	}
	sarifLocation struct {
		Physical struct {
			Artifact sarifArtifact `json:"artifactLocation"`
			Region   sarifRegion   `json:"region"`
		} `json:"physicalLocation"`
	}
	sarifArtifact struct {
		URI  string `json:"uri"`
		Base string `json:"uriBaseId,omitempty"`
	}
	sarifRegion struct {
		Line int `json:"startLine"`
	}
)

const sarifSchema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

// GateSARIF writes a report as SARIF 2.1.0: a rule a limit, and a result for each that does not pass, at its line in
// the file of limits. An undecided limit that may pass is a warning, the others are errors.
func GateSARIF(w io.Writer, r *gate.Report) error {
	run := sarifRun{ColumnKind: "unicodeCodePoints", Results: []sarifResult{},
		Invocations: []sarifInvocation{{Successful: true}}}
	run.Tool.Driver = sarifDriver{Name: "pidsbench", Version: r.Run["pidsbench"], Rules: []sarifRule{}}
	for i := range r.Limits {
		it := &r.Limits[i]
		rule := sarifRule{ID: it.ID,
			Description: plainText(Printable(it.Detector) + ": " + gateNumber(it) + " " + gateBound(it))}
		rule.Default.Level = "error"
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, rule)
		if it.Verdict == gate.Pass {
			continue
		}
		said := append([]string{rule.Description.Text + ": " + Printable(it.Why)}, flipFacts(it)...)
		result := sarifResult{RuleID: it.ID, RuleIndex: i, Level: "error", Message: plainText(strings.Join(said, ". ")),
			Fingerprints: map[string]string{"pidsbenchLimit/v1": it.ID},
			Properties: map[string]any{"verdict": it.Verdict, "value": it.Value, "worseBy": it.WorseBy, "lo": it.Lo,
				"hi": it.Hi, "bound": it.Bound, "at": it.At, "rows": it.N, "needed": it.Needed}}
		if !it.Fails {
			result.Level = "warning"
		}
		var at sarifLocation
		at.Physical.Artifact = artifact(r.Config)
		at.Physical.Region.Line = it.Line
		result.Locations = []sarifLocation{at}
		run.Results = append(run.Results, result)
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(sarifLog{Schema: sarifSchema, Version: "2.1.0", Runs: []sarifRun{run}})
}

func flipFacts(it *gate.Item) (facts []string) {
	for _, line := range flipLines(it) {
		facts = append(facts, Printable(strings.TrimPrefix(line, it.ID+": ")))
	}
	return facts
}

// plainText keeps a message free of the links that viewers make of [text](target).
func plainText(s string) sarifText { return sarifText{strings.ReplaceAll(s, "](", "] (")} }

// artifact names a file: a relative one below the root of the sources, whatever that is for the reader.
func artifact(path string) sarifArtifact {
	slashed := filepath.ToSlash(path)
	if filepath.IsAbs(path) {
		return sarifArtifact{URI: (&url.URL{Scheme: "file", Path: slashed}).String()}
	}
	return sarifArtifact{URI: (&url.URL{Path: slashed}).String(), Base: "%SRCROOT%"}
}
