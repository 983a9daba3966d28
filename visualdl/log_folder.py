"""Folders of logs: each folder that holds log files is a run, and so are the folders inside it.

Folders are looked through again at each call of `refresh`, by listing them: those that are mounted
from elsewhere tell of no changes. Nothing outside the given folders is read, whatever links say.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from visualdl.log_file import LogFile

logger = logging.getLogger("visualdl")
MARK = "vdlrecords"
"""A log file has this in its name."""


@dataclass
class Run:
    """A folder with log files.

    Attributes:
        name: its path, as it is reached from the folder that was given.
        files: path -> LogFile, the oldest first.
        display_name: the name its log files ask for, or an empty text; whoever reads them sets it.
    """

    name: str
    files: dict[str, LogFile] = field(default_factory=dict)
    display_name: str = ""


@dataclass
class Changes:
    """What a look at the folders found.

    Attributes:
        added: names of runs that are new.
        gone: names of runs that are there no more.
        reset: names of runs of which a file was deleted or replaced: read them from the start.
    """

    added: list[str] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    reset: list[str] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.added or self.gone or self.reset)


class LogFolders:
    """The runs in some folders.

    Args:
        logdirs (str or list): one folder, or several. They need not exist yet.

    Attributes:
        logdirs: the folders.
        runs: name -> Run, in the order of names.
    """

    def __init__(self, logdirs: str | os.PathLike[str] | Sequence[str | os.PathLike[str]]) -> None:
        if isinstance(logdirs, (str, os.PathLike)):
            logdirs = [logdirs]
        self.logdirs = [os.fspath(folder) for folder in logdirs]
        self.runs: dict[str, Run] = {}
        self._told: set[str] = set()

    def refresh(self) -> Changes:
        """Looks through the folders again.

        Returns:
            Changes: which runs came, went or were replaced; files that only grew are none.
        """
        changes = Changes()
        seen = self._listed()
        for name in [name for name in self.runs if name not in seen]:
            del self.runs[name]
            changes.gone.append(name)
        for name, paths in seen.items():
            run = self.runs.get(name)
            if run is None:
                run = self.runs[name] = Run(name)
                changes.added.append(name)
            elif any(path not in paths or file.replaced() for path, file in run.files.items()):
                run.files.clear()
                run.display_name = ""
                changes.reset.append(name)
            for path in paths:
                if path not in run.files:
                    run.files[path] = LogFile(path)
        self.runs = {name: self.runs[name] for name in seen}
        return changes

    def _listed(self) -> dict[str, list[str]]:
        """Gives the paths of the log files of each run."""
        roots = [os.path.realpath(folder) for folder in self.logdirs]
        found: dict[str, list[str]] = {}
        known: set[str] = set()
        for folder in self.logdirs:
            for name, files in self._walk(folder):
                real = os.path.realpath(name)
                if real in known or not inside(real, roots):
                    continue
                known.add(real)
                paths = [os.path.join(name, file) for file in sorted(files)]
                paths = [path for path in paths if _readable(path, roots)]
                if paths:
                    found[name] = paths
        return dict(sorted(found.items()))

    def _walk(self, folder: str) -> Iterator[tuple[str, list[str]]]:
        """Gives each folder and the names of its log files; links to folders are not followed."""
        if not os.path.isdir(folder):
            return
        for name, _, files in os.walk(folder, onerror=self._unreadable):
            logs = [file for file in files if MARK in file]
            if logs:
                yield name, logs

    def _unreadable(self, error: OSError) -> None:
        """Tells once of a folder that cannot be listed."""
        if str(error.filename) not in self._told and not isinstance(error, FileNotFoundError):
            self._told.add(str(error.filename))
            logger.warning("%s: the folder cannot be read: %s.", error.filename, error.strerror)


def _readable(path: str, roots: Sequence[str]) -> bool:
    """Says whether a path leads to a file in the folders; who opened a pipe would wait for ever."""
    return inside(os.path.realpath(path), roots) and os.path.isfile(path)


def inside(path: str, roots: Sequence[str]) -> bool:
    """Says whether a real path is one of some folders or lies in one."""
    return any(path == root or path.startswith(root.rstrip(os.sep) + os.sep) for root in roots)
