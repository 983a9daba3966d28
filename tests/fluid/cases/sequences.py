"""Layers over sequences of rows: empty sequences, single ones, two levels."""

import numpy as np

LENGTHS = [[2, 0, 3, 1]]
DEEP = [[2, 0, 1], [1, 3, 2]]
FULL = [[2, 3, 1]]


def _wave(*shape):
    return (np.sin(np.arange(np.prod(shape)) * 0.7) * 2).reshape(shape).astype("float32")


def _x(fluid, width=2, levels=1, name="x"):
    return fluid.data(name, [None, width], "float32", lod_level=levels)


def _fed(width=2, lengths=LENGTHS):
    return (_wave(6, width), lengths)


def case_sequence_conv(fluid):
    x = _x(fluid)
    return {"x": _fed()}, [
        fluid.layers.sequence_conv(x, 3, 3, act="tanh"),
        fluid.layers.sequence_conv(x, 3, 4, bias_attr=False),
        fluid.layers.sequence_conv(x, 2, 2, padding_start=0),
    ]


def case_sequence_softmax(fluid):
    return {"x": _fed(1)}, _squares(fluid, [fluid.layers.sequence_softmax(_x(fluid, 1))])


def case_sequence_softmax_deep(fluid):
    return {"x": _fed(1, DEEP)}, _squares(fluid, [fluid.layers.sequence_softmax(_x(fluid, 1, 2))])


def _squares(fluid, outs):
    """Other gradients than ones, and with levels, without which 1.8.5 dies."""
    return [fluid.layers.elementwise_mul(out, out) for out in outs]


def _pools(fluid, x, pad_value=0.0):
    kinds = ("average", "sum", "sqrt", "max", "last", "first")
    return _squares(
        fluid, [fluid.layers.sequence_pool(x, kind, pad_value=pad_value) for kind in kinds]
    )


def case_sequence_pool(fluid):
    return {"x": _fed()}, _pools(fluid, _x(fluid), 0.5)


def case_sequence_pool_single(fluid):
    return {"x": _fed(2, [[6]])}, _pools(fluid, _x(fluid))


def case_sequence_pool_deep(fluid):
    return {"x": _fed(2, DEEP)}, _pools(fluid, _x(fluid, 2, 2))


def case_sequence_steps(fluid):
    x = _x(fluid)
    return {"x": _fed()}, [fluid.layers.sequence_first_step(x), fluid.layers.sequence_last_step(x)]


def case_sequence_concat(fluid):
    x, y = _x(fluid), _x(fluid, name="y")
    out = fluid.layers.sequence_concat([x, y, x])
    return {"x": _fed(), "y": (_wave(3, 2) + 1, [[0, 1, 1, 1]])}, _squares(fluid, [out])


def case_sequence_slice(fluid):
    offset, length = fluid.data("o", [None, 1], "int64"), fluid.data("l", [None, 1], "int64")
    out = fluid.layers.sequence_slice(_x(fluid), offset, length)
    feeds = {"x": _fed(2, FULL), "o": np.array([[1], [0], [0]]), "l": np.array([[1], [2], [1]])}
    return feeds, _squares(fluid, [out])


def case_sequence_expand(fluid):
    x, y = _x(fluid), fluid.data("y", [None, 1], "float32", lod_level=2)
    made = fluid.layers.sequence_expand(x, y, ref_level=0)
    feeds = {"x": (_wave(4, 2), [[3, 1, 0]]), "y": (_wave(5, 1), [[2, 0, 2], [1, 1, 2, 1]])}
    return feeds, _squares(fluid, [made])


case_sequence_expand.grad = ["x"]


def case_sequence_expand_rows(fluid):
    x, y = fluid.data("x", [None, 2], "float32"), _x(fluid, 1, name="y")
    made = fluid.layers.sequence_expand(x, y)
    return {"x": _wave(4, 2), "y": (_wave(6, 1), LENGTHS)}, [made]


case_sequence_expand_rows.grad = ["x"]


def case_sequence_expand_as(fluid):
    x, y = fluid.data("x", [None, 2], "float32"), _x(fluid, 1, name="y")
    made = fluid.layers.sequence_expand_as(x, y)
    return {"x": _wave(3, 2), "y": (_wave(6, 1), FULL)}, [made]


case_sequence_expand_as.grad = ["x"]


def case_sequence_pad(fluid):
    x = _x(fluid)
    value = fluid.data("v", [1], "float32")
    row = fluid.data("r", [2], "float32")
    a, n = fluid.layers.sequence_pad(x, value, maxlen=5)
    b, _ = fluid.layers.sequence_pad(x, row, maxlen=4)
    return {"x": _fed(), "v": np.array([0.5], "float32"), "r": _wave(2)}, [a, n, b]


case_sequence_pad.grad = ["x"]


def case_sequence_pad_longest(fluid):
    out, n = fluid.layers.sequence_pad(_x(fluid), fluid.data("v", [1], "float32"))
    return {"x": _fed(), "v": np.array([0.5], "float32")}, [out, n]


case_sequence_pad_longest.grad = ["x"]
case_sequence_pad_longest.variables = False  # 1.8.5 says that the batch has one step


def case_sequence_unpad(fluid):
    x, n = fluid.data("x", [None, 3, 2], "float32"), fluid.data("n", [None], "int64")
    return {"x": _wave(3, 3, 2), "n": np.array([2, 3, 1])}, [fluid.layers.sequence_unpad(x, n)]


case_sequence_unpad.grad = False  # 1.8.5 dies of gradients without levels


def case_sequence_reshape(fluid):
    x = _x(fluid, 4)
    made = [fluid.layers.sequence_reshape(x, 2), fluid.layers.sequence_reshape(x, 8)]
    return {"x": (_wave(6, 4), [[2, 0, 4]])}, _squares(fluid, made)


def case_sequence_scatter(fluid):
    x = fluid.data("x", [None, 5], "float32")
    ids = fluid.data("i", [None, 1], "int64", lod_level=1)
    updates = _x(fluid, 1, name="u")
    feeds = {"x": _wave(3, 5), "i": (np.array([[0], [4], [1], [1], [2], [3]]), FULL)}
    feeds["u"] = (_wave(6, 1), FULL)
    return feeds, _squares(fluid, [fluid.layers.sequence_scatter(x, ids, updates)])


def case_sequence_enumerate(fluid):
    ids = fluid.data("i", [None, 1], "int64", lod_level=1)
    made = fluid.layers.sequence_enumerate(ids, 3, pad_value=9)
    return {"i": (np.arange(6).reshape(6, 1), LENGTHS)}, [made]


def case_sequence_reverse(fluid):
    return {"x": _fed()}, [fluid.layers.sequence_reverse(_x(fluid))]


case_sequence_reverse.grad = False


def case_sequence_mask(fluid):
    n, flat = fluid.data("n", [None, 1], "int64"), fluid.data("m", [None], "int32")
    made = [
        fluid.layers.sequence_mask(n, 4), fluid.layers.sequence_mask(flat, dtype="float32"),
    ]  # fmt: skip
    return {"n": np.array([[2], [0], [4]]), "m": np.array([1, 3, 0], "int32")}, made


def case_lod_reset(fluid):
    x, y = _x(fluid), fluid.data("y", [None, 1], "float32", lod_level=2)
    z = fluid.data("z", [None], "int32")
    made = [
        fluid.layers.lod_reset(x, y), fluid.layers.lod_reset(x, target_lod=[0, 2, 6]),
        fluid.layers.lod_reset(x, z),
    ]  # fmt: skip
    feeds = {"x": _fed(), "y": (_wave(6, 1), DEEP), "z": np.array([0, 1, 6], "int32")}
    return feeds, made


case_lod_reset.grad = ["x"]


def case_lod_append(fluid):
    made = fluid.layers.lod_append(_x(fluid), [0, 1, 2, 3, 4, 5, 6])
    return {"x": _fed()}, [made, fluid.layers.sequence_pool(made, "sum")]


case_lod_append.grad = False


def case_im2sequence(fluid):
    x = fluid.data("x", [None, 2, 4, 5], "float32")
    made = [
        fluid.layers.im2sequence(x, [2, 3], 2, 1),
        fluid.layers.im2sequence(x, 2, [1, 2], [0, 1, 1, 0]),
    ]
    return {"x": _wave(2, 2, 4, 5)}, _squares(fluid, made)


def case_row_conv(fluid):
    out = fluid.layers.row_conv(_x(fluid), 2, act="relu")
    return {"x": _fed(2, FULL)}, _squares(fluid, [out])


def case_add_position_encoding(fluid):
    x, batch = _x(fluid, 4), fluid.data("b", [None, 3, 4], "float32")
    made = [
        fluid.layers.add_position_encoding(x, 0.5, 2.0),
        fluid.layers.add_position_encoding(batch, 1.0, 1.0),
    ]
    return {"x": _fed(4), "b": _wave(2, 3, 4)}, _squares(fluid, made)
