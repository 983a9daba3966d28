"""Saving a Program for inference, loading it again, and the pieces that both are made of."""

from __future__ import annotations

import os
from typing import Any

from paddle.core import flags
from paddle.core.guards import guard_module
from paddle.ir.inference import normalize, persistables
from paddle.ir.program import Program
from paddle.serialization.files.atomic import atomic_write
from paddle.serialization.files.suffixes import INFO
from paddle.serialization.models.files import missing, read_program, read_streams, streams
from paddle.serialization.models.layouts import MAIN, prefix_layout
from paddle.serialization.models.parameter_table import entry
from paddle.serialization.models.saved_model import SavedModel
from paddle.serialization.program import proto
from paddle.serialization.program_state import Stored, put_values
from paddle.static.io_arguments import (
    checked_path,
    checked_prefix,
    device_of,
    ends_of,
    model_filenames,
    options,
    program_of,
    refuse_folder,
)

__all__ = [
    "deserialize_persistables", "deserialize_program", "load_from_file", "load_inference_model",
    "normalize_program", "save_inference_model", "save_to_file", "serialize_persistables",
    "serialize_program",
]  # fmt: skip


def normalize_program(program: Any, feed_vars: Any, fetch_vars: Any) -> Program:
    """Returns a copy of a Program that computes only given outputs from given inputs.

    Backward and optimizer are left out, operators are set to testing, and ``feed`` and ``fetch``
    operators state the inputs and outputs.

    Args:
        program (Program): what the copy is made of.
        feed_vars (Variable|list[Variable]): the inputs.
        fetch_vars (Variable|list[Variable]): the outputs.

    Returns:
        Program: for inference.

    Raises:
        TypeError: the inputs or outputs are no Variables.
        ValueError: they are not of the Program, an input is not needed, or one is left out.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.static as static
            paddle.enable_static()
            main = static.Program()
            with static.program_guard(main, static.Program()):
                x = static.data("x", [None, 4])
                y = paddle.nn.functional.softmax(static.nn.fc(x, 2))
                paddle.optimizer.SGD(0.1).minimize(paddle.mean(y))
            small = static.normalize_program(main, [x], [y])
            print([op.type for op in small.global_block().ops])
            # ['feed', 'mul', 'elementwise_add', 'softmax', 'scale', 'fetch']
            paddle.disable_static()
    """
    if program is None:
        raise TypeError("normalize_program(program): expected a Program, but received NoneType.")
    feeds, fetches = ends_of(feed_vars, fetch_vars, "normalize_program")
    return normalize(program_of(program, "normalize_program"), feeds, fetches)


def _normalized(where: str, feed_vars: Any, fetch_vars: Any, given: dict[str, Any]) -> Program:
    """The inference Program that the arguments of a function ask for."""
    (program,) = options(given, ("program",), where)
    feeds, fetches = ends_of(feed_vars, fetch_vars, where)
    return normalize(program_of(program, where), feeds, fetches)


def serialize_program(feed_vars: Any, fetch_vars: Any, **kwargs: Any) -> bytes:
    """Returns the inference Program as the bytes of a ``.pdmodel`` file.

    Args:
        feed_vars (Variable|list[Variable]): the inputs.
        fetch_vars (Variable|list[Variable]): the outputs.
        **kwargs: ``program`` (Program): what is reduced to them; default: the default main Program.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.static as static
            paddle.enable_static()
            main = static.Program()
            with static.program_guard(main, static.Program()):
                x = static.data("x", [None, 4])
                y = static.nn.fc(x, 2)
            data = static.serialize_program([x], [y], program=main)
            print(static.deserialize_program(data).num_blocks)  # 1
            paddle.disable_static()
    """
    return proto.to_bytes(_normalized("serialize_program", feed_vars, fetch_vars, kwargs))


def serialize_persistables(
    feed_vars: Any, fetch_vars: Any, executor: Any, **kwargs: Any
) -> bytes | None:
    """Returns the parameters of an inference Program as the bytes of a ``.pdiparams`` file.

    Args:
        feed_vars (Variable|list[Variable]): the inputs.
        fetch_vars (Variable|list[Variable]): the outputs.
        executor (Executor): what ran the startup Program; the values are those of the global scope.
        **kwargs: ``program`` (Program): what is reduced to them; default: the default main Program.

    Returns:
        bytes: the values in the order of their names; None if the Program has no parameters.

    Raises:
        RuntimeError: a parameter has no value yet.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.static as static
            paddle.enable_static()
            main, startup = static.Program(), static.Program()
            with static.program_guard(main, startup):
                x = static.data("x", [None, 4])
                y = static.nn.fc(x, 2)
            exe = static.Executor(paddle.CPUPlace())
            exe.run(startup)
            data = static.serialize_persistables([x], [y], exe, program=main)
            static.deserialize_persistables(main, data, exe)
            paddle.disable_static()
    """
    where = "serialize_persistables"
    device_of(executor, where)
    made = _normalized(where, feed_vars, fetch_vars, kwargs)
    stored = Stored(persistables(made), purpose=where)
    return streams(stored) if len(stored) else None


def deserialize_program(data: bytes) -> Program:
    """Returns the Program that bytes of a ``.pdmodel`` file describe.

    Args:
        data (bytes): what :func:`serialize_program` returned, or the content of a file.

    Raises:
        ValueError: the bytes are damaged or of a later release.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.static as static
            paddle.enable_static()
            main = static.Program()
            with static.program_guard(main, static.Program()):
                x = static.data("x", [None, 4])
                y = x * 2.0
            made = static.deserialize_program(static.serialize_program([x], [y], program=main))
            print([op.type for op in made.global_block().ops])
            # ['feed', 'scale', 'scale', 'fetch']
            paddle.disable_static()
    """
    if not isinstance(data, (bytes, bytearray, memoryview)):
        raise TypeError(
            f"deserialize_program(data): expected bytes, but received {type(data).__name__}."
        )
    return read_program(data, "deserialize_program")


def deserialize_persistables(program: Any, data: bytes | None, executor: Any) -> None:
    """Gives the stored variables of a Program the values of a ``.pdiparams`` file.

    Args:
        program (Program): whose variables are meant; their names are not in the data.
        data (bytes): what :func:`serialize_persistables` returned, or the content of a file.
        executor (Executor): on whose device the values are put, in the global scope.

    Raises:
        ValueError: the data is truncated, or of another Program; lists what does not fit.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.static as static
            paddle.enable_static()
            main, startup = static.Program(), static.Program()
            with static.program_guard(main, startup):
                x = static.data("x", [None, 4])
                y = static.nn.fc(x, 2)
            exe = static.Executor(paddle.CPUPlace())
            exe.run(startup)
            data = static.serialize_persistables([x], [y], exe, program=main)
            static.deserialize_persistables(main, data, exe)
            paddle.disable_static()
    """
    where = "deserialize_persistables"
    device = device_of(executor, where)
    variables = {v.name: v for v in persistables(program_of(program, where))}
    if not variables and not data:
        return
    if not isinstance(data, (bytes, bytearray, memoryview)):
        raise TypeError(f"{where}(data): expected bytes, but received {type(data).__name__}.")
    values = read_streams(data, variables, where)
    put_values(variables, values, None, device, where, complete=True)


def save_to_file(path: str, content: bytes) -> None:
    """Writes bytes to a file, which appears under its name only when it is complete.

    Args:
        path (str): where to write; missing folders are created.
        content (bytes): what to write.

    Examples:
        .. code-block:: python

            import os, tempfile
            import paddle.static as static
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "model", "net.pdmodel")
                static.save_to_file(path, b"content")
                print(static.load_from_file(path))  # b'content'
    """
    name = checked_prefix(path, "save_to_file(path)")
    if not isinstance(content, (bytes, bytearray, memoryview)):
        raise TypeError(
            f"save_to_file(content): expected bytes, but received {type(content).__name__}."
        )
    with atomic_write(name) as file:
        file.write(content)


def load_from_file(path: str) -> bytes:
    """Returns the content of a file.

    Args:
        path (str): the file.

    Raises:
        RuntimeError: (also a FileNotFoundError) there is no such file; says what lies beside it.

    Examples:
        .. code-block:: python

            import os, tempfile
            import paddle.static as static
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "net.pdmodel")
                static.save_to_file(path, b"content")
                print(static.load_from_file(path))  # b'content'
    """
    name = checked_path(path, "load_from_file(path)")
    if not os.path.isfile(name):
        raise missing("load_from_file", name)
    with open(name, "rb") as file:
        return file.read()


def save_inference_model(
    path_prefix: str, feed_vars: Any, fetch_vars: Any, executor: Any, **kwargs: Any
) -> None:
    """Saves what a Program computes from inputs to outputs, with its parameters.

    Writes ``<path_prefix>.pdmodel``, the Program of :func:`normalize_program`, and
    ``<path_prefix>.pdiparams``, the values of its parameters (no such file if there are none).
    PaddlePaddle loads both. Neither has room for a checksum; with ``FLAGS_require_checksums``, or
    in place of one of :func:`paddle.jit.save`, a ``<path_prefix>.pdiparams.info`` holds those.

    Args:
        path_prefix (str): folder and name of the files, without a suffix.
        feed_vars (Variable|list[Variable]): the inputs.
        fetch_vars (Variable|list[Variable]): the outputs.
        executor (Executor): what ran the startup Program; the values are those of the global scope.
        **kwargs: ``program`` (Program|CompiledProgram): what is saved; default: the default main
            Program.

    Raises:
        TypeError: the inputs or outputs are no Variables.
        ValueError: they are not of the Program, an input is not needed or one is left out, or the
            prefix is a folder.
        RuntimeError: a parameter has no value: the startup Program was not run.

    Examples:
        .. code-block:: python

            import os, tempfile
            import numpy as np
            import paddle
            import paddle.static as static
            paddle.enable_static()
            main, startup = static.Program(), static.Program()
            with static.program_guard(main, startup):
                image = static.data("img", [None, 64])
                predict = static.nn.fc(image, 10, activation="softmax")
            exe = static.Executor(paddle.CPUPlace())
            exe.run(startup)
            with tempfile.TemporaryDirectory() as folder:
                prefix = os.path.join(folder, "net")
                static.save_inference_model(prefix, [image], [predict], exe, program=main)
                print(sorted(os.listdir(folder)))  # ['net.pdiparams', 'net.pdmodel']
                program, feeds, fetches = static.load_inference_model(prefix, exe)
            out, = exe.run(program, feed={feeds[0]: np.ones([2, 64], "float32")},
                           fetch_list=fetches)
            print(out.shape)  # (2, 10)
            paddle.disable_static()
    """
    where = "save_inference_model"
    prefix = checked_prefix(path_prefix, f"{where}(path_prefix)")
    refuse_folder(prefix, f"{where}(path_prefix)")
    device_of(executor, where)
    made = _normalized(where, feed_vars, fetch_vars, kwargs)
    variables = persistables(made)
    table = {v.name: entry(v.name, v) for v in variables}
    sealed = os.path.isfile(prefix + INFO) or flags.get("FLAGS_require_checksums")
    model = SavedModel({MAIN: made}, Stored(variables, purpose=where), table)
    model.write(prefix_layout(prefix, [MAIN], table=sealed), where)


def load_inference_model(path_prefix: str | None, executor: Any, **kwargs: Any) -> list[Any]:
    """Loads what :func:`save_inference_model` saved, here or by any 1.x or 2.x release.

    Args:
        path_prefix (str|None): the prefix of a ``.pdmodel`` and a ``.pdiparams`` file; or the
            folder of a 1.x model, with the program in ``__model__`` and a file for each parameter
            or all in ``__params__``; or None to load from bytes.
        executor (Executor): on whose device the parameters are put, in the global scope.
        **kwargs: ``model_filename`` (str|bytes) and ``params_filename`` (str|bytes): the names of
            the program file and of the file of all parameters in the folder, where they have
            other names. Without ``path_prefix``: the contents of both files.

    Returns:
        list: the Program, the names of its inputs, and the Variables of its outputs, as
        ``Executor.run`` takes them.

    Raises:
        RuntimeError: (also a FileNotFoundError) a file is not there; says what lies beside it.
        ValueError: a file is truncated, damaged, of a later release, or of another model.

    Examples:
        .. code-block:: python

            import os, tempfile
            import numpy as np
            import paddle
            import paddle.static as static
            paddle.enable_static()
            main, startup = static.Program(), static.Program()
            with static.program_guard(main, startup):
                x = static.data("x", [None, 3])
                y = static.nn.fc(x, 2)
            exe = static.Executor(paddle.CPUPlace())
            exe.run(startup)
            with tempfile.TemporaryDirectory() as folder:
                prefix = os.path.join(folder, "net")
                static.save_inference_model(prefix, [x], [y], exe, program=main)
                program, feeds, fetches = static.load_inference_model(prefix, exe)
            print(feeds)  # ['x']
            print(exe.run(program, {"x": np.zeros([1, 3], "float32")}, fetches))
            paddle.disable_static()
    """
    where = "load_inference_model"
    device = device_of(executor, where)
    if "pserver_endpoints" in kwargs and kwargs.pop("pserver_endpoints") is not None:
        raise NotImplementedError(
            f"{where}(pserver_endpoints): tables of parameter servers that run are not read; load "
            "the model from its files, or take paddle.distributed.fleet.utils.DistributedInfer."
        )
    names = model_filenames(kwargs, where, content=path_prefix is None)
    if path_prefix is None:
        source, model = where, SavedModel.from_bytes(*names, where)
    else:
        source = f"{where} from '{path_prefix}'"
        model = SavedModel.read(checked_path(path_prefix, where), where, names, forward_only=True)
    found = [model.programs[MAIN], model.feeds(), model.fetches()]
    variables = {v.name: v for v in persistables(model.programs[MAIN])}
    put_values(variables, model.values, None, device, source, complete=True)
    return found


guard_module(globals())
