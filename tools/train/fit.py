"""The training loop: length-bucketed batches, AdamW, warm-up and linear decay, best epoch by val F1 at 0.5."""

import copy
import math
import os
import pickle
import signal
import time
from dataclasses import asdict, dataclass

import numpy as np
import torch
from sklearn.metrics import f1_score, roc_auc_score

from tokens import PAD

PLATEAU = 0.35  # mean train loss over the last tenth of the steps above which a seed counts as stalled
SAVE_EVERY = 300  # seconds between two saved states


@dataclass
class Recipe:
    epochs: int = 1
    lr: float = 5e-4
    warmup: float = 0.1
    batch_rows: int = 32
    batch_tokens: int = 2048  # rows × longest text of a batch: long texts come in smaller batches
    train_length: int = 128  # tokens that a train text is cut to; val is read at the model's full length
    weight_decay: float = 0.01
    clip: float = 1.0
    dropout: float | None = None  # in all layers; None: as the model has it
    precision: str = "fp32"


@dataclass
class Fitted:
    best_epoch: int
    val_f1: float
    val_auc: float
    last_loss: float  # mean train loss over the last tenth of the steps
    log: list  # one dict an epoch

    @property
    def stalled(self):
        return self.last_loss > PLATEAU


class NotFinite(Exception):
    """A loss or a logit is no number."""


class Stopped(Exception):
    """The user stopped training; its state is kept."""


def single_thread(threads=1):
    """Fixes everything that could make two runs differ on the same machine."""
    torch.set_num_threads(threads)
    torch.use_deterministic_algorithms(True, warn_only=torch.cuda.is_available())
    torch.utils.deterministic.fill_uninitialized_memory = False  # takes 6 % of the time, and nothing here reads such memory


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


def pad(ids, pad_id, device="cpu"):
    """Returns input_ids and attention_mask, both int64 [rows, longest]."""
    longest = max(map(len, ids))
    x = torch.full((len(ids), longest), pad_id, dtype=torch.int64)
    mask = torch.zeros_like(x)
    for i, row in enumerate(ids):
        x[i, : len(row)] = torch.tensor(row)
        mask[i, : len(row)] = 1
    return x.to(device), mask.to(device)


def scores(model, ids, positive=1, pad_id=PAD):
    """Returns the probability of class positive for each row, float64."""
    return torch.softmax(torch.from_numpy(logits(model, ids, pad_id)), dim=-1)[:, positive].numpy()


@torch.no_grad()
def logits(model, ids, pad_id=PAD, batch_tokens=2048):
    """Returns the logits of each row, float64. Raises NotFinite when one is no number."""
    model.eval()
    out = np.zeros((len(ids), model.config.num_labels))
    order = sorted(range(len(ids)), key=lambda r: len(ids[r]))
    at = 0
    while at < len(order):
        end = at + 1
        while end < len(order) and len(ids[order[end]]) * (end + 1 - at) <= batch_tokens:
            end += 1
        rows = order[at:end]
        x, mask = pad([ids[r] for r in rows], pad_id, model.device)
        out[rows] = model(input_ids=x, attention_mask=mask).logits.double().cpu().numpy()
        at = end
    bad = int((~np.isfinite(out)).any(axis=1).sum())
    if bad:
        raise NotFinite(f"the logits of {bad} of {len(out)} rows are no numbers")
    return out


def figures(labels, p):
    """Returns F1 of the injection class at threshold 0.5 and the area under the ROC curve."""
    return float(f1_score(labels, p >= 0.5)), float(roc_auc_score(labels, p))


class Run:
    """One training, from the first step to the last, that can be saved between two steps and taken up again."""

    def __init__(self, model, train, val, seed, recipe, identity, path=None, watch=None, say=print):
        """train and val are (ids, labels); watch is called with the model after each epoch and returns figures for the
        log; identity is text that tells this training from another; path is where its state is kept."""
        self.model, self.train, self.val, self.watch, self.say = model, train, val, watch, say
        self.recipe, self.identity, self.path = recipe, identity, path
        self.pad_id = model.config.pad_token_id or 0
        if recipe.dropout is not None:
            for module in model.modules():
                if isinstance(module, torch.nn.Dropout):
                    module.p = recipe.dropout
        decayed, free = [], []
        for name, p in model.named_parameters():
            (free if p.ndim < 2 or "LayerNorm" in name or "layer_norm" in name else decayed).append(p)
        self.optimiser = torch.optim.AdamW(
            [{"params": decayed, "weight_decay": recipe.weight_decay}, {"params": free, "weight_decay": 0.0}],
            lr=recipe.lr,
            fused=True,
        )
        lengths = [len(x) for x in train[0]]
        self.plan = [batches(lengths, np.random.default_rng([seed, epoch]), recipe) for epoch in range(recipe.epochs)]
        self.steps = sum(map(len, self.plan))
        warm = math.ceil(recipe.warmup * self.steps)
        self.rate = torch.optim.lr_scheduler.LambdaLR(
            self.optimiser,
            lambda step: min((step + 1) / max(1, warm), max(0.0, (self.steps - step) / max(1, self.steps - warm)))
            if warm
            else (self.steps - step) / self.steps,
        )
        self.step = 0  # of the whole training
        self.losses = []  # summed loss and rows of each step
        self.seconds = 0.0  # of the current epoch
        self.log, self.best = [], None

    def save(self):
        if not self.path:
            return
        state = {
            "identity": self.identity,
            "model": self.model.state_dict(),
            "optimiser": self.optimiser.state_dict(),
            "rate": self.rate.state_dict(),
            "random": torch.get_rng_state(),
            "random_cuda": torch.cuda.get_rng_state_all(),
            "step": self.step,
            "losses": self.losses,
            "seconds": self.seconds,
            "log": self.log,
            "best": self.best,
        }
        torch.save(state, self.path + ".new")
        os.replace(self.path + ".new", self.path)

    def resume(self):
        """Takes up a saved state of the same training."""
        if not self.path:
            return
        if os.path.exists(self.path + ".new"):  # left by a process that was killed while it saved
            os.remove(self.path + ".new")
        if not os.path.exists(self.path):
            return
        name = os.path.basename(self.path)
        try:
            state = torch.load(self.path, map_location="cpu", weights_only=True)
        except (OSError, EOFError, ValueError, RuntimeError, pickle.UnpicklingError):
            self.say(f"{name} is not a whole saved state; starting anew")
            return
        if state["identity"] != self.identity:
            self.say(f"{name} belongs to another training (data, recipe or packages); starting anew")
            return
        self.model.load_state_dict(state["model"])
        self.optimiser.load_state_dict(state["optimiser"])
        self.rate.load_state_dict(state["rate"])
        torch.set_rng_state(state["random"])
        torch.cuda.set_rng_state_all(state["random_cuda"])
        self.step, self.losses, self.seconds = state["step"], state["losses"], state["seconds"]
        self.log, self.best = state["log"], state["best"]
        self.say(f"going on at step {self.step} of {self.steps}")

    def one_step(self, rows):
        ids, labels = self.train
        x, mask = pad([ids[r] for r in rows], self.pad_id, self.model.device)
        y = torch.tensor([labels[r] for r in rows], device=self.model.device)
        kind = self.model.device.type
        with torch.autocast(kind, dtype=torch.bfloat16, enabled=self.recipe.precision == "bf16"):
            logits = self.model(input_ids=x, attention_mask=mask).logits
        loss = torch.nn.functional.cross_entropy(logits.float(), y, reduction="sum")
        value = loss.item()
        if not math.isfinite(value):
            raise NotFinite(f"the loss of step {self.step + 1} is {value}; try a lower learning rate (--lr)")
        # Divided by the full batch size, so that a row weighs the same in a small batch of long texts.
        (loss / self.recipe.batch_rows).backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.recipe.clip)
        self.optimiser.step()
        self.optimiser.zero_grad(set_to_none=True)
        self.rate.step()
        self.losses.append((value, len(rows)))
        self.step += 1

    def end_epoch(self, epoch):
        first = sum(map(len, self.plan[: epoch - 1]))
        f1, auc = figures(self.val[1], scores(self.model, self.val[0], pad_id=self.pad_id))
        entry = {
            "epoch": epoch,
            "train_loss": round(_mean(self.losses[first:]), 4),
            "val_f1": round(f1, 4),
            "val_auc": round(auc, 4),
            "seconds": round(self.seconds, 1),
        }
        line = "epoch {epoch}: train loss {train_loss}, val F1 {val_f1}, val AUC {val_auc}, {seconds} s"
        self.say(line.format(**entry))
        if self.watch:
            entry.update(self.watch(self.model))
        self.log.append(entry)
        self.seconds = 0.0
        if self.best is None or (f1, auc) > tuple(self.best[:2]):
            self.best = [f1, auc, epoch, copy.deepcopy(self.model.state_dict())]

    def fit(self):
        """Trains to the end and leaves the model at the weights of the best epoch."""
        self.resume()
        stop = _StopFlag(bool(self.path))
        done = 0
        with stop:
            for epoch, plan in enumerate(self.plan, start=1):
                if len(self.log) >= epoch:
                    done += len(plan)
                    continue
                self.model.train()
                started = saved = time.monotonic()
                for rows in plan[self.step - done :]:
                    if stop.asked:
                        self.seconds += time.monotonic() - started
                        self.save()
                        raise Stopped(f"stopped at step {self.step} of {self.steps}; run the same command to go on")
                    self.one_step(rows)
                    if time.monotonic() - saved > SAVE_EVERY:
                        self.seconds += time.monotonic() - started
                        self.save()
                        self.say(f"step {self.step} of {self.steps}: train loss {_mean(self.losses[-100:]):.4f}")
                        started = saved = time.monotonic()
                self.seconds += time.monotonic() - started
                done += len(plan)
                self.end_epoch(epoch)
                self.save()
        f1, auc, epoch, weights = self.best
        self.model.load_state_dict(weights)
        self.model.eval()
        tail = self.losses[-max(1, self.steps // 10) :]
        return Fitted(epoch, f1, auc, round(_mean(tail), 4), self.log)


def _mean(losses):
    return sum(v for v, _ in losses) / sum(n for _, n in losses)


class _StopFlag:
    """Turns Ctrl-C and a termination into a flag that is looked at between two steps."""

    def __init__(self, active):
        self.asked, self.active, self.old = False, active, {}

    def __enter__(self):
        if self.active:
            for s in (signal.SIGINT, signal.SIGTERM):
                self.old[s] = signal.signal(s, self._ask)
        return self

    def __exit__(self, *_):
        for s, handler in self.old.items():
            signal.signal(s, handler)

    def _ask(self, *_):
        self.asked = True


def recipe_fields(recipe):
    return asdict(recipe)
