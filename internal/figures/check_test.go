package figures

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image/png"
	"io"
	"math"
	"strings"
	"testing"
)

func drawn(t *testing.T, f *Figure, write func(*Figure, io.Writer) error) []byte {
	t.Helper()
	var buf bytes.Buffer
	if err := write(f, &buf); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// check draws a figure twice in each format and looks at what any figure must be.
func check(t *testing.T, f *Figure) {
	t.Helper()
	doc := drawn(t, f, (*Figure).SVG)
	if !bytes.Equal(doc, drawn(t, f, (*Figure).SVG)) {
		t.Errorf("%s: two SVG documents differ", f.Name)
	}
	picture := drawn(t, f, (*Figure).PNG)
	if !bytes.Equal(picture, drawn(t, f, (*Figure).PNG)) {
		t.Errorf("%s: two pictures differ", f.Name)
	}
	checkXML(t, f, doc)
	img, err := png.Decode(bytes.NewReader(picture))
	if err != nil {
		t.Fatalf("%s: %v", f.Name, err)
	}
	w, h := f.size()
	if got := img.Bounds(); math.Abs(float64(got.Dx())-float64(w)/72*resolution) > 1 ||
		math.Abs(float64(got.Dy())-float64(h)/72*resolution) > 1 {
		t.Errorf("%s: the picture is %v, want %v × %v cm at %d dots an inch", f.Name, got, w, h, resolution)
	}
	dark := 0
	for y := img.Bounds().Min.Y; y < img.Bounds().Max.Y; y++ {
		for x := img.Bounds().Min.X; x < img.Bounds().Max.X; x++ {
			if r, g, b, _ := img.At(x, y).RGBA(); r+g+b < 3*0x8000 {
				dark++
			}
		}
	}
	if share := float64(dark) / float64(img.Bounds().Dx()*img.Bounds().Dy()); share < 0.005 || share > 0.5 {
		t.Errorf("%s: %.4f of the picture is dark", f.Name, share)
	}
}

// checkXML parses a document: it stands alone, has its letters as outlines, all numbers are finite, and every letter
// that is used is defined.
func checkXML(t *testing.T, f *Figure, doc []byte) {
	t.Helper()
	if !bytes.HasPrefix(doc, []byte("<svg ")) {
		t.Errorf("%s: begins with %.20q", f.Name, doc)
	}
	dec := xml.NewDecoder(bytes.NewReader(doc))
	defined, title := map[string]bool{}, ""
	for {
		tok, err := dec.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%s: %v", f.Name, err)
		}
		e, ok := tok.(xml.StartElement)
		if !ok {
			continue
		}
		switch e.Name.Local {
		case "svg", "desc", "defs", "g", "path", "use":
		case "title":
			if err := dec.DecodeElement(&title, &e); err != nil {
				t.Fatal(err)
			}
		default:
			t.Errorf("%s: an element %s", f.Name, e.Name.Local)
		}
		for _, a := range e.Attr {
			switch a.Name.Local {
			case "id":
				defined["#"+a.Value] = true
				if !strings.HasPrefix(a.Value, f.Name+"-") {
					t.Errorf("%s: the identifier %s could meet another one's on a page", f.Name, a.Value)
				}
			case "href":
				if !defined[a.Value] {
					t.Errorf("%s: %s is not defined", f.Name, a.Value)
				}
			}
			if strings.Contains(a.Value, "NaN") || strings.Contains(a.Value, "Inf") {
				t.Errorf("%s: %s=%q", f.Name, a.Name.Local, a.Value)
			}
		}
	}
	if title != f.Title {
		t.Errorf("%s: the title is %q", f.Name, title)
	}
}
