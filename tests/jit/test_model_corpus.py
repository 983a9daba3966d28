"""Models that 1.8.5 and 2.6.2 saved: the same numbers, the same training, saved again equal."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paddle
from paddle import static
from tests.jit.cases.model_cases import Case, close, names, read_case

# Operators that came after 2.0.
MODELS = names("inference", "jit")
TUNED = [n for n in names("jit", "tuned") if read_case(n).meta.get("train")]


@pytest.fixture
def exe() -> Iterator[static.Executor]:
    with static.scope_guard(static.Scope()):
        yield static.Executor(paddle.CPUPlace())


def flat(outputs: Any) -> list[Any]:
    return list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]


def compare(found: Any, expected: list[np.ndarray], what: str) -> None:
    found = flat(found)
    assert len(found) == len(expected), what
    for k, (a, b) in enumerate(zip(found, expected, strict=True)):
        close(a, b, f"{what}, output {k}")


def loaded(case: Case, folder: Path) -> Any:
    return paddle.jit.load(case.unpack(folder), **case.filenames)


def layer_outputs(layer: Any, case: Case) -> list[list[np.ndarray]]:
    """Outputs of all rounds."""
    made = []
    for method, inputs, _ in case.runs():
        outputs = getattr(layer, method)(*[paddle.to_tensor(v) for v in inputs])
        made.append([t.numpy() for t in flat(outputs)])
    return made


# -- models ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", MODELS)
def test_inference_model(name: str, tmp_path: Path, exe: Any) -> None:
    """By load_inference_model and Executor; saved here, it is read back equal, byte for byte."""
    case = read_case(name)
    program, feeds, fetches = static.load_inference_model(
        case.unpack(tmp_path), exe, **case.filenames
    )
    results = []
    for i, (method, inputs, outputs) in enumerate(case.runs()):
        if method == "forward":
            told = case.meta["runs"][i]["feeds"]
            assert feeds == told if isinstance(told, list) else len(feeds) == told
            feed = dict(zip(feeds, inputs, strict=True))
            results.append((feed, exe.run(program, feed=feed, fetch_list=fetches)))
            compare(results[-1][1], outputs, f"{name}, round {i}")
    inputs = [program.global_block().var(n) for n in feeds]
    again, third = str(tmp_path / "again" / "net"), str(tmp_path / "third" / "net")
    static.save_inference_model(again, inputs, fetches, exe, program=program)
    stored = case.files.get("model/net.pdiparams", case.files.get("model/net.params"))
    if stored is not None and name != "2.6.2/methods_combined":
        assert Path(again + ".pdiparams").read_bytes() == stored
    with static.scope_guard(static.Scope()):
        program, feeds2, fetches = static.load_inference_model(again, exe)
        assert feeds2 == feeds
        for feed, before in results:
            for a, b in zip(exe.run(program, feed=feed, fetch_list=fetches), before, strict=True):
                np.testing.assert_array_equal(a, b)
        inputs = [program.global_block().var(n) for n in feeds]
        static.save_inference_model(third, inputs, fetches, exe, program=program)
    assert Path(again + ".pdmodel").read_bytes() == Path(third + ".pdmodel").read_bytes()


@pytest.mark.parametrize("name", MODELS)
def test_layer(name: str, tmp_path: Path) -> None:
    """By jit.load; what jit.save writes of it gives the same numbers exactly."""
    case = read_case(name)
    layer = loaded(case, tmp_path)
    layer.eval()
    found = layer_outputs(layer, case)
    for i, (method, _, outputs) in enumerate(case.runs()):
        compare(found[i], outputs, f"{name}, {method} in round {i}")
    paddle.jit.save(layer, str(tmp_path / "again" / "net"))
    again = paddle.jit.load(str(tmp_path / "again" / "net"))
    again.eval()
    for first, second in zip(found, layer_outputs(again, case), strict=True):
        for a, b in zip(first, second, strict=True):
            np.testing.assert_array_equal(a, b)


def test_an_operator_of_a_later_release_is_named(tmp_path: Path, exe: Any) -> None:
    case = read_case("2.6.2/newer_operators")
    program, feeds, fetches = static.load_inference_model(case.unpack(tmp_path), exe)
    made = bytes(program.desc.serialize_to_string()).replace(b"fft_r2c", b"fft_r9c")
    program = static.Program.parse_from_string(made)
    with pytest.raises(RuntimeError, match="Operator 'fft_r9c'"):
        exe.run(program, feed={feeds[0]: case.runs()[0][1][0]}, fetch_list=[fetches[0].name])


# -- training a loaded model ----------------------------------------------------------------------


def followed(case: Case, folder: Path) -> tuple[Any, list[Any], dict[str, Any]]:
    """The layer in training, its first inputs, and its Tensors by the names in the file."""
    model = read_case(case.meta["of"]) if "of" in case.meta else case
    layer = loaded(model, folder)
    layer.train()
    members = {"_parameters": dict(layer._parameters), "_buffers": dict(layer._buffers)}
    tensors = {name: members[kind][key] for name, (kind, key) in layer._members_of.items()}
    return layer, model.runs()[0][1], tensors


def floating(outputs: Any) -> list[Any]:
    return [t for t in flat(outputs) if t.dtype == paddle.float32]


@pytest.mark.parametrize("name", TUNED)
def test_gradients(name: str, tmp_path: Path) -> None:
    """Of the sum of all float outputs times cos(0), cos(1), cos(2), ..."""
    case = read_case(name)
    layer, arrays, tensors = followed(case, tmp_path)
    inputs = [paddle.to_tensor(a) for a in arrays]
    for tensor in inputs:
        tensor.stop_gradient = tensor.dtype != paddle.float32
    loss = paddle.zeros([1])
    for out in floating(layer(*inputs)):
        weights = np.cos(np.arange(out.size)).reshape(out.shape).astype("float32")
        loss = loss + paddle.sum(out * paddle.to_tensor(weights))
    close(loss.numpy(), case.expected["loss"].astype("float32"), "loss")
    loss.backward()
    wanted = case.of("gradient/")
    found = {str(i): t.grad for i, t in enumerate(inputs) if t.grad is not None}
    found.update((n, t.grad) for n, t in tensors.items() if t.grad is not None)
    largest = max(float(np.max(np.abs(v))) for v in wanted.values())
    for key in wanted.keys() | found.keys():
        if key not in wanted or key not in found:  # a parameter of a branch that was not taken
            given = found[key].numpy() if key in found else wanted[key]
            assert not given.any(), key
            continue
        close(found[key].numpy(), wanted[key], f"gradient of {key}", size=largest)


@pytest.mark.parametrize("name", TUNED)
def test_fine_tuning(name: str, tmp_path: Path) -> None:
    """Steps of SGD on the sum of mean((output - 0.5)^2); then the stored values, saved or not."""
    case = read_case(name)
    layer, arrays, tensors = followed(case, tmp_path)
    train, losses = case.meta["train"], []
    sgd = paddle.optimizer.SGD(train["rate"], parameters=layer.parameters())
    for _ in range(train["steps"]):
        outputs = floating(layer(*[paddle.to_tensor(a) for a in arrays]))
        loss = sum(paddle.mean(paddle.square(t - 0.5)) for t in outputs)
        loss.backward()
        sgd.step()
        sgd.clear_grad()
        losses.append(float(loss))
    close(np.array(losses, "float32"), case.expected["losses"], "losses")
    wanted = case.of("after/")
    assert set(tensors) == set(wanted)
    largest = max(float(np.max(np.abs(v))) for v in wanted.values())
    for key, value in wanted.items():
        close(tensors[key].numpy(), value, key, size=largest)
    paddle.jit.save(layer, str(tmp_path / "again" / "net"))
    again = paddle.jit.load(str(tmp_path / "again" / "net"))
    layer.eval()
    again.eval()
    inputs = [paddle.to_tensor(a) for a in arrays]
    for a, b in zip(flat(layer(*inputs)), flat(again(*inputs)), strict=True):
        np.testing.assert_array_equal(a.numpy(), b.numpy())


@pytest.mark.parametrize("name", names("tuned"))
def test_what_262_got_from_models_of_185(name: str, tmp_path: Path) -> None:
    case = read_case(name)
    model = read_case(case.meta["of"])
    layer = loaded(model, tmp_path)
    layer.eval()
    compare(layer_outputs(layer, model)[0], list(case.of("0/").values()), name)
