"""Looking into a run: NaN checks and timings, an operator at a time."""

from __future__ import annotations

import atexit
import sys
import time
from collections.abc import Callable
from typing import Any

import torch

from paddle.core import flags
from paddle.core.debug import enabled
from paddle.core.errors import PreconditionNotMetError
from paddle.ir.operator import Operator

_watcher: list[Any] = [None]


def watch(callback: Any) -> None:
    """Lets an object look at every operator that is run from now on; None ends that.

    Args:
        callback (callable): called with the operator and its results; its method ``starts()`` is
            called when a run begins.
    """
    _watcher[0] = callback


def run_starts() -> None:
    """Tells who watches that a run begins."""
    if _watcher[0] is not None:
        _watcher[0].starts()


def debug_callback() -> Callable | None:
    """Returns what to call after every operator as flags and PADDLE_DEBUG say, or None."""
    if _watcher[0] is not None:
        return _watcher[0]
    if flags.get("FLAGS_check_nan_inf"):
        return check_finite
    if enabled("time"):
        return note_time
    return None


def check_finite(op: Operator, *buffers: Any) -> None:
    """Raises where an operator made a NaN or an infinity; names it and the user's line."""
    named = zip(op.output_arg_names, buffers, strict=False)
    parts = [(n, b) for n, held in named for b in (held if isinstance(held, list) else [held])]
    for name, buf in parts:
        if not isinstance(buf, torch.Tensor) or not (buf.is_floating_point() or buf.is_complex()):
            continue
        if not bool(torch.isfinite(buf).all()):
            nans = int(torch.isnan(buf).sum())
            infs = int(torch.isinf(buf).sum())
            location = f"\n  the operator was added here:\n  {op.location}" if op.location else ""
            error = PreconditionNotMetError(
                f"Operator {op.type} output {name!r} contains NaN or Inf: {nans} NaN and {infs} "
                f"Inf among {buf.numel()} elements of shape {list(buf.shape)}.{location}"
            )
            error._explained = True  # type: ignore[attr-defined]
            raise error


_times: dict[str, list[float]] = {}
_last = [0.0]


def note_time(op: Operator, *buffers: Any) -> None:
    """Adds the time since the operator before to this one's account."""
    now = time.perf_counter()
    if not _times:
        atexit.register(lambda: print(timings(), file=sys.stderr))
    entry = _times.setdefault(op.type, [0.0, 0])
    entry[0] += now - _last[0]
    entry[1] += 1
    _last[0] = time.perf_counter()


def _start_clock() -> None:
    _last[0] = time.perf_counter()


note_time.starts = _start_clock  # type: ignore[attr-defined]  # a plan calls it when a run begins


def timings() -> str:
    """The accounts as a table, the slowest operator first."""
    rows = sorted(_times.items(), key=lambda item: -item[1][0])
    return "\n".join(f"{name:32} {n:6.0f} calls {t * 1e3:10.3f} ms" for name, (t, n) in rows)
