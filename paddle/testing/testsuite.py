"""Operators called by name in a scope; found as ``testsuite`` by PaddlePaddle's tests."""

from __future__ import annotations

from typing import Any

import numpy as np

from paddle.core.dtype import VarType
from paddle.core.errors import InvalidArgumentError
from paddle.core.lod import LoDTensor
from paddle.fluid.op import Operator
from paddle.testing.cases import of_bits
from paddle.testing.programs import dynamic

__all__ = [
    "append_input_output", "append_loss_ops", "as_lodtensor", "create_op", "put", "set_input",
]  # fmt: skip


def as_lodtensor(np_array: Any, lod: Any, place: Any) -> LoDTensor:
    """Returns a LoDTensor of an array.

    Args:
        np_array (array): the rows.
        lod (list[list[int]], optional): the lengths of their sequences.
        place (Place): where it lies.
    """
    made = LoDTensor()
    put(made, np_array, lod, place)
    return made


def put(held: LoDTensor, array: Any, lengths: Any, place: Any) -> None:
    """Puts an array and the lengths of its sequences into a LoDTensor.

    Args:
        held (LoDTensor): gets them.
        array (array): those of uint16 are the bits of bfloat16.
        lengths (list[list[int]], optional): of its sequences.
        place (Place): where it lies.
    """
    array = np.asarray(array)
    if array.dtype == np.uint16:
        with dynamic():
            bits = of_bits(array)
        held.set(bits, place)
    else:
        held.set(array.reshape(1) if array.ndim == 0 else array, place)
    held.set_recursive_sequence_lengths(lengths or [])


def create_op(
    scope: Any, op_type: str, inputs: dict[str, Any], outputs: dict[str, Any],
    attrs: dict[str, Any], cache_list: list[str] | None = None,
) -> Any:  # fmt: skip
    """Makes a call of an operator, to be run in a scope; its variables are there then.

    A variable is named after its slot; in a list, after the first part of its pair.

    Args:
        scope (Scope): gets the variables.
        op_type (str): the operator's name.
        inputs (dict): slot -> anything, or ``[(name, anything), ...]`` for a slot with a list.
        outputs (dict): the same for the results.
        attrs (dict): attributes; those that the operator has not are left out.
        cache_list (list[str], optional): further variables that the scope gets.

    Returns:
        object: has ``type()`` and ``run(scope, place)``.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle
            from paddle.testing.testsuite import create_op, set_input
            scope, place = paddle.static.Scope(), paddle.CPUPlace()
            inputs = {"X": np.ones([2], "float32")}
            op = create_op(scope, "scale", inputs, {"Out": None}, {"scale": 3.0})
            set_input(scope, op, inputs, place)
            op.run(scope, place)
            print(np.array(scope.find_var("Out").get_tensor()))  # [3. 3.]
    """
    given: dict[str, Any] = {}
    for slots, named in (
        (Operator.get_op_inputs(op_type), inputs),
        (Operator.get_op_outputs(op_type), outputs),
    ):
        given |= {slot: _names(slot, named[slot]) for slot, _ in slots if slot in named}
    for names in given.values():
        for name in names:
            scope.var(name).get_tensor()
    for name in cache_list or []:
        scope.var(name)
    known = Operator.get_op_attr_names(op_type)
    return Operator(op_type, **given, **{k: v for k, v in attrs.items() if k in known})


def _pairs(slot: str, value: Any) -> list[tuple[str, Any]]:
    """The names of the variables of a slot with what they hold."""
    if isinstance(value, list) and value and isinstance(value[0], (tuple, list)):
        return [(pair[0], pair[1]) for pair in value]
    return [(slot, value)]


def _names(slot: str, value: Any) -> list[str]:
    return [name for name, _ in _pairs(slot, value)]


def set_input(scope: Any, op: Any, inputs: dict[str, Any], place: Any) -> None:
    """Puts arrays into the input variables of a call.

    Args:
        scope (Scope): has the variables.
        op (object): what :func:`create_op` returned.
        inputs (dict): slot -> array or number, ``(array, lengths)`` with the lengths of its
            sequences, or ``[(name, array), ...]``. Arrays of uint16 are the bits of bfloat16.
        place (Place): where they lie.
    """
    for slot, _ in Operator.get_op_inputs(op.type()):
        if slot not in inputs:
            continue
        for name, value in _pairs(slot, inputs[slot]):
            array, lengths = value if isinstance(value, tuple) else (value, None)
            if isinstance(array, (np.ndarray, np.generic, float, int)):
                put(scope.var(name).get_tensor(), array, lengths, place)


def append_input_output(
    block: Any, op_proto: Any, np_list: dict[str, Any], is_input: bool, dtype: Any = "float32"
) -> dict[str, Any]:
    """Makes the variables of an operator in a block.

    Args:
        block (Block): gets them.
        op_proto (OpProto): the operator's slots, of ``OpProtoHolder.instance().get_op_proto``.
        np_list (dict): slot -> array, in the forms of :func:`set_input`.
        is_input (bool): the input slots, not those of results. Results get no shape.
        dtype (str): of results. Default: float32.

    Returns:
        dict: slot -> Variable, or a list of them.
    """
    made: dict[str, Any] = {}
    for slot in op_proto.inputs if is_input else op_proto.outputs:
        if slot.name not in np_list:
            if slot.dispensable:
                continue
            if is_input:
                raise InvalidArgumentError(
                    f"append_input_output: {op_proto.type} needs the input {slot.name!r}, but "
                    f"{sorted(np_list)} are given."
                )
        value = np_list.get(slot.name)
        pairs = _pairs(slot.name, value)
        if slot.duplicable and not isinstance(value, list):
            raise InvalidArgumentError(
                f"append_input_output: expected [(name, array), ...] for the slot {slot.name!r} "
                f"of {op_proto.type}, which takes a list, but received {type(value).__name__}."
            )
        listed = [_variable(block, name, part, is_input, dtype) for name, part in pairs]
        made[slot.name] = listed if slot.duplicable else listed[0]
    return made


def _variable(block: Any, name: str, value: Any, is_input: bool, dtype: Any) -> Any:
    if not is_input:
        return block.create_var(name=name, dtype=_kind(dtype))
    array, lengths = value if isinstance(value, tuple) else (value, [])
    array = np.asarray(array)
    return block.create_var(
        name=name, shape=list(array.shape), dtype=_kind(array.dtype), lod_level=len(lengths)
    )


def _kind(dtype: Any) -> Any:
    """The type of a variable; NumPy holds bfloat16 as uint16."""
    if isinstance(dtype, VarType):
        return dtype
    return VarType.BF16 if np.dtype(dtype) == np.uint16 else str(np.dtype(dtype))


def append_loss_ops(block: Any, output_names: list[str]) -> Any:
    """Appends the mean of the means of variables.

    Args:
        block (Block): has them.
        output_names (list[str]): their names.

    Returns:
        Variable: the mean.
    """
    means = [_appended(block, "mean", [block.var(name)]) for name in output_names]
    if len(means) == 1:
        return means[0]
    total = _appended(block, "sum", means)
    return _appended(block, "scale", [total], {"scale": 1.0 / len(means)})


def _appended(block: Any, op_type: str, inputs: list, attrs: dict[str, Any] | None = None) -> Any:
    out = block.create_var(dtype=inputs[0].dtype, shape=[1])
    block.append_op(type=op_type, inputs={"X": inputs}, outputs={"Out": [out]}, attrs=attrs or {})
    return out
