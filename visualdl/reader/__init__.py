"""`LogReader`, which reads logs back."""

from __future__ import annotations

import importlib
import logging
import os
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from visualdl.log_file import LogFile
from visualdl.log_folder import LogFolders, Run
from visualdl.record import COMPONENTS

__all__ = ["LogReader"]

logger = logging.getLogger("visualdl")
_GETTERS = {"embedding": "embeddings", "hparam": "hyper_parameters"}
"""Other names under which `get_<component>` is known."""


class LogReader:
    """Reads the logs of runs, on and on while they grow.

    Each call looks for what was added since. A record that is not there whole yet waits; what is
    broken is passed over and told once in the log `visualdl`, with the file and the offset.

    Args:
        logdir (str or list): a folder, or several; each folder in them with logs is a run.
        file_path (str): one log file, instead of folders.

    Raises:
        FileNotFoundError: there is no such file. A folder may come later.
        ValueError: both are given, or none.

    Examples:
        .. code-block:: python

            from visualdl import LogReader, LogWriter

            with LogWriter("log/reader_test") as writer:
                for step in range(3):
                    writer.add_scalar("loss", 1 / (step + 1), step)
            reader = LogReader(file_path=writer.file_name)
            print(reader.get_tags()["scalar"])
            print([(record.id, record.value) for record in reader.get_data("scalar", "loss")])
    """

    def __init__(
        self, logdir: str | os.PathLike[str] | Sequence[str] = "", file_path: str = ""
    ) -> None:
        if bool(logdir) == bool(file_path):
            raise ValueError("LogReader: expected either logdir or file_path.")
        self._folders = LogFolders(logdir if logdir else [])
        self._lone: Run | None = None
        self._told: set[str] = set()
        if file_path:
            path = os.fspath(file_path)
            if not os.path.isfile(path):
                raise FileNotFoundError(f"file_path: there is no file {path!r}.")
            self._lone = Run(path, {path: LogFile(path)})
        self._data: dict[str, dict[str, dict[str, list[Any]]]] = {}
        self.load_new_data()

    def __getattr__(self, name: str) -> Callable[[str], list[Any]]:
        """Gives `get_scalar(tag)`, `get_image(tag)`, and so on for each component."""
        component = name.removeprefix("get_")
        component = _GETTERS.get(component, component)
        if name.startswith("get_") and component in COMPONENTS.values():
            return partial(self.get_data, component)
        raise AttributeError(f"'LogReader' object has no attribute {name!r}")

    def __enter__(self) -> LogReader:
        return self

    def __exit__(self, kind: Any, value: Any, trace: Any) -> None:
        pass

    # -- reading on ------------------------------------------------------------------------------
    def load_new_data(self, update: bool = True) -> None:
        """Reads what was added; runs that were deleted are forgotten.

        Args:
            update (bool): whether to look for new runs too.

        Examples:
            .. code-block:: python

                from visualdl import LogReader, LogWriter

                with LogWriter("log/reader_test") as writer:
                    writer.add_scalar("loss", 0.5, step=0)
                    reader = LogReader("log/reader_test")
                    writer.add_scalar("loss", 0.25, step=1)
                    writer.flush()
                    reader.load_new_data()
                    print(len(reader.get_data("scalar", "loss", update=False)))
        """
        if self._lone is None:
            if update:
                changes = self._folders.refresh()
                for name in changes.gone + changes.reset:
                    self._data.pop(name, None)
            runs = list(self._folders.runs.values())
        else:
            runs = [self._lone]
            if any(file.replaced() for file in self._lone.files.values()):
                self._lone.files = {path: LogFile(path) for path in self._lone.files}
                self._data.clear()
        for run in runs:
            for path, file in run.files.items():
                try:
                    self._sort_in(run, file.read())
                except OSError as error:  # deleted, or not to be read
                    if path not in self._told:
                        self._told.add(path)
                        logger.warning("%s: it cannot be read: %s.", path, error.strerror)

    def _sort_in(self, run: Run, values: list[Any]) -> None:
        """Files values by component and tag."""
        kinds = self._data.setdefault(run.name, {})
        for value in values:
            component = COMPONENTS.get(value.WhichOneof("one_value"))
            if component is None:
                continue
            tags = kinds.get(component)
            if tags is None:
                tags = kinds[component] = {}
            rows = tags.get(value.tag)
            if rows is None:
                rows = tags[value.tag] = []
            rows.append(value)
            if component == "meta_data" and value.meta_data.display_name:
                run.display_name = value.meta_data.display_name

    # -- what there is ---------------------------------------------------------------------------
    @property
    def logdir(self) -> list[str]:
        """The folders; empty where one file is read."""
        return self._folders.logdirs

    @property
    def log_data(self) -> dict[str, dict[str, list[Any]]]:
        """Component -> tag -> records, of all runs."""
        merged: dict[str, dict[str, list[Any]]] = {}
        for kinds in self._data.values():
            for component, tags in kinds.items():
                for tag, rows in tags.items():
                    merged.setdefault(component, {}).setdefault(tag, []).extend(rows)
        return merged

    def runs(self, update: bool = True) -> list[str]:
        """Gives the folders that are runs; of one file, its path.

        Args:
            update (bool): whether to look for new ones.

        Examples:
            .. code-block:: python

                from visualdl import LogReader, LogWriter

                with LogWriter("log/reader_test") as writer:
                    writer.add_scalar("loss", 0.5, step=0)
                print(LogReader("log").runs())
        """
        self._look(update)
        return list(self._data)

    def logs(self, update: bool = True) -> dict[str, list[str]]:
        """Gives the names of the log files of each run, the oldest first.

        Examples:
            .. code-block:: python

                from visualdl import LogReader, LogWriter

                with LogWriter("log/reader_test") as writer:
                    writer.add_scalar("loss", 0.5, step=0)
                print(LogReader("log").logs())
        """
        self._look(update)
        runs = self._folders.runs.values() if self._lone is None else [self._lone]
        return {run.name: [os.path.basename(path) for path in run.files] for run in runs}

    def display_names(self, update: bool = True) -> dict[str, str]:
        """Gives the name each run is shown by: its folder where its log says none.

        Examples:
            .. code-block:: python

                from visualdl import LogReader, LogWriter

                LogWriter("log/reader_test", display_name="the first try").close()
                print(LogReader("log").display_names())
        """
        self._look(update)
        runs = self._folders.runs.values() if self._lone is None else [self._lone]
        return {run.name: run.display_name or run.name for run in runs}

    def tags(self, update: bool = True) -> dict[str, str]:
        """Gives the component of each tag; keys are `<run>/<tag>`, with `%` for `/` in the tag.

        Examples:
            .. code-block:: python

                from visualdl import LogReader, LogWriter

                with LogWriter("log/reader_test") as writer:
                    writer.add_scalar("loss", 0.5, step=0)
                print(LogReader("log").tags())
        """
        self._look(update)
        return {
            os.path.join(run, tag.replace("/", "%")): component
            for run, kinds in self._data.items()
            for component, tags in kinds.items()
            for tag in tags
        }

    def components(self, update: bool = True) -> set[str]:
        """Gives the components that there is something of.

        Examples:
            .. code-block:: python

                from visualdl import LogReader, LogWriter

                with LogWriter("log/reader_test") as writer:
                    writer.add_scalar("loss", 0.5, step=0)
                print(LogReader("log").components())
        """
        self._look(update)
        return {component for kinds in self._data.values() for component in kinds}

    def get_tags(self, run: str | None = None, update: bool = True) -> dict[str, list[str]]:
        """Gives the tags of each component.

        Args:
            run (str, optional): of one run; of all where it is not given.
            update (bool): whether to look for new ones.

        Examples:
            .. code-block:: python

                from visualdl import LogReader, LogWriter

                with LogWriter("log/reader_test") as writer:
                    writer.add_scalar("loss", 0.5, step=0)
                print(LogReader("log").get_tags()["scalar"])
        """
        self._look(update)
        found: dict[str, dict[str, None]] = {}
        for name, kinds in self._data.items():
            if run is None or run == name:
                for component, tags in kinds.items():
                    found.setdefault(component, {}).update(dict.fromkeys(tags))
        return {component: list(tags) for component, tags in found.items()}

    def get_data(
        self, component: str, tag: str, run: str | None = None, update: bool = True
    ) -> list[Any]:
        """Gives records.

        Args:
            component (str): `scalar`, `scalars`, `image`, `audio`, `text`, `histogram`, `pr_curve`,
                `roc_curve`, `embeddings`, `hyper_parameters` or `meta_data`.
            tag (str): their tag.
            run (str, optional): of one run; of all, one after another, where it is not given.
            update (bool): whether to look for new ones.

        Returns:
            list: records with `.id` (the step), `.tag`, `.timestamp` (milliseconds), and the
                member of the component, as `.value` or `.image.encoded_image_string`.

        Raises:
            ValueError: there is no such component.

        Examples:
            .. code-block:: python

                from visualdl import LogReader, LogWriter

                with LogWriter("log/reader_test") as writer:
                    writer.add_scalar("loss", 0.5, step=0)
                for record in LogReader("log").get_data("scalar", "loss"):
                    print(record.id, record.timestamp, record.value)
        """
        component = _GETTERS.get(component, component)
        if component not in COMPONENTS.values():
            raise ValueError(
                f"component: expected one of {sorted(COMPONENTS.values())}, but got {component!r}."
            )
        self._look(update)
        rows: list[Any] = []
        for name, kinds in self._data.items():
            if run is None or run == name:
                tags = kinds.get(component, {})
                rows += tags.get(tag) or tags.get(tag.replace("%", "/"), [])
        return rows

    def _look(self, update: bool) -> None:
        if update:
            self.load_new_data()


def __getattr__(name: str) -> Any:
    """Imports the module `reader` where it is named without being imported."""
    if name == "reader":
        return importlib.import_module("visualdl.reader.reader")
    raise AttributeError(f"module 'visualdl.reader' has no attribute {name!r}")
