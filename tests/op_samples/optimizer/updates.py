"""Samples of the operators that update one parameter."""

from __future__ import annotations

import numpy as np

from tests.op_samples.sample import ErrorSample, Sample, f64, pos

P, G = f64(3, 4, key="param"), f64(3, 4, key="grad")
LR = np.array([0.1])


def _sgd(p, lr, g):
    return {"Param": p - lr * g}


def _momentum(p, g, v, lr, mu, use_nesterov=False, regularization_method="",
              regularization_coeff=0.0, rescale_grad=1.0):  # fmt: skip
    g = g * rescale_grad
    if regularization_method == "l2_decay":
        g = g + regularization_coeff * p
    v = mu * v + g
    return {"Param": p - lr * (g + mu * v if use_nesterov else v), "Velocity": v}


def _adam(p, g, lr, m, v, pow1, pow2, own=None, beta1=0.9, beta2=0.999, epsilon=1e-8):
    epsilon = epsilon if own is None else own
    m = beta1 * m + (1 - beta1) * g
    v = beta2 * v + (1 - beta2) * g * g
    step = m / (1 - pow1) / (np.sqrt(v / (1 - pow2)) + epsilon)
    return {"Param": p - lr * step, "Moment1": m, "Moment2": v, "Beta1Pow": pow1 * beta1,
            "Beta2Pow": pow2 * beta2}  # fmt: skip


def _adamw(p, g, lr, m, v, pow1, pow2, lr_ratio=1.0, coeff=0.01, with_decay=False, **options):
    lr = lr * lr_ratio
    p = p * (1 - lr * coeff) if with_decay else p
    return _adam(p, g, lr, m, v, pow1, pow2, None, **options)


def _lamb(p, g, lr, m, v, pow1, pow2, weight_decay, beta1=0.9, beta2=0.999, epsilon=1e-6):
    after = _adam(p, g, lr * 0 + 1, m, v, pow1, pow2, None, beta1, beta2, epsilon)
    step = p - after["Param"] + weight_decay * p
    trust = np.linalg.norm(p) / np.linalg.norm(step) if p.any() else 1.0
    return after | {"Param": p - lr * trust * step}


def _adamax(p, g, lr, m, u, pow1, beta1=0.9, beta2=0.999, epsilon=1e-8):
    m = beta1 * m + (1 - beta1) * g
    u = np.maximum(beta2 * u + epsilon, np.abs(g))
    return {"Param": p - lr / (1 - pow1) * m / u, "Moment": m, "InfNorm": u}


def _adagrad(p, g, m, lr, epsilon=1e-6):
    m = m + g * g
    return {"Param": p - lr * g / (np.sqrt(m) + epsilon), "Moment": m}


def _adadelta(p, g, sg, su, lr, rho=0.95, epsilon=1e-6):
    sg = rho * sg + (1 - rho) * g * g
    u = np.sqrt((su + epsilon) / (sg + epsilon)) * g
    su = rho * su + (1 - rho) * u * u
    return {"Param": p - lr * u, "AvgSquaredGrad": sg, "AvgSquaredUpdate": su}


def _rmsprop(p, s, g, m, lr, mean, epsilon=1e-10, decay=0.9, momentum=0.0, centered=False):
    s = decay * s + (1 - decay) * g * g
    root = s + epsilon
    if centered:
        mean = decay * mean + (1 - decay) * g
        root = root - mean**2
    m = momentum * m + lr * g / np.sqrt(root)
    return {"Param": p - m, "Moment": m, "MeanSquare": s, "MeanGrad": mean}


def _mastered(rule, at):
    """The same rule with a master copy as argument ``at``, which gets the parameter's value."""

    def written(*args, multi_precision=False, **attrs):
        after = rule(*args[:at], *args[at + 1 :], **attrs)
        return after | {"MasterParam": after["Param"]}

    return written


SGD, MOMENTUM = _mastered(_sgd, 3), _mastered(_momentum, 4)
ADAM, ADAMW = _mastered(_adam, 7), _mastered(_adamw, 7)
MASTER = {"MasterParam": P.copy()}


def _sample(op, written, state, note="", **attrs):
    inputs = {"Param": P, "Grad": G, "LearningRate": LR, **state}
    return Sample(op, inputs, attrs, written=written, note=note, rtol=1e-6)


def _powers(steps, beta1=0.9, beta2=0.999):
    return {"Beta1Pow": np.array([beta1**steps]), "Beta2Pow": np.array([beta2**steps])}


MOMENTS = {"Moment1": f64(3, 4, key="m1"), "Moment2": pos(3, 4, key="m2")}
NORMS = {"Moment": f64(3, 4, key="m1"), "InfNorm": pos(3, 4), "Beta1Pow": np.array([0.9**3])}
SQUARES = {"AvgSquaredGrad": pos(3, 4), "AvgSquaredUpdate": pos(3, 4, key="update")}
MEANS = {"MeanSquare": pos(3, 4) + 4, "Moment": f64(3, 4, key="m1"), "MeanGrad": f64(3, 4) / 4}
VELOCITY = {"Velocity": f64(3, 4, key="v")}

SAMPLES = [
    Sample("sgd", {"Param": P, "LearningRate": LR, "Grad": G}, written=SGD),
    Sample("sgd", {"Param": P[0], "LearningRate": LR, "Grad": G[:, 0].repeat(2)[:4]}, written=SGD,
           note="1d"),
    Sample("sgd", {"Param": P, "LearningRate": LR, "Grad": G} | MASTER, {"multi_precision": True},
           written=SGD, note="master"),
    _sample("momentum", MOMENTUM, VELOCITY, mu=0.9),
    _sample("momentum", MOMENTUM, VELOCITY, "nesterov", mu=0.8, use_nesterov=True),
    _sample("momentum", MOMENTUM, VELOCITY, "decay", mu=0.8, regularization_method="l2_decay",
            regularization_coeff=0.3, rescale_grad=0.5),
    _sample("momentum", MOMENTUM, VELOCITY | MASTER, "master", mu=0.9, multi_precision=True),
    _sample("adam", ADAM, MOMENTS | _powers(1)),
    _sample("adam", ADAM, MOMENTS | _powers(2) | MASTER, "master", multi_precision=True),
    _sample("adam", ADAM, MOMENTS | _powers(7, 0.5, 0.8), "betas", beta1=0.5, beta2=0.8,
            epsilon=1e-3),
    _sample("adam", ADAM, MOMENTS | _powers(3, 0.5, 0.0), "beta2_is_0", beta1=0.5, beta2=0.0),
    _sample("adam", ADAM, MOMENTS | _powers(100000), "late"),
    _sample("adam", ADAM, MOMENTS | _powers(2) | {"EpsilonTensor": np.full([1], 0.1, "float32")},
            "epsilon_tensor"),
    _sample("adamw", ADAMW, MOMENTS | _powers(2)),
    _sample("adamw", ADAMW, MOMENTS | _powers(2), "decay", with_decay=True, coeff=0.3,
            lr_ratio=0.5),
    _sample("adamw", ADAMW, MOMENTS | _powers(2) | MASTER, "master", multi_precision=True),
    _sample("lamb", _lamb, MOMENTS | _powers(3), weight_decay=0.1),
    _sample("lamb", _lamb, {"Param": P * 0} | MOMENTS | _powers(3), "zero_param", weight_decay=0.1),
    _sample("adamax", _adamax, NORMS),
    _sample("adamax", _adamax, NORMS, "betas", beta1=0.9, beta2=0.5, epsilon=0.1),
    _sample("adagrad", _adagrad, {"Moment": pos(3, 4)}),
    _sample("adagrad", _adagrad, {"Moment": pos(3, 4)}, "epsilon", epsilon=0.1),
    _sample("adadelta", _adadelta, SQUARES),
    _sample("adadelta", _adadelta, SQUARES, "rho", rho=0.5, epsilon=0.1),
    _sample("rmsprop", _rmsprop, MEANS | {"MeanGrad": None}),
    _sample("rmsprop", _rmsprop, MEANS | {"MeanGrad": None}, "momentum", momentum=0.9, decay=0.5),
    _sample("rmsprop", _rmsprop, MEANS, "centered", centered=True, epsilon=0.1),
]  # fmt: skip

ERRORS = [
    ErrorSample("sgd", {"Param": P, "LearningRate": LR, "Grad": G[:2]}, {}, ValueError, "sgd"),
    ErrorSample("adagrad", {"Param": P, "Grad": G[:, :3], "Moment": pos(3, 4), "LearningRate": LR},
                {}, ValueError, "expected grad of the parameter's shape"),
    ErrorSample("momentum", {"Param": P, "Grad": G, "Velocity": VELOCITY["Velocity"],
                             "LearningRate": np.ones(2)}, {"mu": 0.9}, ValueError, "momentum"),
]  # fmt: skip
