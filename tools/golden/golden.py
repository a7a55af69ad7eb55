"""Write the golden file of a model folder: token ids from Python tokenizers and logits from ONNX Runtime in Python.

    python3 -m pip install -r tools/golden/requirements.txt
    python3 tools/golden/golden.py models/deberta-open-s42 --max-length 512

The texts are those of internal/detect/onnx/testdata/texts.json; the file goes to testdata/golden/NAME.json beside it.
Go's tests read it and compare: ids exactly, logits within a tolerance. Run it again whenever the model changes.
"""

import argparse
import hashlib
import json
import os
import struct

import numpy
import onnxruntime
import tokenizers

TESTDATA = os.path.join(os.path.dirname(__file__), "..", "..", "internal", "detect", "onnx", "testdata")
LONGEST_LISTED = 700  # ids; longer lists are stored as a hash


def expand(entry):
    """Return the text of an entry: as it stands, repeated to a length, or drawn from an alphabet."""
    if "text" in entry:
        return entry["text"]
    runes = entry["runes"]
    if "repeat" in entry:
        part = entry["repeat"]
        return (part * (runes // len(part) + 1))[:runes]
    state, drawn = entry["seed"], []
    for _ in range(runes):
        state = (state * 1103515245 + 12345) % 2**31
        drawn.append(entry["draw"][(state >> 16) % len(entry["draw"])])
    return "".join(drawn)


def load_tokenizer(path, literal):
    """Load a tokenizer without truncation and padding.

    With literal set, the spelling of a special token inside a text stays text. A Unigram vocabulary lists the special
    tokens as pieces with the best score, so there they are renamed to something that no text holds.
    """
    with open(path, encoding="utf-8") as f:
        data = json.load(f)
    data["truncation"] = data["padding"] = None
    vocab = data["model"]["vocab"]
    if literal and isinstance(vocab, list):
        for token in data["added_tokens"]:
            at = token["id"]
            if token["special"] and at < len(vocab) and vocab[at][0] == token["content"]:
                vocab[at][0] = "\0" + token["content"]
    t = tokenizers.Tokenizer.from_str(json.dumps(data))
    t.encode_special_tokens = literal
    return t


def listed(ids):
    """Return ids as JSON: the list, or its length and hash."""
    if len(ids) <= LONGEST_LISTED:
        return {"n": len(ids), "ids": ids}
    return {"n": len(ids), "sha256": hashlib.sha256(struct.pack("<%dI" % len(ids), *ids)).hexdigest()}


def sha256(path):
    with open(path, "rb") as f:
        return hashlib.sha256(f.read()).hexdigest()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", help="model folder")
    parser.add_argument("--name", help="name of the golden file; the folder's name when absent")
    parser.add_argument("--file", default="model.onnx", help="model file inside the folder")
    parser.add_argument("--head", default="softmax", choices=["softmax", "sigmoid"])
    parser.add_argument("--positive", action="append", help="class name or index, repeatable")
    parser.add_argument("--max-length", type=int, required=True)
    parser.add_argument("--stride", type=int, default=0)
    parser.add_argument("--pad", choices=["batch", "none"])
    args = parser.parse_args()

    name = args.name or os.path.basename(os.path.normpath(args.folder))
    model = os.path.join(args.folder, args.file)
    tokenizer = os.path.join(args.folder, "tokenizer.json")
    literal, special = load_tokenizer(tokenizer, True), load_tokenizer(tokenizer, False)
    bare = literal.encode("a", add_special_tokens=False).ids
    full = literal.encode("a", add_special_tokens=True).ids
    at = next(i for i in range(len(full)) if full[i : i + len(bare)] == bare)
    prefix, suffix = full[:at], full[at + len(bare) :]

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.add_session_config_entry("session.x64quantprecision", "1")  # as the program does
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    names = [i.name for i in session.get_inputs()]

    with open(os.path.join(TESTDATA, "texts.json"), encoding="utf-8") as f:
        texts = json.load(f)
    rows = []
    for entry in texts:
        text = expand(entry).replace("\0", "")
        ids = literal.encode(text, add_special_tokens=False).ids
        row = {"id": entry["id"], "tokens": listed(ids)}
        as_special = special.encode(text, add_special_tokens=False).ids
        if as_special != ids:
            row["tokens_special"] = listed(as_special)
        window = prefix + ids[: args.max_length - len(prefix) - len(suffix)] + suffix
        given = {
            "input_ids": numpy.array([window], dtype=numpy.int64),
            "attention_mask": numpy.ones((1, len(window)), dtype=numpy.int64),
            "token_type_ids": numpy.zeros((1, len(window)), dtype=numpy.int64),
        }
        logits = session.run(None, {n: given[n] for n in names})[0]
        row["logits"] = [float("%.9g" % x) for x in logits[0]]
        rows.append(row)

    entry = {"id": name, "kind": "onnx", "file": args.file, "head": args.head, "max_length": args.max_length}
    if args.pad:
        entry["pad"] = args.pad
    if args.positive:
        entry["positive"] = args.positive
    if args.stride:
        entry["stride"] = args.stride
    golden = {
        "made_with": "tokenizers %s, onnxruntime %s" % (tokenizers.__version__, onnxruntime.__version__),
        "entry": entry,
        "files": {args.file: sha256(model), "tokenizer.json": sha256(tokenizer)},
    }
    out = os.path.join(TESTDATA, "golden", name + ".json")
    os.makedirs(os.path.dirname(out), exist_ok=True)
    with open(out, "w", encoding="utf-8") as f:
        head = json.dumps(golden, indent=1)[:-2]
        f.write(head + ',\n "rows": [\n')
        f.write(",\n".join("  " + json.dumps(row, separators=(",", ":")) for row in rows))
        f.write("\n ]\n}\n")
    print("%s: %d texts" % (os.path.relpath(out), len(rows)))


if __name__ == "__main__":
    main()
