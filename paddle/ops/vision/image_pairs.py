"""Correlation of two images (optical flow), and bilateral slicing."""

from __future__ import annotations

import itertools

import torch

from paddle.core.errors import InvalidArgumentError, UnimplementedError
from paddle.core.infer import Spec
from paddle.core.op import REQUIRED, op

# -- matching -------------------------------------------------------------------------------------


def _matches_shape(first, second, attrs: dict) -> tuple:
    """Sizes of the result; -1 where they are not known yet."""
    if len(first.shape) != 4 or any(
        -1 not in (a, b) and a != b for a, b in zip(first.shape, second.shape, strict=False)
    ):
        raise InvalidArgumentError(
            "correlation: expected Input1 and Input2 of the same shape [N, C, H, W], but received "
            f"{list(first.shape)} and {list(second.shape)}."
        )
    if attrs["kernel_size"] != 1 or attrs["corr_type_multiply"] != 1:
        raise UnimplementedError(
            "correlation: expected kernel_size 1 and corr_type_multiply 1, but received "
            f"{attrs['kernel_size']} and {attrs['corr_type_multiply']}.",
            hint="a mean over windows is avg_pool2d of the result with stride1 = 1",
        )
    pad, reach = attrs["pad_size"], attrs["max_displacement"]
    step, stride = attrs["stride1"], attrs["stride2"]
    if pad < 0 or reach < 0 or step < 1 or stride < 1:
        raise InvalidArgumentError(
            "correlation: expected pad_size and max_displacement >= 0 and strides > 0, but "
            f"received {pad}, {reach}, {step} and {stride}."
        )
    sizes = [-1 if n == -1 else -(-(n + 2 * pad - 2 * reach) // step) for n in first.shape[2:]]
    if any(n != -1 and size < 1 for n, size in zip(first.shape[2:], sizes, strict=True)):
        raise InvalidArgumentError(
            f"correlation: expected images of more than {2 * (reach - pad)} rows and columns for "
            f"max_displacement {reach} and pad_size {pad}, but received {list(first.shape)}."
        )
    return (first.shape[0], (2 * (reach // stride) + 1) ** 2, *sizes)


@op(
    "correlation",
    "Input1 Input2 -> Output",
    infer=lambda i, a: [Spec(_matches_shape(i[0], i[1], a), i[0].dtype)],
    dtypes="full",
)
def correlation(
    first, second, *, pad_size=REQUIRED, kernel_size=REQUIRED, max_displacement=REQUIRED,
    stride1=REQUIRED, stride2=REQUIRED, corr_type_multiply=1
):  # fmt: skip
    """Means of products with the second image moved, a channel a displacement: arXiv 1504.06852."""
    attrs = {"pad_size": pad_size, "kernel_size": kernel_size, "stride1": stride1,
             "max_displacement": max_displacement, "stride2": stride2,
             "corr_type_multiply": corr_type_multiply}  # fmt: skip
    high, wide = _matches_shape(first, second, attrs)[2:]
    first, second = (torch.nn.functional.pad(x, [pad_size] * 4) for x in (first, second))

    def part(x: torch.Tensor, row: int, column: int) -> torch.Tensor:
        rows = slice(row, row + (high - 1) * stride1 + 1, stride1)
        return x[:, :, rows, column : column + (wide - 1) * stride1 + 1 : stride1]

    still = part(first, max_displacement, max_displacement)
    reach = max_displacement // stride2
    moves = [max_displacement + k * stride2 for k in range(-reach, reach + 1)]
    found = [torch.mean(still * part(second, *move), 1) for move in itertools.product(moves, moves)]
    return torch.stack(found, 1)


# -- a grid of colour transforms ------------------------------------------------------------------


def _sliced_shape(x, grid, guide, has_offset: bool) -> tuple:
    unknown = len(x.shape) == 4 and len(grid.shape) == 5 and -1 in (x.shape[1], grid.shape[1])
    terms = x.shape[1] + bool(has_offset) if len(x.shape) == 4 else 0
    shapes = (tuple(s.shape) for s in (x, grid, guide))
    fits = [len(s.shape) for s in (x, grid, guide)] == [4, 5, 3]
    fits = fits and all(
        -1 in (a, b) or a == b
        for a, b in zip(
            (x.shape[0], *x.shape[2:], x.shape[0]), (*guide.shape, grid.shape[0]), strict=True
        )
    )
    if not fits or not (unknown or (terms and grid.shape[1] % terms == 0)):
        raise InvalidArgumentError(
            "bilateral_slice: expected X [N, C, H, W], Guide [N, H, W] and Grid "
            f"[N, {'(C + 1)' if has_offset else 'C'} * channels of Out, D, GH, GW], but received "
            f"X, Grid and Guide of shapes {[list(s) for s in shapes]}."
        )
    return (x.shape[0], -1 if unknown else grid.shape[1] // terms, *x.shape[2:])


def _neighbours(place: torch.Tensor, size: int) -> list[tuple[torch.Tensor, torch.Tensor]]:
    """The two cells around each place and how far their centres are; outside, the border's cell."""
    low = torch.floor(place.detach() - 0.5)
    return [(c.clamp(0, size - 1).long(), c + 0.5 - place) for c in (low, low + 1)]


@op(
    "bilateral_slice",
    "X Grid Guide -> Out",
    infer=lambda i, a: [Spec(_sliced_shape(i[0], i[1], i[2], a["has_offset"]), i[0].dtype)],
    dtypes="full",
)
def bilateral_slice(x, grid, guide, *, has_offset=False):
    """An affine change of each pixel's channels, interpolated in a grid: hdrnet, SIGGRAPH 2017.

    The grid has the image's two axes and the guide, which is 0 to 1, as its third.
    """
    shape = _sliced_shape(x, grid, guide, has_offset)
    depth, rows, columns = grid.shape[2:]
    high, wide = x.shape[2:]
    down = (torch.arange(high, dtype=x.dtype, device=x.device) + 0.5) * (rows / max(high, 1))
    across = (torch.arange(wide, dtype=x.dtype, device=x.device) + 0.5) * (columns / max(wide, 1))
    cells = grid.flatten(2)
    change = x.new_zeros([*grid.shape[:2], high, wide])
    for (z, far_z), (i, far_y), (j, far_x) in itertools.product(
        _neighbours(guide * depth, depth), _neighbours(down, rows), _neighbours(across, columns)
    ):
        at = ((z * rows + i[:, None]) * columns + j).flatten(1).unsqueeze(1)
        value = torch.gather(cells, 2, at.expand(-1, cells.shape[1], -1)).reshape(change.shape)
        near = (1.0 - torch.abs(far_y))[:, None] * (1.0 - torch.abs(far_x))
        # Rounded off at 0, so that the guide has a gradient everywhere.
        along = (1.0 - torch.sqrt(far_z * far_z + 1e-8)).clamp(min=0.0)
        change = change + value * (along * near).unsqueeze(1)
    change = change.unflatten(1, (shape[1], -1))
    out = torch.sum(change[:, :, : x.shape[1]] * x.unsqueeze(1), 2)
    return out + change[:, :, -1] if has_offset else out
