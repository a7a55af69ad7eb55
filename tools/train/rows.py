"""Strict reading of split CSVs: every oddity is one sentence with file, line and field, never a guess."""

import csv
import hashlib
import io
from dataclasses import dataclass


class BadInput(Exception):
    """One sentence for the user: file, line, field, what was found, what was expected, the cure."""


@dataclass
class Split:
    """The texts of a split (NUL bytes removed), their labels (0 benign, 1 injection) and the SHA-256 of its file."""

    texts: list
    labels: list
    sha256: str
    nul_bytes: int
    header: list
    fields: list  # the other columns, row by row, in the order of header

    def column(self, name):
        """Returns the values of a column; empty texts when the file has none of that name."""
        if name not in self.header:
            return [""] * len(self.texts)
        at = self.header.index(name)
        return [row[at] for row in self.fields]


def leave_out(source, train, val):
    """Takes the families that hold a row of a source out of train and val. Returns what left, for the lock. Raises BadInput
    when train has no row of the source, or where one class is left."""
    known = sorted(set(train.column("source")))
    if source not in known:
        raise BadInput(f"--leave-out-source {source[:40]!r}: no row of train is of it, expected one of {', '.join(known)[:400]}")
    left = {"source": source}
    for name, split in (("train", train), ("val", val)):
        sources, families = split.column("source"), split.column("family_id")
        gone = {f for f, s in zip(families, sources) if s == source and f}
        stay = [i for i, (f, s) in enumerate(zip(families, sources)) if s != source and f not in gone]
        left[f"{name}_rows"] = len(sources) - len(stay)
        for field in ("texts", "labels", "fields"):
            setattr(split, field, [getattr(split, field)[i] for i in stay])
        if sorted(set(split.labels)) != [0, 1]:
            raise BadInput(f"--leave-out-source {source}: rows of both classes must be left in {name}; leave out another one")
    return left


def read_split(path, classes=(0, 1)):
    """Reads a CSV with the columns text and label and with rows of exactly these classes. Raises BadInput."""
    try:
        with open(path, "rb") as f:
            data = f.read()
        decoded = data.decode("utf-8")
    except OSError as e:
        raise BadInput(f"cannot read {path}: {e.strerror}; build the data first (make data)") from e
    except UnicodeDecodeError as e:
        raise BadInput(f"{path}: byte {e.start} is not UTF-8; build the data again (make data)") from e

    csv.field_size_limit(1 << 30)
    reader = csv.reader(io.StringIO(decoded, newline=""), strict=True)
    texts, labels, fields, line = [], [], [], 1
    try:
        header = next(reader, [])
        for name in ("text", "label"):
            if header.count(name) != 1:
                n = header.count(name)
                raise BadInput(f"{path}:1: column {name} stands {n} times in the header, expected once")
        text_at, label_at = header.index("text"), header.index("label")
        line = reader.line_num + 1
        for row in reader:
            if len(row) != len(header):
                raise BadInput(f"{path}:{line}: row holds {len(row)} fields, expected {len(header)} as in the header")
            if row[label_at] not in ("0", "1"):
                raise BadInput(f"{path}:{line}: field label holds {row[label_at][:40]!r}, expected 0 or 1")
            if not row[text_at]:
                raise BadInput(f"{path}:{line}: field text is empty, expected a text; build the data again")
            texts.append(row[text_at])
            labels.append(int(row[label_at]))
            fields.append(row)
            line = reader.line_num + 1
    except csv.Error as e:
        raise BadInput(f"{path}:{line}: not a CSV record ({e}); build the data again") from e
    if sorted(set(labels)) != sorted(classes):
        want = "rows of both classes" if len(classes) == 2 else f"rows of class {classes[0]} alone"
        raise BadInput(f"{path}: labels are {sorted(set(labels))}, expected {want}")
    nul_bytes = sum(t.count("\0") for t in texts)
    return Split([t.replace("\0", "") for t in texts], labels, hashlib.sha256(data).hexdigest(), nul_bytes, header, fields)
