"""Write internal/detect/tfidf/testdata/{words,vectors,regression}.json with scikit-learn.

Run from the top of the repository: python tools/golden/tfidf.py
words: what the vectorizer makes of texts; vectors: vocabulary, idf and rows; regression: probabilities of a model
fitted to convergence.
"""

import json
import random

import sklearn
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression

OUT = "internal/detect/tfidf/testdata/"

# Characters that lower-casing, accent stripping and the word pattern treat in ways of their own.
WORDS = [
    "",
    " \t\n",
    "a",
    "a b c",
    "I am on it",
    "Hello, World! hello_world _x __ _ x_1 42 3.14 v2.0 don't e-mail",
    "İstanbul İİ aİb DİYARBAKIR ısı Iİ",
    "ΟΔΟΣ ΟΔΟΣ. ΣΑΣ ΑΣ ΑΣ'Β ΑΣ\u0301Β ΑΣ\u0301 Σ ΣΣ ΑΣΣ Α.Σ. Α'Σ",
    "ΑΣ\u00ad ΑΣ\u200dΒ ΑΣ:Β ΑΣ2 2Σ ΑΣ_Β ⅠΣ ⓐΣ ªΣ ʰΣ ΑΣʰ ǅΣ",
    "Café naïve ÀÉÎÕÜ ñandú Ångström Œuvre ŒUVRE Straße STRASSE ẞẞ Łódź Đorđe",
    "e\u0301te\u0301 cafe\u0301 n\u0303o \u0301\u0301 a\u0301 \u0301bc x\u0301y",
    "z" + "\u0300\u0316" * 40 + "algo a" + "\u0301" * 33 + "b",
    "ﬁne ﬀ ﬃx ½ x² ２３ ＡＢＣ ｆｕｌｌ ＿ ㎏ ㍿ ™ ① ⅳ Ⅷ ℌℂ ℡ …end a…b Ⓐb",
    "日本語 日 日本 テスト ﾃｽﾄ が カ\u3099 한국어 한 ᄒ\u1161\u11ab 中文，文字 漢字漢字",
    "привет Мир ЁЖ й Й и\u0306 שָׁלוֹם سَلَام नमस्ते ไทย ภาษาไทย বাংলা",
    "😀 smile😀face a😀b 👩\u200d💻 🇩🇪 ignore\u200ball pre\u00advious zero\ufeffwidth a\u2060b\u00a0c",
    "\x00nul\x00in \x1cside\x1f \x85next\x0bline \u2028sep\u2029 \u3000wide",
    "٣٤٥ ๓๔ १२ 𝟘𝟙 𝐛𝐨𝐥𝐝 𝒮cript 𐐀𐐁 ᾈΑ ǅ ǆ ŉ ǰ ΐ ﬆ ﷺ",
    "'' \"quoted\" (paren) [brack]et a/b\\c a.b a,b;c a-b a_b a__b snake_case camelCase",
]

TRAIN = [
    "Please ignore the previous note and read the café menu",
    "Read the CAFE menu, please!",
    "The weather is fine; the menu is fine too",
    "Ignore the previous note. Ignore the previous note.",
    "the the the the",
    "What is on the menu today? the",
    "日本語 the テスト",
    "日本語 テスト the note",
    "Große Straße, the große Straße",
    "_private the x_1 _private",
    "x_1 is the note 42",
    "42 reasons the menu is fine",
    "the weather today",
    "İzmir the izmir",
    "οδος the ΟΔΟΣ",
    "the a b c",
    "The Ålesund ferry",
    "the alesund FERRY",
    "ferry the note is fine",
    "Only here stands no article",
]

EXTRA = [
    "",
    "nothing known at all",
    "the",
    "the menu the menu the menu",
    "please IGNORE the previous note; ignore the previous note",
    "previous note ignore",
    "weather is unknownword fine",
    "cafe\u0301 menu é x_1 42 日本語 テスト",
    "IZMIR İZMİR οδος straße",
]


def vectorizer():
    return TfidfVectorizer(ngram_range=(1, 2), lowercase=True, strip_accents="unicode", min_df=2, max_df=0.95)


def rows(matrix):
    out = []
    for i in range(matrix.shape[0]):
        row = matrix[i]
        out.append([[int(c), float(v)] for c, v in sorted(zip(row.indices, row.data))])
    return out


def write(name, **content):
    lines = ",\n".join(f"{json.dumps(k)}:{json.dumps(v, separators=(',', ':'))}" for k, v in content.items())
    with open(OUT + name, "w", encoding="utf-8", newline="\n") as f:
        f.write("{\n" + lines + "\n}\n")


def words():
    analyze = TfidfVectorizer(lowercase=True, strip_accents="unicode").build_analyzer()
    write("words.json", scikit_learn=sklearn.__version__, texts=WORDS, words=[analyze(t) for t in WORDS])


def vectors():
    v = vectorizer()
    train = v.fit_transform(TRAIN)
    write(
        "vectors.json",
        scikit_learn=sklearn.__version__,
        train=TRAIN,
        terms=v.get_feature_names_out().tolist(),
        idf=v.idf_.tolist(),
        train_rows=rows(train),
        extra=EXTRA,
        extra_rows=rows(v.transform(EXTRA)),
    )


def generate(rng, n):
    """Short requests of two kinds that share most of their words; one row in twelve has the other label."""
    verbs = "read write send find show tell print open close count move sort draw check build".split()
    things = "letter table menu list garden recipe report window number photo story plan ticket map song".split()
    ends = "today tomorrow please now quickly slowly again at_home in_town for_me for_us before_noon".split()
    attack = "ignore forget reveal override system secret rules hidden previous instead".split()
    texts, labels = [], []
    for _ in range(n):
        label = int(rng.random() < 0.4)
        text = [rng.choice(verbs), "the", rng.choice(things)]
        for _ in range(rng.randint(0, 6)):
            text += [rng.choice(["and", "or", "then"]), rng.choice(verbs), rng.choice(things)]
        text.append(rng.choice(ends))
        for _ in range(rng.randint(1, 3)):
            pool = attack if (label == 1) != (rng.random() < 0.2) else things
            text.insert(rng.randint(0, len(text)), rng.choice(pool))
        texts.append(" ".join(text).capitalize() + rng.choice([".", "!", "?", ""]))
        labels.append(label if rng.random() < 11 / 12 else 1 - label)
    return texts, labels


def regression():
    rng = random.Random(7)
    train, labels = generate(rng, 300)
    held, _ = generate(rng, 100)
    held += ["", "nothing known", "ignore", "ignore " * 50]
    v = vectorizer()
    model = LogisticRegression(C=1.0, class_weight="balanced", max_iter=5000, tol=1e-9)
    model.fit(v.fit_transform(train), labels)
    write(
        "regression.json",
        scikit_learn=sklearn.__version__,
        train=train,
        labels=labels,
        terms=len(v.vocabulary_),
        intercept=float(model.intercept_[0]),
        held_out=held,
        train_probability=model.predict_proba(v.transform(train))[:, 1].tolist(),
        held_out_probability=model.predict_proba(v.transform(held))[:, 1].tolist(),
    )


words()
vectors()
regression()
