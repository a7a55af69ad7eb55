"""The small architectures that are trained from random weights. What they have in common is the size."""

from dataclasses import asdict, dataclass

import torch
from transformers import DebertaV2Config, DistilBertConfig

import unigram
import wordpiece
from tokens import PAD

LABELS = {0: "benign", 1: "injection"}


@dataclass
class Size:
    hidden: int = 128
    layers: int = 4
    heads: int = 4
    feed_forward: int = 512


def _deberta(vocabulary, size):
    """DeBERTa-v2: disentangled attention, content to position and position to content, shared keys."""
    return DebertaV2Config(
        vocab_size=vocabulary,
        hidden_size=size.hidden,
        num_hidden_layers=size.layers,
        num_attention_heads=size.heads,
        intermediate_size=size.feed_forward,
        max_position_embeddings=512,
        type_vocab_size=0,
        initializer_range=0.05,
        hidden_dropout_prob=0.1,
        attention_probs_dropout_prob=0.1,
        relative_attention=True,
        position_buckets=64,
        max_relative_positions=-1,
        position_biased_input=False,
        pos_att_type=["c2p", "p2c"],
        share_att_key=True,
        norm_rel_ebd="layer_norm",
        pooler_dropout=0.0,
        pad_token_id=PAD,
        architectures=["DebertaV2ForSequenceClassification"],
    )


def _distilbert(vocabulary, size):
    """DistilBERT: learnt positions, no token types, no pooler."""
    return DistilBertConfig(
        vocab_size=vocabulary,
        dim=size.hidden,
        n_layers=size.layers,
        n_heads=size.heads,
        hidden_dim=size.feed_forward,
        max_position_embeddings=256,
        initializer_range=0.05,
        dropout=0.1,
        attention_dropout=0.1,
        seq_classif_dropout=0.1,
        pad_token_id=PAD,
        architectures=["DistilBertForSequenceClassification"],
    )


@dataclass
class Architecture:
    name: str  # in display names
    max_length: int  # tokens of a window when it is used
    train_tokenizer: object  # texts, pieces → Tokenizer
    config: object  # vocabulary, Size → transformers config
    words: str  # for the model card


ARCHITECTURES = {
    "deberta": Architecture(
        "DeBERTa-arch",
        512,
        unigram.train_tokenizer,
        _deberta,
        "DeBERTa-v2: disentangled attention (content to position and position to content, shared keys, 64 buckets of "
        "relative positions); Unigram tokenizer; at most 512 tokens",
    ),
    "distilbert": Architecture(
        "DistilBERT-arch",
        256,
        wordpiece.train_tokenizer,
        _distilbert,
        "DistilBERT: learnt positions, no token types; WordPiece tokenizer, lower case; at most 256 tokens",
    ),
}


def build(arch, vocabulary, seed, size=Size()):
    """Returns a sequence classifier whose weights depend on seed alone."""
    config = ARCHITECTURES[arch].config(vocabulary, size)
    config.id2label, config.label2id = dict(LABELS), {v: k for k, v in LABELS.items()}
    torch.manual_seed(seed)
    return classifier(config)


def classifier(config, attention=None):
    """Returns a classifier with random weights. Eager attention is what the exporter can trace."""
    from transformers import AutoModelForSequenceClassification

    eager = {"attn_implementation": attention} if attention else {}
    return AutoModelForSequenceClassification.from_config(config, **eager)


def parameter_count(model):
    return sum(p.numel() for p in model.parameters())


def size_of(size):
    return asdict(size)
