"""Layers of fluid: bad arguments, what they say of 2.0, examples, and the fused loss of 1.x."""

from __future__ import annotations

import importlib
import textwrap
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paddle
import paddle.fluid as fluid
from paddle.fluid.layers import rows
from paddle.passes import loss as loss_pass

MODULES = [
    f"paddle.fluid.layers.{name}"
    for name in (
        "arithmetic", "control_flow", "convolution", "detection_boxes", "detection_regions",
        "detection_training", "distributions", "io", "layer_function_generator",
        "learning_rate_scheduler", "losses", "metrics", "nn_linear", "norm", "pooling",
        "randomness", "resizing", "shaping", "slicing", "tensor_making", "triangles", "utils",
        "variable_making",
    )
] + ["paddle.fluid.contrib.layers.nn", "paddle.fluid.contrib.layers.nn_2_0",
     "paddle.fluid.contrib.layers.recommending", "paddle.fluid.default_scope_funcs",
     "paddle.fluid.profiler", "paddle.fluid.io", "paddle.fluid.debugger",
     "paddle.fluid.layers.blocks",
     "paddle.fluid.data", "paddle.fluid.input", "paddle.fluid.layer_helper_base",
     "paddle.fluid.nets"]  # fmt: skip


@pytest.fixture(autouse=True)
def program() -> Iterator[None]:
    paddle.enable_static()
    with fluid.program_guard(fluid.Program(), fluid.Program()), fluid.unique_name.guard():
        yield
    paddle.disable_static()


def _x(*shape: int | None, dtype: str = "float32") -> Any:
    return fluid.data(fluid.unique_name.generate("x"), list(shape), dtype)


L = fluid.layers
BAD: dict[str, tuple[Callable, type, str]] = {
    "data_name": (lambda: fluid.data(3, [1]), TypeError, "expected a str, but received int"),
    "data_shape": (lambda: L.data("a", 3), TypeError, "expected a list or tuple"),
    "fc_number": (lambda: L.fc(3.0, 2), TypeError, r"fluid\.layers\.fc\(.*received float"),
    "fc_size": (lambda: L.fc(_x(None, 3), "2"), TypeError, "size.*int"),
    "fc_unknown": (lambda: L.fc(_x(None, None), 2), ValueError, "known"),
    "fc_act": (lambda: L.fc(_x(None, 3), 2, act="nothing"), ValueError, "nothing"),
    "embedding_ids": (lambda: L.embedding(_x(None, 1), [3, 2]), ValueError, "int64"),
    "embedding_far": (
        lambda: L.embedding(_x(None, 1), [3, 2], is_distributed=True),
        (NotImplementedError, ValueError), "",
    ),
    "padding_idx": (
        lambda: L.embedding(_x(None, 1, dtype="int64"), [3, 2], padding_idx=3), ValueError,
        r"\[-3, 3\)",
    ),
    "pool_size": (lambda: L.pool2d(_x(1, 1, 4, 4)), ValueError, "expected a size"),
    "pool_type": (lambda: L.pool2d(_x(1, 1, 4, 4), 2, "sum"), ValueError, "'max' or 'avg'"),
    "dropout": (lambda: L.dropout(_x(None, 3), 2.0), ValueError, r"\[0, 1\]"),
    "dropout_how": (
        lambda: L.dropout(_x(None, 3), 0.5, dropout_implementation="up"), ValueError, "'up'",
    ),
    "reshape": (lambda: L.reshape(_x(None, 6), [-1, -1]), ValueError, "one -1"),
    "reshape_type": (lambda: L.reshape(_x(None, 6), 3), TypeError, "shape"),
    "split": (lambda: L.split(_x(None, 6), 4, dim=1), ValueError, "divisor of 6"),
    "assign": (lambda: L.assign("a"), TypeError, "expected a Variable or an array"),
    "concat": (lambda: L.concat([_x(None, 3), 2]), TypeError, "Variable"),
    "resize": (lambda: L.image_resize(_x(1, 1, 4, 4)), ValueError, "out_shape or scale"),
    "resize_how": (
        lambda: L.image_resize(_x(1, 1, 4, 4), [2, 2], resample="AREA"), ValueError, "AREA",
    ),
    "inplace_abn": (lambda: L.inplace_abn(_x(2, 3), act="relu"), ValueError, "leaky_relu"),
    "hsigmoid": (
        lambda: L.hsigmoid(_x(None, 3), _x(None, 1, dtype="int64"), 1), ValueError, "num_classes",
    ),
    "hsigmoid_path": (
        lambda: L.hsigmoid(_x(None, 3), _x(None, 1, dtype="int64"), 4, is_custom=True), ValueError,
        "path_table",
    ),
    "cross_entropy": (
        lambda: L.cross_entropy(_x(None, 3), _x(None, 3, dtype="int64")), ValueError, "label",
    ),
    "heads": (
        lambda: fluid.nets.scaled_dot_product_attention(*[_x(2, 3, 4)] * 3, num_heads=3),
        ValueError, "divisor",
    ),
    "group": (
        lambda: fluid.nets.img_conv_group(_x(1, 1, 4, 4), [2, 2], 2, conv_padding=[1]),
        ValueError, "expected 2",
    ),
    "l2_normalize": (lambda: L.l2_normalize(_x(2, 3), 2), ValueError, r"\[-2, 2\)"),
    "eye": (lambda: L.eye(-1), TypeError, "num_rows"),
    "row": (lambda: L.relu6(3.0), TypeError, "relu6"),
    "arguments": (lambda: L.relu6(_x(None, 3), limit=3.0), TypeError, "limit"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_bad_arguments_are_named(name: str) -> None:
    call, error, told = BAD[name]
    with pytest.raises(error, match=told):
        call()


def _examples(text: str | None) -> list[str]:
    parts = (text or "").split(".. code-block:: python\n")[1:]
    return [textwrap.dedent(part.strip("\n").split("\n\n    Raises")[0]) for part in parts]


@pytest.mark.parametrize("module", MODULES)
def test_examples_of_modules_run(
    module: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    made = importlib.import_module(module)
    for name in made.__all__:
        if getattr(made, name).__module__.startswith("paddle.fluid"):  # others are 2.0's
            for code in _examples(getattr(made, name).__doc__):
                _run(code, f"{module}.{name}")


def test_examples_of_rows_run(capsys: pytest.CaptureFixture) -> None:
    for name, row in rows.table().items():
        if not row.module:
            text = rows.find(name).__doc__
            assert all(f"\n{part}:\n" in text for part in ("Args", "Returns", "Raises")), name
            (code,) = _examples(text)
            _run(code, name)
            assert f"  # {capsys.readouterr().out.strip()}\n" in code, name


def _run(code: str, name: str) -> None:
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        exec(compile(code, name, "exec"), {})
    paddle.enable_static()


def test_the_loss_of_1x_is_fused_beside_a_measure() -> None:
    x, y = _x(None, 3), _x(None, 1, dtype="int64")
    prediction = L.fc(x, 4, act="softmax")
    loss = L.mean(L.cross_entropy(prediction, y))
    part = L.accuracy(prediction, y)
    fluid.optimizer.SGD(0.1).minimize(loss)
    copy = fluid.default_main_program().clone()
    assert loss_pass.fuse_loss(copy, [x.name, y.name], [loss.name, part.name])
    kinds = [op.type for op in copy.global_block().ops]
    assert "hard_cross_entropy" in kinds and "hard_cross_entropy_grad" in kinds
    assert "cross_entropy2" not in kinds and kinds.count("softmax") == 1


def test_swish_says_that_beta_does_nothing() -> None:
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        L.swish(_x(None, 3), beta=2.0)
    assert any("beta" in str(w.message) for w in told)


def test_numbers_of_variables_in_lists() -> None:
    assert np.prod(L.reshape(_x(2, 6), [3, -1]).shape) == 12
