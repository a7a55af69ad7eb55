package nanoguard

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// p2 begins a pickle of protocol 2.
const p2 = "\x80\x02"

func TestReadPickleTakesWhatModelFilesHold(t *testing.T) {
	for name, c := range map[string]struct {
		in   string
		want any
	}{
		"dict":     {p2 + "}q\x00(X\x01\x00\x00\x00aK\x07X\x01\x00\x00\x00bM\x00\x02u.", dict{"a": int64(7), "b": int64(512)}},
		"bytes":    {"\x80\x04\x95\x00\x00\x00\x00\x00\x00\x00\x00}(C\x02\x00\xffK\x01u.", dict{byteText("\x00\xff"): int64(1)}},
		"negative": {p2 + "J\xff\xff\xff\xff.", int64(-1)},
		"float":    {p2 + "G\x3f\xe0\x00\x00\x00\x00\x00\x00.", 0.5},
		"tuples":   {p2 + "(K\x01\x85K\x02K\x03\x86)\x89t.", tuple{tuple{int64(1)}, tuple{int64(2), int64(3)}, tuple(nil), false}},
		"memo":     {"\x80\x04\x8c\x01a\x94r\x00\x01\x00\x00h\x00\x86.", tuple{"a", "a"}},
		"call":     {p2 + "ccollections\nOrderedDict\n)R.", &call{orderedDict, nil}},
		"storage":  {p2 + "(X\x07\x00\x00\x00storagectorch\nFloatStorage\ntQ.", persistent{"storage", floatStorage}},
		"object":   {"\x80\x04\x8c\x0dtiktoken.core\x8c\x08Encoding\x93)\x81}b.", &object{encodingClass, dict{}}},
	} {
		got, err := readPickle([]byte(c.in))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(c.want, got, cmp.AllowUnexported(call{}, object{})); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestReadPickleRefusesAllElse(t *testing.T) {
	for name, c := range map[string]struct{ in, say string }{
		"a command":          {p2 + "cos\nsystem\nX\x02\x00\x00\x00id\x85R.", `name "os.system"`},
		"a builtin":          {"\x80\x04\x8c\x08builtins\x8c\x04eval\x93.", `name "builtins.eval"`},
		"an old command":     {"(S'id'\nios\nsystem\n.", "opcode 0x53"},
		"an extension":       {p2 + "\x82\x01.", "opcode 0x82"},
		"a loader":           {p2 + "ctorch\nload\n.", `name "torch.load"`},
		"a new protocol":     {"\x80\x05.", "protocol 5"},
		"nothing":            {"", "at byte 0"},
		"no end":             {p2 + "}", "at byte 3"},
		"no value":           {p2 + ".", "0 values"},
		"two values":         {p2 + "K\x01K\x02.", "2 values"},
		"more behind it":     {p2 + "K\x01.K\x02.", "3 bytes more"},
		"an open mark":       {p2 + "K\x01(.", "1 marks"},
		"deep":               {p2 + strings.Repeat("(", 1000), "nested deeper than 64"},
		"long":               {p2 + strings.Repeat("K\x01", 1<<19) + ".", "at most 1048576"},
		"a cut text":         {p2 + "X\xff\xff\xff\xffa", "expected 4294967295"},
		"no UTF-8":           {p2 + "X\x01\x00\x00\x00\xff.", "UTF-8"},
		"no number":          {p2 + "h\x05.", "value 5 was not kept"},
		"an odd dict":        {p2 + "}(K\x01u.", "has no value"},
		"a key of numbers":   {p2 + "}(K\x01K\x01u.", "expected text or bytes"},
		"a key twice":        {p2 + "}(X\x01\x00\x00\x00aK\x01X\x01\x00\x00\x00aK\x02u.", "stands twice"},
		"items of no dict":   {p2 + "K\x01(u.", "expected a dict"},
		"no mark":            {p2 + "}u.", "no mark"},
		"items over a mark":  {p2 + "K\x01(K\x02\x86.", "no value is left"},
		"a call of a text":   {p2 + "X\x01\x00\x00\x00a)R.", "expected the name"},
		"no arguments":       {p2 + "ctorch\nFloatStorage\nK\x01R.", "expected a tuple of arguments"},
		"state of a number":  {p2 + "K\x01}b.", "expected an object"},
		"object of a number": {"\x80\x04\x8c\x0dtiktoken.core\x8c\x08Encoding\x93K\x01\x85\x81.", "1 arguments"},
		"storage of a text":  {p2 + "X\x01\x00\x00\x00aQ.", "expected a tuple"},
		"an unended name":    {p2 + "ctorch", "no end"},
	} {
		v, err := readPickle([]byte(c.in))
		if err == nil || !strings.Contains(err.Error(), c.say) {
			t.Errorf("%s gives a %T and %v, expected an error that says %q", name, v, err, c.say)
		}
	}
}

// FuzzPickle looks for bytes that end the process or take more than they give.
func FuzzPickle(f *testing.F) {
	f.Add([]byte(p2 + "}(X\x01\x00\x00\x00aK\x07X\x01\x00\x00\x00bM\x00\x02u."))
	f.Add([]byte(p2 + "ctorch._utils\n_rebuild_tensor_v2\n((X\x07\x00\x00\x00storagectorch\nFloatStorage\ntQK\x00)t\x89R."))
	f.Add([]byte("\x80\x04\x8c\x0dtiktoken.core\x8c\x08Encoding\x93)\x81\x94}\x94(C\x01a\x94K\x00ub."))
	f.Add([]byte(p2 + "}q\x00(X\x01\x00\x00\x00ah\x00u.")) // a dict that holds itself
	f.Fuzz(func(t *testing.T, data []byte) {
		if v, err := readPickle(data); (v == nil) == (err == nil) {
			t.Fatalf("%q gives a %T and %v", data, v, err)
		}
		if v, err := readVocabulary(data); err == nil && len(v.tokens) < 256 {
			t.Fatalf("%q gives a vocabulary of %d tokens", data, len(v.tokens))
		}
	})
}
