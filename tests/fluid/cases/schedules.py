"""Schedules of the learning rate as layers, with the parameters they lead to after some steps."""

import numpy as np


def _rate(fluid, rate):
    return {}, [rate]


def _trained(fluid, rate):
    """A parameter trained with a rate."""
    x = fluid.data("x", [2, 3], "float32")
    w = fluid.layers.create_parameter([3, 2], "float32", name="w")
    loss = fluid.layers.reduce_sum(fluid.layers.matmul(x, w))
    fluid.optimizer.SGD(rate).minimize(loss)
    return {"x": np.arange(6, dtype="float32").reshape(2, 3)}, [loss, rate]


def case_noam(fluid):
    return _rate(fluid, fluid.layers.noam_decay(4, 3, 2.0))


def case_exponential(fluid):
    return _rate(fluid, fluid.layers.exponential_decay(0.1, 3, 0.5))


def case_exponential_stairs(fluid):
    return _rate(fluid, fluid.layers.exponential_decay(0.1, 3, 0.5, staircase=True))


def case_natural_exp(fluid):
    return _rate(fluid, fluid.layers.natural_exp_decay(0.1, 3, 0.5))


def case_natural_exp_stairs(fluid):
    return _rate(fluid, fluid.layers.natural_exp_decay(0.1, 3, 0.5, staircase=True))


def case_inverse_time(fluid):
    return _rate(fluid, fluid.layers.inverse_time_decay(0.1, 3, 0.5))


def case_inverse_time_stairs(fluid):
    return _rate(fluid, fluid.layers.inverse_time_decay(0.1, 3, 0.5, staircase=True))


def case_polynomial(fluid):
    return _rate(fluid, fluid.layers.polynomial_decay(0.1, 3, 0.01, power=2.0))


def case_polynomial_cycle(fluid):
    return _rate(fluid, fluid.layers.polynomial_decay(0.1, 3, 0.01, 2.0, cycle=True))


def case_piecewise(fluid):
    return _rate(fluid, fluid.layers.piecewise_decay([2, 4], [0.1, 0.05, 0.01]))


def case_cosine(fluid):
    return _rate(fluid, fluid.layers.cosine_decay(0.1, 2, 5))


def case_warmup(fluid):
    return _rate(fluid, fluid.layers.linear_lr_warmup(0.1, 3, 0.01, 0.1))


def case_warmup_of_cosine(fluid):
    after = fluid.layers.cosine_decay(0.1, 2, 5)
    return _rate(fluid, fluid.layers.linear_lr_warmup(after, 3, 0.0, 0.1))


def case_two_schedules_count_once(fluid):
    one = fluid.layers.exponential_decay(0.1, 3, 0.5)
    two = fluid.layers.inverse_time_decay(0.1, 3, 0.5)
    return _rate(fluid, one * two)


def case_trained_by_steps(fluid):
    return _trained(fluid, fluid.layers.piecewise_decay([2, 4], [0.1, 0.05, 0.01]))


def case_trained_by_warmup(fluid):
    after = fluid.layers.noam_decay(4, 3, 0.1)
    return _trained(fluid, fluid.layers.linear_lr_warmup(after, 3, 0.0, 0.1))


case_trained_by_steps.program = case_trained_by_warmup.program = False


def case_step_counter(fluid):
    count = fluid.layers.learning_rate_scheduler._decay_step_counter(1)
    return {}, [count]


for _case in [value for name, value in list(vars().items()) if name.startswith("case_")]:
    _case.steps = 6
del _case
