"""Layers that label sequences: conditional random fields, CTC, edit distance, chunks."""

import numpy as np

FULL = [[3, 1, 3]]
EMPTY = [[3, 0, 4]]


def _wave(*shape):
    return (np.sin(np.arange(np.prod(shape)) * 0.7 + 0.3) * 2).reshape(shape).astype("float32")


def _x(fluid, width=3):
    return fluid.data("x", [None, width], "float32", lod_level=1)


def _ids(fluid, name="i", kind="int64"):
    return fluid.data(name, [None, 1], kind, lod_level=1)


TAGS = np.array([[0], [2], [1], [1], [2], [2], [0]])


def _squares(fluid, outs):
    return [fluid.layers.elementwise_mul(out, out) for out in outs]


def case_crf(fluid):
    x, tags = _x(fluid), _ids(fluid)
    attr = fluid.ParamAttr(name="moves")
    loss = fluid.layers.linear_chain_crf(x, tags, attr)
    path = fluid.layers.crf_decoding(x, attr)
    right = fluid.layers.crf_decoding(x, attr, tags)
    feeds = {"x": (_wave(7, 3), FULL), "i": (TAGS, FULL)}
    return feeds, _squares(fluid, [loss]) + [path, right]


def case_crf_empty(fluid):
    loss = fluid.layers.linear_chain_crf(_x(fluid), _ids(fluid))
    return {"x": (_wave(7, 3), EMPTY), "i": (TAGS, EMPTY)}, [loss]


case_crf_empty.grad = False


def case_crf_padded(fluid):
    x = fluid.data("x", [None, 4, 3], "float32")
    tags, n = fluid.data("i", [None, 4], "int64"), fluid.data("n", [None, 1], "int64")
    attr = fluid.ParamAttr(name="moves")
    loss = fluid.layers.linear_chain_crf(x, tags, attr, n)
    path = fluid.layers.crf_decoding(x, attr, length=n)
    feeds = {"x": _wave(2, 4, 3), "i": np.array([[0, 2, 1, 1], [2, 1, 0, 0]])}
    feeds["n"] = np.array([[4], [2]])
    return feeds, _squares(fluid, [loss]) + [path]


def case_warpctc(fluid):
    x, label = _x(fluid), _ids(fluid, kind="int32")
    feeds = {"x": (_wave(9, 3), [[4, 2, 3]])}
    feeds["i"] = (np.array([[1], [2], [1], [2]], "int32"), [[2, 0, 2]])
    made = [fluid.layers.warpctc(x, label), fluid.layers.warpctc(x, label, norm_by_times=True)]
    return feeds, _squares(fluid, made)


def case_warpctc_padded(fluid):
    x = fluid.data("x", [4, None, 3], "float32")
    label = fluid.data("i", [None, 2], "int32")
    n, m = fluid.data("n", [None], "int64"), fluid.data("m", [None], "int64")
    loss = fluid.layers.warpctc(x, label, 2, True, n, m)
    feeds = {"x": _wave(4, 2, 3), "i": np.array([[0, 1], [1, 0]], "int32")}
    feeds.update(n=np.array([4, 3]), m=np.array([2, 1]))
    return feeds, [loss]


def case_ctc_greedy_decoder(fluid):
    x, batch = _x(fluid), fluid.data("b", [None, 4, 3], "float32")
    n = fluid.data("n", [None, 1], "int64")
    rows = fluid.layers.ctc_greedy_decoder(x, 0)
    labels, counts = fluid.layers.ctc_greedy_decoder(batch, 2, n, padding_value=9)
    feeds = {"x": (_wave(7, 3), EMPTY), "b": _wave(2, 4, 3), "n": np.array([[4], [2]])}
    return feeds, [rows, labels, counts]


def case_edit_distance(fluid):
    x, y = _ids(fluid), _ids(fluid, "j")
    made = [*fluid.layers.edit_distance(x, y), fluid.layers.edit_distance(x, y, False)[0],
            fluid.layers.edit_distance(x, y, False, [2, 5])[0]]  # fmt: skip
    feeds = {"i": (TAGS, EMPTY), "j": (TAGS[::-1].copy() * 2 % 5, [[2, 2, 3]])}
    return feeds, made


case_edit_distance.variables = False  # 1.8.5 says that the distances are integers


def case_edit_distance_padded(fluid):
    x, y = fluid.data("x", [None, 4], "int64"), fluid.data("y", [None, 3], "int64")
    n, m = fluid.data("n", [None], "int64"), fluid.data("m", [None], "int64")
    made = fluid.layers.edit_distance(x, y, False, None, n, m)
    feeds = {"x": np.array([[0, 2, 1, 1], [2, 1, 0, 0]]), "y": np.array([[0, 1, 1], [2, 2, 2]])}
    feeds.update(n=np.array([4, 2]), m=np.array([3, 1]))
    return feeds, list(made)


case_edit_distance_padded.variables = False


def _chunks(fluid, scheme, kinds, count, excluded=None):
    x, y = _ids(fluid), _ids(fluid, "j")
    draw = np.random.RandomState(7)
    made = draw.randint(0, count, (40, 1)), draw.randint(0, count, (40, 1))
    lengths = [[10, 0, 1, 17, 12]]
    y_value = np.where(draw.rand(40, 1) < 0.6, made[0], made[1])
    feeds = {"i": (made[0], lengths), "j": (y_value, lengths)}
    return feeds, list(fluid.layers.chunk_eval(x, y, scheme, kinds, excluded))


def case_chunk_eval_iob(fluid):
    return _chunks(fluid, "IOB", 2, 5)


def case_chunk_eval_ioe(fluid):
    return _chunks(fluid, "IOE", 2, 5)


def case_chunk_eval_iobes(fluid):
    return _chunks(fluid, "IOBES", 1, 5)


def case_chunk_eval_plain(fluid):
    return _chunks(fluid, "plain", 3, 4, [1])


def case_chunk_eval_excluded(fluid):
    return _chunks(fluid, "IOB", 3, 7, [0, 2])


def case_chunk_eval_padded(fluid):
    x, y = fluid.data("x", [None, 4], "int64"), fluid.data("y", [None, 4], "int64")
    n = fluid.data("n", [None], "int64")
    feeds = {
        "x": np.array([[0, 1, 4, 2], [2, 3, 0, 0]]),
        "y": np.array([[0, 1, 4, 0], [2, 3, 0, 0]]),
    }
    feeds["n"] = np.array([4, 3])
    return feeds, list(fluid.layers.chunk_eval(x, y, "IOB", 2, seq_length=n))
