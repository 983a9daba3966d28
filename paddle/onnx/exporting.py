"""paddle.onnx.export: a Layer, function or Program as a file that other engines run."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from paddle.core.errors import InvalidArgumentError
from paddle.core.guards import guard_module
from paddle.ir.inference import FETCH, feed_names, fetch_variables, normalize, persistables
from paddle.ir.program import Program
from paddle.ir.variable import Variable
from paddle.jit.models.exporting import needed_by
from paddle.jit.models.saving import model_to_save
from paddle.nn.layer.layers import Layer
from paddle.onnx.model import newest_opset, of_saved_model, to_onnx
from paddle.onnx.opsets import OLDEST
from paddle.onnx.package import onnx_package
from paddle.serialization.files.atomic import FileSet, atomic_files
from paddle.serialization.models.files import without_suffix
from paddle.serialization.program_state import Stored
from paddle.static.input import InputSpec
from paddle.static.io_arguments import checked_prefix, options, program_of, refuse_folder

__all__ = ["export"]

_WHERE = "paddle.onnx.export"
_SUFFIX, _DATA = ".onnx", ".onnx.data"
_OPTIONS = ("output_spec", "enable_onnx_checker")
_DEFAULT_OPSET = 9  # 2.0's; it stands for the oldest that will do
_LARGEST = 2_000_000_000  # bytes of one message; more goes to a file beside it


def export(
    layer: Any, path: str, input_spec: Any = None, opset_version: int = 9, **configs: Any
) -> None:
    """Writes a Layer, function or Program as a model of ONNX, ``path + ".onnx"``.

    What is written predicts, as what :func:`paddle.jit.save` writes does; call ``layer.eval()``
    before. Needs the package ``onnx`` (``pip install onnx onnxruntime``).

    Args:
        layer (Layer|callable|Program): a Layer, decorated or not; a TranslatedLayer; a function;
            or a static Program, whose values are those of the global scope.
        path (str): folder and name of the file, without ``.onnx``.
        input_spec (list|tuple, optional): what ``forward`` takes: InputSpecs, or example Tensors
            or arrays. Sizes of None stay open. None where the function was decorated with one or
            called before. Of a Program: its inputs, as Variables, their names, or InputSpecs with
            their names, which may give them other sizes; None: those that a Program for inference
            states, else all data variables that the outputs depend on.
        opset_version (int): the lowest version of ONNX's operators that will do, up to the newest
            that the package knows. From 11 on; where operators need a later one, or an older one
            is asked for, the model gets the oldest that will do, with a warning. The default, 9,
            asks for nothing in particular, so there is no warning. Default: 9.
        **configs: options.
            ``output_spec`` (list): the outputs to keep: Tensors that the decorated function
            returned, InputSpecs with the names of outputs, or these names. Of a Program: the
            outputs, as Variables or names; needed unless it states them itself.
            ``enable_onnx_checker`` (bool): let the package check the model. Default: True.

    Raises:
        NotFoundError: the package onnx is not installed.
        UnimplementedError: ONNX cannot express some operators: all are named, with the lines that
            asked for them.
        TypeError: an argument has a wrong type.
        ValueError: ``input_spec``, ``output_spec`` or ``opset_version`` does not fit.

    Examples:
        .. code-block:: python

            import os, tempfile
            import paddle
            from paddle.static import InputSpec

            net = paddle.nn.Sequential(paddle.nn.Linear(784, 10), paddle.nn.Softmax())
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "net")
                paddle.onnx.export(net, path, input_spec=[InputSpec([None, 784], "float32", "x")])
                print(os.listdir(folder))  # ['net.onnx']
    """
    output_spec, check = options(configs, _OPTIONS, _WHERE)
    if check is not None and not isinstance(check, bool):
        raise TypeError(
            f"{_WHERE}(enable_onnx_checker): expected a bool, but received {type(check).__name__}."
        )
    prefix = without_suffix(checked_prefix(path, f"{_WHERE}(path)"), _SUFFIX)
    onnx_package(_WHERE)
    opset = _checked_opset(opset_version)
    if isinstance(getattr(layer, "_program", layer), Program) and not isinstance(layer, Layer):
        program = program_of(layer, _WHERE)
        proto = _of_program(program, input_spec, output_spec, opset)
    else:
        model = model_to_save(layer, input_spec, output_spec, _WHERE, forward_only=True)
        proto = of_saved_model(model, opset, _WHERE)
    _write(proto, prefix, check is not False)


def _checked_opset(version: Any) -> int:
    if isinstance(version, bool) or not isinstance(version, int):
        raise TypeError(
            f"{_WHERE}(opset_version): expected an int, but received {type(version).__name__}."
        )
    newest = newest_opset()
    if not 1 <= version <= newest:
        raise InvalidArgumentError(
            f"{_WHERE}(opset_version): expected one of {OLDEST} to {newest}, "
            f"but received {version}."
        )
    return 0 if version == _DEFAULT_OPSET else version


# -- Programs -------------------------------------------------------------------------------------


def _of_program(program: Program, input_spec: Any, output_spec: Any, opset: int) -> Any:
    fetches = _outputs(program, output_spec)
    feeds, sizes = _inputs(program, input_spec, fetches)
    block = program.global_block()
    made = normalize(program, [block.var(n) for n in feeds], fetches, scaled=False)
    values = Stored(persistables(made), purpose=_WHERE)
    return to_onnx(made, values, opset=opset, where=_WHERE, sizes=sizes)


def _outputs(program: Program, output_spec: Any) -> list[Variable]:
    if output_spec is None:
        if not any(op.type == FETCH for op in program.global_block().ops):
            raise InvalidArgumentError(
                f"{_WHERE}: the Program states no outputs, for it has no fetch operators.",
                hint="name them: output_spec=[variable, ...]",
            )
        return fetch_variables(program)
    listed = _listed(output_spec, "output_spec")
    if not listed:
        raise InvalidArgumentError(f"{_WHERE}(output_spec): expected at least one output.")
    return [_variable(program, item, "output_spec", i) for i, item in enumerate(listed)]


def _inputs(
    program: Program, input_spec: Any, fetches: Sequence[Variable]
) -> tuple[list[str], dict[str, tuple[int, ...]]]:
    """The names of the inputs, and the sizes that InputSpecs give them."""
    if input_spec is None:
        stated = feed_names(program)
        needed = needed_by(program, {v.name for v in fetches})
        if stated:
            return [n for n in stated if n in needed], {}
        data = [v.name for v in program.global_block().vars.values() if v.is_data]
        return [n for n in data if n in needed], {}
    names, sizes = [], {}
    for i, item in enumerate(_listed(input_spec, "input_spec")):
        var = _variable(program, item, "input_spec", i)
        names.append(var.name)
        if isinstance(item, InputSpec):
            _check_fit(item, var, i)
            sizes[var.name] = item.shape
    return names, sizes


def _listed(given: Any, name: str) -> list[Any]:
    if isinstance(given, (Variable, str, InputSpec)):
        return [given]
    if not isinstance(given, (list, tuple)):
        raise TypeError(
            f"{_WHERE}({name}): expected a list of Variables of the Program, or their names, "
            f"but received {type(given).__name__}."
        )
    return list(given)


def _variable(program: Program, item: Any, name: str, at: int) -> Variable:
    found = item if isinstance(item, str) else getattr(item, "name", None)
    if not isinstance(item, (str, Variable, InputSpec)) or found is None:
        raise TypeError(
            f"{_WHERE}({name}): expected [{at}] to be a Variable, its name, or an InputSpec with "
            f"its name, but received {item!r:.60}."
        )
    block = program.global_block()
    if found not in block.vars:
        raise InvalidArgumentError(
            f"{_WHERE}({name}): the Program has no variable {found!r}; its data variables are "
            f"{sorted(v.name for v in block.vars.values() if v.is_data)}."
        )
    return block.vars[found]


def _check_fit(item: InputSpec, var: Variable, at: int) -> None:
    want, got = list(var.shape), list(item.shape)
    fits = len(want) == len(got) and all(w in (-1, g) for w, g in zip(want, got))
    if not fits or item.dtype != var.dtype:
        raise InvalidArgumentError(
            f"{_WHERE}(input_spec): expected [{at}] to fit variable {var.name!r} of shape {want} "
            f"and {var.dtype}, but received {item}."
        )


# -- files ----------------------------------------------------------------------------------------


def _write(proto: Any, prefix: str, check: bool) -> None:
    onnx = onnx_package(_WHERE)
    target = prefix + _SUFFIX
    refuse_folder(target, f"{_WHERE}(path)")
    large = proto.ByteSize() > _LARGEST
    with atomic_files(FileSet()) as files:
        if large:
            _move_data(proto, files.open(prefix + _DATA), os.path.basename(prefix) + _DATA)
        content = proto.SerializeToString()
        if check and not large:
            onnx.checker.check_model(content)
        files.open(target).write(content)
    if check and large:
        onnx.checker.check_model(target)


def _move_data(proto: Any, file: Any, name: str) -> None:
    """Puts the large constants into a file of their own."""
    helper = onnx_package(_WHERE).external_data_helper
    for tensor in proto.graph.initializer:
        data = tensor.raw_data
        if len(data) < 1024:
            continue
        at = file.tell()
        file.write(data)
        helper.set_external_data(tensor, name, at, len(data))
        tensor.ClearField("raw_data")


guard_module(globals())
