"""Is the exported file the model? Compared with PyTorch, with itself in other batches, with the unrounded weights."""

import itertools
import time
from dataclasses import dataclass

import numpy as np
import onnxruntime
import torch

from fit import figures, pad

TOLERANCE = 1e-4  # largest difference of a logit between ONNX Runtime and PyTorch with the same rounded weights
BATCHES = (1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 24, 31, 32)
# Tokens of a row. Two are the special tokens alone, an empty text; a row of fewer is no input of a detector.
LENGTHS = (2, 3, 4, 8, 15, 16, 17, 31, 33, 63, 64, 65, 100, 127, 128, 129, 200, 255, 256, 257, 384, 511, 512)


class CheckFailed(Exception):
    """One sentence: what was compared, what was found, what was expected."""


@dataclass
class Change:
    """What the stored form of the weights changed against the float32 weights as they were."""

    storage: str
    rows: int
    of: str  # what the rows are: val, or random tokens
    logit: float  # largest change of one
    score: float
    flips: int  # rows on the other side of the threshold 0.5

    def sentence(self):
        return (
            f"{self.storage} storage against the float32 weights, {self.rows} rows of {self.of}: no logit changed by more "
            f"than {self.logit:.2g}, no score by more than {self.score:.2g}, {self.flips} verdicts at 0.5 flipped"
        )

    def fields(self):
        """Returns what the lock says."""
        return {
            "weights": self.storage,
            "arithmetic": "fp32",
            "compared_rows": self.rows,
            "compared_on": self.of,
            "max_logit_change": float(f"{self.logit:.3g}"),
            "max_score_change": float(f"{self.score:.3g}"),
            "verdicts_flipped": self.flips,
        }


@dataclass
class Figures:
    """Of the stored file on val, at the threshold 0.5."""

    f1: float
    auc: float
    f1_before: float  # of the float32 weights


def open_session(path):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def logits(session, ids, pad_id):
    x, mask = pad(ids, pad_id)
    return session.run(["logits"], {"input_ids": x.numpy(), "attention_mask": mask.numpy()})[0]


def random_rows(vocab_size, max_length, head, tail):
    """Returns rows of random ids of every length in LENGTHS and of nine others."""
    rng = np.random.default_rng(0)
    special = len(head + tail)
    lengths = [n for n in LENGTHS if special <= n <= max_length]
    lengths += rng.integers(special, max_length + 1, 9).tolist()
    return [head + rng.integers(5, vocab_size, n - special).tolist() + tail for n in lengths]


def probes(rows, max_length, head, tail):
    """Returns id lists: rows of val spread over all lengths, and pieces of val joined to the lengths in LENGTHS.

    head and tail are the special tokens at the ends of every row."""
    by_length = sorted(rows, key=len)
    chosen = [by_length[i * (len(by_length) - 1) // 47] for i in range(48)]
    content = [i for row in rows[: max_length * 4] for i in row[len(head) : len(row) - len(tail)]]
    while len(content) < max_length * 4:
        content += content
    for n in LENGTHS:
        if n <= max_length:
            start = (n * 7919) % (len(content) - n)
            chosen.append(head + content[start : start + n - len(head) - len(tail)] + tail)
    return chosen


def agreement(model, session, rows, pad_id):
    """Returns the largest |Δ logit| between model and session in batches of BATCHES rows of mixed length.

    Raises CheckFailed when it is above TOLERANCE, or when a row's logits in any of these batches are not bit by bit
    those of the row alone.
    """
    model.eval()
    alone = [logits(session, [row], pad_id)[0] for row in rows]
    worst = 0.0
    for batch in _deal(len(rows)):
        x, mask = pad([rows[r] for r in batch], pad_id)
        with torch.no_grad():
            want = model(input_ids=x, attention_mask=mask).logits.numpy()
        got = logits(session, [rows[r] for r in batch], pad_id)
        worst = max(worst, float(np.abs(got - want).max()))
        for i, r in enumerate(batch):
            if got[i].tobytes() != alone[r].tobytes():
                raise CheckFailed(
                    f"a row of {len(rows[r])} tokens scores differently alone and in a batch of {len(batch)} "
                    f"padded to {x.shape[1]}, expected the same bits"
                )
    if not worst <= TOLERANCE:
        raise CheckFailed(f"logits differ from PyTorch by {worst:.2g}, expected at most {TOLERANCE}")
    return worst


def _deal(n):
    """Yields lists of row numbers below n, in the sizes BATCHES, until each row stood in two and each size was had."""
    orders = -(-max(2 * n, sum(BATCHES)) // n)
    left = np.concatenate([np.random.default_rng([i, n]).permutation(n) for i in range(orders)]).tolist()
    for size in itertools.cycle(BATCHES):
        if not left:
            return
        yield left[:size]
        left = left[size:]


def session_logits(session, ids, pad_id, budget=512):
    """Returns the logits of each row, float64, and the tokens per second: one thread, rows of near length together."""
    order = sorted(range(len(ids)), key=lambda r: len(ids[r]))
    out, at, started = [None] * len(ids), 0, time.monotonic()
    while at < len(order):
        end = at + 1
        while end < len(order) and len(ids[order[end]]) * (end + 1 - at) <= budget:
            end += 1
        for r, row in zip(order[at:end], logits(session, [ids[r] for r in order[at:end]], pad_id)):
            out[r] = row
        at = end
    return np.array(out, np.float64), sum(map(len, ids)) / max(1e-9, time.monotonic() - started)


def probability(z, positive):
    """Returns softmax(z)[:, positive]."""
    z = np.exp(z - z.max(axis=1, keepdims=True))
    return (z / z.sum(axis=1, keepdims=True))[:, positive]


def change(before, after, positive, storage, of):
    """Compares the logits of the float32 weights and of the stored file on the same rows."""
    was, now = probability(before, positive), probability(after, positive)
    return Change(
        storage, len(before), of,
        logit=float(np.abs(before - after).max()),
        score=float(np.abs(was - now).max()),
        flips=int(((was >= 0.5) != (now >= 0.5)).sum()),
    )  # fmt: skip


def val_figures(before, after, labels, positive):
    """Takes logits, as change does."""
    f1, auc = figures(labels, probability(after, positive))
    return Figures(f1, auc, figures(labels, probability(before, positive))[0])
