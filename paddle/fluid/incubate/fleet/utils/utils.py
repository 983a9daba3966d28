"""Fleet of 1.x: looking at Programs in files: reading, comparing, listing, drawing, trying out."""

from __future__ import annotations

import logging
import os
import shutil
import subprocess
from typing import Any

import numpy as np

from paddle.core.errors import InvalidArgumentError
from paddle.core.guards import guard_module
from paddle.core.place import CPUPlace
from paddle.executor.scope import Scope
from paddle.fluid import io
from paddle.fluid.debugger import draw_block_graphviz
from paddle.fluid.lod_tensor import create_lod_tensor
from paddle.ir.program import Program
from paddle.ir.variable import Variable
from paddle.serialization.descriptors import read_text
from paddle.serialization.program import proto
from paddle.serialization.program.schema import message_class
from paddle.serialization.program.text_format import program_details
from paddle.static import Executor, scope_guard

__all__ = [
    "check_pruned_program_vars",
    "check_saved_vars_try_dump",
    "graphviz",
    "load_program",
    "parse_program",
    "program_type_trans",
    "save_program",
]

_logger = logging.getLogger(__name__)
_ENDS = ("feed", "fetch")


def load_program(model_filename: str, is_text: bool = False) -> Program:
    """Reads a Program.

    Args:
        model_filename (str): the file.
        is_text (bool): whether it is the text form of the message; else its bytes.

    Raises:
        ValueError: the file holds no Program.
    """
    if not is_text:
        with open(model_filename, "rb") as file:
            return Program.parse_from_string(file.read())
    message = message_class("ProgramDesc")()
    with open(model_filename, encoding="utf8") as text:
        told = f"load_program: {model_filename} is not the text of a Program"
        read_text(text.read(), message, told)
    return proto.from_message(message)


def save_program(
    program: Program, model_filename: str = "__model__", is_text: bool = False
) -> None:
    """Writes a Program.

    Args:
        program (Program): what is written.
        model_filename (str): the file.
        is_text (bool): in the text form of the message; else in bytes.
    """
    if is_text:
        with open(model_filename, "w", encoding="utf8") as text:
            text.write(program_details(program, True, False))
    else:
        with open(model_filename, "wb") as file:
            file.write(proto.to_bytes(program))


def program_type_trans(prog_dir: str, prog_fn: str, is_text: bool) -> str:
    """Writes a Program of one form in the other one, beside it.

    Args:
        prog_dir (str): the folder.
        prog_fn (str): the file in it.
        is_text (bool): whether that is the text form.

    Returns:
        str: the new file's name, which ends in ``.bin`` or ``.pbtxt``.
    """
    program = load_program(os.path.join(prog_dir, prog_fn), is_text)
    name = prog_fn + (".bin" if is_text else ".pbtxt")
    save_program(program, os.path.join(prog_dir, name), not is_text)
    return name


def check_pruned_program_vars(train_prog: Program, pruned_prog: Program) -> bool:
    """Says whether the stored variables of a pruned Program are those that were trained.

    Args:
        train_prog (Program): the whole one.
        pruned_prog (Program): its part.
    """
    trained = {v.name: v for v in train_prog.list_vars()}
    good = True
    for var in pruned_prog.list_vars():
        if not io.is_persistable(var):
            continue
        other = trained.get(var.name)
        if other is None:
            _logger.error("the trained Program has no variable %r", var.name)
        elif (var.shape, var.dtype) != (other.shape, other.dtype):
            _logger.error(
                "%r: the pruned Program has shape %s and %s, the trained one %s and %s",
                var.name, var.shape, var.dtype, other.shape, other.dtype,
            )  # fmt: skip
            good = False
    return good


def graphviz(block: Any, output_dir: str = "", filename: str = "debug") -> None:
    """Draws a block: a file ``.dot``, and ``.pdf`` where the command ``dot`` is installed.

    Args:
        block (Block): what is drawn.
        output_dir (str): the folder.
        filename (str): the files' name, without its ending.
    """
    path = os.path.join(output_dir, filename)
    draw_block_graphviz(block, path=path + ".dot")
    if shutil.which("dot"):
        subprocess.run(["dot", "-Tpdf", path + ".dot", "-o", path + ".pdf"], check=False)
    else:
        _logger.warning("there is no command `dot`: %s.dot was written, and no .pdf", path)


def parse_program(program: Program, output_dir: str) -> None:
    """Lists what a Program has: ``vars_persistable.log``, ``vars_all.log`` and ``ops.log``.

    Args:
        program (Program): what is listed.
        output_dir (str): the folder of the files.
    """
    listed = list(program.list_vars())
    stored = [v for v in listed if io.is_persistable(v)]
    for name, title, variables in (("vars_persistable.log", "persistable vars", stored),
                                   ("vars_all.log", "all vars", listed)):  # fmt: skip
        with open(os.path.join(output_dir, name), "w", encoding="utf8") as file:
            file.write(f"{title}:\n")
            file.writelines(f"{_described(v, name.endswith('nt.log'))}\n" for v in variables)
    with open(os.path.join(output_dir, "ops.log"), "w", encoding="utf8") as file:
        file.write("ops:\n")
        for op in program.global_block().ops:
            shown = {
                "type": op.type,
                "input_arg_names": str(op.input_arg_names),
                "output_arg_names": str(op.output_arg_names),
            }
            file.write(f"{shown}\n")


def _described(var: Variable, with_type: bool) -> dict[str, Any]:
    kinds = {"type": str(var.type)}
    if var.name in _ENDS:
        return {"name": var.name, **kinds}
    found: dict[str, Any] = {
        "name": var.name, "shape": str(tuple(var.shape)), "lod_level": var.lod_level,
        "dtype": str(var.dtype),
    }  # fmt: skip
    return {**found, **kinds} if with_type else found


def check_saved_vars_try_dump(
    dump_dir: str,
    dump_prog_fn: str,
    is_text_dump_program: bool,
    feed_config: Any,
    fetch_config: Any,
    batch_size: int = 1,
    save_filename: Any = None,
) -> list:
    """Loads a saved model, compares its variables with its files, and runs it.

    Args:
        dump_dir (str): the model's folder.
        dump_prog_fn (str): the file of the Program in it.
        is_text_dump_program (bool): whether that is the text form.
        feed_config (Any): has ``feeded_vars_names``, ``feeded_vars_dims``, ``feeded_vars_types``
            and ``feeded_vars_filelist``: files of numbers; without them random ones are fed.
        fetch_config (Any): has ``fetch_vars_names``; None: the model's outputs.
        batch_size (int): how many samples are fed.
        save_filename (str, optional): the file of all parameters; None: a file for each.

    Returns:
        list: the values of the outputs.

    Raises:
        RuntimeError: (also a ValueError) a variable is fed in another shape than the model has.
        ValueError: the files do not fit the Program.
    """
    name = dump_prog_fn
    if is_text_dump_program:
        name = program_type_trans(dump_dir, dump_prog_fn, True)
    for op in load_program(os.path.join(dump_dir, name)).global_block().ops:
        if op.type == "lookup_table":
            _logger.warning("the Program has an operator lookup_table: is it pruned?")
            break
    exe = Executor(CPUPlace())
    with scope_guard(Scope()):
        program, _, fetches = io.load_inference_model(
            dump_dir, exe, model_filename=name, params_filename=save_filename
        )
        block = program.global_block()
        if fetch_config.fetch_vars_names is not None:
            fetches = [block.var(name) for name in fetch_config.fetch_vars_names]
        feed = {
            name: _fed(block.var(name), dims, kind, batch_size, _at(feed_config, i))
            for i, (name, dims, kind) in enumerate(zip(
                feed_config.feeded_vars_names, feed_config.feeded_vars_dims,
                feed_config.feeded_vars_types, strict=True,
            ))
        }  # fmt: skip
        plain = all(v.lod_level == 0 for v in fetches)
        results = exe.run(program, feed=feed, fetch_list=fetches, return_numpy=plain)
    for var, value in zip(fetches, results, strict=True):
        _logger.info("%s: %s", var.name, value)
    return results


def _at(feed_config: Any, index: int) -> str | None:
    files = feed_config.feeded_vars_filelist
    return files[index] if files else None


def _fed(var: Variable, dims: Any, kind: str, batch_size: int, path: str | None) -> Any:
    """What is fed for a variable: numbers of a file, or random ones."""
    shape = tuple(dims) if isinstance(dims, (list, tuple)) else (dims,)
    if shape != tuple(var.shape[1:]):
        raise InvalidArgumentError(
            f"feed variable {var.name!r}: the model has the shape {tuple(var.shape[1:])}, but "
            f"{shape} is to be fed."
        )
    whole = (batch_size, *shape)
    if path is None:
        values = np.random.random(whole).astype(kind)
    else:
        values = np.fromstring(_text(path), sep=" ")[: int(np.prod(whole))]
        values = values.reshape(whole).astype(kind)
    if var.lod_level == 1:
        return create_lod_tensor(values, [[1] * batch_size], CPUPlace())
    if var.lod_level > 1:
        raise InvalidArgumentError(f"feed variable {var.name!r}: it has more than one level.")
    return values


def _text(path: str) -> str:
    with open(path, encoding="utf8") as file:
        return file.read()


guard_module(globals())
