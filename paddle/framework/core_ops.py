"""``paddle.framework.core.ops``: operators called in the form of 2.0's native functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from paddle.core.errors import InvalidArgumentError
from paddle.core.op import OpDef
from paddle.core.tensor import Tensor
from paddle.framework import by_name
from paddle.ir.variable import Variable


class CoreOps:
    """Finds operators as functions: ``ops.yolo_box(x, img_size, 'class_num', 80, ...)``.

    Client libraries call them in dynamic mode. Operands come first, in the order of the slots;
    those that may be missing are left out, or are None. Names of attributes and their values
    follow in turn. The result is that of the operator, a tuple where it has several.

    Between them PaddlePaddle takes how many Tensors a list of results has, which says nothing here,
    and Tensors that results are written into; in-place operators get their operands a second time.
    Results that an operator writes into its operands come back with the others.

    Examples:
        .. code-block:: python

            import paddle
            from paddle.framework import core
            x = paddle.to_tensor([3.0, 1.0, 2.0])
            values, at = core.ops.argsort(x, "axis", 0, "descending", True)
            print(values.tolist(), at.tolist())  # [3.0, 2.0, 1.0] [0, 2, 1]
    """

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("__"):  # what Python and its tools ask of any object
            raise AttributeError(name)
        try:
            op = by_name.operator("paddle.framework.core.ops", name)
        except InvalidArgumentError as error:
            raise AttributeError(str(error)) from None

        form = _Form(op)

        def run(*args: Any) -> Any:
            return form.run(args)

        run.__name__ = name
        run.__doc__ = f"Runs the operator {op!r}."
        setattr(self, name, run)
        return run

    def __repr__(self) -> str:
        return "<paddle.framework.core.ops: operators called by name>"


# Where PaddlePaddle declares the slots in another order than we do.
_INPUTS = {
    "crop_tensor": ("X", "Shape", "Offsets", "ShapeTensor", "OffsetsTensor"),
    "data_norm": ("scale_w", "bias", "X", "BatchSize", "BatchSum", "BatchSquareSum"),
    "deformable_conv": ("Input", "Offset", "Filter", "Mask"),
    "dgc_clip_by_norm": ("X", "current_step"),
    "lookup_table_v2": ("W", "Ids"),
    "multiplex": ("Ids", "X"),
    "rmsprop": ("Param", "MeanSquare", "MeanGrad", "LearningRate", "Grad", "Moment"),
    "strided_slice": ("Input", "StartsTensor", "StartsTensorList", "EndsTensor", "EndsTensorList",
                      "StridesTensor", "StridesTensorList"),
}  # fmt: skip
_OUTPUTS = {
    "cudnn_lstm": ("Reserve", "StateOut", "Out", "LastH", "LastC", "last_h", "last_c"),
    "norm": ("Norm", "Out"),
    "rnn": ("DropoutState", "Reserve", "Out", "State"),
    "unique": ("Out", "Index", "Indices", "Counts"),
    "warpctc": ("WarpCTCGrad", "Loss"),
}
# Of operators with more results: those that may be written into Tensors that are given.
_INTO = {
    "accuracy": ("Correct", "Total"),
    "batch_norm": ("MeanOut", "VarianceOut"),
    "moving_average_abs_max_scale": ("OutScale", "OutState", "OutAccum"),
    "rnn": ("DropoutState",),
    "sync_batch_norm": ("MeanOut", "VarianceOut"),
}


def _ordered(slots: Any, names: tuple[str, ...] | None) -> list[Any]:
    return list(slots) if names is None else sorted(slots, key=lambda s: names.index(s.name))


class _Form:
    """How an operator is called: the order of its slots, and which results have a target.

    Args:
        op (OpDef): the operator.
    """

    def __init__(self, op: OpDef) -> None:
        self.op = op
        self.api = f"core.ops.{op.name}"
        self.inputs = _ordered(op.inputs, _INPUTS.get(op.name))
        self.outputs = _ordered(op.outputs, _OUTPUTS.get(op.name))
        self.needed = [slot for slot in self.inputs if not slot.optional]
        self.into = _INTO.get(op.name) or tuple(slot.name for slot in self.outputs)
        self.counts = any(slot.many for slot in op.outputs)

    def parted(self, given: list[Any]) -> tuple[list[Any], dict[str, Any]]:
        """The operands alone, and the Tensors to write into by output slot."""
        while self.counts and given and type(given[-1]) is int:
            given = given[:-1]
        count = len(given) - len(self.into)
        if len(given) > len(self.inputs) and count >= len(self.needed):
            return given[:count], dict(zip(self.into, given[count:], strict=True))
        while given and _is_repeated(given):
            given = given[:-1]
        return given, {}

    def by_slot(self, given: list[Any]) -> dict[str, Any]:
        """The operands that were given, by slot; one that may be missing can be None."""
        if len(given) < len(self.needed) or len(given) > len(self.inputs):
            raise InvalidArgumentError(
                f"{self.api}: expected {len(self.needed)} to {len(self.inputs)} operands, "
                f"{' '.join(slot.name for slot in self.inputs)}, but got {len(given)}."
            )
        slots = self.needed if len(given) == len(self.needed) else self.inputs
        return {slot.name: value for slot, value in zip(slots, given, strict=False)}

    def run(self, args: tuple) -> Any:
        """Runs the operator; its results in order, those written into operands among them."""
        given, attrs = _parted(self.op, args)
        operands, targets = self.parted(given)
        slots = self.by_slot(operands)
        for slot in self.outputs:
            target, operand = targets.get(slot.name), slots.get(slot.writes)
            if target is not None and operand is not None and operand is not target:
                slots[slot.writes] = operand.detach().clone()  # the operand stays what it is
        listed = [slots.get(slot.name) for slot in self.op.inputs]
        made = by_name.call(self.api, self.op, listed, attrs)
        returned = [slot.name for slot in self.op.outputs if not slot.writes]
        results = dict(zip(returned, (made,) if len(returned) == 1 else made or (), strict=True))
        found = []
        for slot in self.outputs:
            if slot.writes and slot.writes not in slots:
                continue  # the operand was left out, and so is what would be written into it
            value = slots[slot.writes] if slot.writes else results[slot.name]
            found.append(by_name.put(self.api, targets.get(slot.name), value))
        return found[0] if len(found) == 1 else tuple(found)


def _is_repeated(given: list[Any]) -> bool:
    last = given[-1]
    return isinstance(last, (Tensor, Variable)) and any(last is other for other in given[:-1])


def _parted(op: OpDef, args: tuple) -> tuple[list[Any], dict[str, Any]]:
    """The operands, and the attributes."""
    first = next((i for i, arg in enumerate(args) if isinstance(arg, str)), len(args))
    rest = args[first:]
    names = rest[::2]
    if len(rest) % 2 or not all(isinstance(name, str) for name in names):
        raise InvalidArgumentError(
            f"core.ops.{op.name}: expected names of attributes and their values in turn after the "
            f"operands, but got {rest!r}."
        )
    return list(args[:first]), dict(zip(names, rest[1::2], strict=True))
