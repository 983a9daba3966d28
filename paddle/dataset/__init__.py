"""Data sets as readers, the interface of 1.x: a submodule for each, imported when first used.

``paddle.dataset.mnist.train()`` gives a reader creator: a function whose calls give an iterator
over the samples. ``paddle.vision.datasets`` and ``paddle.text.datasets`` have the same data as
classes for the DataLoader.
"""

from __future__ import annotations

import sys

from paddle.core.lazy import lazy

# Each has its readers; `common` has what they share, `image` prepares pictures.
_PARTS = (
    "cifar", "common", "conll05", "flowers", "image", "imdb", "imikolov", "mnist", "movielens",
    "mq2007", "sentiment", "uci_housing", "voc2012", "wmt14", "wmt16",
)  # fmt: skip
__getattr__, __dir__ = lazy(sys.modules[__name__], _PARTS, {})

__all__ = [*_PARTS]
