"""The values of a saved model's variables, read as the layout has them."""

from __future__ import annotations

import os

from paddle.core.errors import FrameworkError
from paddle.ir.inference import persistables
from paddle.ir.program import Program
from paddle.serialization.files.suffixes import OLD_PARAMS, STREAMS
from paddle.serialization.models.files import (
    Values,
    missing,
    read_separate,
    read_streams,
    without_suffix,
)
from paddle.serialization.models.layouts import MAIN, Layout, MethodFiles, of_static_save
from paddle.serialization.tensor_stream import Dense


def read_values(files: MethodFiles, program: Program, where: str) -> Values:
    """Reads the variables that a Program stores."""
    names = [v.name for v in persistables(program)]
    if not names:
        return {}
    params = files.params
    if params is None:
        params = os.path.join(files.folder, OLD_PARAMS)
        if OLD_PARAMS in names or not os.path.isfile(params):
            return read_separate(files.folder, names, where)
    elif isinstance(params, str) and not os.path.isfile(params):
        raise missing(where, params, of_static_save(without_suffix(params, STREAMS)))
    return read_streams(params, names, where)


def read_all(
    layout: Layout, programs: dict[str, Program], left_out: dict[str, str], where: str
) -> Values:
    """Reads the values of all methods; those whose shared variables differ join ``left_out``."""
    stored = {name: {v.name for v in persistables(p)} for name, p in programs.items()}
    files = layout.methods
    own = [n for n in programs if n == MAIN or os.path.isfile(files[n].params)]
    sharing = [n for n in programs if n not in own and stored[n]]
    every = set().union(*stored.values())
    if sharing:
        shared = layout.base + STREAMS
        if not os.path.isfile(shared):
            raise missing(where, files[sharing[0]].params)
        # Some methods without a file: then one file holds the variables of all of them.
        try:
            return read_streams(shared, every, where)
        except FrameworkError:
            if MAIN in programs and _fits(shared, stored[MAIN]):
                raise missing(where, files[sharing[0]].params) from None
            raise
    found: Values = {}
    origin: dict[str, str] = {}
    for name in own:
        values = _read_own(files[name], programs[name], every, where)
        file = str(files[name].params)
        differing = [n for n, v in values.items() if n in found and not _equal(v, found[n])]
        if differing:
            variable = differing[0]
            left_out[name] = (
                f"variable {variable!r} has one value in '{origin[variable]}' and another in "
                f"'{file}'; the files are of two models."
            )
            continue
        found |= values
        origin |= dict.fromkeys(values, file)
    return found


def _read_own(files: MethodFiles, program: Program, every: set[str], where: str) -> Values:
    """The values of a method; its file may hold those of all methods, as 2.6.2 combines them."""
    try:
        return read_values(files, program, where)
    except FrameworkError:
        if files.params is None or not os.path.isfile(files.params):
            raise
        if len(every) == len(persistables(program)) or not _fits(files.params, every):
            raise
        return read_streams(files.params, every, where)


def _fits(path: str, names: set[str]) -> bool:
    try:
        read_streams(path, names, "")
    except FrameworkError:
        return False
    return True


def _equal(one: Dense, two: Dense) -> bool:
    a, b = one.array, two.array
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
