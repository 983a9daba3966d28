"""Losses that are more than one operator, or make parameters."""

from __future__ import annotations

from typing import Any

from paddle.core.dtype import VarType
from paddle.core.errors import InvalidArgumentError
from paddle.core.guards import guard_module
from paddle.fluid.layers import rows
from paddle.fluid.layers.common import API, both_modes, check_value
from paddle.incubate.layer_helper import LayerHelper
from paddle.static.nn.helper import StaticLayer
from paddle.static.nn.loss import cross_entropy as _cross_entropy
from paddle.static.nn.sampling import nce as _nce
from paddle.tensor.creation import full

__all__ = [
    "center_loss", "cross_entropy", "dice_loss", "hsigmoid", "mse_loss", "nce", "npair_loss",
    "sampled_softmax_with_cross_entropy", "softmax_with_cross_entropy", "square_error_cost",
]  # fmt: skip


@both_modes
def cross_entropy(
    input: Any, label: Any, soft_label: bool = False, ignore_index: int = -100
) -> Any:
    r"""The cross entropy of probabilities: :math:`-\log p_{label}` for each row.

    2.0's function of this name takes scores, and averages.

    Args:
        input (Variable): probabilities, ``[N, ..., C]``.
        label (Variable): classes, ``[N, ..., 1]`` or ``[N, ...]``; with ``soft_label``
            probabilities.
        soft_label (bool): labels are probabilities. Default: False.
        ignore_index (int): rows with this label count 0. Default: -100.

    Returns:
        Variable: ``[N, ..., 1]``, or ``[N, ...]`` beside such classes.

    Raises:
        ValueError: shapes or dtypes do not fit.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            p = fluid.layers.softmax(fluid.data("x", [None, 10]))
            label = fluid.data("label", [None, 1], "int64")
            print(fluid.layers.cross_entropy(p, label).name)  # cross_entropy2_0.tmp_0
            paddle.disable_static()
    """
    return _cross_entropy(input, label, soft_label, ignore_index)


def softmax_with_cross_entropy(
    logits: Any, label: Any, soft_label: bool = False, ignore_index: int = -100,
    numeric_stable_mode: bool = True, return_softmax: bool = False, axis: int = -1,
) -> Any:  # fmt: skip
    """The cross entropy of scores, for each row.

    Args:
        logits (Variable): scores.
        label (Variable): classes, of size 1 along ``axis``; with ``soft_label`` probabilities.
        soft_label (bool): labels are probabilities. Default: False.
        ignore_index (int): rows with this label count 0. Default: -100.
        numeric_stable_mode (bool): the numbers are the same either way. Default: True.
        return_softmax (bool): also return the probabilities. Default: False.
        axis (int): the dimension of the classes. Default: -1.

    Returns:
        Variable, or a pair with the probabilities.

    Raises:
        ValueError: shapes do not fit.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                x = fluid.data("x", [2, 3])
                label = fluid.data("label", [2, 1], "int64")
                print(fluid.layers.softmax_with_cross_entropy(x, label).shape)  # (2, 1)
    """
    helper = LayerHelper("softmax_with_cross_entropy")
    probabilities, loss = helper.call(
        "softmax_with_cross_entropy", logits, label, soft_label=bool(soft_label),
        ignore_index=ignore_index, numeric_stable_mode=bool(numeric_stable_mode), axis=axis,
    )  # fmt: skip
    return (loss, probabilities) if return_softmax else loss


def square_error_cost(input: Any, label: Any) -> Any:
    """The square of the difference, element by element.

    Args:
        input (Variable): predictions.
        label (Variable): of the same shape.

    Returns:
        Variable: of their shape.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            x = fluid.data("x", [None, 1])
            print(fluid.layers.square_error_cost(x, x).name)  # square_error_cost_0.tmp_1
            paddle.disable_static()
    """
    helper = LayerHelper("square_error_cost")
    return helper.call("square", helper.call("elementwise_sub", input, label))


def mse_loss(input: Any, label: Any) -> Any:
    """The mean of the squares of differences.

    Args:
        input (Variable): predictions.
        label (Variable): of the same shape.

    Returns:
        Variable: ``[1]``.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                x = fluid.data("x", [2, 3])
                y = fluid.data("y", [2, 3])
                print(fluid.layers.mse_loss(x, y).shape)  # (1,)
    """
    return rows.find("reduce_mean")(square_error_cost(input, label))


def dice_loss(input: Any, label: Any, epsilon: float = 1e-05, name: str | None = None) -> Any:
    """One minus the overlap of predicted and true regions, averaged over the samples.

    Args:
        input (Variable): probabilities, ``[N, ..., C]``.
        label (Variable): classes, ``[N, ..., 1]``.
        epsilon (float): keeps the denominator from 0. Default: 1e-5.
        name (str, optional): has no effect: the results are named after their operators.

    Returns:
        Variable: ``[1]``.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                score = fluid.data("score", [2, 1])
                label = fluid.data("label", [2, 1], "int64")
                print(fluid.layers.dice_loss(score, label).shape)  # (1,)
    """
    reduce_sum, reduce_mean = rows.find("reduce_sum"), rows.find("reduce_mean")
    label = LayerHelper("one_hot").call("one_hot", label, None, depth=input.shape[-1])
    rest = list(range(1, len(input.shape)))
    inside = reduce_sum(_math("elementwise_mul", input, label, axis=0), dim=rest)
    sizes = [reduce_sum(value, dim=rest) for value in (input, label)]
    both = _math("elementwise_add", *sizes, axis=0)
    top, bottom = _math("scale", inside, None, scale=2.0), _math("scale", both, None, bias=epsilon)
    score = _math("elementwise_div", top, bottom, axis=0)
    return reduce_mean(_math("scale", score, None, scale=-1.0, bias=1.0))


def _math(operator: str, *operands: Any, **attrs: Any) -> Any:
    """An operator as Python's arithmetic on Variables records it: its result is ``tmp_0``."""
    return LayerHelper("tmp", name="tmp").call(operator, *operands, **attrs)


def npair_loss(anchor: Any, positive: Any, labels: Any, l2_reg: float = 0.002) -> Any:
    """Cross entropy of the products of pairs, and a penalty on the length of the vectors.

    Args:
        anchor (Variable): ``[N, D]``.
        positive (Variable): ``[N, D]``, the partner of each anchor.
        labels (Variable): ``[N]``; equal labels belong together. N has to be known.
        l2_reg (float): the weight of the penalty. Default: 0.002.

    Returns:
        Variable: ``[1]``.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                x = fluid.data("x", [2, 3])
                y = fluid.data("y", [2, 3])
                one_label = fluid.data("one_label", [2])
                print(fluid.layers.npair_loss(x, y, one_label).shape)  # (1,)
    """
    find = rows.find
    reduce_sum, reduce_mean, square = find("reduce_sum"), find("reduce_mean"), find("square")
    count = labels.shape[0]
    labels = find("reshape")(labels, shape=[count, 1], inplace=True)
    labels = find("expand")(labels, expand_times=[1, count])
    same = find("equal")(labels, find("transpose")(labels, perm=[1, 0]))
    same = _math("cast", same, in_dtype=int(VarType.BOOL), out_dtype=int(VarType.FP32))
    same = _math("elementwise_div", same, reduce_sum(same, dim=1, keep_dim=True))
    lengths = [reduce_mean(reduce_sum(square(v), 1)) for v in (anchor, positive)]
    penalty = _math("elementwise_add", *lengths)
    penalty = _math("scale", _math("scale", penalty, None, scale=0.25), None, scale=l2_reg)
    products = find("matmul")(anchor, positive, transpose_x=False, transpose_y=True)
    entropy = softmax_with_cross_entropy(products, same, soft_label=True)
    weighted = reduce_sum(_math("elementwise_mul", same, entropy), 0)
    return _math("elementwise_add", penalty, reduce_mean(weighted))


@both_modes
def center_loss(
    input: Any, label: Any, num_classes: int, alpha: Any, param_attr: Any,
    update_center: bool = True,
) -> Any:  # fmt: skip
    """Half the squared distance of each row to the center of its class, which follows slowly.

    Args:
        input (Variable): features, ``[N, D]``; D has to be known.
        label (Variable): classes, ``[N, 1]``.
        num_classes (int): how many there are.
        alpha (float|Variable): how far the centers move.
        param_attr (ParamAttr): the centers, ``[num_classes, D]``.
        update_center (bool): whether they move. Default: True.

    Returns:
        Variable: ``[N, 1]``.

    Raises:
        ValueError: rank, dtype, or an unknown size.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                x = fluid.data("x", [2, 3])
                label = fluid.data("label", [2, 1], "int64")
                print(fluid.layers.center_loss(x, label, 5, 0.1, None).shape)  # (2, 1)
    """
    layer = StaticLayer("center_loss")
    layer.check("input", input, [2], ("float32", "float64"))
    layer.check("label", label, dtypes=("int32", "int64"))
    shape = [layer.count("num_classes", num_classes), layer.size(input, 1, "input")]
    centers = layer.weight("param_attr", param_attr, shape, input.dtype)
    centers.stop_gradient = True
    if isinstance(alpha, (int, float)):
        rate = _rate(layer, float(alpha), input.dtype)
    else:
        rate = layer.check("alpha", alpha)
    outputs = {"SampleCenterDiff": layer.fresh(input.dtype), "Loss": layer.fresh(input.dtype)}
    inputs = {"X": input, "Label": label, "Centers": centers, "CenterUpdateRate": rate}
    layer.append("center_loss", inputs, {"CentersOut": centers, **outputs},
                 cluster_num=num_classes, need_update=bool(update_center))  # fmt: skip
    return outputs["Loss"]


def _rate(layer: StaticLayer, alpha: float, dtype: Any) -> Any:
    """The rate as a persistable variable, which every run fills anew."""
    if layer.eager:
        return full([1], alpha, dtype)
    helper = LayerHelper("center_loss", name=layer.name)
    made = helper.create_variable(
        name="centerloss_alpha", shape=[1], dtype=VarType.FP32, persistable=True,
        stop_gradient=True,
    )  # fmt: skip
    layer.append("fill_constant", {}, {"Out": [made]}, shape=[1], dtype=int(VarType.FP32),
                 value=alpha)  # fmt: skip
    return made


@both_modes
def nce(
    input: Any, label: Any, num_total_classes: int, sample_weight: Any = None,
    param_attr: Any = None, bias_attr: Any = None, num_neg_samples: int | None = None,
    name: str | None = None, sampler: str = "uniform", custom_dist: Any = None, seed: int = 0,
    is_sparse: bool = False,
) -> Any:  # fmt: skip
    """Noise-contrastive estimation: a loss of the true classes and of a few drawn ones.

    Args:
        input (Variable): features, ``[N, D]``; D has to be known.
        label (Variable): true classes, ``[N, true classes]``, int64.
        num_total_classes (int): the number of classes.
        sample_weight (Variable, optional): a weight for each row, ``[N, 1]``.
        param_attr (ParamAttr, optional): the weight, ``[num_total_classes, D]``.
        bias_attr (ParamAttr|bool, optional): the bias; False means none.
        num_neg_samples (int, optional): how many are drawn; None means 10.
        name (str, optional): what parameters and results are named after.
        sampler (str): ``'uniform'``, ``'log_uniform'`` or ``'custom_dist'``. Default: uniform.
        custom_dist (list[float], optional): the probability of each class, for ``'custom_dist'``.
        seed (int): seed of the sampler; 0 means the Program's. Default: 0.
        is_sparse (bool): the weights' gradients are of the rows that occur. Default: False.

    Returns:
        Variable: ``[N, 1]``.

    Raises:
        ValueError: an unknown sampler, probabilities that do not fit, rank, dtype or size.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                x = fluid.data("x", [2, 3])
                label = fluid.data("label", [2, 1], "int64")
                print(fluid.layers.nce(x, label, num_total_classes=20).shape)  # (2, 1)
    """
    return _nce(input, label, num_total_classes, sample_weight, param_attr, bias_attr,
                num_neg_samples, name, sampler, custom_dist, seed, is_sparse)  # fmt: skip


@both_modes
def hsigmoid(
    input: Any, label: Any, num_classes: int, param_attr: Any = None, bias_attr: Any = None,
    name: str | None = None, path_table: Any = None, path_code: Any = None,
    is_custom: bool = False, is_sparse: bool = False,
) -> Any:  # fmt: skip
    """Softmax by the decisions along a path in a tree of classes.

    Args:
        input (Variable): features, ``[N, D]``; D has to be known.
        label (Variable): classes, ``[N, 1]``, int64.
        num_classes (int): how many; with ``is_custom`` the number of inner nodes.
        param_attr (ParamAttr, optional): the weight of the inner nodes.
        bias_attr (ParamAttr|bool, optional): their bias; False means none.
        name (str, optional): what parameters and results are named after.
        path_table (Variable, optional): the inner nodes on each sample's path, -1 behind.
        path_code (Variable, optional): the decision at each of them.
        is_custom (bool): the tree is given by the two. Default: False.
        is_sparse (bool): the weights' gradients are of the rows that occur. Default: False.

    Returns:
        Variable: ``[N, 1]``.

    Raises:
        ValueError: less than two classes, or a path that is missing or not wanted.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                x = fluid.data("x", [2, 3])
                label = fluid.data("label", [2, 1], "int64")
                print(fluid.layers.hsigmoid(x, label, num_classes=6).shape)  # (2, 1)
    """
    layer = StaticLayer("hsigmoid", name, prefix="hierarchical_sigmoid")
    layer.check("input", input, [2], ("float32", "float64"))
    layer.check("label", label, dtypes=("int64",))
    layer.count("num_classes", num_classes, least=1 if is_custom else 2)
    if is_custom and (path_table is None or path_code is None):
        raise layer.wrong("path_table", "path_table and path_code where is_custom is True", None)
    if not is_custom and (path_table is not None or path_code is not None):
        raise layer.wrong("path_table", "None where is_custom is False", path_table)
    if is_sparse and not is_custom:  # 1.8 does so, too
        is_sparse = False
    nodes = num_classes if is_custom else num_classes - 1
    weight = layer.weight(
        "param_attr", param_attr, [nodes, layer.size(input, 1, "input")], input.dtype
    )
    shift = layer.parameter(bias_attr, [nodes, 1], input.dtype, is_bias=True)
    inputs = {"X": input, "W": weight, "Label": label, "Bias": shift}
    inputs |= {"PathTable": path_table, "PathCode": path_code}
    outputs = {"Out": layer.fresh(input.dtype), "PreOut": layer.fresh(input.dtype)}
    layer.append(
        "hierarchical_sigmoid", {k: v for k, v in inputs.items() if v is not None},
        outputs, num_classes=num_classes, is_sparse=bool(is_sparse),
    )  # fmt: skip
    return outputs["Out"]


@both_modes
def sampled_softmax_with_cross_entropy(
    logits: Any, label: Any, num_samples: int, num_true: int = 1,
    remove_accidental_hits: bool = True, use_customized_samples: bool = False,
    customized_samples: Any = None, customized_probabilities: Any = None, seed: int = 0,
) -> Any:  # fmt: skip
    """The cross entropy over the true class and a few drawn ones.

    Args:
        logits (Variable): scores, ``[N, C]``.
        label (Variable): classes, ``[N, num_true]``, int64.
        num_samples (int): how many are drawn.
        num_true (int): how many of each row are true. Default: 1.
        remove_accidental_hits (bool): drawn classes that are true do not count. Default: True.
        use_customized_samples (bool): the classes are given. Default: False.
        customized_samples (Variable, optional): the true and drawn classes of each row.
        customized_probabilities (Variable, optional): the probability of each.
        seed (int): seed of the draw; 0 means the Program's. Default: 0.

    Returns:
        Variable: ``[N, 1]``.

    Raises:
        ValueError: given samples without their probabilities.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                logits = fluid.data("logits", [2, 20])
                label = fluid.data("label", [2, 1], "int64")
                out = fluid.layers.sampled_softmax_with_cross_entropy(logits, label, num_samples=5)
                print(out.shape)  # (2, 1)
    """
    api = "sampled_softmax_with_cross_entropy"
    check_value(api, "logits", logits)
    check_value(api, "label", label)
    given = (customized_samples, customized_probabilities)
    if use_customized_samples and None in [v if v is None else 1 for v in given]:
        raise InvalidArgumentError(
            f"{API}{api}(customized_samples): expected samples and their probabilities, "
            "but one of them is None."
        )
    layer = StaticLayer(api, prefix="sample_logits")
    outputs = _sampled(layer, logits, label, given if use_customized_samples else None, {
        "num_samples": num_samples, "use_customized_samples": bool(use_customized_samples),
        "uniq": True, "remove_accidental_hits": bool(remove_accidental_hits), "seed": seed,
    })  # fmt: skip
    loss, softmax = layer.fresh(logits.dtype), layer.fresh(logits.dtype)
    layer.append(
        "softmax_with_cross_entropy",
        {"Logits": outputs["SampledLogits"], "Label": outputs["marks"]},
        {"Softmax": softmax, "Loss": loss}, soft_label=True, numeric_stable_mode=False,
        ignore_index=0,
    )  # fmt: skip
    return _math("scale", loss, None, scale=1.0 / num_true)


def _sampled(layer: StaticLayer, logits: Any, label: Any, given: Any, attrs: dict) -> dict:
    """Calls sample_logits, and marks the true ones among the samples."""
    inputs, outputs = {"Logits": logits, "Labels": label}, {}
    for slot, at, dtype in (("Samples", 0, VarType.INT64), ("Probabilities", 1, logits.dtype)):
        outputs[slot] = layer.fresh(dtype, stop_gradient=True) if given is None else given[at]
    if given is not None:
        inputs |= {"CustomizedSamples": given[0], "CustomizedProbabilities": given[1]}
    outputs["SampledLogits"] = layer.fresh(logits.dtype)
    outputs["SampledLabels"] = layer.fresh(VarType.INT64, stop_gradient=True)
    marks = layer.fresh(VarType.FP32, stop_gradient=True)
    for slot in ("LogitsDim", "LabelsDim"):
        outputs[slot] = layer.fresh(logits.dtype, stop_gradient=True)
    layer.append("sample_logits", inputs, outputs, **attrs)
    layer.append(
        "one_hot", {"X": outputs["SampledLabels"]}, {"Out": marks}, depth=attrs["num_samples"] + 1
    )
    return {**outputs, "marks": marks}


guard_module(globals())
