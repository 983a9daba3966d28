"""Batch normalisation folded into convolutions before calibration: in Programs, and in Layers."""

from __future__ import annotations

from typing import Any

import numpy as np

from paddle import nn
from paddle.core.errors import InvalidArgumentError
from paddle.ir.operator import Operator
from paddle.ir.program import Program
from paddle.nn.layer.layers import Layer
from paddle.passes.conv_bn import is_fixed
from paddle.quantization.numbers import held, put
from paddle.quantization.tables import CONVOLUTIONS

_CONVOLUTIONS: tuple[type, ...] = (nn.Conv1D, nn.Conv2D, nn.Conv3D)
_NORMS: tuple[type, ...] = (nn.BatchNorm1D, nn.BatchNorm2D, nn.BatchNorm3D, nn.BatchNorm)


def fold_program(program: Program, fetches: list[Any], scope: Any) -> int:
    """Folds norms behind convolutions, for good: the weights in the scope become others.

    Args:
        program (Program): for inference; it is changed.
        fetches (list[Variable]): its results.
        scope (Scope): where the weights are.

    Returns:
        int: how many norms were folded.
    """
    block = program.global_block()
    kept, count = {v.name for v in fetches}, 0
    for norm in [op for op in block.ops if op.type == "batch_norm" and is_fixed(op)]:
        found = _before(norm, block.ops, kept)
        if found is not None:
            _fold_norm(norm, *found, scope)
            count += 1
    read = {name for op in block.ops for name in (*op.input_arg_names, *op.output_arg_names)}
    block.vars = {name: var for name, var in block.vars.items() if name in read}
    return count


def _before(
    norm: Operator, ops: list[Operator], kept: set[str]
) -> tuple[Operator, Operator | None] | None:
    """The convolution before a norm, and the addition of its bias; None if it has to stay."""
    bias, conv = None, _sole_maker(norm.inputs["X"][0], ops, kept)
    if conv is not None and conv.type == "elementwise_add":
        bias, conv = conv, _sole_maker(conv.inputs["X"][0], ops, kept)
        shift = bias.block.var(bias.inputs["Y"][0])
        wide = [size for size in shift.shape if size != 1]
        if not shift.persistable or len(wide) > 1 or bias.attrs.get("axis", -1) not in (-1, 1):
            return None
    if conv is None or conv.type not in CONVOLUTIONS or conv.inputs.get("Bias"):
        return None
    (name,) = conv.inputs["Filter"]
    grouped = conv.type == "conv2d_transpose" and conv.attrs.get("groups", 1) != 1
    plain = all(
        op.attrs.get(key, "NCHW") in ("NCHW", "AnyLayout")
        for op, key in ((conv, "data_format"), (norm, "data_layout"))
    )
    names = [name] if bias is None else [name, bias.inputs["Y"][0]]
    alone = all(sum(n in op.input_arg_names for op in ops) == 1 for n in names)
    filter = conv.block.var(name)
    return (conv, bias) if filter.persistable and plain and alone and not grouped else None


def _sole_maker(name: str, ops: list[Operator], kept: set[str]) -> Operator | None:
    """The operator that writes a value, if one operator alone reads it."""
    makers = [op for op in ops if name in op.output_arg_names]
    readers = [op for op in ops if name in op.input_arg_names]
    return makers[0] if len(makers) == len(readers) == 1 and name not in kept else None


def _fold_norm(norm: Operator, conv: Operator, bias: Operator | None, scope: Any) -> None:
    block, (name,) = norm.block, conv.inputs["Filter"]
    weight = held(scope, name)
    slots = ("Scale", "Bias", "Mean", "Variance")
    values: list[Any] = [held(scope, norm.inputs[slot][0]) for slot in slots]
    shift = None if bias is None else held(scope, bias.inputs["Y"][0])
    axis = 1 if conv.type == "conv2d_transpose" else 0
    start = None if shift is None else shift.reshape(-1)
    epsilon = norm.attrs.get("epsilon", 1e-5)
    made, added = _folded(weight, start, values, epsilon, axis)
    put(scope, name, made)
    (out,) = norm.outputs["Y"]
    if bias is not None and shift is not None:
        put(scope, bias.inputs["Y"][0], added.reshape(shift.shape))
        bias.outputs["Out"] = [out]
        block.ops.remove(norm)
        return
    (name,) = norm.inputs["Bias"]
    put(scope, name, added)
    inputs = {"X": conv.outputs["Output"], "Y": [name]}
    at = block.ops.index(norm)
    block.ops[at] = Operator(block, "elementwise_add", inputs, {"Out": [out]}, {"axis": 1})


def _folded(
    weight: np.ndarray, bias: np.ndarray | None, norm: list[Any], epsilon: float, axis: int
) -> tuple[np.ndarray, np.ndarray]:
    """The weight and bias of a convolution with the norm behind it."""
    scale, shift, mean, variance = norm
    factor = scale / np.sqrt(variance.astype("float64") + epsilon)
    along = factor.reshape([-1 if d == axis else 1 for d in range(weight.ndim)])
    start = np.zeros_like(mean) if bias is None else bias
    made = (weight * along).astype(weight.dtype)
    return made, ((start - mean) * factor + shift).astype(weight.dtype)


def fold_layers(model: Layer, pairs: Any = None) -> list[list[str]]:
    """Folds norms into the convolutions before them; the norms become Identity.

    Args:
        model (Layer): in evaluation mode; it is changed.
        pairs (list, optional): lists of the names of a convolution and of the norm behind it.
            Default: each norm that stands directly behind a convolution in the same Layer.

    Returns:
        list: the pairs.

    Raises:
        ValueError: a name that there is not, or a pair of other Layers.
    """
    known = dict(model.named_sublayers())
    chosen = _behind(model) if pairs is None else [list(pair) for pair in pairs]
    for pair in chosen:
        missing = [name for name in pair if name not in known]
        if missing or len(pair) != 2:
            raise InvalidArgumentError(
                f"fuse_list: expected pairs of names of Layers, but got {pair}"
                + (f", and there is no {missing}." if missing else ".")
            )
        conv, norm = (known[name] for name in pair)
        if not isinstance(conv, _CONVOLUTIONS) or not isinstance(norm, _NORMS):
            raise InvalidArgumentError(
                f"fuse_list: expected a convolution and a batch norm, but {pair} are "
                f"{type(conv).__name__} and {type(norm).__name__}."
            )
        _fold(conv, norm)
        holder, _, last = pair[1].rpartition(".")
        (known[holder] if holder else model).add_sublayer(last, nn.Identity())
    return chosen


def _behind(model: Layer) -> list[list[str]]:
    """Each norm that stands directly behind a convolution with as many channels."""
    found: list[list[str]] = []
    last: tuple[str, Any] | None = None
    for name, layer in model.named_sublayers():
        holder = name.rpartition(".")[0]
        if isinstance(layer, _NORMS) and last is not None and last[0].rpartition(".")[0] == holder:
            if last[1].weight.shape[0] == layer.weight.shape[0]:
                found.append([last[0], name])
        last = (name, layer) if isinstance(layer, _CONVOLUTIONS) else None
    return found


def _fold(conv: Any, norm: Any) -> None:
    values = [getattr(norm, n).numpy() for n in ("weight", "bias", "_mean", "_variance")]
    bias = None if conv.bias is None else conv.bias.numpy()
    epsilon = vars(norm)["_epsilon"]
    weight, bias = _folded(conv.weight.numpy(), bias, values, epsilon, 0)
    conv.weight.set_value(weight)
    if conv.bias is None:
        conv.bias = conv.create_parameter([len(bias)], is_bias=True)
    conv.bias.set_value(bias)
