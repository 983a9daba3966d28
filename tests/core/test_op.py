"""The operator contract: slots, registration, generated calls, gradients, hooks."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import paddle
from paddle.core import op as contract
from paddle.core.derive import gradient_operator
from paddle.core.mode import hooked
from paddle.core.op import REGISTRY, C, Slot, define, op


@pytest.fixture(autouse=True)
def _registry():
    """Takes the operators that a test defines away again, with what was derived from them."""
    before = set(REGISTRY)
    yield
    for name in set(REGISTRY) - before:
        if name.startswith("my_"):
            del REGISTRY[name]
            vars(C).pop(name, None)


def leaf(data):
    return paddle.to_tensor(data, dtype="float64", stop_gradient=False)


# -- slots ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "slot"),
    [
        ("X", Slot("X")),
        ("X*", Slot("X", many=True)),
        ("X?", Slot("X", optional=True)),
        ("X~", Slot("X", differentiable=False)),
        ("X*?", Slot("X", many=True, optional=True)),
        ("X?*~", Slot("X", many=True, optional=True, differentiable=False)),
        ("XOut=X", Slot("XOut", differentiable=False, writes="X")),
        ("XOut?=X", Slot("XOut", optional=True, differentiable=False, writes="X")),
        ("X@GRAD", Slot("X@GRAD")),
    ],
)
def test_slot_parse(text, slot):
    assert Slot.parse(text) == slot


# -- registration --------------------------------------------------------------------------------


def test_a_name_is_taken_once():
    op("my_first", "X -> Out")(lambda x: x * 2)
    with pytest.raises(ValueError, match="operator my_first is defined twice"):
        op("my_first", "X -> Out")(lambda x: x)
    assert REGISTRY["my_first"].kernel(3) == 6


def test_kernel_must_fit_the_slots():
    with pytest.raises(ValueError, match=r"kernel .*\['x'\] does not fit slots"):
        op("my_bad", "X Y -> Out")(lambda x: x)
    assert "my_bad" not in REGISTRY


def test_gradient_names_real_slots_and_attributes():
    made = op("my_op", "X -> Out")(lambda x, *, scale=1.0: x * scale)
    with pytest.raises(ValueError, match=r"my_op.grad: \['Y.shape'\] are no slots"):
        made.grad("X Y.shape")(lambda d, x, shape: d)
    with pytest.raises(ValueError, match=r"my_op.grad: \['factor'\] are no attributes"):
        made.grad("X")(lambda d, x, *, factor: d)


def test_attributes_come_from_the_kernel():
    made = op("my_op", "X Y? -> Out Mask~")(lambda x, y, *, axis, lambda_=0.5, shape=(1, 2): (x, x))
    assert made.attrs == {"axis": contract.REQUIRED, "lambda": 0.5, "shape": (1, 2)}
    assert made.grad_outputs == [0]
    assert "my_op: X Y -> Out Mask" in repr(made)


def test_an_operator_that_does_not_exist():
    with pytest.raises(AttributeError, match="no operator named 'my_nothing'"):
        _ = C.my_nothing


def test_every_registered_operator_compiles():
    for name in list(REGISTRY):
        if REGISTRY[name].base is None and REGISTRY[name].has_kernel:
            assert callable(getattr(C, name))


# -- generated calls -----------------------------------------------------------------------------


def test_required_attributes():
    op("my_op", "X -> Out")(lambda x, *, axis: x.sum(axis))
    assert C.my_op(paddle.ones([2, 3]), axis=0).tolist() == [2, 2, 2]
    with pytest.raises(TypeError, match="axis"):
        C.my_op(paddle.ones([2, 3]))
    with pytest.raises(TypeError, match="other"):
        C.my_op(paddle.ones([2, 3]), axis=0, other=1)


def test_optional_inputs():
    op("my_op", "X Bias? -> Out")(lambda x, bias: x * 2 if bias is None else x * 2 + bias)
    x, b = leaf([1.0]), leaf([5.0])
    assert C.my_op(x).item() == C.my_op(x, None).item() == 2
    out = C.my_op(x, b)
    out.backward()
    assert (out.item(), x.grad.item(), b.grad.item()) == (7, 2, 1)
    x.clear_grad()
    C.my_op(x).backward()
    assert x.grad.item() == 2


def test_optional_outputs():
    def kernel(x, *, both=False):
        return x * 2, (x * 3 if both else None)

    op("my_op", "X -> Out Extra?")(kernel)
    x = leaf([1.0])
    out, extra = C.my_op(x)
    assert extra is None
    out.backward()
    assert x.grad.item() == 2
    out, extra = C.my_op(x, both=True)
    (out + extra).backward()
    assert x.grad.item() == 2 + 5


def test_list_inputs():
    op("my_op", "X* -> Out")(lambda xs: xs[0] * 2 if len(xs) == 1 else xs[0] * xs[1])
    a, b = leaf([2.0]), leaf([3.0])
    C.my_op([a, b]).backward()
    assert (a.grad.item(), b.grad.item()) == (3, 2)
    fixed = paddle.to_tensor([3.0], dtype="float64")
    a.clear_grad()
    C.my_op([a, fixed]).backward()
    assert a.grad.item() == 3 and fixed.grad is None
    assert C.my_op([fixed]).stop_gradient


def test_list_beside_single_inputs():
    def kernel(x, parts, y):
        total = x * y
        for p in parts or ():
            total = total + p * y
        return total

    op("my_op", "X Parts*? Y -> Out")(kernel)
    x, y, p, q = (leaf([v]) for v in (1.0, 2.0, 3.0, 4.0))
    C.my_op(x, [p, q], y).backward()
    assert [t.grad.item() for t in (x, y, p, q)] == [2, 8, 2, 2]
    y.clear_grad()
    C.my_op(x, None, y).backward()
    assert y.grad.item() == 1


def test_list_outputs():
    op("my_op", "X -> Out*")(lambda x, *, n=2: [x * (k + 1) for k in range(n)])
    x = leaf([1.0])
    a, b, c = C.my_op(x, n=3)
    (a + c * 10).backward()
    assert x.grad.item() == 31 and b.grad is None


def test_outputs_without_a_gradient():
    op("my_op", "X -> Out Mask~")(lambda x: (x * 2, x > 0))
    out, mask = C.my_op(leaf([1.0]))
    assert not out.stop_gradient and mask.stop_gradient and mask.tolist() == [True]


def test_in_place_outputs():
    def kernel(param, grad, moment, *, rate=0.5):
        param.sub_(grad, alpha=rate)
        if moment is not None:
            moment.add_(grad)
        return None, None

    op("my_op", "Param Grad Moment? -> ParamOut=Param MomentOut=Moment", differentiable=False)(
        kernel
    )
    p, g, m = paddle.ones([2]), paddle.ones([2]), paddle.zeros([2])
    assert C.my_op(p, g, m) is None
    assert (p.tolist(), m.tolist()) == ([0.5, 0.5], [1, 1])
    C.my_op(p, g)
    assert p.tolist() == [0, 0]


def test_a_write_by_an_operator_is_noticed_by_backward():
    op("my_op", "X -> XOut=X", differentiable=False)(lambda x: x.add_(1) and None)
    x, w = paddle.to_tensor([1.0]), paddle.to_tensor([2.0], stop_gradient=False)
    y = x * w
    C.my_op(x)
    with pytest.raises(RuntimeError, match="overwritten in place"):
        y.backward()


def test_scalars_have_one_element():
    op("my_op", "X -> Out Last~")(lambda x: (x.sum(), x[-1]))
    out, last = C.my_op(leaf([1.0, 2.0]))
    assert out.shape == last.shape == [1]


def test_direct_is_used_for_default_attributes():
    calls = []

    def kernel(x, *, factor=1.0):
        calls.append(factor)
        return x.exp() * factor

    op("my_op", "X -> Out", infer="same", direct=torch.exp)(kernel)
    x = paddle.to_tensor([0.0])
    assert C.my_op(x).item() == 1 and C.my_op(x, factor=2.0).item() == 2
    assert calls == [2.0]


def test_names_that_are_keywords():
    op("my_op", "X -> Out")(lambda x, *, lambda_=1.0, from_=0: x * lambda_ + from_)
    assert C.my_op(paddle.to_tensor([2.0]), lambda_=3.0, from_=1).item() == 7


# -- gradients -----------------------------------------------------------------------------------


def test_explicit_gradient_receives_what_it_named():
    seen = []
    made = op("my_op", "X Y -> Out")(lambda x, y, *, k=2.0: x * y * k)

    @made.grad("X Y Out.shape")
    def _(d_out, x, y, out_shape, *, k, needs_grad):
        seen.append((tuple(out_shape), k, needs_grad))
        return d_out * y * k, d_out * x * k

    x, y = leaf([3.0]), paddle.to_tensor([5.0], dtype="float64")
    C.my_op(x, y, k=4.0).backward()
    assert seen == [((1,), 4.0, (True, False))] and x.grad.item() == 20 and y.grad is None


def test_shapes_are_saved_without_their_buffer():
    import weakref

    made = op("my_op", "X -> Out")(lambda x: x.sum())
    made.grad("X.shape")(lambda d, shape: d.expand(shape))
    x = leaf([1.0, 2.0])
    h = x * 1.0
    memory = weakref.ref(h._buf)
    out = C.my_op(h)
    del h
    assert memory() is None
    out.backward()
    assert x.grad.tolist() == [1, 1]


def test_generic_gradient_of_every_order():
    op("my_op", "X Y -> Out")(lambda x, y: x**3 * torch.sin(y))
    v, w = np.array([0.5, 1.5]), np.array([0.2, 0.4])
    x, y = leaf(v), leaf(w)
    dx, dy = paddle.grad(C.my_op(x, y), [x, y], create_graph=True)
    np.testing.assert_allclose(dx.numpy(), 3 * v**2 * np.sin(w))
    dxx, dxy = paddle.grad(dx.sum(), [x, y], create_graph=True)
    np.testing.assert_allclose(dxy.numpy(), 3 * v**2 * np.cos(w))
    dxxx, dxxy = paddle.grad(dxx.sum(), [x, y], create_graph=True)
    np.testing.assert_allclose(dxxx.numpy(), 6 * np.sin(w))
    np.testing.assert_allclose(dxxy.numpy(), 6 * v * np.cos(w))
    (fourth,) = paddle.grad(dxxy.sum(), y)
    np.testing.assert_allclose(fourth.numpy(), -6 * v * np.sin(w))
    np.testing.assert_allclose(dy.numpy(), v**3 * np.cos(w))


def test_explicit_gradient_of_every_order():
    made = op("my_op", "X -> Out", infer="same")(lambda x: torch.exp(x))
    made.grad("Out")(lambda d, out: d * out)
    x = leaf([0.5])
    current = C.my_op(x)
    for _ in range(4):
        (current,) = paddle.grad(current, x, create_graph=True)
        np.testing.assert_allclose(current.numpy(), np.exp([0.5]))


def test_gradient_operators_are_operators():
    made = op("my_op", "X Y? -> Out")(lambda x, y: x * 2)
    first = gradient_operator(made)
    assert first.name == "my_op_grad" and first is gradient_operator(made)
    assert [s.name for s in first.inputs] == ["Out@GRAD", "X", "Y"]
    assert [s.name for s in first.outputs] == ["X@GRAD", "Y@GRAD"]
    current = made
    for _ in range(4):
        current = gradient_operator(current)
        names = [s.name for s in [*current.inputs, *current.outputs]]
        assert len(set(names)) == len(names), names
    assert current.name == "my_op" + "_grad" * 4


def test_operators_without_a_gradient():
    op("my_op", "X -> Out", differentiable=False)(lambda x: x * 2)
    assert C.my_op(leaf([1.0])).stop_gradient


def test_gradient_may_be_none():
    made = op("my_op", "X Y -> Out")(lambda x, y: x + y)
    made.grad()(lambda d: (d, None))
    x, y = leaf([1.0]), leaf([1.0])
    C.my_op(x, y).backward()
    assert x.grad.item() == 1 and y.grad is None


# -- hooks on calls ------------------------------------------------------------------------------


def test_a_hook_sees_operator_arguments_and_attributes():
    seen = []

    def hook(op, args, attrs):
        seen.append((op.name, args, attrs))
        return "from the hook"

    x = paddle.ones([2])
    op("my_op", "X Y? -> Out")(lambda x, y, *, k=3: x)
    with hooked(hook):
        assert C.my_op(x, k=5) == "from the hook"
        assert C.my_op(x) == "from the hook"
    assert seen == [("my_op", (x, None), {"k": 5}), ("my_op", (x, None), {"k": 3})]
    assert C.my_op(x).tolist() == [1, 1]


def test_hooks_nest_and_can_be_suspended():
    log = []

    def outer(op, args, attrs):
        with hooked(None):
            log.append(("outer", op.name))
            return getattr(C, op.name)(*args, **attrs)

    with hooked(outer):
        assert (paddle.ones([1]) + paddle.ones([1])).item() == 2
        before = len(log)
        with hooked(lambda op, args, attrs: "inner"):
            assert C.relu(paddle.Tensor) == "inner"
        assert len(log) == before
    assert ("outer", "elementwise_add") in log
    assert not (leaf([1.0]) * 1).stop_gradient


def test_a_hook_goes_away_with_an_error():
    with pytest.raises(KeyError), hooked(lambda *a: (_ for _ in ()).throw(KeyError("k"))):
        C.relu(paddle.ones([1]))
    assert C.relu(paddle.ones([1])).item() == 1


def test_a_hook_belongs_to_its_thread():
    import threading

    seen = []
    with hooked(lambda *a: "hooked"):
        thread = threading.Thread(
            target=lambda: seen.append(C.relu(paddle.to_tensor([1.0])).item())
        )
        thread.start()
        thread.join(10)
    assert seen == [1]


def test_a_hook_works_beside_no_grad():
    with paddle.no_grad(), hooked(lambda op, a, k: op.name):
        assert C.relu(None) == "relu"
    with hooked(lambda op, a, k: op.name):
        with paddle.no_grad():
            assert C.relu(None) == "relu"
        assert C.relu(None) == "relu"


# -- wrong calls ---------------------------------------------------------------------------------


@pytest.mark.parametrize("wrong", [None, 3, "x", np.ones(2), [1, 2]])
def test_what_is_no_tensor_is_named(wrong):
    with pytest.raises(
        TypeError, match="relu: argument X expects a Tensor, but received"
    ) as caught:
        C.relu(wrong)
    assert type(wrong).__name__ in str(caught.value) and "operator < relu > error" in str(
        caught.value
    )


def test_lists_are_checked():
    op("my_op", "X* -> Out")(lambda xs: xs[0])
    x = paddle.ones([1])
    for wrong, text in ((x, "a list of Tensors, but received float32"), ([], "non-empty list"),
                        ([x, 3], "a list of Tensors, but it holds int 3")):  # fmt: skip
        with pytest.raises(TypeError, match=text):
            C.my_op(wrong)


def test_define_is_the_same_as_op():
    made = define("my_op", "X -> Out", torch.exp, infer="same")
    assert made.params == ["x"] and C.my_op(paddle.zeros([1])).item() == 1
