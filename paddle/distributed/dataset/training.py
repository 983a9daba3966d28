"""Runs a Program over the batches of a dataset of files, in one or several threads."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from paddle import static
from paddle.core.errors import InvalidArgumentError, OutOfRangeError
from paddle.core.setting import as_here
from paddle.distributed.dataset import beyond
from paddle.distributed.dataset.watching import FetchHandlerMonitor
from paddle.io.dataloader.dataset_loader import fed

_TYPES = {
    "float32": "float", "float64": "double", "int64": "int64_t", "int32": "int", "bool": "bool",
    "uint8": "unsigned char", "int8": "signed char", "int16": "short",
    "float16": "paddle::platform::float16",
}  # fmt: skip


class Run:
    """What one call of ``train_from_dataset`` does.

    Args:
        executor (Executor): runs the Program.
        program (Program): the Program.
        scope (Scope): has the parameters; each thread works in a scope inside of it.
        fetches (list): names of variables that are printed.
        labels (list): what is printed in front of each.
        period (int): they are printed at every so many batches; 0: never.
        handler (FetchHandler|None): gets values now and then.
        debug (bool): whether to say at the end how long reading and running took.
    """

    def __init__(
        self, executor: Any, program: Any, scope: Any, fetches: list[str], labels: list[str],
        period: int, handler: Any, debug: bool,
    ) -> None:  # fmt: skip
        self.executor, self.program, self.scope = executor, program, scope
        self.fetches, self.labels, self.period = fetches, labels, period
        self.handler, self.debug = handler, debug
        self.watched = _watched(handler)
        # A dataset may have slots that this Program does not need.
        self.read = {n for block in program.blocks for op in block.ops for n in op.input_arg_names}
        self.seen: dict[str, Any] = {}
        self.failed: list[BaseException] = []
        self.last: list[Any] = []
        self.keep_last = False  # whether to fetch at each batch, to print in the end
        self.place_of: Callable[[str, Any], str] | None = None  # where in the files a value is

    def work(self, feeds: list[Iterator[dict[str, Any]]]) -> None:
        """Works through the batches of each iterator in a thread of its own."""
        monitor = None
        if self.handler is not None:
            monitor = FetchHandlerMonitor(self, self.handler)
            monitor.start()
        try:
            if len(feeds) == 1:
                self._thread(0, feeds[0])
            else:
                self._threads(feeds)
        finally:
            if monitor is not None:
                monitor.stop()
        if self.failed:
            raise self.failed[0]

    def _threads(self, feeds: list[Iterator[dict[str, Any]]]) -> None:
        def run(number: int) -> None:
            try:
                self._thread(number, feeds[number])
            except BaseException as error:
                self.failed.append(error)

        threads = [threading.Thread(target=as_here(run), args=(i,)) for i in range(len(feeds))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def _thread(self, number: int, feeds: Iterator[dict[str, Any]]) -> None:
        scope = type(self.scope)(self.scope)  # no kid of it, which drop_kids of others would free
        printing = self.fetches if number == 0 else []
        fetches = [*printing, *(self.watched.values() if number == 0 else [])]
        count, reading, begun = 0, 0.0, time.perf_counter()
        try:
            while not self.failed:
                before = time.perf_counter()
                feed = next(feeds, None)
                reading += time.perf_counter() - before
                if feed is None:
                    break
                shown = bool(printing) and not self.keep_last and count % self.period == 0
                wanted = fetches if shown or self.watched or self.keep_last else []
                found = self._step(feed, wanted, scope)
                if shown or (self.keep_last and printing):
                    self.last = found[: len(printing)]
                if shown:
                    self.show()
                if self.watched and number == 0:
                    self.seen = dict(zip(self.watched, found[len(printing) :], strict=True))
                count += 1
        finally:
            close = getattr(feeds, "close", None)
            if close is not None:
                close()
        if self.debug:
            taken = time.perf_counter() - begun
            print(
                f"thread {number}: {count} batches, {reading:.3f} s reading, "
                f"{taken - reading:.3f} s running",
                file=sys.stderr,
            )

    def _step(self, feed: dict[str, Any], fetches: list[str], scope: Any) -> list:
        given = {
            name: fed(value) for name, value in feed.items() if name in self.read or name in fetches
        }
        try:
            return self.executor.run(
                self.program, given, fetches, scope=scope, return_numpy=False
            )  # fmt: skip
        except (IndexError, ValueError) as error:
            told = beyond.told(self.program, feed, self.place_of)
            if told is None:
                raise
            raise OutOfRangeError(told) from error

    def show(self) -> None:
        """Prints the values that were fetched last."""
        for label, name, value in zip(self.labels, self.fetches, self.last, strict=True):
            print(printed(label, name, value), end="", flush=True)

    def values(self) -> dict[str, Any]:
        """What a FetchHandler gets: arrays, or None before the first batch."""
        return {key: None if v is None else np.array(v) for key, v in self._latest().items()}

    def _latest(self) -> dict[str, Any]:
        return self.seen or dict.fromkeys(self.watched)


def _watched(handler: Any) -> dict[str, str]:
    if handler is None:
        return {}
    found = getattr(handler, "var_dict", None) or {}
    return {key: getattr(var, "name", var) for key, var in found.items()}


def printed(label: str, name: str, value: Any) -> str:
    """A value as 1.x prints fetched ones.

    Args:
        label (str): the user's ``fetch_info``.
        name (str): of the variable.
        value (LoDTensor): the value.
    """
    levels = "".join("{" + ", ".join(map(str, level)) + "}" for level in value.lod())
    array = np.array(value)
    kind = _TYPES.get(array.dtype.name, array.dtype.name)
    return (
        f"{label}\t{name}\t\tlod: {{{levels}}}\n\tdim: {', '.join(map(str, array.shape))}\n"
        f"\tlayout: NCHW\n\tdtype: {kind}\n\tdata: [{' '.join(_numbers(array))}]\n\t\n"
    )


def _numbers(array: np.ndarray) -> Iterator[str]:
    flat = array.ravel()
    if array.dtype.kind == "f":
        return (f"{x:g}" for x in flat.astype(np.float64).tolist())
    return map(str, flat.astype(np.int64).tolist())


def checked(
    executor: Any, api: str, program: Any, scope: Any, fetch_list: Any, fetch_info: Any,
    print_period: Any, fetch_handler: Any, debug: bool,
) -> Run:  # fmt: skip
    """Looks at the arguments of ``train_from_dataset`` and of ``infer_from_dataset``."""
    program = static.default_main_program() if program is None else program
    program = getattr(program, "_program", program)  # of a CompiledProgram
    if not isinstance(program, static.Program):
        raise TypeError(
            f"Executor.{api}(program): expected a Program or CompiledProgram, but received "
            f"{type(program).__name__}."
        )
    fetch_list = [] if fetch_list is None else fetch_list
    fetch_list = fetch_list if isinstance(fetch_list, (list, tuple)) else [fetch_list]
    names = [v if isinstance(v, str) else v.name for v in fetch_list]
    info = names if fetch_info is None else fetch_info
    info = [info] if isinstance(info, str) else list(info)
    if len(info) != len(names):
        raise InvalidArgumentError(
            f"Executor.{api}(fetch_info): expected {len(names)} texts, one for each entry of "
            f"fetch_list, but received {len(info)}."
        )
    if isinstance(print_period, bool) or not isinstance(print_period, int) or print_period < 1:
        raise InvalidArgumentError(
            f"Executor.{api}(print_period): expected a positive int, but received {print_period!r}."
        )
    scope = static.global_scope() if scope is None else scope
    return Run(executor, program, scope, names, info, print_period, fetch_handler, debug)
