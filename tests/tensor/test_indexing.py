"""Reading and writing by index, against NumPy."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import paddle
from paddle.core.mode import hooked
from paddle.core.op import C

SHAPE = (4, 3, 5)
DATA = np.arange(60.0).reshape(SHAPE)


def as_ours(part, kind):
    """One part of a NumPy index in the form a Paddle user would write it."""
    if isinstance(part, np.ndarray):
        return {"array": part, "list": part.tolist(), "tensor": paddle.to_tensor(part)}[kind]
    return part


def at_least_1d(array):
    return np.asarray(array).reshape(1) if np.ndim(array) == 0 else np.asarray(array)


def random_basic(state):
    """A random index of ints, slices, None and an ellipsis, and its source text for messages."""
    parts = []
    dots = state.rand() < 0.3
    for size in SHAPE[: state.randint(0, 4)]:
        if state.rand() < 0.15:
            parts.append(None)
        kind = state.randint(4)
        if kind == 0:
            parts.append(int(state.randint(-size, size)))
        elif kind == 1:
            parts.append(
                slice(*[None if state.rand() < 0.4 else int(state.randint(-7, 8)) for _ in "ab"])
            )
        elif kind == 2:
            start, stop = (None if state.rand() < 0.4 else int(state.randint(-7, 8)) for _ in "ab")
            parts.append(slice(start, stop, int(state.choice([-3, -2, -1, 1, 2, 3]))))
        else:
            parts.append(slice(None))
    if dots:
        parts.insert(state.randint(len(parts) + 1), Ellipsis)
    return parts[0] if len(parts) == 1 else tuple(parts)


def random_mixed(state):
    """A random index that holds at least one integer or boolean array."""
    count = state.randint(1, 4)
    parts = []
    where = state.randint(count)
    length = state.randint(1, 4)
    axis = 0
    for i in range(count):
        size = SHAPE[axis]
        kind = 0 if i == where else state.randint(6)
        if kind == 0:
            shape = [(length,), (2, length), (1,)][state.randint(3)]
            parts.append(state.randint(-size, size, shape))
        elif kind == 1:
            mask = np.zeros(size, bool)
            mask[state.permutation(size)[: min(length, size)]] = True
            parts.append(mask)
        elif kind == 2:
            parts.append(int(state.randint(-size, size)))
        elif kind == 3:
            start, stop = (None if state.rand() < 0.5 else int(state.randint(-6, 7)) for _ in "ab")
            parts.append(slice(start, stop, int(state.choice([-2, -1, 1, 2]))))
        elif kind == 4:
            parts.append(slice(None))
        else:
            parts.append(None)
            continue
        axis += 1
    return tuple(parts)


def batch(make, seed, count):
    """``count`` indices that NumPy accepts."""
    state, found = np.random.RandomState(seed), []
    while len(found) < count:
        index = make(state)
        try:
            DATA[index]
        except IndexError:
            continue
        found.append(index)
    return found


BASIC = [batch(random_basic, seed, 50) for seed in range(6)]
MIXED = [batch(random_mixed, seed, 40) for seed in range(6)]
ALL = [(i, "array") for i in itertools.chain(*BASIC)] + [
    (index, kind) for k, group in enumerate(MIXED) for index, kind in
    zip(group, itertools.cycle(["array", "list", "tensor"]))
]  # fmt: skip


def ours(index, kind):
    if isinstance(index, tuple):
        return tuple(as_ours(p, kind) for p in index)
    return as_ours(index, kind)


def scalar_tensors(index, kind):
    """Whether a Tensor of shape [1] is in the index, which NumPy would not take as a scalar."""
    parts = index if isinstance(index, tuple) else (index,)
    return kind == "tensor" and any(
        isinstance(p, np.ndarray) and p.size == 1 and p.ndim == 1 and p.dtype != bool for p in parts
    )


CASES = [(i, k) for i, k in ALL if not scalar_tensors(i, k)]
GROUPS = [CASES[i : i + 60] for i in range(0, len(CASES), 60)]
each_group = pytest.mark.parametrize("cases", GROUPS, ids=range(len(GROUPS)))


def test_there_are_several_hundred():
    assert len(CASES) > 450


@each_group
def test_reading(cases):
    x = paddle.to_tensor(DATA)
    for index, kind in cases:
        np.testing.assert_array_equal(
            x[ours(index, kind)].numpy(), at_least_1d(DATA[index]), err_msg=f"{index} as {kind}"
        )
    np.testing.assert_array_equal(x.numpy(), DATA)


def test_what_was_read_is_independent():
    for index, kind in CASES[::7]:
        x = paddle.to_tensor(DATA)
        part = x[ours(index, kind)]
        expected = part.numpy()
        x[...] = -1.0
        np.testing.assert_array_equal(part.numpy(), expected, err_msg=f"{index}")
        part[...] = -2.0
        assert (x.numpy() == -1).all(), index


@each_group
def test_reading_has_the_right_gradient(cases):
    for index, kind in cases:
        x = paddle.to_tensor(DATA, stop_gradient=False)
        part = x[ours(index, kind)]
        weight = np.arange(1.0, part.size + 1).reshape(part.shape)
        (part * paddle.to_tensor(weight)).sum().backward()
        expected = np.zeros(SHAPE)
        np.add.at(expected, index, weight.reshape(np.shape(DATA[index])))
        np.testing.assert_array_equal(x.grad.numpy(), expected, err_msg=f"{index} as {kind}")


@each_group
def test_writing_a_number(cases):
    for index, kind in cases:
        x, expected = paddle.to_tensor(DATA), DATA.copy()
        x[ours(index, kind)] = -5
        expected[index] = -5
        np.testing.assert_array_equal(x.numpy(), expected, err_msg=f"{index} as {kind}")


def repeats(index):
    """Whether positions repeat, so that the order of writing would matter."""
    counted = np.zeros(SHAPE)
    np.add.at(counted, index, 1)
    return counted.max(initial=0) > 1


@each_group
def test_writing_arrays_and_tensors(cases):
    for number, (index, kind) in enumerate(cases):
        if repeats(index):
            continue
        x, expected = paddle.to_tensor(DATA), DATA.copy()
        shape = expected[index].shape
        if number % 3 == 0 and shape:
            shape = (1, *shape[1:]) if number % 2 else shape[-1:]  # to be broadcast
        value = -np.arange(1.0, np.prod(shape) + 1).reshape(shape)
        x[ours(index, kind)] = value if number % 2 else paddle.to_tensor(value)
        expected[index] = value
        np.testing.assert_array_equal(x.numpy(), expected, err_msg=f"{index} as {kind}")


@each_group
def test_writing_has_the_right_gradients(cases):
    for index, kind in cases:
        if repeats(index):
            continue
        x = paddle.to_tensor(DATA, stop_gradient=False)
        shape = np.shape(DATA[index]) or (1,)
        value = paddle.to_tensor(np.full(shape, 2.0), stop_gradient=False)
        y = x * 1.0
        y[ours(index, kind)] = value
        weight = np.arange(1.0, 61).reshape(SHAPE)
        (y * paddle.to_tensor(weight)).sum().backward()
        expected = weight.copy()
        expected[index] = 0
        np.testing.assert_array_equal(x.grad.numpy(), expected, err_msg=f"{index} as {kind}")
        np.testing.assert_array_equal(
            value.grad.numpy(), weight[index].reshape(shape), err_msg=f"{index} as {kind}"
        )


# -- rules of 2.0 --------------------------------------------------------------------------------


def test_the_guide():
    x = paddle.to_tensor([0, 1, 2, 3, 4, 5, 6, 7, 8])
    assert x[0].shape == [1] and x[-1].numpy().tolist() == [8]
    np.testing.assert_array_equal(x[::-1].numpy(), np.arange(9)[::-1])
    y = paddle.to_tensor(np.ones((2, 3), "float32"))
    before = id(y)
    y[0] = 0
    y[0:1] = 2.1
    y[...] = 3
    y[0:1] = np.array([1, 2, 3])
    y[1] = paddle.ones([3])
    assert id(y) == before
    np.testing.assert_array_equal(y.numpy(), [[1, 2, 3], [1, 1, 1]])


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "int32", "int64"])
def test_a_tensor_of_one_integer_is_a_scalar_index(dtype):
    x = paddle.to_tensor(DATA)
    one, two = paddle.to_tensor(1, dtype=dtype), paddle.to_tensor([2], dtype=dtype)
    np.testing.assert_array_equal(x[one].numpy(), DATA[1])
    np.testing.assert_array_equal(x[two, one].numpy(), DATA[2, 1])
    np.testing.assert_array_equal(x[one:two].numpy(), DATA[1:2])
    np.testing.assert_array_equal(x[:, ::two].numpy(), DATA[:, ::2])
    x[one] = 0.0
    assert (x.numpy()[1] == 0).all() and (x.numpy()[2] == DATA[2]).all()


@pytest.mark.parametrize("dtype", ["uint8", "int32", "int64"])
def test_integer_tensors_of_any_width(dtype):
    x, index = paddle.to_tensor(DATA), np.array([2, 0, 3], dtype)
    np.testing.assert_array_equal(x[paddle.to_tensor(index)].numpy(), DATA[index])
    np.testing.assert_array_equal(x[index].numpy(), DATA[index])


@pytest.mark.parametrize("number", [np.int64(2), np.int32(2), np.uint8(2), np.array(2)])
def test_numpy_integers(number):
    x = paddle.to_tensor(DATA)
    np.testing.assert_array_equal(x[number].numpy(), DATA[2])
    np.testing.assert_array_equal(x[:number, number].numpy(), DATA[:2, 2])


@pytest.mark.parametrize("shape", [(4,), (4, 3), SHAPE])
@pytest.mark.parametrize("filled", ["some", "none", "all"])
def test_boolean_masks(shape, filled):
    x = paddle.to_tensor(DATA)
    mask = {"some": np.arange(np.prod(shape)) % 3 == 1, "none": np.zeros(np.prod(shape), bool),
            "all": np.ones(np.prod(shape), bool)}[filled].reshape(shape)  # fmt: skip
    np.testing.assert_array_equal(x[paddle.to_tensor(mask)].numpy(), DATA[mask])
    np.testing.assert_array_equal(x[mask.tolist()].numpy(), DATA[mask])
    x[paddle.to_tensor(mask)] = 7.0
    np.testing.assert_array_equal(
        x.numpy(), np.where(mask.reshape(shape + (1,) * (3 - len(shape))), 7, DATA)
    )


def test_mask_from_a_comparison():
    x = paddle.to_tensor([3.0, -1.0, 2.0, -4.0])
    x[x < 0] = 0.0
    assert x.tolist() == [3, 0, 2, 0]
    x[x > 0] = paddle.to_tensor([10.0, 20.0])
    assert x.tolist() == [10, 0, 20, 0]


@pytest.mark.parametrize("index", [True, False, np.True_, (slice(None), True), (0, None), ()])
def test_single_booleans_and_empty_tuple(index):
    x = paddle.to_tensor(DATA)
    np.testing.assert_array_equal(x[index].numpy(), DATA[index])


def test_empty_lists_and_parts():
    x = paddle.to_tensor(DATA)
    assert x[[]].shape == [0, 3, 5]
    assert x[2:2].shape == [0, 3, 5]
    assert x[:, [], 1].shape == [4, 0]
    x[2:2] = 1.0
    x[[]] = 1.0
    np.testing.assert_array_equal(x.numpy(), DATA)


def test_nested_lists_are_one_index():
    x = paddle.to_tensor(DATA)
    np.testing.assert_array_equal(x[[[0, 1], [3, 2]]].numpy(), DATA[np.array([[0, 1], [3, 2]])])


def test_a_list_of_scalar_tensors():
    x = paddle.to_tensor(DATA)
    two, zero = paddle.to_tensor(2), paddle.to_tensor([0])
    np.testing.assert_array_equal(x[[two, zero]].numpy(), DATA[[2, 0]])
    np.testing.assert_array_equal(x[[two, 1]].numpy(), DATA[[2, 1]])


def test_repeated_positions_add_up_in_the_gradient():
    x = paddle.to_tensor([1.0, 2.0, 3.0], stop_gradient=False)
    x[[0, 0, 2, 0]].sum().backward()
    assert x.grad.tolist() == [3, 0, 1]


def test_second_derivative_through_an_index():
    x = paddle.to_tensor([1.0, 2.0, 3.0], stop_gradient=False)
    y = (x[::-1] ** 3)[paddle.to_tensor([0, 2, 2])].sum()
    (dx,) = paddle.grad(y, x, create_graph=True)
    np.testing.assert_allclose(dx.numpy(), [6, 0, 27])
    (d2,) = paddle.grad((dx * dx).sum(), x)
    np.testing.assert_allclose(d2.numpy(), [2 * 6 * 12, 0, 2 * 27 * 18])


# -- values that are written ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "dtype", ["bool", "uint8", "int32", "int64", "float16", "float32", "float64"]
)
@pytest.mark.parametrize(
    "value",
    [
        1,
        2.75,
        True,
        np.float64(2.75),
        np.int8(1),
        np.array([1.5, 2.5, 0.0]),
        [1, 0, 2],
        (1.0, 0.5, 0.0),
    ],
)
def test_values_take_the_type_of_the_tensor(dtype, value):
    x, expected = paddle.zeros([2, 3], dtype), np.zeros((2, 3), dtype)
    x[1] = value
    expected[1] = value
    assert x.dtype == dtype
    np.testing.assert_array_equal(x.numpy(), expected)


def test_a_tensor_of_another_type_is_converted():
    x = paddle.zeros([3], "int64")
    x[0] = paddle.to_tensor(2.9)
    x[1:] = paddle.to_tensor([True, False])
    assert x.tolist() == [2, 1, 0]
    z = paddle.zeros([2], "complex64")
    z[0] = 1 + 2j
    z[1] = paddle.to_tensor(3.0)
    assert z.tolist() == [1 + 2j, 3]


def test_overlapping_source():
    x = paddle.to_tensor([1.0, 2.0, 3.0, 4.0])
    x[1:] = x[:-1]
    assert x.tolist() == [1, 1, 2, 3]
    x[:] = x[::-1]
    assert x.tolist() == [3, 2, 1, 1]


def test_augmented_assignment():
    x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])
    x[0] += 10
    x[:, 1] *= 2
    assert x.tolist() == [[11, 24], [3, 8]]


def test_written_value_with_a_gradient_makes_the_target_differentiable():
    x = paddle.zeros([3])
    v = paddle.to_tensor([2.0], stop_gradient=False)
    x[1] = v * 3
    assert not x.stop_gradient
    (x * x).sum().backward()
    assert v.grad.tolist() == [36.0]


def test_writing_keeps_what_was_computed_before():
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    y = x * 1.0
    square = y * y
    y[0] = 10.0
    square.sum().backward()
    assert x.grad.tolist() == [2.0, 4.0]


# -- bad input -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "index",
    [4, -5, (0, 3), (0, 0, 5), (0, 0, 0, 0), [4], [0, -5], np.array([9]), (slice(None), [0, 3]),
     (Ellipsis, Ellipsis), (0, 0, 0, 0, None)],
)  # fmt: skip
def test_out_of_range(index):
    x = paddle.to_tensor(DATA)
    with pytest.raises(IndexError) as caught:
        x[index]
    assert "(OutOfRange)" in str(caught.value)
    with pytest.raises(IndexError):
        x[index] = 1.0
    with pytest.raises(IndexError):
        x[tuple(paddle.to_tensor(i) if isinstance(i, list) else i for i in index)
          if isinstance(index, tuple) else index]  # fmt: skip
    np.testing.assert_array_equal(x.numpy(), DATA)


def test_out_of_range_in_gradient_mode():
    x = paddle.to_tensor(DATA, stop_gradient=False) * 1.0
    with pytest.raises(IndexError):
        x[7]
    with pytest.raises(IndexError):
        x[7] = 1.0


@pytest.mark.parametrize("shape", [(5,), (3,), (4, 2), (1,)])
def test_masks_of_a_wrong_shape(shape):
    x = paddle.to_tensor(DATA)
    mask = paddle.to_tensor(np.ones(shape, bool))
    with pytest.raises(IndexError, match=r"mask|bool"):
        x[mask]
    with pytest.raises(IndexError, match=r"mask|bool"):
        x[mask] = 0.0


def test_index_arrays_that_do_not_broadcast():
    x = paddle.to_tensor(DATA)
    with pytest.raises(IndexError, match=r"broadcast.*\[2\].*\[3\]"):
        x[[0, 1], [0, 1, 2]]


@pytest.mark.parametrize(
    "index", [1.0, "a", 1j, {0: 1}, object(), [1.5], ["a"], slice(0.5, 2), (0, 1.0)]
)
def test_wrong_type_of_index(index):
    x = paddle.to_tensor(DATA)
    with pytest.raises(TypeError, match="index"):
        x[index]
    with pytest.raises(TypeError, match="index"):
        x[index] = 1.0


def test_floating_tensor_as_index():
    x = paddle.to_tensor(DATA)
    for wrong in (paddle.to_tensor([0.0, 1.0]), paddle.to_tensor(1.0)):
        with pytest.raises(TypeError, match=r"index.*VarType\.FP32"):
            x[wrong]


def test_step_zero():
    with pytest.raises(ValueError, match="step of a slice must not be 0"):
        paddle.to_tensor(DATA)[::0]


@pytest.mark.parametrize("value", [np.zeros(4), np.zeros((2, 5)), [1.0, 2.0]])
def test_value_that_does_not_broadcast(value):
    x = paddle.to_tensor(DATA)
    with pytest.raises(
        ValueError, match=r"expected a value that broadcasts .*\[4, 3, 5\]"
    ) as caught:
        x[0] = value
    assert str(list(np.shape(value))) in str(caught.value)
    np.testing.assert_array_equal(x.numpy(), DATA)


@pytest.mark.parametrize("value", ["text", None, {1: 2}, object(), ["a"]])
def test_wrong_type_of_value(value):
    with pytest.raises(TypeError, match="expected a number, array or Tensor as value"):
        paddle.to_tensor(DATA)[0] = value


def test_writing_to_a_leaf_that_wants_a_gradient():
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    with pytest.raises(ValueError, match=r"(?s)leaf.*no_grad"):
        x[0] = 5.0
    with paddle.no_grad():
        x[0] = 5.0
    assert x.tolist() == [5, 2]
    assert not x.stop_gradient


def test_a_failed_write_changes_nothing():
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False) * 1.0
    with pytest.raises(ValueError):
        x[:] = np.zeros(3)
    assert x.tolist() == [1, 2]


@pytest.mark.parametrize(
    "item", [1, slice(1, 3), slice(0, 4, 2), (1, 2), (slice(1, 3), 0), (), None]
)
def test_a_read_that_nobody_records_equals_the_operator(item):
    """It takes a short way; the operator still runs where it is recorded or intercepted."""
    seen = []

    def hook(op, args, attrs):
        seen.append(op.name)
        with hooked(None):
            return getattr(C, op.name)(*args, **attrs)

    x, leaf = paddle.to_tensor(DATA), paddle.to_tensor(DATA, stop_gradient=False)
    with hooked(hook):
        expected = x[item]
    assert seen == ["getitem"]
    quiet, recorded = x[item], leaf[item]
    with paddle.no_grad():
        under = leaf[item]
    for part, stops in ((quiet, True), (recorded, False), (under, True)):
        assert part.stop_gradient is stops and part.dtype is x.dtype
        assert part.is_leaf is stops
        np.testing.assert_array_equal(part.numpy(), expected.numpy())
    quiet[:] = -1.0
    np.testing.assert_array_equal(x.numpy(), DATA)
    recorded.sum().backward()
    grad = np.zeros(SHAPE)
    grad[item] = 1
    np.testing.assert_array_equal(leaf.grad.numpy(), grad)


@pytest.mark.parametrize("stop_gradient", [True, False])
def test_a_wrong_read_fails_alike_whether_recorded_or_not(stop_gradient):
    x = paddle.to_tensor(DATA, stop_gradient=stop_gradient)
    for item in (4, (0, -4), (0, 0, 0, 0)):
        with pytest.raises(IndexError, match="getitem"):
            x[item]
    with pytest.raises(TypeError, match="slice indices"):
        x["a":]
