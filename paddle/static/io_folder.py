"""Saving a Program's variables, and what it computes, in a folder: the layout of 1.x and fleet."""

from __future__ import annotations

import os
import warnings
from collections.abc import Container
from typing import Any

from paddle.core.user_frame import outside
from paddle.ir.inference import fetch_variables, normalize, persistables
from paddle.ir.program import Program
from paddle.ir.variable import Variable
from paddle.serialization.models.layouts import MAIN, folder_layout
from paddle.serialization.models.saved_model import SavedModel
from paddle.serialization.program import proto
from paddle.serialization.program_state import Stored
from paddle.static.io_arguments import checked_path, device_of, program_of
from paddle.static.io_vars import save_vars

_MODEL = "__model__"


def save_persistables(
    executor: Any, dirname: Any, main_program: Any = None, filename: Any = None
) -> bytes | None:
    """Saves all that outlives a run of a Program: parameters, and what optimizers keep.

    Args:
        executor (Executor): what ran the startup Program.
        dirname (str|None): the folder; None returns the bytes of one file.
        main_program (Program, optional): None means the default one.
        filename (str, optional): one file for all.
    """
    return save_vars(executor, dirname, main_program, filename=filename)


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

    The arguments are those of ``fluid.io.save_inference_model``.

    Returns:
        list[str]: the names of the outputs in the file.
    """
    where = "save_inference_model"
    names = [feeded_var_names] if isinstance(feeded_var_names, str) else feeded_var_names
    targets = [target_vars] if isinstance(target_vars, Variable) else target_vars
    if not _all(names, str) and export_for_deployment:
        raise ValueError(f"{where}(feeded_var_names): expected a str or a list of them.")
    if not _all(targets, Variable) and export_for_deployment:
        raise ValueError(f"{where}(target_vars): expected a Variable or a list of them.")
    program = program_of(main_program, where)
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


def save_part(
    dirname: str, feeds: list[str], targets: list, executor: Any, program: Program,
    held: Container[str], model: bool,
) -> None:  # fmt: skip
    """Saves a process's part of what :func:`save_inference_model` would save.

    Args:
        dirname, feeds, targets, executor: as there.
        program (Program): the whole one.
        held (Container): names of the variables whose values this process has to save.
        model (bool): whether it saves the Program too.
    """
    block = program.global_block()
    outputs = [block.var(v.name) for v in targets]
    made = normalize(program, [block.var(n) for n in feeds], outputs, partial=True)
    folder = checked_path(dirname, "save_inference_model(dirname)")
    os.makedirs(folder, exist_ok=True)
    if model:
        with open(os.path.join(folder, _MODEL), "wb") as file:
            file.write(proto.to_bytes(made))
    save_vars(executor, folder, vars=[v for v in persistables(made) if v.name in held])


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
