"""What the command lines of train.py and export.py share: --help with examples, whole numbers, --storage."""

import argparse

from onnxfile import STORAGES


def parser(prog, doc):
    """Returns a parser whose --help shows the first paragraph of doc, the arguments, and the rest of doc as examples."""
    about, examples = doc.split("\n\n", 1)
    return argparse.ArgumentParser(
        prog=prog, description=about, epilog=f"examples:\n\n{examples}", formatter_class=argparse.RawDescriptionHelpFormatter
    )


def at_least(low):
    """Returns a type of arguments."""

    def whole(text):
        if not text.isascii() or not text.isdigit() or int(text) < low:
            raise argparse.ArgumentTypeError(f"{text[:40]!r}, expected a whole number of at least {low}")
        return int(text)

    return whole


def add_storage(p):
    p.add_argument(
        "--storage", choices=STORAGES, default="fp16",
        help="how the weights stand in the file: fp16, fp32, or int8 with a scale for each output channel; arithmetic is "
        "float32 always (default: fp16)",
    )  # fmt: skip
