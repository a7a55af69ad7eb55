"""What each kind of model is trained with, by default."""

from fit import Recipe

# Models trained from random weights, chosen on val: README.md, "What was tried".
SCRATCH = {
    "deberta": Recipe(epochs=1, train_length=128),
    "distilbert": Recipe(epochs=1, train_length=256),
}

# Pretrained models by model_type, each with the tokens of a window when it is used: what the original benchmark
# fine-tunes with, and for BERT what was chosen on val here for MiniLM.
PRETRAINED = {
    "distilbert": (Recipe(epochs=2, lr=5e-5, warmup=0.0, batch_rows=16, batch_tokens=16 * 256, train_length=256), 256),
    "deberta-v2": (Recipe(epochs=3, lr=2e-5, warmup=0.06, batch_rows=16, batch_tokens=16 * 512, train_length=512), 512),
    "bert": (
        Recipe(
            epochs=1, lr=1e-4, warmup=0.1, batch_rows=64, batch_tokens=2048, train_length=48, dropout=0.0, precision="bf16"
        ),
        256,
    ),
}


def table():
    """Returns the recipes as lines for --help."""
    known = {f"--arch {name}": r for name, r in SCRATCH.items()}
    known.update({f"--base of type {name}": r for name, (r, _) in PRETRAINED.items()})
    return "".join(
        f"{name}: --epochs {r.epochs} --lr {r.lr:g} --warmup {r.warmup:g} --train-length {r.train_length}\n"
        for name, r in known.items()
    )
