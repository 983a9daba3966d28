"""Calls that need more than arguments moved: each function rewrites one kind of call.

They get the call's `CallEdit` and a `Place` that says where it stands; they return the new tree,
or raise `Stays` with what the user should write.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import libcst as cst

from .calls import MISSING, CallEdit, Stays, call, code, literal

if TYPE_CHECKING:
    from .places import Place

F = "paddle.nn.functional."
Handler = Callable[[CallEdit, "Place"], cst.BaseExpression]
HANDLERS: dict[str, Handler] = {}


def handler(function: Handler) -> Handler:
    """Register a function under its name."""
    HANDLERS[function.__name__] = function
    return function


def _dims(edit: CallEdit) -> str:
    return "3d" if edit.rule.old.endswith("3d") else "2d"


# ----------------------------------------------------------------- layers
@handler
def data(edit: CallEdit, place: Place) -> cst.BaseExpression:
    """`layers.data` puts the batch in front unless some size is unknown already."""
    if edit.literal("stop_gradient", True) is not True or edit.get("type") is not None:
        raise Stays("static.data has no stop_gradient and no type; set x.stop_gradient afterwards")
    batch = edit.literal("append_batch_size", True)
    shape = edit.get("shape")
    if batch and shape is not None:
        if not isinstance(shape, (cst.List, cst.Tuple)):
            raise Stays(
                "a shape that is not a literal: write paddle.static.data with [None] + shape"
            )
        sizes = [place.number(element.value) for element in shape.elements]
        if any(size is None and literal(element.value) is MISSING
               for size, element in zip(sizes, shape.elements)):  # fmt: skip
            raise Stays(
                "a shape that is not a literal: write paddle.static.data with [None] + shape"
            )
        if all(size is not None and size >= 0 for size in sizes):
            first = cst.Element(cst.Name("None"))
            if shape.elements:
                space = cst.SimpleWhitespace(" ")
                first = first.with_changes(comma=cst.Comma(whitespace_after=space))
            elements = [first, *shape.elements]
            if isinstance(shape, cst.Tuple) and len(elements) > 1:
                elements[-1] = elements[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
            edit.set("shape", shape.with_changes(elements=elements))
    for name in ("append_batch_size", "stop_gradient"):
        edit.drop(name)
    for index, name in enumerate(edit.names):
        if edit.args[index].keyword is None and index > 1:
            edit.rename(name, name)
    return edit.build("paddle.static.data")


@handler
def embedding(edit: CallEdit, place: Place) -> cst.BaseExpression:
    """`layers.embedding` drops the trailing 1 of the ids."""
    ids = edit.get("input")
    if ids is None:
        raise Stays("has no input")
    if not place.levels:
        edit.set("input", call("paddle.squeeze", ids, "axis=[-1]"))
    elif isinstance(ids, cst.Name):  # the levels that the ids may have pass through a reshape
        edit.set("input", call("paddle.reshape", ids, f"{code(ids)}.shape[:-1]"))
    else:
        raise Stays(
            "the ids may have levels, which paddle.squeeze would drop; write fluid.embedding "
            "for ids without the trailing 1"
        )
    return edit.build("paddle.static.nn.embedding")


@handler
def one_hot(edit: CallEdit, place: Place) -> cst.BaseExpression:
    """`layers.one_hot` drops the trailing 1 of its input."""
    if place.levels:
        raise Stays("the input may have levels, which paddle.squeeze would drop")
    ids = edit.get("input")
    if ids is None:
        raise Stays("has no input")
    edit.set("input", call("paddle.squeeze", ids, "axis=[-1]"))
    edit.move()
    return edit.build(F + "one_hot")


@handler
def dropout(edit: CallEdit, place: Place) -> cst.BaseExpression:
    """1.x scales by 1 - p in the test; in dynamic mode it asks whether the model trains."""
    training = ""
    if place.mode == "static":
        test = edit.get("is_test")
        if test is not None:
            value = literal(test)
            if value is MISSING:
                text = code(test)
                training = f"not {text}" if text.isidentifier() else f"not ({text})"
            elif value:
                training = "False"
    elif place.layer_self:
        training = f"{place.layer_self}.training"
        if edit.literal("is_test", False):
            training = "False" if place.mode != "dynamic" else training
    else:
        raise Stays(
            "whether it drops depends on the model's train() in dynamic mode; write training="
        )
    if edit.get("seed") is not None and edit.literal("seed") is not None:
        raise Stays("2.0's dropout takes no seed; call paddle.seed")
    mode = edit.literal("dropout_implementation", "downgrade_in_infer")
    for name in ("is_test", "seed", "name", "dropout_implementation"):
        edit.drop(name)
    for name, new in (("x", "x"), ("dropout_prob", "p")):
        index = edit.names.index(name) if name in edit.names else -1
        if index < 0:
            raise Stays(f"has no {name}")
        if edit.args[index].keyword is not None or index != ("x", "dropout_prob").index(name):
            edit.rename(name, new)
    if training:
        edit.add("training", training)
    if mode == "downgrade_in_infer":
        edit.add("mode", '"downscale_in_infer"')
    return edit.build(F + "dropout")


@handler
def flatten(edit: CallEdit, place: Place) -> cst.BaseExpression:
    """1.x flattens to two dimensions, around `axis`."""
    if edit.literal("axis", 1) != 1:
        raise Stays("flattens both sides of axis; write paddle.reshape")
    axis = "axis" in edit.names
    if axis:
        edit.drop("axis")
    edit.drop("name")
    edit.add("start_axis", "1")
    return edit.build("paddle.flatten")


@handler
def gather(edit: CallEdit, place: Place) -> cst.BaseExpression:
    """The gradient of repeated rows is overwritten in 1.x, added in 2.0."""
    if edit.literal("overwrite", True):
        raise Stays(
            "the gradient of a row that is taken twice counts once here; paddle.gather(x, "
            "index) adds: write that if no index repeats"
        )
    edit.drop("overwrite")
    edit.move()
    return edit.build("paddle.gather")


@handler
def over_all(edit: CallEdit, place: Place) -> cst.BaseExpression:
    """1.x asks about all elements at once."""
    function = edit.rule.old.rpartition(".")[2]
    inner, outer = {
        "has_inf": ("paddle.isinf", "paddle.any"),
        "has_nan": ("paddle.isnan", "paddle.any"),
        "isfinite": ("paddle.isfinite", "paddle.all"),
    }[function]
    return call(outer, edit.build(inner))


@handler
def resize(edit: CallEdit, place: Place) -> cst.BaseExpression:
    """1.x aligns corners unless told otherwise; the kind is in the name or in `resample`."""
    name = edit.rule.old.rpartition(".")[2]
    kind = {"resize_bilinear": "bilinear", "resize_nearest": "nearest",
            "resize_trilinear": "trilinear"}.get(name)  # fmt: skip
    if kind is None:
        kind = str(edit.literal("resample", "BILINEAR")).lower()
        edit.drop("resample")
    align = edit.literal("align_corners", True)
    if kind == "nearest" and align:
        raise Stays(
            "paddle.nn.functional.interpolate aligns no corners in mode nearest; write "
            "align_corners=False if that serves"
        )
    if edit.get("actual_shape") is not None and edit.literal("actual_shape") is not None:
        raise Stays("actual_shape: give size as a Tensor")
    if edit.get("scale") is not None and edit.literal("scale") is not None and not align:
        if edit.literal("scale") != int(edit.literal("scale")):
            raise Stays(
                "with a broken scale and no aligned corners the two compute other places; give "
                "out_shape"
            )
    edit.drop("actual_shape")
    edit.drop("name")
    for old, new in (("out_shape", "size"), ("scale", "scale_factor")):
        value = edit.get(old)
        if value is not None and literal(value) is None:
            edit.drop(old)
        elif value is not None:
            edit.rename(old, new)
    for index, param in enumerate(edit.names):
        if param == "input":
            if edit.args[index].keyword is not None:
                edit.rename("input", "x")
        elif edit.args[index].keyword is None:
            edit.rename(param, param)
    edit.add("mode", f'"{kind}"')
    if kind != "nearest":
        if "align_corners" not in edit.names:
            edit.add("align_corners", "True")
        if "align_mode" not in edit.names and kind in ("bilinear", "trilinear", "linear"):
            edit.add("align_mode", "1")
    if kind == "trilinear" and "data_format" not in edit.names:
        edit.add("data_format", '"NCDHW"')
    return edit.build(F + "interpolate")


@handler
def argsort(edit: CallEdit, place: Place) -> cst.BaseExpression:
    """1.x gives the sorted values too."""
    x = edit.get("input")
    if not isinstance(x, cst.Name):
        raise Stays(
            "gives values and indices; write paddle.sort(x, ...) and paddle.argsort(x, ...)"
        )
    edit.move()
    comma = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
    both = [cst.Element(edit.build("paddle.sort"), comma),
            cst.Element(edit.build("paddle.argsort"))]  # fmt: skip
    return cst.Tuple(both, lpar=[cst.LeftParen()], rpar=[cst.RightParen()])


@handler
def crop(edit: CallEdit, place: Place) -> cst.BaseExpression:
    """1.x takes the sizes of a Variable given as shape; 2.0 takes its values."""
    if edit.literal("shape") is None:
        raise Stays("2.0 wants a shape")
    edit.drop("name")
    return edit.build("paddle.crop")


@handler
def meshgrid(edit: CallEdit, place: Place) -> cst.BaseExpression:
    """2.0 takes any number of Tensors, or a list, by place only."""
    edit.drop("name")
    if edit.args[0].keyword is not None:
        edit.args[0] = edit.args[0].with_changes(keyword=None, equal=cst.MaybeSentinel.DEFAULT)
    return edit.build("paddle.meshgrid")


@handler
def matmul(edit: CallEdit, place: Place) -> cst.BaseExpression:
    """`alpha` becomes a scale of the result."""
    alpha = edit.get("alpha")
    if alpha is not None and literal(alpha) not in (1, 1.0):
        edit.drop("alpha")
        edit.move()
        return call("paddle.scale", edit.build("paddle.matmul"), alpha)
    edit.move()
    return edit.build("paddle.matmul")


@handler
def mul(edit: CallEdit, place: Place) -> cst.BaseExpression:
    """1.x flattens x behind its first dimension."""
    if edit.literal("x_num_col_dims", 1) != 1 or edit.literal("y_num_col_dims", 1) != 1:
        raise Stays("flattens around num_col_dims; write paddle.reshape and paddle.matmul")
    x = edit.get("x")
    if x is None:
        raise Stays("has no x")
    edit.set("x", call("paddle.flatten", x, "start_axis=1"))
    edit.move()
    return edit.build("paddle.matmul")


@handler
def pad2d(edit: CallEdit, place: Place) -> cst.BaseExpression:
    """1.x counts top, bottom, left, right; 2.0 left, right, top, bottom."""
    pads = edit.literal("paddings", [0, 0, 0, 0])
    mode = edit.literal("mode", "constant")
    if not isinstance(pads, (list, tuple)) or len(pads) != 4:
        raise Stays("write paddings as a list of four numbers: left, right, top, bottom")
    for name in ("name", "mode"):
        edit.drop(name)
    top, bottom, left, right = pads
    new = f"[{left}, {right}, {top}, {bottom}]"
    if "paddings" in edit.names:
        edit.set("paddings", new)
        edit.rename("paddings", "pad")
    else:
        edit.add("pad", new)
    for index, param in enumerate(list(edit.names)):
        new_name = {"input": "x", "pad_value": "value", "data_format": "data_format"}.get(param)
        if new_name and (index or edit.args[index].keyword is not None):
            edit.rename(param, new_name)
    if mode != "constant":
        edit.add("mode", '"replicate"' if mode == "edge" else f'"{mode}"')
    return edit.build(F + "pad")


@handler
def reshape(edit: CallEdit, place: Place) -> cst.BaseExpression:
    """`inplace` gives the operand the new shape as well."""
    if edit.literal("inplace", False):
        x = edit.get("x")
        if x is None or place.assigned_to() != code(x):
            raise Stays(
                "inplace=True gives x the new shape too; write x = paddle.reshape(x, shape)"
            )
    edit.drop("inplace")
    edit.move()
    return edit.build("paddle.reshape")


@handler
def smooth_l1(edit: CallEdit, place: Place) -> cst.BaseExpression:
    """1.x sums each row, and with sigma it is sigma² times the other form."""
    for name in ("inside_weight", "outside_weight"):
        if edit.get(name) is not None and edit.literal(name) is not None:
            raise Stays(
                f"{name}: multiply before and after, write "
                "paddle.nn.functional.smooth_l1_loss(..., reduction='none')"
            )
        edit.drop(name)
    sigma = edit.literal("sigma", None)
    edit.drop("sigma")
    for old, new in (("x", "input"), ("y", "label")):
        if edit.args[edit.names.index(old)].keyword is not None:
            edit.rename(old, new)
    edit.add("reduction", '"none"')
    if sigma not in (None, 1, 1.0):
        edit.add("delta", f"1.0 / {sigma * sigma}")
    inner = edit.build(F + "smooth_l1_loss")
    rows = call("paddle.flatten", inner, "start_axis=1")
    total = call("paddle.sum", rows, "axis=1", "keepdim=True")
    return total if sigma in (None, 1, 1.0) else call("paddle.scale", total, f"{sigma * sigma}")


# ---------------------------------------------------------------- pooling
def _pooling(edit: CallEdit, functions: dict[str, str], x: str | None) -> cst.BaseExpression:
    kind = edit.literal("pool_type", "max")
    everywhere = edit.literal("global_pooling", False)
    form = edit.literal("data_format", None)
    if kind not in ("max", "avg"):
        raise Stays(f"pool_type {kind!r} is not known")
    for name in ("pool_type", "global_pooling", "use_cudnn", "name"):
        edit.drop(name)
    if everywhere:
        for name in ("pool_size", "pool_stride", "pool_padding", "ceil_mode", "exclusive"):
            edit.drop(name)
        if form not in (None, "NCHW", "NCDHW"):
            raise Stays(
                "global pooling of channels last: write paddle.mean or paddle.max over the places"
            )
        edit.drop("data_format")
        if x and edit.args[0].keyword is not None:
            edit.rename(x, "x")
        edit.add("output_size", "1")
        return edit.build(functions["global_" + kind])
    if edit.get("pool_size") is None:
        raise Stays("has no pool_size")
    if kind == "max":
        edit.drop("exclusive")
    elif edit.literal("ceil_mode", False) and not edit.literal("exclusive", True):
        raise Stays(
            "with ceil_mode, 1.8 divides the last sums by the whole window, 2.0 by its part"
        )
    for index, name in enumerate(list(edit.names)):
        new = {
            x: "x",
            "pool_size": "kernel_size",
            "pool_stride": "stride",
            "pool_padding": "padding",
        }
        to = new.get(name, name)
        in_place = (index == (1 if x else 0) and name == "pool_size") or (name == x and not index)
        if edit.args[index].keyword is not None or not in_place:
            edit.rename(name, to)
    if "pool_stride" not in edit.names:
        edit.add("stride", "1")
    return edit.build(functions[kind])


@handler
def pool(edit: CallEdit, place: Place) -> cst.BaseExpression:
    """`pool2d` and `pool3d`: the kind and the whole picture are arguments in 1.x."""
    dims = _dims(edit)
    return _pooling(edit, {
        "max": f"{F}max_pool{dims}", "avg": f"{F}avg_pool{dims}",
        "global_max": f"{F}adaptive_max_pool{dims}", "global_avg": f"{F}adaptive_avg_pool{dims}",
    }, "input")  # fmt: skip


@handler
def pool_layer(edit: CallEdit, place: Place) -> cst.BaseExpression:
    """`Pool2D` is four classes in 2.0."""
    return _pooling(edit, {
        "max": "paddle.nn.MaxPool2D", "avg": "paddle.nn.AvgPool2D",
        "global_max": "paddle.nn.AdaptiveMaxPool2D", "global_avg": "paddle.nn.AdaptiveAvgPool2D",
    }, None)  # fmt: skip


@handler
def adaptive_pool(edit: CallEdit, place: Place) -> cst.BaseExpression:
    """The kind is an argument in 1.x."""
    kind = edit.literal("pool_type", "max")
    if kind not in ("max", "avg") or edit.literal("require_index", False):
        raise Stays("write adaptive_max_pool with return_mask=True")
    for name in ("pool_type", "require_index", "name"):
        edit.drop(name)
    for index, (name, new) in enumerate((("input", "x"), ("pool_size", "output_size"))):
        if edit.args[index].keyword is not None:
            edit.rename(name, new)
    return edit.build(f"{F}adaptive_{kind}_pool{_dims(edit)}")
