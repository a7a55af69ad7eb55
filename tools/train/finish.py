"""From a trained model to its folder: round the weights, export, prove that the file is the model, write the lock."""

import os
import tempfile

import checks
import folder
import onnxfile
from architecture import classifier
from fit import scores
from tokens import frame


def finish(model, tok, out, lock, limit, storage, positive=1, val=None, max_bytes=None, card=None, say=print):
    """Writes the folder out. val is (ids, labels) or None; lock takes the val F1 of the file and returns the arguments
    of folder.write_lock; card takes the Rounding (None without val) and returns the text of README.md.

    Raises CheckFailed when ONNX Runtime and PyTorch differ, ValueError when the weights do not fit into the storage.
    """
    pad_id = model.config.pad_token_id or 0
    model = eager(model)
    before = scores(model, val[0], positive=positive, pad_id=pad_id) if val else None
    parent = os.path.dirname(os.path.abspath(out))
    os.makedirs(parent, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=parent, prefix=".export-") as work:
        path = os.path.join(work, "model.onnx")
        onnxfile.round_weights(model, storage)
        onnxfile.export(model, path, model.config.vocab_size, storage)
        size = os.path.getsize(path)
        if max_bytes and size > max_bytes:
            raise checks.CheckFailed(f"model.onnx has {size} bytes, expected at most {max_bytes}")
        session = checks.open_session(path)
        head, tail = frame(tok)
        rows = checks.random_rows(min(tok.get_vocab_size(), model.config.vocab_size), limit, head, tail)
        if val:
            rows += checks.probes(val[0], limit, head, tail)
        delta = checks.agreement(model, session, rows, pad_id)
        say(f"model.onnx: {size} bytes, {storage} storage")
        say(f"against PyTorch: logits within {delta:.1g}; the same bits in every batch")
        r = None
        if val:
            r = checks.rounding(before, session, val[0], val[1], pad_id, positive, storage)
            say(f"{r.sentence()}; {r.tokens_per_second:.0f} tokens/s on one thread")
        tok.save(os.path.join(work, "tokenizer.json"))
        folder.write_config(os.path.join(work, "config.json"), model.config)
        if card:
            with open(os.path.join(work, "README.md"), "w", encoding="utf-8", newline="\n") as f:
                f.write(card(r))
        folder.write_lock(work, **lock(round(r.f1, 4) if r else None))
        folder.move_into(work, out)
    say(f"wrote {out}")


def eager(model):
    """Returns the model on the CPU with attention written out, the only form the exporter can trace."""
    same = classifier(model.config, "eager")
    same.load_state_dict(model.state_dict())
    return same.float().cpu().eval()
