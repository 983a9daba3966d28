"""Predictor: names, runs with and without handles, clones, pools, models of every release."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

import paddle
from paddle.core import allocator
from paddle.inference import Config, DataType, Predictor, PredictorPool, create_predictor
from paddle.serialization.program import proto
from tests.inference.conftest import config_of, ones
from tests.jit.cases.model_cases import close, names, read_case

IDS = np.arange(10, dtype="int64").reshape(2, 5)


def test_a_saved_network_gives_what_it_gave(models):
    net = paddle.jit.load(str(models / "lenet"))
    x = np.random.RandomState(0).rand(2, 1, 28, 28).astype("float32")
    predictor = create_predictor(config_of(models, "lenet"))
    [name] = predictor.get_input_names()
    predictor.get_input_handle(name).copy_from_cpu(x)
    assert predictor.run() is None
    [out] = predictor.get_output_names()
    found = predictor.get_output_handle(out).copy_to_cpu()
    np.testing.assert_allclose(found, net(paddle.to_tensor(x)).numpy(), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("optimised", [True, False], ids=["optimised", "plain"])
@pytest.mark.parametrize("name", names("inference", "jit"))
def test_models_of_every_release(name, optimised, tmp_path):
    case = read_case(name)
    path = case.unpack(tmp_path)
    config = Config(path)
    files = case.filenames
    if "model_filename" in files:
        config.set_prog_file(files["model_filename"])
    if "params_filename" in files:
        config.set_prog_file(files.get("model_filename", "__model__"))
        config.set_params_file(files["params_filename"])
    config.switch_ir_optim(optimised)
    predictor = create_predictor(config)
    for i, (method, inputs, expected) in enumerate(case.runs()):
        if method != "forward":
            continue
        found = predictor.run(list(inputs))
        assert len(found) == len(expected)
        for at, (got, wanted) in enumerate(zip(found, expected, strict=True)):
            close(got, wanted, f"{name}, round {i}, output {at}", rtol=1e-4)


def test_what_a_model_says_of_itself(models):
    predictor = create_predictor(config_of(models, "two"))
    assert predictor.get_input_names() == ["ids", "x"] and len(predictor.get_output_names()) == 2
    assert predictor.get_input_tensor_shape() == {"ids": [-1, 5], "x": [-1, 4]}
    assert predictor.get_input_types() == {"ids": DataType.INT64, "x": DataType.FLOAT32}
    assert predictor.get_input_handle("x") is predictor.get_input_handle("x")


def test_a_list_of_inputs_gives_a_list_of_outputs(models):
    predictor = create_predictor(config_of(models, "two"))
    x = ones(2, 4)
    arrays = predictor.run([IDS, x])
    tensors = predictor.run([paddle.to_tensor(IDS), paddle.to_tensor(x)])
    mixed = predictor.run([IDS, paddle.to_tensor(x)])
    assert all(type(a) is np.ndarray for a in arrays)
    assert all(isinstance(t, paddle.Tensor) for t in (*tensors, *mixed))
    for a, t, m in zip(arrays, tensors, mixed, strict=True):
        np.testing.assert_array_equal(a, t.numpy())
        np.testing.assert_array_equal(a, m.numpy())
    assert predictor.get_input_handle("x").shape() == [0]  # handles have no part in it


def test_inputs_stay_and_outputs_are_replaced(linear):
    x = linear.get_input_handle("x")
    out = linear.get_output_handle(linear.get_output_names()[0])
    x.copy_from_cpu(ones(1, 4))
    linear.run()
    first = out.copy_to_cpu()
    linear.run()
    np.testing.assert_array_equal(out.copy_to_cpu(), first)
    x.copy_from_cpu(ones(3, 4) * 2)
    linear.run()
    assert out.shape() == [3, 2] and first.shape == (1, 2)


def test_clones_share_weights_and_no_handles(models):
    first = create_predictor(config_of(models, "linear"))
    second = first.clone()
    assert type(second) is Predictor and second._shared.engine is first._shared.engine
    first.get_input_handle("x").copy_from_cpu(ones(1, 4))
    with pytest.raises(RuntimeError, match="input 'x' was not set"):
        second.run()
    first.run()
    name = first.get_output_names()[0]
    with pytest.raises(RuntimeError, match=r"has no value: run\(\) comes first"):
        second.get_output_handle(name).copy_to_cpu()
    assert second.clone().run([ones(2, 4)])[0].shape == (2, 2)


def test_a_predictor_frees_its_weights_at_once(models):
    predictor = create_predictor(config_of(models, "lenet"))
    predictor.clone().run([ones(1, 1, 28, 28)])
    engine = weakref.ref(predictor._shared.engine)
    step = weakref.ref(engine().program.step)
    gc.disable()
    try:
        del predictor
        assert engine() is None and step() is None
    finally:
        gc.enable()


def test_memory_can_be_given_back(linear, monkeypatch):
    linear.get_input_handle("x").copy_from_cpu(ones(1, 4))
    linear.run()
    out = linear.get_output_handle(linear.get_output_names()[0])
    linear.clear_intermediate_tensor()
    with pytest.raises(RuntimeError, match="has no value"):
        out.copy_to_cpu()
    trims = []
    monkeypatch.setattr(allocator, "trim", lambda: trims.append(1))
    freed = linear.try_shrink_memory()
    assert isinstance(freed, int) and freed >= 0 and trims == [1]
    assert linear.clone().try_shrink_memory() == 0 and trims == [1]  # it was asked just now
    linear.run()
    assert out.shape() == [1, 2]
    with pytest.raises(NotImplementedError, match="fetch_vars"):
        linear.register_output_hook(print)


def test_a_pool_has_predictors_of_one_model(models):
    pool = PredictorPool(config_of(models, "linear"), 3)
    assert len(pool) == 3 and pool.retrive(0) is not pool.retrive(2)
    assert pool.retrieve(1) is pool.retrive(1)
    assert pool.retrive(2)._shared is pool.retrive(0)._shared
    for index in (3, -1, "0"):
        with pytest.raises(ValueError, match="expected 0 to 2"):
            pool.retrive(index)
    with pytest.raises(ValueError, match="expected 1 or more"):
        PredictorPool(config_of(models, "linear"), 0)


def test_eager_gradients_are_not_disturbed(linear):
    x = paddle.ones([1, 4])
    x.stop_gradient = False
    [out] = linear.run([x])
    assert out.stop_gradient
    (x * 2).sum().backward()
    np.testing.assert_array_equal(x.grad.numpy() if hasattr(x.grad, "numpy") else x.grad, 2)


def test_writing_to_a_result_changes_neither_weights_nor_inputs(tmp_path):
    class Net(paddle.nn.Layer):
        def __init__(self):
            super().__init__()
            self.weight = self.create_parameter([3])

        def forward(self, x):
            return self.weight, x, x.reshape([-1])

    spec = [paddle.static.InputSpec([None, 3], "float32", "x")]
    paddle.jit.save(Net(), str(tmp_path / "net"), input_spec=spec)
    program = proto.from_bytes((tmp_path / "net.pdmodel").read_bytes())
    block = program.global_block()
    copies = {}
    for op in list(block.ops):  # other releases make no copies
        op.inputs["X"] = [copies.get(n, n) for n in op.inputs["X"]]
        if op.type in ("assign", "scale"):
            [copies[op.output("Out")[0]]] = op.inputs["X"]
            block.ops.remove(op)
    config, model = Config(), proto.to_bytes(program)
    params = (tmp_path / "net.pdiparams").read_bytes()
    config.set_model_buffer(model, len(model), params, len(params))
    predictor = create_predictor(config)
    x = paddle.ones([2, 3])
    first = predictor.run([x])
    kept = [t.numpy() for t in first]
    for tensor in first:
        tensor[0] = 7
    np.testing.assert_array_equal(x.numpy(), ones(2, 3))
    for tensor, before in zip(predictor.run([x]), kept, strict=True):
        np.testing.assert_array_equal(tensor.numpy(), before)


def test_passes_never_write_to_an_input(tmp_path):
    class Net(paddle.nn.Layer):
        def __init__(self):
            super().__init__()
            self.conv = paddle.nn.Conv2D(4, 4, 3, padding=1)
            self.fc = paddle.nn.Linear(6, 6)

        def forward(self, x, y):
            a = paddle.nn.functional.relu(self.conv(x) + x)
            b = self.conv(a) + y.transpose([0, 1, 3, 2])
            return a, b, self.fc(b) + y.reshape([-1, 4, 6, 6]), x.reshape([-1, 4, 36])

    spec = [paddle.static.InputSpec([None, 4, 6, 6], "float32", name) for name in "xy"]
    paddle.jit.save(Net(), str(tmp_path / "net"), input_spec=spec)
    plain, optimised = config_of(tmp_path, "net"), config_of(tmp_path, "net")
    plain.switch_ir_optim(False)
    given = np.random.RandomState(0).rand(2, 2, 6, 6, 4).astype("float32").transpose(0, 1, 4, 2, 3)
    kept = given.copy()
    expected = create_predictor(plain).run(list(kept))
    predictor = create_predictor(optimised)
    for name, array in zip("xy", given, strict=True):  # channels last: what oneDNN writes into
        predictor.get_input_handle(name).share_external_data(array)
    for _ in range(2):
        predictor.run()
        for name, wanted in zip(predictor.get_output_names(), expected, strict=True):
            found = predictor.get_output_handle(name).copy_to_cpu()
            np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5)
        np.testing.assert_array_equal(given, kept)
