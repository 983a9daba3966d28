"""Saving a Model to files and loading it, with every mismatch named."""

from __future__ import annotations

import os
import warnings
from typing import Any

import paddle
from paddle.core.errors import InvalidArgumentError
from paddle.core.user_frame import outside
from paddle.nn import Layer
from paddle.static.input import InputSpec


def check_path(path: Any) -> None:
    """Raises unless files can be named after ``path``."""
    if not isinstance(path, str):
        raise TypeError(f"Model.save(path): expected a str, got {type(path).__name__}.")
    if not os.path.basename(path):
        raise InvalidArgumentError(
            f"Model.save(path): expected folder/name, but {path!r} ends without a name."
        )


def save_for_inference(network: Layer, path: str, inputs: list, seen: list | None) -> None:
    """Writes a model for inference, as :func:`paddle.jit.save` does, in evaluation mode.

    Args:
        network (Layer): what is saved.
        path (str): folder and beginning of the file names.
        inputs (list): what the Model was told of its inputs; empty: nothing.
        seen (list|None): shape and dtype of each input of the first batch; None: there was none.
    """
    from paddle.jit.saving import decorated
    from paddle.jit.saving import save as save_model

    methods = decorated(network)
    told = "forward" in methods and methods["forward"].function_spec.input_spec is not None
    spec = list(inputs)
    if not spec and not told and len(methods) < 2:
        if seen is None:
            raise InvalidArgumentError(
                "Model.save(training=False): the shapes of the network's inputs are not known.",
                hint="paddle.Model(network, inputs=[InputSpec([None, 784], 'float32', 'x')]), or "
                "run a batch before",
            )
        spec = [InputSpec([None, *shape[1:]], dtype) for shape, dtype in seen]
    modes = [(layer, layer.training) for layer in [network, *network.sublayers()]]
    network.eval()
    try:
        save_model(network, path, input_spec=spec or None)
    finally:
        for layer, training in modes:
            layer.training = training


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
        warnings.warn(f"Model.load({path!r}) skipped: {'; '.join(problems)}.", stacklevel=outside())
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
