"""Every optimizer of 1.x over five steps, with clipping, penalties, schedules; initializers."""

import numpy as np

X = np.cos(np.arange(12, dtype="float32")).reshape(4, 3)
Y = np.sin(np.arange(4, dtype="float32")).reshape(4, 1)


def _net(fluid, bias=2.0):
    """A regression by two layers, where a bias learns at its own rate."""
    x = fluid.data("x", [None, 3], "float32")
    y = fluid.data("y", [None, 1], "float32")
    h = fluid.layers.fc(x, 4, act="tanh", bias_attr=fluid.ParamAttr(learning_rate=bias))
    out = fluid.layers.fc(h, 1)
    return fluid.layers.mean(fluid.layers.square_error_cost(out, y)), h


def _case(make, **also):
    def case(fluid):
        loss, _ = _net(fluid)
        make(fluid).minimize(loss)
        return {"x": X, "y": Y}, [loss]

    case.steps = 5
    for name, value in also.items():
        setattr(case, name, value)
    return case


case_sgd = _case(lambda f: f.optimizer.SGD(0.1))
case_momentum = _case(lambda f: f.optimizer.Momentum(0.1, 0.9))
case_momentum_nesterov = _case(lambda f: f.optimizer.MomentumOptimizer(0.1, 0.9, use_nesterov=True))
case_lars = _case(lambda f: f.optimizer.LarsMomentum(0.1, 0.9, lars_coeff=0.1))
case_adagrad = _case(lambda f: f.optimizer.Adagrad(0.1))
case_adagrad_start = _case(
    lambda f: f.optimizer.Adagrad(0.1, epsilon=1e-2, initial_accumulator_value=0.1)
)
case_adam = _case(lambda f: f.optimizer.Adam(0.05, name="foo"))
case_adam_epsilon = _case(lambda f: f.optimizer.AdamOptimizer(0.05, 0.8, 0.9, 0.1, lazy_mode=True))
case_adamax = _case(lambda f: f.optimizer.Adamax(0.05))
case_dpsgd = _case(lambda f: f.optimizer.Dpsgd(0.1))
case_decayed_adagrad = _case(lambda f: f.optimizer.DecayedAdagrad(0.05))
case_adadelta = _case(lambda f: f.optimizer.Adadelta(0.1))
case_rmsprop = _case(lambda f: f.optimizer.RMSPropOptimizer(0.02, momentum=0.1))
case_rmsprop_centered = _case(lambda f: f.optimizer.RMSProp(0.02, 0.9, centered=True))
case_ftrl = _case(lambda f: f.optimizer.Ftrl(0.1, l1=0.01, l2=0.02))
case_lamb = _case(
    lambda f: f.optimizer.Lamb(0.05, exclude_from_weight_decay_fn=lambda p: "b_0" in p.name)
)
case_decay_and_clip = _case(
    lambda f: f.optimizer.Momentum(
        0.1,
        0.9,
        regularization=f.regularizer.L2Decay(0.1),
        grad_clip=f.clip.GradientClipByGlobalNorm(0.5),
    )
)
case_l1_and_norm = _case(
    lambda f: f.optimizer.Adam(
        0.1,
        regularization=f.regularizer.L1DecayRegularizer(0.1),
        grad_clip=f.clip.GradientClipByNorm(0.1),
    )
)
case_clip_value = _case(
    lambda f: f.optimizer.SGD(
        0.1,
        grad_clip=f.clip.GradientClipByValue(
            0.1, min=-0.2, need_clip=lambda p: p.name == "fc_0.w_0"
        ),
    )
)
case_weight_decay = _case(
    lambda f: f.contrib.extend_with_decoupled_weight_decay(f.optimizer.SGD)(
        weight_decay=0.1, learning_rate=0.1
    )
)


def case_own_regularizer(fluid):
    x = fluid.data("x", [None, 3], "float32")
    attr = fluid.ParamAttr(name="w", regularizer=fluid.regularizer.L1Decay(0.3))
    out = fluid.layers.fc(x, 2, param_attr=attr, bias_attr=False)
    fixed = fluid.layers.fc(out, 1, param_attr=fluid.ParamAttr(trainable=False))
    loss = fluid.layers.mean(fluid.layers.square(fixed))
    opt = fluid.optimizer.SGD(0.1, regularization=fluid.regularizer.L2Decay(0.2))
    opt.minimize(loss)
    return {"x": X}, [loss]


def case_set_gradient_clip(fluid):
    loss, h = _net(fluid)
    h.error_clip = fluid.clip.ErrorClipByValue(0.01)
    fluid.clip.set_gradient_clip(fluid.clip.GradientClipByGlobalNorm(0.05))
    fluid.optimizer.SGD(0.1).minimize(loss)
    return {"x": X, "y": Y}, [loss]


def case_set_gradient_clip_each(fluid):
    loss, _ = _net(fluid)
    clip = fluid.clip
    clip.set_gradient_clip(clip.GradientClipByValue(0.1), param_list=["fc_0.w_0", "fc_1.w_0"])
    clip.set_gradient_clip(clip.GradientClipByNorm(0.1), param_list=["fc_0.b_0", "fc_1.b_0"])
    opt = fluid.optimizer.SGD(0.1, regularization=fluid.regularizer.L2Decay(0.5))
    opt.minimize(loss)
    return {"x": X, "y": Y}, [loss]


def case_two_losses(fluid):
    loss, h = _net(fluid)
    other = fluid.layers.mean(h)
    fluid.optimizer.Adam(0.1).minimize(loss, parameter_list=["fc_1.w_0", "fc_1.b_0"])
    fluid.optimizer.Momentum(0.1, 0.5).minimize(other, no_grad_set={"fc_0.b_0"})
    return {"x": X, "y": Y}, [loss, other]


def case_parts(fluid):
    loss, _ = _net(fluid)
    opt = fluid.optimizer.Adagrad(0.1)
    pairs = opt.backward(loss)
    pairs = [(p, g * 0.5) for p, g in pairs]
    opt.apply_gradients(pairs)
    return {"x": X, "y": Y}, [loss]


def case_rate_variable(fluid):
    loss, _ = _net(fluid)
    rate = fluid.layers.create_global_var(
        name="rate", shape=[1], value=0.2, dtype="float32", persistable=True
    )
    fluid.optimizer.SGD(rate).minimize(loss)
    return {"x": X, "y": Y}, [loss]


def case_recompute(fluid):
    loss, h = _net(fluid)
    opt = fluid.optimizer.RecomputeOptimizer(fluid.optimizer.Adam(0.1))
    opt._set_checkpoints([h])
    opt.minimize(loss)
    return {"x": X, "y": Y}, [loss]


def case_lookahead(fluid):
    x = fluid.data("x", [None, 3], "float32")
    init = fluid.initializer.NumpyArrayInitializer(X[:3, :2])
    out = fluid.layers.fc(x, 2, param_attr=fluid.ParamAttr(name="w", initializer=init))
    loss = fluid.layers.mean(fluid.layers.square(out))
    fluid.optimizer.LookaheadOptimizer(fluid.optimizer.SGD(0.2), alpha=0.3, k=2).minimize(loss)
    return {"x": X}, [loss]


def case_model_average(fluid):
    loss, _ = _net(fluid)
    fluid.optimizer.SGD(0.1).minimize(loss)
    fluid.optimizer.ModelAverage(0.5, 2, 3)
    return {"x": X, "y": Y}, [loss]


def case_moving_average(fluid):
    loss, _ = _net(fluid)
    fluid.optimizer.SGD(0.1).minimize(loss)
    fluid.optimizer.ExponentialMovingAverage(0.9).update()
    return {"x": X, "y": Y}, [loss]


def case_moving_average_schedule(fluid):
    loss, _ = _net(fluid)
    fluid.optimizer.SGD(0.1).minimize(loss)
    step = fluid.layers.autoincreased_step_counter()
    fluid.optimizer.ExponentialMovingAverage(0.9, thres_steps=step, name="e").update()
    return {"x": X, "y": Y}, [loss]


def case_pipeline(fluid):
    loss, h = _net(fluid)
    fluid.optimizer.PipelineOptimizer(
        fluid.optimizer.SGD(0.1),
        cut_list=[[h], [loss]],
        place_list=[fluid.CPUPlace()] * 3,
        concurrency_list=[1, 1, 1],
    ).minimize(loss)
    loss.block.program._pipeline_opt = None
    return {"x": X, "y": Y}, [loss]


for _name, _one in sorted(globals().items()):
    if _name.startswith("case_"):
        _one.steps = 5
for _one in (
    case_recompute,
    case_two_losses,
    case_lookahead,
    case_moving_average,
    case_moving_average_schedule,
):
    _one.program = False


def case_initializers(fluid):
    init = fluid.initializer
    made = []
    for i, (shape, one) in enumerate(
        [
            ([2, 3], init.Constant(1.5)),
            ([2, 3], init.ConstantInitializer(2.0, force_cpu=True)),
            ([2, 3], init.Uniform(-0.5, 0.25, seed=3)),
            ([4, 2], init.UniformInitializer(diag_num=2, diag_step=1, diag_val=0.5)),
            ([2, 3], init.Normal(1.0, 0.5, seed=4)),
            ([2, 3], init.TruncatedNormal(0.5, 2.0)),
            ([2, 3], init.Xavier()),
            ([2, 3, 3, 3], init.XavierInitializer(uniform=False)),
            ([2, 3], init.Xavier(fan_in=5, fan_out=7, seed=2)),
            ([2, 3, 3, 3], init.MSRA()),
            ([5], init.MSRAInitializer(uniform=False, fan_in=4)),
            ([1, 1, 4, 4], init.Bilinear()),
            ([2, 2], init.NumpyArrayInitializer(np.array([[1, 2], [3, 4]], "float32"))),
            ([3], init.NumpyArrayInitializer(np.array([1, 2, 3], "int32"))),
        ]
    ):
        dtype = "int32" if shape == [3] else "float32"
        attr = fluid.ParamAttr(name="p%d" % i, initializer=one)
        made.append(fluid.layers.create_parameter(shape, dtype, attr=attr))
    return {}, made


case_initializers.grad = False
