"""Tables that are looked up with is_sparse: every optimizer of 1.8.5 that takes gradients of rows.

Other rows occur in every step, so that rows without a gradient show what becomes of them.
"""

import numpy as np

X = np.array([[1], [3], [1], [0]], "int64")
D = np.cos(np.arange(12, dtype="float32")).reshape(4, 3)
TREE = np.array([[0, 2, -1], [0, 1, 4], [0, 2, -1], [0, 1, -1]], "int64")
CODE = np.array([[1, 0, -1], [0, 1, 1], [1, 0, -1], [0, 0, -1]], "int64")


def _ids(fluid):
    """Numbers below 6 that go on by one in each step."""
    layers = fluid.layers
    x = fluid.data("x", [None, 1], "int64")
    moved = layers.elementwise_add(x, layers.autoincreased_step_counter())
    return layers.elementwise_mod(moved, layers.fill_constant([1], "int64", 6))


def _case(make, **options):
    def case(fluid):
        out = fluid.layers.embedding(_ids(fluid), [6, 2], is_sparse=True, **options)
        loss = fluid.layers.mean(out * out)
        make(fluid).minimize(loss)
        return {"x": X}, [loss]

    case.steps = 5
    return case


def _clipped(name, lazy):
    clips = {"value": 0.05, "norm": 0.05, "global": 0.05}
    kinds = {"value": "Value", "norm": "Norm", "global": "GlobalNorm"}

    def make(fluid):
        clip = getattr(fluid.clip, "GradientClipBy" + kinds[name])(clips[name])
        return fluid.optimizer.Adam(0.1, lazy_mode=lazy, grad_clip=clip)

    return _case(make)


case_sgd = _case(lambda f: f.optimizer.SGD(0.1))
case_sgd_padding = _case(lambda f: f.optimizer.SGD(0.1), padding_idx=2)
case_sgd_decay = _case(lambda f: f.optimizer.SGD(0.1, regularization=f.regularizer.L2Decay(0.1)))
case_momentum = _case(lambda f: f.optimizer.Momentum(0.1, 0.9))
case_momentum_nesterov = _case(lambda f: f.optimizer.Momentum(0.1, 0.9, use_nesterov=True))
case_adagrad = _case(lambda f: f.optimizer.Adagrad(0.1))
case_rmsprop = _case(lambda f: f.optimizer.RMSProp(0.1))
case_rmsprop_centered = _case(lambda f: f.optimizer.RMSProp(0.1, centered=True, momentum=0.5))
case_lamb = _case(lambda f: f.optimizer.Lamb(0.1))
case_adam = _case(lambda f: f.optimizer.Adam(0.1))
case_adam_epsilon = _case(lambda f: f.optimizer.Adam(0.1, epsilon=0.2))
case_adam_lazy = _case(lambda f: f.optimizer.Adam(0.1, lazy_mode=True))
case_adam_lazy_epsilon = _case(lambda f: f.optimizer.Adam(0.1, lazy_mode=True, epsilon=0.2))
case_adam_padding = _case(lambda f: f.optimizer.Adam(0.1), padding_idx=2)
case_adam_decay = _case(
    lambda f: f.optimizer.Adam(0.1, lazy_mode=True, regularization=f.regularizer.L2Decay(0.1))
)
case_adam_value = _clipped("value", False)
case_adam_lazy_value = _clipped("value", True)
case_adam_norm = _clipped("norm", False)
case_adam_lazy_norm = _clipped("norm", True)
case_adam_global = _clipped("global", False)
case_adam_lazy_global = _clipped("global", True)


def case_adam_twice(fluid):
    """One table, looked up twice, beside a dense layer."""
    ids = _ids(fluid)
    found = [
        fluid.layers.embedding(n, [8, 2], is_sparse=True, param_attr="table")
        for n in (ids, ids + 1)
    ]
    out = fluid.layers.fc(fluid.layers.concat(found, 1), 2)
    loss = fluid.layers.mean(out * out)
    fluid.optimizer.Adam(0.1).minimize(loss)
    return {"x": X}, [loss]


case_adam_twice.steps = 5


def _sampled(make):
    def case(fluid):
        d = fluid.data("d", [None, 3])
        d.stop_gradient = False
        chances = [0.0, 0.0, 0.0, 0.0, 1.0, 0.0]
        out = fluid.layers.nce(
            d, _ids(fluid), 6, num_neg_samples=2, sampler="custom_dist", custom_dist=chances,
            is_sparse=True, seed=3,
        )  # fmt: skip
        loss = fluid.layers.mean(out)
        make(fluid).minimize(loss)
        return {"x": X, "d": D}, [loss]

    case.steps = 4
    return case


case_nce_sgd = _sampled(lambda f: f.optimizer.SGD(0.1))
case_nce_adam = _sampled(lambda f: f.optimizer.Adam(0.1))
case_nce_adam_lazy = _sampled(lambda f: f.optimizer.Adam(0.1, lazy_mode=True))
case_nce_adagrad = _sampled(lambda f: f.optimizer.Adagrad(0.1))


def _tree(make):
    def case(fluid):
        d = fluid.data("d", [None, 3])
        d.stop_gradient = False
        table = fluid.data("t", [None, 3], "int64")
        code = fluid.data("c", [None, 3], "int64")
        out = fluid.layers.hsigmoid(
            d, _ids(fluid), 6, path_table=table, path_code=code, is_custom=True, is_sparse=True
        )
        loss = fluid.layers.mean(out)
        make(fluid).minimize(loss)
        return {"x": X, "d": D, "t": TREE, "c": CODE}, [loss]

    case.steps = 4
    return case


case_hsigmoid_sgd = _tree(lambda f: f.optimizer.SGD(0.1))
case_hsigmoid_adam = _tree(lambda f: f.optimizer.Adam(0.1))
case_hsigmoid_adam_lazy = _tree(lambda f: f.optimizer.Adam(0.1, lazy_mode=True))
case_hsigmoid_adagrad = _tree(lambda f: f.optimizer.Adagrad(0.1))
