"""Comparing with text printed in the guide, whose PDF keeps neither indentation nor blank runs."""

from __future__ import annotations

import contextlib
import io
import os
import struct
from collections.abc import Iterator
from pathlib import Path

import numpy as np


def squeezed(text: str) -> str:
    """Drops every blank next to a bracket and makes one blank of any other run of blanks."""
    words = " ".join(text.split())
    for bracket in "[(":
        words = words.replace(f"{bracket} ", bracket)
    for bracket in "])":
        words = words.replace(f" {bracket}", bracket)
    return words


class Output:
    """What a block printed."""

    def __init__(self) -> None:
        self._stream = io.StringIO()

    @property
    def text(self) -> str:
        """All of it."""
        return self._stream.getvalue()

    @property
    def lines(self) -> list[str]:
        """The lines on a screen: a bar that is rewritten leaves its last state."""
        return [line.split("\r")[-1].rstrip() for line in self.text.split("\n") if line.strip()]

    def is_(self, guide: str) -> None:
        """Asserts that the guide prints the same."""
        assert squeezed(self.text) == squeezed(guide)


@contextlib.contextmanager
def output() -> Iterator[Output]:
    """Collects what the block prints."""
    out = Output()
    with contextlib.redirect_stdout(out._stream):
        yield out


@contextlib.contextmanager
def small_mnist(folder: Path, train: int, test: int) -> Iterator[None]:
    """Lets ``MNIST(mode=...)`` find files of the real format with a few made-up digits.

    A digit is a bright square whose place tells the class, on noise: learnt within seconds.
    """
    rng = np.random.default_rng(0)
    target = folder / "mnist"
    target.mkdir(parents=True)
    for prefix, count in (("train", train), ("t10k", test)):
        labels = (np.arange(count) % 10).astype("uint8")
        images = rng.integers(0, 80, (count, 28, 28), dtype="uint8")
        for image, label in zip(images, labels):
            row, column = 2 + 12 * (label // 5), 2 + 5 * (label % 5)
            image[row : row + 10, column : column + 4] = 250
        header = struct.pack(">4I", 2051, count, 28, 28)
        (target / f"{prefix}-images-idx3-ubyte").write_bytes(header + images.tobytes())
        header = struct.pack(">2I", 2049, count)
        (target / f"{prefix}-labels-idx1-ubyte").write_bytes(header + labels.tobytes())
    before = os.environ.get("PADDLE_DATASET_HOME")
    os.environ["PADDLE_DATASET_HOME"] = str(folder)
    try:
        yield
    finally:
        if before is None:
            del os.environ["PADDLE_DATASET_HOME"]
        else:
            os.environ["PADDLE_DATASET_HOME"] = before
