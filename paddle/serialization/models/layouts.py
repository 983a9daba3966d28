"""Layouts of saved models: the files in which each release has Programs, values and the table.

A prefix (2.x) has ``<prefix>.pdmodel`` for ``forward`` and ``<prefix>.<method>.pdmodel`` for any
other method; each has a ``.pdiparams`` of its own, or all share that of the prefix, and
``<prefix>.pdiparams.info`` is for all. A folder (1.x) has one Program, ``__model__``, and a file
for each variable, or all in ``__params__``.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any, NamedTuple

from paddle.serialization.files.suffixes import (
    INFO,
    OLD_INFO,
    OLD_PARAMS,
    OLD_PROGRAM,
    PARAMS,
    PROGRAM,
    STREAMS,
)
from paddle.serialization.models.files import check_not_later, missing, without_suffix

MAIN = "forward"


class MethodFiles(NamedTuple):
    """Where a Program and its values are; bytes in place of a path are the content."""

    program: Any
    params: Any  # one file of all variables; None: they lie in a file each
    folder: str


class Layout(NamedTuple):
    """The files of a saved model."""

    base: str  # what all paths begin with
    methods: dict[str, MethodFiles]
    table: str | None  # what is known of the variables; None: nothing is read or written

    @property
    def is_folder(self) -> bool:
        """Whether it is a folder of its own, rather than a prefix in one that others share."""
        return not os.path.basename(self.base)


# -- to write -------------------------------------------------------------------------------------


def prefix_layout(
    prefix: str, methods: Iterable[str], shared: bool = False, table: bool = True
) -> Layout:
    """Returns the layout of 2.x.

    Args:
        prefix (str): folder and beginning of the names.
        methods (Iterable[str]): the methods.
        shared (bool): all methods have their values in one file. Default: False.
        table (bool): there is a table. Default: True.
    """
    bases = {name: prefix if name == MAIN else f"{prefix}.{name}" for name in methods}
    folder = os.path.dirname(prefix)
    files = {
        name: MethodFiles(base + PROGRAM, (prefix if shared else base) + STREAMS, folder)
        for name, base in bases.items()
    }
    return Layout(prefix, files, prefix + INFO if table else None)


def folder_layout(folder: str, model: str | None, params: str | None) -> Layout:
    """Returns the layout of 1.x.

    Args:
        folder (str): where.
        model (str|None): the name of the program file; None means ``__model__``.
        params (str|None): the name of the file of all variables; None: a file for each.
    """
    base = os.path.join(folder, "")
    values = params and os.path.join(folder, params)
    files = MethodFiles(os.path.join(folder, model or OLD_PROGRAM), values, folder)
    return Layout(base, {MAIN: files}, base + OLD_INFO if values is None else f"{values}.info")


# -- to read --------------------------------------------------------------------------------------


def find_methods(path: str, names: tuple[Any, Any], where: str) -> Layout:
    """Returns the layout of a model with all of its methods; see :func:`find_forward`."""
    prefix = prefix_of(path) if names == (None, None) else None
    if prefix is not None:
        main = [MAIN] if os.path.isfile(prefix + PROGRAM) else []
        return prefix_layout(prefix, [*main, *_others(prefix)])
    found = find_forward(path, names, where)
    files = found.methods[MAIN]
    table = str(files.params or os.path.join(files.folder, OLD_PARAMS)) + ".info"
    if files.params is None and not os.path.isfile(table):
        table = os.path.join(files.folder, OLD_INFO)
    return found._replace(table=table)


def find_forward(path: str, names: tuple[Any, Any], where: str) -> Layout:
    """Returns the layout of one method, without a table.

    Args:
        path (str): a prefix (2.x) or a folder (1.x).
        names (tuple): the program file and the file of all variables in a folder, or None.
        where (str): the function that is called, for error texts.
    """
    model, params = names
    if model is None and params is None:
        prefix = without_suffix(path, PROGRAM, STREAMS)
        if os.path.isfile(prefix + PROGRAM):
            return prefix_layout(prefix, [MAIN], table=False)
    if not os.path.isdir(path):
        check_not_later(path, where)
        wanted = os.path.join(path, model) if model else path + PROGRAM
        raise missing(where, wanted, of_static_save(path))
    found = folder_layout(path, model, params)._replace(table=None)
    program = found.methods[MAIN].program
    if not os.path.isfile(program):
        check_not_later(path, where)
        others = [n for n in sorted(os.listdir(path)) if n.endswith(PROGRAM)]
        hint = "name the program file: model_filename=..."
        if others and model is None:
            hint = f"give the prefix: {os.path.join(path, without_suffix(others[0], PROGRAM))!r}"
        raise missing(where, program, hint)
    return found


def prefix_of(path: str) -> str | None:
    """The prefix of a model of 2.x that a path stands for; None: it is not one."""
    prefix = without_suffix(path, INFO, STREAMS, PROGRAM)
    found = os.path.isfile(prefix + PROGRAM) or _others(prefix)
    return prefix if found else None


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


def is_old_folder(path: str) -> bool:
    """Whether a path is a folder of 1.x, though a prefix of that name may exist too."""
    return os.path.isfile(os.path.join(path, OLD_PROGRAM))


def of_static_save(name: str) -> str | None:
    """A hint where what lies there is of static.save, which is no model for inference."""
    if os.path.isfile(name + PARAMS):
        return f"'{name}{PARAMS}' is of static.save: load it by paddle.static.load"
    return None
