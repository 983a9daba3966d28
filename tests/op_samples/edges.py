"""Samples of less usual data types, empty tensors and dimensions of size 0."""

from __future__ import annotations

import itertools

import numpy as np

from tests.op_samples.linalg.products import _cross, _histogram, _matmul, _running
from tests.op_samples.manipulation.scatter import _gather, _gather_nd, _scatter, _scatter_nd_add
from tests.op_samples.manipulation.search import _arg, _sorted, _top, _unique
from tests.op_samples.sample import ErrorSample, Sample, apart, bools, f64, ints

LOW = ("float32", "float16", "bfloat16")
ALL = {"return_index": True, "return_inverse": True, "return_counts": True, "is_sorted": True}
KINDS = ("bool", "uint8", "int8", "int16", "int32", "int64", "complex64", "complex128")
EMPTY = {"none": (0,), "no_rows": (0, 3), "no_columns": (2, 0)}


def of(kind: str, *shape: int, key: int = 0) -> np.ndarray:
    """Values of any dtype."""
    if kind == "bool":
        return bools(*shape, key=key)
    if kind.startswith("complex"):
        return (f64(*shape, key=key) + 1j * f64(*shape, key=key + 50)).astype(kind)
    if kind.startswith("float"):
        return f64(*shape, key=key).astype(kind)
    return ints(*shape, low=1, high=9, dtype=kind, key=key)


def _each(op, build, attrs, ref, kinds=KINDS, orders=2, low=True, **more) -> list[Sample]:
    """A sample for every dtype, and one of floats that also runs in half precision."""
    made = [Sample(op, build(k), attrs, ref, note=f"{k}_edge", rtol=1e-6, **more) for k in kinds]
    dtypes = LOW if low else ("float32",)
    floats = Sample(op, build("float64"), attrs, ref, orders=orders, dtypes=dtypes, note="half",
                    **more)  # fmt: skip
    return [*made, floats]


def _of_x(ref):
    """A reference that looks at its first input only."""
    return lambda x, *rest, **attrs: ref(x)


def _with_shape(ref):
    return lambda x, *rest, **attrs: (ref(x), None)


ROWS = np.int64([1, 0, 1])
MASK = np.array([[True, False, True], [False, False, True]])
COPIES = {
    "reshape2": ({"shape": [3, -1]}, _with_shape(lambda x: x.reshape(3, 2))),
    "transpose2": ({"axis": [1, 0]}, _with_shape(np.transpose)),
    "unsqueeze2": ({"axes": [1]}, _with_shape(lambda x: x[:, None])),
    "flatten_contiguous_range": ({"start_axis": 0}, _with_shape(np.ravel)),
    "expand_v2": ({"shape": [2, -1, 3]}, _of_x(lambda x: np.broadcast_to(x, (2, 2, 3)))),
    "tile": ({"repeat_times": [2, 1, 2]}, _of_x(lambda x: np.tile(x, (2, 1, 2)))),
    "flip": ({"axis": [0, -1]}, _of_x(lambda x: x[::-1, ::-1])),
    "roll": ({"shifts": [1, -1], "axis": [0, 1]}, _of_x(lambda x: np.roll(x, (1, -1), (0, 1)))),
    "tril_triu": ({"lower": True, "diagonal": -1}, _of_x(lambda x: np.tril(x, -1))),
    "unbind": ({}, lambda x, axis=0: (list(x),)),
    "unstack": ({"axis": 1}, lambda x, axis=0, num=0: (list(x.T),)),
}


def _listed(ref):
    """Operators of one output that is a list."""
    return lambda *args, **attrs: ref(*args, **attrs)[0]


def _copies():
    for op, (attrs, ref) in COPIES.items():
        ref = _listed(ref) if op in ("unbind", "unstack") else ref
        yield from _each(op, lambda k: {"X": of(k, 2, 3)}, attrs, ref)
    yield from _each("squeeze2", lambda k: {"X": of(k, 2, 1, 3)}, {"axes": [1]},
                     _with_shape(lambda x: x[:, 0]))  # fmt: skip
    yield from _each("concat", lambda k: {"X": [of(k, 2, 3), of(k, 1, 3, key=1)]}, {},
                     lambda xs, axis_whole=None, axis=0: np.concatenate(xs))  # fmt: skip
    yield from _each("stack", lambda k: {"X": [of(k, 3), of(k, 3, key=1)]}, {"axis": 1},
                     lambda xs, axis: np.stack(xs, 1))  # fmt: skip
    for op in ("slice", "strided_slice"):
        strides = {} if op == "slice" else {"strides": [1]}
        attrs = {"axes": [1], "starts": [-2], "ends": [9], **strides}
        yield from _each(op, lambda k: {"Input": of(k, 2, 3)}, attrs, _of_x(lambda x: x[:, -2:]))


def _picked():
    yield from _each("gather", lambda k: {"X": of(k, 2, 3), "Index": ROWS}, {"overwrite": False},
                     _gather)  # fmt: skip
    yield from _each("gather_nd", lambda k: {"X": of(k, 2, 3), "Index": np.int32([[1, 2], [0, 0]])},
                     {}, _gather_nd)  # fmt: skip
    yield from _each("index_select", lambda k: {"X": of(k, 2, 3), "Index": ROWS}, {"dim": 1},
                     lambda x, i, dim: x[:, i])  # fmt: skip
    yield from _each("index_sample", lambda k: {"X": of(k, 2, 3), "Index": np.int32([[2], [0]])},
                     {}, lambda x, i: np.take_along_axis(x, i, 1))  # fmt: skip
    yield from _each("masked_select", lambda k: {"X": of(k, 2, 3), "Mask": MASK}, {},
                     lambda x, m: x[m], static_shape=False)  # fmt: skip
    yield from _each("where", lambda k: {"Condition": MASK, "X": of(k, 2, 3),
                                         "Y": of(k, 2, 3, key=1)}, {}, np.where)  # fmt: skip

    def row_of_each(xs, ids):
        return np.stack([xs[i][r] for r, i in enumerate(ids[:, 0])])

    yield from _each("multiplex", lambda k: {"X": [of(k, 2, 3), of(k, 2, 3, key=1)],
                                             "Ids": np.int32([[1], [0]])}, {},
                     row_of_each)  # fmt: skip
    numbers = KINDS[1:]
    written = {"Ids": np.int64([2, 0, 2])}
    yield from _each("scatter", lambda k: {"X": of(k, 3, 2), **written, "Updates": of(k, 3, 2)},
                     {}, _scatter)  # fmt: skip
    yield from _each("scatter", lambda k: {"X": of(k, 3, 2), **written,
                                           "Updates": of(k, 3, 2, key=1)},
                     {"overwrite": False}, _scatter, numbers)  # fmt: skip
    yield from _each("scatter_nd_add", lambda k: {"X": of(k, 3, 2), "Index": np.int64([[2], [2]]),
                                                  "Updates": of(k, 2, 2)}, {}, _scatter_nd_add,
                     numbers)  # fmt: skip


def _counted():
    whole = ("uint8", "int8", "int16", "int32", "int64")
    for kind in ("bool", *whole, "float32"):
        yield Sample("where_index", {"Condition": of(kind, 2, 3)}, {}, np.argwhere,
                     static_shape=False, note=f"{kind}_edge")  # fmt: skip
    for kind, axis in itertools.product(("int32", "int64", "float32", "float64"), ([], [0], [1])):
        x = ints(5, 4, high=2, key=axis).astype(kind)
        x[:, 3] = x[:, 1]
        yield Sample("unique", {"X": x}, {**ALL, "axis": axis}, _unique, static_shape=False,
                     grad=[], note=f"{kind}_axis_{axis}")  # fmt: skip
    for kind in ("uint8", "int16", "int32", "int64", "float32"):
        yield Sample("arg_max", {"X": of(kind, 3, 4)}, {"axis": -1}, _arg(np.argmax),
                     note=f"{kind}_edge")  # fmt: skip
        yield Sample("arg_min", {"X": of(kind, 3, 4)}, {"axis": 0, "flatten": True},
                     _arg(np.argmin), note=f"{kind}_edge")  # fmt: skip
    for kind in ("int32", "int64", "float32"):
        x = apart(3, 4, gap=1.0).astype(kind) * 3
        yield Sample("argsort", {"X": x}, {"axis": 0}, _sorted, note=f"{kind}_edge", orders=0)
        yield Sample("top_k_v2", {"X": x}, {"k": 2}, _top, note=f"{kind}_edge", orders=0)
        yield Sample("histogram", {"X": ints(20).astype(kind)}, {"bins": 4, "min": 1, "max": 7},
                     _histogram, note=f"{kind}_edge")  # fmt: skip
    yield Sample("argsort", {"X": apart(3, 4, gap=0.5)}, {}, _sorted, dtypes=LOW, note="half")
    yield Sample("top_k_v2", {"X": apart(3, 4, gap=0.5)}, {"k": 2}, _top, dtypes=LOW, note="half")
    labels = np.int64([[0], [9], [10], [19]])
    for kind, shard in itertools.product(("int32", "int64"), (0, 1)):
        yield Sample("shard_index", {"X": labels.astype(kind)},
                     {"index_num": 20, "nshards": 2, "shard_id": shard, "ignore_value": -9},
                     lambda x, shard_id, ignore_value, **_: np.where(
                         x // 10 == shard_id, x % 10, ignore_value).astype(x.dtype),
                     note=f"{kind}_{shard}_edge")  # fmt: skip
    yield Sample("shard_index", {"X": labels}, {"index_num": 21, "nshards": 4, "shard_id": 3},
                 lambda x, **_: np.where(x // 6 == 3, x % 6, -1), note="uneven")  # fmt: skip


def _reduced():
    for kind in ("int32", "int64", "complex64", "complex128"):
        for op, ref in (("reduce_sum", np.sum), ("reduce_prod", np.prod)):
            if op == "reduce_prod" and kind.startswith("complex"):
                continue
            yield Sample(op, {"X": of(kind, 2, 3)}, {"dim": [-1]},
                         lambda x, ref=ref, **_: ref(x, -1).astype(x.dtype), rtol=1e-6,
                         note=f"{kind}_edge")  # fmt: skip
    for kind in ("int32", "int64"):
        for op, ref in (("reduce_max", np.max), ("reduce_min", np.min)):
            yield Sample(op, {"X": of(kind, 2, 3)}, {"dim": [0], "keep_dim": True},
                         lambda x, ref=ref, **_: ref(x, 0, keepdims=True),
                         note=f"{kind}_edge")  # fmt: skip
        yield Sample("cumsum", {"X": of(kind, 2, 3)}, {"axis": 0}, _running, note=f"{kind}_edge")
    for op, ref in (("reduce_sum", np.sum), ("reduce_mean", np.mean), ("reduce_max", np.max),
                    ("reduce_min", np.min), ("reduce_prod", np.prod)):  # fmt: skip
        yield Sample(op, {"X": apart(2, 3, gap=0.25) + 2}, {"dim": [1]}, dtypes=LOW, note="half",
                     ref=lambda x, ref=ref, **_: ref(x, 1))  # fmt: skip
    yield Sample("reduce_sum", {"X": np.full(300, 200, "uint8")}, {"out_dtype": 3},
                 lambda x, **_: np.sum(x, dtype="int64"), note="uint8_widened")  # fmt: skip
    yield Sample("reduce_sum", {"X": bools(3, 4)}, {"reduce_all": True, "out_dtype": 3},
                 lambda x, **_: np.sum(x), note="bool_counted")  # fmt: skip


def _products():
    for kind in ("complex64", "complex128"):
        a, b = of(kind, 2, 3), of(kind, 3, 2, key=1)
        yield Sample("matmul_v2", {"X": a, "Y": b}, {}, _matmul, rtol=1e-5, note=f"{kind}_edge")
        yield Sample("dot", {"X": a[:, 0], "Y": b[0]}, {}, rtol=1e-5, note=f"{kind}_edge",
                     ref=lambda x, y: np.sum(x * y, keepdims=True))  # fmt: skip
    for kind in ("int32", "int64", "complex64", "complex128"):
        yield Sample("kron", {"X": of(kind, 2, 3), "Y": of(kind, 3, 1, key=1)}, {}, np.kron,
                     rtol=1e-6, note=f"{kind}_edge")  # fmt: skip
        yield Sample("trace", {"Input": of(kind, 3, 4)}, {"offset": 1},
                     lambda x, offset, **_: np.reshape(np.trace(x, offset), 1).astype(x.dtype),
                     rtol=1e-6, note=f"{kind}_edge")  # fmt: skip
    for kind in ("int32", "int64"):
        yield Sample("cross", {"X": of(kind, 2, 3), "Y": of(kind, 2, 3, key=1)}, {}, _cross,
                     note=f"{kind}_edge")  # fmt: skip
    yield Sample("trace", {"Input": f64(2, 3, 4)}, {"offset": -1, "axis1": 2, "axis2": 0},
                 lambda x, **_: np.trace(x, -1, 2, 0), orders=2, note="turned")  # fmt: skip
    batch = f64(4, 3, 3)
    yield Sample("inverse", {"Input": batch + 4 * np.eye(3)}, {}, np.linalg.inv, note="batch_edge")
    spd = batch @ batch.transpose(0, 2, 1) + 3 * np.eye(3)
    yield Sample("cholesky", {"X": spd}, {"upper": True}, grad=[], note="batch_edge",
                 ref=lambda x, upper: np.linalg.cholesky(x).transpose(0, 2, 1))  # fmt: skip
    yield Sample(
        "matmul_v2", {"X": f64(2, 3), "Y": f64(3, 2)}, {}, _matmul, dtypes=LOW, note="half"
    )


COMPARED = {
    "equal": np.equal, "not_equal": np.not_equal, "less_than": np.less,
    "less_equal": np.less_equal, "greater_than": np.greater, "greater_equal": np.greater_equal,
}  # fmt: skip
LOGICAL = {
    "logical_and": np.logical_and, "logical_or": np.logical_or, "logical_xor": np.logical_xor,
}  # fmt: skip
WHOLE = {
    "elementwise_add": np.add, "elementwise_sub": np.subtract, "elementwise_mul": np.multiply,
    "elementwise_max": np.maximum, "elementwise_min": np.minimum, "elementwise_mod": np.mod,
    "elementwise_floordiv": np.floor_divide,
}  # fmt: skip


def _pairs():
    def pair(kind):
        return {"X": of(kind, 2, 3), "Y": of(kind, 2, 3, key=1)}

    def ignoring(f):
        return lambda x, y, **_: f(x, y)

    real = ("bool", "uint8", "int8", "int16", "int32", "int64", "float32")
    for (op, f), kind in itertools.product({**COMPARED, **LOGICAL}.items(), real):
        yield Sample(op, pair(kind), {}, ignoring(f), note=f"{kind}_edge", grad=[])
    for kind in real:
        yield Sample("logical_not", {"X": of(kind, 2, 3)}, {}, np.logical_not, grad=[],
                     note=f"{kind}_edge")  # fmt: skip
    for (op, f), kind in itertools.product(WHOLE.items(), real[1:-1]):
        yield Sample(op, pair(kind), {}, ignoring(f), note=f"{kind}_edge")
    for op, kind in itertools.product(list(WHOLE)[:3], ("complex64", "complex128")):
        yield Sample(op, pair(kind), {}, ignoring(WHOLE[op]), rtol=1e-5, note=f"{kind}_edge")
    for (op, f), (note, shape) in itertools.product({**COMPARED, **WHOLE}.items(), EMPTY.items()):
        if op != "elementwise_floordiv":
            yield Sample(op, {"X": f64(*shape), "Y": f64(*shape)}, {}, ignoring(f), note=note,
                         orders=1)  # fmt: skip
    yield Sample("elementwise_add", {"X": f64(0, 3), "Y": f64(1, 1)}, {}, ignoring(np.add),
                 orders=1, note="no_rows_broadcast")  # fmt: skip


NOTHING = {
    "reshape2": ({"shape": [0, 3, 1]}, _with_shape(lambda x: x.reshape(0, 3, 1))),
    "transpose2": ({"axis": [1, 0]}, _with_shape(np.transpose)),
    "unsqueeze2": ({"axes": [0]}, _with_shape(lambda x: x[None])),
    "flatten_contiguous_range": ({"start_axis": 0}, _with_shape(np.ravel)),
    "expand_v2": ({"shape": [2, 0, 3]}, _of_x(lambda x: np.broadcast_to(x, (2, 0, 3)))),
    "tile": ({"repeat_times": [2, 2]}, _of_x(lambda x: np.tile(x, (2, 2)))),
    "flip": ({"axis": [0]}, _of_x(lambda x: x)),
    "roll": ({"shifts": [1], "axis": [0]}, _of_x(lambda x: x)),
    "tril_triu": ({}, _of_x(lambda x: x)),
    "reduce_sum": ({"dim": [0]}, _of_x(lambda x: np.zeros(3))),
    "reduce_prod": ({"dim": [0]}, _of_x(lambda x: np.ones(3))),
    "reduce_max": ({"dim": [1]}, _of_x(lambda x: np.zeros(0))),
    "cumsum": ({"axis": 0}, _of_x(lambda x: x)),
    "logsumexp": ({"axis": [1]}, _of_x(lambda x: np.zeros(0))),
    "softmax": ({}, _of_x(lambda x: x)),
    "argsort": ({}, lambda x, **_: (x, np.zeros((0, 3), "int64"))),
    "top_k_v2": ({"k": 2}, lambda x, *_, **__: (x[:, :2], np.zeros((0, 2), "int64"))),
    "arg_max": ({"axis": 1}, _of_x(lambda x: np.zeros(0, "int64"))),
    "relu": ({}, _of_x(lambda x: x)),
    "scale": ({"scale": 2.0, "bias": 1.0}, _of_x(lambda x: x)),
    "clip": ({"min": -1.0, "max": 1.0}, _of_x(lambda x: x)),
}


def _nothing():
    """One tensor without rows; and pairs of them."""
    for op, (attrs, ref) in NOTHING.items():
        yield Sample(op, {"X": f64(0, 3)}, attrs, ref, orders=1, note="no_rows")
    no, some = f64(0, 3), f64(2, 3)
    rows, pairs = np.zeros(0, "int64"), np.zeros((0, 2), "int64")
    samples = [
        ("concat", {"X": [some, no]}, {}, lambda xs, *_, **__: xs[0]),
        ("stack", {"X": [no, no]}, {}, lambda xs, axis=0: np.zeros((2, 0, 3))),
        ("slice", {"Input": some}, {"axes": [0], "starts": [2], "ends": [5]},
         _of_x(lambda x: x[2:])),
        ("strided_slice", {"Input": some}, {"axes": [1], "starts": [0], "ends": [3],
                                            "strides": [-1]}, _of_x(lambda x: x[:, 0:3:-1])),
        ("gather", {"X": some, "Index": rows}, {}, _gather),
        ("gather_nd", {"X": some, "Index": pairs}, {}, _gather_nd),
        ("index_select", {"X": some, "Index": rows}, {}, lambda x, i, **_: x[i]),
        ("index_sample", {"X": no, "Index": pairs}, {}, lambda x, i: np.zeros((0, 2))),
        ("scatter", {"X": some, "Ids": rows, "Updates": no}, {}, _scatter),
        ("scatter", {"X": some, "Ids": rows, "Updates": no}, {"overwrite": False}, _scatter),
        ("scatter_nd_add", {"X": some, "Index": pairs, "Updates": f64(0)}, {}, _scatter_nd_add),
        ("where", {"Condition": no > 0, "X": no, "Y": no}, {}, np.where),
        ("kron", {"X": no, "Y": some}, {}, lambda x, y: np.zeros((0, 9))),
        ("matmul_v2", {"X": no, "Y": f64(3, 2)}, {}, _matmul),
        ("bmm", {"X": f64(0, 2, 3), "Y": f64(0, 3, 2)}, {}, np.matmul),
        ("addmm", {"Input": f64(1, 2), "X": no, "Y": f64(3, 2)}, {},
         lambda i, x, y, **_: np.zeros((0, 2))),
        ("lookup_table_v2", {"Ids": rows, "W": some}, {}, lambda ids, w, **_: w[ids]),
        ("linear", {"X": no, "W": f64(3, 2), "Bias": f64(2)}, {}, lambda *_: np.zeros((0, 2))),
    ]  # fmt: skip
    for op, inputs, attrs, ref in samples:
        yield Sample(op, inputs, attrs, ref, orders=1, note="nothing")
    yield Sample("matmul_v2", {"X": f64(2, 0), "Y": f64(0, 3)}, {}, _matmul, orders=1,
                 note="nothing_inside")  # fmt: skip
    for note, shape in EMPTY.items():
        axes = {"reduce_all": True}
        yield Sample("reduce_any", {"X": bools(*shape)}, axes, _of_x(np.any), note=note)
        yield Sample("reduce_all", {"X": bools(*shape)}, axes, _of_x(np.all), note=note)
        yield Sample("is_empty", {"X": f64(*shape)}, {}, lambda x: np.array([True]), note=note)
        yield Sample("size", {"Input": f64(*shape)}, {}, lambda x: np.int64([0]), note=note)
        yield Sample("where_index", {"Condition": f64(*shape)}, {}, np.argwhere, note=note,
                     static_shape=False)  # fmt: skip
        yield Sample("masked_select", {"X": f64(*shape), "Mask": bools(*shape)}, {},
                     lambda x, m: x[m], note=note, static_shape=False, orders=1)  # fmt: skip
    yield Sample("unique", {"X": np.zeros((0, 3))}, ALL, _unique, static_shape=False, grad=[],
                 note="nothing")  # fmt: skip
    yield Sample("where_index", {"Condition": np.zeros((2, 3), bool)}, {}, np.argwhere,
                 static_shape=False, note="none_true")  # fmt: skip
    yield Sample("multiplex", {"X": [no, no], "Ids": np.zeros((0, 1), "int32")}, {}, orders=1,
                 ref=lambda xs, ids: xs[0], note="nothing")  # fmt: skip


def _parts():
    for kind in ("complex64", "complex128"):
        x = of(kind, 2, 3)
        for op, f in (("conj", np.conj), ("real", np.real), ("imag", np.imag), ("abs", np.abs)):
            yield Sample(op, {"X": x}, {}, f, rtol=1e-6, note=f"{kind}_edge")
            yield Sample(op, {"X": x[:0]}, {}, f, note=f"{kind}_no_rows")
    for kind in ("int32", "int64"):
        x = of(kind, 2, 3) - 4
        for op, f in (("abs", np.abs), ("sign", np.sign), ("square", np.square)):
            yield Sample(op, {"X": x}, {}, f, note=f"{kind}_edge")
        yield Sample("clip", {"X": x}, {"min": -1.0, "max": 2.0}, note=f"{kind}_edge",
                     ref=lambda x, *_, **__: np.clip(x, -1, 2))  # fmt: skip
        yield Sample("pow", {"X": x}, {"factor": 2.0}, lambda x, *_, **__: x**2,
                     note=f"{kind}_edge")  # fmt: skip
    # Functions of floats take integers and booleans too, and say that they become float32.
    for op, f in (("tanh", np.tanh), ("exp", np.exp), ("sigmoid", lambda x: 1 / (1 + np.exp(-x)))):
        for kind in ("bool", "uint8", "int64"):
            yield Sample(op, {"X": of(kind, 2, 3)}, {}, note=f"{kind}_edge", rtol=1e-5,
                         ref=lambda x, f=f: f(x.astype("float32")))  # fmt: skip


def _drawn(expected):
    def check(outs, inputs, attrs):
        np.testing.assert_array_equal(np.sort(outs[0].numpy(), -1), expected)

    return check


def _random():
    sure = np.float64([[0, 1, 0], [1, 1, 0]])
    yield Sample("bernoulli", {"X": sure}, {}, check=_drawn(np.sort(sure, -1)), grad=[],
                 note="sure")  # fmt: skip
    yield Sample("bernoulli", {"X": f64(0, 3)}, {}, check=_drawn(f64(0, 3)), grad=[],
                 note="no_rows")  # fmt: skip
    yield Sample("multinomial", {"X": np.float64([[0, 3, 0], [2, 0, 0]])},
                 {"num_samples": 2, "replacement": True}, grad=[], note="sure",
                 check=_drawn([[1, 1], [0, 0]]))  # fmt: skip
    yield Sample("multinomial", {"X": np.float64([5, 0.1, 1])}, {"num_samples": 3}, grad=[],
                 note="every_one", check=_drawn([0, 1, 2]))  # fmt: skip


SAMPLES = [
    sample
    for family in (_copies, _picked, _counted, _reduced, _products, _pairs, _nothing, _parts,
                   _random)
    for sample in family()
]  # fmt: skip

ERRORS = [
    ErrorSample("clip", {"X": f64(3)}, {"min": 1.0, "max": -1.0}, ValueError,
                "max is expected to be greater than or equal to min.*min = 1.0 and max = -1.0"),
    ErrorSample("elementwise_mod", {"X": ints(3), "Y": np.zeros(3, "int64")}, {}, ValueError,
                "expected no 0 in the integers to divide by"),
    ErrorSample("elementwise_floordiv", {"X": ints(3), "Y": np.zeros(3, "int64")}, {}, ValueError,
                "expected no 0 in the integers to divide by"),
    ErrorSample("reduce_max", {"X": f64(0, 3)}, {"reduce_all": True}, ValueError,
                "at least one element to reduce"),
    ErrorSample("reduce_min", {"X": f64(2, 0)}, {"dim": [1]}, ValueError,
                "at least one element to reduce"),
    ErrorSample("arg_max", {"X": f64(0, 3)}, {"axis": 0}, ValueError,
                "at least one element to reduce"),
    ErrorSample("gather", {"X": f64(0, 3), "Index": np.int64([0])}, {}, IndexError, "gather"),
    ErrorSample("inverse", {"Input": np.zeros((2, 2))}, {}, ValueError, "singular"),
    ErrorSample("cholesky", {"X": -np.eye(2)}, {}, ValueError, "positive-definite"),
]  # fmt: skip
