"""What all tokenizers have in common: special tokens, literal reading of texts, encoding within a length."""

import json

from tokenizers import Tokenizer

SPECIAL = ["[PAD]", "[CLS]", "[SEP]", "[UNK]", "[MASK]"]
PAD, CLS, SEP, UNK = 0, 1, 2, 3


def literal(tok):
    """Returns a tokenizer for which a special token spelt out in a text stays plain characters, as in the benchmark.

    A Unigram vocabulary lists the special tokens as pieces with the best score, so there they are renamed to something
    that no text holds.
    """
    data = json.loads(tok.to_str())
    vocab = data["model"]["vocab"]
    if isinstance(vocab, list):
        for token in data["added_tokens"]:
            at = token["id"]
            if token["special"] and at < len(vocab) and vocab[at][0] == token["content"]:
                vocab[at][0] = "\0" + token["content"]
    plain = Tokenizer.from_str(json.dumps(data))
    plain.encode_special_tokens = True
    return plain


def frame(tok):
    """Returns the ids that the tokenizer itself puts before and behind a text."""
    around, bare = tok.encode("a").ids, tok.encode("a", add_special_tokens=False).ids
    at = next(i for i in range(len(around)) if around[i : i + len(bare)] == bare)
    return around[:at], around[at + len(bare) :]


def encode(tok, texts, max_length):
    """Returns the ids of each text with its special tokens, the text cut so that all fit in max_length, and how many
    texts were cut."""
    tok = literal(tok)
    head, tail = frame(tok)
    room = max_length - len(head) - len(tail)
    out, cut = [], 0
    for text in texts:
        ids = tok.encode(text, add_special_tokens=False).ids
        cut += len(ids) > room
        out.append(head + ids[:room] + tail)
    return out, cut


def without_limits(spec):
    """Returns a tokenizer.json (parsed) as a Tokenizer that neither cuts nor pads and drops NUL bytes first."""
    spec["truncation"] = spec["padding"] = None
    no_nul = {"type": "Replace", "pattern": {"String": "\0"}, "content": ""}
    old = spec.get("normalizer")
    steps = old["normalizers"] if old and old["type"] == "Sequence" else [old] if old else []
    if no_nul not in steps[:1]:
        spec["normalizer"] = {"type": "Sequence", "normalizers": [no_nul] + steps}
    return Tokenizer.from_str(json.dumps(spec))
