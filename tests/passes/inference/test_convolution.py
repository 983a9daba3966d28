"""Passes over convolutions of inference: what follows goes in, weights are packed, numbers stay."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import paddle
import paddle.nn.functional as F
from paddle.core.dtype import VarType
from paddle.core.op import C
from paddle.executor.inference import InferenceProgram
from paddle.ops.nn import packed_conv
from paddle.passes.inference import BFLOAT16, GRAPH, TABLE
from tests.executor.building import put
from tests.passes.cases import normal
from tests.passes.inference.cases import Built, close, every_pass, results

X = {"x": normal(2, 4, 9, 8)}
FLOAT32 = 2e-6  # of the largest result: sums of 4 to 100 products in another order
PACKS = "conv_weight_prepack_pass"
ACTIVATION = "conv_activation_mkldnn_fuse_pass"
RESIDUAL = "conv_elementwise_add_mkldnn_fuse_pass"
needs_onednn = pytest.mark.skipif(not packed_conv.available(), reason="torch without oneDNN")


def image(channels=4, height=None, width=None):
    return paddle.static.data("x", [None, channels, height, width])


def conv(x, filters=4, size=3, bias=None, **options):
    return paddle.static.nn.conv2d(x, filters, size, bias_attr=bias, **options)


def transposed(x, filters, size=3, **options):
    return paddle.static.nn.conv2d_transpose(x, filters, filter_size=size, **options)


def reshaped_bias(x):
    bias = paddle.static.create_parameter([4], "float32", name="bias", is_bias=False)
    return x + paddle.reshape(bias, [1, -1, 1, 1])


def norm(x, **options):
    return paddle.static.nn.batch_norm(
        x, is_test=True, param_attr="scale", bias_attr="shift", moving_mean_name="mean",
        moving_variance_name="variance", **options,
    )  # fmt: skip


def statistics(scope):
    """Puts factors that are not 0 and 1 into a scope."""
    for i, name in enumerate(["scale", "shift", "mean", "variance"]):
        put(scope, name, (np.random.RandomState(i).rand(4) + 0.5).astype("float32"))


def affine_channel(x, **options):
    scale, shift = (
        paddle.static.create_parameter([4], "float32", name=name) for name in ("scale", "shift")
    )
    block = paddle.static.default_main_program().global_block()
    out = block.create_var(name="affine", shape=x.shape, dtype="float32")
    block.append_op(
        "affine_channel", {"X": [x], "Scale": [scale], "Bias": [shift]}, {"Out": [out]}, options
    )
    return out


# -- every pass: it matches, its name switches it off, the numbers stay ----------------------------

# pass -> (network, type of operator that is gone after it, and what is there in its place)
CASES = {
    "conv_bias_mkldnn_fuse_pass": [
        (lambda: conv(image(), bias=None), "elementwise_add", "packed_conv2d"),
        (
            lambda: transposed(image(), 3),
            "elementwise_add",
            "conv2d_transpose",
        ),
        (lambda: reshaped_bias(conv(image(), bias=False)), "elementwise_add", "packed_conv2d"),
        (
            lambda: F.relu(reshaped_bias(transposed(image(), 4, bias_attr=False))),
            "elementwise_add",
            "conv2d_transpose",
        ),
    ],
    "conv_bn_fuse_pass": [
        (lambda: norm(conv(image(), bias=False)), "batch_norm", "packed_conv2d"),
        (lambda: norm(conv(image(), bias=None, groups=2)), "batch_norm", "packed_conv2d"),
        (lambda: norm(conv(image(), groups=4, bias=False)), "batch_norm", "packed_conv2d"),
    ],
    "conv_transpose_bn_fuse_pass": [
        (
            lambda: norm(transposed(image(), 4)),
            "batch_norm",
            "conv2d_transpose",
        )
    ],
    "conv_affine_channel_fuse_pass": [
        (lambda: affine_channel(conv(image(), bias=None)), "affine_channel", "packed_conv2d")
    ],
    RESIDUAL: [
        (lambda: conv(image(), padding=1) + image(), "elementwise_add", "packed_conv2d"),
        (lambda: image() + conv(image(), padding=1), "elementwise_add", "packed_conv2d"),
    ],
    PACKS: [
        (lambda: conv(image(), bias=False), "conv2d", "pack_conv2d_filter"),
        (lambda: conv(image(), 6, 1, groups=2), "conv2d", "pack_conv2d_filter"),
    ],
    "conv_transpose_weight_prepack_pass": [
        (lambda: F.relu(transposed(image(), 6, groups=2, stride=2)), "", "pack_conv2d_filter"),
        (lambda: transposed(image(), 6, padding="SAME"), "", "pack_conv2d_filter"),
    ],
    "depthwise_conv_mkldnn_pass": [
        (
            lambda: conv(image(), 8, groups=4, use_cudnn=False),
            "depthwise_conv2d",
            "pack_conv2d_filter",
        )
    ],
}
ACTIVATIONS = {
    "relu": F.relu,
    "relu6": F.relu6,
    "brelu": lambda x: C.brelu(x, t_min=-0.5, t_max=0.5),
    "clip": lambda x: paddle.clip(x, -0.3, 0.4),
    "leaky_relu": lambda x: F.leaky_relu(x, 0.2),
    "hard_swish": F.hardswish,
    "hard_sigmoid": F.hardsigmoid,
    "swish": F.swish,
    "sigmoid": F.sigmoid,
    "tanh": paddle.tanh,
    "gelu": F.gelu,
}
CASES[ACTIVATION] = [
    (lambda f=f: f(conv(image())), name, "packed_conv2d") for name, f in ACTIVATIONS.items()
] + [(lambda: F.hardswish(conv(image(), padding=1) + image()), "hard_swish", "packed_conv2d")]
ALL = [(name, *case) for name, cases in CASES.items() for case in cases]


@needs_onednn
@pytest.mark.parametrize("name, net, gone, there", ALL, ids=[f"{n[0]}-{n[2] or n[3]}" for n in ALL])
def test_a_pass_matches_and_keeps_the_numbers(name, net, gone, there):
    built = Built(net, X, lambda scope: statistics(scope) if "mean" in scope.local_var_names() or
                  "scale" in scope.local_var_names() else None)  # fmt: skip
    passes = every_pass()
    with_it, without = built.types(passes), built.types(every_pass(name))
    assert gone not in with_it and there in with_it
    assert gone in without if gone else there not in without
    expected = built.run(())
    close(built.run([name]), expected, FLOAT32)
    close(built.run(passes), expected, FLOAT32)
    close(built.run(every_pass(name)), expected, FLOAT32)


def test_each_of_them_says_what_it_matches():
    for entry in TABLE:
        if entry.name in CASES:
            assert "Matches" in (entry.rewrite.__doc__ or ""), entry.name


# -- what must not match ---------------------------------------------------------------------------


def fetched_between():
    h = conv(image())
    return [h, F.relu(h)]


def read_twice():
    h = conv(image())
    return F.relu(h) * h


def another_slope():
    block = paddle.static.default_main_program().global_block()
    h = conv(image())
    out = block.create_var(name="out", shape=h.shape, dtype="float32")
    block.append_op("hard_sigmoid", {"X": [h]}, {"Out": [out]}, {"slope": 0.2, "offset": 0.5})
    return out


def bounds_as_tensors():
    low = paddle.full([1], -0.1)
    block = paddle.static.default_main_program().global_block()
    h = conv(image())
    out = block.create_var(name="out", shape=h.shape, dtype="float32")
    block.append_op("clip", {"X": [h], "Min": [low]}, {"Out": [out]}, {"min": 0.0, "max": 1.0})
    return out


@pytest.mark.parametrize("net", [fetched_between, read_twice, another_slope, bounds_as_tensors])
def test_an_activation_stays_by_itself(net):
    built = Built(net, X)
    kinds = {"relu", "hard_sigmoid", "clip"}
    assert kinds.intersection(built.types(every_pass()))
    close(built.run(every_pass()), built.run(()), FLOAT32)


def broadcast():
    return conv(image(), padding=1) + paddle.mean(image(), [2, 3], keepdim=True)


def one_number():
    return conv(image(), padding=1) + paddle.ones([1, 1, 1, 1])


def along_the_width():
    return conv(image(), padding=1) + paddle.reshape(paddle.ones([8]), [1, 1, 1, 8])


def itself():
    h = conv(image())
    return h + h


@pytest.mark.parametrize("net", [broadcast, one_number, along_the_width, itself])
def test_a_sum_stays_by_itself(net):
    built = Built(net, X)
    assert "elementwise_add" in built.types(every_pass())
    close(built.run(every_pass()), built.run(()), FLOAT32)


def test_a_filter_that_is_computed_is_not_packed():
    def net():
        w = paddle.static.data("w", [4, 4, 3, 3])
        return F.relu(F.conv2d(image(), w))

    built = Built(net, X | {"w": normal(4, 4, 3, 3)})
    found = built.types(every_pass())
    assert "pack_conv2d_filter" not in found and found[-1] == "packed_conv2d"
    close(built.run(every_pass()), built.run(()), FLOAT32)


def test_nothing_is_packed_for_a_gpu():
    built = Built(lambda: F.relu(conv(image())), X)
    assert "pack_conv2d_filter" not in built.types(every_pass(), device="cuda")
    close(built.run(every_pass(PACKS)), built.run(()), FLOAT32)


def test_nothing_is_packed_without_onednn(monkeypatch):
    built = Built(lambda: F.relu(conv(image())), X)
    monkeypatch.setattr(packed_conv, "_found", None)
    assert "pack_conv2d_filter" not in built.types(every_pass())
    close(built.run(every_pass()), built.run(()), FLOAT32)


# -- geometry --------------------------------------------------------------------------------------

GEOMETRY = {
    "same": {"padding": "SAME", "stride": 2},
    "valid": {"padding": "VALID"},
    "asymmetric": {"padding": [0, 1, 2, 0]},
    "dilated": {"padding": 2, "dilation": 2},
    "groups": {"groups": 2, "stride": [2, 1], "padding": [1, 0]},
    "depthwise": {"groups": 4, "padding": 1},
    "point": {"filter_size": 1},
}


@pytest.mark.parametrize("last", [False, True], ids=["NCHW", "NHWC"])
@pytest.mark.parametrize("name", GEOMETRY)
def test_geometry(name, last):
    options = {"filter_size": 3, "num_filters": 8} | GEOMETRY[name]
    if last:
        options["data_format"] = "NHWC"

    def net():
        x = paddle.static.data("x", [None, None, None, 4] if last else [None, 4, None, None])
        h = paddle.static.nn.conv2d(x, act="relu", **options)
        other = paddle.static.nn.conv2d(x, act="sigmoid", **options)
        return F.relu(paddle.static.nn.conv2d(x, **options) + h) * other

    array = np.moveaxis(X["x"], 1, -1).copy() if last else X["x"]
    built = Built(net, {"x": array})
    close(built.run(every_pass()), built.run(()), FLOAT32)
    with pytest.raises(paddle.core.errors.InvalidArgumentError, match=r"fit into the padded|chann"):
        built.run(every_pass(), {"x": array[..., :3] if last else array[:, :3]})


def test_an_image_that_is_too_small_is_refused_and_the_next_one_runs():
    built = Built(lambda: F.relu(conv(image(), size=5)), X)
    program = built.prepared(every_pass())
    with pytest.raises(paddle.core.errors.InvalidArgumentError, match="windows"):
        results(program, [normal(1, 4, 3, 8)])
    close(results(program, X.values()), built.run(()), FLOAT32)


# -- a network -------------------------------------------------------------------------------------


def network():
    x = F.relu(conv(image(), 16, 3, bias=False, padding=1))
    h = F.max_pool2d(x, 3, 2, 1)
    for _ in range(2):
        y = F.relu6(conv(h, 32, 1))
        y = F.hardswish(conv(y, 32, 3, groups=32, padding=1))
        scale = F.hardsigmoid(conv(F.relu(conv(F.adaptive_avg_pool2d(y, 1), 8, 1)), 32, 1))
        h = conv(y * scale, 16, 1) + h
    up = F.interpolate(h, scale_factor=2, mode="nearest")
    h = paddle.concat([h, F.avg_pool2d(up, 2, 2)], axis=1)
    return F.softmax(paddle.flatten(F.adaptive_avg_pool2d(conv(h, 10, 1), 1), 1))


def test_a_network_keeps_its_numbers():
    built = Built(network, {"x": normal(2, 4, 21, 18)})
    found = built.types(every_pass())
    assert not {"conv2d", "depthwise_conv2d", "relu", "relu6"}.intersection(found)
    close(built.run(every_pass()), built.run(()), FLOAT32 * 10)


@needs_onednn
def test_sizes_come_and_go_and_few_orders_are_kept(monkeypatch):
    packs = []
    make = packed_conv.Packs.__init__

    def kept(self, *args):
        make(self, *args)
        packs.append(self)

    monkeypatch.setattr(packed_conv.Packs, "__init__", kept)
    monkeypatch.setattr(packed_conv, "_MOST_SHAPES", 40)
    built = Built(lambda: F.relu(conv(conv(image(), 32, padding=1), 16, 1)), X)
    program, plain = built.prepared(every_pass()), built.prepared(())
    for i in range(100):
        x = normal(1 + i % 3, 4, 8, 5 + i, seed=i)
        found = results(program, [x])
        if i % 10 == 9:
            close(found, results(plain, [x]), FLOAT32)
    assert len(packs) == 2
    for pack in packs:
        assert len(pack.runs) <= 40 and len(pack._orders) <= 8


def test_a_residual_that_is_read_again_is_not_overwritten():
    def net():
        h = F.relu(conv(image(), 4, padding=1))
        y = conv(h, 4, padding=1) + h
        return [y, conv(y, 4, padding=1) + y, h * 2.0]

    built = Built(net, X)
    close(built.run(every_pass()), built.run(()), FLOAT32)


@needs_onednn
def test_a_residual_of_its_own_is_overwritten_and_what_is_fed_is_not():
    def net():
        h = F.relu(conv(image(), 4, padding=1))
        return F.relu(conv(h, 4, padding=1) + image()), conv(image(), 4, padding=1) + conv(
            h, 4, padding=1
        )

    built = Built(net, X)
    ops = built.prepared(every_pass()).optimised.global_block().ops
    marks = [op.attrs.get("overwrite") for op in ops if op.inputs.get("ResidualData")]
    assert sorted(marks, key=bool) == [None, True]
    before = X["x"].copy()
    close(built.run(every_pass()), built.run(()), FLOAT32)
    np.testing.assert_array_equal(X["x"], before)


# -- bfloat16 --------------------------------------------------------------------------------------

needs_bfloat16 = pytest.mark.skipif(
    not packed_conv.bfloat16_available(), reason="no bfloat16 by oneDNN on this processor"
)
BOTH = (GRAPH, BFLOAT16)
ROUNDING = 2e-2  # of the largest result: 8 bits of every operand, over some ten operators


@needs_bfloat16
def test_bfloat16_casts_at_the_edges_alone():
    built = Built(network, {"x": normal(2, 4, 21, 18)})
    passes = every_pass(switches=BOTH)
    program = built.prepared(passes)
    casts = [
        op for op in program.optimised.global_block().ops
        if op.type == "cast" and not op.attrs.get("_hoisted")
    ]  # fmt: skip
    assert [op.inputs["X"][0].split("@")[0] for op in casts][:1] == ["x"]
    assert len(casts) == 2  # the image, and what softmax reads
    close(results(program, built.feed.values()), built.run(()), ROUNDING)


@needs_bfloat16
def test_bfloat16_is_off_unless_switched_on_and_by_name():
    built = Built(network, {"x": normal(2, 4, 21, 18)})
    assert "cast" not in built.types(every_pass())
    for name in ("cpu_bfloat16_placement_pass", "cpu_bfloat16_pass"):
        assert "cast" not in built.types(every_pass(name, switches=BOTH))
    assert "cast" not in built.types(every_pass(switches=BOTH), device="cuda")


@needs_bfloat16
def test_bfloat16_for_some_types_of_operators():
    def net():
        h = paddle.matmul(F.relu(conv(image(4, 9, 8))), paddle.ones([6, 3]))
        return paddle.matmul(h, paddle.ones([3, 3]))

    built, passes = Built(net, X), every_pass(switches=BOTH)
    narrow = {}
    for types in (["conv2d"], ["matmul_v2"], []):
        options = {"bfloat16_ops": types}
        block = built.prepared(passes, options=options).optimised.global_block()
        narrow[str(types)] = {
            op.type for op in block.ops
            if op.type != "cast" and block.vars[op.output_arg_names[0]].dtype == VarType.BF16
        } - {"pack_conv2d_filter"}  # fmt: skip
        close(built.run(passes, options=options), built.run(()), ROUNDING)
    assert narrow == {"['conv2d']": {"packed_conv2d"}, "['matmul_v2']": {"matmul_v2"}, "[]": set()}


@needs_bfloat16
def test_bfloat16_of_what_is_fetched_between_and_read_by_a_block():
    def net():
        h = F.relu(conv(image()))
        y = conv(h)
        z = paddle.static.nn.cond(paddle.mean(y) > 0.0, lambda: y * 2.0, lambda: y * 3.0)
        return h, z

    built = Built(net, X)
    close(built.run(every_pass(switches=BOTH)), built.run(()), ROUNDING)
    assert isinstance(built.prepared(every_pass(switches=BOTH)), InferenceProgram)


def test_threads_share_packed_weights():
    built = Built(network, {"x": normal(2, 4, 21, 18)})
    program, plain = built.prepared(every_pass()), built.prepared(())
    images = [normal(1, 4, 16 + i % 5, 18 + i % 7, seed=i) for i in range(24)]
    expected = [results(plain, [x]) for x in images]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda x: results(program, [x]), images * 2))
    for a, b in zip(found, expected * 2, strict=True):
        close(a, b, FLOAT32 * 10)


@needs_bfloat16
def test_bfloat16_keeps_the_factors_of_a_norm():
    def net():
        h = F.relu(norm(F.relu(conv(image()))))  # before a convolution: it cannot be folded
        return conv(h)

    built = Built(net, X, statistics)
    ops = built.prepared(every_pass(switches=BOTH)).optimised.global_block().ops
    casts = [op for op in ops if op.type == "cast" and not op.attrs.get("_hoisted")]
    [found] = [op for op in ops if op.type == "batch_norm"]
    assert len(casts) == 2 and found.inputs["Scale"] == ["scale"]
    close(built.run(every_pass(switches=BOTH)), built.run(()), ROUNDING)
