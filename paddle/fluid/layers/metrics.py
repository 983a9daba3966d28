"""Measures of classifiers, computed by operators."""

from __future__ import annotations

from typing import Any

from paddle.core.dtype import VarType
from paddle.core.guards import guard_module
from paddle.fluid.layers.common import both_modes, check_value
from paddle.fluid.layers.shaping import topk
from paddle.fluid.mode import settle_static
from paddle.incubate.layer_helper import LayerHelper
from paddle.nn.initializer import Constant
from paddle.static.nn.helper import StaticLayer

__all__ = ["accuracy", "auc"]


@both_modes
def accuracy(input: Any, label: Any, k: int = 1, correct: Any = None, total: Any = None) -> Any:
    """How many of the samples have their class among the ``k`` best.

    Args:
        input (Variable): scores, ``[N, C]``.
        label (Variable): classes, ``[N, 1]``.
        k (int): how many count. Default: 1.
        correct (Variable, optional): takes their number.
        total (Variable, optional): takes the number of samples.

    Returns:
        Variable: the part, ``[1]``.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            x, y = fluid.data("x", [None, 10]), fluid.data("y", [None, 1], "int64")
            print(fluid.layers.accuracy(x, y).name)  # accuracy_0.tmp_0
            paddle.disable_static()
    """
    check_value("accuracy", "input", input)
    check_value("accuracy", "label", label)
    layer = StaticLayer("accuracy")
    values, places = topk(input, k=k)
    part = layer.fresh(VarType.FP32, stop_gradient=True)
    correct = layer.fresh(VarType.INT32, stop_gradient=True) if correct is None else correct
    total = layer.fresh(VarType.INT32, stop_gradient=True) if total is None else total
    layer.append("accuracy", {"Out": values, "Indices": places, "Label": label},
                 {"Accuracy": part, "Correct": correct, "Total": total})  # fmt: skip
    return part


@both_modes
def auc(
    input: Any, label: Any, curve: str = "ROC", num_thresholds: int = 4095, topk: int = 1,
    slide_steps: int = 1,
) -> Any:  # fmt: skip
    """The area under the curve: of all samples so far, and of the last batches.

    Args:
        input (Variable): probabilities, ``[N, 2]``.
        label (Variable): 0 or 1, ``[N, 1]``.
        curve (str): ``'ROC'`` or ``'PR'``. Default: ROC.
        num_thresholds (int): how finely probabilities are counted. Default: 4095.
        topk (int): only 1 has a meaning. Default: 1.
        slide_steps (int): how many batches the second area is of. Default: 1.

    Returns:
        tuple: the area of all, that of the last batches, and the four variables of counts: positive
        and negative of the batches, then of all.

    Raises:
        ValueError: an unknown curve.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                pairs_of = fluid.data("pairs_of", [2, 2])
                label = fluid.data("label", [2, 1], "int64")
                outs = fluid.layers.auc(pairs_of, label)
    """
    settle_static("fluid.layers.auc")
    layer = StaticLayer("auc")
    layer.check("input", input)
    layer.check("label", label)
    if curve not in ("ROC", "PR"):
        raise layer.wrong("curve", "'ROC' or 'PR'", curve)
    for argument, value in (("num_thresholds", num_thresholds), ("slide_steps", slide_steps)):
        if not isinstance(value, int) or value < 0:
            raise layer.wrong(argument, "an int that is 0 or more", value)
    helper = LayerHelper("auc", name=layer.name)
    area = layer.fresh(VarType.FP64, stop_gradient=True)
    recent = layer.fresh(VarType.FP64, stop_gradient=True)
    count = num_thresholds + 1
    recent_shape = [(slide_steps + 1) * count + 1] if slide_steps else [1, count]
    states = []
    for shape in [recent_shape] * 2 + [[1, count]] * 2:
        made = helper.create_global_variable(
            persistable=True, dtype=VarType.INT64, shape=shape, name=None
        )
        helper.set_variable_initializer(made, Constant(0.0))
        states.append(made)
    for result, pair, steps in ((recent, states[:2], slide_steps), (area, states[2:], 0)):
        layer.append(
            "auc",
            {"Predict": input, "Label": label, "StatPos": pair[0], "StatNeg": pair[1]},
            {"AUC": result, "StatPosOut": pair[0], "StatNegOut": pair[1]},
            curve=curve, num_thresholds=num_thresholds, slide_steps=steps,
        )  # fmt: skip
    return area, recent, states


guard_module(globals())
