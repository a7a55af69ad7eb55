"""The model card of a model trained from scratch."""

from unigram import MIN_TEXTS

WORDS = {
    "plain": "NFKC",
    "lower": "NFKC and lower case",
    "fold": "invisible characters and combining marks removed, NFKC",
    "fold-lower": "invisible characters and combining marks removed, NFKC, lower case",
}

TEXT = """# {display_name}

A **small** prompt-injection detector: {parameters:,} parameters, the DeBERTa-v2 architecture with **random initial
weights**, trained on the train split of the `{edition}` edition alone. Nothing in it is pretrained. It shows what the
architecture learns from this data; it is no substitute for a fine-tuned language model.

It is **not** `DeBERTa-v3-FT`. That name is kept for a fine-tuned `microsoft/deberta-v3-base` (184 M parameters), as
papers use it; the figures of the two are not comparable.

## Model

- {layers} layers, hidden size {hidden}, {heads} heads, feed-forward {feed_forward}; disentangled attention (content
  to position and position to content, shared keys, 64 relative-position buckets); at most 512 tokens.
- Unigram tokenizer with {pieces:,} pieces, trained on the train texts, which drops NUL bytes and folds white space.
  Normalisation: {normaliser}.
  A character that stands in fewer than {min_texts} train texts becomes `[UNK]`.
- `model.onnx`: inputs `input_ids` and `attention_mask` (int64, batch × length), output `logits` (batch × 2: benign,
  injection); score = softmax, second class. Weights stand as float16 and are computed with as float32.

## Training

    {command}

- train: {train_rows:,} rows, SHA-256 `{train_sha256}`
- val: {val_rows:,} rows, SHA-256 `{val_sha256}`
- AdamW, learning rate {lr:g} with {warmup:.0%} warm-up, then linear decay to 0; batches of {batch_rows} rows of
  near length (fewer when that would be more than {batch_tokens:,} tokens); dropout 0.1; weight decay
  {weight_decay:g}; gradients clipped at {clip:g}; initial weights with standard deviation 0.05; {precision};
  texts cut to 512 tokens.
- The epoch is the one with the best val F1 at threshold 0.5: epoch {best_epoch} of {epochs}. {stall}

| epoch | train loss | val F1 | val AUC |
|---:|---:|---:|---:|
{log}

The file itself on val (first 512 tokens of each text, threshold 0.5): F1 {f1:.4f}, AUC {auc:.4f}. Storing the weights
as float16 changed {flips} of {val_rows:,} decisions and no score by more than {delta:.4f}. Only train and val were
read; every choice was made on val. Figures on the other splits come from `pidsbench eval`, not from this card.

## Limits

- It knows the vocabulary of its train split and nothing else: mostly English, some European languages.
- Val is drawn like train. Expect false alarms on harmless texts that talk about instructions, prompts or security
  (they are kept out of train on purpose), and misses on attacks of a kind that train lacks.
- It reads texts, not conversations, and it knows nothing about who wrote them. Do not use it as the only guard of
  anything.

## Licence

Weights: Apache-2.0. The texts are not part of this folder; `data/sources.lock.yaml` names every source with its
licence and attribution.

## A fine-tuned base in its place

1. Fine-tune `microsoft/deberta-v3-base` as a sequence classifier on the same train split with the recipe of the
   original benchmark: 3 epochs, learning rate 2e-5, batch 16, warm-up 0.06, weight decay 0.01, 512 tokens, the epoch
   with the best val F1; labels `0: benign, 1: injection` in `id2label`. Save model and tokenizer with
   `save_pretrained`.
2. Export it with the same checks and lock:

       python tools/train/export.py --checkpoint DIR --out models/deberta-v3-ft-s{seed} \\
           --display-name DeBERTa-v3-FT --train data/{edition}/train.csv --val data/{edition}/val.csv --seed {seed}

3. Add an entry to `configs/detectors.yaml` with `model: models/deberta-v3-ft-s{{seed}}`, or point the entry
   `deberta` at that folder.
"""


def write(args, name, display_name, parameters, size, train, val, fitted, r, recipe, tok):
    command = (
        f"python tools/train/train.py --arch {args.arch} --train data/{args.edition}/train.csv "
        f"--val data/{args.edition}/val.csv \\\n"
        f"        --seed {args.seed} --out models/{name} --epochs {recipe.epochs} --warmup {recipe.warmup:g} "
        f"--vocab {args.vocab} \\\n"
        f"        --normaliser {args.normaliser} --precision {recipe.precision}"
    )
    stall = "**Training stalled** (train loss plateau)." if fitted.stalled else "Training did not stall."
    return TEXT.format(
        display_name=display_name,
        parameters=parameters,
        edition=args.edition,
        layers=size.layers,
        hidden=size.hidden,
        heads=size.heads,
        feed_forward=size.feed_forward,
        pieces=tok.get_vocab_size(),
        normaliser=WORDS[args.normaliser],
        min_texts=MIN_TEXTS,
        command=command,
        train_rows=len(train.texts),
        train_sha256=train.sha256,
        val_rows=len(val.texts),
        val_sha256=val.sha256,
        lr=recipe.lr,
        warmup=recipe.warmup,
        batch_rows=recipe.batch_rows,
        batch_tokens=recipe.batch_tokens,
        weight_decay=recipe.weight_decay,
        clip=recipe.clip,
        precision=recipe.precision,
        best_epoch=fitted.best_epoch,
        epochs=recipe.epochs,
        stall=stall,
        log="\n".join(
            f"| {e['epoch']} | {e['train_loss']:.4f} | {e['val_f1']:.4f} | {e['val_auc']:.4f} |" for e in fitted.log
        ),
        f1=r.f1,
        auc=r.auc,
        flips=r.flips,
        delta=r.max_score_delta,
        seed=args.seed,
    )
