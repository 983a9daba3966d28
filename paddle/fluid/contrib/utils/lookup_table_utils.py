"""Programs and tables of 1.x's parameter servers, for one process."""

from __future__ import annotations

import os
import warnings
from typing import Any

from paddle.core.errors import InvalidArgumentError
from paddle.core.user_frame import outside
from paddle.distributed.ps.transpiled_saving import look_ups_of, without_servers
from paddle.fluid import io
from paddle.ir.program import Program
from paddle.static.io_vars import load_vars

__all__ = [
    "convert_dist_to_sparse_program",
    "load_persistables_for_increment",
    "load_persistables_for_inference",
]


def convert_dist_to_sparse_program(program: Any) -> Program:
    """Returns a trainer's Program as one for a single process, with the table at hand.

    Args:
        program (Program): by DistributeTranspiler, with look-ups in tables of servers; one without
            is returned as it is, with a warning.

    Raises:
        TypeError: ``program`` is none.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            from paddle.fluid.contrib.utils import convert_dist_to_sparse_program
            main, startup = fluid.Program(), fluid.Program()
            with fluid.program_guard(main, startup):
                ids = fluid.data("ids", [None, 1], "int64")
                rows = fluid.layers.embedding(ids, [100, 8], is_sparse=True)
                fluid.optimizer.SGD(0.1).minimize(fluid.layers.mean(rows))
            cut = fluid.DistributeTranspiler()
            cut.transpile(0, main, "127.0.0.1:6174", 2, startup_program=startup)
            alone = convert_dist_to_sparse_program(cut.get_trainer_program())
            print(alone.global_block().ops[0].type)  # lookup_table
    """
    if not isinstance(program, Program):
        raise TypeError(
            f"convert_dist_to_sparse_program(program): expected a Program, but received "
            f"{type(program).__name__}."
        )
    if not look_ups_of(program):
        warnings.warn(
            "convert_dist_to_sparse_program: the Program looks up in no table of servers, so it "
            "is left as it is.",
            stacklevel=outside(),
        )
        return program
    return without_servers(program)


def load_persistables_for_inference(
    dirname: str, executor: Any, program: Any, lookup_table_var_name: str
) -> Program:
    """Loads what a trainer of parameter servers has saved, and returns a Program to run on it.

    Args:
        dirname (str): the folder of ``fluid.io.save_persistables``.
        executor (Executor): on whose device values are put.
        program (Program): the trainer's.
        lookup_table_var_name (str): the table, a file of the folder.

    Raises:
        RuntimeError: (also a FileNotFoundError) the folder or a file is not there.
    """
    made = convert_dist_to_sparse_program(program)
    if not made.global_block().has_var(lookup_table_var_name):
        raise InvalidArgumentError(
            f"load_persistables_for_inference(lookup_table_var_name): the Program has no variable "
            f"{lookup_table_var_name!r}."
        )
    io.load_persistables(executor, dirname, made)
    return made


def load_persistables_for_increment(
    dirname: str, executor: Any, program: Any, lookup_table_var: Any, lookup_table_var_path: str
) -> None:
    """Loads a server's variables from a folder, and its table from a file of its own.

    Args:
        dirname (str): the folder; variables without a file there keep their values.
        executor (Executor): on whose device values are put.
        program (Program): the server's.
        lookup_table_var (str|Variable): the table.
        lookup_table_var_path (str): its file.

    Raises:
        RuntimeError: (also a FileNotFoundError) the file of the table is not there.
    """
    table = program.global_block().var(getattr(lookup_table_var, "name", lookup_table_var))
    folder, name = os.path.split(os.path.abspath(lookup_table_var_path))
    load_vars(executor, folder, program, [table], filename=name)
    others = [v for v in program.list_vars() if io.is_persistable(v) and v.name != table.name]
    there = [v for v in others if os.path.isfile(os.path.join(dirname, v.name))]
    load_vars(executor, dirname, program, there)
