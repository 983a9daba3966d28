"""Layers of paddle.static.nn over many classes or tags: nce, crf_decoding."""

from __future__ import annotations

import numbers
from collections import deque
from collections.abc import Sequence
from typing import Any

import numpy as np

from paddle.core.dtype import dtype_name
from paddle.core.errors import NotFoundError
from paddle.core.guards import guard_module
from paddle.framework.param_attr import ParamAttr
from paddle.ir.current import default_main_program
from paddle.ir.variable import Parameter, Variable
from paddle.nn.initializer import Assign
from paddle.static.nn.helper import StaticLayer

__all__ = ["crf_decoding", "nce"]

_SAMPLERS = {"uniform": 0, "log_uniform": 1, "custom_dist": 2}


def nce(
    input: Any,
    label: Any,
    num_total_classes: int,
    sample_weight: Any = None,
    param_attr: Any = None,
    bias_attr: Any = None,
    num_neg_samples: int | None = None,
    name: str | None = None,
    sampler: str = "uniform",
    custom_dist: list[float] | None = None,
    seed: int = 0,
    is_sparse: bool = False,
) -> Variable:
    r"""Adds noise-contrastive estimation: a loss that looks at the true and a few drawn classes.

    With :math:`o = \sigma(w_c \cdot x + b_c)`, k the number of drawn classes and q the sampler's
    probability: :math:`-\log \frac{o}{o + k q}` for true classes and
    :math:`-\log \frac{k q}{o + k q}` for drawn ones, summed and divided by k + 1.

    Args:
        input (Variable): features, ``[N, D]``, float32 or float64; D has to be known.
        label (Variable): true classes, ``[N, true classes]``, int64.
        num_total_classes (int): the number of classes.
        sample_weight (Variable, optional): a weight for each row, ``[N, 1]``.
        param_attr (ParamAttr, optional): the weight, ``[num_total_classes, D]``.
        bias_attr (ParamAttr|bool, optional): the bias, ``[num_total_classes, 1]``; False means
            none.
        num_neg_samples (int, optional): k. None means 10.
        name (str, optional): the layer's name.
        sampler (str): ``'uniform'``, ``'log_uniform'`` or ``'custom_dist'``. Default: uniform.
        custom_dist (list[float], optional): the probability of each class, for ``'custom_dist'``.
        seed (int): seed of the sampler; 0 means the Program's. Default: 0.
        is_sparse (bool): kept in the Program; gradients are dense here, with equal results.

    Returns:
        Variable: the loss of each row, ``[N, 1]``.

    Raises:
        ValueError: an unknown sampler, probabilities that do not fit, rank, dtype or size.

    Examples:
        .. code-block:: python

            import paddle
            paddle.enable_static()
            with paddle.static.program_guard(paddle.static.Program(), paddle.static.Program()):
                x = paddle.static.data("x", [None, 16])
                y = paddle.static.data("y", [None, 1], "int64")
                loss = paddle.static.nn.nce(x, y, num_total_classes=1000, num_neg_samples=5)
                print(loss.shape)  # (-1, 1)
            paddle.disable_static()
    """
    layer = StaticLayer("nce", name)
    layer.check("input", input, [2], ("float32", "float64"))
    layer.check("label", label, [1, 2], ("int64",))
    if sample_weight is not None:
        layer.check("sample_weight", sample_weight, [1, 2], (dtype_name(input.dtype),))
    total = layer.count("num_total_classes", num_total_classes)
    drawn = 10 if num_neg_samples is None else layer.count("num_neg_samples", num_neg_samples)
    if sampler not in _SAMPLERS:
        raise layer.wrong("sampler", f"one of {list(_SAMPLERS)}", sampler)
    shape = [total, layer.size(input, 1, "input")]
    weight = layer.weight("param_attr", param_attr, shape, input.dtype)
    bias = layer.parameter(bias_attr, [total, 1], input.dtype, is_bias=True)
    inputs = {"Input": input, "Label": label, "Weight": weight, "Bias": bias}
    inputs["SampleWeight"] = sample_weight
    outputs: dict[str, Any] = {
        "Cost": layer.fresh(input.dtype),
        "SampleLogits": layer.fresh(input.dtype, stop_gradient=True),
        "SampleLabels": layer.fresh(label.dtype, stop_gradient=True),
    }
    if sampler == "custom_dist":
        inputs |= _distribution(layer, custom_dist, total)
    layer.append(
        "nce",
        inputs,
        outputs,
        num_total_classes=total,
        num_neg_samples=drawn,
        sampler=_SAMPLERS[sampler],
        seed=layer.count("seed", seed, least=0),
        is_sparse=layer.flag("is_sparse", is_sparse),
    )
    return outputs["Cost"] / (drawn + 1)


def _distribution(layer: StaticLayer, given: Any, total: int) -> dict[str, Any]:
    """The three constant variables that describe the sampler's own distribution."""
    if given is None or isinstance(given, (str, Variable)) or not hasattr(given, "__len__"):
        raise TypeError(
            f"{layer.api}(custom_dist): expected a list of {total} probabilities for sampler "
            f"'custom_dist', but received {type(given).__name__}."
        )
    chances = [float(p) for p in given if isinstance(p, numbers.Real)]
    if len(chances) != total or len(given) != total or min(chances) < 0:
        raise layer.wrong("custom_dist", f"{total} probabilities >= 0", list(given))
    if abs(sum(chances) - 1.0) > 1e-3:
        raise layer.wrong("custom_dist", "probabilities that add up to 1", sum(chances))
    alias, keep = _alias_table(chances)

    def constant(values: Sequence[float], dtype: str) -> Any:
        return layer.state(None, [total], dtype, Assign(np.asarray(values, dtype)))

    return {
        "CustomDistProbs": constant(chances, "float32"),
        "CustomDistAlias": constant(alias, "int32"),
        "CustomDistAliasProbs": constant(keep, "float32"),
    }


def _alias_table(chances: list[float]) -> tuple[list[int], list[float]]:
    """Walker's method: column i gives class i with chance ``keep[i]``, else class ``alias[i]``."""
    height = [p * len(chances) for p in chances]
    small = deque(i for i, h in enumerate(height) if h < 1.0)
    large = deque(i for i, h in enumerate(height) if h > 1.0)
    alias, keep = [-1] * len(chances), [1.0] * len(chances)
    while small and large:
        low, high = small.popleft(), large.popleft()
        alias[low], keep[low] = high, height[low]
        height[high] += height[low] - 1.0
        if height[high] < 1.0:
            small.append(high)
        elif height[high] > 1.0:
            large.append(high)
    return alias, keep


def crf_decoding(input: Any, param_attr: Any, label: Any = None, length: Any = None) -> Variable:
    """Adds the search for the best tags of each sequence under a conditional random field.

    Args:
        input (Variable): scores of the tags, padded sequences ``[N, steps, tags]``, or rows with a
            level of sequences ``[rows, tags]``, float32 or float64.
        param_attr (ParamAttr): names the transitions, ``[tags + 2, tags]``, a parameter that exists
            already, usually that of ``linear_chain_crf``.
        label (Variable, optional): true tags, ``[N, steps]`` or ``[N, steps, 1]``, int64; then the
            result says where they are right.
        length (Variable, optional): the lengths, ``[N]`` or ``[N, 1]``, int64; None means that all
            sequences are as long as the batch.

    Returns:
        Variable: ``[N, steps]``, or ``[rows, 1]`` with the levels, int64: the best tags, or 1 where
        the label is one of them and 0 elsewhere; 0 behind the end of a padded sequence.

    Raises:
        RuntimeError: there is no parameter of that name.
        ValueError: rank, dtype or number of tags does not fit.

    Examples:
        .. code-block:: python

            import paddle
            paddle.enable_static()
            with paddle.static.program_guard(paddle.static.Program(), paddle.static.Program()):
                scores = paddle.static.data("scores", [None, 7, 4])
                length = paddle.static.data("length", [None, 1], "int64")
                paddle.static.create_parameter([6, 4], "float32", name="transitions")
                path = paddle.static.nn.crf_decoding(
                    scores, paddle.ParamAttr(name="transitions"), length=length)
                print(path.shape)  # (-1, 7)
            paddle.disable_static()
    """
    layer = StaticLayer("crf_decoding")
    rows = length is None and bool(getattr(input, "lod_level", 0))
    layer.check("input", input, [2, 3] if rows else [3], ("float32", "float64"))
    if label is not None:
        layer.check("label", label, [2, 3], ("int64",))
    if length is not None:
        layer.check("length", length, [1, 2], ("int64",))
    attr = ParamAttr._to_attr(param_attr)
    name = getattr(attr, "name", None)
    if name is None:
        raise layer.wrong("param_attr", "a ParamAttr with the name of a parameter", param_attr)
    found = default_main_program().global_block().vars.get(name)
    if not isinstance(found, Parameter):
        raise NotFoundError(
            f"{layer.api}(param_attr): the Program has no parameter {name!r}.",
            hint="make it first, by linear_chain_crf or paddle.static.create_parameter",
        )
    tags = input.shape[-1]
    if tags >= 0 and found.shape != (tags + 2, tags):
        raise layer.wrong(
            "param_attr", f"a parameter of shape {[tags + 2, tags]}", list(found.shape)
        )
    out = layer.fresh("int64", stop_gradient=True)
    inputs = {"Emission": input, "Transition": found, "Label": label, "Length": length}
    layer.append("crf_decoding", inputs, {"ViterbiPath": out})
    return out


guard_module(globals())
