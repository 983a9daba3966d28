"""Saving and loading of 1.x: variables in files of their own, and models for inference."""

from __future__ import annotations

import os
from typing import Any

from paddle.core.guards import guard_module
from paddle.distributed.ps.transpiled_saving import tables_at_hand
from paddle.ir.current import default_main_program
from paddle.ir.inference import is_stored
from paddle.ir.program import Program
from paddle.ir.variable import Parameter, Variable
from paddle.static import io_folder, io_inference, io_vars

__all__ = [
    "get_program_parameter", "get_program_persistable_vars", "is_belong_to_optimizer",
    "is_parameter", "is_persistable", "load_inference_model", "load_params", "load_persistables",
    "save_inference_model", "save_params", "save_persistables",
]  # fmt: skip


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
    return is_stored(var)


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
    with tables_at_hand(_program(main_program, "save_params")) as program:
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
    with tables_at_hand(_program(main_program, "save_persistables")) as program:
        return io_folder.save_persistables(executor, dirname, program, filename)


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
    given = _program(main_program, "save_inference_model")
    with tables_at_hand(given) as program:
        if program is not given:
            listed = [target_vars] if isinstance(target_vars, Variable) else target_vars
            target_vars = [program.global_block().var(v.name) for v in listed]
        return io_folder.save_inference_model(
            dirname, feeded_var_names, target_vars, executor, program, model_filename,
            params_filename, export_for_deployment, program_only,
        )  # fmt: skip


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
        pserver_endpoints (list[str], optional): refused: a model is loaded from its files; tables
            that were saved in parts are served by ``fleet.utils.DistributedInfer``.

    Returns:
        list: the Program, the names of its inputs, and the Variables of its outputs.

    Raises:
        ValueError: there is no such folder, or a file is damaged.
        RuntimeError: (also a FileNotFoundError) a file is not there.
        NotImplementedError: ``pserver_endpoints`` is given.

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
