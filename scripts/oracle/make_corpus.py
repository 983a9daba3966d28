"""Writes the frozen corpus of the release at hand: `python make_corpus.py ROOT [NAME]`.

ROOT is tests/data/programs; NAME keeps only the cases whose name contains it. The corpus is
frozen: write elsewhere and compare (PYTHONHASHSEED=0: both releases order some inputs by a set).
Environments:
  2.6.2: python3.11 -m venv E; pip install paddlepaddle==2.6.2 "numpy<2" setuptools
  1.8.5: python3.7 -m venv E; pip install paddlepaddle==1.8.5 "protobuf<=3.20"
"""

from __future__ import annotations

import importlib
import sys

from corpus import RELEASE, Corpus

PARTS = {
    "2.6.2": ("nets_262", "control_262", "operators_262", "saved_262", "grads_262"),
    "1.8.5": ("nets_185", "control_185", "operators_185", "saved_185"),
}


def main(root: str, only: str = "") -> None:
    if RELEASE == "2.6.2":
        import paddle

        paddle.enable_static()
    corpus = Corpus(root, only)
    for name in PARTS[RELEASE]:
        importlib.import_module(name).write(corpus)


if __name__ == "__main__":
    main(*sys.argv[1:3])
