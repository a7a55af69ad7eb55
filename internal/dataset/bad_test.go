package dataset

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pidsbench/internal/fault"
)

// nul16 spells ASCII text as UTF-16, little-endian, without a byte order mark.
func nul16(s string) string {
	var b strings.Builder
	for i := range len(s) {
		b.WriteString(s[i:i+1] + "\x00")
	}
	return b.String()
}

func TestBadFilesEndInOneSentence(t *testing.T) {
	injection := Injection
	const header = "id,text,label\n"
	const spell = "; tell which class it is with --positive or --negative"
	const names = "; give every column a name of its own (an index column needs one too, or is left out)"
	const twice = "; write each quote inside the text twice"
	tests := []struct {
		name, file, data string
		mapping          Mapping
		kind             fault.Kind
		want             string
	}{
		// What the file is at all.
		{name: "empty", data: "", want: "t.csv is empty, expected a header and rows"},
		{name: "only a byte order mark", data: "\ufeff", want: "t.csv is empty, expected a header and rows"},
		{name: "only blank lines", data: "\r\n\n\n", want: "t.csv is empty, expected a header and rows"},
		{name: "header only", data: header, want: "t.csv holds a header and no rows, expected at least one row"},
		{name: "LFS pointer", data: "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 25573\n",
			want: "t.csv is a Git LFS pointer to a file of 25573 bytes, expected plain UTF-8 text; fetch the file " +
				"itself " +
				"with `git lfs pull`"},
		{name: "LFS pointer as JSON", file: "t.jsonl", data: "version https://git-lfs.github.com/spec/v1\n",
			want: "t.jsonl is a Git LFS pointer, expected plain UTF-8 text; fetch the file itself with `git lfs pull`"},
		{name: "Excel", data: "PK\x03\x04\x14\x00[Content_Types].xml…xl/workbook.xml",
			want: "t.csv is an Excel workbook, expected plain UTF-8 text; export it as CSV first"},
		{name: "ZIP", data: "PK\x03\x04\x14\x00train.csv",
			want: "t.csv is a ZIP archive, expected plain UTF-8 text; unpack it first"},
		{name: "old Excel", data: "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\x00",
			want: "t.csv is an old Excel or Office file, expected plain UTF-8 text; export it as CSV first"},
		{name: "gzip", data: "\x1f\x8b\x08\x00", want: "t.csv is compressed with gzip, expected plain UTF-8 text; " +
			"unpack it first"},
		{name: "Parquet", data: "PAR1\x15\x04\x00", want: "t.csv is a Parquet file, expected plain UTF-8 text; " +
			"rename it to .parquet"},
		{name: "Arrow", data: "ARROW1\x00\x00", want: "t.csv is an Arrow file, expected plain UTF-8 text; save it " +
			"as .parquet"},
		{name: "Arrow stream", data: "\xff\xff\xff\xff\x10\x01\x00\x00",
			want: "t.csv is an Arrow file, expected plain UTF-8 text; save it as .parquet"},
		{name: "web page", data: "\n<!DOCTYPE html>\n<html>", want: "t.csv is a web page (HTML), expected plain " +
			"UTF-8 text; " +
			"download the file itself: the page is often a login form or an error message"},
		{name: "UTF-16 with mark", data: "\xff\xfet\x00e\x00", want: "t.csv is UTF-16 text, expected plain UTF-8 " +
			"text; save it as UTF-8"},
		{name: "UTF-16 without mark", data: nul16("text,label\na,0\n"),
			want: "t.csv is UTF-16 text, expected plain UTF-8 text; save it as UTF-8"},
		{name: "UTF-32", data: "\xff\xfe\x00\x00t\x00\x00\x00", want: "t.csv is UTF-32 text, expected plain UTF-8 " +
			"text; save it as UTF-8"},
		{name: "JSON named CSV", data: `{"text":"a","label":0}`, want: "t.csv holds JSON, expected comma-separated " +
			"values; " +
			"rename it to .jsonl (an object a line) or .json (a list of objects)"},
		{name: "unknown extension", file: "t.txt", data: "a", kind: fault.Usage,
			want: `t.txt has the extension ".txt", expected .csv, .tsv, .jsonl, .json or .parquet`},
		{name: "Arrow by its name", file: "t.arrow", data: "a", kind: fault.Usage,
			want: "t.arrow is an Arrow file by its name, expected .csv, .tsv, .jsonl, .json or .parquet; save it as .parquet"},
		{name: "tabs in a row", file: "t.tsv", data: "text\tlabel\na\tb\t0\n",
			want: `t.tsv:2: the row has 3 fields, expected 2 ("text", "label"); put a text that holds tabs in quotes`},
		{name: "text behind a quote in TSV", file: "t.tsv", data: "text\tlabel\n\"a\" b\t0\n", want: `t.tsv:2: column ` +
			`"text" has text behind its closing quote (" b\t0"), expected a tab or the end of the row` + twice},
		{name: "no Parquet", file: "t.parquet", data: "text,label\na,0\n",
			want: "t.parquet is no Parquet file, expected one that begins and ends with PAR1; give it the extension of what " +
				"it is"},

		// Columns.
		{name: "no text column", data: "goal,target\na,b\n", want: `t.csv:1: there is no column "text" and no column ` +
			`"label" among "goal", "target"; name it with --text-column (perhaps goal) and --label-column, or say ` +
			`that all ` +
			`rows are of one class with --label benign|injection`},
		{name: "column of other case", data: "Text,label\na,0\n",
			want: `t.csv:1: there is no column "text" among "Text", "label"; name it with --text-column (perhaps ` +
				`Text)`},
		{name: "column with spaces", data: "text, label\na,0\n", want: `t.csv:1: there is no column "label" among ` +
			`"text", ` +
			`" label"; name it with --label-column (perhaps " label"), or say that all rows are of one class with ` +
			`--label benign|injection`},
		{name: "named column absent", data: "text,label\na,0\n", mapping: Mapping{Text: "prompt"}, kind: fault.Usage,
			want: `t.csv:1: there is no column "prompt" among "text", "label"; name it with --text-column`},
		{name: "no label for one class", data: "goal\na\n", mapping: Mapping{All: &injection},
			want: `t.csv:1: there is no column "text" among "goal"; name it with --text-column (perhaps goal)`},
		{name: "semicolons", data: "text;label\na;0\n", want: `t.csv:1: there is no column "text" and no column ` +
			`"label" ` +
			`among "text;label"; separate the columns by commas`},
		{name: "duplicate column", data: "text,label,text\na,0,b\n",
			want: `t.csv:1: columns 1 and 3 are both named "text"` + names},
		{name: "index column", data: ",text,label\n0,a,0\n", want: "t.csv:1: the name of column 1 is empty" + names},
		{name: "NUL in a column name", data: "a\x00,text\n", want: `t.csv:1: the name of column 1 holds a NUL byte ` +
			`("a\x00")` + names},
		{name: "one column for both", data: "text,label\na,0\n", mapping: Mapping{Text: "label"}, kind: fault.Usage,
			want: `column "label" is used for both text and label; name two columns with --text-column and ` +
				`--label-column`},
		{name: "one name for " +
			"both", data: "text,label\na,0\n", mapping: Mapping{Text: "a", Label: "a"}, kind: fault.Usage,
			want: `column "a" is named for both text and label; name two columns`},

		// Rows.
		{name: "too many fields", data: header + "1,a,0\n2,b, c,1\n", want: `t.csv:3: the row has 4 fields, ` +
			`expected 3 ` +
			`("id", "text", "label"); put a text that holds commas in quotes`},
		{name: "too few fields", data: header + "1,\"a\nb\",0\n\"2\nb\"\n", want: `t.csv:4: the row has 1 field, ` +
			`expected 3 ` +
			`("id", "text", "label"); fill in the missing fields, or put a text that holds line breaks in quotes`},
		{name: "blank line", data: header + "1,a,0\n\n2,b,1\n", want: "t.csv:3: the line is blank, expected a row; " +
			"delete " +
			`the line (an empty field alone in its row is written "")`},
		{name: "unclosed quote", data: header + "1,a,0\n2,\"b,1\n3,c,0\n",
			want: `t.csv:3: column "text" opens a quote that is never closed; close it, and write each quote inside ` +
				`the text twice`},
		{name: "unclosed quote deep in a row", data: header + "1,\"a\n\nb\",0\n2,\"x\ny\",\"0\n",
			want: `t.csv:6: column "label" opens a quote that is never closed; close it, and write each quote ` +
				`inside the text twice`},
		{name: "unclosed quote in the header", data: "id,\"text\n1,a\n",
			want: "t.csv:1: field 2 opens a quote that is never closed; close it, and write each quote inside the " +
				"text twice"},
		{name: "stray quote", data: header + "1,say \"hi\",0\n", want: `t.csv:2: column "text" holds a quote inside ` +
			`a field ` +
			`that is not in quotes ("say \""); put the whole field in quotes and write each quote inside it twice`},
		{name: "space before the quote", data: header + "1, \"hi\",0\n", want: `t.csv:2: column "text" holds a ` +
			`quote inside ` +
			`a field that is not in quotes (" \""); put the whole field in quotes and write each quote inside it ` +
			`twice`},
		{name: "text behind the quote", data: header + "1,\"hi\" there,0\n", want: `t.csv:2: column "text" has text ` +
			`behind ` +
			`its closing quote (" there,0"), expected a comma or the end of the row` + twice},
		{name: "CR behind the quote", data: header + "1,\"hi\"\r,0\n", want: `t.csv:2: column "text" has text behind ` +
			`its closing quote ("\r,0"), expected a comma or the end of the row` + twice},
		{name: "bare CR", data: header + "1,a\rb,0\n", want: `t.csv:2: column "text" holds a carriage return ` +
			`outside quotes ` +
			`that no line feed follows; put the text in quotes, or end rows with LF or CRLF`},
		{name: "CR at the end", data: header + "1,a,0\r", want: `t.csv:2: column "label" holds a carriage return ` +
			`outside quotes ` +
			`that no line feed follows; put the text in quotes, or end rows with LF or CRLF`},
		{name: "invalid UTF-8", data: header + "1,a,0\n2,caf\xe9,0\n",
			want: `t.csv:3: column "text" holds the byte 0xE9 at offset 25 of the file, which is not UTF-8; save ` +
				`the file as UTF-8`},
		{name: "invalid UTF-8 in quotes", data: header + "1,\"\n\xed\xa0\x80\",0\n",
			want: `t.csv:3: column "text" holds the byte 0xED at offset 18 of the file, which is not UTF-8; save ` +
				`the file as UTF-8`},

		// Texts and labels.
		{name: "empty text", data: header + "1,,0\n", want: `t.csv:2: column "text" is empty, expected a text; fill ` +
			`it in or ` +
			`delete the row (a withheld text needs its hash in column text_sha256)`},
		{name: "empty text and hash", data: "text,label,text_sha256\n\"\",0,\n", want: `t.csv:2: column "text" is ` +
			`empty, ` +
			`expected a text; fill it in or delete the row (a withheld text needs its hash in column text_sha256)`},
		{name: "withheld text with a bad hash", data: "text,label,text_sha256\n,0,ABC\n",
			want: `t.csv:2: column "text_sha256" holds "ABC", expected 64 lower-case hexadecimal digits`},
		{name: "empty label", data: header + "1,a,\n",
			want: `t.csv:2: column "label" is empty, expected 0, 1, benign or injection; give every row a label`},
		{name: "unknown label", data: header + "1,\"a\nb\",0\n2,b,malicious\n",
			want: `t.csv:4: column "label" holds "malicious", expected 0, 1, benign or injection` + spell},
		{name: "decimal label", data: header + "1,a,1.0\n",
			want: `t.csv:2: column "label" holds "1.0", expected 0, 1, benign or injection` + spell},
		{name: "label of other case", data: header + "1,a,Benign\n",
			want: `t.csv:2: column "label" holds "Benign", expected 0, 1, benign or injection; write it as benign`},
		{name: "label with spaces", data: header + "1,a, 1\n",
			want: `t.csv:2: column "label" holds " 1", expected 0, 1, benign or injection; write it as 1`},
		{name: "label outside the mapping", data: header + "1,a,safe\n2,b,other\n",
			mapping: Mapping{Negative: []string{"safe"}, Positive: []string{"unsafe"}},
			want:    `t.csv:3: column "label" holds "other", expected 0, 1, benign, injection, safe or unsafe` + spell},
		{name: "label of a pair read the " +
			"other way", data: header + "1,a,1\n2,b,0\n", mapping: Mapping{Negative: []string{"1"}},
			want: `t.csv:3: column "label" holds "0", expected benign, injection or 1` + spell},
		{name: "hostile label", data: header + "1,a,\x1b]0;" + strings.Repeat("x", 99) + "\n",
			want: `t.csv:2: column "label" holds "\x1b]0;` + strings.Repeat("x", 36) + `"…, expected 0, 1, benign ` +
				`or injection` + spell},
		{name: "spelling of both classes", data: header + "1,a,x\n", kind: fault.Usage,
			mapping: Mapping{Negative: []string{"x"}, Positive: []string{"x"}},
			want:    `the spelling "x" is given for both classes; give it for one of them`},
		{name: "empty spelling", data: header, mapping: Mapping{Negative: []string{""}}, kind: fault.Usage,
			want: "an empty spelling is given for a class, expected at least a character"},
		{name: "one class and a label " +
			"column", data: header, mapping: Mapping{Label: "y", All: &injection}, kind: fault.Usage,
			want: "all rows are said to be of one class and a label column or spelling is given as well; give one " +
				"of the two"},

		// JSON Lines.
		{name: "empty JSONL", file: "t.jsonl", data: "", want: "t.jsonl is empty, expected an object a row"},
		{name: "blank JSONL", file: "t.jsonl", data: "\n \n", want: "t.jsonl has no object, expected an object a row"},
		{name: "torn last " +
			"line", file: "t.jsonl", data: "{\"text\":\"a\",\"label\":0}\n{\"text\":\"b", want: "t.jsonl:2: the text " +
			"ends where the closing quote of a string should stand; the last line is cut off: copy the file again, " +
			"or delete that line"},
		{name: "object over lines", file: "t.jsonl", data: "{\"text\":\"a\",\n\"label\":0}\n", want: "t.jsonl:1: " +
			"the text ends " +
			"where a name should stand; write each object on a single line, or use .json for a list of objects"},
		{name: "blank line " +
			"between", file: "t.jsonl", data: "{\"text\":\"a\",\"label\":0}\n\n{\"text\":\"b\",\"label\":0}\n",
			want: "t.jsonl:2: the line is blank, expected an object; delete it"},
		{name: "two objects on a line", file: "t.jsonl", data: `{"text":"a","label":0} {"text":"b","label":0}`,
			want: `t.jsonl:1: "{" stands behind the object, expected the end of the line; write each object on a ` +
				`line of its own`},
		{name: "list in JSONL", file: "t.jsonl", data: "[]", want: `t.jsonl:1: the line starts with "[", expected ` +
			`an object; ` +
			"rename a list of objects to .json"},
		{name: "CSV named JSONL", file: "t.jsonl", data: "text,label\n", want: `t.jsonl:1: the line starts with ` +
			`"text", ` +
			`expected an object; write each row as {"text": …, "label": …} on a line of its own`},
		{name: "duplicate field", file: "t.jsonl", data: `{"text":"a","label":0,"t\u0065xt":"b"}`,
			want: `t.jsonl:1: field "text" stands twice in one object; delete one of them`},
		{name: "lone surrogate", file: "t.jsonl", data: `{"text":"a\ud800b","label":0}`, want: `t.jsonl:1: a string ` +
			`holds half ` +
			`a surrogate pair (\ud800), which is no character; write the text again from its source, or drop the ` +
			`escape`},
		{name: "surrogates the wrong way " +
			"round", file: "t.jsonl", data: `{"text":"\udc00\ud800","label":0}`, want: `t.jsonl:1: ` +
			`a string holds half a surrogate pair (\udc00), which is no character; write the text again from its ` +
			`source, or drop the escape`},
		{name: "unknown escape", file: "t.jsonl", data: `{"text":"\x41","label":0}`,
			want: `t.jsonl:1: a string holds the escape "\\x", which JSON does not know`},
		{name: "short escape", file: "t.jsonl", data: `{"text":"\u00g0","label":0}`,
			want: `t.jsonl:1: a string holds \u without four hexadecimal digits`},
		{name: "control character", file: "t.jsonl", data: "{\"text\":\"a\tb\",\"label\":0}", want: "t.jsonl:1: a " +
			"string holds " +
			`the control character U+0009 as it is, expected an escape; write it as \u0009`},
		{name: "number as text", file: "t.jsonl", data: `{"text":17,"label":0}`, want: `t.jsonl:1: field "text" ` +
			`holds a number, ` +
			"expected a string; give every row a text, or name another column with --text-column"},
		{name: "list as text", file: "t.jsonl", data: `{"text":["a"],"label":0}`, want: `t.jsonl:1: field "text" ` +
			`holds a list, ` +
			"expected a string; give every row a text, or name another column with --text-column"},
		{name: "missing " +
			"text", file: "t.jsonl", data: "{\"text\":\"a\",\"label\":0}\n{\"label\":0}\n", want: `t.jsonl:2: field ` +
			`"text" ` +
			"is missing; give every row a text, or name another column with --text-column"},
		{name: "missing label", file: "t.jsonl", data: "{\"text\":\"a\",\"label\":0}\n{\"text\":\"b\"}\n",
			want: `t.jsonl:2: column "label" is missing, expected 0, 1, benign or injection; give every row a label`},
		{name: "null label", file: "t.jsonl", data: `{"text":"a","label":null}`,
			want: `t.jsonl:1: column "label" holds null, expected 0, 1, benign or injection; give every row a label`},
		{name: "decimal number label", file: "t.jsonl", data: `{"text":"a","label":1.0}`,
			want: `t.jsonl:1: column "label" holds "1.0", expected 0, 1, benign or injection` + spell},
		{name: "boolean spelled as a string", file: "t.jsonl", data: `{"text":"a","label":"true"}`,
			want: `t.jsonl:1: column "label" holds "true", expected 0, 1, benign or injection` + spell},
		{name: "boolean read the " +
			"other way", file: "t.jsonl", data: `{"text":"a","label":true}` + "\n" + `{"text":"a","label":false}`,
			mapping: Mapping{Negative: []string{"true"}},
			want:    `t.jsonl:2: column "label" holds "false", expected 0, 1, benign, injection or true` + spell},
		{name: "number with a leading zero", file: "t.jsonl", data: `{"text":"a","label":01}`, want: `t.jsonl:1: ` +
			`"01" is no number`},
		{name: "not a number", file: "t.jsonl", data: `{"text":"a","label":NaN}`,
			want: `t.jsonl:1: "NaN" stands where a value should`},
		{name: "missing comma", file: "t.jsonl", data: `{"text":"a" "label":0}`,
			want: `t.jsonl:1: "\"" stands where a comma or } should`},
		{name: "missing colon", file: "t.jsonl", data: `{"text" "a"}`, want: `t.jsonl:1: "\"" stands where a colon ` +
			`should`},
		{name: "name without quotes", file: "t.jsonl", data: `{text:"a"}`, want: `t.jsonl:1: "text" stands where a ` +
			`name in quotes should`},
		{name: "comma at the end", file: "t.jsonl", data: `{"text":"a",}`, want: `t.jsonl:1: "}" stands where a ` +
			`name in quotes should`},
		{name: "invalid UTF-8 in JSONL", file: "t.jsonl", data: "{\"text\":\"a\",\"label\":0}\n{\"text\":\"\xff\"}",
			want: "t.jsonl:2: the byte 0xFF at offset 32 of the file is not UTF-8; save the file as UTF-8"},
		{name: "too deep", file: "t.jsonl", data: `{"a":` + strings.Repeat("[", 300) + strings.Repeat("]", 300) + `}`,
			want: "t.jsonl:1: values are nested more than 200 deep"},

		// Lists of objects.
		{name: "list of strings", file: "t.json", data: `["a","b"]`, want: "t.json:1: element 1 is a string, " +
			"expected an " +
			`object; write each row as {"text": …, "label": …}`},
		{name: "object of lists", file: "t.json", data: "{\n\"Direct\": [\"a\"],\n\"Roleplay\": " +
			"[\"b\"]\n}\n", want: `t.json is a ` +
			`single object with "Direct", "Roleplay", expected a list of objects; write it as [{"text": …, "label": ` +
			`…}, …]`},
		{name: "empty list", file: "t.json", data: "[ ]", want: "t.json is a list without elements, expected an " +
			"object a row"},
		{name: "torn list", file: "t.json", data: "[{\"text\":\"a\",\"label\":0},\n{\"text\":", want: "t.json:2: " +
			"element 2: the text " +
			"ends where a value should stand; the file is cut off: copy it again"},
		{name: "list without its " +
			"bracket", file: "t.json", data: "[{\"text\":\"a\",\"label\":0}\n", want: "t.json:1: the text ends " +
			"where a comma or ] should stand; the file is cut off: copy it again"},
		{name: "text behind the list", file: "t.json", data: "[{\"text\":\"a\",\"label\":0}]\n]", want: `t.json:2: ` +
			`"]" stands ` +
			"behind the list, expected the end of the file"},
		{name: "element with a bad " +
			"label", file: "t.json", data: "[{\"text\":\"a\",\"label\":0},\n{\"text\":\"b\",\"label\":2}]",
			want: `t.json:2: element 2: column "label" holds "2", expected 0, 1, benign or injection` + spell},
		{name: "list with a comma at the end", file: "t.json", data: `[{"text":"a","label":0},]`,
			want: `t.json:1: element 2: "]" stands where a value should`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			file, kind := tt.file, tt.kind
			if file == "" {
				file = "t.csv"
			}
			if kind == 0 {
				kind = fault.Integrity
			}
			_, err := ReadBytes(file, []byte(tt.data), tt.mapping)
			checkError(t, err, kind, tt.want)
		})
	}
}

func checkError(t *testing.T, err error, kind fault.Kind, want string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want %q", want)
	}
	if err.Error() != want {
		t.Errorf("message\n got %s\nwant %s", err, want)
	}
	var e *fault.Error
	if !errors.As(err, &e) || e.Kind != kind {
		t.Errorf("%v has exit status %d, want %d", err, fault.ExitCode(err), kind)
	}
}

func TestReadFileRefusesWhatIsNoFile(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	big := at("big.csv")
	f, err := os.Create(big)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(f.Truncate(MaxFileSize+1), f.Close(), os.Mkdir(at("folder.csv"), 0o755)); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		path string
		kind fault.Kind
		want string
	}{
		{at("absent.csv"), fault.Usage, at("absent.csv") + " does not exist; check the path"},
		{at("folder.csv"), fault.Usage, at("folder.csv") + " is a folder, expected a file"},
		{big, fault.Integrity, big + " has more than 1073741824 bytes (1 GiB), the most that is read; split " +
			"it into smaller files"},
	} {
		_, err := ReadFile(tt.path, Mapping{})
		checkError(t, err, tt.kind, tt.want)
	}
}
