"""SavedModel: Programs for inference, the values of their variables, and what is known of these.

Every reader and writer of models goes through it: those of static graphs, of Layers and of
``Model``, and the layouts of 1.x.
"""

from __future__ import annotations

import dataclasses
import os
import warnings
from collections.abc import Mapping

from paddle.core.errors import InvalidArgumentError
from paddle.core.user_frame import outside
from paddle.ir.inference import FETCH, feed_names, fetch_variables, persistables
from paddle.ir.program import Program
from paddle.ir.variable import Variable
from paddle.serialization.files.atomic import atomic_files
from paddle.serialization.files.seals import SaveSet
from paddle.serialization.files.suffixes import OLD_INFO, OLD_PARAMS
from paddle.serialization.models.files import read_program, write_separate, write_streams
from paddle.serialization.models.layouts import (
    MAIN,
    Layout,
    MethodFiles,
    find_forward,
    find_methods,
)
from paddle.serialization.models.parameter_table import Table, read_table
from paddle.serialization.models.values import read_all, read_values
from paddle.serialization.pickles.writer import write_pickle
from paddle.serialization.program import proto
from paddle.serialization.tensor_stream import Dense

_SHOWN = 8  # names that a message shows of a longer list


@dataclasses.dataclass
class SavedModel:
    """A model that was read, or that is to be written.

    Attributes:
        programs (dict[str, Program]): method -> Program for inference; ``"forward"`` is the main
            one. Each states its inputs and outputs by feed and fetch operators.
        values (Mapping[str, Dense]): stored variable of any of them -> its value.
        table (Table): stored variable -> its name in the Layer, and whether it can be trained;
            empty where the files do not tell.
        left_out (dict[str, str]): methods whose files are of another model, and why.
    """

    programs: dict[str, Program]
    values: Mapping[str, Dense]
    table: Table = dataclasses.field(default_factory=dict)
    left_out: dict[str, str] = dataclasses.field(default_factory=dict)

    @property
    def structured_names(self) -> dict[str, str]:
        """The names that parameters have in their Layer, by those of their variables."""
        named = {k: v.get("structured_name") for k, v in self.table.items()}
        return {k: v for k, v in named.items() if isinstance(v, str)}

    @property
    def release(self) -> int:
        """The version that the main Program states (2_000_000 is 2.0.0); 0 if it states none."""
        return next(iter(self.programs.values())).program_version

    def feeds(self, method: str = MAIN) -> list[str]:
        """Returns the names of a method's inputs, in their order."""
        return feed_names(self.programs[method])

    def fetches(self, method: str = MAIN) -> list[Variable]:
        """Returns the Variables of a method's outputs, in their order."""
        return fetch_variables(self.programs[method])

    # -- reading ------------------------------------------------------------------------------

    @classmethod
    def read(
        cls,
        path: str,
        where: str,
        names: tuple[str | None, str | None] = (None, None),
        forward_only: bool = False,
    ) -> SavedModel:
        """Reads a model in any layout.

        What an older model, or another one of a similar name, left beside it is left out with a
        warning.

        Args:
            path (str): a prefix (2.x) or a folder (1.x).
            where (str): the function that is called, for error texts.
            names (tuple): the program file and the file of all variables in a folder; None: those
                of 1.x.
            forward_only (bool): nothing but the main Program, which need not state its outputs,
                and its values. Default: False.
        """
        if forward_only:
            return cls._read_forward(find_forward(path, names, where), where)
        layout = find_methods(path, names, where)
        table = read_table(layout.table, where)
        programs = {n: _inference(files.program, where) for n, files in layout.methods.items()}
        left_out = _not_in_table(table, programs, layout, where)
        kept = {n: p for n, p in programs.items() if n not in left_out}
        values = read_all(layout, kept, left_out, where)
        for name, reason in left_out.items():
            warnings.warn(f"{where}: method {name!r} is left out: {reason}", stacklevel=outside())
        return cls({n: p for n, p in kept.items() if n not in left_out}, values, table, left_out)

    @classmethod
    def from_bytes(cls, program: bytes, params: bytes, where: str) -> SavedModel:
        """Reads a model of one method from the contents of its two files."""
        return cls._read_forward(Layout("", {MAIN: MethodFiles(program, params, "")}, None), where)

    @classmethod
    def _read_forward(cls, layout: Layout, where: str) -> SavedModel:
        files = layout.methods[MAIN]
        program = read_program(files.program, where)
        return cls({MAIN: program}, read_values(files, program, where))

    # -- writing ------------------------------------------------------------------------------

    def write(self, layout: Layout, where: str) -> None:
        """Writes all files, which get their names together; the table seals them.

        Args:
            layout (Layout): which files.
            where (str): the function that is called, for error texts.
        """
        contents = {n: proto.to_bytes(p) for n, p in self.programs.items()}
        groups: dict[str | None, set[str]] = {}  # file of values -> variables in it
        for name, program in self.programs.items():
            stored = groups.setdefault(layout.methods[name].params, set())
            stored.update(v.name for v in persistables(program))
        with atomic_files(SaveSet(layout.base)) as files:
            for path, stored in groups.items():
                if path is None:
                    files.add(self._write_separate(layout, where))
                elif stored:
                    write_streams(path, self.values, files, stored)
            if layout.table is not None:
                write_pickle(self.table, files.open(layout.table, sealed=True), 2)
            for name, content in contents.items():  # last: a Program alone would look complete
                files.open(layout.methods[name].program).write(content)

    def _write_separate(self, layout: Layout, where: str) -> dict[str, tuple[int, int]]:
        """Writes a file for each variable; returns size and checksum of each."""
        program = os.path.basename(layout.methods[MAIN].program)
        taken = [n for n in (program, OLD_PARAMS, OLD_INFO) if n in self.values]
        if taken:
            raise InvalidArgumentError(
                f"{where}: a parameter is called {taken[0]!r}, which is the name of another file.",
                hint="name a file for all parameters: params_filename='__params__'",
            )
        return write_separate(layout.methods[MAIN].folder, self.values)


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


def _not_in_table(
    table: Table, programs: dict[str, Program], layout: Layout, where: str
) -> dict[str, str]:
    """Methods with variables that the table does not tell of; for forward it is an error."""
    if layout.is_folder:
        return {}
    found: dict[str, str] = {}
    for name, program in programs.items():
        unknown = [v.name for v in persistables(program) if table and v.name not in table]
        if unknown:
            file = layout.methods[name].program
            found[name] = (
                f"'{layout.table}' is of another model than '{file}': it does not tell of "
                f"{', '.join(map(repr, unknown[:_SHOWN]))}, but of "
                f"{', '.join(map(repr, sorted(table)[:_SHOWN]))}."
            )
    if MAIN in found or len(found) == len(programs) > 0:
        raise InvalidArgumentError(f"{where}: {next(iter(found.values()))}")
    return found
