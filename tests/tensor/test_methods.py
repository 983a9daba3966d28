"""Methods and properties of Tensor that are more than an operator."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import paddle
from paddle.core import unique_name
from tests import rounding

# -- properties ----------------------------------------------------------------------------------


def test_properties():
    x = paddle.ones([2, 3, 4, 5])
    assert x.shape == [2, 3, 4, 5] and type(x.shape) is list
    assert (x.ndim, x.dim(), x.ndimension(), x.size, len(x)) == (4, 4, 4, 120, 2)
    assert str(x.dtype) == repr(x.dtype) == f"{x.dtype}" == "VarType.FP32"
    assert x.dtype == paddle.float32 == "float32" and x.dtype == np.float32
    assert x.stop_gradient and x.grad is None and x.is_leaf
    assert x.persistable is False
    assert x.T.shape == [5, 4, 3, 2]
    assert x.element_size() == 4
    assert x.block is None
    assert str(x.type) == "VarType.LOD_TENSOR"


def test_shape_is_a_copy():
    x = paddle.ones([2, 3])
    x.shape.append(9)
    assert x.shape == [2, 3]


def test_names():
    x, y = paddle.to_tensor(1.0), paddle.to_tensor(2.0)
    assert x.name != y.name and x.name.startswith("generated_tensor_")
    z = x + y
    assert z.name == z.name != (x + y).name
    z.name = "mine"
    assert z.name == "mine"
    with unique_name.guard():
        assert paddle.to_tensor(1).name == "generated_tensor_0"


def test_stop_gradient_can_be_set():
    x = paddle.to_tensor(1.0)
    x.stop_gradient = False
    assert not (x * 2).stop_gradient
    x.stop_gradient = True
    assert (x * 2).stop_gradient


# -- reading -------------------------------------------------------------------------------------


def test_numpy_is_a_copy():
    x = paddle.ones([3])
    a, b = x.numpy(), x.numpy()
    a[0] = 5
    assert b[0] == 1 and x.tolist() == [1, 1, 1]
    assert a.flags.writeable and a.flags.owndata
    for view in (x.expand([2, 3]), paddle.ones([2, 3]).T, paddle.ones([4])[::2]):
        array = view.numpy()
        assert array.flags.c_contiguous
        array[...] = 3
        assert view.numpy().max() == 1


def test_item():
    x = paddle.to_tensor([[1, 2], [3, 4]])
    assert paddle.to_tensor(2.5).item() == 2.5 and type(paddle.to_tensor(2).item()) is int
    assert paddle.to_tensor([[[7]]]).item() == 7
    assert (x.item(0), x.item(3), x.item(1, 0), x.item(-1)) == (1, 4, 3, 4)
    assert paddle.to_tensor(True).item() is True
    assert paddle.to_tensor(1j).item() == 1j
    with pytest.raises(ValueError, match=r"one element.*\[2, 2\]"):
        x.item()
    with pytest.raises(ValueError, match=r"1 or 2 indices.*received 3"):
        x.item(0, 0, 0)
    with pytest.raises(IndexError):
        x.item(4)


def test_tolist():
    assert paddle.to_tensor([[1, 2], [3, 4]]).tolist() == [[1, 2], [3, 4]]
    assert paddle.to_tensor(1.5).tolist() == [1.5]


# -- conversions ---------------------------------------------------------------------------------

NAMES = ["bool", "int8", "uint8", "int16", "int32", "int64", "float16", "float32", "float64"]


@pytest.mark.parametrize("to", NAMES)
@pytest.mark.parametrize("frm", NAMES)
def test_astype(frm, to):
    data = np.array([0, 1, 2, 100]).astype(frm)
    x = paddle.to_tensor(data)
    for y in (x.astype(to), x.cast(to), paddle.cast(x, to), x.astype(np.dtype(to))):
        assert y.dtype == to
        np.testing.assert_array_equal(y.numpy(), data.astype(to))


def test_astype_truncates_and_is_differentiable():
    assert paddle.to_tensor([1.9, -1.9]).astype("int32").tolist() == [1, -1]
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    y = x.astype("float64")
    (y * y).sum().backward()
    assert x.grad.dtype == paddle.float32 and x.grad.tolist() == [2, 4]


def test_astype_to_the_same_type_does_not_share():
    x = paddle.ones([2])
    y = x.astype("float32")
    y[0] = 5.0
    assert x.tolist() == [1, 1] and y.tolist() == [5, 1]


@pytest.mark.parametrize("wrong", ["float31", None, 3.5])
def test_astype_rejects(wrong):
    with pytest.raises((TypeError, ValueError), match=r"dtype|data type"):
        paddle.ones([1]).astype(wrong)


def test_places():
    x = paddle.to_tensor([1.0], stop_gradient=False)
    y = x.cpu()
    assert repr(y.place) == "CPUPlace" and y.tolist() == [1.0]
    y.set_value(np.array([3.0]))
    assert x.tolist() == [1.0]
    assert repr(x.pin_memory().place) == "CUDAPinnedPlace"


@pytest.mark.skipif(paddle.core.place.device_count() > 0, reason="there is a GPU")
def test_a_gpu_that_is_not_there():
    with pytest.raises(RuntimeError, match=r"CUDAPlace\(0\) was asked for, but 0 GPUs"):
        paddle.ones([1]).cuda()
    with pytest.raises(RuntimeError, match=r"CUDAPlace\(3\)"):
        paddle.ones([1]).cuda(3)
    with pytest.raises(RuntimeError, match=r"CUDAPlace\(1\)"):
        paddle.to_tensor(1, place=paddle.CUDAPlace(1))


def test_to():
    x = paddle.ones([2])
    assert x.to("float64").dtype == paddle.float64
    assert x.to("cpu", "int32").dtype == paddle.int32
    assert x.to(device="cpu", dtype="float64", blocking=True).dtype == paddle.float64
    assert x.to(paddle.zeros([1], "int64")).dtype == paddle.int64
    assert x.to(paddle.CPUPlace()).tolist() == [1, 1]
    with pytest.raises(TypeError, match=r"Tensor.to: expected device, dtype or blocking.*wrong"):
        x.to(wrong=1)


# -- copies --------------------------------------------------------------------------------------


def test_clone_is_differentiable_and_independent():
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    y = x.clone()
    assert not y.stop_gradient and not y.is_leaf
    y[0] = 7.0
    (y * 3).sum().backward()
    assert x.tolist() == [1, 2] and x.grad.tolist() == [0, 3]
    assert paddle.ones([1]).clone().stop_gradient


def test_detach_shares_memory_and_leaves_the_graph():
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    d = x.detach()
    assert d.stop_gradient and d.is_leaf
    d[0] = 9.0
    assert x.tolist() == [9, 2]
    x.set_value(np.array([3.0, 4.0], "float32"))
    assert d.tolist() == [3, 4]
    e = d.detach()
    e[1] = 0.0
    assert x.tolist() == d.tolist() == e.tolist() == [3, 0]


def test_detach_of_a_result_does_not_disturb_the_graph():
    x = paddle.to_tensor([2.0], stop_gradient=False)
    y = x * x
    y.detach()
    y.backward()
    assert x.grad.tolist() == [4]


def test_detach_shares_through_views_but_views_stay_apart():
    x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])
    row = x[0]
    d = x.detach()
    d[0, 0] = 9.0
    assert x.tolist() == d.tolist() == [[9, 2], [3, 4]]
    assert row.tolist() == [1, 2]
    flat = d.reshape([-1])
    x[1, 1] = 0.0
    assert d.tolist() == x.tolist() == [[9, 2], [3, 0]]
    assert flat.tolist() == [9, 2, 3, 4]


def test_in_place_methods_show_in_detached_tensors():
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    y = x * 1.0
    d = y.detach()
    y[0] = 5.0
    assert d.tolist() == [5, 2]
    y.tanh_()
    assert d.tolist() == y.tolist() != [5, 2]
    d.fill_(3.0)
    assert y.tolist() == [3, 3]


def test_many_detached_handles_cost_nothing():
    x = paddle.ones([2])
    for _ in range(1000):
        x.detach()
    assert len(x._family) <= 2


def test_detached_handles_part_when_one_becomes_something_else():
    x = paddle.to_tensor([1.0, 2.0, 3.0, 4.0])
    d = x.detach()
    x.reshape_([2, 2])
    assert d.shape == [4]
    part = d[:2]
    d[0] = 9.0
    assert x.shape == [2, 2] and d.tolist() == [9, 2, 3, 4] and part.tolist() == [1, 2]


# -- writing -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "value",
    [
        np.array([[1, 2], [3, 4]]),
        np.array([[1, 3], [2, 4]]).T,
        np.array([[1.0, 2], [3, 4]], ">f8"),
        [[1, 2], [3, 4]],
        paddle.to_tensor([[1, 2], [3, 4]]),
    ],
)
def test_set_value(value):
    x = paddle.zeros([2, 2])
    x.set_value(value)
    assert x.dtype == paddle.float32 and x.tolist() == [[1, 2], [3, 4]]


def test_set_value_with_its_own_view():
    x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])
    x.set_value(x.T)
    assert x.tolist() == [[1, 3], [2, 4]]


def test_set_value_does_not_share_with_a_tensor():
    x, y = paddle.zeros([2]), paddle.ones([2])
    x.set_value(y)
    y[0] = 5.0
    x[1] = 7.0
    assert (x.tolist(), y.tolist()) == ([1, 7], [5, 1])


def test_set_value_rejects():
    x = paddle.zeros([2, 2])
    with pytest.raises(ValueError, match=r"expected shape \[2, 2\], but received \[4\]"):
        x.set_value(np.zeros(4))
    with pytest.raises(ValueError, match=r"received \[1\]"):
        x.set_value(3.0)
    with pytest.raises(TypeError, match="expected numbers"):
        x.set_value("text")
    with pytest.raises(TypeError, match="expected numbers"):
        x.set_value(None)
    assert x.tolist() == [[0, 0], [0, 0]]


def test_copy():
    x, y = paddle.zeros([2]), paddle.to_tensor([1.5, 2.0], dtype="float64")
    assert x.copy_(y, True) is x
    assert x.tolist() == [1.5, 2] and x.dtype == paddle.float32
    with pytest.raises(ValueError, match=r"Tensor of shape \[2\], but received \[3\]"):
        x.copy_(paddle.zeros([3]), True)
    with pytest.raises(ValueError, match="received list"):
        x.copy_([1, 2], True)


IN_PLACE = {
    "fill_": ((3.0,), [3, 3, 3, 3]),
    "zero_": ((), [0, 0, 0, 0]),
    "tanh_": ((), np.tanh([1.0, 4.0, 9.0, 16.0])),
}


@pytest.mark.parametrize("name", IN_PLACE)
def test_methods_in_place(name):
    args, expected = IN_PLACE[name]
    x = paddle.to_tensor([1.0, 4.0, 9.0, 16.0])
    view, part, name_before = x.reshape([2, 2]), x[1:3], x.name
    assert getattr(x, name)(*args) is x
    np.testing.assert_allclose(x.numpy(), np.array(expected, "float32"), rtol=1e-6)
    assert x.name == name_before
    assert view.tolist() == [[1, 4], [9, 16]] and part.tolist() == [4, 9]


@pytest.mark.parametrize(
    ("name", "args", "shape"),
    [("reshape_", ([4, 1],), [4, 1]), ("unsqueeze_", (0,), [1, 2, 2])],
)
def test_shape_methods_in_place(name, args, shape):
    x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])
    assert getattr(x, name)(*args) is x
    assert x.shape == shape
    x[0] = 9.0
    assert x.numpy().reshape(-1)[0] == 9


def test_squeeze_and_scatter_in_place():
    x = paddle.ones([1, 2])
    assert x.squeeze_() is x and x.shape == [2]
    x.scatter_(paddle.to_tensor([1]), paddle.to_tensor([5.0]))
    assert x.tolist() == [1, 5]


def test_in_place_methods_are_differentiable():
    x = paddle.to_tensor([1.0, 4.0], stop_gradient=False)
    y = x * 1.0
    y.tanh_()
    y.reshape_([2, 1])
    y[0] = y[1] * 2.0
    y.unsqueeze_(0)
    y.sum().backward()
    # 1 - tanh(4)^2: numbers of size 1 that cancel out
    rounding.close(x.grad.numpy(), [0, 3 / np.cosh(4.0) ** 2], terms=16, least=1.0)


@pytest.mark.parametrize("name", ["tanh_", "fill_", "reshape_", "zero_"])
def test_a_leaf_with_a_gradient_is_not_changed_in_place(name):
    x = paddle.to_tensor([1.0], stop_gradient=False)
    args = {"fill_": (1.0,), "reshape_": ([1, 1],)}.get(name, ())
    with pytest.raises(ValueError, match=r"(?s)leaf|stop_gradient=False.*in place"):
        getattr(x, name)(*args)
    with paddle.no_grad():
        getattr(x, name)(*args)
    assert not x.stop_gradient and x.is_leaf


# -- views are invisible -------------------------------------------------------------------------

VIEWS = {
    "reshape": lambda x: x.reshape([3, 2]),
    "reshape_same": lambda x: x.reshape([2, 3]),
    "transpose": lambda x: x.transpose([1, 0]),
    "T": lambda x: x.T,
    "t": lambda x: x.t(),
    "slice": lambda x: x[:, 1:],
    "step": lambda x: x[:, ::2],
    "row": lambda x: x[1],
    "whole": lambda x: x[:],
    "ellipsis": lambda x: x[...],
    "newaxis": lambda x: x[None],
    "flip": lambda x: x[::-1],
    "expand": lambda x: x.expand([4, 2, 3]),
    "broadcast_to": lambda x: x.broadcast_to([4, 2, 3]),
    "expand_as": lambda x: x.expand_as(paddle.ones([4, 2, 3])),
    "squeeze": lambda x: x.unsqueeze(0).squeeze(0),
    "unsqueeze": lambda x: x.unsqueeze(1),
    "flatten": lambda x: x.flatten(),
    "split": lambda x: x.split(3, axis=1)[1],
    "chunk": lambda x: x.chunk(3, axis=1)[2],
    "unbind": lambda x: x.unbind(0)[1],
    "unstack": lambda x: x.unstack(0)[0],
    "iter": lambda x: next(iter(x)),
    "clone": lambda x: x.clone(),
    "cast": lambda x: x.astype(x.dtype),
    "assign": lambda x: paddle.assign(x),
    "scale": lambda x: x.scale(1.0),
    "slice_op": lambda x: paddle.slice(x, [0], [0], [1]),
    "strided_slice": lambda x: paddle.strided_slice(x, [1], [0], [3], [2]),
    "tile_once": lambda x: x.tile([1, 1]),
    "roll": lambda x: x.roll(0),
    "concat_one": lambda x: paddle.concat([x]),
    "view_of_view": lambda x: x.T[1:].reshape([-1]),
    "pos": lambda x: +x,
}
WRITES = {
    "setitem": lambda x: x.__setitem__(..., -7.0),
    "one_element": lambda x: x.__setitem__(tuple([0] * x.ndim), -7.0),
    "set_value": lambda x: x.set_value(np.full(x.shape, -7.0)),
    "copy_": lambda x: x.copy_(paddle.full(x.shape, -7.0), True),
    "fill_": lambda x: x.fill_(-7.0),
    "tanh_": lambda x: (x.tanh_(), x.set_value(x.numpy() - 2)),
    "reshape_and_write": lambda x: x.reshape_([-1]).__setitem__(0, -7.0),
}


@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize("view", VIEWS)
def test_a_write_never_shows_in_another(view, write):
    data = np.arange(1.0, 7.0, dtype="float32").reshape(2, 3)
    for source_is_written in (True, False):
        x = paddle.to_tensor(data)
        other = VIEWS[view](x)
        kept, values = (other, other.numpy()) if source_is_written else (x, data)
        WRITES[write](x if source_is_written else other)
        np.testing.assert_array_equal(kept.numpy(), values)
        assert (x if source_is_written else other).numpy().min() < 0


@pytest.mark.parametrize("view", VIEWS)
def test_views_survive_an_optimizer_step(view):
    layer = paddle.nn.Linear(2, 3)
    w = layer.weight
    with paddle.no_grad():
        other = VIEWS[view](w)
    before = other.numpy()
    for make in (paddle.optimizer.SGD, paddle.optimizer.Adam, paddle.optimizer.Momentum):
        opt = make(learning_rate=0.5, parameters=layer.parameters())
        old = w.numpy()
        layer(paddle.ones([1, 2])).sum().backward()
        opt.step()
        opt.clear_grad()
        assert (w.numpy() != old).any()
        np.testing.assert_array_equal(other.numpy(), before)


def test_gradients_are_not_shared():
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    y = paddle.to_tensor([3.0, 4.0], stop_gradient=False)
    z = x + y
    z.backward()
    x.grad[0] = 9.0
    assert y.grad.tolist() == [1, 1]
    assert z.grad.tolist() == [1, 1]
    x.grad.set_value(np.zeros(2, "float32"))
    assert y.grad.tolist() == [1, 1]


def test_gradient_stays_when_the_next_one_is_added():
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    (x * 2).sum().backward()
    first, copy = x.grad, x.grad.reshape([2, 1])
    (x * 3).sum().backward()
    assert x.grad.tolist() == [5, 5]
    assert copy.tolist() == [[2], [2]]
    assert first.tolist() in ([2, 2], [5, 5])


def test_expanded_tensor_is_writable_by_element():
    x = paddle.to_tensor([1.0, 2.0]).expand([3, 2])
    x[0, 0] = 9.0
    assert x.tolist() == [[9, 2], [1, 2], [1, 2]]
    y = paddle.to_tensor([1.0]).expand([4])
    y[1:] += paddle.to_tensor([1.0, 2.0, 3.0])
    assert y.tolist() == [1, 2, 3, 4]
    z = paddle.to_tensor([1.0]).expand([3])
    z.set_value(np.array([1.0, 2.0, 3.0]))
    assert z.tolist() == [1, 2, 3]


def test_a_view_kept_for_backward_is_not_overwritten():
    x = paddle.to_tensor([1.0, 2.0])
    w = paddle.to_tensor([3.0, 4.0], stop_gradient=False)
    y = (x.reshape([2, 1]) * w.reshape([2, 1])).sum()
    x[0] = 100.0
    y.backward()
    assert w.grad.tolist() == [1, 2]


def test_no_warnings_in_ordinary_use():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        x = paddle.to_tensor([[1.0, 2.0]], stop_gradient=False)
        ((x.T + 1) @ x)[0].sum().backward()
        x.grad.numpy()
        str(x)


def test_private_names_of_the_native_tensor():
    x = paddle.to_tensor([[1.0, 2.0]], stop_gradient=False)
    handle = x._register_grad_hook(lambda grad: grad * 2)
    (x * 3).sum()._run_backward(None, False)
    assert handle.remove() and x._grad_ivar().tolist() == [[6, 6]]
    assert (x._numel(), x._grad_name()) == (2, f"{x.name}@GRAD")
    x._clear_gradient()
    assert x.grad.tolist() == [[0, 0]]
    there = x._copy_to(paddle.CPUPlace(), True)
    there[0, 0] = 9.0
    assert there.stop_gradient and x.tolist() == [[1, 2]]
