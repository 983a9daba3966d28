"""Box coder: boxes encoded against prior boxes, decoded, and clipped to their images."""

from __future__ import annotations

import torch

from paddle.core.errors import InvalidArgumentError
from paddle.core.infer import Spec, fits
from paddle.core.op import op

# -- box_coder ------------------------------------------------------------------------------------


def _coder_shape(prior, target, attrs: dict) -> tuple[int, ...]:
    """The shape of the result; fails where the inputs do not fit together."""
    code, axis = attrs.get("code_type", "encode_center_size"), attrs.get("axis", 0)
    if code not in ("encode_center_size", "decode_center_size"):
        raise InvalidArgumentError(
            "box_coder(code_type): expected encode_center_size or decode_center_size, but received "
            f"{code}."
        )
    if len(prior.shape) != 2 or prior.shape[1] not in (4, -1):
        raise InvalidArgumentError(
            f"box_coder: expected PriorBox of shape [M, 4], but received {list(prior.shape)}."
        )
    shape = tuple(target.shape)
    if code == "encode_center_size":
        if len(shape) != 2 or shape[1] not in (4, -1):
            raise InvalidArgumentError(
                f"box_coder: expected TargetBox to encode [N, 4], but received {list(shape)}."
            )
        return (shape[0], prior.shape[0], 4)
    if axis not in (0, 1):
        raise InvalidArgumentError(f"box_coder(axis): expected 0 or 1, but received {axis}.")
    count = prior.shape[0]
    if len(shape) != 3 or shape[2] not in (4, -1) or (
        -1 not in (count, shape[1 - axis]) and shape[1 - axis] != count
    ):  # fmt: skip
        wanted = f"[N, {count}, 4]" if axis == 0 else f"[{count}, M, 4]"
        raise InvalidArgumentError(
            f"box_coder(axis={axis}): expected TargetBox to decode {wanted}, but received "
            f"{list(shape)}."
        )
    return shape


def _check_spread(prior, spread, variance) -> None:
    if spread is not None and not fits(spread, tuple(prior.shape)):
        raise InvalidArgumentError(
            f"box_coder: expected PriorBoxVar of the shape of PriorBox {list(prior.shape)}, but "
            f"received {list(spread.shape)}."
        )
    if spread is not None and variance:
        raise InvalidArgumentError(
            "box_coder: expected PriorBoxVar or variance, but received both.",
        )
    if variance and len(variance) != 4:
        raise InvalidArgumentError(
            f"box_coder(variance): expected 4 numbers, but received {list(variance)}."
        )


def _centres(boxes: torch.Tensor, extra: float) -> tuple[torch.Tensor, torch.Tensor]:
    """Centre and size of boxes that are given by two corners; ``extra`` 1 counts whole pixels."""
    low, high = boxes[..., :2], boxes[..., 2:]
    size = high - low + extra
    return low + size * 0.5, size


def _coder_rule(inputs: list, attrs: dict) -> list[Spec]:
    prior, _, target = inputs
    return [Spec(_coder_shape(prior, target, attrs), target.dtype)]


@op(
    "box_coder",
    "PriorBox PriorBoxVar? TargetBox -> OutputBox",
    lod="TargetBox PriorBox",
    infer=_coder_rule,
    differentiable=False,
    dtypes="full",
)
def box_coder(
    prior, spread, target, *, code_type="encode_center_size", box_normalized=True, axis=0,
    variance=()
):  # fmt: skip
    """Boxes as offsets from the centres of prior boxes in parts of their sizes, or back."""
    _coder_shape(prior, target, {"code_type": code_type, "axis": axis})
    _check_spread(prior, spread, variance)
    extra = 0.0 if box_normalized else 1.0
    centre, size = _centres(prior, extra)
    if spread is None and variance:
        spread = torch.tensor(list(variance), dtype=target.dtype, device=target.device)
    if code_type == "encode_center_size":
        box_size = (target[:, 2:] - target[:, :2] + extra).unsqueeze(1)
        middle = ((target[:, :2] + target[:, 2:]) * 0.5).unsqueeze(1)
        parts = ((middle - centre) / size, torch.log(torch.abs(box_size / size)))
        codes = torch.cat(parts, -1)
        return codes if spread is None else codes / spread
    across = 1 if axis else 0
    codes = target
    if spread is not None:
        codes = codes * (spread.unsqueeze(across) if spread.dim() == 2 else spread)
    centre, size = centre.unsqueeze(across), size.unsqueeze(across)
    middle = codes[..., :2] * size + centre
    half = torch.exp(codes[..., 2:]) * size * 0.5
    return torch.cat([middle - half, middle + half - extra], -1)


# -- box_clip -------------------------------------------------------------------------------------


def _image_of_box(boxes: torch.Tensor, info: torch.Tensor) -> torch.Tensor:
    """The row of ``info`` that each entry along the first axis of ``boxes`` belongs to."""
    rows, images = boxes.shape[0], info.shape[0]
    lod = getattr(boxes, "_lod", None)
    if lod:
        counts = torch.diff(torch.tensor(lod[-1]))
    elif images == 1:
        counts = torch.tensor([rows])
    elif boxes.dim() == 3 and rows == images:
        counts = torch.ones(images, dtype=torch.int64)
    else:
        counts = torch.zeros(0, dtype=torch.int64)
    if len(counts) != images or int(counts.sum()) != rows:
        raise InvalidArgumentError(
            f"box_clip: expected the boxes of {images} images, but received Input "
            f"{list(boxes.shape)} with LoD {lod or None}.",
            hint="give Input as [N, boxes, 4], or set its LoD",
        )
    return torch.repeat_interleave(counts).to(boxes.device)


@op("box_clip", "Input ImInfo -> Output", infer="same", differentiable=False, dtypes="full")
def box_clip(boxes, info):
    """Corners moved into the image; ImInfo has height, width and the scale they are given in."""
    if boxes.dim() < 2 or boxes.shape[-1] != 4 or info.dim() != 2 or info.shape[1] != 3:
        raise InvalidArgumentError(
            "box_clip: expected Input of shape [..., 4] and ImInfo of shape [N, 3], but received "
            f"{list(boxes.shape)} and {list(info.shape)}."
        )
    if boxes.is_meta:
        return torch.empty_like(boxes)
    ratio = info[:, :2] / info[:, 2:]
    limit = _rounded(ratio).flip(1).repeat(1, 2) - 1  # width, height, width, height
    limit = limit[_image_of_box(boxes, info)]
    limit = limit.reshape(boxes.shape[0], *[1] * (boxes.dim() - 2), 4).to(boxes.dtype)
    out = torch.minimum(boxes, limit).clamp(min=0.0)
    lod = getattr(boxes, "_lod", None)
    if lod:
        out._lod = [list(level) for level in lod]  # type: ignore[attr-defined]
    return out


def _rounded(x: torch.Tensor) -> torch.Tensor:
    """The nearest whole number, halves away from 0 (torch rounds them to even)."""
    return torch.trunc(x + torch.copysign(torch.full_like(x, 0.5), x))


# -- box_decoder_and_assign -----------------------------------------------------------------------


def _assign_rule(inputs: list, attrs: dict) -> list[Spec]:
    prior, _, target, _ = inputs
    return [Spec(target.shape, target.dtype), Spec(prior.shape, target.dtype)]


def _check_assign(prior, spread, target, score) -> None:
    wrong = (
        (prior.dim() != 2 or prior.shape[1] != 4)
        or (score.dim() != 2 or score.shape[0] != prior.shape[0])
        or tuple(target.shape) != (prior.shape[0], 4 * score.shape[1])
    )
    if wrong:
        raise InvalidArgumentError(
            "box_decoder_and_assign: expected PriorBox [R, 4], TargetBox [R, 4 * C] and BoxScore "
            f"[R, C], but received {list(prior.shape)}, {list(target.shape)} and "
            f"{list(score.shape)}."
        )
    if spread is None or tuple(spread.shape) != (4,):
        raise InvalidArgumentError(
            "box_decoder_and_assign: expected PriorBoxVar of shape [4], but received "
            f"{None if spread is None else list(spread.shape)}."
        )


@op(
    "box_decoder_and_assign",
    "PriorBox PriorBoxVar? TargetBox BoxScore -> DecodeBox OutputAssignBox",
    infer=_assign_rule,
    differentiable=False,
    dtypes="full",
)
def box_decoder_and_assign(prior, spread, target, score, *, box_clip=4.135):
    """The box of every class, and that of the best class but the background, which is class 0.

    Sizes grow by exp(box_clip) at most.
    """
    _check_assign(prior, spread, target, score)
    centre, size = _centres(prior.unsqueeze(1), 1.0)
    codes = target.reshape(prior.shape[0], score.shape[1], 4) * spread
    middle = codes[..., :2] * size + centre
    half = torch.exp(codes[..., 2:].clamp(max=box_clip)) * size * 0.5
    decoded = torch.cat([middle - half, middle + half - 1.0], -1)
    if score.shape[1] < 2:
        return decoded.reshape(target.shape), prior.clone()
    value, best = torch.max(score[:, 1:], 1)
    chosen = decoded[torch.arange(prior.shape[0], device=prior.device), best + 1]
    chosen = torch.where((value > _LOWEST).unsqueeze(1), chosen, prior)
    return decoded.reshape(target.shape), chosen


_LOWEST = -1.0  # a class of a lower score is none: the box stays the prior one


# -- polygon_box_transform ------------------------------------------------------------------------


@op(
    "polygon_box_transform",
    "Input -> Output",
    lod="",
    infer="same",
    differentiable=False,
    dtypes="full",
)
def polygon_box_transform(x):
    """Corners in pixels of an image four times as large, from offsets x, y, x, y, ... per cell."""
    if x.dim() != 4 or x.shape[1] % 2:
        raise InvalidArgumentError(
            "polygon_box_transform: expected Input of shape [N, an even number, H, W], but "
            f"received {list(x.shape)}."
        )
    n, channels, rows, columns = x.shape
    pairs = x.reshape(n, channels // 2, 2, rows, columns)
    across = torch.arange(columns, dtype=x.dtype, device=x.device).expand(rows, columns)
    down = torch.arange(rows, dtype=x.dtype, device=x.device).unsqueeze(1).expand(rows, columns)
    return (4 * torch.stack([across, down]) - pairs).reshape(x.shape)
