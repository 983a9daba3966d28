"""paddle.Model in static mode: the numbers, texts and files of dynamic mode, by Programs."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paddle
from paddle import nn
from paddle.core import unique_name
from paddle.executor.plan import Plan
from paddle.static import InputSpec
from tests.hapi.stories import Points

IMAGE = InputSpec([None, 1, 8, 8], "float32", "image")
CLASS = InputSpec([None, 1], "int64", "class")
FOUR = InputSpec([None, 4], "float32", "x")


@contextlib.contextmanager
def mode(static: bool) -> Iterator[None]:
    """One of the modes, with fresh Programs, names and scope."""
    with unique_name.guard():
        if not static:
            yield
            return
        main, startup = paddle.static.Program(), paddle.static.Program()
        paddle.enable_static()
        try:
            with paddle.static.program_guard(main, startup):
                with paddle.static.scope_guard(paddle.static.Scope()):
                    yield
        finally:
            paddle.disable_static()


@pytest.fixture
def static() -> Iterator[None]:
    with mode(True):
        yield


def images(count: int = 3, size: int = 4) -> list:
    """Batches of random images and classes."""
    rng = np.random.RandomState(1)
    return [
        (rng.rand(size, 1, 8, 8).astype("float32"), rng.randint(0, 3, [size, 1]))
        for _ in range(count)
    ]


def small_net() -> nn.Layer:
    return nn.Sequential(
        nn.Conv2D(1, 3, 3, bias_attr=False),  # before BatchNorm its gradient is only rounding
        nn.BatchNorm2D(3),
        nn.ReLU(),
        nn.MaxPool2D(2),
        nn.Flatten(),
        nn.Dropout(0.4),
        nn.Linear(27, 3),
    )


def weighted(net: nn.Layer) -> nn.Layer:
    """Gives the parameters and statistics of a network numbers that do not depend on the mode."""
    rng = np.random.RandomState(2)
    for value in net.state_dict().values():
        value.set_value(rng.uniform(0.1, 0.5, list(value.shape)).astype("float32"))
    return net


OPTIMIZERS = {
    "sgd": lambda params: paddle.optimizer.SGD(0.1, parameters=params),
    "momentum, schedule": lambda params: paddle.optimizer.Momentum(
        paddle.optimizer.lr.StepDecay(0.1, 2), parameters=params, weight_decay=0.01
    ),
    "adam, clip": lambda params: paddle.optimizer.Adam(
        0.01, parameters=params, grad_clip=nn.ClipGradByGlobalNorm(0.5)
    ),
    "adamw, groups": lambda params: paddle.optimizer.AdamW(
        0.01,
        parameters=[
            {"params": params[:2], "learning_rate": 0.1, "weight_decay": 0.0},
            {"params": params[2:], "weight_decay": 0.1},
        ],
    ),
}


def prepared(optimizer: str = "sgd", net: Any = None) -> paddle.Model:
    model = paddle.Model(weighted(net or small_net()), [IMAGE], [CLASS])
    made = OPTIMIZERS[optimizer](model.parameters())
    model.prepare(made, nn.CrossEntropyLoss(), paddle.metric.Accuracy(topk=(1, 2)))
    return model


def values(model: paddle.Model) -> dict[str, np.ndarray]:
    """The network's parameters and statistics as arrays, in either mode."""
    state = model.network.state_dict().items()
    return {k: v.numpy() if isinstance(v, paddle.Tensor) else v.get_value().numpy()
            for k, v in state}  # fmt: skip


# -- the same as in dynamic mode ------------------------------------------------------------------
@pytest.mark.parametrize("optimizer", list(OPTIMIZERS))
def test_same_numbers_and_texts_as_in_dynamic_mode(optimizer: str, capsys: Any) -> None:
    told, trained, measured, predicted = [], [], [], []
    for static in (False, True):
        with mode(static):
            model = prepared(optimizer)
            paddle.seed(3)
            model.fit(images(), images(2), epochs=3, verbose=2, log_freq=1)
            trained.append(values(model))
            measured.append(model.evaluate(images(), verbose=1))
            predicted.append(model.predict([b[:1] for b in images()], stack_outputs=True)[0])
        text = capsys.readouterr().out
        told.append(re.sub(r"\d+(s|ms|us)/step", "T/step", re.sub(r"ETA: [\d:]+s?", "ETA", text)))
    assert trained[0].keys() == trained[1].keys() and len(trained[0]) == 7
    for name, value in trained[0].items():
        np.testing.assert_allclose(trained[1][name], value, rtol=2e-4, atol=2e-6, err_msg=name)
    assert measured[0] == {k: pytest.approx(v, rel=1e-4) for k, v in measured[1].items()}
    np.testing.assert_allclose(predicted[0], predicted[1], rtol=1e-4, atol=1e-5)
    lines = [[line.rstrip() for line in re.split("[\r\n]", t) if line.strip()] for t in told]
    numbers = [re.findall(r"\d+\.\d+", " ".join(found)) for found in lines]
    np.testing.assert_allclose(
        *[np.array(found, float) for found in numbers], rtol=1e-3, atol=1.1e-4
    )
    assert [re.sub(r"\d+\.\d+", "N", line) for line in lines[0]] == [
        re.sub(r"\d+\.\d+", "N", line) for line in lines[1]
    ]


def test_lenet_trains_alike() -> None:
    spec = InputSpec([None, 1, 28, 28], "float32", "image")
    rng = np.random.RandomState(4)
    batch = rng.rand(4, 1, 28, 28).astype("float32"), rng.randint(0, 10, [4, 1])
    losses = []
    for static in (False, True):
        with mode(static):
            model = paddle.Model(weighted_small(paddle.vision.models.LeNet()), spec, CLASS)
            adam = paddle.optimizer.Adam(parameters=model.parameters())
            model.prepare(adam, nn.CrossEntropyLoss())
            losses.append([model.train_batch(*batch)[0] for _ in range(4)])
    np.testing.assert_allclose(losses[0], losses[1], rtol=1e-4)
    assert losses[0][-1] < losses[0][0]


def weighted_small(net: nn.Layer) -> nn.Layer:
    rng = np.random.RandomState(2)
    for value in net.state_dict().values():
        value.set_value(rng.uniform(-0.1, 0.1, list(value.shape)).astype("float32"))
    return net


def test_single_batches_have_the_forms_of_dynamic_mode() -> None:
    x, y = images(1)[0]
    found = []
    for static in (False, True):
        with mode(static):
            model = prepared()
            paddle.seed(9)
            found.append([model.train_batch([x], [y]), model.eval_batch(x, y), model.mode])
            found[-1].append(model.predict_batch([x]))
            assert model.mode == "test" and not model.network.training
    for dynamic, recorded in zip(found[0][:2], found[1][:2], strict=True):
        np.testing.assert_allclose(dynamic[0], recorded[0], rtol=1e-5)
        assert dynamic[1] == recorded[1] and recorded[0][0].shape == (1,)
    assert found[0][2] == found[1][2] == "eval"
    assert len(found[1][3]) == 1 and type(found[1][3][0]) is np.ndarray
    np.testing.assert_allclose(found[0][3][0], found[1][3][0], rtol=1e-4)


def test_dropout_is_on_in_training_only(static: None) -> None:
    model = paddle.Model(nn.Sequential(nn.Linear(4, 64), nn.Dropout(0.5)), FOUR, FOUR_LABELS)
    x, y = np.ones([2, 4], "float32"), np.zeros([2, 64], "float32")
    model.prepare(paddle.optimizer.SGD(0.0, parameters=model.parameters()), nn.MSELoss())
    assert model.eval_batch([x], [y])[0] == model.eval_batch([x], [y])[0]
    assert model.train_batch([x], [y])[0] != model.train_batch([x], [y])[0]
    assert model.network.training


FOUR_LABELS = InputSpec([None, 64], "float32", "y")


def test_evaluation_does_not_touch_the_statistics(static: None) -> None:
    model = prepared()
    before = values(model)
    model.evaluate(images(), verbose=0)
    model.predict([b[:1] for b in images()], verbose=0)
    for name, value in values(model).items():
        np.testing.assert_array_equal(value, before[name])
    model.fit(images(), verbose=0)
    assert not np.allclose(values(model)["1._mean"], before["1._mean"])


def test_nothing_is_planned_anew_after_the_first_epoch(static: None) -> None:
    model = prepared("momentum, schedule")
    model.fit(images(), images(), verbose=0)
    built = Plan.built
    model.fit(images(), images(), epochs=3, verbose=0)
    assert Plan.built == built


def test_default_program_keeps_only_the_network(static: None) -> None:
    model = prepared()
    model.fit(images(), images(), verbose=0)
    model.predict([b[:1] for b in images()], verbose=0)
    model.summary()
    assert paddle.static.default_main_program().global_block().ops == []


# -- outputs, losses and metrics ------------------------------------------------------------------
class Named(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(4, 3)

    def forward(self, a: Any, b: Any) -> Any:
        return {"sum": self.linear(a) + self.linear(b), "parts": (a * 2.0, [b])}


def test_nested_outputs_and_two_losses() -> None:
    specs = [FOUR, InputSpec([None, 4], "float32", "z")]
    x, z = np.ones([2, 4], "float32"), np.full([2, 4], 3, "float32")

    def loss(out: Any) -> Any:
        return paddle.mean(out["sum"] ** 2), paddle.mean(out["sum"])

    results = []
    for static in (False, True):
        with mode(static):
            model = paddle.Model(weighted(Named()), specs)
            model.prepare(paddle.optimizer.SGD(0.1, parameters=model.parameters()), loss)
            results.append([model.train_batch([x, z]), model.predict_batch([x, z])[0]])
    np.testing.assert_allclose(results[0][0], results[1][0], rtol=1e-5)
    out = results[1][1]
    np.testing.assert_allclose(out["sum"], results[0][1]["sum"], rtol=1e-5)
    assert type(out["parts"]) is type(results[0][1]["parts"])
    np.testing.assert_array_equal(out["parts"][0], x * 2)
    np.testing.assert_array_equal(out["parts"][1][0], z)


class Hits(paddle.metric.Metric):
    """Without compute: update gets the arrays of outputs and labels."""

    def __init__(self) -> None:
        super().__init__()
        self.reset()

    def update(self, preds: Any, labels: Any) -> Any:
        assert isinstance(preds, np.ndarray) and isinstance(labels, np.ndarray)
        self.hits += int((preds.argmax(1) == labels.reshape(-1)).sum())
        return self.hits

    def reset(self) -> None:
        self.hits = 0

    def accumulate(self) -> Any:
        return self.hits

    def name(self) -> Any:
        return "hits"


def test_metric_without_loss_and_without_compute(static: None) -> None:
    net = nn.Linear(4, 3)
    net.weight.set_value(np.zeros([4, 3], "float32"))
    model = paddle.Model(net, FOUR, CLASS)
    model.prepare(metrics=[Hits(), paddle.metric.Accuracy()])
    result = model.evaluate(Points(10), batch_size=4, verbose=0)
    assert result == {"hits": 4, "acc": 0.4}


def test_prepared_again_with_another_loss(static: None) -> None:
    model = paddle.Model(nn.Linear(4, 1), FOUR)
    x = np.ones([2, 4], "float32")
    out = model.predict_batch(x)[0]
    model.prepare(loss=lambda out: paddle.mean(out))
    np.testing.assert_allclose(model.eval_batch(x)[0], out.mean(), rtol=1e-6)
    model.prepare(loss=lambda out: paddle.sum(out))
    np.testing.assert_allclose(model.eval_batch(x)[0], out.sum(), rtol=1e-6)


# -- values in the scope --------------------------------------------------------------------------
def test_first_values_come_from_the_startup_program_once(static: None) -> None:
    net = nn.Linear(4, 3)
    net.weight.set_value(np.full([4, 3], 2, "float32"))
    model = paddle.Model(net, FOUR)
    x = np.ones([1, 4], "float32")
    np.testing.assert_array_equal(model.predict_batch(x)[0], [[8.0, 8.0, 8.0]])  # the bias is 0
    net.bias.set_value(np.ones([3], "float32"))
    np.testing.assert_array_equal(model.predict_batch(x)[0], [[9.0, 9.0, 9.0]])


def test_a_scope_of_its_own(static: None) -> None:
    model = paddle.Model(nn.Linear(4, 3), FOUR)
    x = np.ones([1, 4], "float32")
    first = model.predict_batch(x)[0]
    with paddle.static.scope_guard(paddle.static.Scope()):
        other = model.predict_batch(x)[0]
    assert not np.allclose(first, other)
    np.testing.assert_array_equal(model.predict_batch(x)[0], first)


def test_startup_program_run_by_the_user(static: None) -> None:
    model = prepared()
    paddle.static.Executor().run(paddle.static.default_startup_program())
    start = values(model)
    assert not np.allclose(start["6.weight"], values(prepared())["6.weight"])
    model.fit(images(), verbose=0)
    assert np.isfinite(values(model)["6.weight"]).all()


# -- data and callbacks ---------------------------------------------------------------------------
def test_batches_by_name_in_any_order(static: None) -> None:
    model = prepared()
    plain = model.evaluate(images(), verbose=0)
    by_name = [{"class": y, "image": x} for x, y in images()]
    assert model.evaluate(by_name, verbose=0) == plain
    assert model.evaluate([[batch] for batch in by_name], verbose=0) == plain
    assert model.predict(by_name, verbose=0)[0][0].shape == (4, 3)


@pytest.mark.parametrize("return_list", [True, False])
def test_loaders(static: None, return_list: bool) -> None:
    model = paddle.Model(nn.Linear(4, 3), FOUR, CLASS)
    adam = paddle.optimizer.Adam(0.1, parameters=model.parameters())
    model.prepare(adam, nn.CrossEntropyLoss(), paddle.metric.Accuracy())
    loader = paddle.io.DataLoader(
        Points(12), feed_list=["x", "class"], batch_size=4, return_list=return_list
    )
    before = model.evaluate(loader, verbose=0)["loss"][0]
    model.fit(loader, epochs=5, verbose=0)
    assert model.evaluate(loader, verbose=0)["loss"][0] < before
    assert model.predict(loader, stack_outputs=True, verbose=0)[0].shape == (12, 3)


def test_callbacks_change_the_rate_and_keep_files(static: None, tmp_path: Path) -> None:
    model = paddle.Model(nn.Linear(4, 3), FOUR, CLASS)
    sgd = paddle.optimizer.SGD(0.5, parameters=model.parameters())
    model.prepare(sgd, lambda out, y: paddle.mean(out) * 0.0 + 1.0)
    slower = paddle.callbacks.ReduceLROnPlateau(patience=1, factor=0.1, verbose=0)
    stop = paddle.callbacks.EarlyStopping(patience=3, verbose=0, save_best_model=True)
    model.fit(Points(4), Points(4), batch_size=4, epochs=20, verbose=0,
              callbacks=[slower, stop], save_dir=str(tmp_path))  # fmt: skip
    assert model.stop_training and sgd.get_lr() < 0.1
    held = paddle.static.global_scope().find_var(sgd._recorded.rate_name)
    np.testing.assert_allclose(np.array(held.get_tensor()), [sgd.get_lr()], rtol=1e-6)
    assert {"final.pdparams", "best_model.pdparams"} <= {p.name for p in tmp_path.iterdir()}


# -- files ----------------------------------------------------------------------------------------
@pytest.mark.parametrize("optimizer", ["momentum, schedule", "adam, clip"])
@pytest.mark.parametrize("first", [False, True], ids=["from dynamic", "from static"])
def test_training_goes_on_in_the_other_mode(optimizer: str, first: bool, tmp_path: Path) -> None:
    path = str(tmp_path / "net")
    with mode(first):
        model = prepared(optimizer)
        paddle.seed(1)
        model.fit(images(), verbose=0)
        model.save(path)
        paddle.seed(2)
        model.fit(images(), verbose=0)
        wanted = values(model)
    with mode(not first):
        nn.Linear(1, 1)  # so that parameters are called otherwise
        other = prepared(optimizer)
        other.load(path)
        paddle.seed(2)
        other.fit(images(), verbose=0)
        for name, value in values(other).items():
            np.testing.assert_allclose(value, wanted[name], rtol=2e-4, atol=2e-6, err_msg=name)


def test_files_hold_the_same_names_in_both_modes(tmp_path: Path) -> None:
    entries = []
    for static in (False, True):
        path = str(tmp_path / f"net{static}")
        with mode(static):
            model = prepared("momentum, schedule")
            model.fit(images(1), verbose=0)
            model.save(path)
        parts = [paddle.load(path + end, keep_name_table=True) for end in (".pdparams", ".pdopt")]
        entries.append([sorted(part) for part in parts])
        entries[-1].append(parts[0]["StructuredToParameterName@@"])
    assert entries[0] == entries[1]


def test_state_of_another_optimizer_of_the_same_parameters(static: None, tmp_path: Path) -> None:
    path = str(tmp_path / "net")
    model = prepared("adam, clip")
    model.fit(images(), verbose=0)
    model.save(path)
    saved = paddle.load(path + ".pdopt")
    adam = OPTIMIZERS["adam, clip"](model.parameters())
    model.prepare(adam, nn.CrossEntropyLoss())
    model.load(path)
    held = adam.state_dict()
    assert len(held) == len(saved) and not held.keys() & saved.keys()  # _moment1_1, not _0
    for name, value in saved.items():
        np.testing.assert_array_equal(np.array(held[name[:-1] + "1"]), np.array(value))


@pytest.mark.parametrize("first", [False, True], ids=["from dynamic", "from static"])
def test_master_weights_reach_parameters_of_other_names(first: bool, tmp_path: Path) -> None:
    path = str(tmp_path / "net")
    x = [paddle.to_tensor(np.full([2, 4], 0.3, "float32")).astype("bfloat16")]
    wanted = None
    for static, go_on in ((first, False), (not first, True)):
        with mode(static):
            net = [Half() for _ in range(1 + go_on)][-1]  # the second one is called otherwise
            model = paddle.Model(net, InputSpec([None, 4], "bfloat16", "x"))
            adam = paddle.optimizer.Adam(1e-3, parameters=[net.weight], multi_precision=True)
            model.prepare(adam, paddle.mean)
            if go_on:
                model.load(path)
            for _ in range(5):
                model.train_batch(x)
            if not go_on:
                model.save(path)
                for _ in range(5):
                    model.train_batch(x)
            (master,) = adam.state_dict()["master_weights"].values()
            wanted = master.numpy() if wanted is None else wanted
    np.testing.assert_allclose(master.numpy(), wanted, rtol=1e-6)


class Half(nn.Layer):
    """One parameter in bfloat16."""

    def __init__(self) -> None:
        super().__init__()
        start = paddle.ParamAttr(initializer=nn.initializer.Constant(0.3))
        self.weight = self.create_parameter([4, 1], attr=start, dtype="bfloat16")

    def forward(self, x: Any) -> Any:
        return paddle.mean(paddle.matmul(x, self.weight)).astype("float32")


def test_load_names_a_mismatch(static: None, tmp_path: Path) -> None:
    path = str(tmp_path / "net")
    paddle.Model(nn.Linear(4, 3), FOUR).save(path)
    with pytest.raises(ValueError, match=r"weight has shape \[4, 3\] .* expects \[4, 2\]; bias"):
        paddle.Model(nn.Linear(4, 2), FOUR).load(path)


def test_model_for_inference(static: None, tmp_path: Path) -> None:
    path = str(tmp_path / "deep" / "net")
    model = prepared()
    model.fit(images(), verbose=0)
    x = images(1)[0][0]
    wanted = model.predict_batch([x])[0]
    model.save(path, training=False)
    files = sorted(p.name for p in (tmp_path / "deep").iterdir())
    assert files == ["net.pdiparams", "net.pdmodel"]
    exe = paddle.static.Executor()
    with paddle.static.scope_guard(paddle.static.Scope()):
        program, feeds, fetches = paddle.static.load_inference_model(path, exe)
        (out,) = exe.run(program, feed={"image": x}, fetch_list=fetches)
    assert feeds == ["image"]
    np.testing.assert_allclose(out, wanted, rtol=1e-6)


def test_summary_is_that_of_dynamic_mode(capsys: Any) -> None:
    texts = []
    for static in (False, True):
        with mode(static):
            counts = paddle.Model(small_net(), IMAGE).summary()
            assert counts == {"total_params": 123, "trainable_params": 117}
        texts.append(capsys.readouterr().out)
    assert texts[0] == texts[1] and "BatchNorm2D-1" in texts[0]


def test_flops_are_those_of_dynamic_mode(static: None, capsys: Any) -> None:
    net = paddle.vision.models.LeNet()
    assert paddle.flops(net, [1, 1, 28, 28]) == 347560
    assert paddle.static.default_main_program().global_block().ops == []


# -- wrong use ------------------------------------------------------------------------------------
def test_inputs_are_needed(static: None) -> None:
    with pytest.raises(TypeError, match=r"Model\(inputs\): expected InputSpec .*static.* got None"):
        paddle.Model(nn.Linear(4, 3))


def test_names_must_differ_and_need_not_be_given(static: None) -> None:
    with pytest.raises(ValueError, match=r"expected names that differ.*'x'"):
        paddle.Model(nn.Linear(4, 3), FOUR, FOUR)
    model = paddle.Model(nn.Linear(4, 3), InputSpec([None, 4]))
    assert model.predict_batch([np.ones([2, 4], "float32")])[0].shape == (2, 3)


def test_wrong_number_of_parts(static: None) -> None:
    model = paddle.Model(nn.Linear(4, 3), FOUR)
    x, y = np.ones([2, 4], "float32"), np.ones([2, 1], "int64")
    model.prepare(loss=nn.CrossEntropyLoss())
    with pytest.raises(ValueError, match=r"expected 0 labels in static mode, \[\], but received 1"):
        model.eval_batch([x], [y])
    with pytest.raises(ValueError, match=r"expected 1 inputs in static mode, \['x'\], but rec.* 2"):
        model.predict_batch([x, x])


def test_wrong_dtype_and_shape_of_a_batch(static: None) -> None:
    model = paddle.Model(nn.Linear(4, 3), FOUR)
    with pytest.raises(ValueError, match="'x' is expected to be float32, but received float64"):
        model.predict_batch([np.ones([2, 4])])
    with pytest.raises(ValueError, match=r"'x' is expected to have shape \[-1, 4\]"):
        model.predict_batch([np.ones([2, 5], "float32")])


def test_optimizer_of_eager_tensors() -> None:
    adam = paddle.optimizer.Adam(parameters=nn.Linear(4, 3).parameters())
    with mode(True):
        model = paddle.Model(nn.Linear(4, 3), FOUR)
        with pytest.raises(ValueError, match="expected an optimizer of static parameters"):
            model.prepare(adam, nn.MSELoss())


def test_use_in_dynamic_mode() -> None:
    with mode(True):
        model = paddle.Model(nn.Linear(4, 3), FOUR)
    with pytest.raises(RuntimeError, match="made in static mode, but dynamic mode is on"):
        model.predict_batch([np.ones([2, 4], "float32")])


def test_use_before_prepare(static: None) -> None:
    model = paddle.Model(nn.Linear(4, 3), FOUR, CLASS)
    with pytest.raises(RuntimeError, match="training needs an optimizer"):
        model.fit(Points(4), verbose=0)
    with pytest.raises(RuntimeError, match="an evaluation needs a loss or metrics"):
        model.evaluate(Points(4), verbose=0)
