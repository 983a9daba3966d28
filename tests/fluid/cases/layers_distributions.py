"""The distributions of fluid.layers: entropy, density, divergence."""

import numpy as np

LOC = np.array([0.2, -0.5], "float32")
SCALE = np.array([0.7, 1.5], "float32")


def case_normal(fluid):
    x = fluid.data("x", [2], "float32")
    one, other = fluid.layers.Normal(LOC, SCALE), fluid.layers.Normal([0.1, 0.3], [1.0, 2.0])
    outs = [one.entropy(), one.log_prob(x), one.kl_divergence(other)]
    return {"x": np.array([0.3, 0.9], "float32")}, outs + [fluid.layers.shape(one.sample([3]))]


def case_normal_number(fluid):
    one = fluid.layers.Normal(0.0, 2.0)
    return {}, [one.entropy(), fluid.layers.shape(one.sample([3, 2]))]


def case_normal_variables(fluid):
    loc, scale = fluid.data("loc", [None, 2], "float32"), fluid.data("scale", [None, 2], "float32")
    one = fluid.layers.Normal(loc, scale)
    feeds = {"loc": np.stack([LOC] * 3), "scale": np.stack([SCALE] * 3)}
    return feeds, [one.entropy(), one.log_prob(loc * 2.0), fluid.layers.shape(one.sample([4]))]


def case_uniform(fluid):
    x = fluid.data("x", [2], "float32")
    one = fluid.layers.Uniform(LOC - 1, LOC + 1)
    outs = [one.entropy(), one.log_prob(x), fluid.layers.shape(one.sample([3]))]
    return {"x": np.array([0.3, 0.1], "float32")}, outs


def case_categorical(fluid):
    x = fluid.data("x", [None, 3], "float32")
    one = fluid.layers.Categorical(x)
    other = fluid.layers.Categorical(np.array([[0.1, 0.5, 0.2], [0.4, 0.1, 0.9]], "float32"))
    feeds = {"x": np.array([[0.3, 0.9, -0.4], [0.1, 0.2, 0.3]], "float32")}
    return feeds, [one.entropy(), one.kl_divergence(other)]


def case_multivariate(fluid):
    one = fluid.layers.MultivariateNormalDiag(LOC, np.diag(SCALE))
    return {}, [one.entropy()]  # the divergence of 1.8.5 is [2, 2], sums that are not taken


for _case in [value for name, value in list(globals().items()) if name.startswith("case_")]:
    _case.program = _case.grad = False
del _case
