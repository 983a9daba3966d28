"""Bad input: the most used layers with each argument replaced, bad feeds, calls in the wrong mode.

What is refused when a LoDTensor is made, by feeders, datasets of files and readers is in
test_lod_tensor.py, data/test_feeding.py and data/test_multi_slot.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import paddle
import paddle.fluid as fluid

pytestmark = pytest.mark.filterwarnings("ignore")
L = fluid.layers


@pytest.fixture(autouse=True)
def static_mode() -> Any:
    paddle.enable_static()
    with fluid.program_guard(fluid.Program(), fluid.Program()), fluid.scope_guard(fluid.Scope()):
        yield
    paddle.disable_static()


def _x(*shape: int, dtype: str = "float32", lod: int = 0) -> Any:
    return fluid.data(fluid.unique_name.generate("x"), [None, *shape], dtype, lod)


def _image() -> Any:
    return _x(3, 8, 8)


def _ids() -> Any:
    return _x(1, dtype="int64")


# Layer -> the arguments of a call that works.
CALLS: dict[str, Callable[[], dict[str, Any]]] = {
    "fc": lambda: {"input": _x(4), "size": 3, "num_flatten_dims": 1, "param_attr": "w",
                   "bias_attr": "b", "act": "relu"},
    "conv2d": lambda: {"input": _image(), "num_filters": 2, "filter_size": 3, "stride": 1,
                       "padding": 0, "dilation": 1, "groups": 1, "act": "relu",
                       "data_format": "NCHW"},
    "conv2d_transpose": lambda: {"input": _image(), "num_filters": 2, "filter_size": 3},
    "pool2d": lambda: {"input": _image(), "pool_size": 2, "pool_type": "max", "pool_stride": 1},
    "batch_norm": lambda: {"input": _image(), "act": "relu", "momentum": 0.9, "epsilon": 1e-5},
    "layer_norm": lambda: {"input": _x(4), "begin_norm_axis": 1, "epsilon": 1e-5, "act": "relu"},
    "embedding": lambda: {"input": _ids(), "size": [5, 3], "padding_idx": 1, "dtype": "float32"},
    "dropout": lambda: {"x": _x(4), "dropout_prob": 0.5},
    "softmax": lambda: {"input": _x(4), "axis": -1},
    "cross_entropy": lambda: {"input": _x(4), "label": _ids(), "soft_label": False,
                              "ignore_index": -100},
    "softmax_with_cross_entropy": lambda: {"logits": _x(4), "label": _ids(), "axis": -1},
    "mean": lambda: {"x": _x(4)},
    "concat": lambda: {"input": [_x(4), _x(4)], "axis": 1},
    "reshape": lambda: {"x": _x(4), "shape": [-1, 2, 2]},
    "cast": lambda: {"x": _x(4), "dtype": "int64"},
    "reduce_sum": lambda: {"input": _x(4), "dim": 1},
    "reduce_mean": lambda: {"input": _x(4), "dim": [1]},
    "elementwise_add": lambda: {"x": _x(4), "y": _x(4), "axis": -1, "act": "relu"},
    "elementwise_mul": lambda: {"x": _x(4), "y": _x(4), "axis": -1},
    "transpose": lambda: {"x": _x(4), "perm": [1, 0]},
    "matmul": lambda: {"x": _x(4), "y": _x(4), "transpose_y": True, "alpha": 1.0},
    "accuracy": lambda: {"input": _x(4), "label": _ids(), "k": 1},
    "auc": lambda: {"input": _x(2), "label": _ids(), "num_thresholds": 200},
    "data": lambda: {"name": "data", "shape": [4], "dtype": "float32"},
    "fill_constant": lambda: {"shape": [2], "dtype": "float32", "value": 1.0},
    "split": lambda: {"input": _x(4), "num_or_sections": 2, "dim": 1},
    "slice": lambda: {"input": _x(4), "axes": [1], "starts": [0], "ends": [2]},
    "stack": lambda: {"x": [_x(4), _x(4)], "axis": 0},
    "unsqueeze": lambda: {"input": _x(4), "axes": [1]},
    "squeeze": lambda: {"input": _ids(), "axes": [1]},
    "gather": lambda: {"input": _x(4), "index": _x(dtype="int64"), "overwrite": True},
    "expand": lambda: {"x": _x(4), "expand_times": [1, 2]},
    "one_hot": lambda: {"input": _ids(), "depth": 4},
    "topk": lambda: {"input": _x(4), "k": 2},
    "clip": lambda: {"x": _x(4), "min": 0.0, "max": 1.0},
    "scale": lambda: {"x": _x(4), "scale": 2.0, "bias": 1.0, "act": "relu"},
    "relu": lambda: {"x": _x(4)},
    "sums": lambda: {"input": [_x(4), _x(4)]},
    "square_error_cost": lambda: {"input": _x(4), "label": _x(4)},
    "l2_normalize": lambda: {"x": _x(4), "axis": 1, "epsilon": 1e-12},
    "create_parameter": lambda: {"shape": [2, 3], "dtype": "float32"},
    "sequence_pool": lambda: {"input": _x(4, lod=1), "pool_type": "max", "pad_value": 0.0},
    "sequence_conv": lambda: {"input": _x(4, lod=1), "num_filters": 2, "filter_size": 3,
                              "act": "relu"},
    "sequence_expand": lambda: {"x": _x(4, lod=1), "y": _x(4, lod=1), "ref_level": -1},
    "dynamic_lstm": lambda: {"input": _x(4, lod=1), "size": 4, "gate_activation": "sigmoid"},
    "dynamic_gru": lambda: {"input": _x(6, lod=1), "size": 2},
}  # fmt: skip


class Odd:
    """What no argument may be."""


BAD = [Odd(), np.ones([2, 2], "float32"), ["a", "b"], "nonsense", -7]
# What does not fit, beside Odd: Python takes anything for true or false; these are names.
FREE = ("soft_label", "transpose_y", "name", "param_attr", "bias_attr")


@pytest.mark.parametrize("layer", CALLS)
def test_each_argument_replaced(layer: str) -> None:
    function = getattr(L, layer)
    function(**CALLS[layer]())
    for argument in CALLS[layer]():
        for bad in BAD:
            try:
                with fluid.program_guard(fluid.Program(), fluid.Program()):
                    function(**{**CALLS[layer](), argument: bad})
            except (TypeError, ValueError, IndexError, NotImplementedError) as error:
                told = str(error)
                assert any(
                    word in told for word in (layer, argument, "attr", "data type", "operator")
                )
                assert any(
                    word in told
                    for word in ("expected", "received", "arguments:", "there is no", "must")
                ), f"{layer}({argument}={bad!r}): {told}"
                continue
            assert not isinstance(bad, Odd) or argument in FREE, (layer, argument)


def test_kinds_of_attributes() -> None:
    bad = [("axis", "first", "an int"), ("axis", 1.5, "an int"), ("axis", [0], "an int")]
    for argument, value, expected in bad:
        with pytest.raises(TypeError, match=rf"elementwise_add\({argument}\): expected {expected}"):
            L.elementwise_add(_x(4), _x(4), **{argument: value})
    with pytest.raises(TypeError, match="expected True or False, but received str 'yes'"):
        L.gather(_x(4), _x(dtype="int64"), overwrite="yes")
    assert L.elementwise_add(_x(4), _x(4), axis=np.int64(0)).shape == (-1, 4)


def _run(out: Any, **feed: Any) -> Any:
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(fluid.default_startup_program())
    return exe.run(feed=feed, fetch_list=[out])[0]


ROWS = np.ones([2, 3], "float32")
FAR = np.array([[7], [0]])
# What is built from x [None, 3] and i [None, 1], what is fed, the error and what it says.
RUNS: dict[str, tuple[Callable[[Any, Any], Any], dict[str, Any], type, str]] = {
    "ragged": (lambda x, i: x * 2.0, {"x": [[1.0, 2, 3], [4.0]]}, TypeError,
               "'x' is expected to be an array or numbers, but received list"),
    "nothing": (lambda x, i: x * 2.0, {"x": None}, TypeError, "'x' .* received NoneType"),
    "text": (lambda x, i: x * 2.0, {"x": "abc"}, TypeError, "'x' .* received str"),
    "missing": (lambda x, i: x * 2.0, {}, RuntimeError, "'x' is needed by operator scale"),
    "dtype": (lambda x, i: x * 2.0, {"x": ROWS.astype("int64")}, ValueError,
              "'x' is expected to be float32, but received int64"),
    "shape": (lambda x, i: x * 2.0, {"x": ROWS[:, :2]}, ValueError,
              r"shape \[-1, 3\] .* received \[2, 2\]"),
    "beyond a table": (lambda x, i: L.embedding(i, [5, 2]), {"i": FAR}, IndexError,
                       r"row numbers in \[0, 5\), but received 7"),
    "below a table": (lambda x, i: L.embedding(i, [5, 2], is_sparse=True), {"i": -FAR}, IndexError,
                      r"\[0, 5\), but received -7"),
    "v2": (lambda x, i: fluid.embedding(i, [5, 2]), {"i": FAR}, IndexError, "lookup_table_v2"),
    "class": (lambda x, i: L.cross_entropy(x, i), {"x": ROWS, "i": FAR}, IndexError,
              r"labels are expected in \[0, 3\)"),
    "class of scores": (lambda x, i: L.softmax_with_cross_entropy(x, i), {"x": ROWS, "i": FAR},
                        IndexError, r"expected to be in \[0, 3\).* received 7"),
    "one_hot": (lambda x, i: L.one_hot(i, 3), {"i": FAR}, ValueError, r"expected .* \[0, 3\)"),
    "gather": (lambda x, i: L.gather(x, i), {"x": ROWS, "i": FAR}, IndexError, r"from 0 to 7"),
    "batches": (lambda x, i: L.concat([x, L.cast(i, "float32")], 1),
                {"x": ROWS, "i": FAR[:1]}, ValueError, r"shapes \[2, 3\], \[1, 1\]"),
    "reshape": (lambda x, i: L.reshape(x, [-1, 4]), {"x": ROWS}, ValueError,
                r"6 elements, which cannot be divided into 4"),
    "topk": (lambda x, i: L.topk(x, 5)[0], {"x": ROWS}, ValueError, r"\[1, 3\].* received 5"),
}  # fmt: skip


@pytest.mark.parametrize("name", RUNS)
def test_runs_that_fail_say_why(name: str) -> None:
    build, feed, error, told = RUNS[name]
    out = build(fluid.data("x", [None, 3]), fluid.data("i", [None, 1], "int64"))
    with pytest.raises(error, match=told):
        _run(out, **feed)


def test_what_runs_need() -> None:
    with fluid.unique_name.guard():
        out = L.fc(fluid.data("x", [None, 3]), 2)
    exe = fluid.Executor(fluid.CPUPlace())
    with pytest.raises(RuntimeError, match=r"'fc_0\.w_0' is not initialized"):
        exe.run(feed={"x": ROWS}, fetch_list=[out])
    with pytest.raises(RuntimeError, match="no variable 'nope'"):
        exe.run(feed={"x": ROWS}, fetch_list=["nope"])
    with pytest.raises(ValueError, match="expected 'cpu', 'gpu' or 'gpu:n', but received 'cpu0'"):
        fluid.Executor("cpu0")
    assert _run(out, x=ROWS[:0]).shape == (0, 2)  # no rows: a result without rows


def test_layers_data_checks_no_shape() -> None:
    """As in 1.8.5, where labels [N] are fed for [N, 1]; fluid.data checks."""
    x, label = L.data("x", [3]), L.data("label", [1], dtype="int64")
    out = L.cross_entropy(L.softmax(x), label)
    assert _run(out, x=ROWS, label=np.array([1, 2])).shape == (2,)
    assert _run(L.data("wide", [2]) * 2.0, x=ROWS, label=FAR[:, 0], wide=ROWS).shape == (2, 3)
    with pytest.raises(ValueError, match="'x' is expected to be float32, but received float64"):
        _run(out, x=ROWS.astype("float64"), label=np.array([1, 2]))


STATIC_ONLY: dict[str, Callable[[], Any]] = {
    "fluid.data": lambda: fluid.data("x", [1]),
    "fluid.layers.data": lambda: L.data("x", [1]),
    "fluid.layers.While": lambda: L.While(None),
    "fluid.layers.StaticRNN": lambda: L.StaticRNN(),
    "fluid.layers.DynamicRNN": lambda: L.DynamicRNN(),
    "fluid.layers.Switch": lambda: L.Switch(),
    "fluid.layers.IfElse": lambda: L.IfElse(None),
    "fluid.layers.py_reader": lambda: L.py_reader(2, [[-1, 3]], ["float32"]),
    "fluid.layers.create_global_var": lambda: L.create_global_var([1], 1.0, "float32"),
    "fluid.layers.autoincreased_step_counter": lambda: L.autoincreased_step_counter(),
    "dynamic_lstm": lambda: L.dynamic_lstm(paddle.ones([2, 8]), 8),
    "sequence_pool": lambda: L.sequence_pool(paddle.ones([2, 8]), "max"),
}


def test_static_names_in_dynamic_mode() -> None:
    with fluid.dygraph.guard():
        for name, call in STATIC_ONLY.items():
            with pytest.raises(RuntimeError, match=rf"{name} (builds|adds to) a static Program"):
                call()
