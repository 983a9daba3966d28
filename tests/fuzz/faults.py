"""A disk that fails, and a process that dies, at each step of a save."""

from __future__ import annotations

import errno
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

import paddle
from paddle import nn, static
from paddle.core.errors import FrameworkError
from paddle.framework.io import load, save
from paddle.serialization.files import atomic
from paddle.static import InputSpec

SPEC = [InputSpec([None, 3], "float32", "x")]


class Faults:
    """Counts what a save asks of the system, and fails at one of these steps.

    Args:
        at (int): the step; what comes after it works again. A negative one: none.
        die (bool): end the process there, as kill -9 does, in place of an error.
    """

    def __init__(self, at: int = -1, die: bool = False) -> None:
        self.at, self.die = at, die
        self.steps: list[str] = []

    def step(self, name: str) -> None:
        """Notes a step, and fails if it is the one."""
        self.steps.append(name)
        if len(self.steps) - 1 == self.at:
            if self.die:
                os._exit(9)
            raise OSError(errno.ENOSPC, f"no space at step {self.at}, {name}")

    @contextmanager
    def active(self) -> Iterator[Faults]:
        """Lets :mod:`paddle.serialization.files.atomic` see this disk."""
        real_fsync, real_replace, real_chmod = os.fsync, os.replace, os.chmod

        class System:
            """Stands for the module os."""

            def __getattr__(self, name: str) -> Any:
                return getattr(os, name)

        system: Any = System()
        for name, function in (("fsync", real_fsync), ("replace", real_replace),
                               ("chmod", real_chmod)):  # fmt: skip
            setattr(system, name, self._failing(name, function))
        atomic.os, atomic.open = system, self._open  # type: ignore[attr-defined]
        try:
            yield self
        finally:
            atomic.os = os  # type: ignore[attr-defined]
            del atomic.open  # type: ignore[attr-defined]

    def _failing(self, name: str, function: Callable) -> Callable:
        def call(*args: Any) -> Any:
            self.step(name)
            return function(*args)

        return call

    def _open(self, path: Any, mode: str) -> Any:
        if mode != "xb":
            return open(path, mode)
        self.step("create")
        return _File(open(path, mode), self)


class _File:
    """A file whose writes can fail."""

    def __init__(self, file: Any, faults: Faults) -> None:
        self._file, self._faults = file, faults

    def write(self, data: Any) -> int:
        self._faults.step("write")
        return self._file.write(data)

    def flush(self) -> None:
        self._faults.step("flush")
        self._file.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


# -- what is saved --------------------------------------------------------------------------------


class Story:
    """Something that is saved in an old and a new state, and what loading it gives."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path = str(folder / "net")
        self.prepare()

    def prepare(self) -> None:
        """Makes what is saved."""

    def change(self) -> None:
        """Goes from the old state to the new one."""

    def save(self) -> None:
        raise NotImplementedError

    def load(self) -> Any:
        """What the files hold, as something that can be compared."""
        raise NotImplementedError


class Plain(Story):
    """paddle.save of a state dict."""

    def prepare(self) -> None:
        self.state = {"w": np.zeros(40_000, "float32"), "n": 1}

    def change(self) -> None:
        self.state = {"w": np.ones(40_000, "float32"), "n": 2}

    def save(self) -> None:
        save(self.state, self.path)

    def load(self) -> Any:
        found = load(self.path, return_numpy=True)
        return float(found["w"].sum()), found["n"]


class Trained(Story):
    """Model.save: parameters and the optimizer's state."""

    def prepare(self) -> None:
        paddle.seed(1)
        self.model = self._fresh()
        self.change()

    @staticmethod
    def _fresh() -> Any:
        net = nn.Linear(3, 2)
        made = paddle.Model(net)
        made.prepare(paddle.optimizer.Adam(0.1, parameters=net.parameters()), nn.MSELoss())
        return made

    def change(self) -> None:
        self.model.train_batch([np.ones([4, 3], "float32")], [np.ones([4, 2], "float32")])

    def save(self) -> None:
        self.model.save(self.path)

    def load(self) -> Any:
        made = self._fresh()
        made.load(self.path)
        # the step that follows depends on both files
        made.train_batch([np.ones([4, 3], "float32")], [np.ones([4, 2], "float32")])
        return made.network.weight.numpy().tobytes()


class Saved(Story):
    """jit.save: Program, parameters, table."""

    def prepare(self) -> None:
        self.net = nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 2))

    def change(self) -> None:
        for parameter in self.net.parameters():
            parameter.set_value(parameter + 1.0)

    def save(self) -> None:
        paddle.jit.save(self.net, self.path, SPEC)

    def load(self) -> Any:
        return paddle.jit.load(self.path)(paddle.ones([1, 3])).numpy().tobytes()


class Folder(Saved):
    """jit.save in 1.x's layout: a file for each parameter."""

    def save(self) -> None:
        paddle.jit.save(self.net, self.path, SPEC, separate_params=True)


class Recorded(Story):
    """static.save: parameters, the optimizer's state, the Program."""

    def prepare(self) -> None:
        paddle.enable_static()
        try:
            self.main, startup = static.Program(), static.Program()
            with static.program_guard(self.main, startup):
                y = static.nn.fc(static.data("x", [None, 3]), 2)
                paddle.optimizer.Adam(0.1).minimize(paddle.mean(y))
            self.scope = static.Scope()
            self.exe = static.Executor(paddle.CPUPlace())
            self.exe.run(startup, scope=self.scope)
        finally:
            paddle.disable_static()
        self.change()

    def change(self) -> None:
        self.exe.run(self.main, feed={"x": np.ones([2, 3], "float32")}, scope=self.scope)

    def save(self) -> None:
        with static.scope_guard(self.scope):
            static.save(self.main, self.path)

    def load(self) -> Any:
        with static.scope_guard(static.Scope()):
            static.load(self.main, self.path, self.exe)
            state = self.main.state_dict()
            return b"".join(state[name].numpy().tobytes() for name in sorted(state))


STORIES: tuple[type[Story], ...] = (Plain, Trained, Saved, Folder, Recorded)


# -- trying ---------------------------------------------------------------------------------------


class Trial:
    """The files of the old and the new state of a story, and what loading each gives."""

    def __init__(self, story: Story) -> None:
        self.story = story
        story.save()
        self.old, self.old_value = self.files(), story.load()
        story.change()
        with Faults().active() as faults:
            story.save()
        self.steps = faults.steps
        self.new, self.new_value = self.files(), story.load()
        assert self.old_value != self.new_value and set(self.old) == set(self.new)

    def files(self) -> dict[str, bytes]:
        """What lies in the folder."""
        found = sorted(p for p in self.story.folder.rglob("*") if p.is_file())
        return {str(p.relative_to(self.story.folder)): p.read_bytes() for p in found}

    def restore(self) -> None:
        """Puts the old files back."""
        for name in set(self.files()) - set(self.old):
            (self.story.folder / name).unlink()
        for name, content in self.old.items():
            (self.story.folder / name).write_bytes(content)

    def fail_at(self, at: int) -> list[str]:
        """Saves on a disk that fails at a step; returns what is wrong afterwards."""
        self.restore()
        wrong = []
        try:
            with Faults(at).active():
                self.story.save()
            if self.files() != self.new:  # a folder that cannot be flushed is no failure
                wrong.append("the save did not fail")
        except OSError as error:
            if error.errno != errno.ENOSPC:
                wrong.append(f"another error: {error!r}")
        except Exception as error:
            wrong.append(f"another error: {error!r}")
        if set(self.files()) != set(self.old):
            wrong.append(f"files {sorted(set(self.files()) ^ set(self.old))}")
        return self._told(at, wrong + self._torn())

    def die_at(self, at: int) -> list[str]:
        """Saves in a process that dies at a step, and then saves again."""
        self.restore()
        child = os.fork()
        if not child:
            signal.alarm(60)
            try:
                with Faults(at, die=True).active():
                    self.story.save()
            finally:
                os._exit(1)
        _, status = os.waitpid(child, 0)
        wrong = [] if os.waitstatus_to_exitcode(status) == 9 else ["the process did not die"]
        wrong += self._torn()
        self.story.save()
        if set(self.files()) != set(self.new):
            wrong.append(f"left behind: {sorted(set(self.files()) - set(self.new))}")
        if self.story.load() != self.new_value:
            wrong.append("the next save is not what is loaded")
        return self._told(at, wrong)

    def _told(self, at: int, wrong: list[str]) -> list[str]:
        where = f"{type(self.story).__name__}, step {at} of {len(self.steps)} ({self.steps[at]})"
        return [f"{where}: {text}" for text in wrong]

    def _torn(self) -> list[str]:
        """Every file is the old one or the new one, and a mixture is not loaded."""
        found = self.files()
        wrong = [f"{name} is torn" for name in self.old
                 if found.get(name) not in (self.old[name], self.new[name])]  # fmt: skip
        try:
            if self.story.load() not in (self.old_value, self.new_value):
                wrong.append("a mixture of two saves was loaded")
        except FrameworkError:
            if found == self.old or all(found.get(n) == c for n, c in self.new.items()):
                wrong.append("whole files are refused")
        return wrong
