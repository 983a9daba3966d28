"""Each way to round, and each way to make a scale, beside a plain form in NumPy."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

import numpy as np
import pytest

import paddle
from paddle import quantization as q
from paddle import static
from paddle.quantization.calibrate import Seen
from paddle.quantization.numbers import scales_of
from paddle.quantization.rounding import Gram, adapt
from paddle.static.ir_graph import Graph, IrGraph

TOP, BINS = 127, 2048
BATCHES = [np.random.RandomState(i).randn(6, 4, 5).astype("float32") * (1 + i % 3)
           for i in range(5)]  # fmt: skip


@pytest.fixture(autouse=True)
def _clean() -> Iterator[None]:
    with static.scope_guard(static.Scope()), paddle.utils.unique_name.guard():
        yield
    paddle.disable_static()


def steps(x: np.ndarray, scale: np.ndarray | float) -> np.ndarray:
    """Halves go away from 0, as in C's round."""
    exact = np.clip(x.astype("float64"), -scale, scale) / scale * TOP
    return np.sign(exact) * np.floor(np.abs(exact) + 0.5)


def rounded(x: np.ndarray, scale: np.ndarray | float) -> np.ndarray:
    return steps(x, scale) * scale / TOP


def close(found: np.ndarray, expected: np.ndarray, scale: float) -> None:
    """Equal, but where float32 has a value on the other side of a half."""
    off = np.abs(found - expected)
    assert off.max() <= scale / TOP * 1.01
    assert (off > 1e-5 * scale).mean() < 0.01


# -- rounding -------------------------------------------------------------------------------------


def test_abs_max() -> None:
    layer = q.FakeQuantAbsMax()
    for x in BATCHES:
        close(layer(paddle.to_tensor(x)).numpy(), rounded(x, np.abs(x).max()), np.abs(x).max())


@pytest.mark.parametrize("axis", [0, 1])
def test_channel_wise_abs_max(axis: int) -> None:
    x = BATCHES[0]
    layer = q.FakeChannelWiseQuantDequantAbsMax(
        channel_num=x.shape[axis], quant_axis=axis, quant_on_weight=True
    )
    others = tuple(d for d in range(3) if d != axis)
    scale = np.abs(x).max(axis=others, keepdims=True)
    close(layer(paddle.to_tensor(x)).numpy(), rounded(x, scale), float(scale.max()))
    np.testing.assert_allclose(layer._scale.numpy(), scale.ravel(), rtol=1e-6)


def test_moving_average_abs_max() -> None:
    layer, watch = q.FakeQuantMovingAverage(), q.MovingAverageAbsMaxScale()
    state = accum = 1.0
    for x in BATCHES:
        state, accum = 0.9 * state + 1, 0.9 * accum + np.abs(x).max()
        scale = accum / state
        close(layer(paddle.to_tensor(x)).numpy(), rounded(x, scale), scale)
        np.testing.assert_array_equal(watch(paddle.to_tensor(x)).numpy(), x)
        for one in (layer, watch):
            np.testing.assert_allclose(one._scale.item(), scale, rtol=1e-5)
    layer.eval()
    close(layer(paddle.to_tensor(BATCHES[0] * 9)).numpy(), rounded(BATCHES[0] * 9, scale), scale)


@pytest.mark.parametrize("kind", ["abs_max", "range_abs_max", "moving_average_abs_max"])
def test_the_steps_in_a_program(kind: str) -> None:
    """``range_abs_max`` looks back on two batches here: the largest of these."""
    paddle.enable_static()
    main, startup = static.Program(), static.Program()
    with static.program_guard(main, startup):
        x = static.data("x", [6, 4, 5])
        eye = paddle.nn.initializer.Assign(np.eye(5))
        w = static.create_parameter([5, 5], "float32", name="w", default_initializer=eye)
        paddle.matmul(x, w)
    exe = static.Executor()
    exe.run(startup)
    graph = IrGraph(Graph(main))
    q.QuantizationTransformPass(
        activation_quantize_type=kind, window_size=2, quantizable_op_type=["matmul_v2"]
    ).apply(graph)  # fmt: skip
    program, state, accum, window = graph.to_program(), 1.0, 1.0, [0.0, 0.0]
    scale, batches = 0.001, BATCHES[::-1]
    for i, value in enumerate(batches):
        found, at = exe.run(program, feed={"x": value}, fetch_list=["x.quantized", "x.scale"])
        most = float(np.abs(value).max())
        if kind == "abs_max":
            scale = most
        elif kind == "moving_average_abs_max":
            state, accum = 0.9 * state + 1, 0.9 * accum + most
            scale = accum / state
        else:
            gone, window[i % 2] = window[i % 2], most
            if scale < most:
                scale = most
            elif abs(gone - scale) < 1e-6:
                scale = max(window[: min(max(i, 1), 2)])
        np.testing.assert_allclose(at.item(), scale, rtol=1e-5)
        close(found, steps(value, scale), TOP)


# -- scales ---------------------------------------------------------------------------------------


def histogram(x: np.ndarray) -> tuple[np.ndarray, np.ndarray, int]:
    """Counts of absolute values but zeros, the middles of their bins, the number of zeros."""
    sizes = np.abs(x[x != 0])
    counts, edges = np.histogram(sizes, BINS, (0, sizes.max()))
    return counts.astype("float64"), (edges[1:] + edges[:-1]) / 2, int((x == 0).sum())


def by_divergence(x: np.ndarray) -> float:
    """As published with 1.8: limits from 0.7 of the largest value, 255 groups of equal width."""
    counts, edges = np.histogram(np.abs(x), BINS, (0, np.abs(x).max()))
    best, limit = np.inf, 0
    for size in range(int(0.7 * (BINS - 1)), BINS):
        if counts[size - 1] == 0:
            continue
        kept, spread, width = counts[:size].astype("float64"), np.zeros(size), size // 255
        for k in range(255):
            here = slice(k * width, size if k == 254 else (k + 1) * width)
            some = kept[here] > 0
            spread[here][some] = kept[here].sum() / max(some.sum(), 1)
        kept[-1] += counts[size:].sum()
        p, q_ = kept / kept.sum(), spread / spread.sum()
        some = p > 0
        found = float((p[some] * np.log(p[some] / q_[some])).sum())
        if found < best:
            best, limit = found, size
    return float((limit + 0.5) * edges[1])


def by_share(x: np.ndarray, share: float) -> float:
    counts, middles, zeros = histogram(x)
    total = np.cumsum(counts) + zeros
    return float(middles[np.argmax(total >= share * total[-1])])


def by_error(x: np.ndarray, kind: str) -> float:
    """Of shares of the largest value, the one that moves values, or their spread, the least."""
    most, best, found = np.abs(x).max(), np.inf, 0.0
    for share in np.arange(0.3, 1.005, 0.02):
        made = np.abs(rounded(x, share * most))
        if kind == "mse":
            error = np.square(made - np.abs(x)).mean()
        else:
            error = abs(made.mean() - np.abs(x).mean()) + abs(made.std() - np.abs(x).std())
        if error < best:
            best, found = error, share * most
    return float(found)


PLAIN = {
    "KL": by_divergence,
    "hist": lambda x: by_share(x, 0.999),
    "mse": lambda x: by_error(x, "mse"),
    "emd": lambda x: by_error(x, "emd"),
    "avg": lambda x: float(np.abs(x).reshape(len(x), -1).max(1).mean()),
    "abs_max": lambda x: float(np.abs(x).max()),
    "min_max": lambda x: float(max(-x.min(), x.max())),
}


@pytest.mark.parametrize("spread", [0, 1, 2])
@pytest.mark.parametrize("algo", PLAIN)
def test_a_scale(algo: str, spread: int) -> None:
    random = np.random.RandomState(spread)
    x = (random.randn(8, 40, 50) ** (2 * spread + 1)).astype("float32")
    x[x < -1] = 0 if spread == 1 else x[x < -1]
    seen = Seen()
    seen.add(x, "x")
    found, expected = seen.scale(algo, 8, 0.999), PLAIN[algo](x)
    if algo in ("mse", "emd"):  # from a histogram: a neighbouring share at most
        assert abs(found - expected) <= 0.045 * np.abs(x).max()
    else:
        assert found == pytest.approx(expected, rel=1e-5)


# How values are drawn, and what PaddlePaddle 1.8.5 makes of them, over the largest of them.
FROM_185: dict[str, tuple[Callable, float]] = {
    "normal": (lambda r: r.randn(50000), 0.857175),
    "relu": (lambda r: np.maximum(r.randn(50000), 0), 0.745850),
    "laplace": (lambda r: r.laplace(size=50000), 0.964111),
    "skewed": (lambda r: np.exp(r.randn(50000)), 0.724705),
    "flat": (lambda r: r.rand(20000), 0.999683),
}


@pytest.mark.parametrize("kind", FROM_185)
def test_divergence_as_in_185(kind: str) -> None:
    draw, expected = FROM_185[kind]
    x = draw(np.random.RandomState(0)).astype("float32")
    seen = Seen()
    seen.add(x, "x")
    assert seen.scale("KL", 8) / np.abs(x).max() == pytest.approx(expected, abs=1.1 / BINS)


def test_a_background_does_not_cut_the_rest_off() -> None:
    """Of all limits divergence alone would take 0.2 here."""
    random = np.random.RandomState(0)
    x = np.abs(random.randn(4, 5000)).astype("float32") * 2
    x[random.rand(*x.shape) < 0.9] = 0.1
    seen = Seen()
    seen.add(x, "x")
    assert seen.scale("KL", 8) >= 0.7 * x.max()


@pytest.mark.parametrize("algo", ["KL", "KL_kept"])
def test_a_background_is_not_cut_off(algo: str) -> None:
    """MNIST in [-1, 1] is -1 for the most part; cut off, LeNet lost two points."""
    random = np.random.RandomState(0)
    x = np.where(random.rand(4, 5000) < 0.8, -1.0, random.rand(4, 5000)).astype("float32")
    seen = Seen()
    seen.add(x, "x")
    assert seen.scale(algo, 8) > 0.999


def test_black_and_white_keep_their_scale() -> None:
    """1.8.5 and 2.6.2 give 0.0002 here, and with it a picture of nothing."""
    for x in (np.array([0.0, 3.0] * 50), np.full(9, 3.0), np.array([0.0, 1.5, 3.0] * 30)):
        seen = Seen()
        seen.add(x.astype("float32"), "x")
        assert seen.scale("KL", 8) == 3.0


def test_one_outlier_is_left_out() -> None:
    x = np.random.RandomState(0).randn(20000).astype("float32")
    seen = Seen()
    seen.add(np.append(x, np.float32(40)), "x")
    assert seen.scale("KL", 8) == pytest.approx(np.abs(x).max(), rel=0.01)


@pytest.mark.parametrize("algo", ["KL", "hist", "mse", "emd"])
def test_ranges_that_are_known_make_counts_exact(algo: str) -> None:
    x = np.random.RandomState(5).randn(12, 300).astype("float32") ** 3
    parts = np.split(x[np.argsort(np.abs(x).max(1))], 4)
    whole, twice = Seen(), Seen()
    whole.add(x, "x")
    for part in parts:
        twice.look(part, "x")
    for part in parts:
        twice.count(part)
    assert twice.scale(algo, 8, 0.99) == whole.scale(algo, 8, 0.99)


def test_batches_add_up() -> None:
    x = np.random.RandomState(5).randn(12, 300).astype("float32")
    whole, parts = Seen(), Seen()
    whole.add(x, "x")
    for part in np.split(x[np.argsort(np.abs(x).max(1))], 4):
        parts.add(part, "x")
    for algo in PLAIN:
        assert parts.scale(algo, 8, 0.99) == pytest.approx(whole.scale(algo, 8, 0.99), rel=0.05)
    assert (whole.least, whole.most) == (x.min(), x.max())


# -- adaptive rounding ----------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
def test_adaptive_rounding_beside_all_ways(seed: int) -> None:
    """It lies between the best of all ways and the nearest steps; no step alone makes it better."""
    random = np.random.RandomState(seed)
    x = random.randn(50, 8) @ random.randn(8, 8)
    w = random.randn(8, 1).astype("float32")
    gram = Gram()
    gram.add(x[None].astype("float32"))
    scale = scales_of(w, None)
    size = scale / 7
    made = adapt(w, scale, 4, None, gram, first=False)

    def error(weight: np.ndarray) -> float:
        return float(np.square(x @ (weight - w)).sum())

    low = np.floor(w / size)
    ways = [np.clip(low + np.array(up)[:, None], -7, 7) * size
            for up in itertools.product((0, 1), repeat=8)]  # fmt: skip
    best, nearest = min(map(error, ways)), error(np.round(w / size) * size)
    assert best * 0.999 <= error(made) <= nearest * 1.001
    for k in range(8):
        for step in (size, -size):
            other = made.copy()
            other[k] += step
            if (np.abs(other - w) < size * 1.0001).all() and (np.abs(other) < 7.5 * size).all():
                assert error(other) >= error(made) * 0.999
