"""The WordPiece tokenizer: trained on the train texts alone, the same file for the same texts."""

from collections import Counter

from tokenizers import AddedToken, Tokenizer, models, normalizers, pre_tokenizers, processors, trainers

from tokens import CLS, SEP, SPECIAL

MIN_TEXTS = 5  # texts that must hold a character for it to get pieces
LONGEST = 100  # characters of a word that is cut into pieces; a longer one becomes [UNK], as in BERT


def train_tokenizer(texts, vocab_size):
    """Returns a WordPiece Tokenizer with at most vocab_size pieces, special tokens first; it neither cuts nor pads.

    Words with a character of hardly any text are left out, so that [UNK] is something the model has met.
    """
    norm = normalizers.Sequence(
        [
            normalizers.Replace("\0", ""),
            normalizers.BertNormalizer(clean_text=True, handle_chinese_chars=True, strip_accents=True, lowercase=True),
        ]
    )
    pre = pre_tokenizers.BertPreTokenizer()
    words, seen_in = Counter(), Counter()
    for text in map(norm.normalize_str, texts):
        found = [word for word, _ in pre.pre_tokenize_str(text)]
        words.update(found)
        seen_in.update(set("".join(found)))
    kept = sorted(w for w in words if len(w) <= LONGEST and all(seen_in[c] >= MIN_TEXTS for c in w))

    learner = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    learner.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    # The trainer numbers the characters inside words in the order of a random hash map and settles ties by these
    # numbers, so two runs on the same texts can end in different pieces. Named as special, they come in our order.
    inside = sorted({"##" + c for w in kept for c in w[1:]})
    trainer = trainers.WordPieceTrainer(
        vocab_size=vocab_size, special_tokens=SPECIAL + inside, min_frequency=2, show_progress=False
    )
    learner.train_from_iterator((word for word in kept for _ in range(words[word])), trainer)

    pieces = SPECIAL + sorted(p for p in learner.get_vocab() if p not in SPECIAL)
    numbers = {p: i for i, p in enumerate(pieces)}
    tok = Tokenizer(models.WordPiece(vocab=numbers, unk_token="[UNK]", max_input_chars_per_word=LONGEST))
    tok.normalizer, tok.pre_tokenizer = norm, pre
    tok.add_special_tokens([AddedToken(s, special=True, normalized=False) for s in SPECIAL])
    tok.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", CLS), ("[SEP]", SEP)],
    )
    return tok
