"""Wrong arguments of optimizers and of clipping: the exception and what it says."""

from __future__ import annotations

import numpy as np
import pytest

import paddle
from paddle import optimizer as opt
from tests.optimizer.test_step import ALL, build, leaf


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize(
    "rate, error, text",
    [
        (float("nan"), ValueError, "expected a finite number, got nan"),
        (float("inf"), ValueError, "expected a finite number, got inf"),
        ("0.1", TypeError, "expected a float or an LRScheduler, but received str '0.1'"),
        (None, TypeError, "expected a float or an LRScheduler, but received NoneType"),
        (True, TypeError, "expected a float or an LRScheduler, but received bool"),
        ([0.1], TypeError, "expected a float or an LRScheduler, but received list"),
    ],
)
def test_learning_rate(name, rate, error, text):
    with pytest.raises(error, match=rf"{name}\(learning_rate\): {text}"):
        build(name, [leaf([1.0])], rate=rate)
    optimizer = build(name, [leaf([1.0])])
    with pytest.raises(error, match=rf"{name}.set_lr\(learning_rate\): {text}"):
        optimizer.set_lr(rate)


def test_a_learning_rate_of_numpy():
    assert build("SGD", [leaf([1.0])], rate=np.float32(0.5)).get_lr() == 0.5


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize(
    "parameters, error, text",
    [
        (None, AttributeError, "but received None; dynamic mode needs it"),
        ([], ValueError, "expected at least one parameter, got an empty list"),
        (paddle.ones([2]), TypeError, "expected a list of Tensors, but received Tensor"),
        ("weights", TypeError, "expected a list of Tensors, but received str 'weights'"),
        (3, TypeError, "expected a list of Tensors, but received int"),
        ([np.ones(2)], TypeError, "expected Tensors, but it holds ndarray"),
        ([{"lr": 1}], TypeError, "every group must be a dict with the key 'params'"),
        ([{"params": [leaf([1.0])]}, leaf([1.0])], TypeError, "every group must be a dict"),
        ([{"params": [leaf([1.0])], "lr": 1}], ValueError, r"unknown keys \['lr'\]"),
    ],
)
def test_parameters(name, parameters, error, text):
    with pytest.raises(error, match=rf"{name}\(parameters\): .*{text}"):
        build(name, parameters)


def test_a_parameter_given_twice():
    x = leaf([1.0])
    with pytest.raises(ValueError, match=f"parameter {x.name} is given twice"):
        build("SGD", [x, x])
    with pytest.raises(ValueError, match="is given twice"):
        build("SGD", [{"params": [x]}, {"params": x}])


def test_parameters_from_a_generator():
    linear = paddle.nn.Linear(2, 2)
    optimizer = build("SGD", (p for p in linear.parameters()))
    assert len(optimizer._parameter_list) == 2


@pytest.mark.parametrize("name", [n for n in ALL if n not in ("Lamb", "AdamW")])
def test_weight_decay(name):
    with pytest.raises(TypeError, match=r"\(weight_decay\): expected a float, L1Decay or L2Decay"):
        build(name, [leaf([1.0])], weight_decay="0.1")
    with pytest.raises(ValueError, match=r"\(weight_decay\): expected a finite number, got nan"):
        build(name, [leaf([1.0])], weight_decay=float("nan"))


@pytest.mark.parametrize("name", ALL)
def test_grad_clip_and_name(name):
    with pytest.raises(TypeError, match=rf"{name}\(grad_clip\): expected ClipGradByGlobalNorm"):
        build(name, [leaf([1.0])], grad_clip=1.0)
    with pytest.raises(TypeError, match=rf"{name}\(name\): expected a str, but received int"):
        build(name, [leaf([1.0])], name=3)


@pytest.mark.parametrize("name", ["Adam", "AdamW", "Adamax", "Lamb"])
@pytest.mark.parametrize("which", ["beta1", "beta2"])
def test_betas(name, which):
    for value in (1.0, -0.1, 2):
        with pytest.raises(ValueError, match=rf"{name}\({which}\): expected 0 <= {which} < 1"):
            build(name, [leaf([1.0])], **{which: value})
    with pytest.raises(TypeError, match=rf"{name}\({which}\): expected a float, but received str"):
        build(name, [leaf([1.0])], **{which: "0.9"})
    with pytest.raises(ValueError, match="expected a finite number, got nan"):
        build(name, [leaf([1.0])], **{which: float("nan")})
    made = build(name, [leaf([1.0])], **{which: paddle.to_tensor([0.5])})
    assert getattr(made, f"_{which}") == 0.5


@pytest.mark.parametrize("name", [n for n in ALL if n not in ("SGD", "Momentum")])
def test_epsilon(name):
    with pytest.raises(ValueError, match=rf"{name}\(epsilon\): expected epsilon >= 0, got -1.0"):
        build(name, [leaf([1.0])], epsilon=-1)
    with pytest.raises(TypeError, match=rf"{name}\(epsilon\): expected a float"):
        build(name, [leaf([1.0])], epsilon=None)


@pytest.mark.parametrize(
    "name, argument",
    [
        ("Momentum", "momentum"),
        ("Momentum", "rescale_grad"),
        ("AdamW", "weight_decay"),
        ("Lamb", "lamb_weight_decay"),
        ("Adagrad", "initial_accumulator_value"),
        ("Adadelta", "rho"),
        ("RMSProp", "rho"),
        ("RMSProp", "momentum"),
    ],
)
def test_numbers(name, argument):
    with pytest.raises(TypeError, match=rf"{name}\({argument}\): expected a float"):
        build(name, [leaf([1.0])], **{argument: None})
    with pytest.raises(
        ValueError, match=rf"{name}\({argument}\): expected a finite number, got nan"
    ):
        build(name, [leaf([1.0])], **{argument: float("nan")})


def test_functions():
    with pytest.raises(TypeError, match=r"AdamW\(apply_decay_param_fun\): expected a callable"):
        build("AdamW", [leaf([1.0])], apply_decay_param_fun="w")
    with pytest.raises(
        TypeError, match=r"Lamb\(exclude_from_weight_decay_fn\): expected a callabl"
    ):
        build("Lamb", [leaf([1.0])], exclude_from_weight_decay_fn="w")


def test_schedulers():
    optimizer = build("SGD", [leaf([1.0])])
    with pytest.raises(TypeError, match="set_lr_scheduler: expected an LRScheduler, got float"):
        optimizer.set_lr_scheduler(0.1)
    with pytest.raises(TypeError, match="set_lr_scheduler takes one"):
        optimizer.set_lr(opt.lr.NoamDecay(8, 2))


def test_the_base_class_updates_nothing():
    x = leaf([1.0])
    x.sum().backward()
    with pytest.raises(NotImplementedError, match="one of the optimizers of"):
        opt.Optimizer(0.1, parameters=[x]).step()


@pytest.mark.parametrize("name", ["ClipGradByNorm", "ClipGradByGlobalNorm"])
def test_norms(name):
    clip = getattr(paddle.nn, name)
    for value in (0, -1.0, float("nan")):
        with pytest.raises(ValueError, match=rf"{name}\(clip_norm\): expected a positive number"):
            clip(value)
    with pytest.raises(TypeError, match=rf"{name}\(clip_norm\): expected a number, got str"):
        clip("1")
    assert str(clip(2)).endswith("_norm=2.000000")


def test_clip_by_value():
    clip = paddle.nn.ClipGradByValue(2)
    assert (clip.min, clip.max) == (-2.0, 2.0)
    assert str(clip) == "Gradient Clip By Value, min = -2.000000, max=2.000000"
    with pytest.raises(ValueError, match=r"expected min <= max, but received 2.0 and 1.0"):
        paddle.nn.ClipGradByValue(1.0, min=2.0)
    with pytest.raises(TypeError, match=r"ClipGradByValue\(max\): expected a number"):
        paddle.nn.ClipGradByValue(None)
