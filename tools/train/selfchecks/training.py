"""Self-checks of training: the same bytes again, stopping and going on, what is refused, watched rows."""

import json
import os
import shutil

from selfchecks.support import PACE, STABLE, TOOL, Elsewhere, arguments, expect, lock, read, refused, tiny, train


def same(what, one, two, names=STABLE):
    for name in names:
        expect(f"{what}: {name} is the same", read(one, name) == read(two, name))


def check_training(tmp, edition):
    """Returns the model folders of a DeBERTa and a DistilBERT."""

    def out(run, arch):
        return os.path.join(tmp, run, arch)

    def argv(run, arch):
        return arguments(edition, out(run, arch), "--arch", arch, *PACE)

    first = Elsewhere(tmp, "PYTHONHASHSEED", "1", (argv("a", "deberta"), None), (argv("a", "distilbert"), None))
    unwatched = argv("b", "deberta")
    at = unwatched.index("--watch")
    del unwatched[at : at + 2]
    jobs = (argv("c", "deberta"), 30), (argv("b", "distilbert"), None), (unwatched, None)
    second = Elsewhere(tmp, "PYTHONHASHSEED", "2", *jobs)
    check_refusals(tmp, edition)
    for status, said in first.results():
        expect("training: done, ONNX equals PyTorch, same bits in every batch", status == 0, said)
    (stopped, said), *others = second.results()
    expect("training: again in another process", [s for s, _ in others] == [0, 0], others)
    same("two trainings", out("a", "distilbert"), out("b", "distilbert"))
    same("with and without watched rows", out("a", "deberta"), out("b", "deberta"), STABLE[:3])
    for arch in ("deberta", "distilbert"):
        training = lock(out("a", arch))["training"]
        expect(f"training: {arch} learnt the texts", training["val_f1"] > 0.95, training)

    expect("stopped by SIGINT: status 130 and a sentence", stopped == 130 and "stopped at step 30 of" in said, said)
    state = os.path.join(tmp, "c", ".training-deberta.pt")
    expect("stopped: the state is kept, nothing else", os.listdir(os.path.dirname(state)) == [".training-deberta.pt"])
    check_states(tmp, edition, state)
    status, said = train(argv("c", "deberta"))
    expect("taken up again: at the step where it was", status == 0 and "going on at step 30 of" in said, said)
    same("taken up again", out("a", "deberta"), out("c", "deberta"))
    expect("taken up again: the state is gone", not os.path.exists(state))

    check_watched(out("a", "deberta"), out("b", "deberta"))
    check_lock(tmp, out("a", "deberta"))
    check_dropout()
    return out("a", "deberta"), out("a", "distilbert")


def check_states(tmp, edition, state):
    """A state of another training, or half of one, is not taken up."""
    for what, more, found in (
        ("another seed", ["--seed", "43"], "belongs to another training"),
        ("another recipe", ["--warmup", "0.2"], "belongs to another training"),
        ("half a file", [], "is not a whole saved state"),
    ):
        out = os.path.join(tmp, "states", "deberta")
        os.makedirs(os.path.dirname(out), exist_ok=True)
        there = os.path.join(os.path.dirname(out), os.path.basename(state))
        shutil.copy(state, there)
        if not more:
            os.truncate(there, os.path.getsize(there) // 2)
        status, said = train(arguments(edition, out, "--arch", "deberta", *PACE, *more), stop_at=1)
        expect(f"a state of {what}: begun anew", status == 130 and found in said and "stopped at step 1 of" in said, said)


def check_refusals(tmp, edition):
    """Numbers that are none and a plateau write nothing."""
    out = os.path.join(tmp, "refused", "tiny")
    half = os.path.join(os.path.dirname(out), ".training-tiny.pt.new")
    os.makedirs(os.path.dirname(half))
    open(half, "w").close()
    mad = train(arguments(edition, out, "--arch", "deberta", "--lr", "1e30"))
    refused("a loss that is no number", mad, "the loss of step", "--lr")
    expect("a state that was half written goes at the next start", not os.path.exists(half))
    noise = arguments(edition, out, "--arch", "distilbert", "--epochs", "1", train="noise.csv")
    status, said = train(noise)
    expect("stalled: status 1 and a sentence", status == 1 and "stalled: train loss" in said, said)
    expect("refused: nothing written", not os.path.exists(out))
    status, said = train([*noise, "--allow-stalled"])
    finished = status == 0 and "going on at step" in said and lock(out)["training"]["stalled"]
    expect("stalled: --allow-stalled writes what was trained, and the lock says so", finished, said)
    expect("stalled: the card says so", b"**Training stalled**" in read(out, "README.md"))
    for what, more, found in (
        ("a graphics card that is not there", ["--device", "cuda"], "sees no GPU"),
        ("rows longer than the model reads", ["--train-length", "257"], "reads at most 256 tokens"),
    ):
        import torch

        if "cuda" in more and torch.cuda.is_available():
            continue
        refused(what, train(arguments(edition, out, "--arch", "distilbert", *more)), found)


def check_watched(watched, unwatched):
    """Rows that are watched are told of."""
    log = lock(watched)["training"]["log"]
    kinds = [sorted(e["watched_fpr"]) for e in log]
    expect("watched rows: false alarms of every epoch in the lock", kinds == [["a", "all", "b", "c"]] * 3, log)
    expect("watched rows: none in the lock without", "watched_fpr" not in json.dumps(lock(unwatched)))
    card = read(watched, "README.md").decode()
    row = f"| {log[0]['watched_fpr']['all']:.4f} |"
    expect("watched rows: in the card", "false alarms (all) |" in card and row in card and "chose nothing" in card, card)


def check_dropout():
    """The card says the dropout that the model was built with."""
    from transformers import BertConfig, DebertaV2Config, DistilBertConfig

    import card
    from architecture import ARCHITECTURES

    for name, arch in ARCHITECTURES.items():
        expect(f"card: dropout of {name}", card.dropout(arch.config(300, tiny())) == "0.1")
    for config, want in (
        (DistilBertConfig(), "0.1 (head 0.2)"),
        (BertConfig(hidden_dropout_prob=0.2, attention_probs_dropout_prob=0), "0.2 (attention 0)"),
        (BertConfig(classifier_dropout=0.3), "0.1 (head 0.3)"),
        (DebertaV2Config(cls_dropout=0), "0.1 (head 0)"),
    ):
        found = card.dropout(config)
        expect(f"card: dropout {want} of {config.model_type}", found == want, found)


def check_lock(tmp, folder):
    held = lock(folder)["storage"]
    found = held["weights"], held["arithmetic"], held["compared_on"], held["compared_rows"]
    expect("lock: storage against the float32 weights", found == ("fp16", "fp32", "val", 200), held)
    paths = [f["path"] for f in lock(folder)["files"]]
    expect("lock: files by path", paths == ["config.json", "model.onnx", "tokenizer.json"], paths)
    for name in [*STABLE, "model.lock.json"]:
        data = read(folder, name)
        leaks = [w for w in (tmp, TOOL, os.path.expanduser("~/"), '.py"', "site-packages") if w.encode() in data]
        expect(f"no local path in {name}", not leaks, leaks)
