"""Texts: data sets, read out of the archives in which they are published."""

from __future__ import annotations

import sys

from paddle.core.lazy import lazy

# The order in which the guide prints them. Imported when first used.
_DATASETS = ["Conll05st", "Imdb", "Imikolov", "Movielens", "UCIHousing", "WMT14", "WMT16"]
__getattr__, __dir__ = lazy(
    sys.modules[__name__], ["datasets"], dict.fromkeys(_DATASETS, "paddle.text.datasets")
)

__all__ = [*_DATASETS, "datasets"]
