"""Choosing among forms of a kernel that compute the same, by measuring them on this machine.

Which library multiplies two matrices fastest, or whether a pool should copy its input to another
memory layout, depends on the processor. A :class:`Choice` measures its forms when it first meets a
shape, before it computes anything with one of them, so one run never mixes two forms. What was
found goes to a file, from which later processes read it: they compute bit by bit the same.

All measurements of a process together take some 50 ms at most; what is met after that follows the
decisions that were made before about the same kernel. ``FLAGS_kernel_tuning=0`` or
``FLAGS_cpu_deterministic=1`` measures nothing and uses the usual form throughout.
``PADDLE_DEBUG=tuning`` prints each decision.

The files lie in ``~/.cache/paddle/kernels`` (``$PADDLE_KERNEL_CACHE``), one for each kind of
processor, release of torch and number of threads. Deleting them lets later processes measure anew.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

import torch

from paddle.core import flags
from paddle.core.debug import enabled

BUDGET = 0.045  # seconds after which a process begins no more measurements
SHARE = 0.006  # the same for one choice
SLICE = 0.002  # seconds for one decision, without the first call of each form
ADVANTAGE = 0.95  # a form replaces the usual one only if it takes less than this part of its time
_LEAST_ROUNDS, _MOST_ROUNDS = 3, 8
_TOO_LONG = 0.01  # seconds of the first calls after which there are no further ones
_MOST_KEYS = 4096

Form = Callable[..., Any]


class Choice:
    """One decision among several forms of a kernel.

    Args:
        name (str): what the decision is about; names it in the file.
        forms (dict[str, Callable]): name -> a function of the same arguments with the same result.
        sample (callable): ``sample(*args)`` gives arguments of the same kind that take each form
            some tenths of a millisecond, and a tuple of numbers: equal ones decide alike.
        advantage (float): another form than the usual one is used if it takes less than this part
            of its time. Less than the default where a wrong choice costs much. Default: 0.95.

    Attributes:
        known (dict): key -> the form to use, for callers to look at before :meth:`choose`.
    """

    def __init__(
        self,
        name: str,
        forms: dict[str, Form],
        sample: Callable[..., Any],
        advantage: float = ADVANTAGE,
    ) -> None:
        self.name, self.forms, self._sample = name, forms, sample
        self._advantage = advantage
        self.known: dict[Any, Form] = {}
        self._spent = 0.0
        _choices.append(self)

    def choose(self, key: Any, usual: str, *args: Any) -> Form:
        """Decides which form to use for a key, and remembers it.

        Args:
            key: what tells calls apart, hashable.
            usual (str): the form to use where nothing was measured.
            *args: what the form is about to be called with.
        """
        global _spent
        if len(self.known) >= _MOST_KEYS:
            self.known.clear()
        if not flags.get("FLAGS_kernel_tuning") or flags.get("FLAGS_cpu_deterministic"):
            found = usual
        else:
            with _lock:
                start = clock()
                found = self._decided(usual, args)
                self._spent += clock() - start
                _spent += clock() - start
        form = self.known[key] = self.forms[found]
        return form

    def _decided(self, usual: str, args: tuple) -> str:
        small, numbers = self._sample(*args)
        line = f"{self.name}: {' '.join(map(str, numbers))}"
        memory = _memory()
        found = memory.get(line) or memory.put(line, self._measured(line, usual, small))
        return found if found in self.forms else usual  # another release may know other forms

    def _most_often(self, usual: str) -> str:
        """The form that was found best most often."""
        start = f"{self.name}: "
        found = [form for line, form in _memory().found.items() if line.startswith(start)]
        return max(self.forms, key=lambda form: (found.count(form), form == usual))

    def _measured(self, line: str, usual: str, args: Sequence[Any]) -> str:
        if self._spent >= SHARE or _spent >= BUDGET:
            chosen = self._most_often(usual)
            _say(f"{line}: {chosen}, not measured, the time for that is spent")
            return chosen
        first = [_timed(form, args) for form in self.forms.values()]
        left = min(SLICE, BUDGET - _spent)
        rounds: list[dict[str, float]] = []
        begin = clock()
        while sum(first) < _TOO_LONG and len(rounds) < _MOST_ROUNDS:
            rounds.append({name: _timed(form, args) for name, form in self.forms.items()})
            if len(rounds) >= _LEAST_ROUNDS and clock() - begin > left:
                break
        if not rounds:
            _say(f"{line}: {usual}, as one form or another took {max(first) * 1e3:.1f} ms")
            return usual
        best = {name: min(times[name] for times in rounds) for name in self.forms}
        fastest = min(best, key=best.__getitem__)
        chosen = fastest if best[fastest] < self._advantage * best[usual] else usual
        spans = ", ".join(f"{name} {span * 1e3:.3f} ms" for name, span in best.items())
        _say(f"{line}: {chosen}; {spans}; usual is {usual}")
        return chosen


class _Memory:
    """The decisions of all processes on this machine: one JSON text a line, the first one counts.

    Lines are only ever appended, each by one write, so that processes need not wait for another.
    """

    def __init__(self, path: str | None) -> None:
        self.path = path
        self.found: dict[str, str] = {}
        self._read = 0
        self._refresh()

    def get(self, line: str) -> str | None:
        """What was decided, by this process or another."""
        if line not in self.found:
            self._refresh()
        return self.found.get(line)

    def put(self, line: str, form: str) -> str:
        """Writes a decision down; returns the one that counts."""
        text = json.dumps({"choice": line, "form": form}) + "\n"
        try:
            if self.path is None:
                raise OSError
            os.makedirs(os.path.dirname(self.path), exist_ok=True)
            handle = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
            try:
                os.write(handle, text.encode())
            finally:
                os.close(handle)
        except OSError:  # nowhere to write: it holds for this process
            return self.found.setdefault(line, form)
        self._refresh()
        return self.found.setdefault(line, form)

    def _refresh(self) -> None:
        try:
            with open(self.path or "", "rb") as file:
                file.seek(self._read)
                data = file.read(1 << 20)
        except OSError:
            return
        whole = data.rfind(b"\n") + 1
        self._read += whole
        for text in data[:whole].splitlines():
            try:
                entry = json.loads(text)
                self.found.setdefault(str(entry["choice"]), str(entry["form"]))
            except (ValueError, TypeError, KeyError):
                continue  # a damaged line decides nothing


_choices: list[Choice] = []
_lock = threading.RLock()  # a form may meet a choice of its own
_spent = 0.0
_held: _Memory | None = None


def clock() -> float:
    """Seconds that this thread computed, where it computes alone; else those that passed."""
    return time.thread_time() if torch.get_num_threads() == 1 else time.perf_counter()


def kept(line: str, decide: Callable[[], str]) -> str:
    """What was decided before on this machine; else what is decided now, for later processes.

    Args:
        line (str): what it is about, with the numbers that tell cases apart.
        decide (callable): gives the name of what is best.
    """
    with _lock:
        memory = _memory()
        found = memory.get(line)
        if found is None:
            found = memory.put(line, decide())
            _say(f"{line}: {found}")
        return found


def _timed(form: Form, args: Sequence[Any]) -> float:
    start = clock()
    form(*args)
    return clock() - start


def bucket(number: int, most: int) -> int:
    """The power of two at or below a number, ``most`` at best: what measurements are cut to."""
    return 1 << (max(min(number, most), 1).bit_length() - 1)


def size_class(number: int, most: int) -> int:
    """The power of four at or below a number, ``most`` at best: sizes that decide alike."""
    return 1 << ((bucket(number, most).bit_length() - 1) & ~1)


def _memory() -> _Memory:
    global _held
    if _held is None:
        _held = _Memory(_path())
    return _held


def _path() -> str | None:
    folder = os.environ.get("PADDLE_KERNEL_CACHE")
    if folder is None:
        home = os.path.expanduser("~")
        if home == "~":
            return None
        folder = os.path.join(home, ".cache", "paddle", "kernels")
    mark = hashlib.sha256(_machine().encode()).hexdigest()[:16]
    return os.path.join(folder, f"{mark}-{torch.get_num_threads()}threads.jsonl")


def _machine() -> str:
    """What decisions depend on: the processor, what may be used of it, the libraries."""
    facts = [platform.machine(), torch.__version__, torch.backends.cpu.get_cpu_capability()]
    facts += [
        os.environ.get(name, "") for name in ("ONEDNN_MAX_CPU_ISA", "MKL_ENABLE_INSTRUCTIONS")
    ]
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            first = file.read(1 << 16).partition("\n\n")[0].splitlines()
        facts += [t for t in first if t.startswith(("vendor", "cpu family", "model", "flags"))]
    except OSError:
        facts.append(platform.processor())
    return "\n".join(facts)


def _say(text: str) -> None:
    if enabled("tuning"):
        print(f"# tuning {text}", flush=True)


def forget() -> None:
    """Lets every choice be made anew, from the file or by measuring; the budget starts again."""
    global _held, _spent
    with _lock:
        _held, _spent = None, 0.0
        for choice in _choices:
            choice.known.clear()
            choice._spent = 0.0


for _name in ("FLAGS_kernel_tuning", "FLAGS_cpu_deterministic"):
    flags.when_set(_name, lambda value: forget())
