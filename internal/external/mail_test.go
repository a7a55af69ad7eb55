package external

import (
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestMailTextIsThePlainPartDecodedAndMasked(t *testing.T) {
	tests := []struct{ name, mail, want, reason string }{
		{name: "headers go, also the mailbox line",
			mail: "From a@b.org  Mon Jun 24\r\nSubject: secret\r\n\r\nHello\r\nthere\r\n",
			want: "Hello\nthere"},
		{name: "quoted-printable in Latin-1", mail: "Content-Type: text/plain; charset=iso-8859-1\n" +
			"Content-Transfer-Encoding: Quoted-Printable\n\nna=EFve soft=\n break", want: "naïve soft break"},
		{name: "base64 in UTF-8", mail: "Content-Type: text/plain; charset=\"utf-8\"\nContent-Transfer-Encoding: base64\n\n" +
			"R3LDvMOfZSwg\r\nQW5uYQ==\r\n", want: "Grüße, Anna"},
		{name: "no charset: Windows-1252", mail: "Subject: x\n\n\x93quoted\x94", want: "“quoted”"},
		{name: "no content type at all", mail: "Subject: x\n\nplain", want: "plain"},
		{name: "damaged content type", mail: "Content-Type: ;;;\n\nplain", want: "plain"},
		{name: "the plain one of two",
			mail: "Content-Type: multipart/alternative; boundary=b\n\n--b\nContent-Type: text/html\n\n" +
				"<p>no</p>\n--b\nContent-Type: text/plain\n\nyes\n--b--\n", want: "yes"},
		{name: "nested", mail: "Content-Type: multipart/mixed; boundary=o\n\n--o\n" +
			"Content-Type: multipart/alternative; boundary=i\n\n" +
			"--i\nContent-Type: text/plain\nContent-Transfer-Encoding: base64\n\neWVz\n--i--\n--o--\n", want: "yes"},
		{name: "HTML only", mail: "Content-Type: text/html\n\n<p>no</p>", reason: reasonNoPlain},
		{name: "no boundary", mail: "Content-Type: multipart/mixed\n\nx", reason: reasonNoPlain},
		{name: "parts without end",
			mail: "Content-Type: multipart/mixed; boundary=o\n\n--o\nContent-Type: image/png\n\nx", reason: reasonNoPlain},
		{name: "damaged base64", mail: "Content-Transfer-Encoding: base64\n\n!!!", reason: reasonNoPlain},
		{name: "no mail", mail: "just a text without headers", reason: reasonNoMail},
		{name: "addresses, links, numbers",
			mail: "Subject: x\n\nWrite to jo.doe+x@mail.example.org or see https://example.org/a?b=1, " +
				"www.example.org; call +1 (555) 010-9999 on 2002-05-27 at 10:30, room 12345.",
			want: "Write to [address] or see [link] [link] call [number] on 2002-05-27 at 10:30, room 12345."},
		{name: "an address in a link", mail: "Subject: x\n\n<mailto:a@b.org>", want: "<[link]>"},
	}
	for _, tt := range tests {
		got, reason := mailText([]byte(tt.mail))
		if got != tt.want || reason != tt.reason {
			t.Errorf("%s: %q, %q, want %q, %q", tt.name, got, reason, tt.want, tt.reason)
		}
	}
}

func TestMailsNestedWithoutEndAreGivenUp(t *testing.T) {
	var b strings.Builder
	b.WriteString("Content-Type: multipart/mixed; boundary=b0\n\n")
	for i := range 50 {
		b.WriteString(strings.ReplaceAll("--bI\nContent-Type: multipart/mixed; boundary=bJ\n\n", "I", strconv.Itoa(i)))
	}
	if got, reason := mailText([]byte(b.String())); got != "" || reason != reasonNoPlain {
		t.Errorf("%q, %q", got, reason)
	}
}

// FuzzMail checks that no mail stops the reader and that a text it gives is UTF-8 without what must be masked.
func FuzzMail(f *testing.F) {
	f.Add([]byte("From x\nSubject: a\n\nb@c.de 5550109999"))
	f.Add([]byte("Content-Type: multipart/mixed; boundary=b\n\n--b\n\nx\n--b--"))
	f.Add([]byte("Content-Type: text/plain; charset=utf-7\nContent-Transfer-Encoding: quoted-printable\n\n=AB"))
	f.Fuzz(func(t *testing.T, data []byte) {
		text, reason := mailText(data)
		if reason != "" && text != "" || !utf8.ValidString(text) || linkPattern.MatchString(text) ||
			addressPattern.MatchString(text) {
			t.Errorf("%q, %q", text, reason)
		}
	})
}
