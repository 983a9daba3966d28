"""Functions that rearrange tensors, as users call them."""

from __future__ import annotations

import numpy as np
import pytest

import paddle

A = np.arange(24, dtype="float32").reshape(2, 3, 4)


def X():
    return paddle.to_tensor(A)


T = paddle.to_tensor


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda: paddle.reshape(X(), [4, 6]), A.reshape(4, 6)),
        (lambda: paddle.reshape(X(), (0, -1)), A.reshape(2, 12)),
        (lambda: paddle.reshape(X(), [0, 0, -1, 2]), A.reshape(2, 3, 2, 2)),
        (lambda: paddle.reshape(X(), T([3, 8])), A.reshape(3, 8)),
        (lambda: paddle.reshape(X(), [T(3), 8]), A.reshape(3, 8)),
        (lambda: paddle.reshape(X(), [np.int64(3), np.int32(8)]), A.reshape(3, 8)),
        (lambda: paddle.reshape(paddle.zeros([0, 2]), [-1, 0]), np.zeros([0, 2])),
        (lambda: paddle.reshape(paddle.ones([1]), []), np.ones([1])),
        (lambda: paddle.transpose(X(), [2, 0, 1]), A.transpose(2, 0, 1)),
        (lambda: paddle.transpose(X(), (-1, 0, 1)), A.transpose(2, 0, 1)),
        (lambda: paddle.squeeze(paddle.ones([1, 2, 1])), np.ones([2])),
        (lambda: paddle.squeeze(paddle.ones([1, 2, 1]), [0, -1]), np.ones([2])),
        (lambda: paddle.squeeze(paddle.ones([1, 2, 1]), 1), np.ones([1, 2, 1])),
        (lambda: paddle.squeeze(paddle.ones([1, 1])), np.ones([1])),
        (lambda: paddle.unsqueeze(X(), 0), A[None]),
        (lambda: paddle.unsqueeze(X(), [0, -1]), A[None, ..., None]),
        (lambda: paddle.unsqueeze(X(), T([0, 2])), A.reshape(1, 2, 1, 3, 4)),
        (lambda: paddle.unsqueeze(X(), [T(0), 2]), A.reshape(1, 2, 1, 3, 4)),
        (lambda: paddle.flatten(X()), A.reshape(-1)),
        (lambda: paddle.flatten(X(), 1), A.reshape(2, 12)),
        (lambda: paddle.flatten(X(), -3, -2), A.reshape(6, 4)),
        (lambda: paddle.flatten(X(), 1, 1), A),
        (lambda: paddle.concat([X(), X()], axis=-1), np.concatenate([A, A], -1)),
        (lambda: paddle.concat((X(), X()), axis=T(1)), np.concatenate([A, A], 1)),
        (lambda: paddle.stack([X(), X()], axis=2), np.stack([A, A], 2)),
        (lambda: paddle.tile(X(), [2, 1, 1, 2]), np.tile(A, [2, 1, 1, 2])),
        (lambda: paddle.tile(X(), 2), np.tile(A, 2)),
        (lambda: paddle.tile(X(), [T(2), 1]), np.tile(A, [2, 1])),
        (lambda: paddle.expand(T([1.0, 2.0]), [3, -1]), np.float32([[1, 2]] * 3)),
        (lambda: paddle.expand(T([1.0, 2.0]), T([3, 2])), np.float32([[1, 2]] * 3)),
        (lambda: paddle.broadcast_to(T([[1.0], [2.0]]), (2, 3)), np.float32([[1] * 3, [2] * 3])),
        (lambda: paddle.expand_as(T([1.0, 2.0]), paddle.ones([2, 2])), np.float32([[1, 2]] * 2)),
        (lambda: paddle.flip(X(), [0, 2]), A[::-1, :, ::-1]),
        (lambda: paddle.flip(X(), -1), A[..., ::-1]),
        (lambda: paddle.reverse(X(), 0), A[::-1]),
        (lambda: paddle.roll(X(), 1), np.roll(A, 1)),
        (lambda: paddle.roll(X(), [1, -1], [0, 1]), np.roll(A, [1, -1], [0, 1])),
        (lambda: paddle.roll(X(), T(2), 2), np.roll(A, 2, 2)),
        (lambda: paddle.slice(X(), [0, 2], [0, -3], [1, 9]), A[0:1, :, -3:9]),
        (lambda: paddle.slice(X(), (1,), (1,), (1,)), A[:, 1:1]),
        (lambda: paddle.slice(X(), [1], T([1]), T([2])), A[:, 1:2]),
        (lambda: paddle.slice(X(), [1, -1], [T(1), 0], [2, T(3)]), A[:, 1:2, 0:3]),
        (lambda: paddle.strided_slice(X(), [1, 2], [2, 0], [0, 4], [-1, 2]), A[:, 2:0:-1, 0:4:2]),
        (lambda: paddle.strided_slice(X(), [2], [-1], [-9], [-2]), A[..., ::-2]),
        (lambda: paddle.strided_slice(X(), [2], T([0]), [4], [T(3)]), A[..., ::3]),
        (lambda: paddle.crop(X(), [1, -1, 2], [1, 1, 2]), A[1:2, 1:, 2:4]),
        (lambda: paddle.crop(X()), A),
        (lambda: paddle.crop(X(), T([1, 1, 1]), [0, T(2), 3]), A[:1, 2:3, 3:4]),
        (lambda: paddle.gather(X(), T([1, 0, 1])), A[[1, 0, 1]]),
        (lambda: paddle.gather(X(), T([[2], [0]]), axis=1), A[:, [2, 0]]),
        (lambda: paddle.gather(X(), T([3], "int32"), axis=T(-1)), A[..., [3]]),
        (lambda: paddle.gather_nd(X(), T([[0, 1], [1, 2]])), A[[0, 1], [1, 2]]),
        (lambda: paddle.gather_nd(X(), T([1, 2, 3])), A[1, 2, 3:4]),
        (lambda: paddle.scatter_nd(T([[1], [1]]), T([9.0, 10.0]), [3]), np.float32([0, 19, 0])),
        (lambda: paddle.scatter_nd(T([[1]]), T([9.0]), T([2])), np.float32([0, 9])),
    ],
)
def test_values(call, expected):
    out = call()
    assert out.shape == list(expected.shape)
    np.testing.assert_array_equal(out.numpy(), expected)


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda: paddle.split(X(), 3, 1), np.split(A, 3, 1)),
        (lambda: paddle.split(X(), [1, -1], axis=2), np.split(A, [1], 2)),
        (lambda: paddle.split(X(), (T(1), 3), axis=T(-1)), np.split(A, [1], 2)),
        (lambda: paddle.split(X(), 1), [A]),
        (lambda: paddle.chunk(X(), 2, -1), np.split(A, 2, -1)),
        (lambda: paddle.unstack(X(), 1), [A[:, i] for i in range(3)]),
        (lambda: paddle.unstack(X(), -1, 4), [A[..., i] for i in range(4)]),
        (lambda: paddle.unbind(X()), list(A)),
    ],
)
def test_parts(call, expected):
    parts = call()
    assert isinstance(parts, list) and len(parts) == len(expected)
    for part, e in zip(parts, expected, strict=True):
        np.testing.assert_array_equal(part.numpy(), e)


def test_gradient_of_a_part_that_is_used_alone():
    x = T([[1.0, 2.0, 3.0]], stop_gradient=False)
    _, second, _ = paddle.split(x, 3, axis=1)
    (second * 5).sum().backward()
    assert x.grad.tolist() == [[0.0, 5.0, 0.0]]


def test_results_do_not_share_memory_that_shows():
    x = paddle.zeros([2, 2])
    flat, rows = paddle.reshape(x, [4]), paddle.slice(x, [0], [0], [1])
    flat[0] = 1.0
    rows[0, 1] = 2.0
    assert x.tolist() == [[0.0, 0.0], [0.0, 0.0]]
    x[1, 1] = 3.0
    assert flat.tolist() == [1.0, 0.0, 0.0, 0.0]
    assert rows.tolist() == [[0.0, 2.0]]


def test_shape_lists_of_the_caller_stay_as_they_are():
    shape, perm = [0, -1], [1, 0, 2]
    paddle.reshape(X(), shape)
    paddle.transpose(X(), perm)
    paddle.unsqueeze(X(), perm[:2])
    assert (shape, perm) == ([0, -1], [1, 0, 2])


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda x: paddle.reshape_(x, [3, 1]), [3, 1]),
        (lambda x: paddle.squeeze_(x, 0), [3]),
        (lambda x: paddle.unsqueeze_(x, -1), [1, 3, 1]),
        (lambda x: paddle.scatter_(x, T([0]), paddle.ones([1, 3])), [1, 3]),
    ],
)
def test_in_place_forms_change_the_tensor_and_keep_the_graph(call, expected):
    w = T([[1.0, 2.0, 3.0]], stop_gradient=False)
    x = w * 2
    before = x.numpy()
    kept = x + 0
    assert call(x) is x
    assert x.shape == expected
    np.testing.assert_array_equal(kept.numpy(), before)
    (x * x).sum().backward()
    replaced = x.numpy().reshape(-1) == 1.0
    np.testing.assert_allclose(w.grad.numpy()[0], np.where(replaced, 0, [8.0, 16.0, 24.0]))


def test_in_place_on_a_leaf_that_wants_a_gradient_is_refused():
    w = paddle.ones([1, 3])
    w.stop_gradient = False
    for call in (
        lambda: paddle.reshape_(w, [3]),
        lambda: paddle.squeeze_(w),
        lambda: paddle.unsqueeze_(w, 0),
        lambda: w.fill_(1.0),
        lambda: w.zero_(),
    ):
        with pytest.raises(ValueError, match="cannot be changed in place"):
            call()
    with paddle.no_grad():
        w.fill_(4.0)
    assert w.tolist() == [[4.0, 4.0, 4.0]] and not w.stop_gradient and w.is_leaf


def test_fill_and_zero():
    x = paddle.to_tensor([1, 2])
    assert x.fill_(3.7) is x
    assert x.tolist() == [3, 3]
    assert x.zero_().tolist() == [0, 0]
    with pytest.raises(TypeError, match=r"fill_\(value\): expected a number"):
        x.fill_("a")


def test_scatter_overwrites_or_adds():
    x, ids = paddle.ones([3, 1]), T([2, 1, 2])
    rows = T([[4.0], [5.0], [6.0]])
    assert paddle.scatter(x, ids, rows).tolist() == [[1.0], [5.0], [6.0]]
    assert paddle.scatter(x, ids, rows, overwrite=False).tolist() == [[1.0], [5.0], [10.0]]
    assert paddle.scatter_nd_add(x, T([[2], [2]]), rows[:2]).tolist() == [[1.0], [1.0], [10.0]]


def test_scatter_gives_no_gradient_to_rows_that_were_written_over():
    x = paddle.ones([2, 1])
    rows = T([[1.0], [2.0], [3.0]], stop_gradient=False)
    (paddle.scatter(x, T([0, 0, 1]), rows) * T([[10.0], [20.0]])).sum().backward()
    assert rows.grad.tolist() == [[0.0], [10.0], [20.0]]


def test_unique():
    x = T([2, 3, 3, 1, 5, 3])
    assert paddle.unique(x).tolist() == [1, 2, 3, 5]
    values, index, inverse, counts = paddle.unique(x, True, True, True)
    assert values.tolist() == [1, 2, 3, 5]
    assert index.tolist() == [3, 0, 1, 4]
    assert inverse.tolist() == [1, 2, 2, 0, 3, 2]
    assert counts.tolist() == [1, 1, 3, 1]
    rows, counts = paddle.unique(
        T([[2, 1], [0, 0], [2, 1]]), return_counts=True, axis=0, dtype="int32"
    )
    assert rows.tolist() == [[0, 0], [2, 1]]
    assert (counts.tolist(), counts.dtype) == ([1, 2], paddle.int32)


def test_shard_index():
    label = T([[16], [1]])
    assert paddle.shard_index(label, 20, 2, 0).tolist() == [[-1], [1]]
    assert paddle.shard_index(label, 20, 2, 1, -5).tolist() == [[6], [-5]]


@pytest.mark.parametrize(
    ("call", "error", "match"),
    [
        (
            lambda: paddle.reshape(X(), [5, 5]),
            ValueError,
            r"\[2, 3, 4\] has 24 elements.*shape \[5, 5\]",
        ),
        (lambda: paddle.reshape(X(), [-1, 7]), ValueError, "cannot be divided into 7"),
        (
            lambda: paddle.reshape(X(), [-1, -1]),
            ValueError,
            "at most one dimension of shape may be -1",
        ),
        (lambda: paddle.reshape(X(), 24), TypeError, r"reshape\(shape\): expected a list"),
        (lambda: paddle.reshape(X(), "ab"), TypeError, "str 'ab'"),
        (lambda: paddle.reshape(X(), [2.0, 12]), TypeError, "list of ints"),
        (lambda: paddle.reshape(X(), [T(2.0), 12]), TypeError, "list of ints"),
        (lambda: paddle.reshape(A, [24]), TypeError, "argument X expects a Tensor"),
        (lambda: paddle.transpose(X(), [0, 1]), ValueError, r"rank 3.*received \[0, 1\]"),
        (lambda: paddle.transpose(X(), [0, 1, 1]), ValueError, "once"),
        (lambda: paddle.transpose(X(), "012"), TypeError, r"transpose\(perm\)"),
        (lambda: paddle.squeeze(X(), 3), ValueError, r"range of \[-3, 2\], but received 3"),
        (lambda: paddle.unsqueeze(X(), 5), ValueError, r"range of \[-4, 3\], but received 5"),
        (lambda: paddle.unsqueeze(X(), 1.5), TypeError, r"unsqueeze\(axis\)"),
        (lambda: paddle.flatten(X(), 2, 1), ValueError, "start_axis=2 and stop_axis=1"),
        (lambda: paddle.flatten(X(), 0, 3), ValueError, r"range of \[-3, 2\]"),
        (lambda: paddle.flatten(X(), "0"), TypeError, r"flatten\(start_axis\)"),
        (
            lambda: paddle.concat([X(), paddle.ones([1])]),
            ValueError,
            r"received shapes \[2, 3, 4\], \[1\]",
        ),
        (lambda: paddle.concat(X()), TypeError, "expected a list of Tensors"),
        (lambda: paddle.stack(X()), TypeError, "expected a list of Tensors"),
        (lambda: paddle.concat([]), TypeError, "non-empty list"),
        (lambda: paddle.concat([X(), X()], 3), ValueError, r"range of \[-3, 2\], but received 3"),
        (lambda: paddle.concat([X(), T([[[1]]])]), ValueError, "one data type"),
        (lambda: paddle.stack([X(), X()], 9), ValueError, "received 9"),
        (lambda: paddle.stack([X(), T([1.0])]), ValueError, "one shape"),
        (
            lambda: paddle.split(X(), 2, 1),
            ValueError,
            "3 elements cannot be divided into 2 equal parts",
        ),
        (lambda: paddle.split(X(), [1, 1], 1), ValueError, "add up to 3"),
        (lambda: paddle.split(X(), 2, 3), ValueError, r"range of \[-3, 2\]"),
        (lambda: paddle.split(X(), 2.0), TypeError, r"split\(num_or_sections\).*float 2.0"),
        (lambda: paddle.split(X(), 0), ValueError, "positive, but received 0"),
        (lambda: paddle.chunk(X(), 2.5), TypeError, r"chunk\(chunks\)"),
        (lambda: paddle.unstack(X(), 1, 2), ValueError, "num is expected to be 3"),
        (lambda: paddle.unbind(X(), 3), ValueError, "but received 3"),
        (lambda: paddle.tile(X(), [0]), ValueError, "positive"),
        (lambda: paddle.tile(X(), "ab"), TypeError, r"tile\(repeat_times\)"),
        (lambda: paddle.expand(X(), [4]), ValueError, r"\[2, 3, 4\] cannot be expanded to \[4\]"),
        (lambda: paddle.expand_as(X(), paddle.ones([2])), ValueError, "cannot be expanded"),
        (lambda: paddle.expand_as(X(), None), TypeError, r"expand_as\(y\)"),
        (lambda: paddle.flip(X(), 3), ValueError, "but received 3"),
        (lambda: paddle.roll(X(), [1, 2], 0), ValueError, "as many shifts as axes"),
        (lambda: paddle.slice(X(), 0, 1, 2), TypeError, r"slice\(axes\)"),
        (lambda: paddle.slice(X(), [3], [0], [1]), ValueError, r"range of \[-3, 2\]"),
        (lambda: paddle.slice(X(), [0, 1], [0], [1, 1]), ValueError, "as long as axes"),
        (lambda: paddle.strided_slice(X(), [0], [0], [1], [0]), ValueError, "differ from 0"),
        (lambda: paddle.crop(X(), [3, 3, 4]), ValueError, "offset 0 and size 3 in dimension 0"),
        (lambda: paddle.gather(X(), T([2])), IndexError, r"range of \[0, 1\]"),
        (lambda: paddle.gather(X(), [1]), TypeError, "argument Index expects a Tensor"),
        (lambda: paddle.gather_nd(X(), T([[0, 5]])), IndexError, "out of bounds"),
        (lambda: paddle.scatter(X(), T([2]), paddle.ones([1, 3, 4])), IndexError, "out of bounds"),
        (
            lambda: paddle.scatter(X(), T([1]), paddle.ones([1, 3])),
            ValueError,
            r"shape \[1, 3, 4\]",
        ),
        (
            lambda: paddle.scatter_nd_add(X(), T([[2]]), paddle.ones([1, 3, 4])),
            IndexError,
            "out of bounds",
        ),
        (lambda: paddle.unique(X(), axis=3), ValueError, r"range of \[-3, 2\]"),
        (lambda: paddle.unique(X(), dtype="float32"), TypeError, r"unique\(dtype\).*float32"),
        (lambda: paddle.shard_index(T([1]), 20, 2, 2), ValueError, "shard_id=2"),
    ],
)
def test_bad_input(call, error, match):
    with pytest.raises(error, match=match):
        call()
