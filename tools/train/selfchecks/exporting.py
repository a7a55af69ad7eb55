"""Self-checks of what leaves the tool: storage of weights, exported checkpoints, pretrained models to start from."""

import json
import os
import shutil

from selfchecks.support import Elsewhere, arguments, expect, lock, quietly, read, refused, tiny, train


def check_storage(tmp):
    """For each architecture and storage, ONNX Runtime gives what PyTorch gives with the rounded weights."""
    import numpy as np
    import torch

    import checks
    import onnxfile
    from architecture import ARCHITECTURES, build
    from finish import eager
    from fit import pad

    for arch, limit in (("deberta", 512), ("distilbert", 256)):
        sizes = {}
        for storage in onnxfile.STORAGES:
            model = build(arch, 300, 5, tiny()).eval()
            plain = {n: p.detach().clone() for n, p in model.named_parameters()}
            model = eager(model)
            path = os.path.join(tmp, f"{arch}-{storage}.onnx")
            onnxfile.round_weights(model, storage)
            moved = max(float((p.detach() - plain[n]).abs().max()) for n, p in model.named_parameters())
            onnxfile.export(model, path, 300, storage)
            sizes[storage] = os.path.getsize(path)
            session = checks.open_session(path)
            rng = np.random.default_rng(3)
            # One token is below what a detector ever sends; two are an empty text.
            lengths = [n for n in (1, *checks.LENGTHS) if n <= limit]
            worst = 0.0
            for rows in range(1, 33):
                batch = [rng.integers(5, 300, n).tolist() for n in rng.choice(lengths[:12], rows)]
                batch[0] = rng.integers(5, 300, lengths[rows % len(lengths)]).tolist()
                x, mask = pad(batch, 0)
                with torch.no_grad():
                    want = model(input_ids=x, attention_mask=mask).logits.numpy()
                worst = max(worst, float(np.abs(checks.logits(session, batch, 0) - want).max()))
            expect(f"{arch}, {storage}: within 1e-4 of PyTorch, 1 to 32 rows of 1 to {limit} tokens", worst <= 1e-4, worst)
            expect(f"{arch}, {storage}: weights move as far as they may", (moved > 0) == (storage != "fp32"), moved)
        expect(f"{arch}: int8 smaller than fp16 smaller than fp32", sizes["int8"] < sizes["fp16"] < sizes["fp32"], sizes)
        expect(f"{arch}: {limit} tokens are its limit", ARCHITECTURES[arch].max_length == limit)


def check_export(tmp, edition, folder):
    """A checkpoint on disk becomes a folder; what is no classifier, or another model, is refused."""
    import numpy as np
    import onnx
    from onnx import numpy_helper

    import architecture
    import base
    import checks
    import export

    checkpoint, out = os.path.join(tmp, "checkpoint"), os.path.join(tmp, "models", "exported")
    vocab = json.loads(read(folder, "config.json"))["vocab_size"]
    model = architecture.build("deberta", vocab, 7, tiny())
    model.save_pretrained(checkpoint)
    spec = json.loads(read(folder, "tokenizer.json"))
    spec["normalizer"] = {"type": "Lowercase"}
    spec["truncation"] = {"direction": "Right", "max_length": 5, "strategy": "LongestFirst", "stride": 0}
    with open(os.path.join(checkpoint, "tokenizer.json"), "w", encoding="utf-8") as f:
        json.dump(spec, f)

    def exported(*more, checkpoint=checkpoint, out=out):
        return quietly(export.main, ["--checkpoint", checkpoint, "--out", out, "--force", *more])

    status, said = exported("--val", os.path.join(edition, "val.csv"))
    expect("export: a checkpoint becomes a model folder", status == 0, said)
    check_change(checkpoint, out, edition, exported)
    check_replacing(checkpoint, out, exported)
    after = json.loads(read(out, "tokenizer.json"))
    expect("export: truncation goes", after["truncation"] is None)
    expect("export: NUL rule first", after["normalizer"]["normalizers"][0]["pattern"] == {"String": "\0"})
    refused("export: an unknown class name", exported("--positive", "attack"), "holds benign, injection")
    refused("export: the name of scratch models", exported("--display-name", "DeBERTa-arch 9M"), "is kept for")
    refused("export: a folder without a model", exported(checkpoint=edition), "holds no config.json")

    headless = os.path.join(tmp, "headless")
    shutil.copytree(checkpoint, headless)
    model.deberta.save_pretrained(headless)
    refused("export: a model without a trained head", exported(checkpoint=headless), "lack", "fine-tuned")
    os.truncate(os.path.join(headless, "model.safetensors"), 100)
    refused("export: half a weights file", exported(checkpoint=headless), "not a model that can be read")

    # The check must be able to fail: one weight off, and the file is another model.
    path = os.path.join(tmp, "off.onnx")
    graph = onnx.load(os.path.join(out, "model.onnx"))
    for t in graph.graph.initializer:
        if "classifier.bias" in t.name:
            t.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(t) + np.float32(0.001), t.name))
    onnx.save(graph, path)
    rows = checks.random_rows(vocab, 512, [1], [2])
    try:
        checks.agreement(base.weights(checkpoint, "")[0], checks.open_session(path), rows, 0)
        found = "no difference seen"
    except checks.CheckFailed as e:
        found = str(e)
    expect("export: a file that is not the model is refused", "logits differ" in found, found)


def check_change(checkpoint, out, edition, exported):
    """The lock says what storage changed against the checkpoint's own float32 weights."""
    import numpy as np
    import torch

    import base
    import checks
    from rows import read_split
    from tokens import encode

    texts = read_split(os.path.join(edition, "val.csv")).texts
    ids, _ = encode(base.tokenizer(checkpoint), texts, 512)
    model, _ = base.weights(checkpoint, "")
    with torch.no_grad():
        before = np.concatenate([model(input_ids=torch.tensor([row])).logits.double().numpy() for row in ids])
    changes = []
    for storage in ("fp32", "fp16", "int8"):
        status, said = exported("--val", os.path.join(edition, "val.csv"), "--storage", storage)
        session = checks.open_session(os.path.join(out, "model.onnx"))
        after = np.concatenate([checks.logits(session, [row], 0) for row in ids]).astype(np.float64)
        was, now = (1 / (1 + np.exp(z[:, 0] - z[:, 1])) for z in (before, after))
        flips, logit, score = int(((was >= 0.5) != (now >= 0.5)).sum()), np.abs(before - after).max(), np.abs(was - now).max()
        held = lock(out)["storage"]
        near = abs(held["max_logit_change"] - logit) < 0.01 * logit + 1e-5
        near = near and abs(held["max_score_change"] - score) < 0.01 * score + 1e-5 and held["verdicts_flipped"] == flips
        expect(f"export, {storage}: the lock says what storage changed", near, (held, logit, score, flips))
        form = held["weights"], held["arithmetic"], held["compared_rows"], held["compared_on"]
        expect(f"export, {storage}: how it is stored and computed with", form == (storage, "fp32", len(texts), "val"), held)
        line = f"{storage} storage against the float32 weights, {len(texts)} rows of val: no logit changed by more than"
        expect(f"export, {storage}: it is said in a line", status == 0 and line in said and f"{flips} verdicts" in said, said)
        changes.append(held["max_logit_change"])
    expect("export: int8 changes more than fp16, fp32 nothing", changes[2] > changes[1] > changes[0] < 1e-5, changes)
    status, said = exported("--storage", "int8")
    expect("export: without val, random tokens are compared", lock(out)["storage"]["compared_on"] == "random tokens", said)


def check_replacing(checkpoint, out, exported):
    """What is in --out is replaced when that is asked for, and only when it is a model."""
    import export

    before = read(out, "model.lock.json")
    again = quietly(export.main, ["--checkpoint", checkpoint, "--out", out])
    refused("export: a folder that holds a model", again, "holds a model", "choose another --out or add --force")
    expect("export: what was there is left alone", read(out, "model.lock.json") == before)
    for name in ("README.md", "notes.txt"):
        with open(os.path.join(out, name), "w", encoding="utf-8") as f:
            f.write("of the former model")
    refused("export: a folder that holds something else", exported(), "holds notes.txt", "choose another --out")
    os.remove(os.path.join(out, "notes.txt"))
    status, said = exported()
    there = sorted(os.listdir(out))
    want = ["config.json", "model.lock.json", "model.onnx", "tokenizer.json"]
    expect("export --force: the former model goes, card and all", status == 0 and there == want, (said, there))
    refused("export: into the checkpoint itself", exported(out=checkpoint), "holds model.safetensors")
    empty = os.path.join(os.path.dirname(out), "empty")
    os.makedirs(empty)
    expect("export: an empty folder is filled", quietly(export.main, ["--checkpoint", checkpoint, "--out", empty])[0] == 0)
    file = os.path.join(os.path.dirname(out), "file")
    open(file, "w").close()
    refused("export: a file in the folder's place", exported(out=file), "is a file")


def checkpoints(tmp, deberta, distilbert):
    """Writes pretrained models with random weights, each with a tokenizer.json, and returns them by model type."""
    from transformers import BertConfig, BertModel, DebertaV2Model, DistilBertModel
    from transformers.utils import logging

    from architecture import ARCHITECTURES

    logging.disable_progress_bar()
    made = {}
    for kind, source in (("distilbert", distilbert), ("deberta-v2", deberta), ("bert", distilbert)):
        vocab = json.loads(read(source, "config.json"))["vocab_size"]
        size = tiny()
        if kind == "bert":
            config = BertConfig(
                vocab_size=vocab, hidden_size=size.hidden, num_hidden_layers=size.layers,
                num_attention_heads=size.heads, intermediate_size=size.feed_forward,
            )  # fmt: skip
        else:
            config = ARCHITECTURES[kind.split("-")[0]].config(vocab, size)
        model = {"bert": BertModel, "deberta-v2": DebertaV2Model, "distilbert": DistilBertModel}[kind](config)
        made[kind] = os.path.join(tmp, "pretrained", kind)
        model.save_pretrained(made[kind])
        shutil.copy(os.path.join(source, "tokenizer.json"), made[kind])
    return made


def check_bases(tmp, edition, pretrained):
    """The recipe follows from the model's type. HF_ENDPOINT is a hub that serves the folder pretrained."""
    argv = arguments(edition, os.path.join(tmp, "unreachable", "model"), "--base", "tiny/other")
    unreachable = Elsewhere(tmp, "HF_ENDPOINT", "http://127.0.0.1:9", (argv, None))  # the library tries for a while
    want = {  # epochs, learning rate, warm-up, rows of a batch, tokens of a train text
        "distilbert": (2, 5e-5, 0.0, 16, 256),
        "deberta-v2": (3, 2e-5, 0.06, 16, 512),
        "bert": (1, 1e-4, 0.1, 32, 128),
    }

    def tuned(base, *more):
        out = os.path.join(tmp, "tuned", "model")
        shutil.rmtree(out, ignore_errors=True)
        result = train(arguments(edition, out, "--base", base, "--allow-stalled", *more, train="noise.csv"))
        return result, out

    for kind, path in pretrained.items():
        (status, said), out = tuned(path)
        expect(f"--base, {kind}: done", status == 0, said)
        training, source = lock(out)["training"], lock(out)["source"]
        recipe = training["recipe"]
        found = tuple(recipe[k] for k in ("epochs", "lr", "warmup", "batch_rows", "train_length"))
        rest = (recipe["weight_decay"], recipe["clip"], recipe["precision"]) == (0.01, 1.0, "fp32")
        expect(f"--base, {kind}: the original's hyper-parameters", found == want[kind] and rest, recipe)
        expect(f"--base, {kind}: the lock names the weights", source["from"] == kind and len(source["weights_sha256"]) == 64)
        said = [name for name in ("README.md", "model.lock.json") if tmp.encode() in read(out, name)]
        expect(f"--base, {kind}: no local path in card and lock", not said, said)
        first = read(out, "model.onnx")

    (status, said), out = tuned("tiny/bert")
    expect("--base with a name on the hub: done", status == 0, said)
    expect("--base with a name on the hub: the same bytes as from the folder", read(out, "model.onnx") == first)
    expect("--base with a name on the hub: the lock names it", lock(out)["source"]["from"] == "tiny/bert")
    refused("--base with a name that the hub lacks", tuned("tiny/nothing")[0], "--base tiny/nothing: no folder here")

    other = os.path.join(tmp, "pretrained", "other")
    shutil.copytree(pretrained["bert"], other)
    config = json.loads(read(other, "config.json"))
    with open(os.path.join(other, "config.json"), "w", encoding="utf-8") as f:
        json.dump({**config, "num_hidden_layers": config["num_hidden_layers"] + 1}, f)
    refused("--base whose weights lack a layer", tuned(other)[0], "its weights lack 16 tensors")

    (result,) = unreachable.results()
    refused("--base with a name on the hub, no network", result, "--base tiny/other: no folder here")

    import base

    where = base.locate("minilm")
    here = {"config.json", "model.safetensors", "tokenizer.json"} <= set(os.listdir(where))
    expect("--base minilm: the package's folder", here, where)
