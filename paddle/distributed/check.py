"""What goes wrong between processes, told in ranks: different calls, processes that died or hang.

Before user's calls the members compare what each is about to do: gloo resets the connection where
shapes differ, and with equal numbers of bytes it reads floats as integers without a word. When an
exchange fails, the launcher's report says who died.
"""

from __future__ import annotations

import json
import time
import warnings
import zlib
from collections.abc import Sequence
from typing import Any

import torch

from paddle.core import flags
from paddle.core.dtype import FROM_TORCH, dtype_name
from paddle.core.errors import ExternalError, InvalidArgumentError
from paddle.core.user_frame import outside
from paddle.distributed import store as stores

_REPORT_SECONDS = 2.0  # a launcher notices a death in less
_POLL_SECONDS = 0.05
BETWEEN_TWO = ("send", "recv")  # the other members of the group have no part in them


def fingerprint(text: str) -> torch.Tensor:
    """Returns numbers that are equal where texts are, and their negatives.

    One reduction to the greatest then shows the greatest and the least of all members.
    """
    data = text.encode()
    numbers = torch.tensor([zlib.crc32(data), zlib.adler32(data), len(data)], dtype=torch.int64)
    return torch.cat([numbers, -numbers])


def describe(operation: str, buffers: Sequence[torch.Tensor] = (), **details: Any) -> str:
    """Says in a line what a member is about to do.

    Args:
        operation (str): the function's name.
        buffers (list): what it exchanges.
        **details: root, reduction, ...
    """
    parts = [f"{list(b.shape)} {dtype_name(FROM_TORCH[b.dtype])}" for b in buffers]
    parts += [f"{name}={value}" for name, value in details.items()]
    return f"{operation}({', '.join(parts)})"


def compares(group: Any) -> bool:
    """Says whether the members compare user's calls before they exchange anything.

    Args:
        group (C10dGroup): the members.
    """
    return group.size > 1 and bool(flags.get("FLAGS_dist_check_calls"))


def compare(group: Any, text: str) -> None:
    """Raises on every member where not all are about to do the same.

    Args:
        group (C10dGroup): the members.
        text (str): what this one is about to do.

    Raises:
        ValueError: names the members, and what each was about to do.
    """
    if compares(group):
        always_compare(group, text)


def always_compare(group: Any, text: str) -> None:
    """The same, whatever the flag says: for what happens once."""
    if group.size == 1:
        return
    reduced = group.agree(fingerprint(text), text)
    half = len(reduced) // 2
    if torch.equal(reduced[:half], -reduced[half:]):
        return
    said = group.texts(text)
    by_text: dict[str, list[int]] = {}
    for member, other in enumerate(said):
        by_text.setdefault(other, []).append(group.ranks[member])
    sides = "; ".join(
        f"rank{'s' if len(ranks) > 1 else ''} {', '.join(map(str, ranks))}: {other}"
        for other, ranks in by_text.items()
    )
    raise InvalidArgumentError(
        f"the processes of a group have to call the same function with the same shape, dtype and "
        f"root, but they called different ones. {sides}.",
        hint="nothing was exchanged; look for a branch that depends on the rank or on the data",
    )


def failures() -> list[tuple[int, str]]:
    """Returns which processes have failed and how, in their order, as the launcher reports it."""
    store = stores.job_store()
    found = []
    for i in range(store.add("failed", 0)):
        rank, _, status = store.get(f"failed/{i + 1}").decode().partition("|")
        if rank.isdecimal():  # else a parameter server
            found.append((int(rank), status))
    return found


def report(store: Any, rank: int, status: str) -> None:
    """Leaves word that a process has failed: what a launcher calls.

    Args:
        store (Store): keys of this job and round.
        rank (int): the process.
        status (str): how it ended, as ``exit status 3``.
    """
    store.set(f"failed/{store.add('failed', 1)}", f"{rank}|{status}")


def meet(meeting: Any, ranks: Sequence[int], me: int, seconds: float) -> None:
    """Returns when all members of a group have come to connect; says for whom it waits.

    Args:
        meeting (Store): keys of this group alone.
        ranks (list[int]): the members.
        me (int): which of them this one is.
        seconds (float): how long to wait.

    Raises:
        ExternalError: names the members that did not come, or the process that failed.
    """
    keys = [f"came/{i}" for i in range(len(ranks))]
    meeting.set(keys[me], "")
    begin, pause, told = time.monotonic(), 0.0005, False
    while not meeting.check(keys):
        waited = time.monotonic() - begin
        if waited > 1:  # a look at more than one key
            missing = [ranks[i] for i, key in enumerate(keys) if not meeting.check([key])]
            names = f"rank{'s' if len(missing) > 1 else ''} {', '.join(map(str, missing))}"
            here = f"rank {ranks[me]} wanted to connect to the ranks {list(ranks)}"
            for rank, status in _reported():
                if rank in missing:
                    raise ExternalError(f"rank {rank} failed ({status}) while {here}.")
            if missing and waited > seconds:
                raise ExternalError(
                    f"{names} did not come within {seconds:g} s while {here}.",
                    hint="is every process running, and does each call init_parallel_env, "
                    "fleet.init, new_group and DataParallel in the same order?",
                )
            if missing and waited > stores.QUIET_SECONDS and not told:
                told = True
                warnings.warn(
                    f"paddle.distributed: {here}, but {names} did not come yet; it waits "
                    f"for another {seconds - waited:.0f} s.",
                    stacklevel=outside(),
                )
        time.sleep(pause)
        pause = min(1.5 * pause, 0.1)


def _reported() -> list[tuple[int, str]]:
    """Who failed, where there is a launcher that says so."""
    return failures() if stores.known() else []


def explained(error: BaseException, operation: str, group: Any) -> BaseException:
    """Turns the transport's error into one that names the rank.

    Args:
        error (Exception): what the transport raised.
        operation (str): what this process was doing.
        group (C10dGroup): with whom.

    Returns:
        Exception: the error to raise.
    """
    words = str(error).splitlines()[0] if str(error) else type(error).__name__
    if "timed out" in words.lower() or "timeout" in words.lower():
        cause = _late(operation, group)
    else:
        cause = _dead(group)
    here = f"rank {group.ranks[group.rank]} was in {operation}"
    return ExternalError(f"{cause} while {here}. The transport says: {words}")


def _dead(group: Any) -> str:
    end = time.monotonic() + _REPORT_SECONDS
    try:
        while stores.known() and time.monotonic() < end:
            found = [f for f in failures() if f[0] in group.ranks]
            if found:
                rank, status = found[0]
                return f"rank {rank} failed ({status})"
            time.sleep(_POLL_SECONDS)
    except Exception:  # the store has gone with the process that hosted it
        return f"rank {group.ranks[0]}, which kept the job's store, or another one ended"
    others = [r for r in group.ranks if r != group.ranks[group.rank]]
    if len(others) == 1:
        return f"rank {others[0]} closed the connection"
    return f"one of the ranks {others} closed the connection"


def _late(operation: str, group: Any) -> str:
    """Who did not come to a call: those that leave no note that they wait in it too."""
    limit = f"within {group.timeout:g} s"
    asked = stores.known() and operation not in BETWEEN_TWO
    missing = _missing(operation, group) if asked else []
    if not missing:
        return f"not all of the ranks {group.ranks} came to the same call {limit}"
    names = ", ".join(map(str, missing))
    return f"rank{'s' if len(missing) > 1 else ''} {names} did not come to the call {limit}"


def _missing(operation: str, group: Any) -> list[int]:
    """The ranks that leave no note that they wait, while this one does."""
    try:
        notes = stores.below(stores.job_store(), "waiting", group.name, group.calls)
        notes.set(str(group.rank), operation)
        time.sleep(1.0)
        return [group.ranks[i] for i in range(group.size) if not notes.check([str(i)])]
    except Exception:  # the store has gone, too
        return []


def as_bytes(text: str) -> torch.Tensor:
    """Returns a text as numbers that can be exchanged."""
    return torch.frombuffer(bytearray(json.dumps(text).encode()), dtype=torch.uint8)


def as_text(numbers: torch.Tensor) -> str:
    """Returns the text of such numbers."""
    return json.loads(numbers.numpy().tobytes())
