package textnorm

// The letters A to Z written as regional indicators, which show as boxed letters when they spell no flag.
const (
	regionalA = 0x1F1E6
	regionalZ = 0x1F1FF
)

// confusables maps look-alike letters to small Latin ones. Its scope: Cyrillic, Greek and Armenian letters that pass
// for Latin ones, the Latin small capitals and variants that compatibility normalisation leaves alone, boxed letters,
// and three dashes. Full-width, circled and mathematical letters are not in it: compatibility normalisation folds
// those. Leetspeak (digits and signs for letters) is left out on purpose, because digits mean something. Other scripts
// are out of scope.
//
// It is applied after case folding, so keys are small letters. Where the capital and the small form look like
// different things, the pair goes by whichever passes for a Latin letter (Cyrillic В and в to b); Greek Ν and Υ go with
// their small forms ν and υ, to v and u.
var confusables = func() map[rune]rune {
	m := make(map[rune]rune, 128)
	for _, t := range [...]struct{ from, to string }{
		{"авекмнорстухѕіјһԁԛԝүӏ", "abekmhopctyxsijhdqwyl"}, // Cyrillic
		{"αβεζηικμνορτυχϳ", "abezhikmvoptuxj"},             // Greek
		{"օոսցհյզ", "onughjq"},                             // Armenian
		{"ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ", "abcdefghijklmnoprstuvwyz"},
		{"ıȷɑɡɩʋɣøłđħŧ", "ijagivyoldht"},
		{"‐‒–—―−", "------"},
	} {
		to := []rune(t.to)
		for i, r := range []rune(t.from) {
			m[r] = to[i]
		}
	}
	for r := rune('a'); r <= 'z'; r++ {
		m[0x1F150+r-'a'] = r // white letters in black circles
		m[0x1F170+r-'a'] = r // white letters in black squares
	}
	return m
}()
