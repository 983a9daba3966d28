"""`fluid.nets`: a group of layers in one call becomes the calls of the single layers."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import libcst as cst

from .calls import MISSING, CallEdit, Stays, call, code, expression, literal
from .handlers import handler

if TYPE_CHECKING:
    from .places import Place

_POOL = ("pool_size", "pool_stride", "pool_padding", "pool_type", "global_pooling")


def _by_keyword(edit: CallEdit, in_place: tuple[str, ...], new: dict[str, str]) -> None:
    """Give by keyword what does not stand where the new function wants it."""
    for index, name in enumerate(list(edit.names)):
        positional = edit.args[index].keyword is None
        if not positional or name not in in_place or index != in_place.index(name):
            edit.rename(name, new.get(name, name))


@handler
def sequence_conv_pool(edit: CallEdit, place: Place) -> cst.BaseExpression:
    """A `sequence_conv`, by default with a sigmoid, and a `sequence_pool`."""
    kind = edit.get("pool_type") or expression('"max"')
    edit.drop("pool_type")
    _by_keyword(edit, ("input", "num_filters", "filter_size"), {})
    if "act" not in edit.names:
        edit.add("act", '"sigmoid"')
    return call(
        "paddle.static.nn.sequence_pool", edit.build("paddle.static.nn.sequence_conv"), kind
    )


@handler
def img_conv_pool(edit: CallEdit, place: Place) -> cst.BaseExpression:
    """A `conv2d` and a pooling of its kind."""
    kind = edit.literal("pool_type", "max")
    if kind not in ("max", "avg"):
        raise Stays(f"pool_type {kind!r} is not known")
    everywhere = edit.literal("global_pooling", False)
    given = {name: edit.get(name) for name in _POOL}
    for name in (*_POOL, "use_cudnn"):
        edit.drop(name)
    new = {f"conv_{name}": name for name in ("stride", "padding", "dilation", "groups")}
    _by_keyword(edit, ("input", "num_filters", "filter_size"), new)
    made = edit.build("paddle.static.nn.conv2d")
    if everywhere:
        return call(f"paddle.nn.functional.adaptive_{kind}_pool2d", made, "output_size=1")
    size, stride, padding = (given[name] for name in _POOL[:3])
    if size is None or stride is None:
        raise Stays("has no pool_size or no pool_stride")
    more = [f"stride={code(stride)}"]
    if padding is not None:
        more.append(f"padding={code(padding)}")
    return call(f"paddle.nn.functional.{kind}_pool2d", made, size, *more)


# What `img_conv_group` takes once for all convolutions, or in a list with one for each.
_EACH = {
    "conv_padding": "1", "conv_filter_size": "3", "param_attr": "None",
    "conv_with_batchnorm": "False", "conv_batchnorm_drop_rate": "0.0",
}  # fmt: skip


@handler
def img_conv_group(edit: CallEdit, place: Place) -> cst.BaseExpression:
    """Convolutions, each with a normalization and a dropout if wanted, and a pooling.

    As many calls as a literal `conv_num_filter` has numbers; a loop in front where it is none.
    """
    kind = edit.literal("pool_type", "max")
    size, image, counts = (edit.get(n) for n in ("pool_size", "input", "conv_num_filter"))
    if kind not in ("max", "avg") or size is None or image is None or counts is None:
        raise Stays("write the convolutions and the pooling one by one")
    if place.mode != "static":
        raise Stays("makes its parameters at each call: write layers for dynamic mode")
    if "#" in code(edit.node):
        raise Stays("comments in the call would be lost; write the layers one by one")
    if isinstance(counts, (cst.List, cst.Tuple)) and all(
        isinstance(element, cst.Element) for element in counts.elements
    ):
        made = image
        many = len(counts.elements)
        given = {name: _for_each(edit, name, many) for name in _EACH}
        for index, element in enumerate(counts.elements):
            one = {name: values[index] for name, values in given.items()}
            made = _convolutions(edit, made, element.value, one)[-1]
    else:
        made = _in_a_loop(edit, place, image, counts)
    stride = edit.get("pool_stride")
    more = f"stride={code(stride) if stride is not None else 1}"
    return call(f"paddle.nn.functional.{kind}_pool2d", made, size, more)


def _for_each(edit: CallEdit, name: str, many: int) -> list[cst.BaseExpression]:
    """Return an argument for each convolution."""
    node = edit.get(name)
    if node is None:
        return [expression(_EACH[name])] * max(many, 1)
    if isinstance(node, (cst.List, cst.Tuple)):
        elements = [element.value for element in node.elements]
        if many and len(elements) != many:
            raise Stays(f"{name} and conv_num_filter differ in length")
        if many:
            return elements
    attr = name == "param_attr" and isinstance(node, cst.Call)
    if not attr and (literal(node) is MISSING or isinstance(literal(node), (list, tuple))):
        raise Stays(f"{name}={code(node)} may be one for all convolutions or a list for each")
    return [node] * max(many, 1)


def _convolutions(
    edit: CallEdit, x: cst.BaseExpression, count: Any, one: dict[str, cst.BaseExpression]
) -> list[cst.BaseExpression]:
    """Return a convolution of `x`, then the same with the layers behind it around it."""
    normed, rate = literal(one["conv_with_batchnorm"]), literal(one["conv_batchnorm_drop_rate"])
    if MISSING in (normed, rate):
        raise Stays("conv_with_batchnorm and conv_batchnorm_drop_rate have to be literals")
    act = edit.get("conv_act")
    acts = [f"act={code(act)}"] if act is not None and literal(act) is not None else []
    more = [f"padding={code(one['conv_padding'])}"]
    if literal(one["param_attr"]) is not None:
        more.append(f"param_attr={code(one['param_attr'])}")
    if not normed:
        more += acts
    made: list[cst.BaseExpression] = [
        call("paddle.static.nn.conv2d", x, count, one["conv_filter_size"], *more)
    ]
    if normed:
        made.append(call("paddle.static.nn.batch_norm", made[-1], *acts))
        if abs(rate) > 1e-5:
            mode = 'mode="downscale_in_infer"'
            made.append(call("paddle.nn.functional.dropout", made[-1], f"p={rate}", mode))
    return made


def _in_a_loop(
    edit: CallEdit, place: Place, image: cst.BaseExpression, counts: cst.BaseExpression
) -> cst.BaseExpression:
    """Write the convolutions as a loop in front of the statement; return their result's name."""
    target = place.assigned_to()
    count = place.unused_name("filters", "num_filters", "conv_filters")
    others = [code(a.value) for a, name in zip(edit.args, edit.names) if name != "input"]
    again = any(re.search(rf"\b{target}\b", text) for text in others)
    if not target.isidentifier() or not count or again:
        raise Stays("write a loop of convolutions, assigned to one name, and the pooling behind it")
    one = {name: _for_each(edit, name, 0)[0] for name in _EACH}
    x = cst.Name(target)
    lines = [] if code(image) == target else [f"{target} = {code(image)}"]
    lines.append(f"for {count} in {code(counts)}:")
    layers = _convolutions(edit, x, cst.Name(count), one)
    inner: cst.BaseExpression | None = None
    for layer in layers:  # a line for each: the layer before is the name it was assigned to
        assert isinstance(layer, cst.Call)
        step = layer
        if inner is not None:
            step = layer.with_changes(args=[layer.args[0].with_changes(value=x), *layer.args[1:]])
        lines.append(f"{place.unit}{target} = {code(step)}")
        inner = layer
    if not place.insert_before(lines):
        raise Stays("write the convolutions as a statement of their own")
    return x
