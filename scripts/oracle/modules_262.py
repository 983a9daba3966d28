"""Writes where PaddlePaddle 2.6.2 defines the names of the 2.0 table: tests/data/modules-2.6.2.tsv.

Run by PaddlePaddle's own Python: `python scripts/oracle/modules_262.py`. Each line is the module
that defines something and its public name. scripts/make_module_paths.py reads it.
"""

from __future__ import annotations

import csv
import importlib
import os

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DATA = os.path.join(ROOT, "tests", "data")


def resolve(name):
    parts = name.split(".")
    for split in range(len(parts) - 1, 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:split]))
        except ImportError:
            continue
        for part in parts[split:]:
            found = getattr(found, part, None)
        return found
    return None


def main():
    lines = set()
    with open(os.path.join(DATA, "api-2.0.tsv"), encoding="utf8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            if row["evidence"] == "member" or row["kind"] not in ("function", "class"):
                continue
            module = getattr(resolve(row["name"]), "__module__", None) or ""
            if module.startswith("paddle.") and module != row["name"].rpartition(".")[0]:
                lines.add((module, row["name"]))
    with open(os.path.join(DATA, "modules-2.6.2.tsv"), "w", encoding="utf8") as file:
        file.writelines("%s\t%s\n" % line for line in sorted(lines))


if __name__ == "__main__":
    main()
