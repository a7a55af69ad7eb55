"""The model card of a trained model."""

import shlex

import folder

TEXT = """# {display_name}

{intro}

## Model

- {words}; {parameters:,} parameters.
- Tokenizer of {pieces:,} pieces{tokenizer}, which drops NUL bytes. Special tokens spelt out in a text are plain text.
- `model.onnx`: inputs `input_ids` and `attention_mask` (int64, batch × length), output `logits` (batch × 2: benign,
  injection); score = softmax, second class. Weights stand as {storage}, computed with as float32.

## Training

    {command}

- train: {train_rows:,} rows, SHA-256 `{train_sha256}`
- val: {val_rows:,} rows, SHA-256 `{val_sha256}`{arm}
- AdamW, learning rate {lr:g} with {warmup:.0%} warm-up, then linear decay to 0; batches of {batch_rows} rows of
  near length (fewer when that would be more than {batch_tokens:,} tokens); train texts cut to {train_length} tokens;
  dropout {dropout}; weight decay {weight_decay:g}; gradients clipped at {clip:g}; {precision}.
- The epoch is the one with the best val F1 at threshold 0.5: epoch {best_epoch} of {epochs}. {stall}

{log}

The file itself on val (first {limit} tokens of each text, threshold 0.5): F1 {f1:.4f}, AUC {auc:.4f}. Storing the
weights as {storage} changed {flips} of {val_rows:,} decisions and no score by more than {delta:.4f}. Every choice was
made on val{watched}. Figures on the other splits come from `pidsbench eval`, not from this card.

## Limits

- {knows}
- Val is drawn like train. Expect false alarms on harmless texts that talk about instructions, prompts or security
  (they are kept out of train on purpose), and misses on attacks of a kind that train lacks.
- It reads texts, not conversations, and it knows nothing about who wrote them. Do not use it as the only guard of
  anything.

## Licence

{licence}. The texts are not part of this folder; `data/sources.lock.yaml` names every source with its licence and
attribution.
"""

SCRATCH = """A **small** prompt-injection detector with **random initial weights**, trained on the train split of the `{edition}`
edition alone. Nothing in it is pretrained. It shows what the architecture learns from this data; it is no substitute
for a fine-tuned language model, and its figures are not comparable with those that papers report for one."""

BASE = """A prompt-injection detector: {source}, fine-tuned on the train split of the `{edition}` edition."""


def write(args, name, display_name, start, arm, recipe, fitted, figures, change, splits, parameters):
    train, val = splits
    edition = args.edition
    scratch = bool(args.arch)
    added = f"\n- added to train: {arm.words()}; nothing else differs from the detector without them" if arm.fields else ""
    if args.leave_out_source:
        added += f"\n- without the families of the source {args.leave_out_source}, which left train and val"
    storage = {"fp16": "float16", "fp32": "float32", "int8": "int8 with a scale for each output channel"}[args.storage]
    return TEXT.format(
        display_name=display_name,
        intro=(SCRATCH if scratch else BASE).format(edition=edition, source=start.source["from"]),
        words=start.words,
        parameters=parameters,
        pieces=start.tok.get_vocab_size(),
        tokenizer=", trained on the train texts" if scratch else "",
        storage=storage,
        command=command(args, name),
        train_rows=len(train.texts),
        train_sha256=train.sha256,
        val_rows=len(val.texts),
        val_sha256=val.sha256,
        arm=added,
        lr=recipe.lr,
        warmup=recipe.warmup,
        batch_rows=recipe.batch_rows,
        batch_tokens=recipe.batch_tokens,
        train_length=recipe.train_length,
        dropout=dropout(start.model.config) if recipe.dropout is None else f"{recipe.dropout:g}",
        weight_decay=recipe.weight_decay,
        clip=recipe.clip,
        precision=recipe.precision,
        best_epoch=fitted.best_epoch,
        epochs=recipe.epochs,
        stall="**Training stalled** (train loss plateau)." if fitted.stalled else "Training did not stall.",
        log=log(fitted.log),
        limit=start.limit,
        f1=figures.f1,
        auc=figures.auc,
        flips=change.flips,
        delta=change.score,
        watched="; the false alarms in the table chose nothing" if args.watch else "",
        knows="It knows the vocabulary of its train split and nothing else: mostly English, some European languages."
        if scratch
        else "Its pretraining is mostly English, and so is its train split.",
        licence=f"Weights: {args.licence or start.licence}",
    )


def dropout(config):
    """Returns that of the hidden layers, and those of attention and head where they are others."""
    if config.model_type == "distilbert":
        hidden, attention, head = config.dropout, config.attention_dropout, config.seq_classif_dropout
    else:
        hidden, attention = config.hidden_dropout_prob, config.attention_probs_dropout_prob
        head = getattr(config, "cls_dropout" if config.model_type == "deberta-v2" else "classifier_dropout", None)
    others = {"attention": attention, "head": hidden if head is None else head}
    differing = ", ".join(f"{name} {p:g}" for name, p in others.items() if p != hidden)
    return f"{hidden:g}" + (f" ({differing})" if differing else "")


def log(epochs):
    """Returns the table of epochs, with the watched false alarms when there are any."""
    watched = list(epochs[0].get("watched_fpr", {}))
    names = ["epoch", "train loss", "val F1", "val AUC"] + [f"false alarms ({w})" for w in watched]
    lines = ["| " + " | ".join(names) + " |", "|" + "---:|" * len(names)]
    for e in epochs:
        cells = [str(e["epoch"])] + [f"{e[k]:.4f}" for k in ("train_loss", "val_f1", "val_auc")]
        cells += [f"{e['watched_fpr'][w]:.4f}" for w in watched]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def command(args, name):
    """Returns the command that makes the folder, with paths below the project and without what is left at its default."""
    data = f"data/{args.edition}"
    parts = [f"--arch {args.arch}" if args.arch else f"--base {folder.shown(args.base)}"]
    parts += [f"--train {data}/train.csv", f"--val {data}/val.csv", f"--seed {args.seed}"]
    for flag, value in (("hard-negatives", args.hard_negatives), ("hard-negatives-val", args.hard_negatives_val)):
        if value:
            parts.append(f"--{flag} {data}/{value.replace(chr(92), '/').rsplit('/', 1)[-1]}")
    if args.watch:
        parts.append(f"--watch {data}/eval_subsets/{args.watch.replace(chr(92), '/').rsplit('/', 1)[-1]}")
    if args.leave_out_source:
        parts.append(f"--leave-out-source {shlex.quote(args.leave_out_source)}")
    for flag in ("pool", "epochs", "lr", "warmup", "train_length"):
        value = getattr(args, flag)
        if value is not None:
            parts.append(f"--{flag.replace('_', '-')} {value:g}")
    unless = (("edition", "open"), ("storage", "fp16"), ("precision", None), ("device", "cpu"), ("threads", 1))
    for flag, default in unless:
        if getattr(args, flag) != default:
            parts.append(f"--{flag} {getattr(args, flag)}")
    parts.append(f"--out models/{name}")
    lines, line = [], "python tools/train/train.py"
    for part in parts:
        if len(line) + len(part) > 100:
            lines.append(line + " \\")
            line = "       "
        line += " " + part
    return "\n    ".join(lines + [line])
