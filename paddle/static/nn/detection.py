"""paddle.static.nn.multi_box_head: the predictions of a single-shot detector (SSD)."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from typing import Any

from paddle.core.guards import guard_module
from paddle.ir.variable import Variable
from paddle.static.nn.conv import conv2d
from paddle.static.nn.helper import FLOATS, StaticLayer

__all__ = ["multi_box_head"]


def multi_box_head(
    inputs: Any,
    image: Any,
    base_size: int,
    num_classes: int,
    aspect_ratios: Any,
    min_ratio: int | None = None,
    max_ratio: int | None = None,
    min_sizes: Any = None,
    max_sizes: Any = None,
    steps: Any = None,
    step_w: Any = None,
    step_h: Any = None,
    offset: float = 0.5,
    variance: Any = [0.1, 0.1, 0.2, 0.2],  # noqa: B006  # never changed
    flip: bool = True,
    clip: bool = False,
    kernel_size: Any = 1,
    pad: Any = 0,
    stride: Any = 1,
    name: str | None = None,
    min_max_aspect_ratios_order: bool = False,
) -> tuple[Variable, Variable, Variable, Variable]:
    r"""Adds prior boxes, and convolutions that predict offsets and classes for each of them.

    With more than two feature maps and without ``min_sizes``, sizes come from ratios: the first map
    has boxes of 10 % to 20 % of ``base_size``; the others share the range from ``min_ratio`` to
    ``max_ratio`` percent in equal steps.

    Args:
        inputs (Variable|list[Variable]): feature maps, each ``[N, C, H, W]``.
        image (Variable): what the boxes lie on, ``[N, 3, H, W]``.
        base_size (int): the size that ratios refer to.
        num_classes (int): the number of classes, with the background.
        aspect_ratios (list): for each map one ratio of width to height, or a list of them.
        min_ratio, max_ratio (int, optional): percent of ``base_size``.
        min_sizes, max_sizes (list, optional): for each map a size, or a list; an entry ``[]`` of
            ``max_sizes`` leaves the larger square out.
        steps (list[float], optional): for each map the distance of the boxes; replaces both
            ``step_w`` and ``step_h``. Without any: image size over map size.
        step_w, step_h (list[float], optional): the distances in both directions.
        offset (float): where the box lies in its cell. Default: 0.5.
        variance (list[float]): units of the offsets that are predicted.
        flip (bool): add the reciprocal of each ratio. Default: True.
        clip (bool): keep boxes inside of the image. Default: False.
        kernel_size, pad, stride (int|list[int]): of the convolutions. Default: 1, 0, 1.
        name (str, optional): the layer's name.
        min_max_aspect_ratios_order (bool): order of the boxes of a cell: smallest, largest, then
            the others. Default: False.

    Returns:
        tuple: offsets ``[N, boxes, 4]``, class scores ``[N, boxes, num_classes]``, boxes
        ``[boxes, 4]`` and variances ``[boxes, 4]``. As in PaddlePaddle, a single map gives them as
        its layers do: ``[N, boxes * 4]``, ``[N, boxes * num_classes]``, ``[H, W, boxes of a cell,
        4]`` twice.

    Raises:
        ValueError: lists of the wrong length, sizes and ratios missing, wrong rank or dtype.

    Examples:
        .. code-block:: python

            import paddle
            paddle.enable_static()
            with paddle.static.program_guard(paddle.static.Program(), paddle.static.Program()):
                image = paddle.static.data("image", [None, 3, 64, 64])
                maps = [paddle.static.data(f"map{n}", [None, 8, n, n]) for n in (8, 4, 2)]
                offsets, scores, boxes, variances = paddle.static.nn.multi_box_head(
                    maps, image, base_size=64, num_classes=5, aspect_ratios=[[2.0]] * 3,
                    min_ratio=20, max_ratio=90)
                print(offsets.shape, scores.shape, boxes.shape)
                # (-1, -1, 4) (-1, -1, 5) (336, 4)
            paddle.disable_static()
    """
    layer = StaticLayer("multi_box_head", name)
    listed = list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
    for value in listed or [None]:
        layer.check("inputs", value, [4], FLOATS)
    layer.check("image", image, [4], FLOATS)
    layer.count("num_classes", num_classes)
    if min_sizes is None:
        ratios = (min_ratio, max_ratio)
        min_sizes, max_sizes = _sizes(layer, len(listed), base_size, *ratios)
    per_map = {"aspect_ratios": aspect_ratios, "min_sizes": min_sizes, "max_sizes": max_sizes}
    per_map |= {"steps": steps, "step_w": step_w, "step_h": step_h}
    for argument, value in per_map.items():
        _check_list(layer, argument, value, len(listed), argument in ("aspect_ratios", "min_sizes"))
    variances = _numbers(layer, "variance", variance)
    if len(variances) != 4:
        raise layer.wrong("variance", "4 numbers", variance)
    offsets: list[Variable] = []
    scores: list[Variable] = []
    boxes, spreads = [], []
    for i, value in enumerate(listed):
        most = max_sizes[i] if max_sizes else None
        box, spread = StaticLayer("prior_box").call(
            "prior_box",
            value,
            image,
            min_sizes=_numbers(layer, "min_sizes", min_sizes[i]),
            max_sizes=_numbers(layer, "max_sizes", most),
            aspect_ratios=_numbers(layer, "aspect_ratios", aspect_ratios[i]),
            variances=variances,
            flip=layer.flag("flip", flip),
            clip=layer.flag("clip", clip),
            step_w=float((steps or step_w or [0.0] * (i + 1))[i]),
            step_h=float((steps or step_h or [0.0] * (i + 1))[i]),
            offset=float(offset),
            min_max_aspect_ratios_order=min_max_aspect_ratios_order,
        )
        boxes.append(box)
        spreads.append(spread)
        for found, width in ((offsets, 4), (scores, num_classes)):
            filters = box.shape[2] * width
            seen = conv2d(value, filters, kernel_size, padding=pad, stride=stride)
            found.append(_flat(seen))
    if len(listed) == 1:
        return offsets[0], scores[0], boxes[0], spreads[0]
    places = [(_rows(box), _rows(spread)) for box, spread in zip(boxes, spreads, strict=True)]
    all_boxes = StaticLayer("concat").call("concat", [box for box, _ in places], axis=0)
    all_spreads = StaticLayer("concat").call("concat", [spread for _, spread in places], axis=0)
    for found in (all_boxes, all_spreads):
        found.stop_gradient = True
    return _joined(offsets, 4), _joined(scores, num_classes), all_boxes, all_spreads


def _flat(x: Variable) -> Variable:
    """One row for each sample, its predictions position by position."""
    moved = StaticLayer("transpose").call("transpose2", x, axis=[0, 2, 3, 1])[0]
    return StaticLayer("flatten").call("flatten2", moved, axis=1)[0]


def _rows(boxes: Variable) -> Variable:
    """One row for each box."""
    return StaticLayer("flatten").call("flatten2", boxes, axis=3)[0]


def _joined(parts: list[Variable], width: int) -> Variable:
    """The predictions of all maps, as one row for each box."""
    whole = StaticLayer("concat").call("concat", parts, axis=1)
    return StaticLayer("reshape2").call("reshape2", whole, shape=[0, -1, width])[0]


def _sizes(
    layer: StaticLayer, maps: int, base: Any, low: Any, high: Any
) -> tuple[list[float], list[float]]:
    """Sizes of boxes from ratios: the more maps, the finer the steps."""
    if maps <= 2:
        raise layer.wrong(
            "min_sizes", f"sizes for {maps} feature maps; ratios need more than 2 of them", None
        )
    low, high = layer.count("min_ratio", low, 0), layer.count("max_ratio", high, 0)
    step = (high - low) // (maps - 2)
    if step < 1:
        raise layer.wrong("max_ratio", f"at least {low + maps - 2}", high)
    ratios = list(range(low, high + 1, step))[: maps - 1]
    least = [base * 0.10, *(base * r / 100.0 for r in ratios)]
    return least, [base * 0.20, *(base * (r + step) / 100.0 for r in ratios)]


def _check_list(layer: StaticLayer, argument: str, value: Any, maps: int, needed: bool) -> None:
    if value is None and not needed:
        return
    if not isinstance(value, (list, tuple)):
        raise TypeError(
            f"{layer.api}({argument}): expected a list with an entry for each of {maps} feature "
            f"maps, but received {type(value).__name__}."
        )
    if len(value) != maps:
        raise layer.wrong(argument, f"a list of {maps} entries, one for each feature map", value)


def _numbers(layer: StaticLayer, argument: str, value: Any) -> list[float]:
    """A number, a list of them, or nothing, as a list of floats."""
    if value is None:
        return []
    listed: Sequence[Any] = value if isinstance(value, (list, tuple)) else [value]
    for item in listed:
        if isinstance(item, bool) or not isinstance(item, numbers.Real):
            raise TypeError(f"{layer.api}({argument}): expected numbers, but received {item!r}.")
    return [float(item) for item in listed]


guard_module(globals())
