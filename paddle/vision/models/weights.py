"""Loads a file of weights into a model: all that the model has, or nothing and an error."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from paddle.core.dtype import dtype_name, torch_dtype
from paddle.core.errors import InvalidArgumentError
from paddle.core.tensor import Tensor
from paddle.core.user_frame import outside
from paddle.framework.io import load
from paddle.nn import Layer
from paddle.serialization.models.files import is_pickle, read_streams
from paddle.serialization.pickles.limits import shown

_SHOWN = 5
# Names that releases give to variables of the same layer: 1.8 batch_norm_0.w_0, 2.x batch_norm2d_0.
_KINDS = {"batch_norm2d": "batch_norm", "linear": "fc"}


@dataclass
class _Fit:
    """How the entries of a file fit those of a model, by one way of naming them."""

    found: dict[str, Any]
    missing: list[str]
    misshaped: dict[str, tuple[list[int], list[int]]]  # expected, in the file
    unexpected: list[str]

    def problems(self) -> set[str]:
        """The names of all that is not as it should be."""
        return {*self.missing, *self.misshaped, *self.unexpected}


def load_weights(model: Layer, path: str, where: str, head: str) -> None:
    """Sets all parameters and buffers of a model from a file.

    A file may be a state dict (``paddle.save``, ``fluid.save_dygraph``), or hold the variables of
    a Program, by their names: ``static.save`` and the files and folders of 1.8. Names of variables
    count layers, so they are compared as if the model's were the first of the process.

    Where only the last layer differs, because ``num_classes`` does, it keeps its initial values and
    a warning tells so; with ``num_classes=0`` the file's is left aside.

    Args:
        model (Layer): one of the image models.
        path (str): a file, or the folder or prefix of a saved model.
        where (str): the call, for error texts.
        head (str): name of the layer that ``num_classes`` decides.

    Raises:
        ValueError: the file is damaged, holds something else than weights, or those of another
            network. The model is as it was.
    """
    own = model.state_dict()
    state = _read(path, own, where)
    fits = [_fit(own, state, key) for key in (_structured, _Counted(own, state))]
    fit = max(fits, key=lambda one: len(one.found))  # of equals the first
    kept = _differing_head(fit, head)
    if kept is None:
        raise _another_network(fit, model, path, where, len(own))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the last layer's entries are missing on purpose
        model.set_state_dict(fit.found)
    if kept:
        _tell_kept(kept, fit, where)


def _read(path: str, own: dict[str, Tensor], where: str) -> dict[str, Any]:
    """Reads the entries of a file; those without names are named as a Program names them."""
    if os.path.isfile(path) and not is_pickle(path):
        counted = _Counted(own, {})
        named = {counted(name, tensor): tensor for name, tensor in own.items()}
        return {n: Tensor(v.array) for n, v in read_streams(path, named, where).items()}
    state = load(path)
    odd = None
    if not isinstance(state, dict):
        odd = f"a {type(state).__name__}"
    elif not state:
        odd = "an empty dict"
    else:
        for name, value in state.items():
            if not isinstance(name, str) or not isinstance(value, Tensor):
                odd = f"a dict whose entry {shown(name)} is a {type(value).__name__}"
            elif not torch_dtype(value.dtype).is_floating_point:
                odd = f"a dict whose entry {shown(name)} is of {dtype_name(value.dtype)}"
            if odd is not None:
                break
    if odd is not None:
        raise InvalidArgumentError(
            f"{where}: expected a dict of names to Tensors of floats in '{path}', "
            f"but it holds {odd}."
        )
    return state


def _structured(name: str, tensor: Tensor) -> str:
    """The name of an entry in a state dict."""
    return name


class _Counted:
    """Gives entries of a model the names of variables in a file, by kind and order of the layers.

    The third ``conv2d_<n>`` of the model, in the order of n, is the third one of the file.
    """

    def __init__(self, own: dict[str, Tensor], state: dict[str, Any]) -> None:
        ranks = self._ranks(tensor.name for tensor in own.values())
        self._keys = {_parts(name): name for name in state}
        theirs = {(kind, rank): n for (kind, n), rank in self._ranks(state).items()}
        self._place = {one: (one[0], theirs.get((one[0], r), r)) for one, r in ranks.items()}

    @staticmethod
    def _ranks(names: Iterable[str]) -> dict[tuple[str, int], int]:
        """The place of each layer among those of its kind."""
        found: dict[str, set[int]] = {}
        for kind, number, _ in filter(None, map(_parts, names)):
            found.setdefault(kind, set()).add(number)
        return {(k, n): i for k, ns in found.items() for i, n in enumerate(sorted(ns))}

    def __call__(self, name: str, tensor: Tensor) -> str:
        """The name in the file of an entry of the model."""
        parts = _parts(tensor.name)
        if parts is None:
            return tensor.name
        kind, number = self._place[parts[:2]]
        return self._keys.get((kind, number, parts[2]), f"{kind}_{number}.{parts[2]}")


def _parts(name: str) -> tuple[str, int, str] | None:
    """Splits the name of a variable, ``conv2d_3.w_0``: kind and number of its layer, which one."""
    match = re.fullmatch(r"(\w+)_(\d+)\.(\w+)", name)
    if match is None:
        return None
    return _KINDS.get(match[1], match[1]), int(match[2]), match[3]


def _fit(
    own: dict[str, Tensor], state: dict[str, Any], key_of: Callable[[str, Tensor], str]
) -> _Fit:
    """Compares a file's entries with a model's."""
    fit = _Fit({}, [], {}, [])
    used = set()
    for name, tensor in own.items():
        key = key_of(name, tensor)
        if key not in state:
            fit.missing.append(name)
            continue
        used.add(key)
        expected, got = list(tensor.shape), list(state[key].shape)
        if expected == got:
            fit.found[name] = state[key]
        else:
            fit.misshaped[name] = expected, got
    fit.unexpected = [key for key in state if key not in used]
    return fit


def _differing_head(fit: _Fit, head: str) -> list[str] | None:
    """The entries of the last layer that keep their values; None where more than that differs."""

    def of_head(name: str) -> bool:
        parts = _parts(name)
        return name.startswith(head + ".") or (parts is not None and parts[0] == "fc")

    if not fit.found or not all(map(of_head, fit.problems())):
        return None
    if any(expected[:-1] != got[:-1] for expected, got in fit.misshaped.values()):
        return None
    if fit.unexpected and (fit.missing or fit.misshaped):
        return None
    return [*fit.missing, *fit.misshaped]


def _tell_kept(kept: list[str], fit: _Fit, where: str) -> None:
    """Warns that the last layer is not trained."""
    if fit.misshaped:
        expected, got = list(fit.misshaped.values())[-1]
        why = f"num_classes is {expected[-1]} and that of the file {got[-1]}"
        hint = f"for the layer of the file pass num_classes={got[-1]}"
    else:
        why = "the file has no such layer"
        hint = "for the features without it pass num_classes=0"
    warnings.warn(
        f"{where}: {', '.join(kept)} keep their initial values, because {why}; all else was "
        f"loaded. Train them on your classes (fine-tuning), or {hint}.",
        stacklevel=outside(),
    )


def _another_network(fit: _Fit, model: Layer, path: str, where: str, total: int) -> Exception:
    """The error for a file that has other entries than the model."""
    shapes = [f"{n} expected {e}, in the file {g}" for n, (e, g) in fit.misshaped.items()]
    parts = [
        _listing("not in the file", fit.missing),
        _listing("of another shape", shapes),
        _listing("only in the file", fit.unexpected),
    ]
    return InvalidArgumentError(
        f"{where}: '{path}' holds the weights of another network than this "
        f"{type(model).__name__}, of whose {total} entries {len(fit.found)} fit.\n  "
        + "\n  ".join(filter(None, parts)),
        hint="nothing was loaded; take the function and the arguments that the file was made "
        "with, or load what fits: model.set_state_dict(paddle.load(path))",
    )


def _listing(title: str, names: list[str]) -> str:
    if not names:
        return ""
    more = ", ..." if len(names) > _SHOWN else ""
    return f"{title} ({len(names)}): {', '.join(names[:_SHOWN])}{more}"
