"""Checkpoints of several processes: all of them or none, and back to the very step.

Each process writes a file of its own under a name that nobody reads yet; when all have written
theirs, the first process puts the file in place that names them.
"""

from __future__ import annotations

import functools
import glob
import os
import secrets
from typing import Any

import numpy as np

from paddle.core import random_state
from paddle.core.errors import ExternalError, InvalidArgumentError
from paddle.core.tensor import Tensor
from paddle.distributed.agreement import all_well, attempt, first_number, here, numbers
from paddle.framework.io import load, save
from paddle.io.dataloader.progress import follow
from paddle.ops.optimizer import lists as update_kernels
from paddle.optimizer.renaming import renamed

__all__ = ["checkpoint", "resume"]

_FORMAT, _VERSION = "paddle.distributed.checkpoint", 1


def checkpoint(state: dict[str, Any], path: str | os.PathLike, parts: bool = False) -> None:
    """Saves where a training stands, in place of what it saved before; every process calls it.

    Besides ``state`` it has the random numbers of this process (operators, shuffling, NumPy's and
    Python's global ones). A training that is killed at any time, also while it writes, goes on from
    the last checkpoint that is whole. Several machines need a folder that they share.

    Args:
        state (dict): by names of yours: networks, optimizers, schedulers, samplers and whatever has
            ``state_dict`` and ``set_state_dict``; DataLoaders, of which the position is kept;
            numbers, text, arrays, Tensors, and lists and dicts of them.
        path (str): the file; the other processes' files have longer names.
        parts (bool): every process saves all of its own ``state``, for where it differs between
            them, as the running averages of batch norms do. Default: False: that of the first
            process is everybody's, but for positions of loaders.

    Raises:
        TypeError: ``state`` is no dict with text as keys.
        NotImplementedError: it holds what no file can.
        OSError: a process could not write its file; the checkpoint before is still there.

    Examples:
        .. code-block:: python

            import os, tempfile
            import paddle
            import paddle.distributed as dist

            net = paddle.nn.Linear(4, 1)
            optimizer = paddle.optimizer.Adam(parameters=net.parameters())
            state = {"net": net, "optimizer": optimizer, "step": 0}
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "run.pdckpt")
                dist.resume(path, state)  # a process that is started again goes on from there
                while state["step"] < 4:
                    net(paddle.rand([2, 4])).mean().backward()
                    optimizer.step()
                    optimizer.clear_grad()
                    state["step"] += 1
                    dist.checkpoint(state, path)
                print(dist.resume(path)["step"])  # 4
    """
    path = _checked(path, "checkpoint")
    _check_state(state, "checkpoint")
    rank, count = here("checkpoint and resume")
    number = first_number(secrets.randbits(62))
    target = path if rank == 0 else _part(path, number, rank)
    error: Exception | None = None
    if rank:
        error = attempt(lambda: save(_own(state, number, rank, parts), target))
    elif count > 1:  # what cannot be saved is found out before the others' files are in place
        error = attempt(lambda: _saved(state))
    undo = functools.partial(_remove_part, target) if rank else None
    all_well(error, f"checkpoint({path!r})", undo)
    if rank == 0:
        error = attempt(lambda: save(_whole(state, number, count, parts), path))
    all_well(error, f"checkpoint({path!r})", undo)
    if rank == 0:
        _remove_others(path, number)


def resume(path: str | os.PathLike, state: dict[str, Any] | None = None) -> dict[str, Any] | None:
    """Goes back to where the last :func:`checkpoint` was made; every process calls it.

    Args:
        path (str): what ``checkpoint`` was given.
        state (dict, optional): as for ``checkpoint``: the objects are put back to their states, and
            the other entries are set. Call it before the first pass over a DataLoader, of which the
            position is noted from then on. None: nothing is changed but random numbers.

    Returns:
        dict: what was saved, by name; None: there is no checkpoint, and nothing has changed.

    Raises:
        ValueError: the file is damaged or no checkpoint, ``state`` has other names, or there were
            another number of processes and ``parts`` was used.
        OSError: another process cannot go on from there.

    Examples:
        .. code-block:: python

            import paddle
            print(paddle.distributed.resume("/tmp/there-is-none.pdckpt"))  # None
    """
    path = _checked(path, "resume")
    if state is not None:
        _check_state(state, "resume")
        for value in state.values():
            if hasattr(value, "_progress"):
                follow(value)
    rank, count = here("checkpoint and resume")
    there = numbers(os.path.isfile(path))
    if not any(there):
        return None
    found: list[Any] = []
    error = None
    if not all(there):
        lacking = [r for r, seen in enumerate(there) if not seen]
        error = ExternalError(
            f"resume({path!r}): the file is there for some processes, but not for ranks {lacking}.",
            hint="several machines need a folder that they share",
        )
    else:
        error = attempt(lambda: found.extend(_read(path, rank, count, state)))
    all_well(error, f"resume({path!r})")
    values, names, positions, random = found
    if state is not None:
        _put(state, values, names, positions)
    if random is not None:
        _put_random(random, path)
    return values


# ------------------------------------------------------------------ files


def _checked(path: Any, api: str) -> str:
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"{api}(path): expected a str, but received {type(path).__name__}.")
    text = os.fspath(path)
    if not os.path.basename(text) or os.path.isdir(text):
        raise InvalidArgumentError(f"{api}(path): expected the name of a file, got {text!r}.")
    return text


def _part(path: str, number: int, rank: int) -> str:
    return f"{path}.{number:016x}.rank{rank}"


def _remove_part(target: str) -> None:
    if os.path.exists(target):
        os.unlink(target)


def _remove_others(path: str, number: int) -> None:
    """Removes the files of checkpoints before."""
    for old in glob.glob(f"{glob.escape(path)}.{'[0-9a-f]' * 16}.rank*"):
        if not old.startswith(f"{path}.{number:016x}."):
            _remove_part(old)


def _read(path: str, rank: int, count: int, state: Any) -> tuple[dict, dict, dict, Any]:
    """What was saved for this process: values, names of parameters, positions, random numbers."""
    held = load(path)
    if not isinstance(held, dict) or held.get("format") != _FORMAT:
        raise InvalidArgumentError(
            f"resume({path!r}): expected a file of paddle.distributed.checkpoint."
        )
    if held.get("version") != _VERSION:
        raise InvalidArgumentError(
            f"resume({path!r}): it has version {held.get('version')!r} of the format; this release "
            f"reads version {_VERSION}."
        )
    values, own = held["state"], held["own"]
    if held["ranks"] != count and held["parts"] and max(held["ranks"], count) > 1:
        raise InvalidArgumentError(
            f"resume({path!r}): {held['ranks']} processes saved a part each, but there are {count}."
        )
    if held["ranks"] != count:  # elsewhere in the data, with other random numbers
        own = {"positions": {}, "random": None}
    elif rank:
        own = load(_part(path, held["number"], rank))
        if not isinstance(own, dict) or own.get("number") != held["number"]:
            raise InvalidArgumentError(
                f"resume: '{_part(path, held['number'], rank)}' is not of the checkpoint {path!r}."
            )
        if held["parts"]:
            values = own["state"]
    if state is not None:
        _check_names(path, state, values, own["positions"])
    return values, held["names"], own["positions"], own["random"]


def _check_names(path: str, state: dict, values: dict, positions: dict) -> None:
    loaders = {name for name, value in state.items() if hasattr(value, "_progress")}
    if set(values) != set(state) - loaders:
        raise InvalidArgumentError(
            f"resume({path!r}): expected a state with {sorted(state)}, but the file has "
            f"{sorted([*values, *positions])}."
        )
    for name in loaders & set(positions):
        follow(state[name]).check(_arrays(positions[name]))


# ------------------------------------------------------------------ states


def _check_state(state: Any, api: str) -> None:
    if not isinstance(state, dict) or not all(isinstance(name, str) for name in state):
        raise TypeError(
            f"{api}(state): expected a dict with names as keys, but received "
            f"{type(state).__name__}."
        )


def _saved(state: dict[str, Any]) -> dict[str, Any]:
    """What the entries hold, but for positions of loaders."""
    return {
        name: value.state_dict() if hasattr(value, "state_dict") else value
        for name, value in state.items()
        if not hasattr(value, "_progress")
    }


def _names(state: dict[str, Any]) -> dict[str, list[str]]:
    """The names of the parameters of each optimizer, after which its state's entries are named."""
    found = {name: getattr(value, "_parameter_list", None) for name, value in state.items()}
    return {name: [p.name for p in listed] for name, listed in found.items() if listed}


def _own(state: dict[str, Any], number: int, rank: int, parts: bool) -> dict[str, Any]:
    """What each process has of its own."""
    return {
        "number": number,
        "rank": rank,
        "state": _saved(state) if parts else {},
        "positions": {
            name: follow(value).state()
            for name, value in state.items()
            if hasattr(value, "_progress")
        },
        "random": {
            "host": random_state.host_state(),
            "devices": random_state.device_states(),
            "updates": update_kernels.updates(),
        },
    }


def _whole(state: dict[str, Any], number: int, count: int, parts: bool) -> dict[str, Any]:
    """What the file of the first process holds."""
    return {
        "format": _FORMAT,
        "version": _VERSION,
        "number": number,
        "ranks": count,
        "parts": parts,
        "names": _names(state),
        "state": _saved(state),
        "own": _own(state, number, 0, False),
    }


def _put(
    state: dict[str, Any], values: dict[str, Any], names: dict, positions: dict[str, Any]
) -> None:
    for name, now in _names(state).items():
        values = {**values, name: renamed(values[name], zip(names.get(name, ()), now))}
    for name, value in values.items():
        held = state[name]
        if not hasattr(held, "state_dict"):
            state[name] = value
            continue
        (getattr(held, "set_state_dict", None) or held.load_state_dict)(value)
    for name, position in positions.items():
        if name in state:
            follow(state[name]).set_state(_arrays(position))


def _put_random(random: dict[str, Any], path: str) -> None:
    where = f"resume({path!r})"
    random_state.set_host_state(random["host"], where)
    random_state.set_device_states(_arrays(random["devices"]), where)
    update_kernels.set_updates(random["updates"])


def _arrays(value: Any) -> Any:
    """The same with arrays in place of Tensors, as which a file gives them back."""
    if isinstance(value, Tensor):
        return np.asarray(value.numpy())
    if isinstance(value, dict):
        return {key: _arrays(one) for key, one in value.items()}
    if type(value) in (list, tuple):
        return type(value)(_arrays(one) for one in value)
    return value
