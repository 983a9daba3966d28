"""Layers of 1.x dygraph, made and called the same way under 1.8.5 and here (Python 3.7 syntax).

A case is ``name: (make, inputs)``: ``make(fluid.dygraph, fluid)`` gives the layer, ``inputs`` the
arrays of its calls. ``described`` says what becomes of it: names and shapes of parameters, results
and gradients with parameters that are filled by ``filled``.
"""

import numpy as np


def floats(*shape):
    """Numbers between -1 and 1 that look random."""
    n = int(np.prod(shape))
    return np.sin(np.arange(n) * 1.7 + n).reshape(shape).astype("float32")


def filled(shape, k):
    """What parameter number k is filled with."""
    n = int(np.prod(shape))
    return (np.cos(np.arange(n) * 0.37 + k) * 0.5).reshape(shape).astype("float32")


def _ids(*shape):
    return (np.arange(int(np.prod(shape))) * 3 % 5).reshape(shape).astype("int64")


def evaluated(layer):
    """A layer in evaluation mode; 1.8.5 then records nothing for backward, anywhere."""
    layer.eval()
    return layer


X = floats(2, 4, 5, 5)
ROWS = floats(6, 4)
EDGES = np.array([[[1, 2], [1, 3], [2, 4], [0, 0]]], "int32")
HALF = (floats(3, 4) + 1) / 2

LAYERS = {
    "linear": (lambda d, f: d.Linear(4, 3), [ROWS]),
    "linear_act": (lambda d, f: d.Linear(4, 3, act="relu", bias_attr=False), [floats(2, 3, 4)]),
    "linear_attr": (
        lambda d, f: d.Linear(
            4, 3, f.ParamAttr(name="w", learning_rate=0.5), f.ParamAttr(name="b"), act="softmax"
        ),
        [ROWS],
    ),
    "conv2d": (lambda d, f: d.Conv2D(4, 6, 3, 2, 1, groups=2, act="relu"), [X]),
    "conv2d_plain": (lambda d, f: d.Conv2D(4, 2, (3, 2), bias_attr=False, dilation=2), [X]),
    "conv3d": (lambda d, f: d.Conv3D(2, 3, 2, act="tanh"), [floats(1, 2, 4, 4, 4)]),
    "conv2d_transpose": (
        lambda d, f: d.Conv2DTranspose(4, 6, 3, stride=2, padding=1, groups=2, act="sigmoid"), [X],
    ),
    "conv2d_transpose_size": (
        lambda d, f: d.Conv2DTranspose(4, 3, 3, output_size=[10, 10], padding=1, stride=2), [X],
    ),
    "conv3d_transpose": (lambda d, f: d.Conv3DTranspose(2, 3, 2, 0, 2), [floats(1, 2, 3, 3, 3)]),
    "conv3d_transpose_bias": (
        lambda d, f: d.Conv3DTranspose(2, 3, 2, bias_attr=f.ParamAttr(), act="relu"),
        [floats(1, 2, 3, 3, 3)],
    ),
    "group_norm_params": (
        lambda d, f: d.GroupNorm(4, 2, param_attr=f.ParamAttr(), bias_attr=f.ParamAttr()), [X]
    ),
    "batch_norm_trainable": (lambda d, f: d.BatchNorm(4, trainable_statistics=True), [X]),
    "pool_max": (lambda d, f: d.Pool2D(2, "max", 2), [X]),
    "pool_avg": (lambda d, f: d.Pool2D(3, "avg", 2, 1, exclusive=False), [X]),
    "pool_ceil": (lambda d, f: d.Pool2D([2, 3], "avg", 2, [0, 1], ceil_mode=True), [X]),
    "pool_global": (lambda d, f: d.Pool2D(pool_type="avg", global_pooling=True), [X]),
    "batch_norm": (lambda d, f: d.BatchNorm(4, act="relu", momentum=0.8), [X]),
    "batch_norm_test": (lambda d, f: d.BatchNorm(4, is_test=True, epsilon=1e-3), [X]),
    "batch_norm_global": (
        lambda d, f: d.BatchNorm(
            4, param_attr=f.ParamAttr(), bias_attr=f.ParamAttr(), use_global_stats=True
        ),
        [X],
    ),
    "batch_norm_names": (
        lambda d, f: d.BatchNorm(
            4, moving_mean_name="mean", moving_variance_name="var", data_layout="NHWC"
        ),
        [floats(2, 3, 3, 4)],
    ),
    "dropout_eval": (lambda d, f: evaluated(d.Dropout(0.4)), [ROWS]),
    "dropout_upscale_eval": (
        lambda d, f: evaluated(d.Dropout(0.4, dropout_implementation="upscale_in_train")), [ROWS]
    ),
    "batch_norm_eval": (lambda d, f: evaluated(d.BatchNorm(4, is_test=True)), [X]),
    "embedding": (lambda d, f: d.Embedding([5, 3], padding_idx=-2), [_ids(2, 4)]),
    "embedding_column": (lambda d, f: d.Embedding([5, 3], is_sparse=True), [_ids(4, 1)]),
    "gru_unit": (lambda d, f: d.GRUUnit(9), [floats(2, 9), floats(2, 3)]),
    "gru_unit_relu": (
        lambda d, f: d.GRUUnit(9, activation="relu", bias_attr=False),
        [floats(2, 9), floats(2, 3)],
    ),
    "layer_norm": (lambda d, f: d.LayerNorm([4], act="tanh"), [ROWS]),
    "layer_norm_plain": (
        lambda d, f: d.LayerNorm([5, 5], scale=False, shift=False, epsilon=1e-3), [X]
    ),
    "prelu_all": (lambda d, f: d.PRelu("all"), [X]),
    "prelu_channel": (lambda d, f: d.PRelu("channel", channel=4), [X]),
    "prelu_element": (lambda d, f: d.PRelu("element", input_shape=[2, 4, 5, 5]), [X]),
    "bilinear": (
        lambda d, f: d.BilinearTensorProduct(4, 3, 5, act="sigmoid"), [floats(2, 4), floats(2, 3)]
    ),
    "group_norm": (lambda d, f: d.GroupNorm(4, 2, act="relu"), [X]),
    "group_norm_plain": (lambda d, f: d.GroupNorm(4, 4, 0.1, False, False), [X]),
    "spectral_norm": (
        lambda d, f: d.SpectralNorm([3, 4, 2], dim=1, power_iters=2), [floats(3, 4, 2)]
    ),
    "tree_conv": (lambda d, f: d.TreeConv(3, 4, 2), [floats(1, 5, 3), EDGES]),
    "instance_norm": (lambda d, f: d.InstanceNorm(4), [X]),
    "bce_loss": (lambda d, f: d.BCELoss(reduction="sum"), [HALF, (HALF > 0.5).astype("float32")]),
    "l1_loss": (lambda d, f: d.L1Loss(reduction="none"), [floats(3, 4), floats(4, 3).T.copy()]),
    "mse_loss": (lambda d, f: d.MSELoss(), [floats(3, 4), floats(4, 3).T.copy()]),
    "nll_loss": (lambda d, f: d.NLLLoss(), [floats(5, 5), _ids(5)]),
    "sequential": (
        lambda d, f: d.Sequential(
            d.Conv2D(4, 2, 3, padding=1), d.BatchNorm(2), d.Pool2D(2, "avg", 2)
        ),
        [X],
    ),
    "named_sequential": (
        lambda d, f: d.Sequential(("first", d.Linear(4, 3)), ("second", d.Linear(3, 2))), [ROWS]
    ),
}  # fmt: skip

SHAPES_ONLY = {
    "nce": lambda d, f: d.NCE(7, 4, num_neg_samples=2),
    "nce_plain": lambda d, f: d.NCE(7, 4, bias_attr=False),
    "layer_list": lambda d, f: d.LayerList([d.Linear(2, 3), d.Linear(3, 2)]),
    "parameter_list": lambda d, f: d.ParameterList(
        [f.layers.create_parameter([2, 3], "float32") for _ in range(2)]
    ),
    "scope": lambda d, f: d.Layer("net"),
}

SCHEDULES = {
    "piecewise": lambda d: d.PiecewiseDecay([5, 12], [1.0, 0.5, 0.1], 0),
    "piecewise_begin": lambda d: d.PiecewiseDecay([5, 12], [1.0, 0.5, 0.1], 3, 2),
    "natural_exp": lambda d: d.NaturalExpDecay(0.5, 7, 0.3),
    "natural_exp_staircase": lambda d: d.NaturalExpDecay(0.5, 7, 0.3, True),
    "exponential": lambda d: d.ExponentialDecay(0.5, 7, 0.3, begin=2),
    "exponential_staircase": lambda d: d.ExponentialDecay(0.5, 7, 0.3, staircase=True),
    "inverse_time": lambda d: d.InverseTimeDecay(0.5, 7, 0.3),
    "inverse_time_staircase": lambda d: d.InverseTimeDecay(0.5, 7, 0.3, True),
    "polynomial": lambda d: d.PolynomialDecay(0.5, 11, 0.01, 2.0),
    "polynomial_cycle": lambda d: d.PolynomialDecay(0.5, 11, 0.01, 1.0, cycle=True),
    "cosine": lambda d: d.CosineDecay(0.5, 4, 6),
    "noam": lambda d: d.NoamDecay(64, 10),
    "noam_rate": lambda d: d.NoamDecay(64, 10, begin=4, learning_rate=2.0),
    "warmup": lambda d: d.LinearLrWarmup(0.5, 8, 0.1, 0.4),
    "warmup_of_piecewise": lambda d: d.LinearLrWarmup(
        d.PiecewiseDecay([12, 20], [1.0, 0.5, 0.1], 0), 8, 0.1, 0.4
    ),
    "warmup_of_cosine": lambda d: d.LinearLrWarmup(d.CosineDecay(0.5, 4, 6), 8, 0.1, 0.4),
}

EPOCH_SCHEDULES = {
    "step": lambda d: d.StepDecay(0.5, 3),
    "step_rate": lambda d: d.StepDecay(0.5, step_size=4, decay_rate=0.3),
    "multi_step": lambda d: d.MultiStepDecay(0.5, [3, 6], 0.2),
    "lambda": lambda d: d.LambdaDecay(0.5, lambda n: 0.9**n),
}

LOSSES = [1.0, 0.9, 0.9, 0.9, 0.95, 0.9, 0.9, 0.89, 0.89, 0.7, 0.7, 0.7, 0.7, 0.7, 0.7, 0.7] * 2

PLATEAU = {
    "plateau": lambda d: d.ReduceLROnPlateau(1.0, decay_rate=0.5, patience=2),
    "plateau_abs": lambda d: d.ReduceLROnPlateau(
        1.0, "max", 0.5, 1, threshold=0.1, threshold_mode="abs", cooldown=2, min_lr=0.2
    ),
}


def number(value):
    """A learning rate as a float: schedules give a float or a Tensor."""
    return float(np.asarray(value.numpy() if hasattr(value, "numpy") else value).reshape(-1)[0])


def layer_case(fluid, name):
    """Runs a case: a description (for JSON) and arrays by key."""
    make, inputs = LAYERS[name]
    d, arrays = fluid.dygraph, {}
    with d.guard(fluid.CPUPlace()), fluid.unique_name.guard():
        layer = make(d, fluid)
        state = layer.state_dict()
        told = {"state": [[key, list(v.shape)] for key, v in state.items()]}
        told["parameters"] = [[p.name, list(p.shape)] for p in layer.parameters()]
        told["full_name"] = layer.full_name()
        buffers = list(state.values())
        told["names"] = [v.name for v in buffers]
        for k, value in enumerate(buffers):
            given = filled(value.shape, k)
            value.set_value(abs(given) + 0.1 if "var" in value.name else given)
        if name.startswith("batch_norm"):  # a variance is positive
            layer._variance.set_value(abs(layer._variance.numpy()) + 0.1)
        given = []
        for array in inputs:
            one = d.to_variable(array)
            one.stop_gradient = array.dtype != np.float32
            given.append(one)
        out = layer(*given)
        outs = list(out) if isinstance(out, (list, tuple)) else [out]
        for k, value in enumerate(outs):
            arrays[f"out{k}"] = value.numpy()
        if not layer.training:
            return told, arrays
        weights = d.to_variable(filled(outs[0].shape, 9))
        loss = fluid.layers.reduce_sum(fluid.layers.elementwise_mul(outs[0], weights))
        loss.backward()
        for k, one in enumerate(given):
            if not one.stop_gradient and one.gradient() is not None:
                arrays[f"gin{k}"] = one.gradient()
        for k, one in enumerate(layer.parameters()):
            grad = one.gradient() if not one.stop_gradient else None
            if grad is not None and not isinstance(grad, tuple):
                arrays[f"gparam{k}"] = grad
            elif grad is not None:
                dense = np.zeros(one.shape, "float32")
                np.add.at(dense, np.asarray(grad[1]), grad[0])
                arrays[f"gparam{k}"] = dense
        if name.startswith(("batch_norm", "sequential", "spectral")):
            for k, value in enumerate(buffers):
                arrays[f"after{k}"] = value.numpy()
    return told, arrays


def shapes_case(fluid, name):
    """Names and shapes of a layer that is not called."""
    with fluid.dygraph.guard(fluid.CPUPlace()), fluid.unique_name.guard():
        layer = SHAPES_ONLY[name](fluid.dygraph, fluid)
        return {
            "state": [[k, list(v.shape), v.name] for k, v in layer.state_dict().items()],
            "full_name": layer.full_name(),
        }


def schedule_case(fluid, name):
    """What a schedule gives in 30 steps."""
    d = fluid.dygraph
    with d.guard(fluid.CPUPlace()), fluid.unique_name.guard():
        if name in SCHEDULES:
            schedule = SCHEDULES[name](d)
            return [number(schedule()) for _ in range(30)]
        if name in EPOCH_SCHEDULES:
            schedule, found = EPOCH_SCHEDULES[name](d), []
            for _ in range(10):
                found.append(number(schedule()))
                schedule.epoch()
            return found
        schedule, found = PLATEAU[name](d), []
        for loss in LOSSES:
            schedule.step(d.to_variable(np.array([loss], "float32")))
            found.append(number(schedule()))
        return found
