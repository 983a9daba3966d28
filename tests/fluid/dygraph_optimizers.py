"""Optimizers in dygraph over five steps; works with PaddlePaddle 1.8.5 too."""

import numpy as np

X = np.cos(np.arange(12, dtype="float32")).reshape(4, 3)

CASES = {
    "sgd": lambda f, p: f.optimizer.SGD(0.1, parameter_list=p),
    "momentum": lambda f, p: f.optimizer.Momentum(0.1, 0.9, parameter_list=p, use_nesterov=True),
    "lars": lambda f, p: f.optimizer.LarsMomentum(0.1, 0.9, 0.1, parameter_list=p),
    "adagrad": lambda f, p: f.optimizer.Adagrad(0.1, parameter_list=p),
    "adam": lambda f, p: f.optimizer.Adam(0.05, 0.8, 0.9, 0.1, parameter_list=p),
    "adamax": lambda f, p: f.optimizer.Adamax(0.05, parameter_list=p),
    "decayed": lambda f, p: f.optimizer.DecayedAdagrad(0.05, parameter_list=p),
    "adadelta": lambda f, p: f.optimizer.Adadelta(0.1, parameter_list=p),
    "rmsprop": lambda f, p: f.optimizer.RMSPropOptimizer(
        0.02, momentum=0.1, centered=True, parameter_list=p
    ),
    "ftrl": lambda f, p: f.optimizer.Ftrl(0.1, l1=0.01, l2=0.5, parameter_list=p),
    "lamb": lambda f, p: f.optimizer.LambOptimizer(0.05, parameter_list=p),
    "decay": lambda f, p: f.optimizer.SGD(
        0.1,
        parameter_list=p,
        regularization=f.regularizer.L2Decay(0.5),
        grad_clip=f.clip.GradientClipByGlobalNorm(0.1),
    ),
    "value": lambda f, p: f.optimizer.SGD(
        0.1,
        parameter_list=p,
        regularization=f.regularizer.L1Decay(0.1),
        grad_clip=f.clip.GradientClipByValue(0.05, need_clip=lambda q: q.name == "w"),
    ),
}


def run(fluid, name):
    """Values of parameters after each step, the state's entries, and the rate."""
    init = fluid.initializer.NumpyArrayInitializer
    with fluid.dygraph.guard(), fluid.unique_name.guard():
        layer = fluid.dygraph.Layer("net")
        w = layer.create_parameter(
            [3, 2], attr=fluid.ParamAttr(name="w", initializer=init(X[:3, :2]))
        )
        b = layer.create_parameter(
            [2], attr=fluid.ParamAttr(name="b", initializer=init(X[3, :2]), learning_rate=2.0)
        )
        optimizer = CASES[name](fluid, [w, b])
        found = {}
        for step in range(5):
            x = fluid.dygraph.to_variable(X)
            out = fluid.layers.elementwise_add(fluid.layers.mul(x, w), b)
            loss = fluid.layers.mean(fluid.layers.square(out))
            loss.backward()
            made = optimizer.minimize(loss)
            assert len(made) == 2
            for param in (w, b):
                param.clear_gradient()
            found["w%d" % step], found["b%d" % step] = w.numpy(), b.numpy()
        for key, value in optimizer.state_dict().items():
            found["state " + key] = np.array(value.numpy())
        found["rate"] = np.array(optimizer.current_step_lr(), "float32")
        return found
