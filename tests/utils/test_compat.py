"""paddle.compat: text, bytes, rounding."""

from __future__ import annotations

import math

import pytest

from paddle import compat


def test_text() -> None:
    assert compat.to_text(b"\xe4\xb8\xad") == "中" and compat.to_text("a") == "a"
    assert compat.to_text(None) is None and compat.to_text(3) == 3
    assert compat.to_text([b"a", "b"]) == ["a", "b"]
    assert compat.to_text({b"a"}) == {"a"}
    assert compat.to_text({b"k": b"v", "n": 1}) == {"k": "v", "n": 1}
    assert compat.to_text(b"\xe9", "latin1") == "é"


def test_bytes() -> None:
    assert compat.to_bytes("中") == b"\xe4\xb8\xad" and compat.to_bytes(b"a") == b"a"
    assert compat.to_bytes(["a", b"b"]) == [b"a", b"b"] and compat.to_bytes({"a"}) == {b"a"}
    assert compat.to_bytes(None) is None


def test_in_place() -> None:
    for convert, before, after in (
        (compat.to_text, [b"a"], ["a"]),
        (compat.to_text, {b"a"}, {"a"}),
        (compat.to_text, {b"k": b"v"}, {"k": "v"}),
        (compat.to_bytes, ["a"], [b"a"]),
        (compat.to_bytes, {"a"}, {b"a"}),
    ):
        assert convert(before, inplace=True) is before and before == after
        assert convert(before) is not before


@pytest.mark.parametrize(
    "x, d, expected",
    [(0.5, 0, 1.0), (1.5, 0, 2.0), (2.5, 0, 3.0), (-2.5, 0, -3.0), (0.125, 2, 0.13), (0.0, 0, 0.0)],
)
def test_round_goes_away_from_zero(x: float, d: int, expected: float) -> None:
    assert compat.round(x, d) == expected


def test_the_rest() -> None:
    assert math.isnan(compat.round(math.nan)) and compat.round(math.inf) == math.inf
    assert compat.floor_division(7, 2) == 3 and compat.floor_division(-7, 2) == -4
    assert compat.get_exception_message(ValueError("text")) == "text"
    assert compat.long_type is int
    with pytest.raises(TypeError, match="expected an exception, but received str"):
        compat.get_exception_message("text")
