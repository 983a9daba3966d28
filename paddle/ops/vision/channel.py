"""Channel shuffle, and space to depth."""

from __future__ import annotations

from paddle.core.errors import InvalidArgumentError
from paddle.core.infer import Spec
from paddle.core.op import op


@op("shuffle_channel", "X -> Out", lod="", infer="same")
def shuffle_channel(x, *, group=1):
    """Channels of ``group`` groups take turns: the first of each, the second of each, ..."""
    if x.dim() != 4 or group < 1 or x.shape[1] % group:
        raise InvalidArgumentError(
            "shuffle_channel: expected X of shape [N, C, H, W] and a group that divides C, but "
            f"received {list(x.shape)} and group {group}."
        )
    n, channels, h, w = x.shape
    if group in (1, channels):
        return x.clone()
    return x.reshape(n, group, channels // group, h, w).transpose(1, 2).reshape(x.shape)


def _part(size: int, divisor: int) -> int:
    return -1 if size == -1 else size // divisor


def _depth_rule(inputs: list, attrs: dict) -> list[Spec]:
    n, c, h, w = inputs[0].shape
    block = attrs["blocksize"]
    c = -1 if c == -1 else c * block * block
    return [Spec((n, c, _part(h, block), _part(w, block)), inputs[0].dtype)]


@op("space_to_depth", "X -> Out", lod="X", infer=_depth_rule)
def space_to_depth(x, *, blocksize=2):
    """The "reorg" of YOLO v2 as darknet has it: its element order is not that of blocks.

    The channels are spread over blocks of pixels, and the result is read as a shape with smaller
    planes; compatible with trained weights, which is the point of having it.
    """
    if x.dim() != 4 or blocksize < 2:
        raise InvalidArgumentError(
            "space_to_depth: expected X of shape [N, C, H, W] and blocksize >= 2, but received "
            f"{list(x.shape)} and blocksize {blocksize}."
        )
    n, c, h, w = x.shape
    area = blocksize * blocksize
    if c % area or h % blocksize or w % blocksize:
        raise InvalidArgumentError(
            f"space_to_depth: expected C divisible by {area}, H and W by blocksize {blocksize}, "
            f"but received X of shape {list(x.shape)}."
        )
    spread = x.reshape(n, blocksize, blocksize, c // area, h, w).permute(0, 3, 4, 1, 5, 2)
    return spread.reshape(n, c * area, h // blocksize, w // blocksize)
