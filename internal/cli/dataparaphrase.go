package cli

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"pidsbench/internal/dataset"
	"pidsbench/internal/fault"
	"pidsbench/internal/paraphrase"
)

type dataParaphraseOptions struct {
	text, out, provider, model, cache, endpointEnv, keyEnv string
	rounds, tries, workers, maxTokens                      int
	seed                                                   int64
	temperature                                            float64
	replay                                                 bool
}

func newDataParaphraseCmd(st *State) *cobra.Command {
	var o dataParaphraseOptions
	cmd := &cobra.Command{
		Use:   "paraphrase FILE",
		Short: "Reword the encoded and tool attacks of a file",
		Long: `Rewords each text in several rounds and writes what passes the checks: payload letter for letter, other words
than the text and the other rounds, no refusal, same script, about the same length. What fails is tried again, counted
and dropped. Where FILE has a column attack_type, only encoded_attack and tool_injection are reworded.

The provider rules works offline by data/lists/paraphrase.yaml, on English texts. The provider chat asks a service that
speaks the protocol of OpenAI; its address and key are read from the environment variables named by --endpoint-env and
--key-env. Its answers are kept in --cache, a JSON Lines file that can be passed on: with --replay nothing is asked.`,
		Example: `  pidsbench data paraphrase attacks.csv --out reworded.csv
  pidsbench data paraphrase attacks.csv --out reworded.csv --provider chat --model NAME --cache answers.jsonl \
    --endpoint-env MY_ENDPOINT --key-env MY_KEY
  pidsbench data paraphrase attacks.csv --out reworded.csv --provider chat --model NAME --cache answers.jsonl --replay`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.check(cmd, st, args[0]); err != nil {
				return err
			}
			return runDataParaphrase(st, cmd, &o, args[0])
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.text, "text-column", "text", "the column that holds the text")
	f.SetNormalizeFunc(columnFlags("text"))
	f.StringVar(&o.out, "out", "", "the CSV file to write (required)")
	f.IntVar(&o.rounds, "rounds", 3, "rewordings of each text, 1 to 20")
	f.IntVar(&o.tries, "tries", 8, "tries for each rewording")
	f.Int64Var(&o.seed, "seed", 42, "seed of the draws of the rules")
	f.StringVar(&o.provider, "provider", "rules", "rules or chat")
	f.StringVar(&o.model, "model", "", "with chat: the name of the model")
	f.StringVar(&o.cache, "cache", "", "with chat: the file that keeps the answers")
	f.BoolVar(&o.replay, "replay", false, "with chat: take every answer from the cache, open no connection")
	f.StringVar(&o.endpointEnv, "endpoint-env", "", "with chat: the environment variable that holds the address")
	f.StringVar(&o.keyEnv, "key-env", "", "with chat: the environment variable that holds the key")
	f.Float64Var(&o.temperature, "temperature", 0.7, "with chat: 0 to 2")
	f.IntVar(&o.maxTokens, "max-tokens", 1024, "with chat: the most tokens of an answer")
	f.IntVar(&o.workers, "workers", 4, "texts in work at once")
	return cmd
}

// mostRounds is the most rewordings of a text: there are not many more that differ.
const mostRounds = 20

// chatFlags belong to the provider chat.
var chatFlags = []string{"model", "cache", "replay", "endpoint-env", "key-env", "temperature", "max-tokens"}

func (o *dataParaphraseOptions) check(cmd *cobra.Command, st *State, file string) error {
	usage := func(cure, format string, a ...any) error {
		return fault.New(fault.Usage, format, a...).WithCure("%s", cure)
	}
	if o.rounds < 1 || o.rounds > mostRounds {
		return usage("correct it", "--rounds is %d, expected 1 to %d", o.rounds, mostRounds)
	}
	for _, f := range []struct {
		flag string
		n    int
	}{{"tries", o.tries}, {"workers", o.workers}} {
		if f.n < 1 {
			return usage("correct it", "--%s is %d, expected 1 or more", f.flag, f.n)
		}
	}
	switch {
	case o.provider != "rules" && o.provider != "chat":
		return usage("give one of the two", "--provider is %q, expected rules or chat", o.provider)
	case o.out == "":
		return usage("name it with --out FILE", "no file to write is named")
	case strings.ToLower(filepath.Ext(o.out)) != ".csv":
		return usage("name it so", "%s is to be written as CSV, expected a name that ends in .csv", fault.Name(o.out))
	case sameFile(st.abs(o.out), st.abs(file)):
		return usage("name another file", "%s is the file that is read", fault.Name(o.out))
	case o.cache != "" && (sameFile(st.abs(o.out), st.abs(o.cache)) ||
		!o.replay && sameFile(st.abs(file), st.abs(o.cache))):
		return usage("name another file", "%s is the cache and another file as well", fault.Name(o.cache))
	}
	if o.provider == "rules" {
		for _, flag := range chatFlags {
			if cmd.Flags().Changed(flag) {
				return usage("add --provider chat or leave it out", "--%s belongs to --provider chat", flag)
			}
		}
		return nil
	}
	switch {
	case o.model == "" || o.cache == "":
		return usage("give both", "--provider chat needs --model and --cache")
	case o.replay && o.endpointEnv+o.keyEnv != "":
		return usage("leave out what is not meant", "--replay asks no service, and one is named")
	case !o.replay && o.endpointEnv == "":
		return usage("name the variable that holds it with --endpoint-env, or use --replay",
			"no address of a service is given")
	}
	for _, name := range []string{o.endpointEnv, o.keyEnv} {
		if name != "" && st.Getenv(name) == "" {
			return usage("set it", "the environment variable %s is empty", fault.Name(name))
		}
	}
	return nil
}

func runDataParaphrase(st *State, cmd *cobra.Command, o *dataParaphraseOptions, file string) (err error) {
	p, err := openProject(st, cmd)
	if err != nil {
		return err
	}
	rules, err := paraphrase.LoadRules(p.root, "data/lists/paraphrase.yaml")
	if err != nil {
		return err
	}
	split, err := dataset.ReadFile(st.abs(file), dataset.Mapping{Text: o.text, All: new(dataset.Injection)})
	if err != nil {
		return err
	}
	rows, seeds := paraphraseSeeds(split)
	provider := paraphrase.Provider(paraphrase.NewByRules(rules, o.seed))
	if o.provider == "chat" {
		var done func() error
		if provider, done, err = o.chat(st); err != nil {
			return err
		}
		defer func() {
			if cerr := done(); err == nil {
				err = cerr
			}
		}()
	}
	opts := paraphrase.Options{Rounds: o.rounds, Tries: o.tries, Workers: o.workers}
	if st.StderrTTY && !st.Quiet {
		bar := progressbar.NewOptions(len(seeds), progressbar.OptionSetWriter(st.Stderr), progressbar.OptionShowCount(),
			progressbar.OptionSetPredictTime(true), progressbar.OptionClearOnFinish())
		opts.Done = func() { bar.Add(1) } //nolint:errcheck // a bar that cannot be drawn stops nothing
		defer bar.Clear()                 //nolint:errcheck // see above
	}
	rep, err := paraphrase.Run(cmd.Context(), provider, rules, seeds, opts)
	if err != nil {
		return err
	}
	if err := writeParaphrases(st, o.out, split, rows, seeds, rep); err != nil {
		return err
	}
	got := map[string]int{}
	for _, x := range rep.Paraphrases {
		got[x.SeedID]++
	}
	fmt.Fprintf(st.Stdout, "%d of %d texts reworded: %d rewordings by %s, %d of %d rounds dropped\n", len(got), len(seeds),
		len(rep.Paraphrases), fault.Name(provider.Model()), len(rep.Dropped), len(seeds)*o.rounds)
	for _, reason := range rep.Reasons() {
		fmt.Fprintf(st.Stdout, "tries not used: %-24s %6d\n", reason, rep.Rejected[reason])
	}
	return nil
}

// chat opens the cache and the provider behind it; what it returns closes the cache.
func (o *dataParaphraseOptions) chat(st *State) (paraphrase.Provider, func() error, error) {
	s := paraphrase.Settings{Model: o.model, Temperature: o.temperature, MaxTokens: o.maxTokens}
	open, with := paraphrase.OpenCache, paraphrase.NewByModel
	if o.replay {
		open, with = paraphrase.ReadCache, paraphrase.NewReplay
	} else {
		s.Endpoint = st.Getenv(o.endpointEnv)
		if o.keyEnv != "" {
			s.Key = st.Getenv(o.keyEnv)
		}
	}
	cache, err := open(st.abs(o.cache))
	if err != nil {
		return nil, nil, err
	}
	p, err := with(s, cache)
	if err != nil {
		_ = cache.Close()
		return nil, nil, err
	}
	return p, cache.Close, nil
}

// paraphraseSeeds returns the rows of a file that are reworded, and the seed of each: each text once, under a hash of
// it.
func paraphraseSeeds(split *dataset.Split) (rows []int, seeds []paraphrase.Seed) {
	types, typed := split.Column("attack_type")
	languages, spoken := split.Column("language")
	seen := map[string]bool{}
	for i, r := range split.Rows {
		if r.Missing || seen[r.Text] || typed && types[i] != "encoded_attack" && types[i] != "tool_injection" {
			continue
		}
		seen[r.Text] = true
		sum := sha256.Sum256([]byte(r.Text))
		s := paraphrase.Seed{ID: "text_" + hex.EncodeToString(sum[:8]), Text: r.Text}
		if spoken {
			s.Language = languages[i]
		}
		rows, seeds = append(rows, i), append(seeds, s)
	}
	return rows, seeds
}

// writeParaphrases writes the rewordings, seed by seed and round by round.
func writeParaphrases(st *State, out string, split *dataset.Split, rows []int, seeds []paraphrase.Seed,
	rep *paraphrase.Report) error {
	header := []string{"row", "parent_seed_id", "text", "generator_model", "paraphrase_round"}
	types, typed := split.Column("attack_type")
	if typed {
		header = append(header, "attack_type")
	}
	ids, named := split.Column("parent_seed_id")
	rowOf := map[string]int{}
	for i, s := range seeds {
		rowOf[s.ID] = rows[i]
	}
	var records [][]string
	for _, x := range rep.Paraphrases {
		row := rowOf[x.SeedID]
		id := x.SeedID
		if named && ids[row] != "" {
			id = ids[row]
		}
		record := []string{strconv.Itoa(row), id, x.Text, x.GeneratorModel, strconv.Itoa(x.Round)}
		if typed {
			record = append(record, types[row])
		}
		records = append(records, record)
	}
	return st.writeWhole(out, func(w io.Writer) error { return dataset.WriteCSV(w, header, records) })
}
