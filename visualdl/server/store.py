"""What the log folders hold, in memory: read on by one thread while somebody asks.

Scalars are in compact arrays. Of everything else only step, time and place in the file are kept; it
is read again when it is asked for. Answers never wait for a long reading: they give what is there.
"""

from __future__ import annotations

import logging
import os
import threading
from array import array
from collections import deque
from collections.abc import Hashable, Iterator
from time import monotonic
from typing import Any

import numpy as np

from visualdl.log_file import LogFile
from visualdl.log_folder import LogFolders, Run
from visualdl.record import component_of
from visualdl.server.points import Points, Series

logger = logging.getLogger("visualdl")

FIRST_BYTES = 1 << 16
"""So much is read of each file before more is read of any."""
BLOCK_BYTES = 4 << 20
PERIOD = 0.5
"""Seconds between looks at the folders while somebody asks."""
WATCHED = 5.0
"""So long after a question the folders are looked at."""
MUCH = 16 << 20
"""Where so many bytes are unread, an answer does not wait for them."""
WAIT_LITTLE, WAIT_ALL = 0.1, 2.0
KEPT_CHANGES = 1000
MANY_TAGS = 5000
"""Where so many tags changed at once, everything is said to have changed."""
FIELDS = 4
"""Numbers that are kept of a record: step, time, file, offset."""
KINDS = {
    "scalar", "scalars", "image", "audio", "text", "histogram", "pr_curve", "roc_curve",
    "embeddings", "hyper_parameters",
}  # fmt: skip


class Places:
    """Where the records of one tag are, in the order they were read."""

    __slots__ = ("numbers",)

    def __init__(self) -> None:
        self.numbers = array("q")

    def __len__(self) -> int:
        return len(self.numbers) // FIELDS

    def add(self, step: int, time: int, file: int, offset: int) -> None:
        """Adds a record."""
        self.numbers.extend((step, time, file, offset))

    def __getitem__(self, index: int) -> tuple[int, int, int, int]:
        """Gives (step, time, number of the file, offset) of a record."""
        at = index * FIELDS
        step, time, file, offset = self.numbers[at : at + FIELDS]
        return step, time, file, offset


class RunData:
    """What was read of a run.

    Attributes:
        name: the path of its folder.
        scalars: the scalars.
        groups: those of `add_scalars`, by (tag, part).
        records: component -> tag -> the places of its records.
        components: component -> its tags, in the order they came; meta data included.
    """

    def __init__(self, run: Run) -> None:
        self.run = run
        self.name = run.name
        self.display_name = ""
        self.files: list[LogFile] = []
        self.scalars = Series()
        self.groups = Series()
        self.records: dict[str, dict[str, Places]] = {}
        self.hparams: tuple[int, Any] | None = None
        self.has_meta = False
        self.read = 0

    def add(self, file: LogFile, found: Any, changed: dict[str, set[str]]) -> None:
        """Takes what a block of a file holds; adds to `changed` what is new."""
        if file not in self.files:
            self.files.append(file)
        if found.scalars:
            self.scalars.add((tag, *columns) for tag, columns in found.scalars.items())
            changed.setdefault("scalar", set()).update(found.scalars)
        groups: dict[Hashable, list[tuple[int, int, float]]] = {}
        number = self.files.index(file)
        for offset, _, value in found.others:
            self._add_other(number, offset, value, groups, changed)
        if groups:
            self.groups.add((name, *_columns(rows)) for name, rows in groups.items())
        self.read += found.read

    def _add_other(
        self, file: int, offset: int, value: Any, groups: dict, changed: dict[str, set[str]]
    ) -> None:
        component = component_of(value)
        if component == "scalars":
            part = value.tag_value
            rows = groups.setdefault((value.tag, part.tag), [])
            rows.append((value.id, value.timestamp, part.value))
        elif component == "scalar":
            row = [(value.id, value.timestamp, value.value)]
            self.scalars.add([(value.tag, *_columns(row))])
        elif component == "meta_data":
            self.has_meta = True
            self.display_name = value.meta_data.display_name or self.display_name
        elif component in KINDS:
            if component == "hyper_parameters" and self.hparams is None:
                self.hparams = (value.timestamp, value.hparam)
            tags = self.records.setdefault(component, {})
            places = tags.get(value.tag)
            if places is None:
                places = tags[value.tag] = Places()
            places.add(value.id, value.timestamp, file, offset)
        if component in KINDS:
            changed.setdefault(component, set()).add(value.tag)

    def tags(self, component: str) -> list[str]:
        """Gives the tags of a component."""
        if component == "scalar":
            return list(self.scalars.names)
        if component == "scalars":
            return list(dict.fromkeys(tag for tag, _ in list(self.groups.names)))
        return list(self.records.get(component, ()))

    def components(self) -> Iterator[str]:
        """Gives the components there are records of."""
        if self.scalars.names:
            yield "scalar"
        if self.groups.names:
            yield "scalars"
        yield from list(self.records)

    def value(self, place: tuple[int, int, int, int]) -> Any:
        """Reads a record again."""
        _, _, file, offset = place
        return self.files[file].value_at(offset)

    def part_name(self, tag: str, part: str) -> str:
        """Gives the name of the run that one part of `add_scalars` is shown as."""
        return f"{self.name}/{tag.replace('/', '_').replace('%', '_')}_{part}"

    def parts(self) -> Iterator[tuple[str, str, str]]:
        """Gives (name of the run it is shown as, tag, part) of the parts of `add_scalars`."""
        for tag, part in list(self.groups.names):
            yield self.part_name(tag, part), tag, part


def _columns(rows: list[tuple[int, int, float]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    steps, times, values = zip(*rows)
    return np.array(steps, np.int64), np.array(times, np.int64), np.array(values, np.float32)


class Store:
    """The runs of some folders, as far as they were read.

    Args:
        logdirs (list): the folders; they need not exist yet.

    Attributes:
        runs: path of the folder -> what was read of it.
        version: grows with every change.
        reading: there are bytes that were not read yet.
    """

    def __init__(self, logdirs: list[str]) -> None:
        self.logdirs = logdirs
        self.folders = LogFolders(logdirs)
        self.runs: dict[str, RunData] = {}
        self.version = 1
        self.reading = bool(logdirs)
        self.colors: dict[str, int] = {}
        self._changes: deque[tuple[int, dict[str, dict[str, set[str]]]]] = deque()
        self._whole = 0
        self._state = threading.Condition()
        self._asked = monotonic()
        self._passes = 0
        self._waiting = 0
        self._behind = 0
        self._looked = not logdirs
        self._closed = False
        self._names: tuple[int, dict[str, RunData], dict[str, str]] = (0, {}, {})
        if logdirs:
            threading.Thread(target=self._work, name="visualdl-read", daemon=True).start()

    def close(self) -> None:
        """Ends the reading."""
        with self._state:
            self._closed = True
            self._state.notify_all()

    # -- asking ----------------------------------------------------------------------------------
    def ask(self) -> None:
        """Tells that somebody asks, and waits a little for what was written until now."""
        if not self.logdirs:
            return
        with self._state:
            self._asked = start = monotonic()
            wanted = self._passes + (2 if self._busy else 1)
            self._waiting += 1
            self._state.notify_all()
            try:
                while self._passes < wanted and not self._closed:
                    much = self._looked and self._behind > MUCH
                    slow = self._taken > WAIT_LITTLE and self._passes
                    left = (WAIT_LITTLE if much or slow else WAIT_ALL) - (monotonic() - start)
                    if left <= 0:
                        return
                    self._state.wait(min(left, 0.05))
            finally:
                self._waiting -= 1

    def names(self) -> tuple[dict[str, RunData], dict[str, str]]:
        """Gives the runs by the names they are shown by, and those names by path."""
        known = self._names
        version = self.version
        if known[0] == version:
            return known[1], known[2]
        runs = list(self.runs.values())
        wanted: dict[str, int] = {}
        for run in runs:
            wanted[run.display_name] = wanted.get(run.display_name, 0) + 1
        shown = {}
        for run in runs:
            name = run.display_name
            taken = bool(name) and (wanted[name] > 1 or name in self.runs)
            shown[run.name] = f"{name} ({run.name})" if taken else name or run.name
        by_name = {shown[run.name]: run for run in runs}
        self._names = (version, by_name, shown)
        return by_name, shown

    def run(self, name: str) -> RunData | None:
        """Gives a run by the name it is shown by, or by its path."""
        return self.names()[0].get(name) or self.runs.get(name)

    def scalar(self, name: str, tag: str) -> Points | None:
        """Gives a series; a part of `add_scalars` is found as a run of its own."""
        found = self.series(name, tag)
        return None if found is None else found[0].get(found[1])

    def series(self, name: str, tag: str) -> tuple[Series, Hashable] | None:
        """Gives where a series is kept, and under which name."""
        run = self.run(name)
        if run is not None and tag in run.scalars:
            return run.scalars, tag
        for run in list(self.runs.values()):
            if name.startswith(run.name):
                for shown, main, part in run.parts():
                    if shown == name and main == tag:
                        return run.groups, (main, part)
        return None

    def shown_runs(self) -> list[dict[str, Any]]:
        """Gives the runs in the form of `changes`, parts of `add_scalars` among them."""
        result = []
        _, shown = self.names()
        for run in list(self.runs.values()):
            paths = [file.path for file in run.files]
            names = [shown[run.name], *dict.fromkeys(name for name, _, _ in run.parts())]
            for name in names:
                index = self.colors.setdefault(name, len(self.colors))
                result.append({"run": name, "color_index": index, "paths": paths})
        return result

    def changed_since(self, version: int) -> dict[str, dict[str, set[str]]] | None:
        """Gives component -> run -> tags of what came after a version; None: all may have."""
        with self._state:
            if version < self._whole or version > self.version:
                return None
            parts = [part for number, part in self._changes if number > version]
        result: dict[str, dict[str, set[str]]] = {}
        for part in parts:
            for component, runs in part.items():
                for run, tags in runs.items():
                    result.setdefault(component, {}).setdefault(run, set()).update(tags)
        return result

    # -- reading ---------------------------------------------------------------------------------
    def _work(self) -> None:
        self._busy = False
        while self._rested():
            try:
                self._look()
                while not self._closed and self._read_round():
                    if monotonic() - self._started > 4 * PERIOD:
                        self._look()
                self.reading = False
            except Exception as error:  # a reader that ended would show old data for ever
                logger.error("reading the logs: %s", error, exc_info=error)
            with self._state:
                self._passes += 1
                self._taken = monotonic() - self._started
                self._busy = False
                self._state.notify_all()

    _busy = False
    _started = 0.0
    _taken = 0.0

    def _rested(self) -> bool:
        """Waits until there is a reason to look at the folders; False at the end."""
        with self._state:
            ended = monotonic()
            taken = self._taken
            while not self._closed:
                now = monotonic()
                watched = now - self._asked < WATCHED
                pause = max(PERIOD, 10 * taken) if watched and not self._waiting else None
                if not self._passes or (self._waiting and now - ended >= min(taken, 2.0)):
                    break
                if pause is not None and now - ended >= pause:
                    break
                left = None if pause is None else min(pause, 0.1)
                if self._waiting:
                    left = max(min(taken, 2.0) - (now - ended), 0.001)
                self._state.wait(left)
            self._busy = True
            self._started = monotonic()
            return not self._closed

    def _look(self) -> None:
        """Looks for runs that came, went or were replaced, and for what is unread."""
        self._started = monotonic()
        found = self.folders.refresh()
        for name in [*found.gone, *found.reset]:
            self.runs.pop(name, None)
        if found.gone or found.reset:
            self._forget()
        self._behind = sum(
            left for run in list(self.folders.runs.values()) for _, left in unread(run)
        )
        self._looked = True
        self.reading = self._behind > 0

    def _forget(self) -> None:
        with self._state:
            self.version += 1
            self._whole = self.version
            self._changes.clear()

    def _read_round(self) -> bool:
        """Reads one block of each run; says whether there may be more."""
        more = False
        for run in list(self.folders.runs.values()):
            for file, left in unread(run):
                done = self._read_block(run, file)
                self._behind = max(0, self._behind - done)
                more = more or 0 < done < left
                if done:
                    more = True
                    break  # the run's next file comes after this one
            if self._closed:
                return False
        return more

    def _read_block(self, run: Run, file: LogFile) -> int:
        """Reads a block of a file; gives how many bytes were consumed."""
        before = file.position
        try:
            found = file.read_columns(BLOCK_BYTES if before else FIRST_BYTES)
        except OSError as error:
            logger.debug("%s: %s", file.path, error)
            return 0
        data = self.runs.get(run.name)
        new = data is None
        if data is None:
            data = RunData(run)
        changed: dict[str, set[str]] = {}
        named = data.display_name
        if found.scalars or found.others:
            data.add(file, found, changed)
        if new and (data.read or data.has_meta):
            self._admit(data)
        if changed or named != data.display_name:
            self._publish(data, changed, renamed=not new and named != data.display_name)
        return file.position - before

    def _admit(self, data: RunData) -> None:
        """Shows a run, in the order of the folders."""
        runs = {**self.runs, data.name: data}
        order = {name: at for at, name in enumerate(self.folders.runs)}
        self.runs = dict(sorted(runs.items(), key=lambda item: order.get(item[0], len(order))))
        with self._state:
            self.version += 1

    def _publish(self, data: RunData, changed: dict[str, set[str]], renamed: bool) -> None:
        with self._state:
            self.version += 1
            if renamed or any(len(tags) > MANY_TAGS for tags in changed.values()):
                self._whole = self.version
                self._changes.clear()
                return
            part = {component: {data.name: tags} for component, tags in changed.items()}
            self._changes.append((self.version, part))
            while len(self._changes) > KEPT_CHANGES:
                self._whole = self._changes.popleft()[0]


def unread(run: Run) -> list[tuple[LogFile, int]]:
    """Gives the files of a run that have bytes which were not looked at, and how many."""
    result = []
    for file in list(run.files.values()):
        try:
            left = os.stat(file.path).st_size - file.position
        except OSError:
            continue
        if left > 0:
            result.append((file, left))
    return result
