"""The DeBERTa-v2 architecture (disentangled attention) with random initial weights."""

from dataclasses import dataclass

import torch
from transformers import DebertaV2Config, DebertaV2ForSequenceClassification

from unigram import PAD

LABELS = {0: "benign", 1: "injection"}
MAX_LENGTH = 512


@dataclass
class Size:
    hidden: int = 128
    layers: int = 4
    heads: int = 4
    feed_forward: int = 512


def build(vocab_size, seed, size=Size()):
    """Returns a DebertaV2ForSequenceClassification whose weights depend on seed alone."""
    config = DebertaV2Config(
        vocab_size=vocab_size,
        hidden_size=size.hidden,
        num_hidden_layers=size.layers,
        num_attention_heads=size.heads,
        intermediate_size=size.feed_forward,
        max_position_embeddings=MAX_LENGTH,
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
        id2label=dict(LABELS),
        label2id={v: k for k, v in LABELS.items()},
        architectures=["DebertaV2ForSequenceClassification"],
    )
    torch.manual_seed(seed)
    return DebertaV2ForSequenceClassification(config)


def parameter_count(model):
    return sum(p.numel() for p in model.parameters())
