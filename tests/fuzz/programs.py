"""Damaged Programs: they run, or are refused in our words. Loops without end meet the limits."""

from __future__ import annotations

import random
import warnings
from pathlib import Path
from traceback import extract_tb
from typing import Any

import paddle
from paddle.core.errors import FrameworkError
from paddle.executor.executor import Executor
from paddle.executor.scope import Scope
from paddle.serialization.program import proto
from tests.ir import corpus_cases
from tests.ir.hostile import damage

LIMITS = {"FLAGS_run_limit_seconds": 5, "FLAGS_run_limit_steps": 200}
KINDS = ("inference", "train", "backward")


def run(case: corpus_cases.Case, data: bytes) -> None:
    """Reads a Program and runs it on what its case feeds."""
    program = proto.from_bytes(data)
    scope = Scope()
    for name, value in case.values("params.npz").items():
        scope.var(name).get_tensor().set(value, paddle.CPUPlace())
    Executor(paddle.CPUPlace()).run(
        program, case.values("feeds.npz"), case.meta["fetches"], scope=scope
    )


def is_ours(error: Exception) -> bool:
    """Whether an error is one of the framework, with a text that says something."""
    text = str(error)
    if isinstance(error, FrameworkError):
        return text.startswith("(") and len(text) > 30
    # a wrong value that was fed is told by Python's own class
    return type(error) is TypeError and text.startswith("Executor.run(feed)")


def fuzz(seed: str, count: int, cases: list[str]) -> dict[str, Any]:
    """Damages Programs and runs them.

    Args:
        seed (str): of all choices.
        count (int): how many, in turn from each case.
        cases (list[str]): names of the corpus (tests/data/programs).

    Returns:
        dict: how many ran and were refused, and the ``failures`` as texts.
    """
    r = random.Random(seed)
    found: dict[str, Any] = {"ran": 0, "refused": 0, "failures": []}
    before = paddle.get_flags(list(LIMITS))
    paddle.set_flags(LIMITS)
    try:
        for i in range(count):
            case = _case(cases[i % len(cases)])
            desc = proto.message_class("ProgramDesc").FromString(case.files["main.pb"])
            changes = [damage(desc, r) for _ in range(r.choice((1, 1, 2)))]
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                _try(found, case, desc.SerializePartialToString(), changes)
    finally:
        paddle.set_flags(before)
    return found


_cases: dict[str, corpus_cases.Case] = {}


def _case(name: str) -> corpus_cases.Case:
    if name not in _cases:
        _cases[name] = corpus_cases.read_case(name)
    return _cases[name]


def _try(found: dict[str, Any], case: corpus_cases.Case, data: bytes, changes: list[str]) -> None:
    try:
        run(case, data)
        found["ran"] += 1
    except Exception as error:
        found["refused"] += 1
        if not is_ours(error):
            text = f"{type(error).__name__}: {str(error)[:200]}"
            places = [
                f"{Path(f.filename).name}:{f.lineno}" for f in extract_tb(error.__traceback__)
            ]
            found["failures"].append(f"{case.name}: {changes}: {text} ({' '.join(places[-4:])})")


def all_cases() -> list[str]:
    """The corpus, without what takes long."""
    return [name for kind in KINDS for name in corpus_cases.names(kind)]
