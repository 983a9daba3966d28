"""Layers of contrib, and others that few Programs have."""

import numpy as np


def _values(*shape):
    return np.random.RandomState(int(np.prod(shape))).uniform(-1, 1, shape).astype("float32")


def case_match_matrix_tensor(fluid):
    x, y = _values(5, 3), _values(6, 3)
    a, b = [fluid.data(n, [-1, 3], "float32", lod_level=1) for n in "ab"]
    out, _ = fluid.contrib.layers.match_matrix_tensor(a, b, 2, act="tanh")
    return {"a": (x, [[2, 3]]), "b": (y, [[4, 2]])}, [out]


case_match_matrix_tensor.variables = False


def case_var_conv_2d(fluid):
    x = _values(36, 1)
    a = fluid.data("a", [-1, 1], "float32", lod_level=1)
    r, c = [fluid.data(n, [-1, 1], "float32", lod_level=1) for n in "rc"]
    out = fluid.contrib.layers.var_conv_2d(a, r, c, 2, 3, [3, 3], 1, act="relu")
    feeds = {"a": (x, [[12, 24]]), "r": (_values(5, 1), [[2, 3]]), "c": (_values(7, 1), [[3, 4]])}
    return feeds, [out]


case_var_conv_2d.grad = ["a"]


def case_tree_conv(fluid):
    edges = np.array([[[1, 2], [1, 3], [2, 4]], [[1, 2], [2, 3], [3, 4]]], "int32")
    x = _values(2, 4, 3)
    a, e = fluid.data("a", [-1, 4, 3]), fluid.data("e", [-1, 3, 2], "int32")
    plain = fluid.contrib.layers.tree_conv(a, e, 2, 3)
    biased = fluid.contrib.layers.tree_conv(a, e, 2, 1, 3, act=None, bias_attr=fluid.ParamAttr())
    return {"a": x, "e": edges}, [plain, biased]


def case_partial(fluid):
    x, y = fluid.data("x", [None, 4]), fluid.data("y", [None, 4])
    found = [
        fluid.contrib.layers.partial_concat([x, y], 1, 2),
        fluid.contrib.layers.partial_sum([x, y], 0, 3),
    ]
    return {"x": _values(3, 4), "y": _values(3, 4) + 1}, found


def case_fused_elemwise_activation(fluid):
    x, y = fluid.data("x", [None, 4]), fluid.data("y", [None, 4])
    out = fluid.contrib.layers.fused_elemwise_activation(x, y, ["elementwise_add", "relu"])
    return {"x": _values(3, 4), "y": _values(3, 4) + 1}, [out]


def case_multiclass_nms2(fluid):
    state = np.random.RandomState(4)
    low = state.uniform(0, 0.5, (2, 6, 2))
    boxes = np.concatenate([low, low + 0.3], 2).astype("float32")
    scores = state.uniform(0, 1, (2, 3, 6)).astype("float32")
    b, s = fluid.data("b", [None, 6, 4]), fluid.data("s", [None, 3, 6])
    outs = fluid.contrib.layers.multiclass_nms2(b, s, 0.2, 5, 4, return_index=True)
    return {"b": boxes, "s": scores}, list(outs)


case_multiclass_nms2.grad = False
case_multiclass_nms2.variables = False


def case_tdm_child(fluid):
    tree = np.array([[0, 0, 0, 1, 2], [0, 1, 0, 3, 0], [5, 1, 0, 0, 0], [6, 2, 1, 0, 0]], "int32")
    x = fluid.data("x", [None, 1], "int32")
    attr = fluid.ParamAttr(name="tree", initializer=fluid.initializer.NumpyArrayInitializer(tree))
    outs = fluid.contrib.layers.tdm_child(x, 4, 2, attr)
    return {"x": np.array([[1], [2], [0], [3]], "int32")}, list(outs)


def case_ctr_metric_bundle(fluid):
    x, y = fluid.data("x", [None, 1]), fluid.data("y", [None, 1])
    outs = fluid.contrib.layers.ctr_metric_bundle(x, y)
    return {"x": _values(4, 1), "y": np.array([[0], [1], [1], [0]], "float32")}, list(outs)


case_ctr_metric_bundle.steps = 2


case_ctr_metric_bundle.program = False  # it counts one name less


def case_similarity_focus(fluid):
    x = fluid.data("x", [None, 2, 3, 3])
    return {"x": _values(2, 2, 3, 3)}, [fluid.layers.similarity_focus(x, 1, [0, 1])]


case_similarity_focus.grad = False


def case_filter_by_instag(fluid):
    x = fluid.data("x", [None, 3], "float32", lod_level=1)
    t = fluid.data("t", [None, 1], "int64", lod_level=1)
    f = fluid.data("f", [None], "int64")
    out, weight = fluid.layers.filter_by_instag(x, t, f, True)
    tags = np.array([[1], [2], [3], [1]], "int64")
    feeds = {"x": (_values(4, 3), [[1, 1, 2]]), "t": (tags, [[1, 2, 1]])}
    return dict(feeds, f=np.array([1], "int64")), [out, weight]


case_filter_by_instag.grad = ["x"]
case_filter_by_instag.variables = False


def case_continuous_value_model(fluid):
    x, c = fluid.data("x", [None, 5]), fluid.data("c", [None, 2])
    outs = [fluid.layers.continuous_value_model(x, c, use) for use in (True, False)]
    return {"x": abs(_values(3, 5)), "c": abs(_values(3, 2))}, outs


case_continuous_value_model.grad = ["x"]


def case_selected_rows(fluid):
    """The gradient of a table by rows, merged, then as a tensor."""
    x = fluid.data("x", [None, 1], "int64")
    out = fluid.layers.embedding(x, [6, 3], is_sparse=True, param_attr="table")
    loss = fluid.layers.reduce_sum(out * out)
    (pair,) = fluid.backward.append_backward(loss)
    rows = fluid.layers.merge_selected_rows(pair[1])
    return {"x": np.array([[2], [5], [2]], "int64")}, [
        loss,
        fluid.layers.get_tensor_from_selected_rows(rows),
    ]


case_selected_rows.grad = False
case_selected_rows.program = False


def _mapped(fluid, kind):
    truth = np.array(
        [[1, 0, 0.1, 0.1, 0.3, 0.3], [1, 1, 0.6, 0.6, 0.8, 0.8], [2, 0, 0.3, 0.3, 0.6, 0.5]],
        "float32",
    )
    found = np.array([
        [1, 0.9, 0.1, 0.1, 0.3, 0.31], [2, 0.4, 0.3, 0.3, 0.6, 0.5],
        [1, 0.7, 0.5, 0.6, 0.8, 0.8], [2, 0.8, 0, 0, 0.2, 0.2],
    ], "float32")  # fmt: skip
    d = fluid.data("d", [None, 6], "float32", lod_level=1)
    values = {"l": truth[:, :1], "f": truth[:, 1:2], "b": truth[:, 2:]}
    made = {n: fluid.data(n, [None, v.shape[1]], "float32", lod_level=1) for n, v in values.items()}
    feeds = {n: (v, [[2, 1]]) for n, v in values.items()}
    feeds["d"] = (found, [[3, 1]])
    metric = kind(d, made["l"], made["b"], made["f"], class_num=3)
    return feeds, list(metric.get_map_var())


def case_detection_map(fluid):
    return _mapped(fluid, fluid.metrics.DetectionMAP)


# What it has before the first batch is nothing in 1.8.5, and zeros that nobody reads here.
case_detection_map.steps = 3
case_detection_map.program = False


def case_evaluator_map(fluid):
    return _mapped(fluid, fluid.evaluator.DetectionMAP)


case_evaluator_map.steps = 2
case_evaluator_map.program = False
