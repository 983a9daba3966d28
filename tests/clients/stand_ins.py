"""Stands in for what the libraries import at their top and these tests do not need.

Only the libraries themselves and `six` are fetched. A stand-in is taken where the real package is
not installed. `get_entities` is written out because the metric for chunks is built on it.
"""

from __future__ import annotations

import collections.abc
import importlib.machinery
import importlib.util
import logging
import multiprocessing
import os
import sys
from types import ModuleType
from typing import Any


class _Formatter(logging.Formatter):
    """colorlog's, without the colours."""

    def __init__(self, form: str, **options: Any) -> None:
        super().__init__(form.replace("%(log_color)s", ""))


class _Unused:
    """A name that is imported and not used."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise NotImplementedError("a stand-in of the tests; install the real package to use it")


class _Table:
    """prettytable's, which shows nothing."""

    def __init__(self, header: list[str]) -> None:
        self.width = len(header)

    def add_row(self, row: list[Any]) -> None:
        """Takes a row."""
        assert len(row) == self.width

    def __str__(self) -> str:
        return ""


class _Progress:
    """tqdm's bar, which shows nothing."""

    def __init__(self, items: Any = (), **_: Any) -> None:
        self.items = items

    def __iter__(self) -> Any:
        return iter(self.items)

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: Any) -> None:
        """Ends nothing."""

    def update(self, steps: int = 1) -> None:
        """Shows nothing."""


def get_entities(seq: list[Any], suffix: bool = False) -> list[tuple[str, int, int]]:
    """Returns (type, first, last) of the chunks of B-, I-, E-, S- and O tags, as seqeval does.

    Args:
        seq (list): tags, or lists of tags.
        suffix (bool): the type comes first. Default: False.
    """
    if seq and isinstance(seq[0], list):
        seq = [tag for sub in seq for tag in [*sub, "O"]]
    found, kind, begin = [], "", None
    for i, tag in enumerate([*seq, "O"]):
        place, _, name = tag.rpartition("-")[::-1] if suffix else tag.partition("-")
        name = name or place
        inside = begin is not None and place in ("I", "E") and name == kind
        if begin is not None and not inside:
            found.append((kind, begin, i - 1))
            begin = None
        if begin is None and place != "O":
            begin, kind = i, name
        if place in ("E", "S") and begin is not None:
            found.append((kind, begin, i))
            begin = None
    return found


_NAMES: dict[str, dict[str, Any]] = {
    "chardet": {"detect": lambda data: {"encoding": "utf-8"}},
    "attrdict": {"AttrDict": _Unused},
    "colorama": {"Fore": type("Fore", (), dict.fromkeys(("BLUE", "RED", "CYAN", "RESET"), ""))},
    "colorlog": {"ColoredFormatter": _Formatter},
    "h5py": {},
    "imgaug": {},
    "imgaug.augmenters": {},
    "jieba": {"Tokenizer": _Unused},
    "multiprocess": {"Pool": multiprocessing.Pool, "RLock": multiprocessing.RLock},
    "nltk": {},
    "nltk.translate": {},
    "nltk.translate.bleu_score": {"corpus_bleu": _Unused, "sentence_bleu": _Unused},
    "lmdb": {},
    "prettytable": {"PrettyTable": _Table},
    "requests": {},
    "seqeval": {},
    "seqeval.metrics": {},
    "seqeval.metrics.sequence_labeling": {"get_entities": get_entities},
    "sklearn": {},
    "sklearn.metrics": dict.fromkeys(
        (
            "accuracy_score",
            "average_precision_score",
            "hamming_loss",
            "multilabel_confusion_matrix",
            "precision_recall_fscore_support",
        ),
        _Unused,
    ),
    "sklearn.preprocessing": {"binarize": _Unused},
    "skimage": {},
    "skimage.morphology": {},
    "skimage.morphology._skeletonize": {"thin": _Unused},
    "termcolor": {"colored": lambda text, *_, **__: text},
    "tqdm": {"tqdm": _Progress},
    "yaml": {},
    "distutils": {},
    "distutils.dep_util": {"newer_group": _Unused},
}


class _Anything:
    """Any function or class of a package that is not there: takes everything, does nothing."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        pass

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return args[0] if args else self

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self


class _Open(ModuleType):
    """A module that has every name it is asked for."""

    __path__: list = []

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        found = type(name, (_Anything,), {})
        setattr(self, name, found)
        return found


class _OpenPackages:
    """Finds a stand-in for each of some packages that nothing else finds."""

    def __init__(self, names: tuple) -> None:
        self.names = names

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        """Returns how to make the module, if it is one of theirs."""
        if name.partition(".")[0] not in self.names:
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec: Any) -> ModuleType:
        """Returns the module."""
        return _Open(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Has nothing to do."""


_OPEN = (
    "IPy", "click", "cloudpickle", "cma", "flask", "flask_cors", "gdal", "gym", "imgaug",
    "jieba", "nltk", "osgeo", "paddle2onnx", "paddle_gpu_serving", "paddlecloud", "pandas",
    "psutil", "pyarrow", "pycocotools", "regex", "requests", "rlschool", "sentencepiece", "skimage",
    "sklearn", "tensorboardX", "ujson", "yaml", "zmq",
)  # fmt: skip


def install_for_1x() -> None:
    """Puts stand-ins in place for libraries of 1.x, and what newer Python and NumPy took away."""
    import numpy as np

    # generated code of 2020 is refused by the compiled protobuf of today
    os.environ.setdefault("PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION", "python")
    import paddle.fluid  # noqa: F401  (before: 1.8.5 itself would take stand-ins)

    for name in ("Callable", "Iterable", "Mapping", "MutableMapping", "Sequence"):
        setattr(collections, name, getattr(collections.abc, name))
    for name, now in {"int": int, "float": float, "bool": bool, "object": object}.items():
        if name not in vars(np):
            setattr(np, name, now)
    if "product" not in vars(np):
        np.product = np.prod  # type: ignore[attr-defined]
    for name in ("chardet", "colorama", "colorlog", "termcolor", "tqdm"):
        if importlib.util.find_spec(name) is None:
            made = sys.modules[name] = _Open(name)
            made.__dict__.update(_NAMES[name])
    sys.meta_path.append(_OpenPackages(_OPEN))  # type: ignore[arg-type]


def install() -> None:
    """Puts a stand-in into sys.modules for each package that is missing.

    Names that Python 3.10 took out of `collections` come back too: the libraries are older.
    """
    for name in ("Callable", "Iterable"):
        setattr(collections, name, getattr(collections.abc, name))
    missing = {
        name for name in _NAMES if "." not in name and importlib.util.find_spec(name) is None
    }
    for name, names in _NAMES.items():
        if name.partition(".")[0] in missing:
            made = ModuleType(name)
            made.__path__ = []
            made.__dict__.update(names)
            sys.modules[name] = made
