"""Gathered gradients, mixed precision and numbers of steps of Model, in both modes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import paddle
from paddle import nn
from paddle.static import InputSpec
from tests.hapi.stories import Points, Recorder, Stream, prepared
from tests.hapi.test_model_static import mode

MODES = pytest.mark.parametrize("static", [False, True], ids=["dynamic", "static"])


def data(count: int) -> paddle.io.Dataset:
    rng = np.random.RandomState(3)
    return paddle.io.TensorDataset(
        [rng.rand(count, 4).astype("float32"), rng.randint(0, 3, [count, 1])]
    )


def made(optimizer: str = "SGD", loss: Any = None, **options: Any) -> paddle.Model:
    paddle.seed(11)
    net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 3))
    specs = InputSpec([None, 4], "float32", "x"), InputSpec([None, 1], "int64", "y")
    model = paddle.Model(net, *specs)
    sgd = getattr(paddle.optimizer, optimizer)(0.1, parameters=net.parameters())
    model.prepare(sgd, loss or nn.CrossEntropyLoss(), **options)
    return model


def weights(model: paddle.Model) -> list[np.ndarray]:
    held = model.network.state_dict().values()
    if paddle.in_dynamic_mode():
        return [value.numpy() for value in held]
    return [np.array(paddle.static.global_scope().find_var(v.name).get_tensor()) for v in held]


def fitted(static: bool, batch_size: int, count: int = 14, **options: Any) -> list[np.ndarray]:
    told = {key: options.pop(key) for key in ("optimizer", "loss", "amp_configs") if key in options}
    with mode(static):
        model = made(**told)
        model.fit(data(count), batch_size=batch_size, shuffle=False, verbose=0, **options)
        return weights(model)


# -- gathered gradients ---------------------------------------------------------------------------
def total(reduction: str = "sum") -> Any:
    return nn.CrossEntropyLoss(reduction=reduction)


def close(one: list, other: list) -> None:
    for first, second in zip(one, other, strict=True):
        np.testing.assert_allclose(first, second, rtol=2e-5, atol=1e-6)


@MODES
@pytest.mark.parametrize("optimizer", ["SGD", "Adam"])
def test_gradients_of_batches_add_up(static: bool, optimizer: str) -> None:
    # 14 samples: groups of 4 + 4, and 4 + 2, which is incomplete in its last batch
    large = fitted(static, 8, epochs=3, optimizer=optimizer, loss=total())
    options = {"optimizer": optimizer, "accumulate_grad_batches": 2}
    close(large, fitted(static, 4, epochs=3, loss=total(), **options))


@MODES
def test_means_are_not_averaged(static: bool) -> None:
    # as in PaddlePaddle: two halves with their means make twice the gradient of the whole's mean
    def twice(output: Any, label: Any) -> Any:
        return 2.0 * nn.functional.cross_entropy(output, label)

    whole = fitted(static, 12, count=12, epochs=2, loss=twice)
    close(whole, fitted(static, 6, count=12, epochs=2, accumulate_grad_batches=2))


@MODES
def test_an_incomplete_group_has_its_update(static: bool) -> None:
    # 14 samples in batches of 4: groups of 12, and the 2 that are left, as in PaddlePaddle
    large = fitted(static, 12, epochs=2, loss=total())
    close(large, fitted(static, 4, epochs=2, loss=total(), accumulate_grad_batches=3))
    close(
        fitted(static, 14, epochs=2, loss=total()),
        fitted(static, 4, epochs=2, loss=total(), accumulate_grad_batches=9),
    )


@MODES
def test_gathered_in_mixed_precision(static: bool) -> None:
    options = {"epochs": 3, "amp_configs": {"level": "O1", "init_loss_scaling": 64.0}}
    large = fitted(static, 8, loss=total(), **options)
    small = fitted(static, 4, loss=total(), accumulate_grad_batches=2, **options)
    plain = fitted(static, 8, epochs=3, loss=total())
    for one, other, third in zip(large, small, plain, strict=True):
        np.testing.assert_allclose(one, other, atol=2e-3)
        np.testing.assert_allclose(one, third, atol=2e-2)
        assert np.abs(one - third).max() > 0  # 16 bits round


def test_data_of_unknown_length_has_an_update_at_its_end() -> None:
    class Parts(paddle.io.IterableDataset):
        def __iter__(self) -> Any:
            return iter([data(14)[i] for i in range(14)])

    loader = paddle.io.DataLoader(Parts(), batch_size=4)
    model = made(loss=total())
    model.fit(loader, epochs=2, accumulate_grad_batches=3, verbose=0)
    close(fitted(False, 12, epochs=2, loss=total()), weights(model))


@MODES
def test_train_batch_without_update(static: bool) -> None:
    x, y = (np.stack(part) for part in zip(*[data(8)[i] for i in range(8)], strict=True))
    with mode(static):
        model = made(loss=total())
        model.train_batch([x[:4]], [y[:4]])
        before = weights(model)
        model.train_batch([x[:4]], [y[:4]], update=False)
        assert all(map(np.array_equal, before, weights(model)))
        model.train_batch([x[4:]], [y[4:]])
        after = weights(model)
    with mode(static):
        model = made(loss=total())
        model.train_batch([x[:4]], [y[:4]])
        model.train_batch([x], [y])
        close(after, weights(model))


# -- mixed precision ------------------------------------------------------------------------------
@MODES
@pytest.mark.parametrize("level", ["O1", "O2"])
def test_mixed_precision_learns_and_measures(static: bool, level: str) -> None:
    with mode(static):
        model = made("Adam", metrics=paddle.metric.Accuracy(), amp_configs=level)
        history = model.fit(Points(12), Points(6), batch_size=6, epochs=30, verbose=0)
        assert history.history["loss"][-1] < 0.5 * history.history["loss"][0]
        assert history.history["acc"][-1] == history.history["eval_acc"][-1] == 1.0
        outputs = model.predict(Points(6), batch_size=6, stack_outputs=True, verbose=0)
        assert outputs[0].dtype == np.float32


@MODES
def test_level_o0_is_float32(static: bool) -> None:
    plain = fitted(static, 4)
    for nothing in ("O0", {}, {"level": "O0", "init_loss_scaling": 2.0}):
        assert all(map(np.array_equal, plain, fitted(static, 4, amp_configs=nothing)))


def test_scaling_follows_its_rule_and_is_saved(tmp_path: Any) -> None:
    configs = {"init_loss_scaling": 8.0, "incr_every_n_steps": 2, "incr_ratio": 4.0}
    model = made(amp_configs=configs)
    model.fit(data(8), batch_size=2, verbose=0)
    scaled = model._adapter.scaler.state_dict()
    assert scaled["scale"].tolist() == [8.0 * 4.0 * 4.0] and scaled["incr_ratio"] == 4.0
    model.save(str(tmp_path / "net"))
    assert (tmp_path / "net.pdscaler").exists()
    other = made(amp_configs=configs)
    other.load(str(tmp_path / "net"))
    assert other._adapter.scaler.state_dict()["scale"] == scaled["scale"]
    fresh = made(amp_configs=configs)
    fresh.load(str(tmp_path / "net"), reset_optimizer=True)
    assert fresh._adapter.scaler.state_dict()["scale"] == [8.0]


def test_black_list_in_effect() -> None:
    seen: list = []

    class Noted(nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.linear = nn.Linear(4, 3)

        def forward(self, x: Any) -> Any:
            out = self.linear(x)
            seen.append(out.dtype)
            return out

    for black in (None, {"matmul", "matmul_v2", "linear", "elementwise_add"}):
        net = Noted()
        model = paddle.Model(net)
        sgd = paddle.optimizer.SGD(0.1, parameters=net.parameters())
        configs = {"level": "O1", "custom_black_list": black}
        model.prepare(sgd, nn.CrossEntropyLoss(), amp_configs=configs)
        model.fit(Points(4), batch_size=4, verbose=0)
    assert seen[0] in (paddle.float16, paddle.bfloat16) and seen[1] == paddle.float32


@MODES
@pytest.mark.parametrize(
    "configs, error, text",
    [
        ("O3", ValueError, r"\['O0', 'O1', 'O2'\] as level, but received 'O3'"),
        ({"level": 1}, ValueError, "as level, but received 1"),
        (1, TypeError, "a dict or None, but received int"),
        ({"init_scale": 1}, ValueError, r"keys out of \[.*'init_loss_scaling'.*received 'init_sc"),
        ({"use_pure_fp16": True}, ValueError, "use_pure_fp16 is no key"),
        ({"incr_ratio": 0.5}, ValueError, r"amp_configs\).*incr_ratio.*above 1.*0.5"),
        ({"decr_ratio": "x"}, TypeError, "decr_ratio.*received str"),
        ({"use_dynamic_loss_scaling": 1}, TypeError, "bool as use_dynamic_loss_scaling.*int"),
        ({"custom_white_list": {"nothing"}}, ValueError, "custom_white_list.*'nothing'"),
        ({"custom_black_list": "matmul"}, TypeError, "custom_black_list.*set of operator names"),
    ],
)
def test_bad_configurations(static: bool, configs: Any, error: type, text: str) -> None:
    with mode(static), pytest.raises(error, match=text):
        made(amp_configs=configs)


def test_configurations_of_static_mode() -> None:
    for key in ("custom_black_varnames", "use_fp16_guard"):
        with pytest.raises(ValueError, match=f"{key} can be used in static mode only"):
            made(amp_configs={key: None})
    with mode(True):
        with pytest.raises(NotImplementedError, match="use_fp16_guard=True"):
            made(amp_configs={"use_fp16_guard": True})
        made(amp_configs={"use_fp16_guard": False, "custom_black_varnames": ["x"]}).fit(
            data(4), batch_size=2, verbose=0
        )


# -- numbers of steps -----------------------------------------------------------------------------
@pytest.mark.parametrize("count, epochs, steps", [(3, [0], 3), (5, [0], 5), (7, [0, 1], 7)])
def test_num_iters_counts_steps_of_all_epochs(count: int, epochs: list, steps: int) -> None:
    recorder = Recorder()
    model = prepared()
    history = model.fit(
        Points(10), Points(4), batch_size=2, epochs=9, num_iters=count, verbose=0,
        callbacks=recorder,
    )  # fmt: skip
    assert history.epoch == epochs == history.eval_epoch
    assert sum(name == "train_batch_end" for name, *_ in recorder.calls) == steps
    assert sum(name == "eval_batch_end" for name, *_ in recorder.calls) == 2 * len(epochs)


def test_num_iters_of_unknown_length_and_of_evaluate() -> None:
    model = prepared()
    loader = paddle.io.DataLoader(Stream(), batch_size=2)  # of 3 batches
    assert model.fit(loader, epochs=9, num_iters=5, verbose=0).epoch == [0, 1]
    assert model.fit(loader, epochs=1, num_iters=5, verbose=0).epoch == [0]
    read: list = []

    class Counted(Points):
        def __getitem__(self, index: int) -> Any:
            read.append(index)
            return super().__getitem__(index)

    model.evaluate(Counted(10), batch_size=2, num_iters=2, verbose=0)
    assert read == [0, 1, 2, 3]


def test_a_batch_size_for_each() -> None:
    recorder = Recorder(read=True)
    prepared().fit(Points(8), Points(6), batch_size=[4, 3], verbose=0, callbacks=recorder)
    sizes = [(name, logs["batch_size"]) for name, *_, logs in recorder.calls if "batch_end" in name]
    assert sizes == [("train_batch_end", 4)] * 2 + [("eval_batch_end", 3)] * 2
    with pytest.raises(ValueError, match=r"list of two.*received \[1, 2, 3\]"):
        prepared().fit(Points(8), batch_size=[1, 2, 3])


@pytest.mark.parametrize("name", ["num_iters", "accumulate_grad_batches", "epochs", "save_freq"])
@pytest.mark.parametrize("bad", [0, -1, 1.5, True, "1"])
def test_counts_are_checked(name: str, bad: Any) -> None:
    with pytest.raises(ValueError, match=rf"Model.fit\({name}\).*at least 1, but received {bad!r}"):
        prepared().fit(Points(4), verbose=0, **{name: bad})
