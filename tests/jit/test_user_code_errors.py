"""What converted code refuses: an error at the user's line that says what to change."""

from __future__ import annotations

import numpy as np
import pytest

import paddle
from paddle.core.errors import InvalidArgumentError, PreconditionNotMetError
from paddle.static import InputSpec

ROWS = [InputSpec([None, 4], "float32", name="x")]


def rows(count: int, sign: float = 1.0) -> paddle.Tensor:
    return paddle.to_tensor(np.arange(count * 4, dtype="float32").reshape(count, 4) * sign)


def message_of(error: pytest.ExceptionInfo, source: str) -> str:
    text = str(error.value)
    assert text.startswith("In transformed code:"), text
    assert source in text, text
    return text


# -- what the user's own code says -----------------------------------------------------------------


def bounded(x):
    assert x.max() < 100, f"at most 100, and {x.ndim} dimensions"
    if x.sum() < 0:
        raise KeyError("negative")
    return x * 2


def test_message_of_an_assert_comes_when_it_fails():
    static = paddle.jit.to_static(bounded)
    np.testing.assert_array_equal(static(rows(2)).numpy(), rows(2).numpy() * 2)
    with pytest.raises(InvalidArgumentError, match="at most 100, and 2 dimensions") as error:
        static(rows(2) + 1000)
    message_of(error, "assert x.max() < 100")


def test_raise_under_a_tensor_condition_fails_the_run_only_where_it_holds():
    static = paddle.jit.to_static(bounded)
    static(rows(2))
    with pytest.raises(InvalidArgumentError, match="KeyError: 'negative'") as error:
        static(rows(2, -1.0))
    message_of(error, "if x.sum() < 0:")


def raises_both_ways(x):
    if x.sum() > 0:
        raise ValueError("positive")
    else:
        raise KeyError("negative")


def test_raise_in_both_branches_is_raised_at_once():
    with pytest.raises(ValueError, match="positive"):
        paddle.jit.to_static(raises_both_ways)(rows(2))


# -- None before a loop ----------------------------------------------------------------------------


def total_of(x):
    total = None
    for i in range(x.shape[0]):
        total = x[i] if total is None else total + x[i]
    return total


def scratch_of(x):
    last, total = None, paddle.zeros([4])
    for i in range(x.shape[0]):
        if last is not None:
            total = total + last * x[i]
        last = x[i]
    return total


def test_none_before_a_loop_without_iterations():
    static = paddle.jit.to_static(total_of, input_spec=ROWS)
    np.testing.assert_array_equal(static(rows(3)).numpy(), rows(3).numpy().sum(0))
    with pytest.raises(InvalidArgumentError, match=r"ran no iteration, so 'total' would be None"):
        static(rows(3)[:0])


def test_none_that_nobody_reads_afterwards_may_stay_none():
    static = paddle.jit.to_static(scratch_of, input_spec=ROWS)
    np.testing.assert_array_equal(static(rows(3)[:0]).numpy(), np.zeros(4, "float32"))
    np.testing.assert_array_equal(static(rows(3)).numpy(), scratch_of(rows(3)).numpy())


def none_under_a_condition(x):
    total = None
    for i in range(x.shape[0]):
        if x[i].sum() > 0:
            total = x[i] if total is None else total + x[i]
    return total


def test_none_that_a_tensor_decides_about():
    with pytest.raises(InvalidArgumentError, match=r"'total'.*None if not") as error:
        paddle.jit.to_static(none_under_a_condition, input_spec=ROWS)(rows(3))
    assert "make it the same kind in both" in str(error.value)


# -- changes that a Program cannot follow ----------------------------------------------------------


def through_a_closure(x):
    found = []

    def keep(row):
        found.append(row)

    for row in x:
        if row.sum() > 10:
            keep(row)
    return paddle.stack(found)


def through_an_argument(x):
    def clear(v):
        v[0] = 0.0
        return v

    y = x * 1
    if x.sum() > 0:
        clear(y)
    return y


def through_an_argument_in_place(x):
    def squash(v):
        return v.tanh_()

    y = x * 1
    if x.sum() > 0:
        squash(y)
    return y


def into_a_set(x):
    seen = set()
    for row in x:
        if row.sum() > 10:
            seen.add(1)
    return x * len(seen)


def by_a_computed_key(x):
    table = {}
    table[int(x.sum())] = x
    return x


def to_numpy(x):
    return x * float(x.numpy().sum())


def formatted(x):
    return {f"{float(x.sum()):.2f}": x}


def sorted_rows(x):
    return sorted([x[0], x[1]], key=lambda row: row.sum())


def factorial(x):
    if x.sum() <= 1:
        return x
    return x * factorial(x - 1)


def largest_of_rows(x):
    return max(x[0], x[1])


REFUSED = [
    (through_a_closure, InvalidArgumentError, "a list is changed by a function", "found.append"),
    (through_an_argument, InvalidArgumentError, r"x\.clone\(\)", "v[0] = 0.0"),
    (through_an_argument_in_place, InvalidArgumentError, "changed in place", "return v.tanh_()"),
    (into_a_set, InvalidArgumentError, "'seen' is set", "seen.add(1)"),
    (by_a_computed_key, InvalidArgumentError, "key of a dict", "table[int(x.sum())] = x"),
    (to_numpy, PreconditionNotMetError, "compute with paddle's functions", "x.numpy()"),
    (formatted, PreconditionNotMetError, "has no value before a run", ":.2f"),
    (sorted_rows, PreconditionNotMetError, "cannot be a Python condition", "sorted("),
    (factorial, InvalidArgumentError, "write it as a loop", "factorial(x - 1)"),
    (largest_of_rows, InvalidArgumentError, r"use paddle\.maximum", "max(x[0], x[1])"),
]


@pytest.mark.parametrize(
    ("function", "kind", "text", "source"), REFUSED, ids=lambda v: getattr(v, "__name__", None)
)
def test_refused(function, kind, text, source):
    with pytest.raises(kind, match=text) as error:
        paddle.jit.to_static(function)(rows(3))
    message_of(error, source)


def leaks(x):
    state = {"h": x}

    def update():
        state["h"] = state["h"] * 2

    if x.sum() > 0:
        update()
    return state["h"]


def test_value_that_leaves_a_branch_unseen():
    with pytest.raises(InvalidArgumentError, match="was made in a branch or loop") as error:
        paddle.jit.to_static(leaks)(rows(3))
    assert "in the branch itself" in str(error.value)
    assert 'state["h"] = state["h"] * 2' in str(error.value)
