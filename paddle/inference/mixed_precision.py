"""convert_to_mixed_precision: a saved model whose parameters take 16 bits."""

from __future__ import annotations

import os
from collections.abc import Collection
from typing import Any

import numpy as np

from paddle.analysis.frozen import frozen_variables
from paddle.core.convert import tensor_of
from paddle.core.dtype import VarType, dtype_name
from paddle.core.errors import InvalidArgumentError
from paddle.inference.kinds import PlaceType, PrecisionType
from paddle.inference.model_source import ModelSource
from paddle.ir.operator import Operator, Role
from paddle.ir.program import Program
from paddle.ir.variable import Variable
from paddle.serialization.models.layouts import MAIN, Layout, MethodFiles
from paddle.serialization.models.saved_model import SavedModel
from paddle.serialization.tensor_stream import Dense

_WHERE = "convert_to_mixed_precision"
_TYPES = {PrecisionType.Half: VarType.FP16, PrecisionType.Bfloat16: VarType.BF16}
_LARGEST_HALF = float(np.finfo(np.float16).max)


def convert_to_mixed_precision(
    model_file: str, params_file: str, mixed_model_file: str, mixed_params_file: str,
    mixed_precision: PrecisionType, backend: PlaceType, keep_io_types: bool = True,
    black_list: Collection[str] = (), **kwargs: Any,
) -> None:  # fmt: skip
    """Saves a model anew, with its parameters in 16 bits: files of half the size.

    The Program casts each parameter back to float32, once, when a Predictor is made, and so it
    computes in float32 with rounded parameters, on any device. Where ``enable_mkldnn_bfloat16`` is
    on, it computes in bfloat16, as with any other model.

    Args:
        model_file (str): the program.
        params_file (str): its parameters.
        mixed_model_file (str): where the new program goes.
        mixed_params_file (str): where its parameters go.
        mixed_precision (PrecisionType): ``Half`` or ``Bfloat16``.
        backend (PlaceType): where it is to run; what is saved is the same for all.
        keep_io_types (bool): inputs and outputs keep their types. False is not there.
            Default: True.
        black_list (set): types of operators whose parameters stay in float32.
        **kwargs: ``white_list`` (set): types of operators whose parameters are the only ones to
            be converted.

    Raises:
        InvalidArgumentError: the precision is another one, or the model cannot be read.
        NotImplementedError: ``keep_io_types`` is False.

    Examples:
        .. code-block:: python

            import paddle
            from paddle.inference import PlaceType, PrecisionType, convert_to_mixed_precision
            from paddle.static import InputSpec
            net = paddle.nn.Linear(64, 64)
            paddle.jit.save(net, "mixed/net", input_spec=[InputSpec([None, 64])])
            convert_to_mixed_precision(
                "mixed/net.pdmodel", "mixed/net.pdiparams", "mixed/half.pdmodel",
                "mixed/half.pdiparams", PrecisionType.Half, PlaceType.CPU,
            )
    """
    white_list = kwargs.pop("white_list", None)
    if kwargs:
        raise TypeError(f"{_WHERE}: unexpected arguments {sorted(kwargs)}.")
    if mixed_precision not in _TYPES or not isinstance(mixed_precision, PrecisionType):
        raise InvalidArgumentError(
            f"{_WHERE}(mixed_precision): expected PrecisionType.Half or PrecisionType.Bfloat16, "
            f"but received {mixed_precision!r}."
        )
    if not isinstance(backend, PlaceType):
        raise TypeError(f"{_WHERE}(backend): expected a PlaceType, but received {backend!r}.")
    if not keep_io_types:
        raise NotImplementedError(
            f"{_WHERE}(keep_io_types=False): inputs and outputs keep their types; cast them in the "
            "model before it is saved."
        )
    source = ModelSource()
    source.set_model(model_file, params_file)
    model = source.read_model()
    program, values = model.programs[MAIN], dict(model.values)
    kind = _TYPES[mixed_precision]
    for name in _chosen(program, model.feeds(), black_list, white_list):
        value = values[name]
        if kind == VarType.FP16 and np.abs(value.array).max(initial=0) > _LARGEST_HALF:
            continue  # it would be infinite
        values[name] = Dense(tensor_of(value.array, kind, "cpu").numpy(), value.lod, kind)
        _cast_when_read(program, name, kind)
    folder = os.path.dirname(mixed_model_file)
    if folder:
        os.makedirs(folder, exist_ok=True)
    files = MethodFiles(mixed_model_file, mixed_params_file, folder)
    base = os.path.splitext(mixed_model_file)[0]
    SavedModel({MAIN: program}, values).write(Layout(base, {MAIN: files}, None), _WHERE)


def _chosen(
    program: Program, feeds: Collection[str], black: Collection[str], white: Any
) -> list[str]:
    """The parameters in float32 that nothing writes, and that only operators read that may."""
    refused = set()
    for block in program.blocks:
        for op in block.ops:
            if op.type in black or (white is not None and op.type not in white):
                refused.update(op.input_arg_names)
    variables = program.global_block().vars
    stored = frozen_variables(program, feeds) - refused
    return sorted(
        n for n in stored if n in variables and variables[n].type == VarType.LOD_TENSOR
        and variables[n].dtype == VarType.FP32
    )  # fmt: skip


def _cast_when_read(program: Program, name: str, kind: VarType) -> None:
    """Stores a parameter in 16 bits, and lets operators read a copy in float32."""
    top = program.global_block()
    stored, wide = top.vars[name], f"{name}.cast_{dtype_name(VarType.FP32)}"
    top.vars[wide] = Variable(top, name=wide, shape=stored.shape, dtype=VarType.FP32)
    stored.dtype = kind
    for block in program.blocks:
        for op in block.ops:
            for slot, names in op.inputs.items():
                op.inputs[slot] = [wide if n == name else n for n in names]
    attrs = {"in_dtype": int(kind), "out_dtype": int(VarType.FP32), "op_role": Role.FORWARD}
    top.ops.insert(0, Operator(top, "cast", {"X": [name]}, {"Out": [wide]}, attrs))
