"""paddle.static.nn.data_norm: normalization by counts that training collects."""

from __future__ import annotations

import numbers
from typing import Any

from paddle.core.guards import guard_module
from paddle.framework.param_attr import ParamAttr
from paddle.ir.variable import Variable
from paddle.nn.initializer import Constant
from paddle.static.nn.helper import FLOATS, StaticLayer

__all__ = ["data_norm"]

# key in param_attr -> (end of the parameter's name, first value)
_STATISTICS = {
    "batch_size": ("batch_size", 1e4),
    "batch_sum": ("batch_sum", 0.0),
    "batch_square": ("batch_square_sum", 1e4),
}
_AFFINE = {"scale_w": ("scale_w", 1.0), "bias": ("bias", 0.0)}


def data_norm(
    input: Any,
    act: str | None = None,
    epsilon: float = 1e-05,
    param_attr: Any = None,
    data_layout: str = "NCHW",
    in_place: bool = False,
    name: str | None = None,
    moving_mean_name: str | None = None,
    moving_variance_name: str | None = None,
    do_model_average_for_mean_and_var: bool = True,
    slot_dim: int = -1,
    sync_stats: bool = False,
    summary_decay_rate: float = 0.9999999,
    enable_scale_and_shift: bool = False,
) -> Variable:
    r"""Adds a normalization of each column by counts over all batches so far.

    :math:`y = (x - sum / size) \sqrt{size / square}`, with three parameters of ``[C]``: ``size``
    (the number of rows seen), ``sum`` and ``square`` (the sum of squared distances). What takes the
    place of their gradients is what the batch adds to them; an optimizer has to treat them so.

    Args:
        input (Variable): ``[N, C]``, floating; C has to be known.
        act (str, optional): name of an activation.
        epsilon (float): part of what a batch adds to ``square``, in [0, 0.001]. Default: 1e-5.
        param_attr (dict, optional): first values: ``batch_size`` (1e4), ``batch_sum`` (0),
            ``batch_square`` (1e4), ``scale_w`` (1) and ``bias`` (0).
        data_layout (str): ``'NCHW'`` or ``'NHWC'``; the same for a matrix. Default: NCHW.
        in_place (bool): a hint to save memory; buffers are reused here anyway. Default: False.
        name (str, optional): the start of the parameters' names; None means ``dn``, so that layers
            without a name share their parameters, as in PaddlePaddle.
        moving_mean_name, moving_variance_name (str, optional): only None: there are no such values.
        do_model_average_for_mean_and_var (bool): whether averages over steps, such as
            ExponentialMovingAverage, include the three parameters. Default: True.
        slot_dim (int): the columns are slots of this many; the first column of a slot counts its
            shows and where it is 0 the slot gives 0. -1 means no slots. Default: -1.
        sync_stats (bool): kept in the Program: bring the counts of several devices together.
            Default: False.
        summary_decay_rate (float): kept in the Program: decay of counts so brought together.
        enable_scale_and_shift (bool): multiply by a weight and add a bias, each of ``[C]``.
            Default: False.

    Returns:
        Variable: of the input's shape.

    Raises:
        ValueError: rank, dtype, an unknown size, or a layout that does not exist.

    Examples:
        .. code-block:: python

            import paddle
            paddle.enable_static()
            main = paddle.static.Program()
            with paddle.static.program_guard(main, paddle.static.Program()):
                x = paddle.static.data("x", [None, 5])
                paddle.static.nn.data_norm(x, name="clicks")
            print([p.name for p in main.all_parameters()][0])  # clicks.batch_size
            paddle.disable_static()
    """
    layer = StaticLayer("data_norm", name)
    layer.check("input", input, [2], FLOATS)
    if data_layout not in ("NCHW", "NHWC"):
        raise layer.wrong("data_layout", "'NCHW' or 'NHWC'", data_layout)
    for argument, value in (
        ("moving_mean_name", moving_mean_name), ("moving_variance_name", moving_variance_name)
    ):  # fmt: skip
        if value is not None:
            raise NotImplementedError(
                f"{layer.api}({argument}): there is no moving statistic; the names of its "
                "parameters follow from name."
            )
    layer.flag("in_place", in_place)
    if isinstance(epsilon, bool) or not isinstance(epsilon, numbers.Real):
        raise TypeError(f"{layer.api}(epsilon): expected a float, but received {epsilon!r}.")
    if not 0.0 <= epsilon <= 0.001:
        raise layer.wrong("epsilon", "a number in [0, 0.001]", epsilon)
    affine = layer.flag("enable_scale_and_shift", enable_scale_and_shift)
    first = _first_values(layer, param_attr)
    shape = [layer.size(input, 1, "input")]
    start = "dn" if name is None else name
    average = do_model_average_for_mean_and_var

    def make(table: dict[str, tuple[str, float]], key: str, do_average: bool = True) -> Any:
        end, value = table[key]
        attr = ParamAttr(
            f"{start}.{end}", Constant(first.get(key, value)), do_model_average=do_average
        )
        return layer.parameter(attr, shape, input.dtype)

    inputs = {"X": input}
    if affine:
        inputs |= {key: make(_AFFINE, key) for key in _AFFINE}
    inputs["BatchSize"] = make(_STATISTICS, "batch_size", average)
    inputs["BatchSum"] = make(_STATISTICS, "batch_sum", average)
    inputs["BatchSquareSum"] = make(_STATISTICS, "batch_square", average)
    outputs = {s: layer.fresh(input.dtype, True, named=False) for s in ("Means", "Scales")}
    outputs["Y"] = layer.fresh(input.dtype, named=False)
    layer.append(
        "data_norm",
        inputs,
        outputs,
        epsilon=epsilon,
        data_layout=data_layout,
        slot_dim=layer.count("slot_dim", slot_dim, least=-1),
        sync_stats=layer.flag("sync_stats", sync_stats),
        summary_decay_rate=summary_decay_rate,
        enable_scale_and_shift=affine,
    )
    return layer.activate(outputs["Y"], act)


def _first_values(layer: StaticLayer, given: Any) -> dict[str, float]:
    known = {**_STATISTICS, **_AFFINE}
    if given is None or given == {}:
        return {}
    if not isinstance(given, dict):
        raise TypeError(
            f"{layer.api}(param_attr): expected a dict of first values, "
            f"but received {type(given).__name__}."
        )
    for key, value in given.items():
        if key not in known:
            raise layer.wrong("param_attr", f"keys among {list(known)}", key)
        if isinstance(value, bool) or not isinstance(value, numbers.Real):
            raise TypeError(
                f"{layer.api}(param_attr): expected a number for {key!r}, but received {value!r}."
            )
    return {key: float(value) for key, value in given.items()}


guard_module(globals())
