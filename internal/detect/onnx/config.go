package onnx

import (
	"encoding/json"
	"errors"
	"fmt"
	"sort"
	"strconv"
	"strings"

	"pidsbench/internal/fault"
)

// modelConfig holds the fields of a model folder's config.json that bear on scores.
type modelConfig struct {
	ModelType             string            `json:"model_type"`
	ID2Label              map[string]string `json:"id2label"`
	MaxPositionEmbeddings int               `json:"max_position_embeddings"`
	PositionBiasedInput   *bool             `json:"position_biased_input"`
	PadTokenID            *int              `json:"pad_token_id"`

	absent bool // there is no such file
}

// parseConfig reads config.json; where names the file in errors.
func parseConfig(data []byte, where string) (*modelConfig, error) {
	var c modelConfig
	if err := json.Unmarshal(data, &c); err != nil {
		var typ *json.UnmarshalTypeError
		if errors.As(err, &typ) {
			return nil, fault.New(fault.Integrity, "%s: field %s holds a %s, expected %s",
				where, typ.Field, typ.Value, typ.Type).WithCure("correct it, or take it from where the model came from")
		}
		return nil, fault.New(fault.Integrity, "%s is not a JSON object: %w", where, err).
			WithCure("correct it, or take it from where the model came from")
	}
	return &c, nil
}

// labels returns the class names in the order of the logits; nil when the file names none.
func (c *modelConfig) labels() ([]string, error) {
	if len(c.ID2Label) == 0 {
		return nil, nil
	}
	names := make([]string, len(c.ID2Label))
	keys := make([]string, 0, len(c.ID2Label))
	for k := range c.ID2Label {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	for _, k := range keys {
		i, err := strconv.Atoi(k)
		if err != nil || i < 0 || i >= len(names) || strconv.Itoa(i) != k {
			return nil, fmt.Errorf("field id2label holds the key %s, expected 0 to %d", short(k), len(names)-1)
		}
		names[i] = c.ID2Label[k]
	}
	return names, nil
}

// positions returns the most tokens the model's position embeddings allow, special tokens counted: hard says that a
// longer input fails. Models with relative positions take longer inputs than they were trained on. 0 means unknown.
func (c *modelConfig) positions() (n int, hard bool) {
	n, hard = c.MaxPositionEmbeddings, true
	switch {
	case n <= 0:
		return 0, false
	case strings.HasPrefix(c.ModelType, "deberta"):
		hard = c.PositionBiasedInput == nil || *c.PositionBiasedInput
	}
	return max(n-c.positionCount().first, 0), hard
}

// positionCount says how a model counts the positions of a row.
type positionCount struct {
	first int  // position of the first token
	still bool // padding stays at the position before the first
}

// at returns the position of the i-th token of a row.
func (p positionCount) at(i int, token bool) int64 {
	if p.still && !token {
		return int64(p.first - 1)
	}
	return int64(p.first + i)
}

// positionCount returns how the model's family counts: some do so from pad_token_id+1 on, so that the first rows of the
// table of positions stand for no token.
func (c *modelConfig) positionCount() positionCount {
	switch c.ModelType {
	case "roberta", "xlm-roberta", "camembert", "mpnet":
		pad := 1
		if c.PadTokenID != nil {
			pad = *c.PadTokenID
		}
		return positionCount{first: pad + 1, still: true}
	}
	return positionCount{}
}
