package builder

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"pidsbench/internal/authored"
	"pidsbench/internal/dataset"
	"pidsbench/internal/draw"
)

const stageCarriers = "carriers"

// carriers are the injections that stand in documents, and the requests that stand around them.
type carriers struct {
	rank     int                        // of CarrierSource
	own      map[string][]authored.Text // by the carrier of a document of ours
	general  []authored.Text            // for documents of others; named as frames are
	requests []authored.Request         // for documents of others; named as frames are
}

func loadCarriers(root string, files AuthoredConfig, rank int) (c carriers, err error) {
	c = carriers{rank: rank + slices.Index(OwnSources, CarrierSource), own: map[string][]authored.Text{}}
	for _, a := range files.Documents {
		f, err := authored.LoadCarriers(root, a.File)
		if err != nil {
			return c, err
		}
		name := func(id string) string { return frameID(CarrierSource, a.File, id) }
		for _, d := range f.Documents {
			for _, t := range d.Injections {
				t.ID = name(t.ID)
				c.own[name(d.ID)] = append(c.own[name(d.ID)], t)
			}
		}
		for _, t := range f.Injections {
			t.ID = name(t.ID)
			c.general = append(c.general, t)
		}
		for _, r := range f.Requests {
			r.ID = name(r.ID)
			c.requests = append(c.requests, r)
		}
	}
	return c, nil
}

// Carry adds matched carriers: a document clean, and with an injection at its start, in its middle and at its end. Each
// document of ours has injections of its own. Third-party documents of the pool are dealt in hash order: to requests,
// each with an injection of its own, and then, bare, to the other injections. Each serves once, and one that stands in
// a request leaves the pool. What shares an injection or a request is of one frame, and so of one family. Documents
// that are left over stay as they are; where they run out, requests and injections stay unused.
func Carry(in []Record, c carriers, cfg CarriersConfig, seed int64) (out []Record, removed []Removal) {
	docs, carried := c.documents(in, cfg, seed)
	asked, bare := map[string]bool{}, map[string]bool{}
	general := slices.Clone(c.general)
	draw.Order(general, seed, stageCarriers+" injection", func(t authored.Text) string { return t.ID })
	requests := slices.Clone(c.requests)
	draw.Order(requests, seed, stageCarriers+" request", func(r authored.Request) string { return r.ID })
	var added []Record
	n := min(len(requests), len(general))
	for i, req := range requests[:n] {
		for range cfg.Asked {
			some := docs.take(req.Documents)
			if some == nil {
				break
			}
			for _, d := range some {
				asked[d.ID] = true
			}
			added = append(added, c.ask(req, general[i], some, seed)...)
		}
	}
	for _, t := range general[n:] {
		for range cfg.Bare {
			if some := docs.take(1); some != nil {
				bare[some[0].ID] = true
				added = append(added, c.inject(some[0], t)...)
			}
		}
	}
	for _, r := range in {
		if asked[r.ID] {
			removed = append(removed, r.remove(stageCarriers, "stands in a request"))
			continue
		}
		if bare[r.ID] {
			r.Carrier = r.document()
		}
		out = append(out, r)
	}
	for _, d := range carried {
		for _, t := range c.own[d.Carrier] {
			out = append(out, c.inject(d, t)...)
		}
	}
	out = append(out, added...)
	canonical(out)
	return out, removed
}

// inject puts an injection into a document, once at each position.
func (c carriers) inject(d Record, t authored.Text) (out []Record) {
	for _, at := range authored.Positions {
		r := c.record(d, authored.Place(d.Text, t.Text, at), dataset.Injection, t.ID, t)
		r.Placement = at.String()
		out = append(out, r)
	}
	return out
}

// ask puts documents into a request, clean, and with an injection at each position of one of them.
func (c carriers) ask(req authored.Request, t authored.Text, docs []Record, seed int64) []Record {
	first := docs[0]
	names := make([]string, len(docs))
	for i, d := range docs {
		names[i] = d.Carrier
	}
	first.Carrier = strings.Join(names, " ")
	clean := c.record(first, req.Fill(texts(docs)...), dataset.Benign, req.ID, t)
	clean.Disputed = slices.ContainsFunc(docs, func(d Record) bool { return d.Disputed })
	out := []Record{clean}
	which := draw.New(seed, stageCarriers, clean.ID).Below(len(docs))
	for _, at := range authored.Positions {
		filled := texts(docs)
		filled[which] = authored.Place(filled[which], t.Text, at)
		r := c.record(first, req.Fill(filled...), dataset.Injection, req.ID, t)
		r.Placement = at.String()
		out = append(out, r)
	}
	return out
}

// record is a text that was made of a document, in whose language it is.
func (c carriers) record(d Record, text string, label dataset.Label, frame string, t authored.Text) Record {
	r := Record{
		ID: recordID(CarrierSource, label, text), Text: text, Label: label, Source: CarrierSource, Rank: c.rank,
		Role: d.Role, Language: d.Language, Authorship: t.Authorship, License: d.License, Carrier: d.Carrier,
		Frame: frame, Own: true, Domain: d.Domain, Obfuscation: "none",
	}
	if label == dataset.Injection {
		r.AttackType, r.AttackRule = t.Subtype, "authored"
	}
	return r
}

// precedence says which rows go into a quota first: 0 for those of families with matched carriers, which tell more
// whole, 1 for others, 2 for texts that fill a frame of ours.
func precedence(in []Record) func(Record) int {
	carried := map[string]bool{}
	for _, r := range in {
		if r.Source == CarrierSource {
			carried[r.Family] = true
		}
	}
	return func(r Record) int {
		switch {
		case carried[r.Family]:
			return 0
		case r.Source == TemplateSource:
			return 2
		}
		return 1
	}
}

// deck holds third-party documents by source, in hash order.
type deck map[string]*pile

type pile struct {
	left  []Record
	total int
}

// documents finds the documents of ours that have injections, and those of others that may get one: plain, long enough
// and with a middle, of no domain that the domain split takes, and the only text of their carrier.
func (c carriers) documents(in []Record, cfg CarriersConfig, seed int64) (d deck, carried []Record) {
	rows := map[string]int{}
	for _, r := range in {
		rows[r.document()]++
	}
	d = deck{}
	for _, r := range inHashOrder(in, seed, stageCarriers) {
		r.Carrier = r.document()
		switch {
		case r.Label != dataset.Benign || r.Obfuscation != "none":
		case r.Own && len(c.own[r.Carrier]) > 0:
			carried = append(carried, r)
		case r.Role == Pool && !r.Own && r.Domain == "" && rows[r.Carrier] == 1 &&
			slices.Contains(cfg.Sources, r.Source) && utf8.RuneCountInString(r.Text) >= cfg.MinChars &&
			authored.HasMiddle(r.Text):
			if d[r.Source] == nil {
				d[r.Source] = &pile{}
			}
			d[r.Source].left = append(d[r.Source].left, r)
			d[r.Source].total++
		}
	}
	return d, carried
}

// document names the document that a row is or comes from: a text that its source has no name for is named after its
// record.
func (r Record) document() string { return cmp.Or(r.Carrier, r.ID) }

// take deals n documents of one source, of those that have so many the one with the greatest share left; nil when none
// has.
func (d deck) take(n int) []Record {
	var best *pile
	for _, s := range slices.Sorted(maps.Keys(d)) {
		if p := d[s]; len(p.left) >= n && (best == nil || len(p.left)*best.total > len(best.left)*p.total) {
			best = p
		}
	}
	if best == nil {
		return nil
	}
	some := best.left[:n]
	best.left = best.left[n:]
	return some
}
