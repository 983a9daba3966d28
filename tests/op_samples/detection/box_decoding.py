"""Samples of decoding and cutting boxes."""

from __future__ import annotations

import numpy as np

from tests.op_samples.sample import ErrorSample, Sample, apart, f64, pos


def boxes(*shape: int, key: object = 0) -> np.ndarray:
    """Corners of boxes of sizes between 0.5 and 2."""
    corner = f64(*shape, 2, low=0.0, high=3.0, key=key)
    return np.concatenate([corner, corner + pos(*shape, 2, key=key)], -1)


def middle(box, one):
    """Centre and size of a box, x and y in turn."""
    w, h = box[2] - box[0] + one, box[3] - box[1] + one
    return box[0] + w / 2, box[1] + h / 2, w, h


def decoded(code, prior, one, limit=np.inf):
    x, y, w, h = middle(prior, one)
    cx, cy = code[0] * w + x, code[1] * h + y
    bw, bh = np.exp(min(code[2], limit)) * w, np.exp(min(code[3], limit)) * h
    return [cx - bw / 2, cy - bh / 2, cx + bw / 2 - one, cy + bh / 2 - one]


def box_coder(prior, spread, target, code_type="encode_center_size", box_normalized=True, axis=0,
              variance=()):  # fmt: skip
    one = 0.0 if box_normalized else 1.0
    spread = np.tile(variance or [1.0] * 4, (len(prior), 1)) if spread is None else spread
    if code_type == "encode_center_size":
        out = np.zeros((len(target), len(prior), 4), target.dtype)
        for i, j in np.ndindex(*out.shape[:2]):
            x, y, w, h = middle(prior[j], one)
            tw, th = target[i, 2] - target[i, 0] + one, target[i, 3] - target[i, 1] + one
            tx, ty = (target[i, 0] + target[i, 2]) / 2, (target[i, 1] + target[i, 3]) / 2
            code = [(tx - x) / w, (ty - y) / h, np.log(tw / w), np.log(th / h)]
            out[i, j] = code / spread[j]
        return out
    out = np.zeros_like(target)
    for i, j in np.ndindex(*out.shape[:2]):
        k = i if axis else j
        out[i, j] = decoded(target[i, j] * spread[k], prior[k], one)
    return out


def box_clip(x, info):
    out = np.zeros_like(x)
    for place in np.ndindex(*x.shape[:-1]):
        high, wide, scale = info[place[0] if len(info) > 1 else 0]
        limit = [int(wide / scale + 0.5) - 1, int(high / scale + 0.5) - 1] * 2
        out[place] = [min(max(v, 0), m) for v, m in zip(x[place], limit, strict=True)]
    return out


def box_decoder_and_assign(prior, spread, target, score, box_clip=4.135):
    every, chosen = np.zeros_like(target), prior.astype(target.dtype)
    for i in range(len(prior)):
        best, most = None, -1.0
        for c in range(score.shape[1]):
            part = slice(4 * c, 4 * c + 4)
            every[i, part] = decoded(target[i, part] * spread, prior[i], 1.0, box_clip)
            if c and score[i, c] > most:
                best, most = part, score[i, c]
        if best is not None:
            chosen[i] = every[i, best]
    return every, chosen


def polygon_box_transform(x):
    out = np.zeros_like(x)
    for n, c, i, j in np.ndindex(*x.shape):
        out[n, c, i, j] = 4 * (i if c % 2 else j) - x[n, c, i, j]
    return out


def _coder(note, target, spread=None, priors=3, **attrs):
    inputs = {"PriorBox": boxes(priors, key="prior"), "TargetBox": target}
    inputs |= {} if spread is None else {"PriorBoxVar": spread}
    return Sample("box_coder", inputs, attrs, box_coder, note=note)


DECODE = {"code_type": "decode_center_size"}
INFO = np.array([[12.0, 9.0, 4.0], [7.0, 5.0, 2.0]])  # 12/4 = 3, 9/4, 7/2 and 5/2 round up
ASSIGN = {
    "PriorBox": boxes(5), "PriorBoxVar": np.array([0.1, 0.1, 0.2, 0.2]),
    "TargetBox": f64(5, 12, low=-9.0, high=9.0), "BoxScore": apart(5, 3),
}  # fmt: skip
BACKGROUND = np.array([[1.0, 0.5, 0.5], [0.0, -2.0, -3.0], [9.0, -1.0, -1.0], [0.0, 0.2, 0.1],
                       [-5.0, -0.5, -0.9]])  # fmt: skip

SAMPLES = [
    _coder("encode", boxes(2), pos(3, 4)),
    _coder("encode_pixels", boxes(2), box_normalized=False, variance=[0.1, 0.1, 0.2, 0.3]),
    _coder("encode_bare", boxes(2)),
    _coder("decode", f64(2, 3, 4), pos(3, 4), **DECODE),
    _coder("decode_rows", f64(3, 2, 4), pos(3, 4), axis=1, **DECODE),
    _coder("decode_pixels", f64(2, 3, 4), variance=[0.1, 0.1, 0.2, 0.3], box_normalized=False,
           **DECODE),
    _coder("decode_one", f64(2, 1, 4), priors=1, **DECODE),
    Sample("box_clip", {"Input": boxes(5) * 2 - 2, "ImInfo": INFO[:1]}, ref=box_clip),
    Sample("box_clip", {"Input": boxes(2, 5) * 2 - 2, "ImInfo": INFO}, ref=box_clip, note="batch"),
    Sample("box_decoder_and_assign", ASSIGN, ref=box_decoder_and_assign),
    Sample("box_decoder_and_assign", ASSIGN | {"BoxScore": BACKGROUND}, {"box_clip": 0.5},
           box_decoder_and_assign, note="background"),
    Sample("box_decoder_and_assign",
           ASSIGN | {"TargetBox": f64(5, 4), "BoxScore": f64(5, 1)},
           ref=box_decoder_and_assign, note="only_background"),
    Sample("polygon_box_transform", {"Input": f64(2, 4, 3, 5)}, ref=polygon_box_transform),
    Sample("polygon_box_transform", {"Input": f64(1, 8, 1, 2)}, ref=polygon_box_transform,
           note="quadrangle"),
]  # fmt: skip


def _bad(op, match, attrs=None, **inputs):
    return ErrorSample(op, inputs, attrs or {}, ValueError, match)


ERRORS = [
    _bad("box_coder", r"PriorBox of shape \[M, 4\]", PriorBox=f64(3), TargetBox=boxes(2)),
    _bad("box_coder", r"TargetBox to encode \[N, 4\].*\[2, 3, 4\]", PriorBox=boxes(3),
         TargetBox=boxes(2, 3)),
    _bad("box_coder", r"TargetBox to decode \[N, 3, 4\].*\[3, 2, 4\]", DECODE,
         PriorBox=boxes(3), TargetBox=f64(3, 2, 4)),
    _bad("box_coder", "expected 0 or 1, but received 2", DECODE | {"axis": 2}, PriorBox=boxes(3),
         TargetBox=f64(2, 3, 4)),
    _bad("box_coder", "encode_center_size or decode_center_size.*corner", {"code_type": "corner"},
         PriorBox=boxes(3), TargetBox=boxes(2)),
    _bad("box_coder", "shape of PriorBox", PriorBox=boxes(3), PriorBoxVar=pos(4),
         TargetBox=boxes(2)),
    _bad("box_coder", "received both", {"variance": [0.1] * 4}, PriorBox=boxes(3),
         PriorBoxVar=pos(3, 4), TargetBox=boxes(2)),
    _bad("box_coder", "expected 4 numbers", {"variance": [0.1]}, PriorBox=boxes(3),
         TargetBox=boxes(2)),
    _bad("box_clip", r"Input of shape \[..., 4\]", Input=f64(5, 8), ImInfo=INFO),
    ErrorSample("box_clip", {"Input": boxes(5), "ImInfo": INFO}, {}, ValueError,
                "boxes of 2 images", ErrorSample.LEVELS),
    _bad("box_decoder_and_assign", r"TargetBox \[R, 4 \* C\]",
         **(ASSIGN | {"TargetBox": f64(5, 8)})),
    _bad("box_decoder_and_assign", r"PriorBoxVar of shape \[4\], but received None",
         **(ASSIGN | {"PriorBoxVar": None})),
    _bad("polygon_box_transform", "an even number", Input=f64(2, 3, 4, 5)),
]  # fmt: skip
