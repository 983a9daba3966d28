"""Layers that pool regions of feature maps."""

from __future__ import annotations

from typing import Any

from paddle.core.errors import InvalidArgumentError
from paddle.core.guards import guard_module
from paddle.incubate.layer_helper import LayerHelper

__all__ = ["deformable_roi_pooling", "roi_align", "roi_pool"]


def _pair(api: str, argument: str, value: Any) -> list[int]:
    found = list(value) if isinstance(value, (list, tuple)) else [value]
    if len(found) != 2 or any(not isinstance(n, int) for n in found):
        raise InvalidArgumentError(f"{api}({argument}): expected 2 numbers, but received {value}.")
    return found


def roi_pool(
    input: Any, rois: Any, pooled_height: int = 1, pooled_width: int = 1,
    spatial_scale: float = 1.0, rois_lod: Any = None, name: str | None = None, *,
    rois_num: Any = None,
) -> Any:  # fmt: skip
    """Gives the greatest value of each bin of each region, https://arxiv.org/abs/1504.08083.

    Args:
        input (Variable): feature maps [N, C, H, W].
        rois (Variable): regions [count, 4]; which image has which says a level, or:
        pooled_height, pooled_width (int): bins of a region. Default: 1.
        spatial_scale (float): size of the map to size of the image. Default: 1.0.
        rois_lod (Variable, optional): where the regions of each image begin, and the last ends.
        name (str, optional): the layer's name, in 2.0.
        rois_num (Variable, optional): int32: how many regions each image has, in 2.0.

    Returns:
        Variable: [count, C, pooled_height, pooled_width].

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                image = fluid.data("image", [2, 8, 6, 6])
                rois = fluid.data("rois", [None, 4], lod_level=1)
                print(fluid.layers.roi_pool(image, rois, 2, 2).shape)  # (-1, 8, 2, 2)
    """
    return LayerHelper("roi_pool", name=name).call(
        "roi_pool", input, rois, rois_num, rois_lod, pooled_height=pooled_height,
        pooled_width=pooled_width, spatial_scale=spatial_scale
    )[0]  # fmt: skip


def roi_align(
    input: Any, rois: Any, pooled_height: int = 1, pooled_width: int = 1,
    spatial_scale: float = 1.0, sampling_ratio: int = -1, name: Any = None, rois_lod: Any = None,
    *, rois_num: Any = None,
) -> Any:  # fmt: skip
    """Gives means of interpolated points of each region, https://arxiv.org/abs/1703.06870.

    Args:
        input (Variable): feature maps [N, C, H, W].
        rois (Variable): regions [count, 4]; which image has which says a level, or:
        pooled_height, pooled_width (int): bins of a region. Default: 1.
        spatial_scale (float): size of the map to size of the image. Default: 1.0.
        sampling_ratio (int): points along a side of a bin; below 1: as many as it has pixels.
        name (str, optional): the layer's name; at this place 2.0 has ``rois_num``, then ``name``.
        rois_lod (Variable, optional): where the regions of each image begin, and the last ends.
        rois_num (Variable, optional): int32: how many regions each image has, in 2.0.

    Returns:
        Variable: [count, C, pooled_height, pooled_width].

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                image = fluid.data("image", [2, 8, 6, 6])
                rois = fluid.data("rois", [None, 4], lod_level=1)
                print(fluid.layers.roi_align(image, rois, 2, 2).shape)  # (-1, 8, 2, 2)
    """
    if name is not None and not isinstance(name, str):  # 2.0: rois_num, name
        rois_num, name, rois_lod = name, rois_lod, None
    return LayerHelper("roi_align", name=name).call(
        "roi_align", input, rois, rois_num, rois_lod, pooled_height=pooled_height,
        pooled_width=pooled_width, spatial_scale=spatial_scale, sampling_ratio=sampling_ratio
    )  # fmt: skip


def deformable_roi_pooling(
    input: Any, rois: Any, trans: Any, no_trans: bool = False, spatial_scale: float = 1.0,
    group_size: Any = (1, 1), pooled_height: int = 1, pooled_width: int = 1, part_size: Any = None,
    sample_per_part: int = 1, trans_std: float = 0.1, position_sensitive: bool = False,
    name: str | None = None,
) -> Any:  # fmt: skip
    """Pools regions whose bins are moved by offsets that are learned.

    Args:
        input (Variable): feature maps [N, C, H, W].
        rois (Variable): regions [count, 4] with a level for the images.
        trans (Variable): offsets [count, 2, bins down, bins across].
        no_trans (bool): leave bins where they are. Default: False.
        spatial_scale (float): size of the map to size of the image. Default: 1.0.
        group_size (list[int]): groups of channels down and across. Default: [1, 1].
        pooled_height, pooled_width (int): bins of a region. Default: 1.
        part_size (list[int], optional): offsets down and across; None: one for each bin.
        sample_per_part (int): points along a side of a bin. Default: 1.
        trans_std (float): what the offsets are multiplied by. Default: 0.1.
        position_sensitive (bool): each bin has channels of its own. Default: False.
        name (str, optional): the layer's name.

    Returns:
        Variable: [count, channels, pooled_height, pooled_width]; with ``position_sensitive`` the
        channels are shared among the groups.

    Raises:
        ValueError: ``group_size`` or ``part_size`` are not two numbers.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                image = fluid.data("image", [2, 8, 6, 6])
                rois = fluid.data("rois", [None, 4], lod_level=1)
                trans = fluid.data("trans", [None, 2, 2, 2])
                out = fluid.layers.deformable_roi_pooling(
                    image, rois, trans, pooled_height=2, pooled_width=2)
                print(out.shape)  # (-1, 8, 2, 2)
    """
    api = "deformable_roi_pooling"
    group = _pair(api, "group_size", group_size)
    part = [pooled_height, pooled_width] if part_size is None else _pair(
        api, "part_size", part_size
    )  # fmt: skip
    depth = input.shape[1] // (group[0] * group[1]) if position_sensitive else input.shape[1]
    return LayerHelper("deformable_psroi_pooling", name=name).call(
        "deformable_psroi_pooling", input, rois, trans, no_trans=no_trans,
        spatial_scale=spatial_scale, output_dim=depth, group_size=group,
        pooled_height=pooled_height, pooled_width=pooled_width, part_size=part,
        sample_per_part=sample_per_part, trans_std=trans_std, order="Output TopCount",
    )[1]  # fmt: skip


guard_module(globals())
