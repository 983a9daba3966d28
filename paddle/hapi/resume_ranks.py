"""Checkpoints of Model.fit in several processes, and the fit that goes on from one.

The first process saves the model and where the training stands. The others have random numbers,
metrics and buffers (such as averages of batch norms) of their own: a file each,
``<name>.rank1.pdpart``, written before. Files of one checkpoint have the same number.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import warnings
import zlib
from typing import Any

from paddle.core.errors import FrameworkError, InvalidArgumentError
from paddle.core.rings import rings
from paddle.core.user_frame import outside
from paddle.distributed import ParallelEnv
from paddle.distributed.agreement import all_well, attempt, first_number, numbers
from paddle.hapi import resume
from paddle.hapi.fit_run import FitRun
from paddle.hapi.training_state import file
from paddle.serialization.files.suffixes import STATE


def together() -> bool:
    """Says whether several processes train here that can talk to each other."""
    return ParallelEnv().world_size > 1 and rings.known(0)


def part(prefix: str, rank: int) -> str:
    """The file of a process that is not the first.

    Args:
        prefix (str): folder and beginning of the checkpoint's file names.
        rank (int): the process.
    """
    return f"{prefix}.rank{rank}.pdpart"


def save(model: Any, run: FitRun, prefix: str) -> None:
    """Saves a checkpoint from which all processes go on; all of them call it.

    Args:
        model (Model): in a fit.
        run (FitRun): the fit.
        prefix (str): folder and beginning of the file names.
    """
    env = ParallelEnv()
    run.job = {"number": first_number(secrets.randbits(62)), "ranks": env.world_size}
    run.saving = True
    try:
        error = None
        if env.rank:
            error = attempt(lambda: _save_part(model, run, part(prefix, env.rank)))
        all_well(error, f"the checkpoint {prefix!r}")
        if not env.rank:
            error = attempt(lambda: model.save(prefix))
        all_well(error, f"the checkpoint {prefix!r}")
    finally:
        run.saving, run.job = False, None


def _save_part(model: Any, run: FitRun, path: str) -> None:
    state = resume.collect(model, run.job, buffers=True)
    if state is not None:  # else a warning has said why; the checkpoint cannot be gone on from
        file.write(path, state)


def remove(prefix: str) -> None:
    """Removes this process's part of a checkpoint."""
    with contextlib.suppress(FileNotFoundError):
        os.unlink(part(prefix, ParallelEnv().rank))


def newest(folder: str) -> tuple[str, resume.Resume] | None:
    """Returns the newest checkpoint in a folder that is whole for all processes.

    Args:
        folder (str): it may be missing, or empty.

    Returns:
        tuple: the beginning of its files' names, and where this process goes on; None: there is
        none.
    """
    prefixes = resume.by_age(folder) if os.path.isdir(folder) else []
    names = [os.path.basename(prefix) for prefix in prefixes]
    if len(set(numbers(zlib.crc32("\n".join(names).encode())))) > 1:
        raise InvalidArgumentError(
            f"Model.fit(resume=True): the processes see different checkpoints in {folder!r}; this "
            f"one {names}.",
            hint="several machines need a folder that they share",
        )
    bad: list[str] = []
    chosen = None
    for prefix in prefixes:
        found = _readable(prefix)
        if all(numbers(found is not None)) and found is not None:
            chosen = (prefix, found)
            break
        bad.append(repr(prefix + STATE))
    if bad:
        warnings.warn(
            f"Model.fit(resume=True): not whole for all processes: {', '.join(bad)}.",
            stacklevel=outside(),
        )
    return chosen


def _readable(prefix: str) -> resume.Resume | None:
    """Where this process is to go on; None: it cannot from there."""
    rank = ParallelEnv().rank
    try:
        found = resume.read(prefix, strict=True)
        if found is None or found.job is None or not rank:
            return found
        parts = file.read(part(prefix, rank))
        own = parts.pop(resume.JOB, None)
        return resume.Resume(found.path, parts, True, own) if own == found.job else None
    except (FrameworkError, OSError):
        return None
