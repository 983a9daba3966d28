"""Samples of rarer optimizers, merged updates and averages of parameters."""

from __future__ import annotations

import numpy as np

from tests.op_samples.sample import ErrorSample, Sample, f64, pos

P, G, M = f64(3, 4, key="param"), f64(3, 4, key="grad"), pos(3, 4, key="moment")
LR = np.array([0.1])
PARAMS, GRADS = [P, f64(5, key="p2")], [G, f64(5, key="g2")]
VELOCITIES = [f64(3, 4, key="v"), f64(5, key="v2")]


def _momentum(p, g, v, lr, mu, nesterov, regularization_method="", regularization_coeff=0.0):
    g = g + regularization_coeff * p if regularization_method == "l2_decay" else g
    v = mu * v + g
    return p - lr * (g + mu * v if nesterov else v), v


def _adam(p, g, lr, m, v, pow1, pow2, beta1=0.9, beta2=0.999, epsilon=1e-8):
    m, v = beta1 * m + (1 - beta1) * g, beta2 * v + (1 - beta2) * g * g
    step = m / (1 - pow1) / (np.sqrt(v / (1 - pow2)) + epsilon)
    return p - lr * step, m, v, pow1 * beta1, pow2 * beta2


def _decayed(p, g, m, lr, decay=0.95, epsilon=1e-6):
    m = decay * m + (1 - decay) * g * g
    return {"Param": p - lr * g / (np.sqrt(m) + epsilon), "Moment": m}


def _dpsgd(p, g, lr, clip=10.0, batch_size=16.0, sigma=1.0, seed=0):
    return {"Param": p - lr * g / max(np.linalg.norm(g) / clip, 1)}


def _ftrl(p, s, z, g, lr, l1=0.0, l2=0.0, lr_power=-0.5):
    new = s + g * g
    sigma = (new**-lr_power - s**-lr_power) / lr
    z = z + g - sigma * p
    y = new**-lr_power / lr + 2 * l2
    return {"Param": np.where(np.abs(z) > l1, (l1 * np.sign(z) - z) / y, 0),
            "SquaredAccumulator": new, "LinearAccumulator": z}  # fmt: skip


def _shrunk(value, lr, l1, l2):
    value = np.sign(value) * np.maximum(np.abs(value) - lr * l1, 0)
    return value / (1 + lr * l2)


def _proximal_gd(p, g, lr, l1=0.0, l2=0.0):
    return {"Param": _shrunk(p - lr * g, lr, l1, l2)}


def _proximal_adagrad(p, m, g, lr, l1=0.0, l2=0.0):
    m = m + g * g
    return {"Param": _shrunk(p - lr * g / np.sqrt(m), lr, l1, l2), "Moment": m}


def _average(p, s1, s2, s3, count, old, updates, average_window=0.0, max_average_window=2**63 - 1,
             min_average_window=10000):  # fmt: skip
    updates, count, s1 = updates + 1, count + 1, s1 + p
    if updates[0] % 16384 == 0:
        s2, s1 = s2 + s1, s1 * 0
    if count[0] >= min_average_window and count[0] >= min(
        max_average_window, updates[0] * average_window
    ):
        s3, s1, s2, old, count = s1 + s2, s1 * 0, s2 * 0, count, count * 0
    return {"in_sum_1": s1, "in_sum_2": s2, "in_sum_3": s3, "in_num_accumulates": count,
            "in_old_num_accumulates": old, "in_num_updates": updates}  # fmt: skip


def _sums(count, updates):
    return {"param": P, "in_sum_1": f64(3, 4, key=1), "in_sum_2": f64(3, 4, key=2),
            "in_sum_3": f64(3, 4, key=3), "in_num_accumulates": np.int64([count]),
            "in_old_num_accumulates": np.int64([7]),
            "in_num_updates": np.int64([updates])}  # fmt: skip


def _lars(params, grads, velocities, rates, masters=None, mu=0.9, lars_coeff=0.001,
          lars_weight_decay=(0.0005,), epsilon=0.0, rescale_grad=1.0):  # fmt: skip
    decays = np.broadcast_to(lars_weight_decay, len(params))
    out, made = [], []
    for p, g, v, lr, decay in zip(masters or params, grads, velocities, rates, decays, strict=True):
        g = g * rescale_grad
        size, slope = np.linalg.norm(p), np.linalg.norm(g)
        if decay > 0 and size > 0 and slope > 0:
            lr = lr * lars_coeff * size / (slope + decay * size + epsilon)
        made.append(mu * v + lr * (g + decay * p))
        out.append(p - made[-1])
    return out, made, out if masters else None


def _merged_momentum(params, grads, velocities, rates, masters=None, mu=0.9, use_nesterov=False,
                     rescale_grad=1.0, **decay):  # fmt: skip
    options = [{name: entries[i] for name, entries in decay.items()} for i in range(len(params))]
    done = [
        _momentum(p, g * rescale_grad, v, rates[0], mu, use_nesterov, **more)
        for p, g, v, more in zip(masters or params, grads, velocities, options, strict=True)
    ]
    out, made = ([d[k] for d in done] for k in range(2))
    return out, made, out if masters else None


def _merged_adam(params, grads, rates, m1, m2, pow1, pow2, masters=None,
                 use_global_beta_pow=False, **options):  # fmt: skip
    work = masters or params
    done = [_adam(work[i], grads[i], rates[i % len(rates)], m1[i], m2[i], pow1[i], pow2[i],
                  **options) for i in range(len(params))]  # fmt: skip
    out = [[d[k] for d in done] for k in range(5)]
    out[3:] = [pow1, pow2] if use_global_beta_pow else out[3:]
    return (*out, out[0] if masters else None)


def _one(op, written, state, note="", **attrs):
    inputs = {"Param": P, "Grad": G, "LearningRate": LR, **state}
    return Sample(op, inputs, attrs, written=written, note=note, rtol=1e-6)


def _many(op, ref, note="", inputs=None, **attrs):
    given = {"Param": PARAMS, "Grad": GRADS, "LearningRate": [LR, LR], **(inputs or {})}
    return Sample(op, given, attrs, ref, note=note, rtol=1e-6)


VELOCITY = {"Velocity": VELOCITIES}
FTRL = {"SquaredAccumulator": M, "LinearAccumulator": f64(3, 4, key="z")}
MOMENTS = {"Moment1": VELOCITIES, "Moment2": [M, pos(5)],
           "Beta1Pow": [np.array([0.9]), np.array([0.81])],
           "Beta2Pow": [np.array([0.999]), np.array([0.999**2])]}  # fmt: skip
MASTERS = {"MasterParam": [P + 0.001, PARAMS[1] - 0.001]}
L2 = {"regularization_method": ["l2_decay", ""], "regularization_coeff": [0.3, 0.0]}

SAMPLES = [
    _one("decayed_adagrad", _decayed, {"Moment": M}),
    _one("decayed_adagrad", _decayed, {"Moment": M}, "options", decay=0.5, epsilon=0.1),
    _one("dpsgd", _dpsgd, {}, sigma=0.0),
    _one("dpsgd", _dpsgd, {}, "clipped", sigma=0.0, clip=0.5, seed=3),
    _one("ftrl", _ftrl, FTRL),
    _one("ftrl", _ftrl, FTRL, "penalties", l1=0.8, l2=0.3),
    _one("ftrl", _ftrl, FTRL, "power", l1=0.1, lr_power=-0.7),
    _one("proximal_gd", _proximal_gd, {}),
    _one("proximal_gd", _proximal_gd, {}, "penalties", l1=3.0, l2=0.5),
    _one("proximal_adagrad", _proximal_adagrad, {"Moment": M}),
    _one("proximal_adagrad", _proximal_adagrad, {"Moment": M}, "penalties", l1=3.0, l2=0.5),
    Sample("average_accumulates", _sums(3, 9), {"average_window": 0.5, "min_average_window": 10},
           written=_average, note="grows"),
    Sample("average_accumulates", _sums(10, 19), {"average_window": 0.5, "min_average_window": 10,
           "max_average_window": 100}, written=_average, note="full"),
    Sample("average_accumulates", _sums(10, 50), {"average_window": 0.9, "min_average_window": 10,
           "max_average_window": 11}, written=_average, note="longest"),
    Sample("average_accumulates", _sums(10, 16383), {"average_window": 0.5,
           "min_average_window": 10}, written=_average, note="moves"),
    _many("lars_momentum", _lars, inputs=VELOCITY, mu=0.9),
    _many("lars_momentum", _lars, "options", VELOCITY, mu=0.8, lars_weight_decay=[0.1, 0.0],
          lars_coeff=0.5, epsilon=0.01, rescale_grad=0.5),
    Sample("lars_momentum", {"Param": [P], "Grad": [G], "Velocity": VELOCITIES[:1],
           "LearningRate": [LR]}, {"mu": 0.9, "lars_weight_decay": 0.2}, _lars, note="1x"),
    _many("merged_momentum", _merged_momentum, inputs=VELOCITY, mu=0.9),
    _many("merged_momentum", _merged_momentum, "nesterov", VELOCITY, mu=0.8, use_nesterov=True,
          rescale_grad=0.5, **L2),
    _many("merged_momentum", _merged_momentum, "master", VELOCITY | MASTERS, mu=0.9),
    _many("merged_adam", _merged_adam, inputs=MOMENTS),
    _many("merged_adam", _merged_adam, "global_powers", MOMENTS, use_global_beta_pow=True),
    _many("merged_adam", _merged_adam, "master", MOMENTS | MASTERS, epsilon=1e-3),
]  # fmt: skip

ERRORS = [
    ErrorSample("ftrl", {"Param": P, "Grad": G[:2], "LearningRate": LR} | FTRL, {}, ValueError,
                r"expected grad of the parameter's shape \[3, 4\]"),
    ErrorSample("merged_momentum", {"Param": PARAMS, "Grad": GRADS[:1], "LearningRate": [LR]}
                | VELOCITY, {"mu": 0.9}, ValueError, "as many gradients as parameters"),
]  # fmt: skip
