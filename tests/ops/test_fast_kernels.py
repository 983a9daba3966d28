"""The fast forms of pools, convolutions, products and losses give what the plain forms give."""

from __future__ import annotations

import pytest
import torch

from paddle.core import tuning
from paddle.core.op import REGISTRY
from paddle.ops.linalg import matrices
from paddle.ops.loss import elementwise
from paddle.ops.nn import fast_conv, fast_pool, packed_conv, packed_linear
from paddle.ops.random import draws

_aten = torch.ops.aten
_SHAPES = [(1, 1, 2, 2), (2, 3, 4, 6), (8, 6, 28, 28), (3, 5, 10, 2), (1, 17, 8, 16)]


def _plain(x, kernel=(2, 2), strides=(2, 2), padding=(0, 0)):
    out, index = torch._C._nn.max_pool2d_with_indices(x, kernel, strides, padding)
    dy = torch.rand(out.shape, dtype=x.dtype, generator=torch.Generator().manual_seed(5)) - 0.5
    dx = _aten.max_pool2d_with_indices_backward(
        dy, x, kernel, strides, padding, [1, 1], False, index
    )
    return out, dy, dx


def _inputs(shape, dtype):
    """Different values, many equal ones, zeros of both signs, and infinities."""
    state = torch.Generator().manual_seed(3)
    x = torch.randn(shape, generator=state, dtype=dtype)
    yield "distinct", x
    yield "after_relu", torch.relu(x)
    yield "ties", torch.randint(0, 3, shape, generator=state).to(dtype)
    yield "constant", torch.ones(shape, dtype=dtype)
    yield "negative_zero", torch.where(x > 0, 0.0, -0.0).to(dtype)
    yield "infinite", torch.where(x > 1, torch.inf, torch.where(x < 0, -torch.inf, x)).to(dtype)
    yield "tiny", x * torch.finfo(dtype).tiny
    yield "huge", x.sign() * torch.finfo(dtype).max


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16, torch.float16])
@pytest.mark.parametrize("shape", _SHAPES)
def test_halving_equals_aten(shape, dtype):
    for note, x in _inputs(shape, dtype):
        out, dy, dx = _plain(x)
        assert torch.equal(fast_pool.halve(x), out), note
        assert torch.equal(fast_pool.halve_backward(dy, x, out), dx), note


def test_halving_gives_each_window_s_gradient_to_one_element():
    x = torch.zeros(4, 4, 16, 64)
    dx = fast_pool.halve_backward(torch.ones(4, 4, 8, 32), x, fast_pool.halve(x))
    assert torch.equal(dx[..., 0::2, 0::2], torch.ones(4, 4, 8, 32))
    assert dx.sum() == 4 * 4 * 8 * 32


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_a_gradient_of_16_bits_is_the_same_some_images_at_a_time(dtype, monkeypatch):
    x = torch.relu(torch.randn(7, 3, 8, 6)).to(dtype)
    out = fast_pool.halve(x)
    dy = torch.randn(out.shape).to(dtype)
    wide = fast_pool.halve_backward(dy.float(), x.float(), out.float()).to(dtype)
    for at_once in (1, 3 * 8 * 6 * 2, 1 << 20):  # an image, two (one is left over), all
        monkeypatch.setattr(fast_pool, "_AT_ONCE", at_once)
        assert torch.equal(fast_pool.halve_backward(dy, x, out), wide)


def test_halving_carries_nan_to_the_output():
    x = torch.zeros(1, 1, 4, 4)
    x[0, 0, 1, 2] = torch.nan
    out = fast_pool.halve(x)
    assert out.isnan().tolist() == [[[[False, True], [False, False]]]]


@pytest.mark.parametrize(
    ("shape", "kernel", "strides", "padding"),
    [
        ((2, 16, 16, 17), [3, 3], [2, 2], [1, 1]),
        ((2, 24, 20, 20), [2, 3], [1, 2], [0, 1]),
        ((1, 64, 14, 14), [2, 2], [2, 2], [0, 0]),
    ],
)
def test_channels_last_pool_equals_aten(shape, kernel, strides, padding):
    for note, x in _inputs(shape, torch.float32):
        assert fast_pool.prefers_channels_last(x)
        out, dy, dx = _plain(x, kernel, strides, padding)
        got = fast_pool.max_pool(x, kernel, strides, padding)[0]
        assert torch.equal(got, out), note
        assert got.is_contiguous()
        assert torch.equal(fast_pool.max_pool_backward(dy, x, kernel, strides, padding), dx), note


def test_halving_applies_only_where_it_may():
    def applies(x, kernel=(2, 2), strides=(2, 2), padding=(0, 0)):
        return fast_pool.is_halving(x, kernel, strides, padding, padding)

    x = torch.zeros(4, 4, 32, 32)
    assert applies(x)
    assert not applies(x, (3, 3))
    assert not applies(x, strides=(2, 1))
    assert not applies(x, padding=(1, 0))
    assert not applies(torch.zeros(4, 4, 32, 33))
    assert not applies(torch.zeros(1, 1, 4, 4))
    assert applies(x.to(torch.bfloat16))
    assert not applies(x.to(torch.int32))
    assert not applies(x.movedim(1, -1))
    assert not applies(x.clone().requires_grad_())


_CONVS = [
    ((3, 4, 9, 9), (7, 4, 5, 5), [0, 0]),
    ((2, 6, 14, 14), (16, 6, 5, 5), [2, 1]),
    ((2, 20, 8, 7), (10, 20, 5, 6), [1, 1]),
    ((4, 3, 8, 8), (6, 3, 5, 5), [1, 2]),
    ((4, 1, 8, 8), (6, 1, 3, 3), [1, 1]),
    ((2, 2, 6, 6), (3, 2, 1, 1), [0, 0]),
]


@pytest.mark.parametrize(("x_shape", "w_shape", "padding"), _CONVS)
def test_convolution_gradients_equal_aten(x_shape, w_shape, padding):
    state = torch.Generator().manual_seed(11)
    x = torch.randn(x_shape, generator=state)
    w = torch.randn(w_shape, generator=state)
    dy = torch.randn(torch.conv2d(x, w, None, 1, padding).shape, generator=state)
    assert fast_conv.plain(x, [1, 1], [1, 1], 1)
    dx, dw, _ = _aten.convolution_backward(
        dy, x, w, None, [1, 1], padding, [1, 1], False, [0, 0], 1, [True, True, False]
    )
    torch.testing.assert_close(
        fast_conv.weight_gradient(dy, x, w, padding), dw, rtol=1e-4, atol=1e-4
    )
    torch.testing.assert_close(fast_conv.input_gradient(dy, w, padding), dx, rtol=1e-4, atol=1e-4)


def test_fast_convolutions_apply_only_where_they_may():
    x = torch.zeros(1, 3, 8, 8)
    assert not fast_conv.plain(x, [2, 1], [1, 1], 1)
    assert not fast_conv.plain(x, [1, 1], [1, 2], 1)
    assert not fast_conv.plain(x, [1, 1], [1, 1], 3)
    assert not fast_conv.plain(x.to(torch.float64), [1, 1], [1, 1], 1)
    assert not fast_conv.weight_by_channels_last(x, torch.zeros(16, 16, 5, 5))
    assert not fast_conv.weight_by_channels_last(x, torch.zeros(8, 4, 3, 3))
    assert fast_conv.weight_by_channels_last(x, torch.zeros(8, 4, 5, 5))
    assert fast_conv.input_by_forward(torch.zeros(8, 3, 3, 3), [2, 2])
    assert not fast_conv.input_by_forward(torch.zeros(8, 3, 3, 3), [3, 0])
    assert not fast_conv.input_by_forward(torch.zeros(8, 6, 3, 3), [0, 0])


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize(
    ("shape", "filters", "padding"),
    [((8, 1, 28, 28), 6, [1, 1]), ((3, 1, 9, 12), 20, [0, 2]), ((2, 1, 3, 3), 1, [0, 0])],
)
def test_convolution_by_columns_equals_aten(shape, filters, padding, bias):
    state = torch.Generator().manual_seed(12)
    x = torch.randn(shape, generator=state)
    w = torch.randn(filters, 1, 3, 3, generator=state)
    b = torch.randn(filters, generator=state) if bias else None
    assert fast_conv.by_columns(x, w, padding)
    for image in (x, x.transpose(2, 3)):
        expected = torch.conv2d(
            image.double(), w.double(), b if b is None else b.double(), 1, padding
        )
        out = REGISTRY["conv2d"](image, w, b, None, paddings=padding)
        torch.testing.assert_close(out.double(), expected, rtol=1e-5, atol=1e-5)


def test_columns_apply_only_where_they_may():
    x, w = torch.zeros(8, 1, 28, 28), torch.zeros(6, 1, 3, 3)
    assert fast_conv.by_columns(x, w, [0, 0])
    assert not fast_conv.by_columns(x, w, [-1, 0])
    assert not fast_conv.by_columns(x[:1], w, [0, 0])
    assert not fast_conv.by_columns(x, torch.zeros(6, 1, 5, 5), [0, 0])
    assert not fast_conv.by_columns(x, torch.zeros(6, 2, 3, 3), [0, 0])
    assert not fast_conv.by_columns(torch.zeros(8, 2, 28, 28), torch.zeros(6, 2, 3, 3), [0, 0])
    assert not fast_conv.by_columns(torch.empty(64, 1, 512, 512, device="meta"), w, [0, 0])


# -- linear -------------------------------------------------------------------------------------


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("shape", [(64, 512), (4, 16, 512)])
def test_wide_linear_equals_the_plain_form(shape, bias):
    if matrices._linear_pointwise is None:
        pytest.skip("torch without oneDNN")
    state = torch.Generator().manual_seed(13)
    x, w, dy = (torch.randn(s, generator=state) for s in (shape, (512, 300), (*shape[:-1], 300)))
    b = torch.randn(300, generator=state) if bias else None
    op = REGISTRY["linear"]
    out = op(x, w, b)
    assert out.is_contiguous()
    expected = x.double() @ w.double() + (b.double() if bias else 0)
    torch.testing.assert_close(out.double(), expected, rtol=1e-5, atol=2e-4)
    needs_grad = (True, True, bias)
    dx, dw, db = op.gradient.kernel(dy, x, w, b.shape if bias else None, needs_grad=needs_grad)
    rows, flat = x.reshape(-1, 512), dy.reshape(-1, 300)
    torch.testing.assert_close(dx, dy @ w.t(), rtol=1e-5, atol=2e-4)
    torch.testing.assert_close(dw, rows.t() @ flat, rtol=1e-5, atol=2e-4)
    if bias:
        torch.testing.assert_close(db, flat.sum(0))
    x.requires_grad_()  # a derivative of the gradient's kernel goes through what torch knows
    dy.requires_grad_()
    op.gradient.kernel(dy, x, w, None, needs_grad=(True, True, False))[0].sum().backward()
    torch.testing.assert_close(dy.grad, w.sum(0).expand(dy.shape), rtol=1e-5, atol=2e-4)


def test_forms_of_products_apply_only_where_they_may():
    x, w = torch.zeros(64, 512), torch.zeros(512, 512)
    applies = matrices._plain
    assert applies(x, w) and applies(x, w, torch.zeros(512))
    assert not applies(x[:, :500], w)
    assert not applies(x, w, torch.zeros(1))
    assert not applies(x.double(), w.double())
    assert not applies(x.to("meta"), w.to("meta"))
    assert not applies(x.clone().requires_grad_(), w)
    assert not applies(x, w.clone().requires_grad_())


def test_operands_of_repeated_elements_are_copied_first():
    x, d = torch.rand(128, 96), torch.tensor(0.5).expand(128, 128)
    out = matrices.product_of_rows(x, d)
    key = x.t().shape, d.shape, x.t().stride(), d.stride(), True
    assert matrices._broad.known[key] is matrices._of_copies
    torch.testing.assert_close(out, torch.mm(x.t(), d))
    assert matrices._repeated(d) and not matrices._repeated(x[:1].expand(1, 96))


def test_the_library_for_large_products_where_nothing_was_measured():
    x, w = torch.zeros(64, 512), torch.zeros(512, 512)
    assert matrices._usual(x, w) == "onednn"
    assert matrices._usual(x[:3], torch.zeros(512, 8192)) == "blas"
    assert matrices._usual(x[:16], w) == "blas"
    assert matrices._usual(torch.zeros(1024, 64), torch.zeros(64, 128)) == "blas"
    assert matrices._usual(torch.zeros(512, 64).t(), w) == "blas"


@pytest.mark.parametrize("columns", [1, 2, 3, 4, 10, 15, 16])
@pytest.mark.parametrize("bias", [True, False])
def test_products_of_few_columns_equal_the_plain_form(columns, bias):
    state = torch.Generator().manual_seed(columns)
    x, w, dy = (torch.randn(s, generator=state) for s in ((64, 256), (256, columns), (64, columns)))
    b = torch.randn(columns, generator=state) if bias else None
    for made, expected in (
        (matrices.affine(x, w, b), x @ w if b is None else x @ w + b),
        (matrices.product_of_rows(x, dy), x.t() @ dy),
    ):
        assert made.is_contiguous()
        torch.testing.assert_close(made, expected, rtol=1e-4, atol=1e-4)
    x.requires_grad_()
    matrices.affine(x, w, b).sum().backward()
    torch.testing.assert_close(x.grad, w.sum(1).expand(x.shape))


@pytest.mark.parametrize("name", ["matmul_v2", "mul"])
@pytest.mark.parametrize("shapes", [((64, 512), (512, 10)), ((64, 512), (512, 300))])
def test_products_of_programs_go_the_same_way(name, shapes):
    state = torch.Generator().manual_seed(3)
    x, w = (torch.randn(s, generator=state) for s in shapes)
    dy = torch.randn(x.shape[0], w.shape[1], generator=state)
    op = REGISTRY[name]
    attrs = dict(op.attrs)
    torch.testing.assert_close(op(x, w, **attrs), x @ w, rtol=1e-4, atol=2e-4)
    dx, dw = op.gradient.kernel(dy, x, w, **attrs, needs_grad=(True, True))
    torch.testing.assert_close(dx, dy @ w.t(), rtol=1e-4, atol=2e-4)
    torch.testing.assert_close(dw, x.t() @ dy, rtol=1e-4, atol=2e-4)


def test_wide_linear_that_does_not_fit_says_so():
    op = REGISTRY["linear"]
    with pytest.raises(RuntimeError, match="cannot be multiplied"):
        op(torch.zeros(64, 500), torch.zeros(512, 512), None)
    with pytest.raises(RuntimeError, match=r"must match|expand"):
        op(torch.zeros(64, 512), torch.zeros(512, 512), torch.zeros(7))
    with pytest.raises(RuntimeError, match="dtype"):
        op(torch.zeros(64, 512), torch.zeros(512, 512).double(), None)
    one = op(torch.zeros(64, 512), torch.zeros(512, 512), torch.ones(1))  # a bias that broadcasts
    assert torch.equal(one, torch.ones(64, 512))


# -- all forms of a choice ----------------------------------------------------------------------


def _choice_cases():
    """Arguments for every choice: (choice, arguments)."""
    state = torch.Generator().manual_seed(21)

    def drawn(*shape):
        return torch.randn(*shape, generator=state)

    image, two, small = drawn(4, 16, 8, 8), ([2, 2], [2, 2], [0, 0]), ([3, 3], [2, 2], [1, 1])
    halves, pooled = fast_pool._pool(image, *two)[0], fast_pool._pool(image, *small)[0]
    x, w = drawn(4, 4, 9, 9), drawn(6, 4, 3, 3)
    dy = drawn(4, 6, 7, 7)
    points = drawn(3, 7, 4, 5), drawn(3, 6, 4, 5), drawn(7, 6, 1, 1), [0, 0]
    wide = drawn(40, 96), drawn(96, 64), drawn(64)
    narrow = drawn(40, 96), drawn(96, 10), drawn(10)
    return [
        (fast_pool._forward, (image, *small)),
        (fast_pool._gradient, (drawn(*pooled.shape), image, *small)),
        (fast_pool._halving, (image, *two)),
        (fast_pool._halving_gradient, (drawn(*halves.shape), image, halves, *two)),
        (fast_conv._forward, (drawn(2, 1, 9, 9), drawn(6, 1, 3, 3), drawn(6), [1, 1])),
        (fast_conv._input, (dy, x, w, [0, 0])),
        (fast_conv._weight, (dy, x, w, [0, 0])),
        (fast_conv._point, (drawn(3, 6, 5, 5), drawn(7, 6, 1, 1), drawn(7), [0, 0])),
        (fast_conv._point, (drawn(3, 5, 5, 6).movedim(3, 1), drawn(7, 6, 1, 1), None, [0, 0])),
        (fast_conv._point_input, points),
        (fast_conv._point_weight, points),
        (
            fast_conv._point_weight,
            (points[0].transpose(2, 3), points[1].transpose(2, 3), *points[2:]),
        ),
        (matrices._broad, wide),
        (matrices._broad, (drawn(96, 40).t(), drawn(64, 96).t(), None)),
        (matrices._added, (drawn(40, 64), *wide[:2])),
        (matrices._narrow, narrow),
        (matrices._narrow, (*narrow[:2], None)),
        (matrices._narrow_gradient, (drawn(40, 96), drawn(40, 10))),
        (packed_conv._small, _of_packs(x, w, drawn(6))),
        (packed_linear._library, _of_packed(*wide[:2])),
    ]


def _of_packed(x, w):
    return (x, w, packed_linear._packed(w)) if packed_conv.available() else ()


def _of_packs(x, w, bias):
    if not packed_conv.available():
        return ()
    packs = packed_conv.Packs(w, [2, 1], [1, 0], "EXPLICIT", [1, 1], 1)
    size = packs.size(x)
    key = (x.shape, x.stride(), w.shape, 2, 1, *size.padding, *size.dilation)
    return packs.forms(size, ("relu", 0.0, 0.0)), x, bias, key


def test_every_choice_of_the_operators_has_a_case():
    own = [c for c in tuning._choices if all("tests" not in f.__module__ for f in c.forms.values())]
    assert set(own) == {choice for choice, _ in _choice_cases()}


@pytest.mark.parametrize("at", range(len(_choice_cases())))
def test_all_forms_give_the_same_for_arguments_and_for_samples(at):
    choice, args = _choice_cases()[at]
    if matrices._linear_pointwise is None and "onednn" in choice.forms:
        pytest.skip("torch without oneDNN")
    if not args:
        pytest.skip("torch without oneDNN")
    sampled, numbers = choice._sample(*args)
    assert all(type(n) is int for n in numbers)
    for given in (args, sampled):
        found = {}
        for name, form in choice.forms.items():
            out = form(*[a.clone() if isinstance(a, torch.Tensor) else a for a in given])
            found[name] = out[0] if isinstance(out, tuple) else out
        first = next(iter(found.values()))
        for name, value in found.items():
            torch.testing.assert_close(value, first, rtol=1e-4, atol=1e-4, msg=name)


# -- dropout's mask -----------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16, torch.bfloat16])
@pytest.mark.parametrize("p", [0.01, 0.2, 0.5, 0.99])
def test_mask_has_the_right_share_at_every_place(p, dtype):
    """Four elements come from one number: each of the four must have the probability."""
    x = torch.empty(400, 501, dtype=dtype)
    kept = draws.kept_mask(x, p, torch.Generator().manual_seed(14))
    assert kept.dtype is dtype and kept.shape == x.shape
    assert set(kept.unique().tolist()) == {0.0, 1.0}
    lines = (kept.reshape(-1) == 0).double().reshape(-1, 4)
    spread = (p * (1 - p) / len(lines)) ** 0.5
    assert ((lines.mean(0) - p).abs() < 5 * spread).all()
    covariance = torch.cov(lines.t())
    covariance.fill_diagonal_(0)
    assert (covariance.abs() < 5 * p * (1 - p) / len(lines) ** 0.5).all()  # and be independent


def test_mask_repeats_with_the_seed():
    def draw(shape):
        return draws.kept_mask(torch.empty(shape), 0.3, torch.Generator().manual_seed(15))

    assert torch.equal(draw((63, 65)), draw((63, 65)))
    assert torch.equal(draw(4095), draw((63, 65)).reshape(-1))


@pytest.mark.parametrize("p", [0.0, 1e-6, 0.999999, 1.0])
def test_mask_does_not_round_extreme_probabilities(p):
    source = torch.Generator().manual_seed(16)
    plain = torch.empty(300, 300).bernoulli_(1 - p, generator=torch.Generator().manual_seed(16))
    assert torch.equal(draws.kept_mask(torch.empty(300, 300), p, source), plain)


# -- cross entropy ------------------------------------------------------------------------------


@pytest.mark.parametrize("ignored", [-100, 1])
@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
@pytest.mark.parametrize("shape", [(1, 3), (5, 1), (7, 3), (64, 10), (33, 16), (8, 100)])
def test_cross_entropy_of_rows_equals_the_general_operator(shape, reduction, ignored):
    """With few classes it works down the columns of a turned copy."""
    state = torch.Generator().manual_seed(17)
    x = 4 * torch.randn(shape, generator=state)
    label = torch.randint(0, shape[1], (shape[0], 1), generator=state)
    op, general = REGISTRY["hard_cross_entropy"], REGISTRY["softmax_with_cross_entropy"]
    leaf, plain = x.clone().requires_grad_(), x.clone().requires_grad_()
    loss, logp, count = op(leaf, label, reduction=reduction, ignore_index=ignored)
    _, expected = general(plain, label, ignore_index=ignored)
    reduced = {"mean": torch.mean, "sum": torch.sum, "none": lambda v: v}[reduction](expected)
    torch.testing.assert_close(loss, reduced)
    d_loss = torch.rand(loss.shape, generator=state) + 0.5
    reduced.backward(d_loss)
    args = (logp.detach(), count, x, label)
    d_x, _ = op.gradient.kernel(d_loss, *args, ignore_index=ignored, reduction=reduction)
    torch.testing.assert_close(d_x, plain.grad)
    loss.backward(d_loss)  # torch's own derivative of the kernel
    torch.testing.assert_close(leaf.grad, plain.grad)


@pytest.mark.parametrize("shape", [(5, 3), (6, 40)])
def test_the_gradient_of_cross_entropy_can_be_differentiated(shape):
    op = REGISTRY["hard_cross_entropy"]
    x = torch.randn(shape, generator=torch.Generator().manual_seed(18), dtype=torch.float32)
    label = torch.arange(shape[0]) % shape[1]
    _, logp, count = op(x, label)
    x.requires_grad_()
    d_x, _ = op.gradient.kernel(
        torch.ones(1), logp, count, x, label, ignore_index=-100, reduction="mean"
    )
    probe = torch.linspace(-1, 1, x.numel()).reshape(shape)
    (d_x * probe).sum().backward()
    chance = torch.softmax(x.detach(), 1)
    inner = (chance * probe).sum(1, keepdim=True)
    torch.testing.assert_close(x.grad, chance * (probe - inner) / shape[0])


def test_log_softmax_of_few_classes_keeps_nan_and_infinities():
    x = torch.tensor([[1.0, torch.nan, 2.0], [torch.inf, 0.0, 1.0], [-torch.inf, 0.0, 1.0]])
    torch.testing.assert_close(elementwise._log_softmax(x), torch.log_softmax(x, 1), equal_nan=True)
