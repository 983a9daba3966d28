"""Kernels on shapes alone in small memory: what is told, and what is left to the meta device."""

from __future__ import annotations

import pytest
import torch

import paddle
from paddle.core import derive, dry_run
from paddle.core.dtype import VarType
from paddle.core.infer import Spec, checked_infer, infer, infer_by_meta
from paddle.core.op import REGISTRY

F32, I64, BOOL = VarType.FP32, VarType.INT64, VarType.BOOL


@pytest.fixture(autouse=True)
def _pays(monkeypatch):
    """As in a process that has not used the meta device yet."""
    monkeypatch.setattr(dry_run, "pays", lambda: True)


@pytest.fixture
def no_meta(monkeypatch):
    def refuse(*args):
        raise AssertionError("the meta device was asked")

    monkeypatch.setattr("paddle.core.infer._run_meta", refuse)


def meta(*shape, dtype=torch.float32):
    return torch.empty(shape, dtype=dtype, device="meta")


def told(kernel, *buffers, **attrs):
    made = dry_run.run(kernel, list(buffers), attrs)
    assert made.is_meta
    return tuple(made.shape), made.dtype


def test_results_have_shape_dtype_and_strides():
    assert told(torch.matmul, meta(2, 3), meta(3, 4)) == ((2, 4), torch.float32)
    assert told(torch.eq, meta(2, 1), meta(3)) == ((2, 3), torch.bool)
    assert told(torch.true_divide, meta(2, dtype=torch.int64), meta(2)) == ((2,), torch.float32)
    made = dry_run.run(lambda x: x.transpose(0, 1) * 2, [meta(2, 3)], {})
    assert made.shape == (3, 2) and made.stride() == (1, 3)


def test_divisors_of_integers_are_not_zero():
    whole = meta(4, dtype=torch.int64)
    assert told(torch.remainder, whole, whole) == ((4,), torch.int64)


def test_writes_in_place_give_the_argument_itself():
    x = meta(2, 3)
    assert dry_run.run(lambda x, y: x.add_(y), [x, meta(3)], {}) is x


def test_new_tensors_of_a_kernel():
    def kernel(x):
        steps = torch.arange(x.shape[1], device=x.device)
        return x.gather(1, steps.expand(x.shape)) + torch.zeros(1, device=x.device)

    assert told(kernel, meta(2, 5)) == ((2, 5), torch.float32)


def test_elementwise_functions_of_many_numbers_take_no_memory():
    large = (1 << 20, 1 << 20)
    assert told(lambda x, y: (x + y) > 0, meta(*large), meta(1, 1)) == (large, torch.bool)
    x = meta(*large)
    assert dry_run.run(lambda x: x.mul_(2), [x], {}) is x


def test_other_functions_of_many_numbers_are_not_told():
    with pytest.raises(dry_run.NotTold, match="many numbers"):
        dry_run.run(torch.softmax, [meta(1 << 11, 1 << 11)], {"dim": 1})
    with pytest.raises(dry_run.NotTold):
        dry_run.run(lambda x, y: x.add_(y), [meta(1, 1 << 21), meta(2, 1)], {})


def test_what_is_refused_is_not_told():
    with pytest.raises(dry_run.NotTold, match="cannot be multiplied"):
        dry_run.run(torch.matmul, [meta(2, 3), meta(2, 3)], {})


@pytest.mark.parametrize(
    "kernel", [lambda x: x.sum().item(), lambda x: x.nonzero(), lambda x: x.cpu()]
)
def test_values_are_not_there(kernel):
    with pytest.raises(dry_run.ReadsData):
        dry_run.run(kernel, [meta(2, 3)], {})


def test_random_functions_leave_the_state_alone():
    def kernel(x):
        noise = torch.rand(x.shape, device=x.device)
        drawn = torch.bernoulli(x) + noise.normal_()
        return drawn + torch.multinomial(x, 3)

    before = torch.get_rng_state()
    assert told(kernel, meta(2, 3)) == ((2, 3), torch.float32)
    assert torch.equal(before, torch.get_rng_state())


def test_operators_without_a_rule_are_inferred(no_meta):
    op = REGISTRY["maxout"]
    made = infer(op, [Spec((-1, 6, 4), F32)], {"groups": 2, "axis": 1})
    assert made == [Spec((-1, 3, 4), F32)]
    assert infer(REGISTRY["kron"], [Spec((2, -1), F32), Spec((3, 5), F32)], {}) == [
        Spec((6, -1), F32)
    ]


def test_a_size_that_the_small_stand_ins_refuse_is_asked_of_the_meta_device():
    op = REGISTRY["maxout"]
    specs, attrs = [Spec((2, -1), F32)], {"groups": 504, "axis": 1}
    made = infer(op, specs, attrs)
    assert made == infer_by_meta(op, specs, {**op.attrs, **attrs}) == [Spec((2, -1), F32)]


def test_checks_beside_a_rule(no_meta):
    specs = [Spec((2, 3), F32), Spec((3, 4), F32)]
    assert checked_infer(REGISTRY["mul"], specs, {}) == [Spec((2, 4), F32)]
    assert checked_infer(REGISTRY["less_than"], [Spec((1,), I64)] * 2, {}) == [Spec((1,), BOOL)]


def test_a_refusal_has_the_words_of_the_meta_device(monkeypatch):
    specs = [Spec((2, 3), F32), Spec((5, 4), F32)]
    texts = []
    for way in (True, False):
        monkeypatch.setattr(dry_run, "pays", lambda way=way: way)
        with pytest.raises(ValueError, match="operator < mul > error") as caught:
            checked_infer(REGISTRY["mul"], specs, {})
        texts.append(str(caught.value))
    assert texts[0] == texts[1]


def test_a_derived_gradient_with_the_engine_and_with_the_public_function(monkeypatch):
    def gradients():
        x = paddle.to_tensor([[0.5, -1.0], [2.0, 3.0]], stop_gradient=False)
        y = paddle.kron(x, x * 2)
        (once,) = paddle.grad((y * y).sum(), x, create_graph=True)
        (twice,) = paddle.grad(once.sum(), x)
        return once.numpy().tolist(), twice.numpy().tolist()

    assert derive._engine is not None, "torch has renamed what torch.autograd.grad ends in"
    by_engine = gradients()
    monkeypatch.setattr(derive, "_engine", None)
    assert gradients() == by_engine
