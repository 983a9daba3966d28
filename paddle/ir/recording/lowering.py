"""How operators of our own are recorded: as PaddlePaddle's, so that any engine can run them."""

from __future__ import annotations

from typing import Any

from paddle.core import unique_name
from paddle.core.infer import checked_infer
from paddle.core.mode import GRAD, get_mode
from paddle.core.op import REGISTRY, REQUIRED, OpDef
from paddle.ir.current import default_main_program
from paddle.ir.recording.context import current_layer, layer_name
from paddle.ir.recording.record import _spec, _taken, append, lowering, plain_attr


def _named(name: str) -> Any:
    """The naming context of a call that becomes several operators."""
    return layer_name(current_layer.get() or unique_name.generate(name))


def write(out: Any, name: str, args: list[Any], attrs: dict[str, Any], block: Any = None) -> Any:
    """Records an operator whose (first) result is put into a variable that exists already.

    Args:
        out (Variable): what is written; an eager Tensor where something stands for it.
        name (str): the operator.
        args (list): inputs in the order of its slots; the rest is left out.
        attrs (dict): attributes that differ from their defaults.
        block (Block, optional): where the operator goes; None means the current block.

    Returns:
        Variable: ``out``.
    """
    op = REGISTRY[name]
    target = as_variable(out)
    given = [*args, *[None] * (len(op.inputs) - len(args))]
    values = [_taken(op, slot, arg) for slot, arg in zip(op.inputs, given, strict=True)]
    (block or default_main_program().current_block()).append_op(
        type=name,
        inputs={s.name: v for s, v in zip(op.inputs, values, strict=True) if v is not None},
        outputs={op.outputs[0].name: [target]},
        attrs={k: plain_attr(v) for k, v in {**op.attrs, **attrs}.items() if v is not REQUIRED},
    )
    trains = get_mode() & GRAD and op.outputs[0].differentiable and not target.persistable
    for slot, value in zip(op.inputs, values, strict=True):
        for var in value if slot.many and value else [value]:
            if trains and var is not None and slot.differentiable and not var.stop_gradient:
                target.stop_gradient = False
    return target


def as_variable(value: Any) -> Any:
    """The Variable itself, or the one that stands for an eager Tensor."""
    assign = REGISTRY["assign"]
    return _taken(assign, assign.inputs[0], value)


def add_bias(out: Any, bias: Any, axis: int) -> Any:
    """Records ``out + bias``, the bias lying along ``axis``."""
    return append(REGISTRY["elementwise_add"], (out, bias), {"axis": axis})


@lowering("linear")
def _linear(args: tuple, attrs: dict[str, Any]) -> Any:
    x, w, bias = args
    with _named("linear"):
        out = append(REGISTRY["matmul_v2"], (x, w), {"trans_x": False, "trans_y": False})
        return out if bias is None else add_bias(out, bias, len(out.shape) - 1)


def _whole(name: str, args: tuple, **attrs: Any) -> Any:
    """Records an operator with all its attributes."""
    op = REGISTRY[name]
    return append(op, args, {**op.attrs, **attrs})


@lowering("scaled_dot_product_attention")
def _attention(args: tuple, attrs: dict[str, Any]) -> Any:
    op = REGISTRY["scaled_dot_product_attention"]
    given = [_taken(op, slot, arg) for slot, arg in zip(op.inputs, args, strict=True)]
    checked_infer(op, [_spec(value) for value in given], attrs)  # so that errors say the same
    q, k, v, mask = given
    rate = attrs["dropout_prob"]
    scores = _whole(
        "matmul_v2", (_whole("scale", (q, None), scale=attrs["scale"]), k), trans_y=True
    )
    if mask is not None:
        scores = _whole("elementwise_add", (scores, mask))
    weights = _whole("softmax", (scores,))
    if rate:
        upscale = "upscale_in_train"
        weights, _ = _whole(
            "dropout", (weights, None), dropout_prob=rate, dropout_implementation=upscale
        )
    return _whole("matmul_v2", (weights, v)), None, None


def append_without_bias(op: OpDef, args: tuple, attrs: dict[str, Any]) -> Any:
    """Splits the bias off: PaddlePaddle's layers add it by an operator of its own."""
    at = [s.name for s in op.inputs].index("Bias")
    bias = args[at]
    if bias is None:
        return append(op, args, attrs)
    with _named(op.name):
        out = append(op, (*args[:at], None, *args[at + 1 :]), attrs)
        last = str(attrs.get("data_format", "NCHW")).endswith("C")
        return add_bias(out, bias, len(out.shape) - 1 if last else 1)
