"""From a trained model to its folder: round the weights, export, prove that the file is the model, write the lock."""

import os
import tempfile

import checks
import folder
import onnxfile
from architecture import classifier
from fit import logits
from tokens import frame


def finish(model, tok, out, lock, limit, storage, positive=1, val=None, max_bytes=None, card=None, say=print):
    """Writes the folder out. val is (ids, labels) or None; lock takes the val F1 of the file and returns the arguments
    of folder.write_lock; card takes the Figures (None without val) and the Change and returns the text of README.md.

    Raises CheckFailed when ONNX Runtime and PyTorch differ, ValueError when the weights do not fit into the storage.
    """
    pad_id = model.config.pad_token_id or 0
    model = eager(model)
    head, tail = frame(tok)
    rows = checks.random_rows(min(tok.get_vocab_size(), model.config.vocab_size), limit, head, tail)
    compared, of = (val[0], "val") if val else (rows, "random tokens")
    before = logits(model, compared, pad_id)
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
        if val:
            rows += checks.probes(val[0], limit, head, tail)
        delta = checks.agreement(model, session, rows, pad_id)
        say(f"model.onnx: {size} bytes, {storage} storage")
        say(f"against PyTorch with the stored weights: logits within {delta:.1g}; the same bits in every batch")
        after, speed = checks.session_logits(session, compared, pad_id)
        change = checks.change(before, after, positive, storage, of)
        say(change.sentence())
        figures = None
        if val:
            figures = checks.val_figures(before, after, val[1], positive)
            say(f"val F1 {figures.f1_before:.4f} before, {figures.f1:.4f} after; {speed:.0f} tokens/s on one thread")
        tok.save(os.path.join(work, "tokenizer.json"))
        folder.write_config(os.path.join(work, "config.json"), model.config)
        if card:
            with open(os.path.join(work, folder.CARD), "w", encoding="utf-8", newline="\n") as f:
                f.write(card(figures, change))
        folder.write_lock(work, storage=change.fields(), **lock(round(figures.f1, 4) if figures else None))
        folder.move_into(work, out)
    say(f"wrote {out}")


def eager(model):
    """Returns the model on the CPU with attention written out, the only form the exporter can trace."""
    same = classifier(model.config, "eager")
    same.load_state_dict(model.state_dict())
    return same.float().cpu().eval()
