"""What one step takes into account: gradients, settings of parameters, groups, clipping."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import paddle
from paddle.nn import ClipGradByGlobalNorm, ClipGradByNorm, ClipGradByValue

ALL = ["SGD", "Momentum", "Adam", "AdamW", "Adamax", "Lamb", "Adagrad", "Adadelta", "RMSProp"]


def leaf(values, dtype="float32"):
    return paddle.to_tensor(values, dtype=dtype, stop_gradient=False)


def param(values, **attr):
    values = np.array(values, "float32")
    made = paddle.nn.Layer().create_parameter(list(values.shape), paddle.ParamAttr(**attr))
    made.set_value(values)
    return made


def give(tensor, values):
    tensor.grad = paddle.to_tensor(np.array(values), dtype=tensor.dtype)


def build(kind, tensors, rate=0.1, **options):
    return getattr(paddle.optimizer, kind)(learning_rate=rate, parameters=tensors, **options)


# -- gradients ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ALL)
def test_gradients_in_any_layout(name):
    """Gradients that backward made as views (expanded, transposed) are read as what they show."""
    value = np.arange(6, dtype="float32").reshape(2, 3) / 10
    weights = np.arange(6, dtype="float32").reshape(3, 2)
    strided, dense = leaf(value), leaf(value)
    one, other = build(name, [strided]), build(name, [dense])
    (paddle.transpose(strided, [1, 0]) * paddle.to_tensor(weights)).sum().backward()
    give(dense, weights.T.copy())
    one.step()
    other.step()
    np.testing.assert_array_equal(strided.numpy(), dense.numpy())
    strided.clear_gradient()
    strided.sum().backward()
    give(dense, np.ones([2, 3]))
    one.step()
    other.step()
    np.testing.assert_array_equal(strided.numpy(), dense.numpy())


def test_a_parameter_without_gradient_stays():
    x, y = leaf([1.0]), leaf([1.0])
    optimizer = build("Adam", [x, y])
    (x * 2).backward()
    optimizer.step()
    assert y.numpy() == [1.0]
    assert not any(name.startswith(y.name) for name in optimizer.state_dict())


def test_a_cleared_gradient_counts_as_zero():
    x = leaf([1.0])
    optimizer = build("Momentum", [x], momentum=0.5)
    give(x, [1.0])
    optimizer.step()
    optimizer.clear_grad()
    assert x.grad.numpy() == [0.0]
    optimizer.step()
    np.testing.assert_allclose(x.numpy(), [1 - 0.1 - 0.05], rtol=1e-6)


def test_clear_grad_leaves_none_where_there_was_none():
    x = leaf([1.0])
    optimizer = build("SGD", [x])
    optimizer.clear_grad()
    assert x.grad is None
    optimizer.step()
    assert x.numpy() == [1.0]


def test_parameters_joining_later_count_their_own_updates():
    def alone():
        y = leaf([1.0])
        optimizer = build("Adam", [y])
        for _ in range(2):
            give(y, [0.5])
            optimizer.step()
        return y.numpy()

    x, y = leaf([1.0]), leaf([1.0])
    y.stop_gradient = True
    optimizer = build("Adam", [x, y])
    for step in range(5):
        y.stop_gradient = step < 3
        give(x, [0.3])
        give(y, [0.5])
        optimizer.step()
        if step == 2:
            assert y.numpy() == [1.0]
    np.testing.assert_array_equal(y.numpy(), alone())


def test_a_parameter_may_pause():
    x, y = leaf([1.0]), leaf([1.0])
    optimizer = build("Momentum", [x, y], momentum=0.5)
    for pausing in (False, True, False):
        give(x, [1.0])
        y._grad = None
        if not pausing:
            give(y, [1.0])
        optimizer.step()
    np.testing.assert_allclose(x.numpy(), [1 - 0.1 * (1 + 1.5 + 1.75)], rtol=1e-6)
    np.testing.assert_allclose(y.numpy(), [1 - 0.1 * (1 + 1.5)], rtol=1e-6)


def test_the_gradient_is_not_changed():
    x = leaf([1.0, 2.0])
    optimizer = build("Adam", [x], weight_decay=0.5, grad_clip=ClipGradByGlobalNorm(0.1))
    give(x, [3.0, 4.0])
    optimizer.step()
    np.testing.assert_array_equal(x.grad.numpy(), [3.0, 4.0])


def test_views_taken_before_a_step_keep_their_values():
    x = leaf([[1.0, 2.0]])
    before = paddle.reshape(x, [2])
    optimizer = build("SGD", [x])
    for _ in range(2):
        give(x, [[1.0, 1.0]])
        optimizer.step()
    np.testing.assert_array_equal(before.numpy(), [1.0, 2.0])
    np.testing.assert_allclose(x.numpy(), [[0.8, 1.8]], rtol=1e-6)


def test_views_of_accumulators_keep_their_values():
    x = leaf([[1.0, 2.0]])
    optimizer = build("Momentum", [x])
    give(x, [[1.0, 1.0]])
    optimizer.step()
    (held,) = optimizer.state_dict().values()
    view = paddle.reshape(held, [2])
    optimizer.step()
    np.testing.assert_array_equal(view.numpy(), [1.0, 1.0])
    np.testing.assert_allclose(held.numpy(), [[1.9, 1.9]], rtol=1e-6)


def test_backward_after_a_step_notices_the_overwritten_parameter():
    x = leaf([2.0])
    y = x * x
    optimizer = build("SGD", [x])
    give(x, [1.0])
    optimizer.step()
    with pytest.raises(RuntimeError, match="overwritten in place"):
        y.backward()


def test_set_value_between_steps_is_followed():
    x = leaf([1.0])
    optimizer = build("Adam", [x])
    give(x, [1.0])
    optimizer.step()
    x.set_value(np.array([5.0], "float32"))
    optimizer.step()
    np.testing.assert_allclose(x.numpy(), [4.9], rtol=1e-5)


def test_many_precisions_in_one_optimizer():
    x, y = leaf([1.0], "float32"), leaf([1.0], "float64")
    optimizer = build("Adam", [x, y], grad_clip=ClipGradByGlobalNorm(1.0))
    give(x, [3.0])
    give(y, [4.0])
    optimizer.step()
    assert str(y.dtype) == "VarType.FP64"
    np.testing.assert_allclose([x.numpy()[0], y.numpy()[0]], [0.9, 0.9], rtol=1e-5)


# -- settings -----------------------------------------------------------------------------------


def test_settings_of_a_parameter_may_change_between_steps():
    x = param([1.0])
    optimizer = build("SGD", [x])
    give(x, [1.0])
    optimizer.step()
    x.optimize_attr["learning_rate"] = 0.5
    optimizer.step()
    np.testing.assert_allclose(x.numpy(), [1 - 0.1 - 0.05], rtol=1e-6)
    x.regularizer = paddle.regularizer.L2Decay(1.0)
    optimizer.step()
    np.testing.assert_allclose(x.numpy(), [0.85 - 0.05 * 1.85], rtol=1e-6)


def test_a_regularizer_of_the_parameter_goes_before():
    x, y = param([2.0], regularizer=paddle.regularizer.L1Decay(0.5)), param([2.0])
    optimizer = build("SGD", [x, y], weight_decay=0.1)
    give(x, [1.0])
    give(y, [1.0])
    optimizer.step()
    np.testing.assert_allclose(x.numpy(), [2 - 0.1 * 1.5], rtol=1e-6)
    np.testing.assert_allclose(y.numpy(), [2 - 0.1 * 1.2], rtol=1e-6)


def test_groups():
    x, y, z = leaf([1.0]), leaf([1.0]), leaf([1.0])
    optimizer = paddle.optimizer.SGD(
        learning_rate=0.1,
        weight_decay=0.5,
        parameters=[
            {"params": [x]},
            {"params": [y], "learning_rate": 0.1, "weight_decay": 0.0},
            {"params": z, "grad_clip": ClipGradByValue(0.2), "weight_decay": None},
        ],
    )
    for t in (x, y, z):
        give(t, [1.0])
    optimizer.step()
    np.testing.assert_allclose(
        [x.numpy()[0], y.numpy()[0], z.numpy()[0]], [0.85, 0.99, 0.98], rtol=1e-6
    )


def test_groups_of_adam_have_betas_of_their_own():
    x, y, z = leaf([1.0]), leaf([1.0]), leaf([1.0])
    grouped = paddle.optimizer.Adam(
        0.1, parameters=[{"params": [x]}, {"params": [y], "beta1": 0.5, "epsilon": 0.1}]
    )
    single = paddle.optimizer.Adam(0.1, beta1=0.5, epsilon=0.1, parameters=[z])
    for step in range(3):
        for t in (x, y, z):
            give(t, [0.1 * step - 0.05])
        grouped.step()
        single.step()
    np.testing.assert_array_equal(y.numpy(), z.numpy())
    assert x.numpy() != y.numpy()
    state = grouped.state_dict()
    np.testing.assert_allclose(state[f"{y.name}_beta1_pow_acc_0"].numpy(), [0.5**4], rtol=1e-6)


OWN_SETTINGS = [
    ("Momentum", {"momentum": 0.5}),
    ("Momentum", {"use_nesterov": True}),
    ("Momentum", {"rescale_grad": 0.5}),
    ("AdamW", {"beta2": 0.5}),
    ("Adamax", {"beta1": 0.5}),
    ("Adamax", {"beta2": 0.5}),
    ("Adamax", {"epsilon": 0.1}),
    ("Adagrad", {"epsilon": 0.1}),
    ("Adagrad", {"initial_accumulator_value": 1.0}),
    ("Adadelta", {"rho": 0.5}),
    ("Adadelta", {"epsilon": 0.1}),
    ("RMSProp", {"rho": 0.5}),
    ("RMSProp", {"epsilon": 0.1}),
    ("RMSProp", {"momentum": 0.5}),
    ("RMSProp", {"centered": True}),
    ("Lamb", {"beta1": 0.5}),
    ("Lamb", {"beta2": 0.5}),
    ("Lamb", {"epsilon": 0.1}),
    ("Lamb", {"lamb_weight_decay": 0.5}),
    ("Lamb", {"exclude_from_weight_decay_fn": lambda p: True}),
]


@pytest.mark.parametrize(
    "kind, own", OWN_SETTINGS, ids=lambda v: v if isinstance(v, str) else next(iter(v))
)
def test_groups_have_settings_of_their_own(kind, own):
    """The second group does as an optimizer that was made with its setting, the first as before."""
    values = [leaf([1.0, 2.0]) for _ in range(4)]
    first, second, plain, special = values
    make = getattr(paddle.optimizer, kind)
    optimizers = [
        make(learning_rate=0.1, parameters=[{"params": [first]}, {"params": [second], **own}]),
        make(learning_rate=0.1, parameters=[plain]),
        make(learning_rate=0.1, parameters=[special], **own),
    ]
    for step in range(3):
        for t in values:
            give(t, [0.3 - 0.1 * step, 0.3 / (1 + step)])
        for optimizer in optimizers:
            optimizer.step()
    np.testing.assert_array_equal(first.numpy(), plain.numpy())
    np.testing.assert_array_equal(second.numpy(), special.numpy())
    assert (first.numpy() != second.numpy()).any()
    state, alone = optimizers[0].state_dict(), optimizers[2].state_dict()
    for name, held in alone.items():
        same = state[name.replace(special.name, second.name)]
        np.testing.assert_array_equal(held.numpy(), same.numpy())


@pytest.mark.parametrize(
    "kind, own, error, text",
    [
        (
            "Adamax",
            {"beta1": 1.5},
            ValueError,
            r"Adamax\(beta1\): expected 0 <= beta1 < 1, got 1.5",
        ),
        ("RMSProp", {"epsilon": -1.0}, ValueError, r"RMSProp\(epsilon\): expected epsilon >= 0"),
        ("Adadelta", {"rho": "0.5"}, TypeError, r"Adadelta\(rho\): expected a float"),
        ("Lamb", {"exclude_from_weight_decay_fn": 3}, TypeError, r"expected a callable, got int"),
        ("SGD", {"momentum": 0.5}, ValueError, r"unknown keys \['momentum'\]; expected some of"),
        ("Adagrad", {"rho": 0.5}, ValueError, r"unknown keys \['rho'\].*'epsilon', 'grad_clip'"),
    ],
)
def test_bad_settings_of_groups(kind, own, error, text):
    with pytest.raises(error, match=text):
        getattr(paddle.optimizer, kind)(
            learning_rate=0.1, parameters=[{"params": [leaf([1.0])], **own}]
        )


def test_adamw_groups_have_coefficients_of_their_own():
    x, y = leaf([1.0]), leaf([1.0])
    optimizer = paddle.optimizer.AdamW(
        0.1, parameters=[{"params": [x]}, {"params": [y], "weight_decay": 0.5}], weight_decay=0.0
    )
    for t in (x, y):
        give(t, [0.0])
    optimizer.step()
    np.testing.assert_allclose([x.numpy()[0], y.numpy()[0]], [1.0, 0.95], rtol=1e-6)


def test_learning_rates():
    x = leaf([1.0])
    optimizer = build("SGD", [x], rate=1)
    assert optimizer.get_lr() == 1.0
    optimizer.set_lr(0.25)
    give(x, [1.0])
    optimizer.step()
    assert x.numpy() == [0.75]
    scheduler = paddle.optimizer.lr.StepDecay(0.5, step_size=1, gamma=0.5)
    optimizer.set_lr_scheduler(scheduler)
    scheduler.step()
    assert optimizer.get_lr() == 0.25
    optimizer.step()
    assert x.numpy() == [0.5]
    with pytest.raises(RuntimeError, match="the learning rate is an LRScheduler's"):
        optimizer.set_lr(0.1)


def test_rescaled_gradients():
    x = leaf([1.0])
    optimizer = build("Momentum", [x], rescale_grad=0.5, weight_decay=0.1)
    give(x, [1.0])
    optimizer.step()
    np.testing.assert_allclose(x.numpy(), [1 - 0.1 * (0.5 + 0.1)], rtol=1e-6)


# -- clipping -----------------------------------------------------------------------------------


def test_parameters_that_need_no_clipping():
    x, y = param([0.0, 0.0]), param([0.0], need_clip=False)
    optimizer = build("SGD", [x, y], rate=1.0, grad_clip=ClipGradByGlobalNorm(1.0))
    give(x, [3.0, 4.0])
    give(y, [100.0])
    optimizer.step()
    np.testing.assert_allclose(x.numpy(), [-0.6, -0.8], rtol=1e-6)
    np.testing.assert_array_equal(y.numpy(), [-100.0])


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("clip", [ClipGradByGlobalNorm, ClipGradByNorm])
def test_norms_of_half_precision_do_not_overflow(clip, dtype):
    pairs = [(leaf([0.0] * 4, dtype), paddle.full([4], 50000.0, dtype=dtype))]
    ((_, clipped),) = clip(1.0)(pairs)
    assert clipped.dtype == pairs[0][1].dtype
    np.testing.assert_allclose(clipped.astype("float32").numpy(), [0.5] * 4, rtol=1e-2)


def test_global_norm_over_precisions():
    x, y = leaf([0.0], "float32"), leaf([0.0], "float64")
    pairs = [(x, paddle.to_tensor([3.0])), (y, paddle.to_tensor([4.0], dtype="float64"))]
    clipped = ClipGradByGlobalNorm(1.0)(pairs)
    np.testing.assert_allclose([g.numpy()[0] for _, g in clipped], [0.6, 0.8], rtol=1e-6)
    assert [str(g.dtype) for _, g in clipped] == ["VarType.FP32", "VarType.FP64"]


@pytest.mark.parametrize(
    "clip", [ClipGradByGlobalNorm(2.0), ClipGradByNorm(2.0), ClipGradByValue(2.0)]
)
def test_small_gradients_are_left_alone(clip):
    pairs = [(leaf([0.0]), paddle.to_tensor([1.5])), (leaf([0.0]), None)]
    clipped = clip(pairs)
    assert clipped[1][1] is None
    np.testing.assert_array_equal(clipped[0][1].numpy(), [1.5])
    zero = clip([(leaf([0.0]), paddle.to_tensor([0.0]))])
    np.testing.assert_array_equal(zero[0][1].numpy(), [0.0])


def test_clipping_by_a_rule_of_ones_own():
    class Halved(paddle.nn.clip.ClipGradBase):
        def __call__(self, params_grads):
            return [(p, g / 2) for p, g in params_grads]

    x = leaf([1.0])
    optimizer = build("SGD", [x], grad_clip=Halved())
    give(x, [1.0])
    optimizer.step()
    np.testing.assert_allclose(x.numpy(), [0.95], rtol=1e-6)


# -- minimize and its halves --------------------------------------------------------------------


def test_minimize():
    x, y, z = leaf([1.0]), leaf([1.0]), leaf([1.0])
    optimizer = build("SGD", [x, y, z])
    loss = x + y + z
    loss.backward()
    operators, pairs = optimizer.minimize(loss)
    assert operators == []
    assert [p.name for p, _ in pairs] == [x.name, y.name, z.name]
    assert [float(t) for t in (x, y, z)] == pytest.approx([0.9] * 3)
    optimizer.minimize(loss, parameters=[x, y], no_grad_set={y.name})
    assert [float(t) for t in (x, y, z)] == pytest.approx([0.8, 0.9, 0.9])
    assert y.grad.numpy() == [1.0]


def test_backward_and_apply_gradients():
    x, y = leaf([1.0]), leaf([1.0])
    optimizer = build("SGD", [x, y])
    pairs = optimizer.backward((x * 2 + y).sum(), no_grad_set=[y])
    assert [(p.name, g.numpy()[0]) for p, g in pairs] == [(x.name, 2.0)]
    assert optimizer.apply_gradients(pairs) == []
    assert [float(x), float(y)] == pytest.approx([0.8, 1.0])
    assert y.grad.numpy() == [1.0]


def test_bad_minimize():
    x = leaf([1.0])
    optimizer = build("SGD", [x])
    with pytest.raises(TypeError, match=r"minimize\(loss\): expected a Tensor, got float"):
        optimizer.minimize(1.0)
    with pytest.raises(ValueError, match="startup_program"):
        optimizer.minimize(x, startup_program=object())
    with pytest.raises(TypeError, match=r"minimize\(parameters\): expected a list"):
        optimizer.minimize(x, parameters=x)
    with pytest.raises(TypeError, match="expected Tensors or names, but it holds int"):
        optimizer.minimize(x, no_grad_set=[3])
    with pytest.raises(ValueError, match=r"backward\(callbacks\)"):
        optimizer.backward(x, callbacks=[print])
    with pytest.raises(ValueError, match="is no parameter of this optimizer"):
        optimizer.apply_gradients([(leaf([1.0]), x)])
    with pytest.raises(ValueError, match=r"expected a gradient of shape \[1\]"):
        optimizer.apply_gradients([(x, leaf([1.0, 2.0]))])


# -- regularizers -------------------------------------------------------------------------------


def test_regularizers_as_functions():
    x, g = leaf([2.0, -4.0]), paddle.to_tensor([1.0, 1.0])
    np.testing.assert_array_equal(paddle.regularizer.L2Decay(0.5)(x, g, None).numpy(), [2.0, -1.0])
    np.testing.assert_array_equal(paddle.regularizer.L1Decay(0.5)(x, g, None).numpy(), [1.5, 0.5])
    np.testing.assert_array_equal(paddle.regularizer.L1Decay()(x, g, None).numpy(), [1.0, 1.0])
    assert str(paddle.regularizer.L1Decay(0.5)) == "L1Decay, coeff=0.500000"
    with pytest.raises(TypeError, match=r"L2Decay\(coeff\): expected a number, got str"):
        paddle.regularizer.L2Decay("0.1")


# -- moments that no longer count ----------------------------------------------------------------


def trained_with_a_dead_half(kind, steps=1100):
    """A parameter whose second half gets a gradient in the first step only, and its optimizer."""
    options = {"momentum": 0.9} if kind == "RMSProp" else {}
    tensor = param([0.5, -0.25, 0.5, -0.25])
    optimizer = build(kind, [tensor], **options)
    for step in range(steps):
        give(tensor, np.array([0.1, -0.2, 0.1, -0.2], "float32") * ([1, 1, 0, 0] if step else 1))
        optimizer.step()
    return tensor, optimizer


@pytest.mark.parametrize("kind", ["Momentum", "Adam", "AdamW", "Adamax", "Lamb"])
def test_moments_do_not_stay_denormal(kind, monkeypatch):
    """Beta times the smallest numbers rounds to what it was, and x86 is slow with these."""
    from paddle.ops.optimizer import lists as kernels

    tensor, optimizer = trained_with_a_dead_half(kind)
    slot = "velocity" if kind == "Momentum" else "moment"
    moments = [v.numpy() for k, v in optimizer.state_dict().items() if slot in k]
    moment = moments[0]
    assert moment[2:].tolist() == [0.0, 0.0] and (np.abs(moment[:2]) > 0.01).all()
    monkeypatch.setattr(kernels, "_DROP_EVERY", 1 << 40)
    kept, other = trained_with_a_dead_half(kind)
    left = next(v.numpy() for k, v in other.state_dict().items() if slot in k)
    assert (np.abs(left[2:]) < 1e-38).all() and left[2:].any()  # what happens otherwise
    np.testing.assert_array_equal(tensor.numpy(), kept.numpy())


def test_a_moment_that_is_not_finite_stays_so():
    from paddle.ops.optimizer import lists as kernels

    moment = torch.tensor([np.nan, np.inf, -np.inf, 1e-31, 1e-29])
    for _ in range(kernels._DROP_EVERY):
        kernels.drop_tiny([moment])
    np.testing.assert_array_equal(moment, np.array([np.nan, np.inf, -np.inf, 0, 1e-29], "float32"))
