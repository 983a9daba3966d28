"""Samples of softmax over some classes; given ones as 1.8.5 computes them, drawn ones by counts."""

import numpy as np

from tests.op_samples.frozen import as_185
from tests.op_samples.sample import ErrorSample, Sample, f64, ints, pos

LABELS = np.array([[1, 4], [0, 2], [5, 1]], "int64")
LOGITS = f64(3, 8)
GIVEN = {
    "Logits": LOGITS, "Labels": LABELS,
    "CustomizedSamples": np.concatenate([LABELS, ints(3, 4, high=8)], 1),
    "CustomizedProbabilities": pos(3, 6) / 3,
}  # fmt: skip
OWN = {"use_customized_samples": True, "num_samples": 4}


def drawn(outs, inputs, attrs):
    samples, chances, _, _, logits, labels = (None if o is None else o.numpy() for o in outs)
    np.testing.assert_array_equal(samples[:, :2], LABELS)
    assert (samples[:, 2:] == samples[:1, 2:]).all() and (samples < 8).all()
    if attrs.get("uniq", True):
        assert len(set(samples[0, 2:])) == attrs["num_samples"]
    got = np.take_along_axis(LOGITS, samples, 1) - np.log(chances)
    kept = logits > -1e10
    np.testing.assert_allclose(logits[kept], got[kept], 1e-4)
    hits = np.array([[n in row for n in s] for s, row in zip(samples[:, 2:], LABELS)])
    np.testing.assert_array_equal(~kept[:, 2:], hits)
    np.testing.assert_array_equal(labels, [[0, 1]] * 3)


SAME = {"Samples": "CustomizedSamples", "Probabilities": "CustomizedProbabilities"}
MORE = {"only": "SampledLogits SampledLabels", "grad": ["Logits"], "same": SAME}
FREE = {"Logits": LOGITS, "Labels": LABELS}
SAMPLES = [
    as_185("sample_logits", GIVEN, {**OWN, "remove_accidental_hits": False}, **MORE),
    as_185("sample_logits", GIVEN, OWN, "hits", orders=0, rtol=1e-6, dtypes=(), **MORE),
    Sample("sample_logits", FREE, {"num_samples": 5}, check=drawn, note="drawn", grad=[]),
    Sample("sample_logits", FREE, {"num_samples": 3, "uniq": False}, check=drawn, note="any",
           grad=[]),
]  # fmt: skip


def _bad(match, raises=ValueError, attrs=OWN, **inputs):
    return ErrorSample("sample_logits", inputs, attrs, raises, match)


ERRORS = [
    _bad(r"Logits \[N, classes\]", **{**GIVEN, "Logits": f64(4, 8)}),
    _bad("or neither", **{**FREE, "CustomizedSamples": GIVEN["CustomizedSamples"]}),
    _bad(r"CustomizedProbabilities \[3, 5\]", attrs={**OWN, "num_samples": 3}, **GIVEN),
    _bad(r"Labels in \[0, 4\)", IndexError, {"num_samples": 2},
         Logits=LOGITS[:, :4], Labels=LABELS),
    _bad("at most 8 different", attrs={"num_samples": 9}, **FREE),
]  # fmt: skip
