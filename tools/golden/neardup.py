"""Writes the vectors and cosines of scikit-learn's TfidfVectorizer on our own texts, for the tests of internal/neardup.

Run from the top of the repository, with scikit-learn installed: python3 tools/golden/neardup.py
"""

import json

import sklearn
from sklearn.feature_extraction.text import TfidfVectorizer

TEXTS = [
    "The ferry leaves at nine.",
    "the ferry leaves at nine",
    "The ferries leave at ten, or so they say.",
    "a",
    "I am up.",
    "",
    " \t\n ",
    "up up up and away\u00a0up",
    "Der Fährmann heißt Jürgen; İstanbul liegt weit.",
    "Ο ΟΔΥΣΣΕΥΣ ταξίδεψε, ΟΔΟΣ.",
    "Паром отходит в девять.",
    "渡し船は九時に出ます。 渡し船",
    "🚢🚢🚢 🚢🌊",
    "tab\tand\x1funit\x1cseparators",
    "e\u0301 is e with an accent, é too",
    "aaaa aaaaaaa aaaaaaaa",
    "The ferry leaves at nine, and the bus leaves when the ferry has left the pier. " * 3,
]


def main():
    vectorizer = TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 5))
    matrix = vectorizer.fit_transform(TEXTS)
    terms = vectorizer.get_feature_names_out()
    vectors = []
    for row in range(matrix.shape[0]):
        entries = matrix.getrow(row).tocoo()
        vectors.append({terms[c]: float(v) for c, v in zip(entries.col, entries.data)})
    golden = {
        "scikit-learn": sklearn.__version__,
        "texts": TEXTS,
        "vectors": vectors,
        "cosines": (matrix @ matrix.T).toarray().tolist(),
    }
    with open("internal/neardup/testdata/tfidf.json", "w", encoding="utf-8", newline="\n") as out:
        json.dump(golden, out, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
        out.write("\n")


if __name__ == "__main__":
    main()
