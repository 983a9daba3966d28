"""Samples of metrics with states, as 1.8.5 computes them."""

import numpy as np

from tests.op_samples.frozen import as_185
from tests.op_samples.sample import ErrorSample, f64, ints, pos

PROBS = f64(6, 1, low=0.1, high=0.9)
INDEX = np.array([[0], [1], [2], [1], [0], [1]], "int32")
LABEL = np.array([[0], [1], [1], [2], [0], [0]], "int32")
SCORE, GRADE = np.round(f64(8, 2), 1), ints(8, 1, high=3).astype("float64")
SCORE[3, 1] = SCORE[1, 1]
QUERY = np.array([[1], [1], [2], [1], [2], [2], [1], [3]], "int64")
PAIRS = {"Score": SCORE, "Label": GRADE, "QueryID": QUERY}

SAMPLES = [
    as_185("precision_recall", {"MaxProbs": PROBS, "Indices": INDEX, "Labels": LABEL},
           {"class_number": 4}, single=True),
    as_185(
        "precision_recall",
        {"MaxProbs": PROBS, "Indices": INDEX, "Labels": LABEL, "Weights": pos(6, 1),
         "StatesInfo": pos(3, 4, key=2)},
        {"class_number": 3}, "states", single=True,
    ),
    as_185("positive_negative_pair", PAIRS, {"column": 1}, single=True, dtypes=()),
    as_185(
        "positive_negative_pair",
        {**PAIRS, "AccumulatePositivePair": np.array([2.0]),
         "AccumulateNegativePair": np.array([3.0]), "AccumulateNeutralPair": np.array([4.0]),
         "Weight": pos(8, 1)},
        {"column": -1}, "sums", single=True, dtypes=(),
    ),
]  # fmt: skip


def _bad(op, match, raises=ValueError, attrs=None, **inputs):
    return ErrorSample(op, inputs, attrs or {}, raises, match)


THREE = {"class_number": 3}
ERRORS = [
    _bad("precision_recall", "a label and a weight for each", attrs=THREE,
         MaxProbs=PROBS, Indices=INDEX, Labels=LABEL[1:]),
    _bad("precision_recall", r"StatesInfo \[3, 4\]", attrs=THREE,
         MaxProbs=PROBS, Indices=INDEX, Labels=LABEL, StatesInfo=pos(2, 4)),
    _bad("precision_recall", r"classes in \[0, 2\)", IndexError, {"class_number": 2},
         MaxProbs=PROBS, Indices=INDEX, Labels=LABEL),
    _bad("positive_negative_pair", "with a column 2", attrs={"column": 2}, **PAIRS),
    _bad("positive_negative_pair", "a number for each of 8 rows", Score=SCORE, Label=GRADE[1:],
         QueryID=QUERY),
    _bad("positive_negative_pair", "all three accumulated", AccumulatePositivePair=pos(1), **PAIRS),
]  # fmt: skip
