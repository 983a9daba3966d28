"""paddle.static.accuracy and auc: metrics that a Program computes."""

from __future__ import annotations

from typing import Any

from paddle.core.dtype import VarType
from paddle.core.guards import guard_module
from paddle.core.mode import recording
from paddle.ir.variable import Variable
from paddle.static.nn.helper import FLOATS, INTS, StaticLayer
from paddle.static.variables import create_global_var

__all__ = ["accuracy", "auc"]


def accuracy(
    input: Any, label: Any, k: int = 1, correct: Any = None, total: Any = None
) -> Variable:
    """Adds the share of rows whose label is among their k best-scored classes.

    In dynamic mode it computes it at once, as :func:`paddle.metric.accuracy`.

    Args:
        input (Variable): scores, ``[N, C]``, floating.
        label (Variable): classes, ``[N, 1]``, int32 or int64.
        k (int): how many classes count. Default: 1.
        correct (Variable, optional): an int32 variable of ``[1]`` that receives the number of hits.
        total (Variable, optional): an int32 variable of ``[1]`` that receives N.

    Returns:
        Variable: ``[1]``, float32.

    Raises:
        ValueError: shapes or dtypes do not fit, or k exceeds C.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle
            paddle.enable_static()
            main = paddle.static.Program()
            with paddle.static.program_guard(main, paddle.static.Program()):
                scores = paddle.static.data("scores", [None, 2])
                label = paddle.static.data("label", [None, 1], "int64")
                share = paddle.static.accuracy(scores, label)
            feed = {"scores": np.array([[.1, .9], [.8, .2]], "float32"),
                    "label": np.array([[1], [1]])}
            print(paddle.static.Executor().run(main, feed, [share])[0])  # [0.5]
            paddle.disable_static()
    """
    if not recording():
        from paddle.metric import accuracy as at_once

        return at_once(input, label, k, correct, total)
    layer = StaticLayer("accuracy", api="static.")
    layer.check("input", input, [2], FLOATS)
    layer.check("label", label, [2], INTS)
    if label.shape[1] not in (-1, 1):
        raise layer.wrong("label", "shape [N, 1]", list(label.shape))
    classes = input.shape[1]
    if layer.count("k", k) > classes >= 0:
        raise layer.wrong("k", f"at most the number of classes, {classes}", k)
    best = {
        "Out": layer.fresh(input.dtype, stop_gradient=True),
        "Indices": layer.fresh("int64", stop_gradient=True),
    }
    layer.append("top_k_v2", {"X": input}, best, k=int(k), sorted=False)
    share = layer.fresh("float32", stop_gradient=True)
    counts = []
    for argument, given in (("correct", correct), ("total", total)):
        if given is not None:
            layer.check(argument, given, [1], ("int32",))
        counts.append(layer.fresh("int32", stop_gradient=True) if given is None else given)
    outputs = {"Accuracy": share, "Correct": counts[0], "Total": counts[1]}
    layer.append("accuracy", {**best, "Label": label}, outputs)
    return share


def auc(
    input: Any,
    label: Any,
    curve: str = "ROC",
    num_thresholds: int = 2**12 - 1,
    topk: int = 1,
    slide_steps: int = 1,
) -> tuple[Variable, Variable, list[Variable]]:
    """Adds the area under the curve, over everything seen so far and over the last batches.

    Scores are counted in ``num_thresholds + 1`` buckets, apart for both classes; the area is that
    under the polygon through the buckets.

    Args:
        input (Variable): probabilities of the negative and the positive class, ``[N, 2]``, or of
            the positive one, ``[N, 1]``; float32 or float64.
        label (Variable): 0 or 1, ``[N, 1]``, int32 or int64.
        curve (str): only ``'ROC'``; PaddlePaddle takes ``'PR'`` and measures the same area.
        num_thresholds (int): the number of buckets less one. Default: 4095.
        topk (int): only 1 has a meaning here.
        slide_steps (int): over how many batches the second area goes; 0: over all. Default: 1.

    Returns:
        tuple: the area over all batches, the area over the last ``slide_steps`` batches, both
        float64 of ``[1]``, and the persistable counters ``[batch positive, batch negative,
        positive, negative]``, int64, which a test may set back to zeros.

    Raises:
        ValueError: shapes, dtypes, the curve or a number does not fit.
        NotImplementedError: ``curve='PR'`` or another ``topk``.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle
            paddle.enable_static()
            main, startup = paddle.static.Program(), paddle.static.Program()
            with paddle.static.program_guard(main, startup):
                p = paddle.static.data("p", [None, 2])
                y = paddle.static.data("y", [None, 1], "int64")
                area, batch_area, counters = paddle.static.auc(p, y)
            exe = paddle.static.Executor()
            exe.run(startup)
            feed = {"p": np.array([[.9, .1], [.2, .8]], "float32"), "y": np.array([[0], [1]])}
            print(exe.run(main, feed, [area])[0])  # [1.]
            paddle.disable_static()
    """
    layer = StaticLayer("auc", api="static.")
    layer.check("input", input, [2], ("float32", "float64"))
    layer.check("label", label, [2], INTS)
    if curve == "PR":
        raise NotImplementedError(
            f"{layer.api}(curve='PR'): not available; use 'ROC', which is what PaddlePaddle "
            "measures in either case."
        )
    if curve != "ROC":
        raise layer.wrong("curve", "'ROC'", curve)
    if topk != 1:
        raise NotImplementedError(
            f"{layer.api}(topk={topk!r}): only 1 has a meaning: the positive class's probability."
        )
    buckets = layer.count("num_thresholds", num_thresholds) + 1
    window = layer.count("slide_steps", slide_steps, least=0)
    # A window holds its batches one after another, their sum, and which batch is the next.
    sliding = [(1 + window) * buckets + 1] if window else [1, buckets]
    results = [layer.fresh(VarType.FP64, stop_gradient=True) for _ in range(2)]
    counters = [
        create_global_var(shape, 0, "int64", persistable=True, force_cpu=True)
        for shape in (sliding, sliding, [1, buckets], [1, buckets])
    ]
    parts = ((results[1], counters[:2], window), (results[0], counters[2:], 0))
    for result, (positive, negative), steps in parts:
        layer.append(
            "auc",
            {"Predict": input, "Label": label, "StatPos": positive, "StatNeg": negative},
            {"AUC": result, "StatPosOut": positive, "StatNegOut": negative},
            curve=curve,
            num_thresholds=buckets - 1,
            slide_steps=steps,
        )
    return results[0], results[1], counters


guard_module(globals())
