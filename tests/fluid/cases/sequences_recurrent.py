"""Recurrent layers over sequences of rows, and single steps of them."""

import numpy as np

LENGTHS = [[2, 0, 3, 1]]
FULL = [[3, 1, 2]]


def _wave(*shape):
    return np.sin(np.arange(np.prod(shape)) * 0.7 + 0.3).reshape(shape).astype("float32")


def _x(fluid, width, levels=1):
    return fluid.data("x", [None, width], "float32", lod_level=levels)


def _squares(fluid, outs):
    return [fluid.layers.elementwise_mul(out, out) for out in outs]


def _stopped(cell):
    cell.stop_gradient = True  # 1.8.5 leaves out the gradient of the cells
    return [cell]


def case_dynamic_lstm(fluid):
    hidden, cell = fluid.layers.dynamic_lstm(_x(fluid, 8), 8)
    return {"x": (_wave(6, 8), FULL)}, _squares(fluid, [hidden]) + _stopped(cell)


def case_dynamic_lstm_plain(fluid):
    h, c = fluid.data("h", [None, 2], "float32"), fluid.data("c", [None, 2], "float32")
    hidden, cell = fluid.layers.dynamic_lstm(
        _x(fluid, 8), 8, h_0=h, c_0=c, use_peepholes=False, is_reverse=True, name="named",
        gate_activation="tanh", cell_activation="sigmoid", candidate_activation="relu",
    )  # fmt: skip
    feeds = {"x": (_wave(6, 8), FULL), "h": _wave(3, 2), "c": _wave(3, 2) * 0.5}
    return feeds, _squares(fluid, [hidden]) + _stopped(cell)


def case_dynamic_lstm_empty(fluid):
    return {"x": (_wave(6, 8), LENGTHS)}, list(fluid.layers.dynamic_lstm(_x(fluid, 8), 8))


case_dynamic_lstm_empty.grad = False


def case_dynamic_lstmp(fluid):
    made, _ = fluid.layers.dynamic_lstmp(_x(fluid, 8), 8, 3)
    return {"x": (_wave(6, 8), FULL)}, _squares(fluid, [made])


def case_dynamic_lstmp_plain(fluid):
    h, c = fluid.data("h", [None, 3], "float32"), fluid.data("c", [None, 2], "float32")
    made, cell = fluid.layers.dynamic_lstmp(
        _x(fluid, 8), 8, 3, use_peepholes=False, is_reverse=True, h_0=h, c_0=c, cell_clip=0.2,
        proj_clip=0.1, proj_activation="identity",
    )  # fmt: skip
    return {"x": (_wave(6, 8), FULL), "h": _wave(3, 3), "c": _wave(3, 2) * 0.5}, [made, cell]


case_dynamic_lstmp_plain.grad = False


def case_dynamic_gru(fluid):
    return {"x": (_wave(6, 6), FULL)}, _squares(fluid, [fluid.layers.dynamic_gru(_x(fluid, 6), 2)])


def case_dynamic_gru_origin(fluid):
    h = fluid.data("h", [None, 2], "float32")
    out = fluid.layers.dynamic_gru(
        _x(fluid, 6), 2, bias_attr=False, is_reverse=True, h_0=h, origin_mode=True,
        gate_activation="tanh", candidate_activation="relu",
    )  # fmt: skip
    return {"x": (_wave(6, 6), FULL), "h": _wave(3, 2)}, _squares(fluid, [out])


def case_dynamic_gru_empty(fluid):
    return {"x": (_wave(6, 6), LENGTHS)}, [fluid.layers.dynamic_gru(_x(fluid, 6), 2)]


case_dynamic_gru_empty.grad = False


def case_gru_unit(fluid):
    x, h = fluid.data("x", [None, 6], "float32"), fluid.data("h", [None, 2], "float32")
    made = fluid.layers.gru_unit(x, h, 6)
    other = fluid.layers.gru_unit(x, h, 6, None, False, "relu", "tanh", True)
    return {"x": _wave(3, 6), "h": _wave(3, 2)}, _squares(fluid, [made[0], other[0]])


def case_lstm_unit(fluid):
    x, h, c = (fluid.data(n, [None, 2], "float32") for n in "xhc")
    hidden, cell = fluid.layers.lstm_unit(x, h, c, 0.5)
    feeds = {"x": _wave(3, 2), "h": _wave(3, 2) + 1, "c": _wave(3, 2) - 1}
    return feeds, _squares(fluid, [hidden, cell])


def case_stacked(fluid):
    """Two LSTMs, one in each direction, and the greatest of each sequence, as for sentiment."""
    words = fluid.data("w", [None, 1], "int64", lod_level=1)
    label = fluid.data("l", [None, 1], "int64")
    found = fluid.layers.embedding(words, [10, 4])
    first = fluid.layers.fc(found, 8)
    one, _ = fluid.layers.dynamic_lstm(first, 8)
    second = fluid.layers.fc([first, one], 8)
    two, _ = fluid.layers.dynamic_lstm(second, 8, is_reverse=True)
    parts = [fluid.layers.sequence_pool(v, "max") for v in (second, two)]
    scores = fluid.layers.fc(parts, 3, act="softmax")
    loss = fluid.layers.mean(fluid.layers.cross_entropy(scores, label))
    feeds = {"w": (np.array([[1], [4], [9], [4], [0], [7]]), FULL), "l": np.array([[0], [2], [1]])}
    return feeds, [loss, scores]
