"""Losses."""

try:
    from .table import cases, f, i, pos, probabilities
except ImportError:  # PaddlePaddle's Python
    from table import cases, f, i, pos, probabilities

import numpy as np

add = cases(globals())
P = probabilities(3, 4)
Y = i([[1], [0], [3]])

add("cross_entropy", lambda L, x, y: L.cross_entropy(x, y), x=P, y=Y)
add("cross_entropy_ignore", lambda L, x, y: L.cross_entropy(x, y, ignore_index=0), x=P, y=Y)
add("cross_entropy_flat", lambda L, x, y: L.cross_entropy(x, y, ignore_index=0), x=P,
    y=i([1, 0, 3]))  # fmt: skip
add("cross_entropy_soft", lambda L, x, y: L.cross_entropy(x, y, soft_label=True), x=P,
    y=probabilities(3, 4), options={"grad": ["x"]})  # fmt: skip
add("softmax_ce", lambda L, x, y: L.softmax_with_cross_entropy(x, y), x=f(3, 4), y=Y)
add("softmax_ce_both", lambda L, x, y: L.softmax_with_cross_entropy(x, y, return_softmax=True),
    x=f(3, 4), y=Y)  # fmt: skip
add("softmax_ce_soft",
    lambda L, x, y: L.softmax_with_cross_entropy(x, y, soft_label=True, axis=1),
    x=f(3, 4), y=P, options={"grad": ["x"]})  # fmt: skip
add("square_error_cost", lambda L, x, y: L.square_error_cost(x, y), x=f(3, 2), y=f(3, 2) * 2)
add("mse_loss", lambda L, x, y: L.mse_loss(x, y), x=f(3, 2), y=f(3, 2) * 2)
add("sigmoid_ce", lambda L, x, y: L.sigmoid_cross_entropy_with_logits(x, y), x=f(3, 2),
    y=np.array([[1, 0], [0, 1], [1, 1]], "float32"), options={"grad": ["x"]})  # fmt: skip
add(
    "sigmoid_ce_options",
    lambda L, x, y: L.sigmoid_cross_entropy_with_logits(x, y, ignore_index=-1, normalize=True),
    x=f(3, 2),
    y=np.array([[1, 0], [-1, 1], [1, 1]], "float32"),
    options={"grad": ["x"]},
)
add("smooth_l1", lambda L, x, y: L.smooth_l1(x, y), x=f(3, 2), y=f(3, 2) * 3)
add("smooth_l1_weights",
    lambda L, x, y, a, b: L.smooth_l1(x, y, inside_weight=a, outside_weight=b, sigma=2.0),
    x=f(3, 2), y=f(3, 2) * 3, a=pos(3, 2), b=pos(3, 2), options={"grad": ["x"]})  # fmt: skip
add("huber_loss", lambda L, x, y: L.huber_loss(x, y, 0.5), x=f(3, 1), y=f(3, 1) * 3,
    options={"grad": ["x"]})  # fmt: skip
add("log_loss", lambda L, x, y: L.log_loss(x, y, epsilon=1e-3), x=np.abs(f(3, 1)) * 0.9 + 0.05,
    y=np.array([[1], [0], [1]], "float32"), options={"grad": ["x"]})  # fmt: skip
add("kldiv_loss", lambda L, x, y: L.kldiv_loss(x, y, "batchmean"), x=f(3, 4), y=P,
    options={"grad": ["x"]})  # fmt: skip
add("rank_loss", lambda L, x, y, z: L.rank_loss(x, y, z), x=np.array([[1], [0]], "float32"),
    y=f(2, 1), z=f(2, 1) * 2, options={"grad": ["y", "z"]})  # fmt: skip
add(
    "margin_rank_loss",
    lambda L, x, y, z: L.margin_rank_loss(x, y, z, margin=0.2),
    x=np.array([[1], [-1]], "float32"),
    y=f(2, 1),
    z=f(2, 1) * 2,
    options={"grad": ["y", "z"]},
)
add("bpr_loss", lambda L, x, y: L.bpr_loss(x, y), x=f(3, 4), y=Y)
add("teacher_student", lambda L, x, y: L.teacher_student_sigmoid_loss(x, y), x=f(3, 1),
    y=np.array([[1], [0.3], [-1]], "float32"), options={"grad": ["x"]})  # fmt: skip
add("dice_loss", lambda L, x, y: L.dice_loss(x, y), x=P, y=Y, options={"grad": ["x"]})
add("npair_loss", lambda L, x, y, z: L.npair_loss(x, y, z), x=f(3, 4), y=f(3, 4) * 2,
    z=np.array([[0], [1], [1]], "float32"), fixed=True, options={"grad": ["x", "y"]})  # fmt: skip


def case_center_loss(fluid):
    x = fluid.data("x", [None, 3], "float32")
    y = fluid.data("y", [None, 1], "int64")
    attr = fluid.ParamAttr(initializer=fluid.initializer.Constant(0.3))
    out = fluid.layers.center_loss(x, y, num_classes=4, alpha=0.5, param_attr=attr)
    return {"x": f(3, 3), "y": Y}, [out]


case_center_loss.grad = ["x"]


def case_center_loss_steps(fluid):
    return case_center_loss(fluid)


case_center_loss_steps.steps = 2


def case_nce(fluid):
    x = fluid.data("x", [None, 3], "float32")
    y = fluid.data("y", [None, 1], "int64")
    out = fluid.layers.nce(x, y, num_total_classes=5, num_neg_samples=2, seed=3)
    return {"x": f(3, 3), "y": Y}, [fluid.layers.shape(out)]


case_nce.grad = False


def case_nce_custom(fluid):
    x = fluid.data("x", [None, 3], "float32")
    y = fluid.data("y", [None, 1], "int64")
    out = fluid.layers.nce(
        x, y, 5, sampler="custom_dist", custom_dist=[0.1, 0.2, 0.3, 0.2, 0.2], bias_attr=False,
        is_sparse=True)  # fmt: skip
    return {"x": f(3, 3), "y": Y}, [fluid.layers.shape(out)]


case_nce_custom.grad = False


def case_hsigmoid(fluid):
    x = fluid.data("x", [None, 3], "float32")
    y = fluid.data("y", [None, 1], "int64")
    return {"x": f(3, 3), "y": Y}, [fluid.layers.hsigmoid(x, y, num_classes=6)]


def case_hsigmoid_sparse(fluid):
    x = fluid.data("x", [None, 3], "float32")
    y = fluid.data("y", [None, 1], "int64")
    out = fluid.layers.hsigmoid(x, y, 6, is_sparse=True, bias_attr=False)
    return {"x": f(3, 3), "y": Y}, [out]


def case_hsigmoid_custom(fluid):
    x = fluid.data("x", [None, 3], "float32")
    y = fluid.data("y", [None, 1], "int64")
    table = fluid.data("t", [None, 2], "int64")
    code = fluid.data("c", [None, 2], "int64")
    out = fluid.layers.hsigmoid(
        x, y, 4, path_table=table, path_code=code, is_custom=True, name="h")  # fmt: skip
    feeds = {
        "x": f(3, 3),
        "y": Y,
        "t": i([[0, 1], [0, -1], [2, 1]]),
        "c": i([[1, 0], [0, -1], [1, 1]]),
    }
    return feeds, [out]


def case_sampled_softmax(fluid):
    x = fluid.data("x", [None, 6], "float32")
    y = fluid.data("y", [None, 1], "int64")
    out = fluid.layers.sampled_softmax_with_cross_entropy(x, y, num_samples=3, seed=1)
    return {"x": f(3, 6), "y": Y}, [fluid.layers.shape(out)]


case_sampled_softmax.grad = False
case_sampled_softmax.needs = "sample_logits"


def case_sampled_softmax_custom(fluid):
    x = fluid.data("x", [None, 6], "float32")
    y = fluid.data("y", [None, 1], "int64")
    s = fluid.data("s", [None, 3], "int64")
    p = fluid.data("p", [None, 3], "float32")
    out = fluid.layers.sampled_softmax_with_cross_entropy(
        x, y, 2, use_customized_samples=True, customized_samples=s, customized_probabilities=p
    )
    feeds = {"x": f(3, 6), "y": Y, "s": i([[1, 2, 4], [0, 2, 4], [3, 2, 4]]),
             "p": np.full([3, 3], 0.2, "float32")}  # fmt: skip
    return feeds, [out]


case_sampled_softmax_custom.grad = ["x"]
case_sampled_softmax_custom.needs = "sample_logits"


def _training(fluid, fetch_prediction):
    x = fluid.data("x", [None, 3], "float32")
    y = fluid.data("y", [None, 1], "int64")
    hidden = fluid.layers.fc(x, 5, act="relu")
    prediction = fluid.layers.fc(hidden, 4, act="softmax")
    loss = fluid.layers.mean(fluid.layers.cross_entropy(prediction, y))
    part = fluid.layers.accuracy(prediction, y)
    fluid.optimizer.SGD(0.5).minimize(loss)
    return {"x": f(3, 3), "y": Y}, [loss, part] + [prediction] * fetch_prediction


def case_training(fluid):
    return _training(fluid, 0)


def case_training_prediction(fluid):
    return _training(fluid, 1)


case_training.steps = case_training_prediction.steps = 3
case_training.program = case_training_prediction.program = False
