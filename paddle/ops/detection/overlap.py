"""Intersection over union (IoU) of every box with every other one."""

from __future__ import annotations

import torch

BLOCK = 1 << 21  # entries of a matrix of overlaps that are held at once: a few times 8 to 16 MB


def _sides(a: torch.Tensor, b: torch.Tensor, low: int) -> torch.Tensor:
    """How far the boxes of ``a`` and ``b`` reach into each other along one axis."""
    right = torch.minimum(a[:, None, low + 2], b[:, low + 2])
    return right - torch.maximum(a[:, None, low], b[:, low])


def area_share(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Intersection over union; a box without area shares nothing.

    Args:
        a (Tensor): boxes [N, 4], by two corners.
        b (Tensor): boxes [M, 4].
    """
    shared = _sides(a, b, 0).clamp(min=0.0) * _sides(a, b, 1).clamp(min=0.0)
    area_a = torch.prod(a[:, 2:] - a[:, :2], 1)
    area_b = torch.prod(b[:, 2:] - b[:, :2], 1)
    return torch.nan_to_num(shared / (area_a[:, None] + area_b - shared), nan=-1.0)


def _area(boxes: torch.Tensor, extra: float) -> torch.Tensor:
    size = boxes[:, 2:] - boxes[:, :2]
    inverted = torch.lt(size, 0).any(1)
    return torch.prod(size + extra, 1).masked_fill(inverted, 0.0)


def corner_share(a: torch.Tensor, b: torch.Tensor, extra: float) -> torch.Tensor:
    """Like :func:`area_share`, with ``extra`` 1 where corners are pixels that belong to the box.

    Boxes whose corners are the wrong way round have no area; two points at one place share NaN.
    """
    # Not the sign of the sides: boxes the wrong way round can reach others all the same.
    apart = torch.gt(b[:, 0], a[:, None, 2])
    apart |= torch.lt(b[:, 2], a[:, None, 0])
    apart |= torch.gt(b[:, 1], a[:, None, 3])
    apart |= torch.lt(b[:, 3], a[:, None, 1])
    shared = (_sides(a, b, 0) + extra) * (_sides(a, b, 1) + extra)
    union = _area(a, extra)[:, None] + _area(b, extra) - shared
    return (shared / union).masked_fill(apart, 0.0)


# -- polygons -------------------------------------------------------------------------------------

_NEAR = 1e-9  # parts of a polygon's size within which a point lies on a line


def _cross(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]


def _triangles(points: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Signed triangles that make up polygons [n, k, 2]: corners [n, k - 2, 3, 2] and signs.

    A polygon covers a place as often as triangles with sign 1 do, less those with sign -1.
    """
    first = points[:, :1].expand(-1, points.shape[1] - 2, -1)
    corners = torch.stack([first, points[:, 1:-1], points[:, 2:]], 2)
    turn = _cross(corners[:, :, 1] - corners[:, :, 0], corners[:, :, 2] - corners[:, :, 0])
    turned = torch.lt(turn, 0)[:, :, None, None]
    return torch.where(turned, corners.flip(2), corners), torch.sign(turn)


def _inside(a: torch.Tensor, b: torch.Tensor, border: bool, near: torch.Tensor) -> torch.Tensor:
    """Twice the area between the origin and the edges of triangles ``a`` within triangles ``b``.

    An edge on the border of ``b`` counts only where ``border`` says so and it runs the same way.
    """
    start, step = a, a.roll(-1, -2) - a
    first, last = torch.zeros_like(start[..., 0]), torch.ones_like(start[..., 0])
    for i in range(3):  # the part of each edge that lies to the left of each edge of b
        corner = b[..., i, :].unsqueeze(-2)
        along = b[..., (i + 1) % 3, :].unsqueeze(-2) - corner
        at, rise = _cross(along, start - corner), _cross(along, step)
        reach = near[..., None] * (along.abs().sum(-1))
        on = torch.logical_and(at.abs() <= reach, (at + rise).abs() <= reach)
        along_it = torch.gt((along * step).sum(-1), 0)
        out = on & ~along_it if border else on
        where = -at / torch.where(rise == 0, torch.ones_like(rise), rise)
        out = out | (~on & (rise == 0) & (at < 0))
        first = torch.where(~on & (rise > 0), torch.maximum(first, where), first)
        last = torch.where(~on & (rise < 0), torch.minimum(last, where), last)
        last = torch.where(out, first - 1, last)
    low, high = start + first[..., None] * step, start + last[..., None] * step
    return torch.where(last > first, _cross(low, high), torch.zeros_like(first)).sum(-1)


def _common(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """The area that each of the polygons ``a`` has in common with its partner: [p, k, 2] -> [p]."""
    origin = a[:, :1]  # near the edges, which keeps their products exact
    (corners_a, sign_a), (corners_b, sign_b) = _triangles(a - origin), _triangles(b - origin)
    near = ((a.amax(1) - a.amin(1)).sum(-1) * _NEAR)[:, None, None]
    one, other = corners_a[:, :, None], corners_b[:, None]
    area = _inside(one, other, True, near) + _inside(other, one, False, near)
    return (area * sign_a[:, :, None] * sign_b[:, None]).sum((1, 2)).abs() * 0.5


def _polygon_area(points: torch.Tensor) -> torch.Tensor:
    local = points - points[:, :1]
    return _cross(local, local.roll(-1, 1)).sum(1) * 0.5


def polygon_share(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Intersection over union of polygons that do not cross themselves, x and y in turn.

    Args:
        a (Tensor): [N, 2 * corners].
        b (Tensor): [M, 2 * corners].
    """
    a64, b64 = (p.double().reshape(len(p), -1, 2) for p in (a, b))
    area_a, area_b = _polygon_area(a64), _polygon_area(b64)
    shared = a64.new_zeros(len(a), len(b))
    meet = torch.logical_and(
        torch.ge(a64.amax(1)[:, None], b64.amin(1)), torch.ge(b64.amax(1), a64.amin(1)[:, None])
    )
    rows, columns = meet.all(2).nonzero(as_tuple=True)  # of boxes around them
    if len(rows):
        part = max(BLOCK // (a64.shape[1] - 2) ** 2 // 8, 1)
        parts = zip(rows.split(part), columns.split(part), strict=True)
        shared[rows, columns] = torch.cat([_common(a64[i], b64[j]) for i, j in parts])
    union = area_a.abs()[:, None] + area_b.abs() - shared
    return torch.where(shared == 0, shared, shared / union).to(a.dtype)


def overlaps(a: torch.Tensor, b: torch.Tensor, extra: float) -> torch.Tensor:
    """The share of every box of ``a`` with every box of ``b``: two corners each, or polygons."""
    return corner_share(a, b, extra) if a.shape[1] == 4 else polygon_share(a, b)
