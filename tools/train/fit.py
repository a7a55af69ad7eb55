"""The training loop: length-bucketed batches, AdamW, warm-up and linear decay, best epoch by val F1 at 0.5."""

import copy
import math
import time
from dataclasses import dataclass

import numpy as np
import torch
from sklearn.metrics import f1_score, roc_auc_score

from unigram import PAD

PLATEAU = 0.1  # mean train loss of the last epoch above which a seed counts as stalled


@dataclass
class Recipe:
    epochs: int = 3
    lr: float = 5e-4
    warmup: float = 0.1
    batch_rows: int = 32
    batch_tokens: int = 2048  # rows × longest text of a batch: long texts come in smaller batches
    weight_decay: float = 0.01
    clip: float = 1.0
    precision: str = "fp32"


@dataclass
class Fitted:
    best_epoch: int
    val_f1: float
    val_auc: float
    stalled: bool
    log: list  # one dict an epoch


def single_thread(threads=1):
    """Fixes everything that could make two runs differ on the same machine."""
    torch.set_num_threads(threads)
    torch.use_deterministic_algorithms(True)


def batches(lengths, rng, recipe):
    """Yields row numbers: near-equal lengths side by side, batches in random order."""
    order = rng.permutation(len(lengths))
    pool = recipe.batch_rows * 50
    out = []
    for start in range(0, len(order), pool):
        rows = sorted(order[start : start + pool].tolist(), key=lambda r: lengths[r])
        batch = []
        for r in rows:
            if batch and (len(batch) == recipe.batch_rows or lengths[r] * (len(batch) + 1) > recipe.batch_tokens):
                out.append(batch)
                batch = []
            batch.append(r)
        out.append(batch)
    return [out[i] for i in rng.permutation(len(out))]


def pad(ids, pad_id):
    """Returns input_ids and attention_mask, both int64 [rows, longest]."""
    longest = max(map(len, ids))
    x = torch.full((len(ids), longest), pad_id, dtype=torch.int64)
    mask = torch.zeros_like(x)
    for i, row in enumerate(ids):
        x[i, : len(row)] = torch.tensor(row)
        mask[i, : len(row)] = 1
    return x, mask


@torch.no_grad()
def scores(model, ids, positive=1, pad_id=PAD, batch_tokens=2048):
    """Returns the probability of class positive for each row, float64."""
    model.eval()
    out = np.zeros(len(ids))
    order = sorted(range(len(ids)), key=lambda r: len(ids[r]))
    at = 0
    while at < len(order):
        end = at + 1
        while end < len(order) and len(ids[order[end]]) * (end + 1 - at) <= batch_tokens:
            end += 1
        rows = order[at:end]
        x, mask = pad([ids[r] for r in rows], pad_id)
        logits = model(input_ids=x, attention_mask=mask).logits.double()
        out[rows] = torch.softmax(logits, dim=-1)[:, positive].numpy()
        at = end
    return out


def figures(labels, p):
    """Returns F1 of the injection class at threshold 0.5 and the area under the ROC curve."""
    return float(f1_score(labels, p >= 0.5)), float(roc_auc_score(labels, p))


def fit(model, train_ids, train_labels, val_ids, val_labels, seed, recipe, say=print):
    """Trains model in place and leaves it at the weights of the best epoch."""
    decayed, free = [], []
    for name, p in model.named_parameters():
        (free if p.ndim < 2 or "LayerNorm" in name else decayed).append(p)
    optimiser = torch.optim.AdamW(
        [{"params": decayed, "weight_decay": recipe.weight_decay}, {"params": free, "weight_decay": 0.0}],
        lr=recipe.lr,
    )
    lengths = [len(x) for x in train_ids]
    plan = [batches(lengths, np.random.default_rng([seed, epoch]), recipe) for epoch in range(recipe.epochs)]
    total = sum(map(len, plan))
    warm = max(1, math.ceil(recipe.warmup * total))
    rate = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda step: min((step + 1) / warm, max(0.0, (total - step) / max(1, total - warm)))
    )
    labels = torch.tensor(train_labels)
    log, best, best_key = [], None, None
    for epoch, epoch_batches in enumerate(plan, start=1):
        started, loss_sum = time.monotonic(), 0.0
        model.train()
        for rows in epoch_batches:
            x, mask = pad([train_ids[r] for r in rows], PAD)
            with torch.autocast("cpu", dtype=torch.bfloat16, enabled=recipe.precision == "bf16"):
                logits = model(input_ids=x, attention_mask=mask).logits
            loss = torch.nn.functional.cross_entropy(logits.float(), labels[rows], reduction="sum")
            loss_sum += loss.item()
            # Divided by the full batch size, so that a row weighs the same in a small batch of long texts.
            (loss / recipe.batch_rows).backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), recipe.clip)
            optimiser.step()
            optimiser.zero_grad(set_to_none=True)
            rate.step()
        trained = time.monotonic() - started
        f1, auc = figures(val_labels, scores(model, val_ids))
        log.append(
            {
                "epoch": epoch,
                "train_loss": round(loss_sum / len(train_ids), 4),
                "val_f1": round(f1, 4),
                "val_auc": round(auc, 4),
                "seconds": round(trained, 1),
            }
        )
        line = "epoch {epoch}: train loss {train_loss}, val F1 {val_f1}, val AUC {val_auc}, {seconds} s"
        say(line.format(**log[-1]))
        if best_key is None or (f1, auc) > best_key:
            best_key, best = (f1, auc), (epoch, copy.deepcopy(model.state_dict()))
    model.load_state_dict(best[1])
    model.eval()
    return Fitted(best[0], best_key[0], best_key[1], log[-1]["train_loss"] > PLATEAU, log)
