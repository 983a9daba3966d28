"""Layer.state_dict, set_state_dict, to and astype."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import paddle
from paddle.utils import unique_name

nn = paddle.nn


class Pair(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.w = self.create_parameter([2, 3])
        self.b = self.create_parameter([3], is_bias=True)


class Net(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.fc = Pair()
        self.register_buffer("mean", paddle.to_tensor(np.zeros(2, "float32")))
        self.register_buffer("scratch", paddle.to_tensor(np.zeros(2, "float32")), False)


def arrays(net: nn.Layer) -> dict:
    return {k: v.numpy() for k, v in net.state_dict().items()}


def silent(net: nn.Layer, state: dict, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return net.set_state_dict(state, **options)


def test_state_dict_holds_the_tensors_themselves() -> None:
    net = Net()
    state = net.state_dict()
    assert list(state) == ["mean", "fc.w", "fc.b"]
    assert state["fc.w"] is net.fc.w and state["mean"] is net.mean
    assert list(net.state_dict(include_sublayers=False)) == ["mean"]
    given = {"kept": 1}
    assert net.state_dict(given, structured_name_prefix="p.") is given
    assert list(given) == ["kept", "p.mean", "p.fc.w", "p.fc.b"]


def test_a_sublayer_may_override_state_dict() -> None:
    class Extra(nn.Layer):
        def state_dict(self, destination=None, include_sublayers=True, structured_name_prefix=""):
            found = super().state_dict(destination, include_sublayers, structured_name_prefix)
            found[structured_name_prefix + "extra"] = paddle.to_tensor([1.0])
            return found

    class Own(nn.Layer):
        def state_dict(self, *args, **kwargs):
            return {"own": paddle.to_tensor([1.0])}

    net = nn.Layer()
    net.sub, net.other = Extra(), Own()
    assert list(net.state_dict()) == ["sub.extra", "own"]


@pytest.mark.parametrize("method", ["set_state_dict", "set_dict", "load_dict"])
def test_tensors_and_arrays_are_loaded(method: str) -> None:
    net, other = Net(), Net()
    before = net.fc.w
    state = {**other.state_dict(), "fc.w": np.arange(6.0).reshape(2, 3)}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert getattr(net, method)(state) == ([], [])
    assert net.fc.w is before and net.fc.w.dtype == paddle.float32
    assert net.fc.w.numpy().tolist() == [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]


def test_loading_copies() -> None:
    net, other = Net(), Net()
    silent(net, other.state_dict())
    other.fc.w.set_value(np.full([2, 3], 9.0, "float32"))
    assert not (net.fc.w.numpy() == 9.0).any()


def test_data_types_are_converted_both_ways() -> None:
    net = Net()
    silent(net, {k: v.astype("float64") for k, v in arrays(net).items()})
    assert net.fc.w.dtype == paddle.float32
    net.to(dtype="float64")
    silent(net, {k: v.astype("float32") for k, v in arrays(net).items()})
    assert net.fc.w.dtype == paddle.float64


def test_nested_lists_are_loaded() -> None:
    net = Pair()
    silent(net, {"w": [[1, 2, 3], [4, 5, 6]], "b": (1.5, 2.5, 3.5)})
    assert net.b.numpy().tolist() == [1.5, 2.5, 3.5]


def test_names_of_either_kind_are_found() -> None:
    with unique_name.guard():
        saved = Pair()
    by_parameter = {p.name: np.full(p.shape, 3.0, "float32") for p in saved.parameters()}
    assert list(by_parameter) == ["pair_0.w_0", "pair_0.b_0"]
    by_structure = {k: np.full(v.shape, 4.0, "float32") for k, v in saved.state_dict().items()}
    with unique_name.guard():
        net = Pair()
    for state, value in ((by_parameter, 3.0), (by_structure, 4.0)):
        for structured in (True, False):
            net.w.set_value(np.zeros([2, 3], "float32"))
            assert silent(net, state, use_structured_name=structured) == ([], [])
            assert (net.w.numpy() == value).all()


def test_the_kind_asked_for_goes_first() -> None:
    with unique_name.guard():
        net = nn.Layer()
        net.w = net.create_parameter([1])
    both = {"w": np.array([1.0]), "layer_0.w_0": np.array([2.0])}
    with pytest.warns(UserWarning, match=r"Not used: layer_0\.w_0"):
        net.set_state_dict(both)
    assert net.w.item() == 1.0
    with pytest.warns(UserWarning, match=r"Not used: w\."):
        assert net.set_state_dict(both, use_structured_name=False) == ([], ["w"])
    assert net.w.item() == 2.0


def test_one_warning_tells_everything_and_the_rest_is_loaded() -> None:
    net = Net()
    state = {
        "fc.w": np.ones([3, 2], "float32"),
        "mean": np.ones([2], "float32"),
        "other": np.ones([1], "float32"),
    }
    with pytest.warns(UserWarning) as caught:
        missing, unexpected = net.set_state_dict(state)
    assert missing == ["fc.w", "fc.b"] and unexpected == ["fc.w", "other"]
    assert len(caught) == 1 and caught[0].filename == __file__
    assert str(caught[0].message).split("\n") == [
        "set_state_dict: 1 of 3 entries of Net were loaded.",
        "  Skip loading for fc.w: expected shape [2, 3], but received [3, 2].",
        "  Skip loading for fc.b: not found in the given dict.",
        "  Not used: other.",
    ]
    assert net.mean.numpy().tolist() == [1.0, 1.0]


def test_missing_names_are_told_in_the_kind_asked_for() -> None:
    with unique_name.guard():
        net = Pair()
    with pytest.warns(UserWarning, match=r"Skip loading for pair_0\.w_0"):
        missing, _ = net.set_state_dict({}, use_structured_name=False)
    assert missing == ["pair_0.w_0", "pair_0.b_0"]


def test_a_scalar_fits_a_parameter_of_one_element() -> None:
    net = nn.Layer()
    net.w = net.create_parameter([1])
    assert silent(net, {"w": np.float32(5.0)}) == ([], [])
    assert net.w.item() == 5.0


def test_the_name_table_of_a_file_is_no_entry() -> None:
    net = Pair()
    state = {**net.state_dict(), "StructuredToParameterName@@": {"w": "pair_7.w_0"}}
    assert silent(net, state) == ([], [])


def test_only_own_entries_without_sublayers() -> None:
    net = Net()
    assert silent(net, {"mean": np.ones(2)}, include_sublayers=False) == ([], [])


def test_bad_state_dicts() -> None:
    net = Pair()
    with pytest.raises(TypeError, match=r"expected a dict of names.*received int"):
        net.set_state_dict(3)
    before = arrays(net)
    for wrong, got in (("text", "str"), ({}, "dict"), (None, "NoneType")):
        with pytest.raises(TypeError, match=f"numeric array for 'b', but received {got}"):
            net.set_state_dict({"w": np.ones([2, 3]), "b": wrong})
    assert (net.w.numpy() == before["w"]).all(), "nothing is loaded when an entry is no array"


def test_saving_and_loading_a_file(tmp_path) -> None:
    net, other = Net(), Net()
    path = str(tmp_path / "net.pdparams")
    paddle.save(net.state_dict(), path)
    assert silent(other, paddle.load(path)) == ([], [])
    assert (other.fc.w.numpy() == net.fc.w.numpy()).all()


# -- converting -------------------------------------------------------------------------------


def test_to_casts_what_is_floating_in_place() -> None:
    net = Net()
    net.register_buffer("count", paddle.to_tensor(np.array([3], "int64")))
    weight, values = net.fc.w, net.fc.w.numpy()
    assert net.to(dtype="float64") is net
    assert net.fc.w is weight and weight.dtype == paddle.float64 and not weight.stop_gradient
    assert (weight.numpy() == values.astype("float64")).all()
    assert net.mean.dtype == paddle.float64 and net.count.dtype == paddle.int64
    assert net._dtype == net.fc._dtype == "float64"
    assert net.float().fc.w.dtype == paddle.float32
    assert net.astype("float16").fc.w.dtype == paddle.float16
    assert net.astype().fc.w.dtype == paddle.float16


def test_to_casts_gradients_too() -> None:
    net = Pair()
    (net.b * 2.0).sum().backward()
    net.to(dtype="float64")
    assert net.b.grad.dtype == paddle.float64 and net.b.grad.numpy().tolist() == [2.0] * 3


@pytest.mark.parametrize(
    "convert",
    [lambda n: n.to(dtype="float64"), lambda n: n.astype("float64")],
)
def test_conversion_after_clearing_gradients(convert) -> None:
    layer = nn.Linear(2, 2)
    layer(paddle.ones([1, 2])).sum().backward()
    layer.clear_gradients()
    convert(layer)
    grad = layer.weight.grad
    assert grad.dtype == paddle.float64 and not grad.numpy().any()
    layer(paddle.ones([1, 2], "float64")).sum().backward()
    assert layer.weight.grad.numpy().tolist() == [[1.0, 1.0], [1.0, 1.0]]


def test_to_a_device() -> None:
    net = Pair()
    values = net.w.numpy()
    assert net.to("cpu", blocking=False).w.place == paddle.CPUPlace()
    assert (net.to(paddle.CPUPlace(), "float64").w.numpy() == values).all()


def test_to_checks_its_arguments() -> None:
    net = Pair()
    with pytest.raises(TypeError, match=r"to.dtype.: expected a floating type or None.*'int32'"):
        net.to(dtype="int32")
    with pytest.raises(ValueError, match="expected a data type"):
        net.to(dtype="zzz")
    with pytest.raises(TypeError, match=r"to.blocking.: expected a bool or None.*int"):
        net.to(blocking=1)
    with pytest.raises(ValueError, match=r"to.device.: expected 'cpu', 'gpu' or 'gpu:n'.*'zzz'"):
        net.to(device="zzz")
    with pytest.raises(TypeError, match=r"to.device.: expected a device string.*received int"):
        net.to(device=3)
