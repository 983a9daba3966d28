"""Progress: where the passes over a loader stand, to be saved and gone on from."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

from paddle.core.errors import InvalidArgumentError
from paddle.core.random_state import at_host_state, check_host_state, host_state
from paddle.io.dataloader.batch_sampler import sampler_state, set_sampler_state
from paddle.io.dataloader.pool import draw_seed
from paddle.io.dataloader.reading import Reading

_WHERE = "DataLoader"
_KEYS = ("batches", "workers", "sampler", "reading")
_READING = ("delivered", "handed", "start", "states")


def follow(loader: Any) -> Progress:
    """Returns the progress of a loader, which is noted from its next pass on."""
    if loader._progress is None:
        loader._progress = Progress(loader)
    return loader._progress


class Progress:
    """Notes how far the pass over a loader came that began last.

    The position is what the trainer was given, whatever workers have prefetched. To go on from
    there the sampler runs again from the state before the pass, which gives the same order, and
    the samples of batches that were delivered are not read again. A stream has no sampler: it is
    read from its beginning, and what was delivered is dropped.

    Args:
        loader (DataLoader|GeneratorLoader): whose passes.
    """

    def __init__(self, loader: Any) -> None:
        self._loader = loader
        self._now: Reading | None = None
        self._next: dict[str, Any] | None = None

    @property
    def under_way(self) -> bool:
        """Whether a pass has begun and is not over, in this process or in the one before."""
        return self._now is not None or self._next is not None

    # -- state ------------------------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        """Returns the position as plain data."""
        loader, now = self._loader, self._now
        reading = self._next
        if now is not None:
            reading = {
                "delivered": now.delivered,
                "handed": now.handed,
                "start": now.start,
                "states": list(now.states),
            }
        return {
            "batches": self._batches(),
            "workers": loader.num_workers,
            "sampler": sampler_state(loader.batch_sampler),
            "reading": reading,
        }

    def _batches(self) -> int | None:
        try:
            return len(self._loader)
        except (TypeError, RuntimeError):
            return None

    def check(self, state: Any) -> None:
        """Raises unless a state is one of this loader; changes nothing."""
        _expect(state, dict, "a dict")
        if set(state) != set(_KEYS):
            raise InvalidArgumentError(f"{_WHERE}: expected a state with {list(_KEYS)}.")
        for key, own in (("batches", self._batches()), ("workers", self._loader.num_workers)):
            if type(state[key]) is not type(own) or state[key] != own:
                saved = state[key] if isinstance(state[key], int) else type(state[key]).__name__
                raise InvalidArgumentError(
                    f"{_WHERE}: the state was saved with {saved} {key}, but this loader has {own}.",
                    hint="make the loader with the same dataset, batch_size and num_workers",
                )
        self._try_sampler(state["sampler"])
        if state["reading"] is not None:
            self._check_reading(state["reading"])

    def _try_sampler(self, state: Any) -> None:
        """Lets the sampler have a state for a moment: only it knows what fits."""
        sampler = self._loader.batch_sampler
        now = sampler_state(sampler)
        try:
            set_sampler_state(sampler, state)
        finally:
            set_sampler_state(sampler, now)

    def _check_reading(self, reading: Any) -> None:
        _expect(reading, dict, "the position as a dict")
        if set(reading) != set(_READING):
            raise InvalidArgumentError(f"{_WHERE}: expected a position with {list(_READING)}.")
        for key in ("delivered", "handed"):
            _expect(reading[key], int, f"{key} as an int")
        first, taken, most = reading["delivered"], reading["handed"], self._batches()
        fits = self._loader._stream or first <= taken <= (taken if most is None else most)
        if first < 0 or not fits:
            raise InvalidArgumentError(
                f"{_WHERE}: {first} batches delivered of {taken} is no position of this loader."
            )
        _expect(reading["start"], dict, "the state before the pass as a dict")
        if set(reading["start"]) != {"random", "sampler"}:
            raise InvalidArgumentError(f"{_WHERE}: expected the state before the pass.")
        check_host_state(reading["start"]["random"], _WHERE)
        self._try_sampler(reading["start"]["sampler"])
        _expect(reading["states"], list, "the workers' states as a list")
        if len(reading["states"]) != self._loader.num_workers:
            raise InvalidArgumentError(f"{_WHERE}: expected one state per worker.")
        for worker in reading["states"]:
            if worker is not None:
                check_host_state(worker, _WHERE)

    def set_state(self, state: dict[str, Any]) -> None:
        """Lets the next pass begin where a saved one stood."""
        set_sampler_state(self._loader.batch_sampler, state["sampler"])
        self._next = state["reading"]
        self._now = None

    # -- passes -----------------------------------------------------------------------------------

    def batches(self) -> Iterator[Any]:
        """One pass, whose position is noted; the rest of one after :meth:`set_state`."""
        loader = self._loader
        began, self._next = self._next, None
        reading = self._begin() if began is None else self._resume(began)
        read = loader._batches(reading)
        if began is not None and loader._stream:
            self._drop(read, reading, began)
        self._now = reading
        try:
            # Without workers a prefetched batch would have drawn numbers that come later.
            for batch in loader._delivered(read, prefetch=loader.num_workers > 0):
                reading.deliver()
                yield batch
        finally:
            if self._now is reading:
                self._now = None

    def _begin(self) -> Reading:
        loader = self._loader
        start = {"random": host_state(), "sampler": sampler_state(loader.batch_sampler)}
        return self._reading(start)

    def _reading(self, start: dict[str, Any]) -> Reading:
        loader = self._loader
        tasks = loader._tasks()
        seed = draw_seed() if loader.num_workers else 0
        made = Reading(tasks, seed, 0, [None] * loader.num_workers, start)
        made.tasks = made.counted(tasks)
        return made

    def _resume(self, began: dict[str, Any]) -> Reading:
        loader, start = self._loader, began["start"]
        if loader._stream:
            # Its own numbers come from the state before the pass; see _drop.
            with at_host_state(start["random"], _WHERE):
                return self._reading(start)
        set_sampler_state(loader.batch_sampler, start["sampler"])
        with at_host_state(start["random"], _WHERE):
            made = self._reading(start)
            taken = list(itertools.islice(made.tasks, began["handed"]))
        if len(taken) < began["handed"]:
            raise InvalidArgumentError(
                f"{_WHERE}: the saved pass had taken {began['handed']} batches from its sampler, "
                f"which gives only {len(taken)} now.",
                hint="make the loader with the same dataset and sampler",
            )
        made.tasks = itertools.chain(taken[began["delivered"] :], made.tasks)
        made.first = made.delivered = began["delivered"]
        made.states = list(began["states"])
        return made

    def _drop(self, read: Iterator[Any], reading: Reading, began: dict[str, Any]) -> None:
        """Reads what was delivered once more, with the random numbers of then."""
        with at_host_state(began["start"]["random"], _WHERE):
            for _ in range(began["delivered"]):
                if next(read, _END) is _END:
                    raise InvalidArgumentError(
                        f"{_WHERE}: the saved pass had delivered {began['delivered']} batches, but "
                        f"the stream ends after {reading.delivered} now."
                    )
                reading.deliver()


_END = object()


def _expect(value: Any, kind: type, what: str) -> None:
    if type(value) is not kind:
        raise InvalidArgumentError(
            f"{_WHERE}: expected {what}, but received {type(value).__name__}."
        )
