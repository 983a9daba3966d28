"""Writes clicks of known truth to ``raw_data``: lines like those of the Criteo challenge.

python make_data.py [FILES [LINES]]

A click is drawn from hidden weights of 13 integers and of 26 categories (each field has 200, the
first ones most often). What nobody can beat, the AUC of these weights themselves, is printed.
"""

import os
import sys

import numpy as np


def auc(score, label):
    """How often a click has a higher score than what was no click."""
    order = np.argsort(score, kind="stable")
    rank = np.empty(len(score))
    rank[order] = np.arange(1, len(score) + 1)
    clicks = label.sum()
    return (rank[label > 0].sum() - clicks * (clicks + 1) / 2) / (clicks * (len(label) - clicks))


def main(files=2, lines=5000):
    """Writes the files."""
    rng = np.random.RandomState(1)
    of_dense = rng.randn(13) * 0.3
    of_category = rng.randn(26, 200) * 0.25
    os.makedirs("raw_data", exist_ok=True)
    scores, labels = [], []
    for number in range(files):
        dense = rng.poisson(3, (lines, 13))
        category = np.minimum(rng.zipf(1.3, (lines, 26)) - 1, 199)
        score = (dense - 3) @ of_dense + of_category[np.arange(26), category].sum(1)
        label = rng.rand(lines) < 1 / (1 + np.exp(-score))
        with open(f"raw_data/part-{number}", "w", encoding="ascii") as file:
            for click, numbers, fields in zip(label, dense, category, strict=True):
                words = [str(int(click)), *map(str, numbers), *(f"{c:08x}" for c in fields)]
                file.write("\t".join(words) + "\n")
        scores.append(score)
        labels.append(label)
    found = auc(np.concatenate(scores), np.concatenate(labels))
    print(f"{files} files of {lines} lines; the AUC of the truth is {found:.3f}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
