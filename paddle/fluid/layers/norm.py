"""Normalization: of batches, layers, groups, instances, data, weights, vectors."""

from __future__ import annotations

from typing import Any

from paddle.core.errors import InvalidArgumentError
from paddle.core.guards import guard_module
from paddle.fluid.layers.common import both_modes, check_value, is_value
from paddle.incubate.layer_helper import LayerHelper
from paddle.nn.initializer import Constant
from paddle.static.nn import data_norm as _data_norm
from paddle.static.nn import norm
from paddle.static.nn.helper import FLOATS, StaticLayer

__all__ = [
    "batch_norm", "data_norm", "group_norm", "inplace_abn", "instance_norm", "l2_normalize",
    "layer_norm", "spectral_norm",
]  # fmt: skip


@both_modes
def batch_norm(
    input: Any, act: Any = None, is_test: bool = False, momentum: Any = 0.9,
    epsilon: float = 1e-05, param_attr: Any = None, bias_attr: Any = None,
    data_layout: str = "NCHW", in_place: bool = False, name: str | None = None,
    moving_mean_name: str | None = None, moving_variance_name: str | None = None,
    do_model_average_for_mean_and_var: bool = True, use_global_stats: bool = False,
) -> Any:  # fmt: skip
    r"""Each channel normalized over the batch.

    :math:`y = \gamma (x - \mu) / \sqrt{\sigma^2 + \epsilon} + \beta`

    Args:
        input (Variable): of 2 to 5 dimensions; the channels have to be known.
        act (str, optional): name of an activation.
        is_test (bool): use the running statistics. Default: False.
        momentum (float|Variable): how much of the running statistics stays. Default: 0.9.
        epsilon (float): keeps the denominator from 0. Default: 1e-5.
        param_attr (ParamAttr, optional): the scale, ones by default.
        bias_attr (ParamAttr, optional): the shift, zeros by default.
        data_layout (str): ``'NCHW'`` or ``'NHWC'``. Default: NCHW.
        in_place (bool): the result takes the input's variable. Default: False.
        name (str, optional): what parameters and results are named after.
        moving_mean_name (str, optional): name of the running mean.
        moving_variance_name (str, optional): name of the running variance.
        do_model_average_for_mean_and_var (bool): whether averages over steps include the running
            statistics. Default: True.
        use_global_stats (bool): use the running statistics while training too. Default: False.

    Returns:
        Variable: of the input's shape and dtype.

    Raises:
        ValueError: rank, dtype or layout do not fit.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            x = fluid.data("x", [None, 3, 8, 8])
            print(fluid.layers.batch_norm(x, act="relu").name)  # batch_norm_0.tmp_3
            paddle.disable_static()
    """
    layer = StaticLayer("batch_norm", name)
    made = _batch(layer, input, (is_test, momentum, epsilon, data_layout, use_global_stats),
                  param_attr, bias_attr, (moving_mean_name, moving_variance_name,
                  do_model_average_for_mean_and_var), input if in_place else None, {})  # fmt: skip
    return layer.activate(made, act)


@both_modes
def inplace_abn(
    input: Any, act: Any = None, is_test: bool = False, momentum: Any = 0.9,
    epsilon: float = 1e-05, param_attr: Any = None, bias_attr: Any = None,
    data_layout: str = "NCHW", name: str | None = None, moving_mean_name: str | None = None,
    moving_variance_name: str | None = None, do_model_average_for_mean_and_var: bool = True,
    use_global_stats: bool = False, act_alpha: float = 1.0,
) -> Any:  # fmt: skip
    """:func:`batch_norm` and an activation by one operator, in the input's own variable.

    Args:
        input (Variable): of 2 to 5 dimensions; the channels have to be known.
        act (str, optional): None, ``'identity'``, ``'leaky_relu'`` or ``'elu'``.
        is_test (bool): use the running statistics. Default: False.
        momentum (float|Variable): how much of the running statistics stays. Default: 0.9.
        epsilon (float): keeps the denominator from 0. Default: 1e-5.
        param_attr (ParamAttr, optional): the scale, ones by default.
        bias_attr (ParamAttr, optional): the shift, zeros by default.
        data_layout (str): ``'NCHW'`` or ``'NHWC'``. Default: NCHW.
        name (str, optional): what parameters and results are named after.
        moving_mean_name (str, optional): name of the running mean.
        moving_variance_name (str, optional): name of the running variance.
        do_model_average_for_mean_and_var (bool): whether averages over steps include the running
            statistics. Default: True.
        use_global_stats (bool): use the running statistics while training too. Default: False.
        act_alpha (float): the activation's parameter. Default: 1.0.

    Returns:
        Variable: the input's.

    Raises:
        ValueError: an activation that this operator cannot undo, rank, dtype or layout.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                image = fluid.data("image", [2, 8, 6, 6])
                print(fluid.layers.inplace_abn(image, act="leaky_relu").shape)  # (2, 8, 6, 6)
    """
    layer = StaticLayer("inplace_abn", name)
    if act not in (None, "identity", "leaky_relu", "elu"):
        raise layer.wrong("act", "None, 'identity', 'leaky_relu' or 'elu'", act)
    extra = {"activation": act, "alpha": float(act_alpha)} if act else {}
    return _batch(layer, input, (is_test, momentum, epsilon, data_layout, use_global_stats),
                  param_attr, bias_attr, (moving_mean_name, moving_variance_name,
                  do_model_average_for_mean_and_var), input, extra)  # fmt: skip


def _batch(
    layer: StaticLayer, input: Any, options: tuple, param_attr: Any, bias_attr: Any,
    moving: tuple, target: Any, extra: dict[str, Any],
) -> Any:  # fmt: skip
    """Parameters, statistics and the operator; the result is in ``target``, if there is one."""
    is_test, momentum, epsilon, layout, use_global_stats = options
    layer.check("input", input, [2, 3, 4, 5], FLOATS)
    if layout not in ("NCHW", "NHWC"):
        raise layer.wrong("data_layout", "'NCHW' or 'NHWC'", layout)
    shape = [layer.size(input, -1 if layout == "NHWC" else 1, "input")]
    kind = norm.kept_in(input.dtype)
    scale = layer.weight("param_attr", param_attr, shape, kind, Constant(1.0))
    shift = layer.weight("bias_attr", bias_attr, shape, kind, is_bias=True)
    mean = layer.state(moving[0], shape, kind, 0.0, moving[2])
    variance = layer.state(moving[1], shape, kind, 1.0, moving[2])
    inputs = {"X": input, "Scale": scale, "Bias": shift, "Mean": mean, "Variance": variance}
    attrs = {"epsilon": float(epsilon), "data_layout": layout, "is_test": bool(is_test)}
    attrs |= {"use_global_stats": bool(use_global_stats), **extra}
    if is_value(momentum):
        inputs["MomentumTensor"] = momentum
    else:
        attrs["momentum"] = float(momentum)
    outputs = {"MeanOut": mean, "VarianceOut": variance}
    for slot in ("SavedMean", "SavedVariance"):
        outputs[slot] = layer.fresh(kind, stop_gradient=True)
    outputs["Y"] = layer.fresh(input.dtype) if target is None else target
    layer.append(layer.kind, inputs, outputs, **attrs)
    return outputs["Y"]


@both_modes
def instance_norm(
    input: Any, epsilon: float = 1e-05, param_attr: Any = None, bias_attr: Any = None,
    name: str | None = None,
) -> Any:  # fmt: skip
    """Each channel of each sample normalized over its positions.

    Args:
        input (Variable): ``[N, C, ...]`` of 2 to 5 dimensions; C has to be known.
        epsilon (float): keeps the denominator from 0. Default: 1e-5.
        param_attr (ParamAttr, optional): the scale, ones by default.
        bias_attr (ParamAttr, optional): the shift, zeros by default.
        name (str, optional): what parameters and results are named after.

    Returns:
        Variable: of the input's shape and dtype.

    Raises:
        ValueError: an attr is False, or rank or dtype do not fit.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                image = fluid.data("image", [2, 8, 6, 6])
                print(fluid.layers.instance_norm(image).shape)  # (2, 8, 6, 6)
    """
    layer = StaticLayer("instance_norm", name)
    layer.check("input", input, [2, 3, 4, 5], FLOATS)
    shape, kind = [layer.size(input, 1, "input")], norm.kept_in(input.dtype)
    scale = layer.weight("param_attr", param_attr, shape, kind, Constant(1.0))
    shift = layer.weight("bias_attr", bias_attr, shape, kind, is_bias=True)
    outputs = {s: layer.fresh(kind, stop_gradient=True) for s in ("SavedMean", "SavedVariance")}
    outputs["Y"] = layer.fresh(input.dtype)
    inputs = {"X": input, "Scale": scale, "Bias": shift}
    layer.append("instance_norm", inputs, outputs, epsilon=float(epsilon))
    return outputs["Y"]


@both_modes
def layer_norm(
    input: Any, scale: bool = True, shift: bool = True, begin_norm_axis: int = 1,
    epsilon: float = 1e-05, param_attr: Any = None, bias_attr: Any = None, act: Any = None,
    name: str | None = None,
) -> Any:  # fmt: skip
    """Each sample normalized over its dimensions from ``begin_norm_axis`` on.

    Args:
        input (Variable): of at least two dimensions.
        scale (bool): whether there is a scale. Default: True.
        shift (bool): whether there is a shift. Default: True.
        begin_norm_axis (int): the first dimension to normalize over. Default: 1.
        epsilon (float): keeps the denominator from 0. Default: 1e-5.
        param_attr (ParamAttr, optional): the scale, ones by default.
        bias_attr (ParamAttr, optional): the shift, zeros by default.
        act (str, optional): name of an activation.
        name (str, optional): what parameters and results are named after.

    Returns:
        Variable: of the input's shape and dtype.

    Raises:
        ValueError: the axis, rank or dtype does not fit, or a size is not known.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                batch = fluid.data("batch", [2, 3, 4])
                print(fluid.layers.layer_norm(batch, begin_norm_axis=2).shape)  # (2, 3, 4)
    """
    return norm.layer_norm(
        input, scale, shift, begin_norm_axis, epsilon, param_attr, bias_attr, act, name
    )


@both_modes
def group_norm(
    input: Any, groups: int, epsilon: float = 1e-05, param_attr: Any = None,
    bias_attr: Any = None, act: Any = None, data_layout: str = "NCHW", name: str | None = None,
) -> Any:  # fmt: skip
    """Each sample normalized over groups of channels.

    Args:
        input (Variable): of at least two dimensions; the channels have to be known.
        groups (int): how many groups.
        epsilon (float): keeps the denominator from 0. Default: 1e-5.
        param_attr (ParamAttr, optional): the scale; as in 1.8, None makes none.
        bias_attr (ParamAttr, optional): the shift; as in 1.8, None makes none.
        act (str, optional): name of an activation.
        data_layout (str): ``'NCHW'`` or ``'NHWC'``. Default: NCHW.
        name (str, optional): what parameters and results are named after.

    Returns:
        Variable: of the input's shape and dtype.

    Raises:
        ValueError: groups do not divide the channels, or rank, dtype or layout do not fit.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                image = fluid.data("image", [2, 8, 6, 6])
                print(fluid.layers.group_norm(image, groups=4).shape)  # (2, 8, 6, 6)
    """
    return norm.group_norm(input, groups, epsilon, param_attr, bias_attr, act, data_layout, name)


@both_modes
def data_norm(
    input: Any, act: Any = None, epsilon: float = 1e-05, param_attr: Any = None,
    data_layout: str = "NCHW", in_place: bool = False, name: str | None = None,
    moving_mean_name: str | None = None, moving_variance_name: str | None = None,
    do_model_average_for_mean_and_var: bool = True, slot_dim: int = -1,
    sync_stats: bool = False, summary_decay_rate: float = 0.9999999,
    enable_scale_and_shift: bool = False,
) -> Any:  # fmt: skip
    """Each column normalized by sums that are counted along with training.

    Args:
        input (Variable): ``[N, C]``.
        act (str, optional): name of an activation.
        epsilon (float): keeps the denominator from 0. Default: 1e-5.
        param_attr (dict, optional): first values of ``batch_size``, ``batch_sum``,
            ``batch_square``, ``scale_w`` and ``bias``.
        data_layout (str): ``'NCHW'`` or ``'NHWC'``; the same for a matrix. Default: NCHW.
        in_place (bool): a hint to save memory. Default: False.
        name (str, optional): the start of the parameters' names; None: ``dn``.
        moving_mean_name (str, optional): only None.
        moving_variance_name (str, optional): only None.
        do_model_average_for_mean_and_var (bool): whether averages over steps include the sums.
            Default: True.
        slot_dim (int): the columns are slots of this many; -1: no slots. Default: -1.
        sync_stats (bool): kept in the Program. Default: False.
        summary_decay_rate (float): kept in the Program.
        enable_scale_and_shift (bool): a weight and a bias besides. Default: False.

    Returns:
        Variable: of the input's shape.

    Raises:
        ValueError: rank, dtype, an unknown size, or a layout that does not exist.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                x = fluid.data("x", [2, 3])
                print(fluid.layers.data_norm(x).shape)  # (2, 3)
    """
    return _data_norm(
        input, act, epsilon, param_attr, data_layout, in_place, name, moving_mean_name,
        moving_variance_name, do_model_average_for_mean_and_var, slot_dim, sync_stats,
        summary_decay_rate, enable_scale_and_shift,
    )  # fmt: skip


@both_modes
def spectral_norm(
    weight: Any, dim: int = 0, power_iters: int = 1, eps: float = 1e-12, name: str | None = None
) -> Any:
    """A weight divided by its largest singular value, found by power iteration.

    Args:
        weight (Variable): of at least two dimensions and of known sizes.
        dim (int): the dimension of the outputs. Default: 0.
        power_iters (int): how many iterations. Default: 1.
        eps (float): keeps denominators from 0. Default: 1e-12.
        name (str, optional): what parameters and results are named after.

    Returns:
        Variable: of the weight's shape.

    Raises:
        ValueError: rank, dtype or an unknown size.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                weight = fluid.data("weight", [4, 5])
                print(fluid.layers.spectral_norm(weight, power_iters=2).shape)  # (4, 5)
    """
    return norm.spectral_norm(weight, dim, power_iters, eps, name)


def l2_normalize(x: Any, axis: int, epsilon: float = 1e-12, name: str | None = None) -> Any:
    r"""Vectors divided by their length: :math:`x / \sqrt{\sum x^2 + \epsilon}`.

    Args:
        x (Variable): floating.
        axis (int): the dimension along which the vectors lie; of one dimension: 0.
        epsilon (float): keeps the denominator from 0. Default: 1e-12.
        name (str, optional): what the results are named after.

    Returns:
        Variable: of the shape of x.

    Raises:
        ValueError: no such dimension.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            x = fluid.data("x", [None, 3])
            print(fluid.layers.l2_normalize(x, axis=1).shape)  # (-1, 3)
            paddle.disable_static()
    """
    rank = len(check_value("l2_normalize", "x", x).shape)
    if not -rank <= axis < rank:
        raise InvalidArgumentError(
            f"fluid.layers.l2_normalize(axis): expected a number in [{-rank}, {rank}), "
            f"but received {axis}."
        )
    axis = 0 if rank == 1 else axis
    helper = LayerHelper("l2_normalize", name=name)
    return helper.call("norm", x, axis=axis, epsilon=float(epsilon))[0]


guard_module(globals())
