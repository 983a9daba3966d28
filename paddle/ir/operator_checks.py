"""What is checked of an operator when it is added to a Block by hand."""

from __future__ import annotations

from paddle.core.errors import InvalidArgumentError
from paddle.ir.attribute_kinds import MISFIT, AttrType, declared, fit
from paddle.ir.operator import EMPTY, Operator, here
from paddle.ir.recording.shapes import SPECIAL


def check_operator(op: Operator) -> None:
    """Checks slots and attributes against the registered operator.

    Raises:
        InvalidArgumentError: an input is missing, a slot for one variable has several, nothing
            takes the outputs, or an attribute is of another kind than PaddlePaddle declares.
    """
    known = op.definition
    if known is None or known.base is not None or op.type in SPECIAL:
        return
    for slot in known.inputs:
        names = [n for n in op.inputs.get(slot.name, ()) if n != EMPTY]
        if not names and not slot.optional and not slot.many:
            expected = [s.name for s in known.inputs if not s.optional]
            raise InvalidArgumentError(
                f"Block.append_op({op.type}): expected the inputs {expected}, but {slot.name!r} is "
                f"missing; those given are {sorted(op.inputs)}.{here()}"
            )
        if len(names) > 1 and not slot.many:
            raise InvalidArgumentError(
                f"Block.append_op({op.type}): expected one variable as input {slot.name!r}, but "
                f"received {len(names)}: {names[:8]}.{here()}"
            )
    expected = [s.name for s in known.outputs]
    if expected and not op.output_arg_names:
        raise InvalidArgumentError(
            f"Block.append_op({op.type}): expected some of the outputs {expected}, but none is "
            f"given.{here()}"
        )
    check_attributes(op)


def check_attributes(op: Operator) -> None:
    """Checks attributes against the registered operator, if there is one.

    Raises:
        InvalidArgumentError: an attribute is of another kind than PaddlePaddle declares.
    """
    known = op.definition
    if known is None:
        return
    for name, value in op.attrs.items():
        kind = declared(op.type, name) if name in known.attrs else None
        if kind is not None and fit(kind, value) is MISFIT and fit_loosely(kind, value):
            raise InvalidArgumentError(
                f"Block.append_op({op.type}): expected attribute {name!r} to be of the kind "
                f"{AttrType(kind).name}, but it is {type(value).__name__} {value!r:.60}.{here()}"
            )


def fit_loosely(kind: AttrType, value: object) -> bool:
    """Whether a value is a string where a number is expected, or the other way round."""
    listed = value if isinstance(value, (list, tuple)) else [value]
    texts = kind in (AttrType.STRING, AttrType.STRINGS)
    return any(isinstance(v, (str, bytes)) != texts for v in listed)
