"""The Unigram tokenizer: trained on the train texts alone, the same file for the same texts."""

import math
from collections import Counter

from tokenizers import AddedToken, Regex, Tokenizer, models, normalizers, pre_tokenizers, processors, trainers

from tokens import CLS, SEP, SPECIAL, UNK

CANDIDATES = 125  # candidate pieces, per cent of the pieces that stay
MIN_TEXTS = 3  # texts that must hold a character for it to get a piece

# Characters that nobody sees: soft hyphen, grapheme joiner, zero-width and direction marks, word joiner and its
# neighbours, variation selectors, byte order mark. Tag characters (U+E0000…) stay and become [UNK]: a signal.
INVISIBLE = (
    r"[\x{00AD}\x{034F}\x{061C}\x{180B}-\x{180F}\x{200B}-\x{200F}\x{202A}-\x{202E}\x{2060}-\x{206F}"
    r"\x{FE00}-\x{FE0F}\x{FEFF}]"
)
# Marks for Latin, Greek and Cyrillic letters. Vowel signs of other scripts are no decoration and stay.
MARKS = r"[\x{0300}-\x{036F}\x{1AB0}-\x{1AFF}\x{1DC0}-\x{1DFF}\x{20D0}-\x{20FF}\x{FE20}-\x{FE2F}]"

# Every variant removes NUL bytes first, as the Go side does, and folds white space last.
VARIANTS = {
    "plain": [normalizers.NFKC()],
    "lower": [normalizers.NFKC(), normalizers.Lowercase()],
    "fold": [
        normalizers.Replace(Regex(INVISIBLE), ""),
        normalizers.NFKD(),
        normalizers.Replace(Regex(MARKS), ""),
        normalizers.NFKC(),
    ],
    "fold-lower": [
        normalizers.Replace(Regex(INVISIBLE), ""),
        normalizers.NFKD(),
        normalizers.Replace(Regex(MARKS), ""),
        normalizers.NFKC(),
        normalizers.Lowercase(),
    ],
}


def normaliser(variant):
    return normalizers.Sequence(
        [normalizers.Replace("\0", "")]
        + VARIANTS[variant]
        + [normalizers.Replace(Regex(r"\s+"), " "), normalizers.Strip()]
    )


def train_tokenizer(texts, vocab_size, variant="fold-lower"):
    """Returns a Unigram Tokenizer with at most vocab_size pieces, special tokens first; it neither cuts nor pads.

    The library's own Unigram trainer sums in the order of a random hash map, so two runs on the same texts can end in
    different pieces. Here candidates come from its BPE trainer, which counts in whole numbers, and their probabilities
    from counting the best segmentation of every train word (hard EM): whole numbers too.
    """
    norm = normaliser(variant)
    pre = pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="always", split=True)
    words, seen_in = Counter(), Counter()
    for text in map(norm.normalize_str, texts):
        found = [word for word, _ in pre.pre_tokenize_str(text)]
        words.update(found)
        seen_in.update(set("".join(found)))

    bpe = Tokenizer(models.BPE())
    trainer = trainers.BpeTrainer(
        vocab_size=vocab_size * CANDIDATES // 100, min_frequency=2, max_token_length=16, show_progress=False
    )
    bpe.pre_tokenizer = pre
    bpe.train_from_iterator((word for word in words.elements()), trainer)
    # A character of hardly any text gets no piece: it becomes [UNK], so that [UNK] is something the model has met.
    pieces = sorted(p for p in bpe.get_vocab() if all(seen_in[c] >= MIN_TEXTS for c in p))

    counts = _count(bpe, words)
    for _ in range(2):
        counts = _count(_unigram(pieces, counts), words)
    single = [p for p in pieces if len(p) == 1]
    longer = sorted((p for p in pieces if len(p) > 1), key=lambda p: (-counts[p], p))
    pieces = single + longer[: vocab_size - len(SPECIAL) - len(single)]
    for _ in range(2):
        counts = _count(_unigram(pieces, counts), words)

    tok = _unigram(pieces, counts)
    tok.normalizer, tok.pre_tokenizer = norm, pre
    tok.add_special_tokens([AddedToken(s, special=True, normalized=False) for s in SPECIAL])
    tok.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", CLS), ("[SEP]", SEP)],
    )
    return tok


def _count(tok, words):
    """Returns how often each piece stands in the segmentation of all words."""
    counts = Counter()
    for encoding, n in zip(tok.encode_batch(list(words), add_special_tokens=False), words.values()):
        for piece in encoding.tokens:
            counts[piece] += n
    return counts


def _unigram(pieces, counts):
    """Returns a bare Unigram tokenizer: log probabilities from counts, half a count for pieces that are never used."""
    total = sum(counts[p] + 0.5 for p in pieces)
    scored = [(p, round(math.log((counts[p] + 0.5) / total), 6)) for p in pieces]
    scored.sort(key=lambda ps: (-ps[1], ps[0]))
    return Tokenizer(models.Unigram([(s, 0.0) for s in SPECIAL] + scored, unk_id=UNK, byte_fallback=False))
