"""Scores the same rows with the same model as `pidsbench score`, the way a script would: arrival order, fixed batches
padded to the longest text, truncated to the maximum length. Prints rows, seconds and the largest difference.

    python benchmarks/onnx_python.py models/deberta-open-s42 data/open/test.csv [--batch 32] [--scores FILE.jsonl]

Needs onnxruntime, tokenizers and numpy (tools/golden/requirements.txt). `--scores` compares with a score file that was
made with --windows truncate.
"""

import argparse
import csv
import json
import time

import numpy as np
import onnxruntime as ort
from tokenizers import Tokenizer


def main():
    p = argparse.ArgumentParser()
    p.add_argument("model")
    p.add_argument("splits", nargs="+")
    p.add_argument("--batch", type=int, default=32)
    p.add_argument("--max-length", type=int, default=512)
    p.add_argument("--scores")
    a = p.parse_args()

    csv.field_size_limit(1 << 30)
    texts = []
    for split in a.splits:
        with open(split, newline="", encoding="utf-8") as f:
            texts += [row["text"].replace("\0", "") for row in csv.DictReader(f)]
    tokenizer = Tokenizer.from_file(a.model + "/tokenizer.json")
    tokenizer.no_padding()
    tokenizer.enable_truncation(a.max_length)
    options = ort.SessionOptions()
    session = ort.InferenceSession(a.model + "/model.onnx", options, providers=["CPUExecutionProvider"])

    start = time.time()
    scores, tokens = [], 0
    for i in range(0, len(texts), a.batch):
        ids = [e.ids for e in tokenizer.encode_batch(texts[i:i + a.batch])]
        tokens += sum(map(len, ids))
        width = max(map(len, ids))
        grid = np.zeros((len(ids), width), dtype=np.int64)
        mask = np.zeros_like(grid)
        for j, row in enumerate(ids):
            grid[j, :len(row)] = row
            mask[j, :len(row)] = 1
        logits = session.run(None, {"input_ids": grid, "attention_mask": mask})[0].astype(np.float64)
        e = np.exp(logits - logits.max(axis=1, keepdims=True))
        scores += (e[:, 1] / e.sum(axis=1)).tolist()
    took = time.time() - start
    print(f"{len(texts)} rows, {tokens} tokens in {took:.1f} s: {tokens / took:.0f} tokens/s")
    if a.scores:
        with open(a.scores, encoding="utf-8") as f:
            theirs = [json.loads(line)["score"] for n, line in enumerate(f) if n > 0]  # the first line is the header
        print(f"largest difference {max(abs(x - y) for x, y in zip(scores, theirs, strict=True)):.1e}")


if __name__ == "__main__":
    main()
