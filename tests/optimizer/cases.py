"""Optimizer settings that run the same here and in PaddlePaddle, which froze their results."""

from __future__ import annotations

from typing import Any

import numpy as np

STEPS = 5


def _l1(paddle: Any) -> Any:
    return paddle.regularizer.L1Decay(0.05)


def _l2(paddle: Any) -> Any:
    return paddle.regularizer.L2Decay(0.1)


def _scheduler(paddle: Any) -> Any:
    return paddle.optimizer.lr.StepDecay(learning_rate=0.1, step_size=2, gamma=0.5)


# name -> (class, arguments, ParamAttr of the weight); callable values take the paddle at hand
CASES: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "sgd": ("SGD", {"learning_rate": 0.1}, {}),
    "sgd_l1": ("SGD", {"learning_rate": 0.1, "weight_decay": _l1}, {}),
    "sgd_float": ("SGD", {"learning_rate": 0.1, "weight_decay": 0.1}, {}),
    "sgd_scheduler": ("SGD", {"learning_rate": _scheduler}, {}),
    "sgd_attr": (
        "SGD",
        {"learning_rate": 0.1, "weight_decay": _l2},
        {"learning_rate": 0.5, "regularizer": _l1},
    ),
    "sgd_frozen": ("SGD", {"learning_rate": 0.1, "weight_decay": _l2}, {"trainable": False}),
    "momentum": ("Momentum", {"learning_rate": 0.1, "momentum": 0.8}, {}),
    "momentum_nesterov": ("Momentum", {"learning_rate": 0.1, "use_nesterov": True}, {}),
    "momentum_l2": ("Momentum", {"learning_rate": 0.1, "weight_decay": _l2}, {}),
    "momentum_l1": ("Momentum", {"learning_rate": 0.1, "weight_decay": _l1}, {}),
    "adam": ("Adam", {"learning_rate": 0.1}, {}),
    "adam_betas": ("Adam", {"learning_rate": 0.1, "beta1": 0.5, "beta2": 0.9, "epsilon": 1e-2}, {}),
    "adam_l2": ("Adam", {"learning_rate": 0.1, "weight_decay": _l2}, {}),
    "adam_l1": ("Adam", {"learning_rate": 0.1, "weight_decay": _l1}, {}),
    "adam_attr": ("Adam", {"learning_rate": 0.1}, {"learning_rate": 0.5, "regularizer": _l2}),
    "adam_scheduler": ("Adam", {"learning_rate": _scheduler}, {}),
    "adamw": ("AdamW", {"learning_rate": 0.1}, {}),
    "adamw_decay": ("AdamW", {"learning_rate": 0.1, "weight_decay": 0.3}, {}),
    "adamw_chosen": (
        "AdamW",
        {
            "learning_rate": 0.1,
            "weight_decay": 0.3,
            "apply_decay_param_fun": lambda p: lambda name: ".w_" in name,
        },
        {},
    ),
    "adamax": ("Adamax", {"learning_rate": 0.1}, {}),
    "adamax_l2": ("Adamax", {"learning_rate": 0.1, "beta1": 0.7, "weight_decay": _l2}, {}),
    "lamb": ("Lamb", {"learning_rate": 0.1}, {}),
    "lamb_decay": ("Lamb", {"learning_rate": 0.1, "lamb_weight_decay": 0.2, "epsilon": 1e-3}, {}),
    "lamb_exclude": (
        "Lamb",
        {
            "learning_rate": 0.1,
            "lamb_weight_decay": 0.2,
            "exclude_from_weight_decay_fn": lambda p: lambda param: ".b_" in param.name,
        },
        {},
    ),
    "adagrad": ("Adagrad", {"learning_rate": 0.1}, {}),
    "adagrad_start": ("Adagrad", {"learning_rate": 0.1, "initial_accumulator_value": 0.5}, {}),
    "adadelta": ("Adadelta", {"learning_rate": 0.5}, {}),
    "adadelta_l2": ("Adadelta", {"learning_rate": 0.5, "rho": 0.8, "weight_decay": _l2}, {}),
    "rmsprop": ("RMSProp", {"learning_rate": 0.1}, {}),
    "rmsprop_momentum": ("RMSProp", {"learning_rate": 0.1, "momentum": 0.9, "rho": 0.8}, {}),
    "rmsprop_centered": (
        "RMSProp",
        {"learning_rate": 0.1, "centered": True, "epsilon": 1e-3, "weight_decay": _l2},
        {},
    ),
    "clip_value": (
        "SGD",
        {"learning_rate": 0.1, "grad_clip": lambda p: p.nn.ClipGradByValue(0.3, min=-0.2)},
        {},
    ),
    "clip_norm": (
        "SGD",
        {"learning_rate": 0.1, "grad_clip": lambda p: p.nn.ClipGradByNorm(0.7)},
        {},
    ),
    "clip_global": (
        "Momentum",
        {
            "learning_rate": 0.1,
            "grad_clip": lambda p: p.nn.ClipGradByGlobalNorm(0.7),
            "weight_decay": _l2,
        },
        {},
    ),
    "clip_global_partly": (
        "Adam",
        {"learning_rate": 0.1, "grad_clip": lambda p: p.nn.ClipGradByGlobalNorm(0.7)},
        {"need_clip": False},
    ),
}  # fmt: skip


def made(paddle: Any, options: dict[str, Any]) -> dict[str, Any]:
    """Fills in the values that need a paddle."""
    return {k: v(paddle) if callable(v) else v for k, v in options.items()}


def gradients(step: int) -> tuple[np.ndarray, np.ndarray]:
    """The gradients of one step for weight and bias."""
    state = np.random.RandomState(100 + step)
    return (
        state.uniform(-1, 1, (3, 2)).astype("float32"),
        state.uniform(-1, 1, (2,)).astype("float32"),
    )


def layer(paddle: Any, attr: dict[str, Any]) -> Any:
    """A Linear with fixed values."""
    state = np.random.RandomState(0)
    made_attr = paddle.ParamAttr(**made(paddle, attr))
    linear = paddle.nn.Linear(3, 2, weight_attr=made_attr)
    linear.weight.set_value(state.uniform(-1, 1, (3, 2)).astype("float32"))
    linear.bias.set_value(state.uniform(-1, 1, (2,)).astype("float32"))
    return linear


def give_gradients(paddle: Any, linear: Any, step: int) -> None:
    """Lets backward leave the gradients of a step at the parameters."""
    gw, gb = gradients(step)
    loss = (linear.weight * paddle.to_tensor(gw)).sum()
    loss = loss + (linear.bias * paddle.to_tensor(gb)).sum()
    loss.backward()


def build(paddle: Any, name: str) -> tuple[Any, Any]:
    """Makes the layer and the optimizer of a case."""
    cls, options, attr = CASES[name]
    linear = layer(paddle, attr)
    return linear, getattr(paddle.optimizer, cls)(
        parameters=linear.parameters(), **made(paddle, options)
    )


def train(paddle: Any, linear: Any, optimizer: Any, steps: range) -> None:
    """Runs some steps."""
    for step in steps:
        give_gradients(paddle, linear, step)
        optimizer.step()
        optimizer.clear_grad()
        if hasattr(optimizer._learning_rate, "step"):
            optimizer._learning_rate.step()


def slot(key: str) -> str:
    """The part of an accumulator's name that does not count layers: ``w_0_moment1_0``."""
    return key.split(".", 1)[-1]


def run(paddle: Any, name: str) -> dict[str, np.ndarray]:
    """Trains a case and returns parameters and accumulators."""
    linear, optimizer = build(paddle, name)
    train(paddle, linear, optimizer, range(STEPS))
    out = {"weight": linear.weight.numpy(), "bias": linear.bias.numpy()}
    for key, value in optimizer.state_dict().items():
        if hasattr(value, "numpy"):
            out[slot(key)] = value.numpy()
    return out
