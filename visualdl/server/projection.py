"""High-dimensional vectors on the plane, and who is near whom."""

from __future__ import annotations

import numpy as np

WIDE = 1500
"""Up to so many columns (or rows) the exact decomposition is quick."""
ROUNDS = 4
LARGE = 1e15
"""Squares of larger numbers are too large for float32."""


def clean(vectors: np.ndarray) -> np.ndarray:
    """Gives vectors of float32 in which what is no finite number is 0."""
    vectors = np.asarray(vectors, np.float32)
    if np.isfinite(vectors).all():
        return vectors
    return np.where(np.isfinite(vectors), vectors, np.float32(0))


def pca(vectors: np.ndarray, dimension: int) -> tuple[np.ndarray, list[float]]:
    """Projects vectors onto the directions in which they differ most.

    The signs are those that make the largest part of each direction positive, so the same vectors
    always give the same picture.

    Args:
        vectors (ndarray): rows x columns.
        dimension (int): how many directions.

    Returns:
        tuple: rows x dimension, float32, and the share of the variance of each direction.
    """
    data = clean(vectors)
    rows, columns = data.shape
    if not rows or not columns:
        return np.zeros((rows, dimension), np.float32), [0.0] * dimension
    data = data - data.mean(axis=0, dtype=np.float64).astype(np.float32)
    scale = float(np.abs(data).max())
    if scale > 0:
        data = data / np.float32(scale)
    total = float(np.einsum("ij,ij->", data, data, dtype=np.float64))
    directions = _directions(data, min(dimension, rows, columns))
    largest = np.abs(directions).argmax(axis=0)
    signs = np.sign(directions[largest, np.arange(directions.shape[1])])
    points = data @ (directions * np.where(signs == 0, 1, signs)).astype(np.float32)
    shares = (points.astype(np.float64) ** 2).sum(axis=0) / total if total > 0 else points[0] * 0
    points = points * np.float32(scale if scale > 0 else 1)
    wanted = np.zeros((rows, dimension), np.float32)
    wanted[:, : points.shape[1]] = points
    return wanted, [min(1.0, float(share)) for share in shares] + [0.0] * (dimension - len(shares))


def _directions(data: np.ndarray, count: int) -> np.ndarray:
    """Gives the first directions as columns."""
    rows, columns = data.shape
    if columns <= WIDE:
        _, found = np.linalg.eigh((data.T @ data).astype(np.float64))
        return found[:, ::-1][:, :count]
    if rows <= WIDE:
        _, found = np.linalg.eigh((data @ data.T).astype(np.float64))
        parts = data.T.astype(np.float64) @ found[:, ::-1][:, :count]
        return parts / np.maximum(np.linalg.norm(parts, axis=0), 1e-30)
    # both are large: the space that a few multiplications of random vectors lead to
    guess = np.random.default_rng(0).standard_normal((columns, count + 8)).astype(np.float32)
    for _ in range(ROUNDS):
        guess, _ = np.linalg.qr(data.T @ (data @ guess))
    _, _, found = np.linalg.svd(data @ guess, full_matrices=False)
    return (guess @ found.T)[:, :count]


def some_rows(rows: int, most: int, with_row: int = -1) -> np.ndarray:
    """Chooses rows by chance, the same each time; one that is asked for is among them.

    Args:
        rows (int): how many there are.
        most (int): how many are wanted at most.
        with_row (int): the row that has to be there; -1 for none.

    Returns:
        ndarray: their numbers, ascending.
    """
    if rows <= most:
        return np.arange(rows)
    chosen = np.random.default_rng(0).choice(rows, most, replace=False)
    if 0 <= with_row < rows and with_row not in chosen:
        chosen[-1] = with_row
    return np.sort(chosen)


def neighbors(vectors: np.ndarray, index: int, count: int, metric: str) -> list[tuple[int, float]]:
    """Finds the vectors nearest to one of them.

    Args:
        vectors (ndarray): rows x columns.
        index (int): the row.
        count (int): how many.
        metric (str): "cosine" or "euclidean".

    Returns:
        list: (row, distance), the nearest first; the row itself is not among them.
    """
    data = clean(vectors)
    scale = float(np.abs(data).max(initial=0))
    scale = scale if scale > LARGE else 1.0
    data = data / np.float32(scale)
    if metric == "cosine":
        lengths = np.maximum(np.linalg.norm(data, axis=1), np.float32(1e-30))
        distances = 1 - (data @ (data[index] / lengths[index])) / lengths
        distances = np.clip(distances, 0, 2)
    else:
        distances = np.linalg.norm(data - data[index], axis=1)
        distances = distances.astype(np.float64) * scale
    others = np.delete(np.arange(len(data)), index)
    count = max(0, min(count, len(others)))
    if count:
        others = others[np.argpartition(distances[others], count - 1)[:count]]
        others = others[np.lexsort((others, distances[others]))]
    return [(int(row), float(distances[row])) for row in others[:count]]
