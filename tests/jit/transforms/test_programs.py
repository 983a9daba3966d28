"""Converted functions do with plain Python values what the originals do."""

from __future__ import annotations

import linecache
import warnings

import pytest

from paddle.jit.rewriting.source import NotConvertible, transform
from tests.jit.cases import programs
from tests.jit.cases.comparing import outcome
from tests.jit.cases.random_programs import Writer

REFUSED = {"return_in_finally": "return, break or continue inside of finally"}


@pytest.mark.parametrize("number", range(len(programs.PROGRAMS)))
def test_conversion_changes_nothing(number):
    function, arguments = programs.PROGRAMS[number]
    if function.__name__ in REFUSED:
        with pytest.raises(NotConvertible, match=REFUSED[function.__name__]):
            transform(function)
        return
    made = transform(function)
    compile(made.code, "text of the code", "exec")
    for args in arguments:
        want = outcome(function, args, programs.LOG)
        assert outcome(made.function, args, programs.LOG) == want, (args, made.code)


SEEDS = 200
ARGUMENTS = ((0, 1, (1, 2, 3)), (3, -1, ()), (5, 2, (4, 0, -1, 7)))


@pytest.mark.parametrize(
    "start", [0, 20, *(pytest.param(n, marks=pytest.mark.slow) for n in range(40, SEEDS, 20))]
)
def test_conversion_of_random_functions(start):
    refused = 0
    for seed in range(start, start + 20):
        space = _module(seed)
        function = space["function"]
        try:
            made = transform(function).function
        except NotConvertible as error:
            assert ":= in the condition of a while ... else" in str(error)
            refused += 1
            continue
        for a, b, xs in ARGUMENTS:
            box = space["Box"](n=1, sub=space["Box"](m=0))
            args = (a, b, list(xs), box, {"k": 1, "j": 2})
            found = []
            for run in (function, made):
                space["g"] = 0
                found.append((outcome(run, args, space["LOG"]), space["g"]))
            assert found[0] == found[1], f"seed {seed}, arguments {args}"
    assert refused < 3


def _module(seed: int) -> dict:
    text, name = Writer(seed).source(), f"<random program {seed}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    space: dict = {"__name__": "random_program"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)
        exec(compile(text, name, "exec"), space)
    return space
