"""What operators declare about random numbers is what the samples show."""

from __future__ import annotations

import warnings

import pytest
import torch

import paddle
from paddle.core.derive import gradient_operator
from paddle.core.op import REGISTRY
from paddle.core.random import torch_generator
from tests.ops.table import SAMPLES, call, forward_operators, tensors

CPU = torch.device("cpu")


class Draws:
    """Whether the framework's generator was used inside of a ``with``."""

    def __enter__(self):
        torch_generator(CPU)
        self.before = torch_generator(CPU).get_state(), torch.get_rng_state()
        return self

    def __exit__(self, *raised):
        ours, theirs = self.before
        self.seen = not torch.equal(ours, torch_generator(CPU).get_state())
        assert torch.equal(theirs, torch.get_rng_state()), "torch's own generator was used"


def samples_by_operator():
    found: dict[str, list] = {}
    for sample in SAMPLES:
        found.setdefault(sample.op, []).append(sample)
    return found


# It draws from a generator that starts at its input Seed, 0 meaning the device's own.
SEEDED = {"shuffle_batch"}


def test_declared_is_observed():
    wrong = {}
    for name, samples in samples_by_operator().items():
        drew = False
        for sample in samples:
            with warnings.catch_warnings(), Draws() as draws:
                warnings.simplefilter("ignore")
                call(sample, tensors(sample))
            drew |= draws.seen
        if drew != REGISTRY[name].random and name not in SEEDED:
            wrong[name] = f"declared {REGISTRY[name].random}, observed {drew}"
    assert not wrong
    assert all(REGISTRY[name].random for name in SEEDED)


def test_gradients_declared_are_observed():
    for op in forward_operators():
        if not op.random or not op.grad_outputs:
            continue
        assert not gradient_operator(op).random, f"{op.name}_grad would draw other numbers"
        for sample in samples_by_operator()[op.name]:
            args = tensors(sample)
            for arg, slot in zip(args, op.inputs, strict=True):
                for tensor in arg if isinstance(arg, list) else [arg]:
                    if (
                        tensor is not None
                        and slot.differentiable
                        and tensor._buf.is_floating_point()
                    ):
                        tensor.stop_gradient = False
            outs = call(sample, args)
            carried = [outs[i] for i in op.grad_outputs if not isinstance(outs[i], list)]
            if not any(o is not None and not o.stop_gradient for o in carried):
                continue
            total = sum(o.sum() for o in carried if o is not None and not o.stop_gradient)
            with Draws() as draws:
                total.backward()
            assert not draws.seen, f"the gradient of {op.name} drew numbers"


@pytest.mark.parametrize(
    "name", ["instance_norm", "sequence_mask", "edit_distance", "dropout_grad"]
)
def test_a_name_alone_says_nothing(name):
    from paddle.ir.operator import Operator
    from paddle.ir.randomness import draws

    block = paddle.static.Program().global_block()
    gradient_operator(REGISTRY["dropout"])
    assert not draws(Operator(block, name, {}, {}, {}))
    assert draws(Operator(block, "dropout", {}, {}, {}))
