"""`fluid.nets`: a group of layers in one call becomes the calls of the single layers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from .calls import CallEdit, Stays, call, code, expression
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
