"""What schedules print, keep as state and refuse, and how users write their own."""

import math
import warnings

import numpy as np
import pytest

import paddle
from paddle.optimizer import lr


class Halving(lr.LRScheduler):
    def get_lr(self):
        return self.base_lr * 0.5**self.last_epoch


class Counting(Halving):
    def __init__(self, learning_rate):
        self.count = 0
        super().__init__(learning_rate)

    def step(self, epoch=None):
        self.count += 1
        super().step(epoch)

    def state_keys(self):
        self.keys = ["last_epoch", "last_lr", "count"]


def test_verbose_prints_the_step_and_the_rate(capsys):
    scheduler = lr.ExponentialDecay(0.5, gamma=0.5, verbose=True)
    scheduler.step()
    scheduler.step(5)
    assert capsys.readouterr().out == (
        "Epoch 0: ExponentialDecay set learning rate to 0.5.\n"
        "Epoch 1: ExponentialDecay set learning rate to 0.25.\n"
        "Epoch 5: ExponentialDecay set learning rate to 0.015625.\n"
    )


def test_silent_by_default(capsys):
    lr.StepDecay(0.5, 2).step()
    assert capsys.readouterr().out == ""


def test_plateau_prints_reductions_only(capsys):
    scheduler = lr.ReduceOnPlateau(1.0, factor=0.5, patience=1, verbose=True)
    for _ in range(4):
        scheduler.step(1.0)
    assert capsys.readouterr().out == "Epoch 3: ReduceOnPlateau set learning rate to 0.5.\n"


def test_user_scheduler():
    scheduler = Halving(1)
    assert scheduler() == 1.0 and isinstance(scheduler(), float)
    scheduler.step()
    assert scheduler() == 0.5
    assert scheduler.state_dict() == {"last_epoch": 1, "last_lr": 0.5}


def test_user_scheduler_with_more_state():
    first, second = Counting(1.0), Counting(1.0)
    first.step()
    assert first.state_dict() == {"last_epoch": 1, "last_lr": 0.5, "count": 2}
    second.set_state_dict(first.state_dict())
    assert second.count == 2


def test_base_class_says_that_get_lr_is_missing():
    with pytest.raises(NotImplementedError, match=r"LRScheduler must define get_lr"):
        lr.LRScheduler(0.1)


def test_nested_state():
    scheduler = lr.LinearWarmup(lr.ExponentialDecay(0.5, 0.5), 2, 0.0, 0.5)
    for _ in range(4):
        scheduler.step()
    assert scheduler.state_dict() == {
        "last_epoch": 4,
        "last_lr": 0.125,
        "LinearWarmup_LR": {"last_epoch": 2, "last_lr": 0.125},
    }


def test_nested_state_missing_changes_nothing():
    scheduler = lr.LinearWarmup(lr.ExponentialDecay(0.5, 0.5), 2, 0.0, 0.5)
    with pytest.raises(RuntimeError, match=r"'LinearWarmup_LR'.*ExponentialDecay.*last_epoch"):
        scheduler.set_state_dict({"last_epoch": 4, "last_lr": 0.125})
    assert scheduler.last_epoch == 0


def test_warmup_reads_a_plateau_that_the_user_steps():
    plateau = lr.ReduceOnPlateau(0.5, factor=0.5, patience=0)
    scheduler = lr.LinearWarmup(plateau, 2, 0.0, 0.5)
    for _ in range(3):
        plateau.step(1.0)
        scheduler.step()
    assert plateau() == scheduler() == 0.125


def test_missing_state_changes_nothing():
    scheduler = lr.StepDecay(0.5, 2)
    with pytest.raises(RuntimeError, match=r"\['last_lr'\] not found in \['last_epoch'\]"):
        scheduler.set_state_dict({"last_epoch": 7})
    assert scheduler.last_epoch == 0


def test_unused_state_warns():
    scheduler = lr.StepDecay(0.5, 2)
    with pytest.warns(UserWarning, match=r"\['best'\] are not used"):
        scheduler.set_state_dict({"last_epoch": 7, "last_lr": 0.25, "best": 1})
    assert (scheduler.last_epoch, scheduler()) == (7, 0.25)


def test_state_from_arrays_becomes_plain_numbers():
    scheduler = lr.StepDecay(0.5, 2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scheduler.set_state_dict({"last_epoch": np.array([3]), "last_lr": np.float32(0.25)})
    assert type(scheduler.last_epoch) is int and type(scheduler.last_lr) is float
    assert scheduler.state_dict() == {"last_epoch": 3, "last_lr": 0.25}


def test_state_must_be_a_dict():
    with pytest.raises(
        TypeError, match=r"StepDecay.set_state_dict: 'state_dict' must be a dict.*list"
    ):
        lr.StepDecay(0.5, 2).set_state_dict([1, 2])


@pytest.mark.parametrize(
    "metric", [2, 2.0, np.float32(2), np.array([2.0]), np.array(2.0), paddle.to_tensor([2.0])]
)
def test_plateau_takes_numbers_arrays_and_tensors(metric):
    scheduler = lr.ReduceOnPlateau(1.0)
    scheduler.step(metric)
    assert scheduler.best == 2.0 and type(scheduler.best) is float


def test_plateau_counts_nan_as_no_improvement():
    scheduler = lr.ReduceOnPlateau(1.0, patience=1, factor=0.5)
    scheduler.step(math.nan)
    scheduler.step(math.nan)
    assert scheduler.best is None and scheduler() == 0.5
    scheduler.step(3.0)
    assert scheduler.best == 3.0


def test_plateau_moves_to_an_epoch():
    scheduler = lr.ReduceOnPlateau(1.0)
    scheduler.step(1.0, epoch=7)
    assert scheduler.last_epoch == 7


WRONG_TYPE = [
    (
        lambda: lr.ExponentialDecay("0.1", 0.5),
        r"ExponentialDecay: 'learning_rate' must be a number.*str",
    ),
    (lambda: lr.ExponentialDecay(None, 0.5), r"'learning_rate' must be a number.*NoneType"),
    (lambda: lr.ExponentialDecay(0.1, "a"), r"'gamma' must be a number.*str"),
    (lambda: lr.ExponentialDecay(0.1, 0.5, last_epoch="3"), r"'last_epoch' must be an int.*str"),
    (
        lambda: lr.ExponentialDecay(0.1, 0.5).step("3"),
        r"ExponentialDecay.step: 'epoch' must be.*'3'",
    ),
    (lambda: lr.PiecewiseDecay(3, [0.1, 0.2]), r"'boundaries' must be a list or tuple.*int"),
    (lambda: lr.PiecewiseDecay([3], 0.1), r"'values' must be a list or tuple.*float"),
    (lambda: lr.PiecewiseDecay([3], [0.1, "b"]), r"'values\[1\]' must be a number.*'b'"),
    (lambda: lr.MultiStepDecay(0.1, 3), r"MultiStepDecay: 'milestones' must be a list.*int: 3"),
    (lambda: lr.StepDecay(0.1, 2.5), r"StepDecay: 'step_size' must be an int, got float: 2.5"),
    (lambda: lr.PolynomialDecay(0.1, 2.5), r"'decay_steps' must be an int, got float"),
    (lambda: lr.CosineAnnealingDecay(0.1, 2.5), r"'T_max' must be an int, got float: 2.5"),
    (lambda: lr.CosineAnnealingDecay(0.1, 2, eta_min="a"), r"'eta_min' must be a number.*'a'"),
    (lambda: lr.LambdaDecay(0.1, 3), r"'lr_lambda' must be a function.*int: 3"),
    (lambda: lr.LambdaDecay(0.1, lambda step: "a"), r"the result of lr_lambda.*str: 'a'"),
    (
        lambda: lr.LinearWarmup("a", 2, 0.0, 0.1),
        r"LinearWarmup: 'learning_rate' must be a number.*'a'",
    ),
    (lambda: lr.ReduceOnPlateau("a"), r"ReduceOnPlateau: 'learning_rate' must be a number.*'a'"),
    (lambda: lr.ReduceOnPlateau(0.1, patience=1.5), r"'patience' must be an int.*1.5"),
    (lambda: lr.ReduceOnPlateau(0.1, mode=1), r"'mode' must be a str, got int: 1"),
    (lambda: lr.ReduceOnPlateau(0.1).step([1.0]), r"'metrics' must be a number.*Tensor, got list"),
    (lambda: lr.ReduceOnPlateau(0.1).step(None), r"'metrics' must be a number.*got NoneType"),
]

WRONG_VALUE = [
    (
        lambda: lr.ExponentialDecay(math.nan, 0.5),
        r"'learning_rate' must be a finite number, got nan",
    ),
    (
        lambda: lr.ExponentialDecay(math.inf, 0.5),
        r"'learning_rate' must be a finite number, got inf",
    ),
    (lambda: lr.ExponentialDecay(-0.1, 0.5), r"'learning_rate' must be >= 0, got -0.1"),
    (lambda: lr.ExponentialDecay(0.1, 0), r"'gamma' must be > 0, got 0"),
    (lambda: lr.NaturalExpDecay(0.1, -1), r"NaturalExpDecay: 'gamma' must be > 0, got -1"),
    (lambda: lr.InverseTimeDecay(0.1, -1), r"InverseTimeDecay: 'gamma' must be >= 0, got -1"),
    (lambda: lr.ExponentialDecay(0.1, 0.5, last_epoch=-2), r"'last_epoch' must be >= -1, got -2"),
    (lambda: lr.ExponentialDecay(0.1, 0.5).step(-1), r"'epoch' must be >= 0, got -1"),
    (lambda: lr.NoamDecay(0, 10), r"NoamDecay: 'd_model' must be > 0, got 0"),
    (lambda: lr.NoamDecay(64, 0), r"NoamDecay: 'warmup_steps' must be > 0, got 0"),
    (
        lambda: lr.PiecewiseDecay([1, 2], [0.1, 0.2]),
        r"'values' must have one element more.* 3, got 2",
    ),
    (lambda: lr.PiecewiseDecay([2, 1], [0.1, 0.2, 0.3]), r"strictly increasing, got \[2, 1\]"),
    (lambda: lr.PiecewiseDecay([2], [0.1, -0.2]), r"'values\[1\]' must be >= 0, got -0.2"),
    (
        lambda: lr.MultiStepDecay(0.1, [2, 5, 5]),
        r"'milestones' must be strictly.*\(5 is followed by 5",
    ),
    (lambda: lr.MultiStepDecay(0.1, [2], gamma=1), r"MultiStepDecay: 'gamma' must be < 1.*got 1"),
    (lambda: lr.StepDecay(0.1, 0), r"StepDecay: 'step_size' must be >= 1, got 0"),
    (lambda: lr.StepDecay(0.1, 1, gamma=1.5), r"StepDecay: 'gamma' must be < 1.*got 1.5"),
    (lambda: lr.StepDecay(0.1, 1, gamma=-0.5), r"StepDecay: 'gamma' must be >= 0, got -0.5"),
    (lambda: lr.PolynomialDecay(0.1, 0), r"'decay_steps' must be >= 1, got 0"),
    (lambda: lr.PolynomialDecay(0.1, 5, power=0), r"'power' must be > 0, got 0"),
    (lambda: lr.CosineAnnealingDecay(0.1, 0), r"'T_max' must be >= 1, got 0"),
    (lambda: lr.LinearWarmup(0.1, 0, 0.0, 0.1), r"'warmup_steps' must be >= 1, got 0"),
    (
        lambda: lr.LinearWarmup(0.1, 5, 0.5, 0.1),
        r"'end_lr' must be greater.*end_lr=0.1.*start_lr=0.5",
    ),
    (
        lambda: lr.ReduceOnPlateau(0.1, mode="avg"),
        r"'mode' must be one of \('min', 'max'\), got 'avg'",
    ),
    (lambda: lr.ReduceOnPlateau(0.1, threshold_mode="x"), r"'threshold_mode' must be one of.*'x'"),
    (lambda: lr.ReduceOnPlateau(0.1, factor=1.0), r"'factor' must be < 1.*got 1.0"),
    (lambda: lr.ReduceOnPlateau(0.1, cooldown=-1), r"'cooldown' must be >= 0, got -1"),
    (lambda: lr.ReduceOnPlateau(0.1).step(np.zeros(2)), r"exactly one element, got shape \[2\]"),
]


@pytest.mark.parametrize(("call", "message"), WRONG_TYPE)
def test_wrong_type(call, message):
    with pytest.raises(TypeError, match=message):
        call()


@pytest.mark.parametrize(("call", "message"), WRONG_VALUE)
def test_wrong_value(call, message):
    with pytest.raises(ValueError, match=message):
        call()
