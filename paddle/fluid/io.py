"""Saving and loading of 1.x: variables in files of their own, and models for inference."""

from __future__ import annotations

import os
import warnings
from typing import Any

from paddle.core.guards import guard_module
from paddle.core.user_frame import outside
from paddle.ir.current import default_main_program
from paddle.ir.inference import NO_VALUES, fetch_variables, normalize, persistables
from paddle.ir.program import Program
from paddle.ir.variable import Parameter, Variable
from paddle.serialization.models.layouts import MAIN, folder_layout
from paddle.serialization.models.saved_model import SavedModel
from paddle.serialization.program import proto
from paddle.serialization.program_state import Stored
from paddle.static import io_inference, io_vars
from paddle.static.io_arguments import checked_path, device_of

__all__ = [
    "get_program_parameter", "get_program_persistable_vars", "is_belong_to_optimizer",
    "is_parameter", "is_persistable", "load_inference_model", "load_params", "load_persistables",
    "save_inference_model", "save_params", "save_persistables",
]  # fmt: skip

_MODEL = "__model__"


def is_parameter(var: Any) -> bool:
    """Says whether a variable is a parameter.

    Args:
        var (Variable): the variable.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program(), fluid.Program()):
                fluid.layers.fc(fluid.data("x", [None, 2]), 3)
                weight = fluid.default_main_program().all_parameters()[0]
                print(fluid.io.is_parameter(weight))  # True
    """
    return isinstance(var, Parameter)


def is_persistable(var: Any) -> bool:
    """Says whether the value of a variable outlives a run and can be saved.

    Args:
        var (Variable): the variable.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program(), fluid.Program()):
                fluid.layers.fc(fluid.data("x", [None, 2]), 3)
                weight = fluid.default_main_program().all_parameters()[0]
                print(fluid.io.is_persistable(weight))  # True
    """
    return bool(var.persistable) and var.type not in NO_VALUES


def is_belong_to_optimizer(var: Any) -> bool:
    """Says whether a variable belongs to an optimizer: stored, but neither parameter nor gradient.

    Args:
        var (Variable): the variable.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program(), fluid.Program()):
                fluid.layers.fc(fluid.data("x", [None, 2]), 3)
                weight = fluid.default_main_program().all_parameters()[0]
                print(fluid.io.is_belong_to_optimizer(weight))  # False
    """
    if not (isinstance(var, Parameter) or var.is_data):
        return is_persistable(var)
    return False


def get_program_parameter(program: Any) -> list[Variable]:
    """Returns the parameters of a Program.

    Args:
        program (Program): the Program.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            main = fluid.Program()
            with fluid.program_guard(main, fluid.Program()):
                paddle.static.nn.fc(paddle.static.data("x", [None, 2]), 3)
            print(len(fluid.io.get_program_parameter(main)))  # 2
    """
    return [v for v in _program(program, "get_program_parameter").list_vars() if is_parameter(v)]


def get_program_persistable_vars(program: Any) -> list[Variable]:
    """Returns the variables of a Program that outlive a run.

    Args:
        program (Program): the Program.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            main = fluid.Program()
            with fluid.program_guard(main, fluid.Program()):
                paddle.static.nn.fc(paddle.static.data("x", [None, 2]), 3)
            print(len(fluid.io.get_program_persistable_vars(main)))  # 2
    """
    where = "get_program_persistable_vars"
    return [v for v in _program(program, where).list_vars() if is_persistable(v)]


def _program(given: Any, where: str) -> Program:
    """The Program that is meant; None is the default one, a CompiledProgram the one in it."""
    if given is None:
        return default_main_program()
    inner = getattr(given, "_program", given)
    if not isinstance(inner, Program):
        raise TypeError(
            f"{where}(main_program): expected a Program, but received {type(given).__name__}."
        )
    return inner


def save_params(
    executor: Any, dirname: Any, main_program: Any = None, filename: Any = None
) -> bytes | None:
    """Saves the parameters of a Program, each to a file of its name or all to one.

    Args:
        executor (Executor): what ran the startup Program.
        dirname (str|None): the folder; None returns the bytes of one file.
        main_program (Program, optional): None means the default one.
        filename (str, optional): one file for all.

    Returns:
        bytes: what one file would hold, where ``dirname`` is None; else None.

    Examples:
        .. code-block:: python

            import os, tempfile
            import paddle
            import paddle.fluid as fluid
            main, startup = fluid.Program(), fluid.Program()
            with fluid.program_guard(main, startup):
                paddle.static.nn.fc(paddle.static.data("x", [None, 2]), 3, name="out")
            exe = fluid.Executor(fluid.CPUPlace())
            exe.run(startup)
            with tempfile.TemporaryDirectory() as folder:
                fluid.io.save_params(exe, folder, main)
                print(sorted(os.listdir(folder)))  # ['out.b_0', 'out.w_0']
    """
    program = _program(main_program, "save_params")
    return io_vars.save_vars(executor, dirname, program, None, is_parameter, filename)


def save_persistables(
    executor: Any, dirname: Any, main_program: Any = None, filename: Any = None
) -> bytes | None:
    """Saves all that outlives a run of a Program: parameters, and what optimizers keep.

    Args:
        executor (Executor): what ran the startup Program.
        dirname (str|None): the folder; None returns the bytes of one file.
        main_program (Program, optional): None means the default one.
        filename (str, optional): one file for all.

    Returns:
        bytes: what one file would hold, where ``dirname`` is None; else None.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program(), fluid.Program()):
                fluid.layers.fc(fluid.data("x", [None, 2]), 3)
                exe = fluid.Executor(fluid.CPUPlace())
                exe.run(fluid.default_startup_program())
                fluid.io.save_persistables(exe, "model", filename="all")
    """
    program = _program(main_program, "save_persistables")
    return io_vars.save_vars(executor, dirname, program, None, is_persistable, filename)


def load_params(
    executor: Any, dirname: Any, main_program: Any = None, filename: Any = None
) -> None:
    """Loads the parameters of a Program.

    Args:
        executor (Executor): on whose device values are put.
        dirname (str|None): the folder; None takes ``filename`` as the bytes of one file.
        main_program (Program, optional): None means the default one.
        filename (str, optional): the file of all.

    Raises:
        RuntimeError: (also a FileNotFoundError) a file is not there.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program(), fluid.Program()):
                fluid.layers.fc(fluid.data("x", [None, 2]), 3)
                exe = fluid.Executor(fluid.CPUPlace())
                exe.run(fluid.default_startup_program())
                fluid.io.save_params(exe, "model")
                fluid.io.load_params(exe, "model")
    """
    program = _program(main_program, "load_params")
    io_vars.load_vars(executor, dirname, program, None, is_parameter, filename)


def load_persistables(
    executor: Any, dirname: Any, main_program: Any = None, filename: Any = None
) -> None:
    """Loads all that outlives a run of a Program.

    Args:
        executor (Executor): on whose device values are put.
        dirname (str|None): the folder; None takes ``filename`` as the bytes of one file.
        main_program (Program, optional): None means the default one.
        filename (str, optional): the file of all.

    Raises:
        RuntimeError: (also a FileNotFoundError) a file is not there.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program(), fluid.Program()):
                fluid.layers.fc(fluid.data("x", [None, 2]), 3)
                exe = fluid.Executor(fluid.CPUPlace())
                exe.run(fluid.default_startup_program())
                fluid.io.save_persistables(exe, "model")
                fluid.io.load_persistables(exe, "model")
    """
    program = _program(main_program, "load_persistables")
    io_vars.load_vars(executor, dirname, program, None, is_persistable, filename)


def save_inference_model(
    dirname: str,
    feeded_var_names: Any,
    target_vars: Any,
    executor: Any,
    main_program: Any = None,
    model_filename: str | None = None,
    params_filename: str | None = None,
    export_for_deployment: bool = True,
    program_only: bool = False,
) -> list[str]:
    """Saves what a Program computes from inputs to outputs, with its parameters, in a folder.

    Args:
        dirname (str): the folder, made if need be.
        feeded_var_names (str|list[str]): names of the inputs.
        target_vars (Variable|list[Variable]): the outputs.
        executor (Executor): what ran the startup Program.
        main_program (Program, optional): None means the default one.
        model_filename (str, optional): of the Program; None means ``__model__``.
        params_filename (str, optional): one file for all parameters; None: a file for each.
        export_for_deployment (bool): False saves the whole Program, to train on, as
            ``__model__.main_program``. Default: True.
        program_only (bool): save no parameters. Default: False.

    Returns:
        list[str]: the names of the outputs in the file.

    Raises:
        ValueError: names or targets are of another type, or not of the Program.

    Examples:
        .. code-block:: python

            import os, tempfile
            import numpy as np
            import paddle
            import paddle.fluid as fluid
            main, startup = fluid.Program(), fluid.Program()
            with fluid.program_guard(main, startup):
                y = paddle.static.nn.fc(paddle.static.data("x", [None, 2]), 3, name="out")
            exe = fluid.Executor(fluid.CPUPlace())
            exe.run(startup)
            with tempfile.TemporaryDirectory() as folder:
                fluid.io.save_inference_model(folder, ["x"], [y], exe, main)
                print(sorted(os.listdir(folder)))  # ['__model__', 'out.b_0', 'out.w_0']
                program, feeds, fetches = fluid.io.load_inference_model(folder, exe)
            print(exe.run(program, {"x": np.ones([1, 2], "float32")}, fetches)[0].shape)  # (1, 3)
    """
    where = "save_inference_model"
    names = [feeded_var_names] if isinstance(feeded_var_names, str) else feeded_var_names
    targets = [target_vars] if isinstance(target_vars, Variable) else target_vars
    if not _all(names, str) and export_for_deployment:
        raise ValueError(f"{where}(feeded_var_names): expected a str or a list of them.")
    if not _all(targets, Variable) and export_for_deployment:
        raise ValueError(f"{where}(target_vars): expected a Variable or a list of them.")
    program = _program(main_program, where)
    folder = checked_path(dirname, f"{where}(dirname)")
    device_of(executor, where)
    os.makedirs(folder, exist_ok=True)
    if not export_for_deployment:
        _save_whole(executor, folder, program, model_filename, params_filename, program_only)
        return [v.name for v in targets]
    block = program.global_block()
    made = normalize(program, [block.var(n) for n in names], targets, partial=True)
    layout = folder_layout(folder, model_filename, params_filename)._replace(table=None)
    if program_only:
        _warn_only(where)
        with open(layout.methods[MAIN].program, "wb") as file:
            file.write(proto.to_bytes(made))
    else:
        stored = Stored(persistables(made), purpose=where)
        SavedModel({MAIN: made}, stored, {}).write(layout, where)
    return [v.name for v in fetch_variables(made)]


def _all(given: Any, kind: type) -> bool:
    return isinstance(given, (list, tuple)) and all(isinstance(one, kind) for one in given)


def _warn_only(where: str) -> None:
    warnings.warn(
        f"{where}: program_only is True, so no parameters are saved.", stacklevel=outside()
    )


def _save_whole(
    executor: Any, folder: str, program: Program, model: Any, params: Any, only: bool
) -> None:
    """Saves a Program to train on."""
    name = f"{os.path.basename(model) if model else _MODEL}.main_program"
    with open(os.path.join(folder, name), "wb") as file:
        file.write(proto.to_bytes(program))
    if only:
        _warn_only("save_inference_model")
        return
    save_persistables(executor, folder, program, params)


def load_inference_model(
    dirname: Any,
    executor: Any,
    model_filename: Any = None,
    params_filename: Any = None,
    pserver_endpoints: Any = None,
) -> list[Any]:
    """Loads a model that :func:`save_inference_model` saved, here or by any release.

    Args:
        dirname (str|None): the folder; None takes the file names as the bytes of both files.
        executor (Executor): on whose device the parameters are put, in the global scope.
        model_filename (str, optional): of the Program; None means ``__model__``.
        params_filename (str, optional): the file of all parameters; None: a file for each.
        pserver_endpoints (list[str], optional): not available: there are no parameter servers.

    Returns:
        list: the Program, the names of its inputs, and the Variables of its outputs.

    Raises:
        ValueError: there is no such folder, or a file is damaged.
        RuntimeError: (also a FileNotFoundError) a file is not there.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program(), fluid.Program()):
                x = fluid.data("x", [None, 2])
                y = fluid.layers.fc(x, 3)
                exe = fluid.Executor(fluid.CPUPlace())
                exe.run(fluid.default_startup_program())
                fluid.io.save_inference_model("served", ["x"], [y], exe)
                program, feeds, fetches = fluid.io.load_inference_model("served", exe)
                print(feeds, fetches[0].shape)  # ['x'] (-1, 3)
    """
    if dirname is not None and isinstance(dirname, str) and not os.path.isdir(dirname):
        prefix = dirname + ".pdmodel"
        if not os.path.isfile(prefix):  # the layout of 2.x is read too
            raise ValueError(f"load_inference_model: there is no directory named {dirname!r}.")
    names = {"model_filename": model_filename, "params_filename": params_filename}
    given = {k: v for k, v in names.items() if v is not None}
    if pserver_endpoints is not None:
        given["pserver_endpoints"] = pserver_endpoints
    found = io_inference.load_inference_model(dirname, executor, **given)
    found[0].of_1x = True
    return found


guard_module(globals())
