"""Model folders: config.json, model.lock.json, and moving a finished folder into place."""

import hashlib
import json
import os
import re
import sys
from importlib import metadata

from rows import BadInput

HERE = os.path.dirname(os.path.abspath(__file__))
LOADED = ("config.json", "model.onnx", "tokenizer.json")  # what the lock covers
LOCK, CARD = "model.lock.json", "README.md"


def requirements():
    """Returns the pinned packages with their installed versions. Raises BadInput when some are missing or one is
    another version."""
    found, missing = {}, []
    with open(os.path.join(HERE, "requirements.txt"), encoding="utf-8") as f:
        for line in f:
            name, _, want = line.strip().partition("==")
            try:
                got = metadata.version(name)
            except metadata.PackageNotFoundError:
                missing.append(name)
                continue
            if got.split("+")[0] != want:
                raise BadInput(
                    f"tools/train/requirements.txt: {name} is installed as {got}, expected {want}; "
                    "run pip install -r tools/train/requirements.txt"
                )
            found[name] = got
    if missing:
        raise BadInput(
            f"{sys.executable} lacks {', '.join(missing)}; run {sys.executable} -m pip install -r "
            "tools/train/requirements.txt"
        )
    return dict(sorted(found.items()))


def require():
    """Ends the program with one sentence when the pinned packages are not there. For programs to call before they
    import one of them."""
    try:
        requirements()
    except BadInput as e:
        sys.exit(f"error: {e}")


def name_of(out):
    name = os.path.basename(os.path.normpath(out))
    if not re.fullmatch(r"[a-z0-9][a-z0-9.-]*", name):
        raise BadInput(f"--out ends in {name[:40]!r}, expected a name of lower-case letters, digits, dots and dashes")
    return name


def check_out(out, replace):
    """Raises BadInput when out holds what the finished folder cannot stand beside, or, unless it may replace a model
    folder, anything."""
    if not os.path.exists(out):
        return
    if not os.path.isdir(out):
        raise BadInput(f"--out {out} is a file, expected a folder or nothing; choose another --out")
    there = sorted(os.listdir(out))
    strange = [name for name in there if name not in (*LOADED, LOCK, CARD)]
    if strange:
        raise BadInput(f"--out {out} holds {strange[0]}, which is no file of a model folder; choose another --out")
    if there and not replace:
        raise BadInput(f"--out {out} holds a model, expected a new folder; choose another --out or add --force")


def shown(base):
    """Returns what a card and a lock say of the weights that training began with: a folder by its last name alone."""
    return os.path.basename(os.path.abspath(base)) if os.path.isdir(base) else base


def write_json(path, value):
    with open(path, "w", encoding="utf-8", newline="\n") as f:
        json.dump(value, f, indent=2, ensure_ascii=False)
        f.write("\n")


def write_config(path, config):
    """Writes a transformers config without anything that tells where it was made."""
    values = config.to_diff_dict()
    for key in ("_name_or_path", "dtype", "torch_dtype"):
        values.pop(key, None)
    values["id2label"] = {str(k): v for k, v in sorted(config.id2label.items())}
    values["label2id"] = {v: k for k, v in sorted(config.id2label.items())}
    write_json(path, dict(sorted(values.items())))


def hash_file(path):
    with open(path, "rb") as f:
        return hashlib.file_digest(f, "sha256").hexdigest()


def write_lock(folder, name, display_name, source, licence, storage, training):
    files = []
    for name_ in sorted(LOADED):
        path = os.path.join(folder, name_)
        files.append({"path": name_, "sha256": hash_file(path), "bytes": os.path.getsize(path)})
    write_json(
        os.path.join(folder, LOCK),
        {
            "schema": "pidsbench-model-lock/1",
            "name": name,
            "display_name": display_name,
            "source": source,
            "licence": licence,
            "files": files,
            "storage": storage,
            "training": training,
        },
    )


def move_into(work, out):
    """Moves the finished files of work to out, which may hold a model folder. Files of both are never a model: the old
    graph goes first, the new one and then the lock come last."""
    os.makedirs(out, exist_ok=True)
    names = sorted(os.listdir(work), key=lambda n: (n == LOCK, n == "model.onnx", n))
    for name in ("model.onnx", CARD):
        if os.path.exists(os.path.join(out, name)):
            os.remove(os.path.join(out, name))
    for name in names:
        os.replace(os.path.join(work, name), os.path.join(out, name))
