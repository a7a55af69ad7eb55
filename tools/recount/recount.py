#!/usr/bin/env python3
"""Recounts the open edition with Python's own CSV reader and none of the benchmark's code.

    python3 tools/recount/recount.py [FOLDER]

FOLDER is data/open of this repository where none is named; FREEZE_MANIFEST.txt lies two folders above it. Prints the
tables that docs/data.md has of it, and compares every count with what the edition is meant to hold. Exit status: 0 when
all agree, 1 when one does not, 2 when a file cannot be read.
"""

import collections
import csv
import hashlib
import os
import sys

# What the edition is meant to hold: benign rows, injections.
FILES = {
    "train.csv": (12846, 14247),
    "val.csv": (1943, 2046),
    "test.csv": (1848, 2070),
    "eval_subsets/hard_benign_test.csv": (1472, 0),
    "eval_subsets/balanced_subtype_test.csv": (1200, 1097),
    "eval_subsets/obfuscated_attacks.csv": (0, 405),
    "ood/domain_ood.csv": (1000, 1000),
    "ood/structural_ood.csv": (999, 999),
    "hard_negative_train.csv": (419, 0),
    "hard_negative_val.csv": (116, 0),
}
OURS = {  # files beside those of the original
    "eval_subsets/ordinary_benign.csv": (600, 0),
    "eval_subsets/hard_negative_siblings.csv": (360, 0),
    "eval_subsets/obfuscated_benign.csv": (405, 0),
    "eval_subsets/obfuscation_parents.csv": (405, 405),
    "ood/structural_seeds.csv": (333, 333),
    "ood/held_out_obfuscation.csv": (750, 750),
    "ood/held_out_seeds.csv": (150, 150),
    "hard_negative_thirdparty.csv": (419, 0),
    "hard_negative_ordinary.csv": (419, 0),
}
SPLITS = ("train.csv", "val.csv", "test.csv")
# Injections by subtype; train and val have those of test in proportion.
SUBTYPES = {"direct_override": 747, "contextual_manipulation": 417, "roleplay_attack": 381, "data_exfiltration": 228,
            "tool_injection": 152, "encoded_attack": 145}
PER_SUBTYPE = 200  # in balanced_subtype_test at most
DISGUISED = (378, 405)  # in test: benign, injection; train and val in proportion
# Least share of third-party texts: benign, injection.
THIRD_PARTY = {"train.csv": (0.65, 0.45), "val.csv": (0.65, 0.60), "test.csv": (0.65, 0.60)}
HARD_BENIGN = {"real": 872, "curated": 600}
FAMILIES, LEAST_FRAMES = 8, 12  # of curated rows, each as many rows as the others
DOMAINS = 4  # each as many rows of both classes as the others
SURROUNDINGS = ("json_wrap", "prompt_dilute", "instruction_prefix_mimic")  # likewise
MOST_OF_A_FRAME = 15  # rows; in train, val, test and domain shift one row in a hundred
TEST_ROWS = (  # files that repeat rows of test
    "eval_subsets/balanced_subtype_test.csv", "eval_subsets/obfuscated_attacks.csv",
    "eval_subsets/obfuscated_benign.csv", "eval_subsets/obfuscation_parents.csv", "ood/held_out_obfuscation.csv",
    "ood/held_out_seeds.csv")
DERIVED = (*TEST_ROWS, "ood/structural_ood.csv")  # files whose rows another file holds
OWN = ("template", "written", "carrier")  # sources of texts that we wrote, or wrote a part of
TRANSFORMS = ("unicode_confusables", "homoglyph", "zero_width", "spacing_jitter", "markdown_split", "base64_wrap",
              "rot13_wrap", "prompt_dilution", "prefix_mimicry")

wrong = []


class Unreadable(Exception):
    """A file that is not there or is not what it should be."""


def agree(what, found, expected):
    if found != expected:
        wrong.append(f"{what}: found {found}, expected {expected}")


def most(what, found, limit):
    if found > limit:
        wrong.append(f"{what}: found {found}, expected at most {limit}")


def least(what, found, limit):
    if found < limit:
        wrong.append(f"{what}: found {found:.6g}, expected at least {limit}")


def proportional(what, found, part, whole, of):
    """At most a row off the share that part has of whole."""
    if abs(found * whole - part * of) > whole:
        wrong.append(f"{what}: found {found}, expected {part * of / whole:.1f}, as in test")


class Row(dict):
    def __missing__(self, column):
        raise Unreadable(f"{self.file} has no column {column}")


def read(folder, name):
    try:
        with open(os.path.join(folder, name), encoding="utf-8", newline="") as f:
            lines = csv.reader(f, strict=True)
            header = next(lines, [])
            table = []
            for line in lines:
                if len(line) != len(header):
                    raise Unreadable(f"{name}: row {len(table) + 1} has {len(line)} fields, expected {len(header)}")
                row = Row(zip(header, line))
                row.file = name
                label = row["label"][:40]
                if label not in ("0", "1"):
                    raise Unreadable(f"{name}: row {len(table) + 1} has the label {label!a}, expected 0 or 1")
                table.append(row)
            return table
    except (csv.Error, UnicodeDecodeError) as e:
        raise Unreadable(f"{name}: {e}") from e


def classes(table):
    return [[r for r in table if r["label"] == label] for label in ("0", "1")]


def count(table):
    benign, injection = classes(table)
    return len(benign), len(injection)


def sizes(rows):
    print("rows by file: all, benign, injection")
    for name, table in rows.items():
        benign, injection = count(table)
        print(f"  {name:44} {len(table):7,} {benign:7,} {injection:7,}")
        expected = {**FILES, **OURS}.get(name)
        if expected:
            agree(name, (benign, injection), expected)


def hashes(folder, rows):
    """Holds each file to its line of the manifest: SHA-256, rows, benign, injection, path."""
    print("\nfiles as in FREEZE_MANIFEST.txt")
    frozen = {}
    with open(os.path.join(folder, os.pardir, os.pardir, "FREEZE_MANIFEST.txt"), encoding="utf-8") as f:
        for line in f:
            fields = line.split()
            if len(fields) == 5 and not line.startswith("#"):
                frozen[fields[4]] = fields[:4]
    agree("files in FREEZE_MANIFEST.txt", sorted(frozen), sorted(rows))
    same = 0
    for name, table in rows.items():
        with open(os.path.join(folder, name), "rb") as f:
            found = [hashlib.sha256(f.read()).hexdigest()] + [str(n) for n in (len(table), *count(table))]
        same += found == frozen.get(name)
        agree(f"{name}: SHA-256, rows, benign, injection", found, frozen.get(name))
    print(f"  {same} of {len(rows)}")


def sources(rows):
    print("\nrows by source: main splits, held out")
    main, held = (collections.Counter(r["source"] for name in names for r in rows[name]) for names in (
        SPLITS, [name for name in rows if name not in (*SPLITS, *DERIVED)]))
    for source in sorted(main | held):
        print(f"  {ascii(source)[1:-1]:26} {main[source]:7,} {held[source]:7,}")


def shares(rows):
    print("\nthird-party share by split and class; of all rows as found, reworded, disguised by us")
    for name, limits in THIRD_PARTY.items():
        for table, limit, label in zip(classes(rows[name]), limits, ("benign", "injection")):
            third = [r for r in table if r["source"] not in OWN]
            reworded = sum(r["paraphrase_round"] != "0" for r in third)
            disguised = sum(r["obfuscation"] in TRANSFORMS for r in third)
            as_found = sum(r["paraphrase_round"] == "0" and r["obfuscation"] not in TRANSFORMS for r in third)
            part = [n / max(len(table), 1) for n in (len(third), as_found, reworded, disguised)]
            print(f"  {name:10} {label:10} {part[0]:.4f}; {part[1]:.4f}, {part[2]:.4f}, {part[3]:.4f}")
            least(f"{name}: third-party share of {label} rows", part[0], limit)


def subtypes(rows):
    print("\ninjections by subtype, of these our own texts")
    balanced = "eval_subsets/balanced_subtype_test.csv"
    for name in (*SPLITS, balanced):
        injections = classes(rows[name])[1]
        found = collections.Counter(r["attack_type"] for r in injections)
        ours = collections.Counter(r["attack_type"] for r in injections if r["source"] in OWN)
        print(f"  {name:40}", ", ".join(f"{k} {found[k]:,} ({ours[k]:,})" for k in SUBTYPES))
        most(f"{name}: injections of no known subtype", sum(found.values()) - sum(found[k] for k in SUBTYPES), 0)
        for k, n in SUBTYPES.items():
            if name == balanced:
                agree(f"{name}: {k}", found[k], min(n, PER_SUBTYPE))
            elif name == "test.csv":
                agree(f"{name}: {k}", found[k], n)
            else:
                proportional(f"{name}: {k}", found[k], n, FILES["test.csv"][1], len(injections))


def disguises(rows):
    print("\nrows in a disguise of ours: benign, injection")
    for name in SPLITS:
        parts = classes(rows[name])
        found = [sum(r["obfuscation"] in TRANSFORMS for r in part) for part in parts]
        print(f"  {name:10} {found[0]:6,} {found[1]:6,}")
        for label, n, part, whole, of in zip(("benign", "injection"), found, DISGUISED, FILES["test.csv"], parts):
            if name == "test.csv":
                agree(f"{name}: disguised {label} rows", n, part)
            else:
                proportional(f"{name}: disguised {label} rows", n, part, whole, len(of))
    of_test = {r["row_id"] for r in rows["test.csv"] if r["label"] == "1" and r["obfuscation"] in TRANSFORMS}
    of_file = {r["row_id"] for r in rows["eval_subsets/obfuscated_attacks.csv"]}
    agree("disguised injections of test that obfuscated_attacks lacks or has beyond them", len(of_test ^ of_file), 0)


def frames(rows):
    print("\ngreatest number of rows of one frame")
    for name, table in rows.items():
        found = max(collections.Counter(r["frame_id"] for r in table if r["frame_id"]).values(), default=0)
        limit = MOST_OF_A_FRAME
        if name in SPLITS or name == "ood/domain_ood.csv":
            limit = len(table) // 100
        if name in TEST_ROWS:
            print(f"  {name:44} {found:4}, as test has it")
            continue
        print(f"  {name:44} {found:4} of at most {limit}")
        most(f"{name}: rows of one frame", found, limit)


def overlaps(rows):
    """A text, whatever its case and white space, stands in one file, but for files that repeat rows of test."""
    print("\ntexts that stand in two files")
    at, shared = {}, collections.Counter()
    for name, table in rows.items():
        home = "test.csv" if name in TEST_ROWS else name.replace("structural_ood", "structural_seeds")
        for text in {" ".join(r["text"].casefold().split()) for r in table}:
            if at.setdefault(text, home) != home:
                shared[at[text], home] += 1
    print(f"  {sum(shared.values())}")
    agree("texts that stand in two files", dict(shared), {})


def carriers(rows):
    """A document stands with its injection at three places, and clean in the same file."""
    print("\nmatched carriers: documents with an injection; of these whole")
    for name in (*SPLITS, "ood/domain_ood.csv"):
        clean = {r["carrier_id"] for r in rows[name] if r["label"] == "0" and r["carrier_id"]}
        placed = collections.defaultdict(list)
        for r in rows[name]:
            if r["placement"]:
                placed[r["carrier_id"], r["frame_id"]].append(r["placement"])
        whole = [c for c, at in placed.items() if sorted(at) == ["end", "middle", "start"] and c[0] in clean]
        print(f"  {name:44} {len(placed):4} {len(whole):4}")
        agree(f"{name}: documents that lack a place or stand nowhere clean", len(placed) - len(whole), 0)


def hard_benign(rows):
    print("\nhard-benign rows by provenance; curated ones by family: rows, frames")
    table = rows["eval_subsets/hard_benign_test.csv"]
    found = collections.Counter(r["source_type"] for r in table)
    print("  " + ", ".join(f"{k} {found[k]}" for k in HARD_BENIGN))
    agree("hard-benign rows (real, curated)", tuple(found[k] for k in HARD_BENIGN), tuple(HARD_BENIGN.values()))
    curated = [r for r in table if r["source_type"] == "curated"]
    families = collections.Counter(r["topic"] for r in curated)
    for family in sorted(families):
        of = {r["frame_id"] for r in curated if r["topic"] == family and r["source"] == "template"}
        print(f"  {ascii(family)[1:-1]:28} {families[family]:4} {len(of):4}")
        agree(f"curated rows of {family!a}", families[family], HARD_BENIGN["curated"] // FAMILIES)
        least(f"frames of curated rows of {family!a}", len(of), LEAST_FRAMES)
    agree("families of curated rows", len(families), FAMILIES)
    negative = rows["hard_negative_train.csv"] + rows["hard_negative_val.csv"]
    shared = {r["frame_id"] for r in curated} & {r["frame_id"] for r in negative}
    agree("frames that curated rows share with hard negatives", sorted(shared), [])


def shifts(rows):
    print("\ndomain shift: benign, injection; third-party benign rows; carriers")
    table = rows["ood/domain_ood.csv"]
    domains = sorted({r["domain"] for r in table})
    for domain in domains:
        of = [r for r in table if r["domain"] == domain]
        third = sum(r["label"] == "0" and r["source"] not in OWN for r in of)
        carriers = len({r["carrier_id"] for r in of if r["carrier_id"]})
        print(f"  {ascii(domain)[1:-1]:26} {count(of)[0]:4} {count(of)[1]:4} {third:4} {carriers:4}")
        agree(f"domain {domain!a}", count(of), tuple(n // DOMAINS for n in FILES["ood/domain_ood.csv"]))
    agree("domains", len(domains), DOMAINS)
    print("\nstructural shift: benign, injection")
    table = rows["ood/structural_ood.csv"]
    for name in SURROUNDINGS:
        of = count([r for r in table if r["transform_type"] == name])
        print(f"  {name:26} {of[0]:4} {of[1]:4}")
        agree(f"surroundings {name}", of, tuple(n // len(SURROUNDINGS) for n in FILES["ood/structural_ood.csv"]))


def main(folder):
    csv.field_size_limit(1 << 24)
    names = sorted(
        os.path.relpath(os.path.join(at, f), folder).replace(os.sep, "/")
        for at, _, found in os.walk(folder) for f in found if f.endswith(".csv"))
    for name in FILES:
        if name not in names:
            raise Unreadable(f"{name} is not in {folder}")
    rows = {name: read(folder, name) for name in names}
    sizes(rows)
    hashes(folder, rows)
    for table in (sources, shares, subtypes, disguises, frames, overlaps, carriers, hard_benign, shifts):
        table(rows)
    if wrong:
        print("\nnot as expected:")
        for w in wrong:
            print("  " + w)
        return 1
    print("\nall as expected")
    return 0


if __name__ == "__main__":
    here = os.path.dirname(os.path.abspath(__file__))
    try:
        sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else os.path.join(here, os.pardir, os.pardir, "data", "open")))
    except (OSError, Unreadable, UnicodeDecodeError) as e:
        print(f"recount: {e}", file=sys.stderr)
        sys.exit(2)
