"""What kernels refuse is refused when a Program is built, unless only a run can tell."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import paddle
from paddle import static
from paddle.core.dtype import VarType
from paddle.core.infer import Spec, checked_infer
from paddle.core.op import REGISTRY
from paddle.ir.recording.record import plain_attr
from tests.ops.table import ERRORS, call, identities, tensors


def specs(value: Any) -> Any:
    if isinstance(value, list):
        return [specs(v) for v in value]
    return None if value is None else Spec(tuple(value.shape), value.dtype)


def record(error: Any) -> None:
    """Adds the operator to a Program by hand, with variables like the inputs."""
    op = REGISTRY[error.op]
    found = [specs(t) for t in tensors(error)]
    if op.proto is not None:  # none of PaddlePaddle's: a Program holds others in its place
        checked_infer(op, found, error.attrs)
        return
    main = static.Program()
    block = main.global_block()
    inputs, outputs = {}, {}
    for slot, given in zip(op.inputs, found, strict=True):
        if given is not None:
            listed = given if slot.many else [given]
            inputs[slot.name] = [
                block.create_var(name=f"{slot.name}_{i}", shape=s.shape, dtype=s.dtype)
                for i, s in enumerate(listed)
            ]
    for slot in op.outputs:
        outputs[slot.name] = inputs.get(slot.writes, [f"made_{slot.name}"])
    attrs = {k: plain_attr(v) for k, v in error.attrs.items()}
    block.append_op(type=op.name, inputs=inputs, outputs=outputs, attrs=attrs)


def values(array: Any, kind: str, rows: int) -> Any:
    """An array of the same shape and dtype with harmless values of one kind."""
    if array is None:
        return None
    if isinstance(array, list):
        return [values(a, kind, rows) for a in array]
    array = np.asarray(array)
    made = np.ones(array.shape)
    if kind == "zeros":
        made = np.zeros(array.shape)
    elif kind == "numbered":
        made = np.arange(array.size).reshape(array.shape)
    elif kind == "half" and array.dtype.kind == "f":
        made = np.full(array.shape, 0.5)
    elif kind == "identity" and array.ndim > 1:
        made = np.broadcast_to(np.eye(*array.shape[-2:]), array.shape)
    elif kind == "all in the first" and array.size:  # how many rows belong to each image
        made = np.zeros(array.shape)
        made.flat[0] = rows
    return made.astype(array.dtype)


def with_other_values(error: Any) -> Iterator[Any]:
    """The same call with other values of the inputs."""
    kinds = ("zeros", "ones", "identity", "half", "numbered", "all in the first")
    arrays = [a for a in error.inputs.values() if isinstance(a, np.ndarray) and a.ndim]
    sizes = {len(a) for a in arrays} or {0}
    combinations = itertools.product(kinds, repeat=min(len(error.inputs), 3))
    for chosen, rows in itertools.product(combinations, sizes):
        last = chosen[-1] if chosen else ""
        each = itertools.chain(chosen, itertools.repeat(last))
        inputs = {k: values(v, kind, rows) for (k, v), kind in zip(error.inputs.items(), each)}
        yield dataclasses.replace(error, inputs=inputs)


def runs(error: Any) -> bool:
    try:
        call(error, tensors(error))
    except Exception:
        return False
    return True


@pytest.mark.parametrize("error", ERRORS, ids=identities(ERRORS))
def test_refused_when_recorded(error: Any) -> None:
    try:
        record(error)
    except Exception as raised:
        # The kind of an attribute is checked before, and a shape rule may find another fault.
        assert isinstance(raised, (error.raises, ValueError, TypeError)), raised
        assert error.op in str(raised) and "meta" not in str(raised), raised
        return
    if error.at_run:
        return
    assert any(map(runs, with_other_values(error))), (
        "recorded, though no values of these shapes and types were found that the kernel takes: "
        "let the shape rule refuse it"
    )


# -- mul, in the guide's words ------------------------------------------------------------------

WIDE = (
    r"After flatten the input tensor X and Y to 2-D dimensions matrix X1 and Y1, the matrix X1's "
    r"width must be equal with matrix Y1's height\. But received "
)
RANK = r"The input tensor {0}'s dimensions of MulOp should be larger than {1}_num_col_dims\. But "
MUL = [
    ((3, 4), (5, 2), {}, WIDE + r"X's shape = \[3, 4\], X1's shape = \[3, 4\], X1's width = 4; "
     r"Y's shape = \[5, 2\], Y1's shape = \[5, 2\], Y1's height = 5\."),
    ((-1, 4), (5, 2), {}, WIDE + r".*X1's shape = \[-1, 4\], X1's width = 4; .* Y1's height = 5"),
    ((2, 3, 4), (4, 2), {}, WIDE + r".*X1's shape = \[2, 12\], X1's width = 12; .* height = 4"),
    ((3, 4), (4, 2), {"x_num_col_dims": 2}, RANK.format("X", "x") + r"received X's dimensions = 2, "
     r"X's shape = \[3, 4\], x_num_col_dims = 2"),
    ((-1, 4), (4,), {}, RANK.format("Y", "y") + r"received Y's dimensions = 1, Y's shape = \[4\], "
     r"y_num_col_dims = 1"),
    ((3, 4), (4, 2), {"x_num_col_dims": 0}, "x_num_col_dims is expected to be at least 1, but "
     "received 0"),
    ((3, 4), (4, 2), {"y_num_col_dims": -1}, "y_num_col_dims is expected to be at least 1"),
    ((3, 4), (0, 2), {}, r"The Input variable Y has not been initialized\. You may need to confirm "
     r"if you put exe\.run\(startup_program\) after optimizer\.minimize function\."),
]  # fmt: skip


@pytest.mark.parametrize(("x", "y", "attrs", "text"), MUL)
def test_mul(x: tuple, y: tuple, attrs: dict, text: str) -> None:
    block = static.Program().global_block()
    for name, shape in (("x", x), ("y", y)):
        block.create_var(name=name, shape=shape, dtype="float32")
    kind = RuntimeError if 0 in y else ValueError  # as the guide's platform::errors say
    with pytest.raises(kind, match=text) as caught:
        block.append_op("mul", {"X": "x", "Y": "y"}, {"Out": "out"}, attrs)
    assert "[operator < mul > error]" in str(caught.value)
    assert "test_errors_recorded.py" in str(caught.value)
    assert not block.ops
    if -1 in x:
        return
    args = [paddle.ones(shape) for shape in (x, y)]
    with pytest.raises(kind, match=text):
        paddle.core.op.C.mul(*args, **attrs)


def test_what_is_unknown_of_mul_is_checked_when_run() -> None:
    main = static.Program()
    block = main.global_block()
    for name, shape in (("x", (2, -1)), ("y", (4, 5))):
        block.create_var(name=name, shape=shape, dtype="float32", is_data=True)
    block.append_op("mul", {"X": "x", "Y": "y"}, {"Out": "out"})
    assert block.var("out").shape == (2, 5)
    feed = {"x": np.ones((2, 4), "float32"), "y": np.ones((4, 5), "float32")}
    (out,) = static.Executor().run(main, feed=feed, fetch_list=["out"])
    np.testing.assert_array_equal(out, np.full((2, 5), 4.0))
    feed["x"] = np.ones((2, 3), "float32")
    with pytest.raises(ValueError, match=WIDE + r"X's shape = \[2, 3\].*width = 3; .*height = 4"):
        static.Executor().run(main, feed=feed, fetch_list=["out"])


F32, I64 = VarType.FP32, VarType.INT64
UNKNOWN_BATCH = [
    ("conv2d", [(-1, 3, 2, 2), (4, 3, 3, 3)], {}, r"padded input, .* size \[3, 3\], .* \[2, 2\]"),
    (
        "pool2d",
        [(-1, 3, 2, 2)],
        {"ksize": [5, 5], "pooling_type": "max"},
        r"padded input, .* size \[5, 5\]",
    ),
    ("stack", [[(-1, 3), (-1, 4)]], {}, r"one shape, .*\[-1, 3\], \[-1, 4\]"),
    ("sum", [[(-1, 3), (-1, 4)]], {}, "differ in dimension 1"),
    ("bmm", [(-1, 3, 4), (-1, 5, 6)], {}, r"\[-1, 3, 4\] and \[-1, 5, 6\]"),
    ("elementwise_add", [(-1, 3), (3,)], {"axis": 5}, "0 to 1, but it is 5"),
    ("matmul_v2", [(-1, 10), (9, 3)], {}, "inner dimensions"),
    ("dropout", [(-1, 3), None], {"dropout_prob": 1.5}, r"p to be in \[0, 1\]"),
    ("layer_norm", [(-1, 3, 4), (4,), None], {}, "12"),
    ("layer_norm", [(-1, 3), None, (4,)], {}, "3"),
    ("instance_norm", [(-1, 3, 2, 2), (4,), None], {}, "3"),
    ("prelu", [(-1, 3, 2), (2,)], {"mode": "channel"}, "Alpha to have 3 elements"),
    ("prelu", [(-1, 3, 2), (5,)], {"mode": "element"}, "Alpha to have 6 elements"),
    ("prelu", [(-1, 3, 2), (3,)], {"mode": "all"}, "Alpha to have 1 elements"),
    ("lookup_table_v2", [(-1, 3), (5, 4)], {}, "expected Ids of int32 or int64"),
]


@pytest.mark.parametrize(("name", "shapes", "attrs", "text"), UNKNOWN_BATCH)
def test_refused_with_an_unknown_batch(name: str, shapes: list, attrs: dict, text: str) -> None:
    op = REGISTRY[name]
    shapes += [None] * (len(op.inputs) - len(shapes))
    given = [
        s and ([Spec(t, F32) for t in s] if isinstance(s, list) else Spec(s, F32)) for s in shapes
    ]
    with pytest.raises(ValueError, match=text):
        checked_infer(op, given, attrs)


def test_types_that_kernels_refuse() -> None:
    for name in ("softmax", "log_softmax", "gelu"):
        with pytest.raises(TypeError, match=rf"{name} expects X to be one of .* received int64"):
            checked_infer(REGISTRY[name], [Spec((-1, 3), I64)], {})
    with pytest.raises(TypeError, match=r"expected X and Y of one type, .* float32 and int64"):
        checked_infer(REGISTRY["mul"], [Spec((2, 3), F32), Spec((3, 2), I64)], {})


def test_what_only_a_run_can_tell_is_recorded() -> None:
    block = static.Program().global_block()
    block.create_var(name="w", shape=[5, 4], dtype="float32")
    block.create_var(name="ids", shape=[2], dtype="int64")
    op = block.append_op("lookup_table_v2", {"W": "w", "Ids": "ids"}, {"Out": "out"})
    assert block.var("out").shape == (2, 4) and op.type == "lookup_table_v2"
