"""Saving a Model to files and loading it, with every mismatch named."""

from __future__ import annotations

import os
import warnings
from typing import Any

import paddle
from paddle.core.errors import InvalidArgumentError, UnimplementedError
from paddle.nn import Layer


def check_path(path: Any) -> None:
    """Raises unless files can be named after ``path``."""
    if not isinstance(path, str):
        raise TypeError(f"Model.save(path): expected a str, got {type(path).__name__}.")
    if not os.path.basename(path):
        raise InvalidArgumentError(
            f"Model.save(path): expected folder/name, but {path!r} ends without a name."
        )


def no_inference_model() -> UnimplementedError:
    """The error of ``save(training=False)`` in dynamic mode."""
    return UnimplementedError(
        "Model.save(training=False), a model for inference, is not implemented in dynamic mode.",
        hint="make the network and the Model after paddle.enable_static(), load the parameters "
        "and save there; or save with training=True and build the network again",
    )


def save(path: str, weights: dict[str, Any], state: dict[str, Any]) -> None:
    """Writes ``path.pdparams`` and, where the optimizer has a state, ``path.pdopt``."""
    paddle.save(weights, path + ".pdparams")
    if state:
        paddle.save(state, path + ".pdopt")


def load(network: Layer, optimizer: Any, path: str, skip_mismatch: bool) -> None:
    """Loads what :func:`save` wrote; without an optimizer only the network."""
    if not isinstance(path, str):
        raise TypeError(f"Model.load(path): expected a str, got {type(path).__name__}.")
    prefix = path[: -len(".pdparams")] if path.endswith(".pdparams") else path
    state = paddle.load(prefix + ".pdparams", keep_name_table=True)
    saved_names = state.pop("StructuredToParameterName@@", {})
    usable, problems = {}, []
    for name, tensor in network.state_dict().items():
        if name not in state:
            problems.append(f"{name} is not in the file")
        elif list(state[name].shape) != list(tensor.shape):
            problems.append(
                f"{name} has shape {list(state[name].shape)} in the file, "
                f"but the network expects {list(tensor.shape)}"
            )
        else:
            usable[name] = state[name]
    if problems and not skip_mismatch:
        raise InvalidArgumentError(
            f"Model.load({path!r}): " + "; ".join(problems) + ".",
            hint="pass skip_mismatch=True to load the rest",
        )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the one below says it all at once
        network.set_state_dict(usable)
    if problems:
        warnings.warn(f"Model.load({path!r}) skipped: {'; '.join(problems)}.", stacklevel=3)
    if optimizer is not None and os.path.exists(prefix + ".pdopt"):
        state = paddle.load(prefix + ".pdopt")
        optimizer.set_state_dict(_renamed(state, saved_names, network))


def _renamed(state: dict, saved_names: dict[str, str], network: Layer) -> dict:
    """Gives the optimizer's entries the names that the parameters have in this process.

    An entry is named after its parameter, ``linear_0.w_0_moment1_0``, and a network that is made
    a second time has parameters of other names, ``linear_1.w_0``.
    """
    now = {name: tensor.name for name, tensor in network.state_dict().items()}
    pairs = [(old, now[name]) for name, old in saved_names.items() if name in now]
    changed = [(old + "_", new + "_") for old, new in pairs if old != new]
    if not changed:
        return state
    renamed = {}
    masters = state.get("master_weights")
    if isinstance(masters, dict):
        names = dict(pairs)
        state = {**state, "master_weights": {names.get(k, k): v for k, v in masters.items()}}
    for key, value in state.items():
        fitting = [(old, new) for old, new in changed if key.startswith(old)]
        old, new = max(fitting, key=lambda pair: len(pair[0]), default=("", ""))
        renamed[new + key[len(old) :]] = value
    return renamed
