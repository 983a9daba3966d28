"""Samples of attention, beside its formula."""

from __future__ import annotations

import numpy as np

from tests.op_samples.sample import ErrorSample, Sample, bools, f64

Q, K, V = f64(2, 2, 3, 4, key="q"), f64(2, 2, 5, 4, key="k"), f64(2, 2, 5, 4, key="v")
WIDE = f64(2, 2, 5, 6, key="wide")
HIDDEN = np.where(bools(2, 1, 1, 5, key="hidden"), 0.0, -1e9)
NAME = "scaled_dot_product_attention"


def _attention(q, k, v, mask=None, scale=1.0):
    scores = scale * (q @ k.swapaxes(2, 3))
    if mask is not None:
        scores = scores + mask
    top = scores.max(-1, keepdims=True)
    weights = np.exp(scores - top)
    total = weights.sum(-1, keepdims=True)
    logs = (np.log(total) + top)[..., 0]
    return weights / total @ v, logs, None


def _dropped(outs, inputs, attrs):
    """The weights are those of the formula, and what is kept of them makes the result."""
    out, weights, keep = (o.numpy() for o in outs)
    _, logs, _ = _attention(*inputs.values(), scale=attrs["scale"])
    scores = attrs["scale"] * inputs["Q"] @ inputs["K"].swapaxes(2, 3)
    np.testing.assert_allclose(weights, np.exp(scores - logs[..., None]), rtol=1e-7)
    np.testing.assert_allclose(out, (weights * keep) @ inputs["V"], rtol=1e-7)
    p = attrs["dropout_prob"]
    assert set(np.unique(keep)) <= {0.0, 1.0 if p == 1 else 1 / (1 - p)}


def _sample(note, mask=None, v=V, ref=_attention, **options):
    inputs = {"Q": Q, "K": K, "V": v} | ({} if mask is None else {"Mask": mask})
    return Sample(NAME, inputs, {"scale": 0.5}, ref, note=note, **options)


SAMPLES = [
    _sample("plain", orders=3, dtypes=("float32", "float16")),
    _sample("mask_of_all", f64(2, 2, 3, 5, key="m")),
    _sample("mask_of_matrix", f64(3, 5, key="m")),
    _sample("mask_of_keys", f64(5, key="m")),
    _sample("mask_of_queries", f64(3, 1, key="m")),
    _sample("keys_hidden", HIDDEN, grad=["Q", "K", "V"]),
    _sample("wide_values", v=WIDE),
    _sample("wide_values_masked", f64(2, 1, 3, 5, key="m"), v=WIDE),
    *(
        Sample(NAME, {"Q": q, "K": K[:, :1], "V": v, "Mask": f64(*mask, key="m")},
               {"scale": 0.5, "broadcast": True},
               lambda *args, scale, broadcast: _attention(*args, scale=scale),
               note=f"broadcast_{len(mask)}")
        for q, v, mask in ((Q, V, (3, 5)), (Q[:1], V[:1, :1], (2, 1, 1, 5)))
    ),
    Sample(NAME, {"Q": Q, "K": K[:, :, :0], "V": V[:, :, :0]}, {"scale": 0.5},
           lambda q, k, v, mask, scale: (np.zeros_like(q), np.full(q.shape[:3], -np.inf), None),
           note="no_keys", grad=[]),
    Sample(NAME, {"Q": Q[:0], "K": K[:0], "V": V[:0]}, {"scale": 0.5},
           lambda q, k, v, mask, scale: (q, q[..., 0], None), note="no_batch", grad=[]),
    Sample(NAME, {"Q": Q, "K": K, "V": V, "Mask": np.full((3, 5), -np.inf)}, {"scale": 0.5},
           lambda *args, scale: (np.full_like(Q, np.nan), None, None), note="nothing_allowed",
           grad=[]),
    *(
        Sample(NAME, {"Q": Q, "K": K, "V": V}, {"scale": 0.5, "dropout_prob": p}, check=_dropped,
               note=f"dropout_{p}")
        for p in (0.4, 1.0)
    ),
]  # fmt: skip

ERRORS = [
    ErrorSample(NAME, {"Q": Q[0], "K": K, "V": V}, {"scale": 1.0}, ValueError,
                r"expected Q \[batch, heads, queries, size\]"),
    ErrorSample(NAME, {"Q": Q, "K": K, "V": V[:, :, 1:]}, {"scale": 1.0}, ValueError,
                r"received shapes .*\[2, 2, 4, 4\]"),
    ErrorSample(NAME, {"Q": Q, "K": K, "V": V, "Mask": f64(4, 5)}, {"scale": 1.0}, ValueError,
                r"broadcasts to .* = \[2, 2, 3, 5\], but received \[4, 5\]"),
]  # fmt: skip
