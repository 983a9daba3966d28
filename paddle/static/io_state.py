"""Saving and loading a Program with everything that training it further needs."""

from __future__ import annotations

import functools
import os
from typing import Any

import numpy as np

from paddle.core.errors import InvalidArgumentError
from paddle.core.guards import guard_module
from paddle.framework.io import protocol_of
from paddle.ir.inference import persistables
from paddle.ir.program import Program
from paddle.serialization import program_state
from paddle.serialization.files.atomic import atomic_files
from paddle.serialization.files.seals import SaveSet, check_together
from paddle.serialization.files.suffixes import OPT, PARAMS, PROGRAM
from paddle.serialization.models.files import read_state_file, without_suffix
from paddle.serialization.models.states import read_state
from paddle.serialization.pickles.packing import arrays_to_file_form
from paddle.serialization.pickles.writer import Deferred, write_pickle
from paddle.serialization.program import proto
from paddle.serialization.program_state import Stored, of_mode, put_values
from paddle.static.io_arguments import (
    checked_path,
    checked_prefix,
    device_of,
    program_of,
    variables_of,
)

__all__ = ["load", "load_program_state", "save", "set_program_state"]


def save(program: Any, model_path: str, pickle_protocol: int = 2, **configs: Any) -> None:
    """Saves a Program, its parameters and the state of its optimizer.

    Writes ``<model_path>.pdparams`` (the Parameters) and ``<model_path>.pdopt`` (all other stored
    variables), pickled dicts of arrays, and ``<model_path>.pdmodel``, the whole Program.

    Args:
        program (Program): what is saved, with the values of the global scope.
        model_path (str): folder and name of the files, without a suffix.
        pickle_protocol (int): 2, 3 or 4. Default: 2.
        **configs: ``protocol``, the later name of ``pickle_protocol``.

    Raises:
        RuntimeError: a variable has no value: the startup Program was not run.
        ValueError: the path has no name, or the protocol is not known.

    Examples:
        .. code-block:: python

            import os, tempfile
            import paddle
            import paddle.static as static
            paddle.enable_static()
            main, startup = static.Program(), static.Program()
            with static.program_guard(main, startup):
                x = static.data("x", [None, 4])
                paddle.optimizer.Adam(0.1).minimize(paddle.mean(static.nn.fc(x, 2)))
            static.Executor(paddle.CPUPlace()).run(startup)
            with tempfile.TemporaryDirectory() as folder:
                prefix = os.path.join(folder, "net")
                static.save(main, prefix)
                print(sorted(os.listdir(folder)))  # ['net.pdmodel', 'net.pdopt', 'net.pdparams']
                static.load(main, prefix)
            paddle.disable_static()
    """
    protocol = protocol_of(pickle_protocol, configs, "paddle.static.save")
    prefix = checked_prefix(model_path, "paddle.static.save(model_path)")
    program = _given(program, "paddle.static.save")
    content = proto.to_bytes(program)
    parts = [(suffix, Stored(of_mode(program, mode), purpose="paddle.static.save"))
             for suffix, mode in ((PARAMS, "param"), (OPT, "opt"))]  # fmt: skip
    with atomic_files(SaveSet(prefix)) as files:
        for suffix, stored in parts:
            packed = arrays_to_file_form(
                {n: Deferred(functools.partial(stored.array, n)) for n in stored},
                {n: stored.tensor(n) for n in stored},
                protocol,
            )
            write_pickle(packed, files.open(prefix + suffix, sealed=True), protocol)
        files.open(prefix + PROGRAM).write(content)


def _given(program: Any, where: str) -> Program:
    if program is None:
        raise TypeError(f"{where}(program): expected a Program, but received NoneType.")
    return program_of(program, where)


def load(program: Any, model_path: str, executor: Any = None, var_list: Any = None) -> None:
    """Gives the stored variables of a Program the values of files.

    Reads what :func:`save` wrote here or in any release, and what 1.x wrote by ``save_params``,
    ``save_persistables`` and ``save_vars``. All values are checked before the first one is set.

    Args:
        program (Program): whose variables get values, in the global scope.
        model_path (str): the prefix that :func:`save` was given; or a folder with a file for each
            variable; or one file of all variables.
        executor (Executor, optional): on whose device values are put; None means where the values
            before were, else the current device.
        var_list (list[Variable], optional): the variables to load; None means all stored ones. One
            file of all variables must hold exactly these.

    Raises:
        RuntimeError: (also a FileNotFoundError) a file is not there; says what lies beside it.
        ValueError: a file is damaged or of another Program; lists what does not fit.

    Examples:
        .. code-block:: python

            import os, tempfile
            import paddle
            import paddle.static as static
            paddle.enable_static()
            main, startup = static.Program(), static.Program()
            with static.program_guard(main, startup):
                y = static.nn.fc(static.data("x", [None, 4]), 2)
            exe = static.Executor(paddle.CPUPlace())
            exe.run(startup)
            with tempfile.TemporaryDirectory() as folder:
                prefix = os.path.join(folder, "net")
                static.save(main, prefix)
                static.load(main, prefix, exe)
            paddle.disable_static()
    """
    where = "paddle.static.load"
    program = _given(program, where)
    path = checked_prefix(model_path, f"{where}(model_path)")
    device = None if executor is None else device_of(executor, where)
    chosen = (
        persistables(program) if var_list is None else variables_of(var_list, "var_list", where)
    )
    variables = {v.name: v for v in chosen}
    prefix = without_suffix(path, PARAMS, OPT, PROGRAM)
    if os.path.isfile(prefix + PARAMS):
        values = read_state_file(prefix + PARAMS)
        if any(name not in values for name in variables):
            values |= _optimizer_values(prefix, variables, values)
    else:
        values = read_state(path, variables, where)
    put_values(variables, values, None, device, f"{where} from '{path}'", complete=True)


def _optimizer_values(prefix: str, variables: dict[str, Any], found: dict[str, Any]) -> Any:
    if os.path.isfile(prefix + OPT):
        check_together(
            prefix + PARAMS, prefix + OPT, "paddle.static.load",
            "save again; or load the parameters alone: var_list=program.all_parameters()",
        )  # fmt: skip
        return read_state_file(prefix + OPT)
    absent = [name for name in variables if name not in found]
    raise InvalidArgumentError(
        f"paddle.static.load: '{prefix}{PARAMS}' has no {program_state.listing(absent)}, and there "
        f"is no file '{prefix}{OPT}' with the state of an optimizer."
    )


def load_program_state(model_path: str, var_list: Any = None) -> dict[str, np.ndarray]:
    """Reads the stored values of a Program as arrays, in whatever layout they were saved.

    Args:
        model_path (str): the prefix of ``.pdparams`` and ``.pdopt`` files or of ``.pdmodel`` and
            ``.pdiparams``; a folder with a file for each variable or of a 1.x inference model; or
            one file of all variables.
        var_list (list[Variable], optional): the variables to read. One file of all variables does
            not tell their names: for it, exactly those that it holds must be given.

    Returns:
        dict: name -> ndarray (bfloat16 as uint16), for :func:`set_program_state`.

    Raises:
        RuntimeError: (also a FileNotFoundError) there is no such file; says what lies beside it.
        ValueError: a file is damaged or has not what ``var_list`` asks for.

    Examples:
        .. code-block:: python

            import os, tempfile
            import paddle
            import paddle.static as static
            paddle.enable_static()
            main, startup = static.Program(), static.Program()
            with static.program_guard(main, startup):
                y = static.nn.fc(static.data("x", [None, 4]), 2, name="out")
            static.Executor(paddle.CPUPlace()).run(startup)
            with tempfile.TemporaryDirectory() as folder:
                prefix = os.path.join(folder, "net")
                static.save(main, prefix)
                print(list(static.load_program_state(prefix)))  # ['out.w_0', 'out.b_0']
            paddle.disable_static()
    """
    where = "load_program_state"
    path = checked_path(model_path, f"{where}(model_path)")
    variables = None
    if var_list is not None:
        variables = {v.name: v for v in variables_of(var_list, "var_list", where)}
    values = read_state(path, variables, where)
    if variables is not None:
        program_state.check_fit(variables, values, f"{where} from '{path}'")
    return {name: value.array for name, value in values.items()}


def set_program_state(program: Any, state_dict: dict[str, Any]) -> None:
    """Gives stored variables of a Program values of a dict, in the global scope.

    Args:
        program (Program): whose. Variables without an entry stay as they are.
        state_dict (dict): name -> array or Tensor, as :func:`load_program_state` returns it. A
            warning lists entries for which the Program has no variable.

    Raises:
        ValueError: a value has another shape or type than its variable; all such are listed, and
            nothing is set.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle
            import paddle.static as static
            paddle.enable_static()
            main, startup = static.Program(), static.Program()
            with static.program_guard(main, startup):
                y = static.nn.fc(static.data("x", [None, 4]), 2, name="last")
            static.Executor(paddle.CPUPlace()).run(startup)
            static.set_program_state(main, {"last.b_0": np.array([1, 2], "float32")})
            print(main.state_dict()["last.b_0"].numpy())  # [1. 2.]
            paddle.disable_static()
    """
    where = "set_program_state"
    program_state.set_program_state(_given(program, where), state_dict, None, where)


guard_module(globals())
