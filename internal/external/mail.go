package external

import (
	"bytes"
	"encoding/base64"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/mail"
	"regexp"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
)

// Bounds of one mail.
const (
	mostPartBytes = 8 << 20
	mostDepth     = 8
	mostParts     = 100
)

// mailText returns the plain text of a mail: the first part of type text/plain, decoded, lines ended by LF, without
// headers and with addresses, links and telephone numbers masked. Reason says why there is none.
func mailText(data []byte) (text, reason string) {
	if bytes.HasPrefix(data, []byte("From ")) { // the line with which a mailbox file begins a mail
		_, rest, _ := bytes.Cut(data, []byte("\n"))
		data = rest
	}
	m, err := mail.ReadMessage(bytes.NewReader(data))
	if err != nil {
		return "", reasonNoMail
	}
	parts := 0
	text, ok := plainPart(header(m.Header.Get("Content-Type")), m.Header.Get("Content-Transfer-Encoding"), m.Body, 0,
		&parts)
	if !ok {
		return "", reasonNoPlain
	}
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	return strings.TrimSpace(mask(text)), ""
}

type contentType struct {
	kind   string
	params map[string]string
}

// header reads a Content-Type; an absent or damaged one is plain text, as RFC 2045 section 5.2 says.
func header(value string) contentType {
	kind, params, err := mime.ParseMediaType(value)
	if err != nil {
		if bare, _, _ := strings.Cut(value, ";"); strings.Contains(bare, "/") {
			return contentType{kind: strings.ToLower(strings.TrimSpace(bare))}
		}
		return contentType{kind: "text/plain"}
	}
	return contentType{kind, params}
}

// plainPart returns the first plain text at or below a part.
func plainPart(t contentType, encoding string, body io.Reader, depth int, parts *int) (string, bool) {
	if *parts++; *parts > mostParts || depth > mostDepth {
		return "", false
	}
	if strings.HasPrefix(t.kind, "multipart/") {
		r := multipart.NewReader(body, t.params["boundary"])
		for t.params["boundary"] != "" {
			p, err := r.NextRawPart()
			if err != nil {
				return "", false
			}
			text, ok := plainPart(header(p.Header.Get("Content-Type")), p.Header.Get("Content-Transfer-Encoding"), p, depth+1,
				parts)
			if ok {
				return text, true
			}
		}
		return "", false
	}
	if t.kind != "text/plain" {
		return "", false
	}
	switch strings.ToLower(strings.TrimSpace(encoding)) {
	case "quoted-printable":
		body = quotedprintable.NewReader(body)
	case "base64":
		body = base64.NewDecoder(base64.StdEncoding, body)
	}
	data, err := io.ReadAll(io.LimitReader(body, mostPartBytes+1))
	if err != nil || len(data) > mostPartBytes {
		return "", false
	}
	return decode(data, t.params["charset"])
}

// decode turns bytes of a charset into UTF-8. Bytes without a known charset that are no UTF-8 are read as Windows-1252,
// which mail programs mean when they do not say.
func decode(data []byte, charset string) (string, bool) {
	if e, err := htmlindex.Get(charset); err == nil && charset != "" && !strings.EqualFold(charset, "us-ascii") {
		out, err := e.NewDecoder().Bytes(data)
		return string(out), err == nil
	}
	if utf8.Valid(data) {
		return string(data), true
	}
	out, err := charmap.Windows1252.NewDecoder().Bytes(data)
	return string(out), err == nil
}

var (
	linkPattern    = regexp.MustCompile(`(?i)\b(?:https?|ftp|mailto):[^\s<>"]+|\bwww\.[^\s<>"]+`)
	addressPattern = regexp.MustCompile(`[\pL\pN._%+=-]+@[\pL\pN-]+(?:\.[\pL\pN-]+)+`)
	// Seven digits or more, in groups parted by blanks, dots, dashes or brackets; not a date such as 2002-05-27.
	phonePattern = regexp.MustCompile(`\+?\(?\d[\d().\-  ]{5,}\d`)
	datePattern  = regexp.MustCompile(`^(?:\d{4}[-.]\d{1,2}[-.]\d{1,2}|\d{1,2}[-.]\d{1,2}[-.]\d{4})$`)
)

// mask puts [link], [address] and [number] in the place of what may lead to a person.
func mask(s string) string {
	s = linkPattern.ReplaceAllString(s, "[link]")
	s = addressPattern.ReplaceAllString(s, "[address]")
	return phonePattern.ReplaceAllStringFunc(s, func(n string) string {
		digits := 0
		for _, r := range n {
			if r >= '0' && r <= '9' {
				digits++
			}
		}
		if digits < 7 || digits > 15 || datePattern.MatchString(n) {
			return n
		}
		return "[number]"
	})
}
