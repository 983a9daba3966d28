"""Models of several methods, as jit.save writes them: their files, their values, their table.

``<prefix>.pdmodel`` is ``forward``, ``<prefix>.<method>.pdmodel`` any other; each has a
``.pdiparams`` of its own, or all share that of the prefix. ``<prefix>.pdiparams.info`` is for all.
"""

from __future__ import annotations

import os
import warnings
from typing import Any, NamedTuple

from paddle.core.errors import FrameworkError, InvalidArgumentError
from paddle.core.user_frame import outside
from paddle.ir.inference import FETCH, persistables
from paddle.ir.program import Program
from paddle.serialization.files.seals import read_sealed
from paddle.serialization.models.files import (
    INFO,
    OLD_INFO,
    PROGRAM,
    STREAMS,
    Values,
    missing,
    read_program,
    read_streams,
    without_suffix,
)
from paddle.serialization.models.layouts import OLD_PARAMS, Model, find_model, read_values
from paddle.serialization.tensor_stream import Dense

_MAIN = "forward"

Table = dict[str, dict[str, Any]]


class Saved(NamedTuple):
    """A model that was read."""

    programs: dict[str, Program]  # of each method
    values: Values  # of their stored variables
    table: Table  # what the .info file tells of them; empty without one
    left_out: dict[str, str]  # methods whose files are of another model, and why


def prefix_of(path: str) -> str | None:
    """The prefix of a model of 2.x that a path stands for; None: it is not one."""
    prefix = without_suffix(path, INFO, STREAMS, PROGRAM)
    found = os.path.isfile(prefix + PROGRAM) or _others(prefix)
    return prefix if found else None


def read_model(path: Any, model_filename: Any, params_filename: Any, where: str) -> Saved:
    """Reads a saved model in any layout.

    What an older model, or another one of a similar name, left beside it is left out with a
    warning.

    Args:
        path (str): a prefix (2.x) or a folder (1.x).
        model_filename (str|None): the program file in a folder.
        params_filename (str|None): the file of all variables in a folder.
        where (str): the function that is called, for error texts.
    """
    named = model_filename is not None or params_filename is not None
    prefix = None if named else prefix_of(os.fsdecode(path))
    if prefix is None:
        model = find_model(path, model_filename, params_filename, where)
        program = _inference(model.program, where)
        table = read_table(_info_in_folder(model), where)
        return Saved({_MAIN: program}, read_values(model, program, where), table, {})
    table = read_table(prefix + INFO, where)
    models = {
        name: Model(file + PROGRAM, file + STREAMS, os.path.dirname(file))
        for name, file in _files(prefix).items()
    }
    programs = {name: _inference(model.program, where) for name, model in models.items()}
    left_out = _not_in_table(table, programs, prefix, where)
    kept = {n: p for n, p in programs.items() if n not in left_out}
    values = _read_all(models, kept, left_out, prefix, where)
    for name, reason in left_out.items():
        warnings.warn(f"{where}: method {name!r} is left out: {reason}", stacklevel=outside())
    return Saved({n: p for n, p in kept.items() if n not in left_out}, values, table, left_out)


def _inference(path: str, where: str) -> Program:
    program = read_program(path, where)
    if not any(op.type == FETCH for op in program.global_block().ops):
        raise InvalidArgumentError(
            f"{where}: the Program in '{path}' states no outputs, for it has no fetch operators; "
            "it is not a model for inference.",
            hint="what static.save or paddle.save wrote is loaded by paddle.static.load and "
            "paddle.load",
        )
    return program


# -- files ----------------------------------------------------------------------------------------


def _files(prefix: str) -> dict[str, str]:
    """The beginning of the file names of each method."""
    found = {_MAIN: prefix} if os.path.isfile(prefix + PROGRAM) else {}
    return found | {name: f"{prefix}.{name}" for name in _others(prefix)}


def _others(prefix: str) -> list[str]:
    """The methods besides forward; models of their own with such a name are left out."""
    if not os.path.isfile(prefix + INFO):  # only jit.save writes several, and always a table
        return []
    base = os.path.basename(prefix) + "."
    names = [
        file[len(base) : -len(PROGRAM)]
        for file in sorted(os.listdir(os.path.dirname(prefix) or "."))
        if file.startswith(base) and file.endswith(PROGRAM)
    ]
    return [n for n in names if n.isidentifier() and not os.path.isfile(f"{prefix}.{n}{INFO}")]


def _info_in_folder(model: Model) -> str:
    """The table beside the parameters of a folder."""
    if isinstance(model.params, str):
        return model.params + ".info"
    combined = os.path.join(model.folder, OLD_PARAMS + ".info")
    return combined if os.path.isfile(combined) else os.path.join(model.folder, OLD_INFO)


# -- values ---------------------------------------------------------------------------------------


def _read_all(
    models: dict[str, Model], programs: dict[str, Program], left_out: dict[str, str],
    prefix: str, where: str,
) -> Values:  # fmt: skip
    """The values of all methods; those whose shared variables differ are added to ``left_out``."""
    stored = {name: {v.name for v in persistables(p)} for name, p in programs.items()}
    own = [n for n in programs if n == _MAIN or os.path.isfile(models[n].params)]
    sharing = [n for n in programs if n not in own and stored[n]]
    every = set().union(*stored.values())
    if sharing:
        shared = prefix + STREAMS
        if not os.path.isfile(shared):
            raise missing(where, models[sharing[0]].params)
        # Some methods without a file: then one file holds the variables of all of them.
        try:
            return read_streams(shared, every, where)
        except FrameworkError:
            if _MAIN in programs and _fits(shared, stored[_MAIN]):
                raise missing(where, models[sharing[0]].params) from None
            raise
    found: Values = {}
    origin: dict[str, str] = {}
    for name in own:
        values = _read_own(models[name], programs[name], every, where)
        file = str(models[name].params)
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


def _read_own(model: Model, program: Program, every: set[str], where: str) -> Values:
    """The values of a method; its file may hold those of all methods, as 2.6.2 combines them."""
    try:
        return read_values(model, program, where)
    except FrameworkError:
        if not os.path.isfile(model.params) or not _fits(model.params, every):
            raise
        return read_streams(model.params, every, where)


def _fits(path: str, names: set[str]) -> bool:
    try:
        read_streams(path, names, "")
    except FrameworkError:
        return False
    return True


def _equal(one: Dense, two: Dense) -> bool:
    a, b = one.array, two.array
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


# -- the table ------------------------------------------------------------------------------------


def read_table(path: str, where: str) -> Table:
    """What an ``.info`` file says of each variable; empty if there is no such file.

    ``structured_name``, ``stop_gradient``, and of Parameters ``trainable``.
    """
    if not os.path.isfile(path):
        return {}
    table = read_sealed(path)
    good = isinstance(table, dict) and all(
        isinstance(k, str) and isinstance(v, dict) for k, v in table.items()
    )
    if not good:
        raise InvalidArgumentError(
            f"{where}: expected a table of parameters in '{path}', but it holds something else."
        )
    return table


def _not_in_table(
    table: Table, programs: dict[str, Program], prefix: str, where: str
) -> dict[str, str]:
    """Methods with variables that the table does not tell of; for forward it is an error."""
    found: dict[str, str] = {}
    for name, program in programs.items():
        unknown = [v.name for v in persistables(program) if table and v.name not in table]
        if not unknown:
            continue
        file = prefix if name == _MAIN else f"{prefix}.{name}"
        found[name] = (
            f"'{prefix}{INFO}' is of another model than '{file}{PROGRAM}': it does not tell of "
            f"{', '.join(map(repr, unknown[:8]))}, but of "
            f"{', '.join(map(repr, sorted(table)[:8]))}."
        )
    if _MAIN in found or len(found) == len(programs) > 0:
        raise InvalidArgumentError(f"{where}: {next(iter(found.values()))}")
    return found


def structured_names(table: Table) -> dict[str, str]:
    """The names that parameters have in their Layer, by those of their variables."""
    named = {k: v.get("structured_name") for k, v in table.items()}
    return {k: v for k, v in named.items() if isinstance(v, str)}
