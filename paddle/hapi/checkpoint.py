"""Saving a Model to files and loading it, with every mismatch named."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from paddle.core.errors import FrameworkError, InvalidArgumentError
from paddle.core.tensor import Tensor
from paddle.core.user_frame import outside
from paddle.framework.io import check_target
from paddle.framework.io import load as load_file
from paddle.hapi.training_state import file as state_file
from paddle.nn import Layer
from paddle.optimizer.renaming import renamed
from paddle.serialization.files.atomic import atomic_files
from paddle.serialization.files.seals import SaveSet, check_together, read_seal
from paddle.serialization.files.suffixes import OPT, PARAMS, SCALER, STATE
from paddle.serialization.pickles.limits import shown
from paddle.serialization.pickles.object_writing import write_object
from paddle.serialization.pickles.packing import NAME_TABLE
from paddle.static.input import InputSpec

_PROTOCOL = 2  # as paddle.save has it
# What an entry of a state besides Tensors may be: a schedule's numbers, lists of them.
_MOST_ENTRIES, _DEEPEST = 1 << 20, 20


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
    from paddle.jit.models.saving import decorated
    from paddle.jit.models.saving import save as save_model

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


def save(
    path: str,
    weights: dict[str, Any],
    optimizer: dict[str, Any],
    scaling: dict[str, Any] | None = None,
    state: dict[str, Any] | None = None,
) -> None:
    """Writes ``path.pdparams`` and, where there is something, the other files of a checkpoint.

    They tell of each other, so that :func:`load` sees when they are of two saves.

    Args:
        path (str): folder and beginning of the names.
        weights (dict): of the network: ``.pdparams``.
        optimizer (dict): its state: ``.pdopt``.
        scaling (dict, optional): the state of a GradScaler: ``.pdscaler``.
        state (dict, optional): where a fit stands: ``.pdstate``.
    """
    parts = {PARAMS: weights, OPT: optimizer, SCALER: scaling}
    parts = {suffix: values for suffix, values in parts.items() if values or suffix == PARAMS}
    for suffix in parts:
        check_target(path + suffix)
    with atomic_files(SaveSet(path)) as files:
        for suffix, values in parts.items():
            name = path + suffix
            write_object(values, files.open(name, sealed=True), _PROTOCOL, name)
        if state is not None:
            state_file.dump(files.open(path + STATE), state)


def load(
    network: Layer, optimizer: Any, path: str, skip_mismatch: bool, scaler: Any = None
) -> bool:
    """Loads what :func:`save` wrote; without an optimizer only the network.

    Returns:
        bool: whether all parameters of the network were in the file.
    """
    if not isinstance(path, str):
        raise TypeError(f"Model.load(path): expected a str, got {type(path).__name__}.")
    where = f"Model.load({path!r})"
    prefix = path.removesuffix(PARAMS)
    state = _read(prefix + PARAMS, where)
    saved_names = state.pop(NAME_TABLE, {})
    usable, problems = {}, []
    for name, tensor in network.state_dict().items():
        if name not in state:
            problems.append(f"{name} is not in the file")
        elif not isinstance(state[name], Tensor):
            problems.append(f"{name} is a {type(state[name]).__name__} in the file, not a Tensor")
        elif list(state[name].shape) != list(tensor.shape):
            problems.append(
                f"{name} has shape {list(state[name].shape)} in the file, "
                f"but the network expects {list(tensor.shape)}"
            )
        else:
            usable[name] = state[name]
    if problems and not skip_mismatch:
        raise InvalidArgumentError(
            f"{where}: " + "; ".join(problems) + ".",
            hint="pass skip_mismatch=True to load the rest",
        )
    moments = None if optimizer is None else _beside(prefix, OPT, where, "optimizer")
    scaling = None if scaler is None else _beside(prefix, SCALER, where, "GradScaler")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the one below says it all at once
        network.set_state_dict(usable)
    if problems:
        warnings.warn(f"{where} skipped: {'; '.join(problems)}.", stacklevel=outside())
    if moments is not None:
        names = saved_names if isinstance(saved_names, dict) else {}
        with _of_file(prefix + OPT, where):
            optimizer.set_state_dict(_renamed(moments, names, network))
    if scaling is not None:
        with _of_file(prefix + SCALER, where):
            scaler.load_state_dict(scaling)
    return not problems


def _beside(prefix: str, suffix: str, where: str, owner: str) -> dict | None:
    """A state that was saved together with the parameters; None: there is none."""
    file = prefix + suffix
    if os.path.exists(file):
        check_together(
            prefix + PARAMS, file, where,
            "save again; or load the parameters alone: model.load(path, reset_optimizer=True)",
        )  # fmt: skip
        return _read(file, where)
    seal = read_seal(prefix + PARAMS)
    if seal is not None and suffix in seal.files:
        warnings.warn(
            f"{where}: '{prefix + PARAMS}' was saved together with '{file}', which is not there; "
            f"the {owner} keeps the state it has.",
            stacklevel=outside(),
        )
    return None


def _read(file: str, where: str) -> dict:
    """The dict of a state, whose entries have a size that a state may have."""
    state = load_file(file, keep_name_table=True)
    if not isinstance(state, dict):
        raise InvalidArgumentError(
            f"{where}: expected a dict of Tensors in '{file}', "
            f"but it holds a {type(state).__name__}."
        )
    for name, value in state.items():
        if not isinstance(value, Tensor):
            left = _count(value, _MOST_ENTRIES, 0)
            if not isinstance(name, str) or left < 0:
                raise InvalidArgumentError(
                    f"{where}: '{file}' holds something else than the state of a model: "
                    f"{shown(name)} is {shown(value)}."
                )
    return state


def _count(value: Any, left: int, depth: int) -> int:
    """How many of ``left`` items remain after those of an entry; below 0: it has more."""
    if left < 0 or depth > _DEEPEST:
        return -1
    if isinstance(value, dict):
        value = list(value.values())
    if not isinstance(value, (list, tuple)):
        return left - 1
    for item in value:
        left = _count(item, left - 1, depth + 1)
        if left < 0:
            break
    return left


@contextmanager
def _of_file(file: str, where: str) -> Iterator[None]:
    """Lets what an optimizer says of a state begin with the file that it is from."""
    try:
        yield
    except (TypeError, ValueError, LookupError, AttributeError, ArithmeticError) as error:
        if isinstance(error, FrameworkError) and not hasattr(error, "explains"):
            raise  # no accident of Python
        raise InvalidArgumentError(
            f"{where}: '{file}' does not hold the state of this optimizer: {error}"
        ) from error


def _renamed(state: dict, saved_names: dict[str, str], network: Layer) -> dict:
    """Gives the optimizer's entries the names that the parameters have in this process."""
    now = {name: tensor.name for name, tensor in network.state_dict().items()}
    return renamed(state, [(old, now[n]) for n, old in saved_names.items() if n in now])
