"""Guide 1.1.2 and the slide on broadcasting: which shapes go together, and what comes out."""

from __future__ import annotations

import numpy as np
import pytest

import paddle
from tests.seeds.printed import output


@pytest.mark.parametrize(
    ("one", "other", "printed"),
    [
        ((2, 3, 4), (2, 3, 4), "[2, 3, 4]"),
        ((2, 3, 1, 5), (3, 4, 1), "[2, 3, 4, 5]"),
        ((2, 1, 4), (3, 1), "[2, 3, 4]"),
    ],
)
def test_shapes_that_go_together(one: tuple, other: tuple, printed: str) -> None:
    x = paddle.ones(one)
    y = paddle.ones(other)
    with output() as out:
        z = x + y
        print(z.shape)
    out.is_(printed)
    assert (z.numpy() == 2).all()


@pytest.mark.parametrize(("one", "other"), [((2, 3, 4), (2, 3, 6)), ((2, 1, 4), (3, 2))])
def test_shapes_that_do_not(one: tuple, other: tuple) -> None:
    x = paddle.ones(one)
    y = paddle.ones(other)
    with pytest.raises(ValueError, match=r"\(InvalidArgument\) Broadcast dimension mismatch") as e:
        x + y
    assert str(list(one)) in str(e.value)
    assert str(list(other)) in str(e.value)


def test_the_picture_of_the_slide() -> None:
    a = paddle.to_tensor([[0, 0, 0], [10, 10, 10], [20, 20, 20], [30, 30, 30]])
    b = paddle.to_tensor([0, 1, 2])
    result = a + b
    assert result.numpy().tolist() == [[0, 1, 2], [10, 11, 12], [20, 21, 22], [30, 31, 32]]


def test_the_smaller_tensor_is_not_changed_and_gets_its_own_gradient() -> None:
    a = paddle.ones([4, 3])
    b = paddle.to_tensor([0.0, 1.0, 2.0], stop_gradient=False)
    (a * b).sum().backward()
    assert b.shape == [3]
    np.testing.assert_array_equal(b.grad.numpy(), [4.0, 4.0, 4.0])
