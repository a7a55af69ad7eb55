package render

import (
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pidsbench/internal/testenv"
)

// harness opens the page at the width of a phone and on a desk, uses it, and writes down what it sees.
const harness = `<!DOCTYPE html><meta charset="utf-8"><body><pre id="out"></pre><script>
const names = (doc, table) => Array.from(doc.querySelectorAll('table[data-table=' + table + '] tbody tr'))
  .filter((r) => !r.hidden).map((r) => r.cells[0].textContent.slice(0, 12));
const heads = (doc) => Array.from(doc.querySelectorAll('table[data-table=main] thead th')).filter((h) => !h.hidden)
  .map((h) => h.textContent.trim());
const open = (width, fragment) => new Promise((done) => {
  const f = document.createElement('iframe');
  f.width = width; f.height = 900; f.src = '/page' + fragment; f.onload = () => done(f); document.body.append(f);
});
const later = () => new Promise((done) => setTimeout(done, 50));
(async () => {
  const out = {};
  const f = await open(390, '');
  const doc = f.contentDocument, win = f.contentWindow;
  const table = doc.querySelector('table[data-table=main]');
  out.PhoneFits = doc.documentElement.scrollWidth <= doc.documentElement.clientWidth;
  out.TableScrolls = table.parentElement.scrollWidth > table.parentElement.clientWidth;
  out.Sticky = win.getComputedStyle(table.tHead.rows[0].cells[1]).position;
  out.Start = names(doc, 'main');
  const button = table.tHead.rows[0].cells[1].querySelector('button');
  button.focus();
  out.Focused = doc.activeElement === button;
  button.click();
  out.Ascending = names(doc, 'main'); out.Aria = table.tHead.rows[0].cells[1].getAttribute('aria-sort');
  button.click();
  out.Descending = names(doc, 'main');
  table.tHead.rows[0].cells[0].querySelector('button').click();
  out.ByName = names(doc, 'main'); out.AriaBefore = table.tHead.rows[0].cells[1].getAttribute('aria-sort') || '';
  const box = (name) => Array.from(doc.querySelectorAll('.filters input')).find((b) => b.value === name);
  box('Beta').click(); box('hard_benign').click();
  out.Filtered = names(doc, 'main'); out.Heads = heads(doc); out.Counts = names(doc, 'confusion');
  out.Address = win.location.hash;
  doc.querySelector('.filters button[type=reset]').click(); await later();
  out.Reset = [names(doc, 'main').length, heads(doc).length, names(doc, 'confusion').length];
  const find = doc.getElementById('find');
  find.value = 'LIGHT'; find.dispatchEvent(new win.Event('input'));
  out.Found = names(doc, 'errors');
  const back = () => win.getComputedStyle(doc.body).backgroundColor;
  const before = back(), theme = doc.getElementById('theme');
  theme.click(); out.ThemeChanges = back() !== before; theme.click(); out.ThemeReturns = back() === before;
  out.Requests = win.performance.getEntriesByType('resource').length;
  const g = await open(1280, out.Address + '&sort=main,9,ascending&sort=none,1,ascending&theme=dark');
  out.Again = names(g.contentDocument, 'main'); out.AgainHeads = heads(g.contentDocument);
  out.Dark = g.contentWindow.getComputedStyle(g.contentDocument.body).backgroundColor;
  out.DeskFits = g.contentDocument.documentElement.scrollWidth <= g.contentDocument.documentElement.clientWidth;
  out.Hit = [window.hit, win.hit, g.contentWindow.hit].filter((h) => h !== undefined).length;
  document.getElementById('out').textContent = JSON.stringify(out);
})().catch((e) => { document.getElementById('out').textContent = JSON.stringify({ Failed: String(e) }); });
</script>`

func TestThePageWorksInABrowser(t *testing.T) {
	chromium := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			chromium = path
			break
		}
	}
	if chromium == "" {
		testenv.Missing(t, "Chromium (the command chromium, chromium-browser or google-chrome)")
	}
	page := htmlOf(t, samplePage())
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		switch req.URL.Path {
		case "/":
			fmt.Fprint(w, harness)
		case "/page":
			fmt.Fprint(w, page)
		default:
			http.NotFound(w, req)
		}
	}))
	defer server.Close()
	dom, err := exec.CommandContext(t.Context(), chromium, "--headless", "--no-sandbox", "--disable-gpu",
		"--disable-dev-shm-usage",
		"--user-data-dir="+t.TempDir(), "--virtual-time-budget=30000", "--dump-dom", server.URL).Output()
	if err != nil {
		t.Fatalf("%v: %s", err, dom)
	}
	m := regexp.MustCompile(`<pre id="out">(.*?)</pre>`).FindSubmatch(dom)
	if m == nil {
		t.Fatalf("the browser shows %s", dom)
	}
	type seen struct {
		PhoneFits, DeskFits, TableScrolls, Focused, ThemeChanges, ThemeReturns      bool
		Sticky, Aria, AriaBefore, Address, Dark, Failed                             string
		Start, Ascending, Descending, ByName, Filtered, Heads, Counts, Found, Again []string
		AgainHeads                                                                  []string
		Reset                                                                       []int
		Requests, Hit                                                               int
	}
	var got seen
	if err := json.Unmarshal([]byte(html.UnescapeString(string(m[1]))), &got); err != nil {
		t.Fatalf("%v: %s", err, m[1])
	}
	want := seen{
		PhoneFits: true, DeskFits: true, TableScrolls: true, Focused: true, ThemeChanges: true, ThemeReturns: true,
		Sticky: "sticky", Aria: "ascending", Dark: "rgb(20, 24, 29)",
		Start:      []string{"Beta", "<script>pare", "Alpha", "Gamma", "Always block"},
		Ascending:  []string{"Gamma", "Beta", "Alpha", "<script>pare", "Always block"},
		Descending: []string{"Alpha", "Beta", "Gamma", "<script>pare", "Always block"},
		ByName:     []string{"<script>pare", "Alpha", "Beta", "Gamma", "Always block"},
		Filtered:   []string{"<script>pare", "Alpha", "Gamma", "Always block"},
		Heads:      []string{"Detector", "IID F1", "Threshold"},
		Counts:     []string{},
		Address:    "#sort=main%2C0%2Cascending&hide-detector=Beta&hide-axis=hard_benign",
		Reset:      []int{5, 4, 2},
		Found:      []string{"Alpha"},
		Again:      []string{"<script>pare", "Alpha", "Gamma", "Always block"},
		AgainHeads: []string{"Detector", "IID F1", "Threshold"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
