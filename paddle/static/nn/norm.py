"""Normalizations of paddle.static.nn: batch, layer, group, instance and spectral."""

from __future__ import annotations

import math
import numbers
import warnings
from typing import Any

from paddle.core.dtype import VarType
from paddle.core.guards import guard_module
from paddle.core.user_frame import outside
from paddle.ir.variable import Variable
from paddle.nn.initializer import Constant, Normal
from paddle.static.nn.helper import FLOATS, StaticLayer

__all__ = ["batch_norm", "group_norm", "instance_norm", "layer_norm", "spectral_norm"]


def _layout(layer: StaticLayer, data_layout: Any) -> int:
    """Checks data_layout and returns the axis of the channels."""
    if data_layout not in ("NCHW", "NHWC"):
        raise layer.wrong("data_layout", "'NCHW' or 'NHWC'", data_layout)
    return -1 if data_layout == "NHWC" else 1


def _epsilon(layer: StaticLayer, value: Any, argument: str = "epsilon") -> float:
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise TypeError(f"{layer.api}({argument}): expected a float, but received {value!r}.")
    if not float(value) >= 0:
        raise layer.wrong(argument, "a number >= 0", value)
    return float(value)


def kept_in(dtype: Any) -> Any:
    """What scale, shift and statistics are stored in: half precision is too coarse for them."""
    return VarType.FP32 if dtype in (VarType.FP16, VarType.BF16) else dtype


def batch_norm(
    input: Any,
    act: str | None = None,
    is_test: bool = False,
    momentum: Any = 0.9,
    epsilon: float = 1e-05,
    param_attr: Any = None,
    bias_attr: Any = None,
    data_layout: str = "NCHW",
    in_place: bool = False,
    name: str | None = None,
    moving_mean_name: str | None = None,
    moving_variance_name: str | None = None,
    do_model_average_for_mean_and_var: bool = True,
    use_global_stats: bool = False,
) -> Variable:
    r"""Adds a normalization of each channel over the batch.

    :math:`y = \gamma (x - \mu) / \sqrt{\sigma^2 + \epsilon} + \beta`. While training, mean and
    variance are those of the batch and the running ones become
    :math:`r \cdot momentum + v (1 - momentum)`; a Program made by ``clone(for_test=True)`` uses the
    running ones.

    Args:
        input (Variable): of 2 to 5 dimensions, floating; the number of channels has to be known.
        act (str, optional): name of an activation.
        is_test (bool): use the running statistics. Default: False.
        momentum (float|Variable): how much of the running statistics stays, possibly a Variable of
            one float32. Default: 0.9.
        epsilon (float): keeps the denominator from 0. Default: 1e-5.
        param_attr (ParamAttr, optional): the scale, ``[C]``, ones by default.
        bias_attr (ParamAttr, optional): the shift, ``[C]``, zeros by default.
        data_layout (str): ``'NCHW'``: channels are dimension 1; ``'NHWC'``: the last one.
        in_place (bool): a hint to save memory. Buffers are reused here wherever possible anyway,
            so it changes nothing. Default: False.
        name (str, optional): the layer's name.
        moving_mean_name (str, optional): name of the running mean; None makes a unique one.
        moving_variance_name (str, optional): name of the running variance.
        do_model_average_for_mean_and_var (bool): whether averages over models and steps, such as
            ExponentialMovingAverage, include the running statistics. Default: True.
        use_global_stats (bool): use the running statistics while training too. Default: False.

    Returns:
        Variable: of the input's shape and dtype.

    Raises:
        ValueError: rank, dtype or layout do not fit, or an attr is False.

    Examples:
        .. code-block:: python

            import paddle
            paddle.enable_static()
            main = paddle.static.Program()
            with paddle.static.program_guard(main, paddle.static.Program()):
                x = paddle.static.data("x", [None, 3, 8, 8])
                print(paddle.static.nn.batch_norm(x, act="relu").shape)  # (-1, 3, 8, 8)
            print(main.clone(for_test=True).global_block().ops[0].attr("is_test"))  # True
            paddle.disable_static()
    """
    layer = StaticLayer("batch_norm", name)
    layer.check("input", input, [2, 3, 4, 5], FLOATS)
    channels = layer.size(input, _layout(layer, data_layout), "input")
    attrs = {"epsilon": _epsilon(layer, epsilon), "data_layout": data_layout}
    attrs["is_test"] = layer.flag("is_test", is_test)
    attrs["use_global_stats"] = layer.flag("use_global_stats", use_global_stats)
    layer.flag("in_place", in_place)
    given = {} if not isinstance(momentum, Variable) else {"MomentumTensor": momentum}
    if not given:
        if isinstance(momentum, bool) or not isinstance(momentum, numbers.Real):
            raise TypeError(
                f"{layer.api}(momentum): expected a float or a Variable, "
                f"but received {type(momentum).__name__}."
            )
        attrs["momentum"] = float(momentum)
    kind, shape = kept_in(input.dtype), [channels]
    scale = layer.weight("param_attr", param_attr, shape, kind, Constant(1.0))
    shift = layer.weight("bias_attr", bias_attr, shape, kind, is_bias=True)
    average = do_model_average_for_mean_and_var
    mean = layer.state(moving_mean_name, shape, kind, 0.0, average)
    variance = layer.state(moving_variance_name, shape, kind, 1.0, average)
    inputs = {"X": input, "Scale": scale, "Bias": shift, "Mean": mean, "Variance": variance}
    outputs = {"MeanOut": mean, "VarianceOut": variance}
    for slot in ("SavedMean", "SavedVariance"):
        outputs[slot] = layer.fresh(kind, stop_gradient=True)
    if not is_test:
        outputs["ReserveSpace"] = layer.fresh(input.dtype, stop_gradient=True)
    outputs["Y"] = layer.fresh(input.dtype)
    layer.append("batch_norm", {**inputs, **given}, outputs, **attrs)
    return layer.activate(outputs["Y"], act)


def layer_norm(
    input: Any,
    scale: bool = True,
    shift: bool = True,
    begin_norm_axis: int = 1,
    epsilon: float = 1e-05,
    param_attr: Any = None,
    bias_attr: Any = None,
    act: str | None = None,
    name: str | None = None,
) -> Variable:
    r"""Adds a normalization of each sample over its last dimensions.

    :math:`y = g (x - \mu) / \sqrt{\sigma^2 + \epsilon} + b`, with mean and variance over the
    dimensions from ``begin_norm_axis`` on.

    Args:
        input (Variable): of at least two dimensions, floating.
        scale (bool): whether there is a scale g. Default: True.
        shift (bool): whether there is a shift b. Default: True.
        begin_norm_axis (int): the first dimension to normalize over. Default: 1.
        epsilon (float): keeps the denominator from 0. Default: 1e-5.
        param_attr (ParamAttr, optional): g, one flat list of numbers, ones by default.
        bias_attr (ParamAttr, optional): b, of the same length, zeros by default.
        act (str, optional): name of an activation.
        name (str, optional): the layer's name.

    Returns:
        Variable: of the input's shape and dtype.

    Raises:
        ValueError: the axis, dtype or rank does not fit, a size is unknown, or an attr is False
            though its parameter is asked for.

    Examples:
        .. code-block:: python

            import paddle
            paddle.enable_static()
            main = paddle.static.Program()
            with paddle.static.program_guard(main, paddle.static.Program()):
                x = paddle.static.data("x", [None, 4, 8])
                paddle.static.nn.layer_norm(x, begin_norm_axis=2)
            print([p.shape for p in main.all_parameters()])  # [(8,), (8,)]
            paddle.disable_static()
    """
    layer = StaticLayer("layer_norm", name)
    rank = len(layer.check("input", input, dtypes=FLOATS).shape)
    axis = layer.count("begin_norm_axis", begin_norm_axis)
    if axis >= rank:
        raise layer.wrong("begin_norm_axis", f"a number in [1, {rank - 1}]", begin_norm_axis)
    inputs, kind = {"X": input}, kept_in(input.dtype)
    asked = (("scale", scale, "Scale", "param_attr", param_attr),
             ("shift", shift, "Bias", "bias_attr", bias_attr))  # fmt: skip
    for argument, there, slot, named, attr in asked:
        if not layer.flag(argument, there):
            if attr:
                warnings.warn(
                    f"{layer.api}: {named} has no effect because {argument} is False.",
                    stacklevel=outside(),
                )
            continue
        size = math.prod(layer.size(input, i, "input") for i in range(axis, rank))
        first = Constant(1.0) if slot == "Scale" else None
        inputs[slot] = layer.weight(named, attr, [size], kind, first, slot == "Bias")
    outputs = {s: layer.fresh(kind, stop_gradient=True) for s in ("Mean", "Variance")}
    outputs["Y"] = layer.fresh(input.dtype)
    attrs = {"epsilon": _epsilon(layer, epsilon), "begin_norm_axis": axis}
    layer.append("layer_norm", inputs, outputs, **attrs)
    return layer.activate(outputs["Y"], act)


def group_norm(
    input: Any,
    groups: int,
    epsilon: float = 1e-05,
    param_attr: Any = None,
    bias_attr: Any = None,
    act: str | None = None,
    data_layout: str = "NCHW",
    name: str | None = None,
) -> Variable:
    r"""Adds a normalization of each sample over groups of channels.

    :math:`y = \gamma (x - \mu) / \sqrt{\sigma^2 + \epsilon} + \beta`, with mean and variance over
    the channels of a group and all positions.

    Args:
        input (Variable): of at least two dimensions, floating; the channels have to be known.
        groups (int): how many groups; divides the number of channels.
        epsilon (float): keeps the denominator from 0. Default: 1e-5.
        param_attr (ParamAttr|bool, optional): the scale, ``[C]``, ones by default. As in
            PaddlePaddle, None makes **no** scale; True makes one.
        bias_attr (ParamAttr|bool, optional): the shift, ``[C]``, zeros by default; None makes none.
        act (str, optional): name of an activation.
        data_layout (str): ``'NCHW'``: channels are dimension 1; ``'NHWC'``: the last one.
        name (str, optional): the layer's name.

    Returns:
        Variable: of the input's shape and dtype.

    Raises:
        ValueError: groups do not divide the channels, or rank, dtype or layout do not fit.

    Examples:
        .. code-block:: python

            import paddle
            paddle.enable_static()
            main = paddle.static.Program()
            with paddle.static.program_guard(main, paddle.static.Program()):
                x = paddle.static.data("x", [None, 8, 4, 4])
                paddle.static.nn.group_norm(x, groups=4, param_attr=True, bias_attr=True)
            print([p.shape for p in main.all_parameters()])  # [(8,), (8,)]
            paddle.disable_static()
    """
    layer = StaticLayer("group_norm", name)
    layer.check("input", input, [2, 3, 4, 5], FLOATS)
    channels = layer.size(input, _layout(layer, data_layout), "input")
    if channels % layer.count("groups", groups):
        raise layer.wrong("groups", f"a divisor of {channels} channels", groups)
    inputs, kind = {"X": input}, kept_in(input.dtype)
    if param_attr:
        inputs["Scale"] = layer.parameter(param_attr, [channels], kind, False, Constant(1.0))
    if bias_attr:
        inputs["Bias"] = layer.parameter(bias_attr, [channels], kind, True)
    outputs = {s: layer.fresh(kind, True, named=False) for s in ("Mean", "Variance")}
    outputs["Y"] = layer.fresh(input.dtype, named=False)
    attrs = {"epsilon": _epsilon(layer, epsilon), "groups": int(groups)}
    layer.append("group_norm", inputs, outputs, data_layout=data_layout, **attrs)
    return layer.activate(outputs["Y"], act)


def instance_norm(
    input: Any,
    epsilon: float = 1e-05,
    param_attr: Any = None,
    bias_attr: Any = None,
    name: str | None = None,
) -> Variable:
    r"""Adds a normalization of each channel of each sample.

    :math:`y = \gamma (x - \mu) / \sqrt{\sigma^2 + \epsilon} + \beta`, with mean and variance over
    the positions of one channel.

    Args:
        input (Variable): ``[N, C, ...]`` of 2 to 5 dimensions, floating; C has to be known.
        epsilon (float): keeps the denominator from 0. Default: 1e-5.
        param_attr (ParamAttr|bool, optional): the scale, ``[C]``, ones by default. As in
            PaddlePaddle, there are scale and shift only where **both** attrs are given; True will
            do.
        bias_attr (ParamAttr|bool, optional): the shift, ``[C]``, zeros by default.
        name (str, optional): the layer's name.

    Returns:
        Variable: of the input's shape and dtype.

    Raises:
        ValueError: rank or dtype does not fit, or only one of the attrs is False.

    Examples:
        .. code-block:: python

            import paddle
            paddle.enable_static()
            main = paddle.static.Program()
            with paddle.static.program_guard(main, paddle.static.Program()):
                x = paddle.static.data("x", [None, 3, 4, 4])
                paddle.static.nn.instance_norm(x, param_attr=True, bias_attr=True)
            print([p.shape for p in main.all_parameters()])  # [(3,), (3,)]
            paddle.disable_static()
    """
    layer = StaticLayer("instance_norm", name)
    layer.check("input", input, [2, 3, 4, 5], FLOATS)
    if param_attr is False and bias_attr is not False:
        raise layer.wrong("bias_attr", "False where param_attr is False", bias_attr)
    inputs, kind = {"X": input}, kept_in(input.dtype)
    if param_attr and bias_attr:
        shape = [layer.size(input, 1, "input")]
        inputs["Scale"] = layer.parameter(param_attr, shape, kind, False, Constant(1.0))
        inputs["Bias"] = layer.parameter(bias_attr, shape, kind, True)
    outputs = {s: layer.fresh(kind, stop_gradient=True) for s in ("SavedMean", "SavedVariance")}
    outputs["Y"] = layer.fresh(input.dtype)
    layer.append("instance_norm", inputs, outputs, epsilon=_epsilon(layer, epsilon))
    return outputs["Y"]


def spectral_norm(
    weight: Any, dim: int = 0, power_iters: int = 1, eps: float = 1e-12, name: str | None = None
) -> Variable:
    r"""Adds a division of a weight by its largest singular value, found by power iteration.

    With W the weight as a matrix whose rows run along ``dim``:
    :math:`v = W^T u / \|W^T u\|`, :math:`u = W v / \|W v\|`, ``power_iters`` times, then
    :math:`weight / (u^T W v)`.

    Args:
        weight (Variable): of at least two dimensions and of known sizes, float32 or float64.
        dim (int): the dimension of the outputs: 0 for fully connected layers of ``[out, in]`` and
            for convolutions, 1 for transposed convolutions. Default: 0.
        power_iters (int): number of iterations. Default: 1.
        eps (float): keeps the denominators from 0. Default: 1e-12.
        name (str, optional): the layer's name.

    Returns:
        Variable: of the weight's shape.

    Raises:
        ValueError: dim, power_iters, a size or the dtype does not fit.

    Examples:
        .. code-block:: python

            import paddle
            paddle.enable_static()
            with paddle.static.program_guard(paddle.static.Program(), paddle.static.Program()):
                w = paddle.static.create_parameter([2, 8, 3, 3], "float32")
                print(paddle.static.nn.spectral_norm(w, dim=1, power_iters=2).shape)
                # (2, 8, 3, 3)
            paddle.disable_static()
    """
    layer = StaticLayer("spectral_norm", name)
    layer.check("weight", weight, dtypes=("float32", "float64"))
    rank = len(weight.shape)
    if rank < 2:
        raise layer.wrong("weight", "at least 2 dimensions", list(weight.shape))
    if layer.count("dim", dim, least=0) >= rank:
        raise layer.wrong("dim", f"a dimension in [0, {rank - 1}]", dim)
    layer.count("power_iters", power_iters, least=0)
    sizes = [layer.size(weight, i, "weight") for i in range(rank)]
    rows = sizes[dim]
    u = layer.state(None, [rows], weight.dtype, Normal(0.0, 1.0))
    v = layer.state(None, [math.prod(sizes) // rows], weight.dtype, Normal(0.0, 1.0))
    out = layer.fresh(weight.dtype, named=False)
    layer.append(
        "spectral_norm",
        {"Weight": weight, "U": u, "V": v},
        {"Out": out},
        dim=int(dim),
        power_iters=int(power_iters),
        eps=_epsilon(layer, eps, "eps"),
    )
    return out


guard_module(globals())
