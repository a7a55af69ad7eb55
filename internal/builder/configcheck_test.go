package builder

import (
	"testing"

	"pidsbench/internal/fault"
	"pidsbench/internal/testenv"
)

func TestTheConfigurationOfTextsOfOursNamesEachMistake(t *testing.T) {
	if err := small().cfg.check(); err != nil {
		t.Fatal(err)
	}
	const ours = "data/authored/x/ours.yaml"
	for _, tt := range []struct {
		name   string
		change func(*Config)
		say    string
	}{
		{"per_frame", func(c *Config) { c.Authored.Frames[0].PerFrame = 0 },
			"field authored.frames[0].per_frame holds 0, expected a positive number"},
		{"frame use", func(c *Config) { c.Authored.Frames[0].Use = Filler },
			"field authored.frames[0].use holds filler, expected one of [pool hard_benign hard_negative domain_ood]"},
		{"text use", func(c *Config) { c.Authored.Texts = []AuthoredFile{{ours, Pool}, {"data/authored/y.yaml", ""}} },
			"field authored.texts[1].use holds , expected one of"},
		{"text file", func(c *Config) { c.Authored.Texts = []AuthoredFile{{"data/texts.yaml", Pool}} },
			"field authored.texts[0].file holds data/texts.yaml, expected a file below data/authored/"},
		{"text file out of the folder", func(c *Config) {
			c.Authored.Texts = []AuthoredFile{{"data/authored/../texts.yaml", Pool}}
		}, "field authored.texts[0].file"},
		{"document file", func(c *Config) { c.Authored.Documents = []AuthoredFile{{"/etc/passwd", Pool}} },
			"field authored.documents[0].file holds /etc/passwd"},
		{"injections in a benign file", func(c *Config) { c.Authored.Documents = []AuthoredFile{{ours, Curated}} },
			"field authored.documents[0].use holds hard_benign, expected one of [pool domain_ood]"},
		{"two files of one name", func(c *Config) {
			c.Authored.Texts = []AuthoredFile{{ours, Pool}, {"data/authored/y/ours.yaml", Pool}}
		}, "field authored.texts[1].file holds data/authored/y/ours.yaml, expected each name of a file once"},
		{"min_chars", func(c *Config) { c.Carriers.MinChars = -1 }, "field carriers.min_chars holds -1, expected a count"},
		{"bare", func(c *Config) { c.Carriers.Bare = -2 }, "field carriers.bare holds -2"},
		{"asked", func(c *Config) { c.Carriers.Asked = -3 }, "field carriers.asked holds -3"},
		{"benign rewordings", func(c *Config) { c.Paraphrase.Benign = -1 }, "field paraphrase.benign holds -1"},
		{"rounds", func(c *Config) { c.Paraphrase.Rounds["tool_injection"] = -1 },
			"field paraphrase.rounds.tool_injection holds -1"},
		{"rounds of no type", func(c *Config) { c.Paraphrase.Rounds["own_benign"] = 1 },
			"field paraphrase.rounds holds own_benign, expected attack types"},
		{"third party", func(c *Config) { c.Domain["legal"] = Domain{Benign: 2, ThirdParty: 3} },
			"field domain_ood.legal.third_party holds 3, expected at most the benign rows, 2"},
		{"negative third party", func(c *Config) { c.Domain["legal"] = Domain{ThirdParty: -1} },
			"field domain_ood.legal.third_party holds -1, expected a count"},
		{"quota", func(c *Config) { c.Quotas.Val["own_own_benign"] = 1 }, "field quotas.val holds own_own_benign"},
		{"negative quota", func(c *Config) { c.Quotas.Val["own_benign"] = -1 }, "field quotas.val.own_benign holds -1"},
		{"benign quota", func(c *Config) { c.Quotas.Val["benign"] = 0 },
			"field quotas.val.benign holds 0, expected at least one row"},
		{"frame share", func(c *Config) { c.Balance.MaxFrame = 1001 }, "field balance"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := small().cfg
			tt.change(c)
			testenv.WantFault(t, c.check(), fault.Usage, ConfigPath, tt.say)
		})
	}
	c := small().cfg // texts and frames are named apart
	c.Authored.Texts = []AuthoredFile{{ours, Curated}}
	c.Authored.Documents = []AuthoredFile{{ours, DomainShift}}
	if err := c.check(); err != nil {
		t.Error(err)
	}
}

func TestCarriersComeFromSourcesOfTheLock(t *testing.T) {
	s := small()
	if err := s.cfg.checkSources(s.lock); err != nil {
		t.Error(err)
	}
	s.cfg.Carriers.Sources = append(s.cfg.Carriers.Sources, "leters")
	testenv.WantFault(t, s.cfg.checkSources(s.lock), fault.Usage, ConfigPath, `field carriers.sources holds "leters"`,
		LockPath)
}
