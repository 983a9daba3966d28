"""Layers of paddle.static.nn: names, defaults, random layers, and wrong arguments."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

import paddle
from paddle import static
from tests.static.harness import static as fresh
from tests.static.nn.test_training import Session

nn = static.nn


def data(*shape: int, name: str = "x", dtype: str = "float32") -> Any:
    return static.data(name, list(shape), dtype)


def ids(*shape: int, name: str = "y") -> Any:
    return static.data(name, list(shape), "int64")


# -- parameters ------------------------------------------------------------------------------------


def test_user_names_and_repeated_layers() -> None:
    with fresh() as (main, startup):
        x = data(-1, 3, 8, 8)
        nn.conv2d(x, 2, 3, name="edge", param_attr="w", act="relu")
        nn.conv2d(x, 2, 3)
        nn.conv2d(x, 2, 3, param_attr=paddle.ParamAttr(name="w"), bias_attr=False)
        assert [p.name for p in main.all_parameters()] == [
            "w", "edge.b_0", "conv2d_0.w_0", "conv2d_0.b_0",
        ]  # fmt: skip
        outs = [op.output_arg_names[0] for op in main.global_block().ops]
        assert outs[:3] == ["edge.tmp_0", "edge.tmp_1", "edge.tmp_2"]
        filled = [op.output_arg_names[0] for op in startup.global_block().ops]
        assert filled.count("w") == 1  # a name that exists means that very parameter


def variance(name: str, startup: Any) -> float:
    paddle.seed(11)
    return Session(startup)[name].var()


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (lambda: nn.conv2d(data(-1, 8, 9, 9), 64, 5), 2 / (25 * 8)),
        (lambda: nn.conv2d(data(-1, 8, 9, 9), 64, 5, groups=4), 2 / (25 * 8)),
        (lambda: nn.conv3d(data(-1, 4, 9, 9, 9), 32, 3), 2 / (27 * 4)),
        (lambda: nn.conv2d_transpose(data(-1, 16, 9, 9), 24, filter_size=5), 2 / (25 * 40)),
        (lambda: nn.row_conv(data(-1, 5, 999), 9), 2 / (10 + 999)),
        (lambda: nn.nce(data(-1, 40), ids(-1, 1), 90), 2 / 130),
    ],
)
def test_default_initializers(make: Any, expected: float) -> None:
    with fresh() as (main, startup):
        make()
        name = main.all_parameters()[0].name
    assert variance(name, startup) == pytest.approx(expected, rel=0.1)


def test_statistics_are_no_trained_parameters() -> None:
    with fresh() as (main, _):
        y = nn.batch_norm(data(-1, 3, 4, 4), do_model_average_for_mean_and_var=False)
        flags = [(p.trainable, p.stop_gradient, p.do_model_average) for p in main.all_parameters()]
        assert flags == [(True, False, True)] * 2 + [(False, True, False)] * 2
        pairs = static.append_backward(paddle.mean(y))
        assert [p.name for p, _ in pairs] == ["batch_norm_0.w_0", "batch_norm_0.b_0"]


def test_half_precision_keeps_statistics_in_single() -> None:
    with fresh() as (main, _):
        assert nn.batch_norm(data(-1, 3, 4, 4, dtype="float16")).dtype == paddle.float16
        assert {p.dtype for p in main.all_parameters()} == {paddle.float32}


def test_data_norm_layers_without_a_name_share_their_counts() -> None:
    with fresh() as (main, _):
        for _ in range(2):
            nn.data_norm(data(-1, 4), param_attr={"batch_sum": 2.0})
        names = [p.name for p in main.all_parameters()]
        assert names == ["dn.batch_size", "dn.batch_sum", "dn.batch_square_sum"]


def test_layer_norm_says_that_an_attr_has_no_effect() -> None:
    with fresh(), pytest.warns(UserWarning, match="param_attr has no effect because scale is Fal"):
        nn.layer_norm(data(-1, 4), scale=False, param_attr="w")


# -- layers that draw ------------------------------------------------------------------------------


@pytest.mark.parametrize("sampler", ["uniform", "log_uniform", "custom_dist"])
def test_nce(sampler: str) -> None:
    total, k, r = 6, 400, np.random.RandomState(0)
    chances = {"uniform": np.full(total, 1 / total), "custom_dist": [0.1, 0.3, 0.05, 0, 0.35, 0.2]}
    ranks = np.arange(total)
    chances["log_uniform"] = np.log((ranks + 2) / (ranks + 1)) / np.log(total)
    q = np.asarray(chances[sampler])
    dist = list(q) if sampler == "custom_dist" else None
    feed = {"x": r.randn(3, 4).astype("float32"), "y": np.array([[1], [0], [4]])}
    feed["weight"] = r.rand(3, 1).astype("float32")
    with fresh() as (main, startup):
        main.random_seed = 5
        cost = nn.nce(
            data(-1, 4), ids(-1, 1), total, data(-1, 1, name="weight"), num_neg_samples=k,
            sampler=sampler, custom_dist=dist, bias_attr="b",
        )  # fmt: skip
        drawn = main.global_block().ops[0].output("SampleLabels")[0]
        assert cost.shape == (-1, 1)
    session = Session(startup)
    session.scope.find_var("b").get_tensor().set(r.randn(6, 1).astype("float32"))
    got, classes = session.run(main, feed, [cost, drawn])
    share = np.bincount(classes[:, 1:].ravel(), minlength=total) / (3 * k)
    if sampler != "log_uniform":  # whose last class PaddlePaddle never draws
        np.testing.assert_allclose(share, q, atol=0.05)
    logits = feed["x"] @ session["nce_0.w_0"].T + session["b"].T
    o = 1 / (1 + np.exp(-np.take_along_axis(logits, classes, 1).astype("float64")))
    noise = k * q[classes]
    loss = -np.log(o[:, :1] / (o[:, :1] + noise[:, :1]))
    loss = loss - np.log(noise[:, 1:] / (o[:, 1:] + noise[:, 1:])).sum(1, keepdims=True)
    np.testing.assert_allclose(got, loss * feed["weight"] / (k + 1), rtol=1e-4)


@pytest.mark.parametrize(
    ("chances", "alias", "keep"),
    [
        ([0.1, 0.2, 0.3, 0.3, 0.1], [2, -1, -1, -1, 3], [0.5, 1, 1, 1, 0.5]),
        ([0.7, 0.1, 0.1, 0.1], [-1, 0, 0, 0], [1, 0.4, 0.4, 0.4]),
        ([0.04, 0.06, 0.3, 0.2, 0.15, 0.25], [2, 3, 5, 2, 5, -1], [0.24, 0.36, 0.6, 0.56, 0.9, 1]),
    ],
)
def test_alias_tables_are_those_of_paddlepaddle(chances: list, alias: list, keep: list) -> None:
    with fresh() as (_, startup):
        nn.nce(data(-1, 2), ids(-1, 1), len(chances), sampler="custom_dist", custom_dist=chances)
    session = Session(startup)
    np.testing.assert_allclose(session["nce_0.w_1"], chances, rtol=1e-6)
    np.testing.assert_array_equal(session["nce_0.w_2"], alias)
    np.testing.assert_allclose(session["nce_0.w_3"], keep, rtol=1e-5)


# -- wrong arguments -------------------------------------------------------------------------------

IMAGE = (-1, 4, 8, 8)
WRONG: list[tuple[Any, type, str]] = [
    (lambda: nn.fc(np.ones((2, 2)), 3), TypeError, r"fc\(x\): expected a Variable.*ndarray"),
    (lambda: nn.fc([], 3), ValueError, r"fc\(x\): expected a Variable or a list"),
    (lambda: nn.fc(data(-1, 4), 0), ValueError, r"fc\(size\): expected an int >= 1.* 0"),
    (lambda: nn.fc(data(-1, 4), "3"), TypeError, r"fc\(size\): expected an int.*'3'"),
    (lambda: nn.fc(data(-1, 4), 3, 2), ValueError, r"number in \[1, 1\].*received 2"),
    (lambda: nn.fc(data(2, -1), 3), ValueError, "known when the Program is built"),
    (lambda: nn.fc(data(-1, 4), 3, weight_attr=False), ValueError, r"weight_attr\).*False"),
    (lambda: nn.fc(data(-1, 4), 3, activation="rellu"), ValueError, "no activation named 'rellu'"),
    (lambda: nn.fc(data(-1, 4), 3, activation=3), TypeError, "activation's name, got int"),
    (lambda: nn.fc(ids(-1, 4), 3), ValueError, "float32 or float64.*received int64"),
    (lambda: nn.fc([data(-1, 4)], 3, weight_attr=["a", "b"]), ValueError, "each of 1 inputs.*2"),
    (lambda: nn.fc(data(-1, 4), 3, name=5), TypeError, r"fc\(name\): expected a str.*5"),
    (lambda: nn.embedding(data(-1, 4), [3, 2]), ValueError, "int32 or int64.*float32"),
    (lambda: nn.embedding(ids(-1, 4), [3]), ValueError, r"\[rows, length\].*\[3\]"),
    (lambda: nn.embedding(ids(-1, 4), [3, 2], padding_idx=3), ValueError, r"\[-3, 3\).* 3"),
    (lambda: nn.sparse_embedding(ids(-1, 1), [3, 2], entry=3), TypeError, "CountFilterEntry.*int"),
    (lambda: nn.sparse_embedding(ids(-1, 1), [3]), ValueError, r"\[rows, length\].*\[3\]"),
    (lambda: nn.sparse_embedding(ids(-1, 7), [3, 2]), ValueError, r"dimension of 1.*\[-1, 7\]"),
    (lambda: nn.conv2d(data(-1, 4, 8), 2, 3), ValueError, r"4 dimensions.*\[-1, 4, 8\]"),
    (lambda: nn.conv2d(ids(*IMAGE), 2, 3), ValueError, "received int64"),
    (lambda: nn.conv2d(data(-1, -1, 8, 8), 2, 3), ValueError, "known size of dimension 1"),
    (lambda: nn.conv2d(data(*IMAGE), 2, 3, groups=3), ValueError, "4 channels and num_filters 2"),
    (lambda: nn.conv2d(data(*IMAGE), 2, 3, groups=0), ValueError, r"groups\): expected an int"),
    (lambda: nn.conv2d(data(*IMAGE), 2.0, 3), TypeError, r"num_filters\): expected an int.*2.0"),
    (lambda: nn.conv2d(data(*IMAGE), 2, [3, 3, 3]), ValueError, "filter_size"),
    (lambda: nn.conv2d(data(*IMAGE), 2, 3, padding="FULL"), ValueError, "'SAME', 'VALID'.*FULL"),
    (lambda: nn.conv2d(data(*IMAGE), 2, 3, use_cudnn=1), TypeError, r"use_cudnn\).*bool.*1"),
    (lambda: nn.conv2d(data(*IMAGE), 2, 3, data_format="NCW"), ValueError, "'NHWC'.*'NCW'"),
    (lambda: nn.conv2d(data(*IMAGE), 2, 9), ValueError, r"fit into the padded.*\[9, 9\]"),
    (lambda: nn.conv3d(data(*IMAGE), 2, 3), ValueError, "5 dimensions"),
    (lambda: nn.conv2d_transpose(data(*IMAGE), 2), ValueError, "filter_size or output_size"),
    (lambda: nn.conv2d_transpose(data(*IMAGE), 2, [5, 5]), ValueError, r"least \[8, 8\].*\[5, 5\]"),
    (lambda: nn.conv2d_transpose(data(-1, 4, -1, 8), 2, 16), ValueError, "size of dimension 2"),
    (lambda: nn.conv2d_transpose(data(*IMAGE), 2, 30, 3), ValueError, "output_size"),
    (lambda: nn.conv3d_transpose(data(*IMAGE), 2, filter_size=3), ValueError, "5 dimensions"),
    (lambda: nn.deform_conv2d(data(*IMAGE), data(-1, 18, 6, 6, name="o"), 3, 2, 3), TypeError,
     r"mask\): expected a Variable.*int"),
    (lambda: nn.deform_conv2d(data(*IMAGE), data(-1, 18, 6, 6, name="o"), None, 2, 3, groups=3),
     ValueError, "divide 4 channels and num_filters 2"),
    (lambda: nn.batch_norm(data(4)), ValueError, r"2 or 3 or 4 or 5 dimensions.*\[4\]"),
    (lambda: nn.batch_norm(data(*IMAGE), data_layout="NC"), ValueError, "'NHWC'.*'NC'"),
    (lambda: nn.batch_norm(data(*IMAGE), momentum="0.9"), TypeError, "float or a Variable.*str"),
    (lambda: nn.batch_norm(data(*IMAGE), epsilon=-1.0), ValueError, "number >= 0.*-1.0"),
    (lambda: nn.batch_norm(data(*IMAGE), param_attr=False), ValueError, r"param_attr\).*False"),
    (lambda: nn.batch_norm(data(*IMAGE), bias_attr=False), ValueError, r"bias_attr\).*False"),
    (lambda: nn.batch_norm(data(-1, -1, 8, 8)), ValueError, "dimension 1"),
    (lambda: nn.batch_norm(data(*IMAGE), is_test=0), TypeError, r"is_test\): expected a bool"),
    (lambda: nn.layer_norm(data(*IMAGE), begin_norm_axis=4), ValueError, r"\[1, 3\].* 4"),
    (lambda: nn.layer_norm(data(-1, 4, -1)), ValueError, "known size of dimension 2"),
    (lambda: nn.layer_norm(data(*IMAGE), param_attr=False), ValueError, r"param_attr\).*False"),
    (lambda: nn.group_norm(data(*IMAGE), 3), ValueError, "divisor of 4 channels.* 3"),
    (lambda: nn.group_norm(data(*IMAGE), 0), ValueError, r"groups\): expected an int >= 1"),
    (lambda: nn.instance_norm(data(4)), ValueError, "dimensions"),
    (lambda: nn.instance_norm(data(*IMAGE), param_attr=False), ValueError, "False where param"),
    (lambda: nn.data_norm(data(*IMAGE)), ValueError, "2 dimensions"),
    (lambda: nn.data_norm(data(-1, 4), param_attr={"size": 1}), ValueError, "batch_size.*'size'"),
    (lambda: nn.data_norm(data(-1, 4), param_attr="w"), TypeError, "a dict of first values.*str"),
    (lambda: nn.data_norm(data(-1, 4), moving_mean_name="m"), NotImplementedError, "follow from"),
    (lambda: nn.data_norm(data(-1, 4), epsilon=0.1), ValueError, r"\[0, 0.001\].*0.1"),
    (lambda: nn.spectral_norm(data(3, name="w")), ValueError, "at least 2 dimensions"),
    (lambda: nn.spectral_norm(data(3, 4, name="w"), dim=2), ValueError, r"\[0, 1\].* 2"),
    (lambda: nn.spectral_norm(data(3, -1, name="w")), ValueError, "known size of dimension 1"),
    (lambda: nn.prelu(data(*IMAGE), "row"), ValueError, "'all', 'channel' or 'element'.*'row'"),
    (lambda: nn.prelu(data(-1, -1, 3), "channel"), ValueError, "known size of dimension 1"),
    (lambda: nn.prelu(data(4), "channel"), ValueError, "at least 2 dimensions"),
    (lambda: nn.row_conv(data(-1, 4), 2), ValueError, "3 dimensions"),
    (lambda: nn.row_conv(data(-1, 5, 4), -1), ValueError, "int >= 0.*-1"),
    (lambda: nn.bilinear_tensor_product(data(-1, 4), data(-1, 4, name="y", dtype="float64"), 2),
     ValueError, "float32.*received float64"),
    (lambda: nn.bilinear_tensor_product(data(-1, 4), data(-1, 4, 1, name="y"), 2), ValueError,
     r"y\): expected a Variable of 2"),
    (lambda: nn.nce(data(-1, 4), ids(-1, 1), 5, sampler="unigram"), ValueError, "uniform.*unigram"),
    (lambda: nn.nce(data(-1, 4), ids(-1, 1), 5, sampler="custom_dist"), TypeError, "list of 5"),
    (lambda: nn.nce(data(-1, 4), ids(-1, 1), 2, sampler="custom_dist", custom_dist=[0.5]),
     ValueError, r"2 probabilities >= 0.*\[0.5\]"),
    (lambda: nn.nce(data(-1, 4), ids(-1, 1), 2, sampler="custom_dist", custom_dist=[0.5, 0.6]),
     ValueError, "add up to 1.*1.1"),
    (lambda: nn.nce(data(-1, 4), data(-1, 1, name="y"), 5), ValueError, "int64.*float32"),
    (lambda: nn.crf_decoding(data(-1, 5, 4), "moves"), RuntimeError, "no parameter 'moves'"),
    (lambda: nn.crf_decoding(data(-1, 5, 4), None), ValueError, "name of a parameter.*None"),
    (lambda: nn.crf_decoding(data(-1, 4), "moves"), ValueError, "3 dimensions"),
    (lambda: (static.create_parameter([5, 4], "float32", name="m"),
              nn.crf_decoding(data(-1, 5, 4), "m")), ValueError, r"shape \[6, 4\].*\[5, 4\]"),
    (lambda: nn.cross_entropy(data(-1, 4), ids(-1, 2, 3)), ValueError, "2 or 1 dimensions"),
    (lambda: nn.cross_entropy(data(-1, 4), ids(-1, 2)), ValueError, r"\[-1, 1\].*\[-1, 2\]"),
    (lambda: nn.cross_entropy(data(-1, 4), data(-1, 1, name="y")), ValueError, "int64.*float32"),
    (lambda: nn.cross_entropy(data(-1, 4), data(-1, 3, name="y"), True), ValueError, r"\[-1, 3\]"),
    (lambda: nn.mean(ids(-1, 4)), ValueError, "received int64"),
    (lambda: nn.multi_box_head([data(*IMAGE)], data(-1, 3, 9, 9, name="i"), 9, 2, [[2.0]]),
     ValueError, "more than 2"),
    (lambda: nn.multi_box_head([data(*IMAGE)] * 3, data(-1, 3, 9, 9, name="i"), 9, 2, [[2.0]] * 3),
     TypeError, r"min_ratio\): expected an int.*None"),
    (lambda: nn.multi_box_head([data(*IMAGE)] * 3, data(-1, 3, 9, 9, name="i"), 9, 2, [[2.0]],
                               min_ratio=20, max_ratio=90), ValueError, "3 entries"),
    (lambda: nn.multi_box_head(4, data(-1, 3, 9, 9, name="i"), 9, 2, [[2.0]]), TypeError,
     r"inputs\): expected a Variable"),
]  # fmt: skip


@pytest.mark.parametrize("at", range(len(WRONG)))
def test_wrong_arguments(at: int) -> None:
    call, raises, match = WRONG[at]
    with fresh(), pytest.raises(raises, match=match):
        call()


OTHERS = {"case", "cond", "switch_case", "while_loop", "create_parameter", "py_func"}


@pytest.mark.parametrize("name", sorted(set(nn.__all__) - OTHERS))
def test_dynamic_mode_is_refused(name: str) -> None:
    function = getattr(nn, name)
    inner = inspect.unwrap(function)
    count = inner.__code__.co_argcount - len(inner.__defaults__ or ())
    x = paddle.ones([2, 3])
    with pytest.raises(RuntimeError, match=f"paddle.static.nn.{name} adds to a static Program"):
        function(*[x] * max(count, 1))


def test_every_layer_of_the_table_is_there() -> None:
    from pathlib import Path

    table = Path(__file__).parents[2] / "data" / "api-2.0.tsv"
    names = {line.split("\t")[0] for line in table.read_text().splitlines()}
    mine = {n.split(".")[3] for n in names if n.startswith("paddle.static.nn.")}
    wanted = {n for n in mine if not n.startswith("sequence_")} - OTHERS
    assert wanted <= set(nn.__all__) and len(wanted) >= 20
