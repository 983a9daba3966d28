"""The examples of fluid, converted: nothing of 1.x is left unsaid, and the losses are the same."""

from __future__ import annotations

import importlib.util
import io
import json
import tokenize
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paddle
from paddle_upgrade_tool.convert import convert
from tests.fluid.book_runs import BOOKS, EXAMPLES, filled, losses
from tests.fluid.dygraph import training
from tests.fluid.test_books import FROZEN
from tests.fluid.test_books import LOOSE as LOOSE_185

# What 2.0 has no equal for, by example; it stays as it is, is reported, and runs here.
LEFT = {
    "ctr": "DatasetFactory",
    "dqn": "",
    "dygraph_digits": "dygraph.PiecewiseDecay load_dygraph optimizer.AdamOptimizer",
    "ernie": "core.EOFException layers.linear_lr_warmup layers.polynomial_decay layers.py_reader "
    "layers.read_file optimizer.Adam",
    "fit_a_line": "",
    "gan_digits": "",
    "image_classification": "",
    "label_semantic_roles": "create_lod_tensor layers layers.chunk_eval layers.dynamic_lstm "
    "layers.linear_chain_crf",
    "lexical_tagger": "create_lod_tensor layers.chunk_eval layers.dynamic_gru "
    "layers.linear_chain_crf metrics.ChunkEvaluator",
    "machine_translation": "create_lod_tensor layers layers.DynamicRNN layers.While "
    "layers.array_read layers.array_write layers.beam_search layers.beam_search_decode "
    "layers.dynamic_gru layers.gru_unit "
    "layers.lod_reset",
    "recognize_digits": "",
    "recommender_system": "create_lod_tensor layers layers.cos_sim",
    "ssd": "create_lod_tensor layers.detection_output layers.ssd_loss metrics.DetectionMAP",
    "understand_sentiment": "create_lod_tensor layers layers.DynamicRNN layers.dynamic_lstm",
    "word2vec": "",
    "yolov3": "layers.multiclass_nms layers.piecewise_decay optimizer.Adam",
}
# 2.0's Adam scales epsilon by the root of 1 - beta2**t, so small gradients make other steps.
LOOSE = {**LOOSE_185, "image_classification.vgg": 5e-3}
# The others of these examples are like them.
SLOW = {"understand_sentiment.rnn", "image_classification.vgg"}


@pytest.fixture(autouse=True)
def static_mode() -> Iterator[None]:
    paddle.enable_static()
    yield
    paddle.disable_static()


@pytest.fixture(scope="session")
def converted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the converted examples, beside their data."""
    folder = tmp_path_factory.mktemp("examples")
    (folder / "data").symlink_to(Path(EXAMPLES).parent / "data")
    (folder / "fluid").mkdir()
    for path in Path(EXAMPLES).glob("*.py"):
        text = convert(path.read_text(encoding="utf8"), path.name)[0]
        (folder / "fluid" / path.name).write_text(text, encoding="utf8")
    return folder / "fluid"


def lines_of_fluid(text: str) -> set[int]:
    """The lines on which the code, comments and strings left aside, says fluid, but for imports."""
    found = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.NAME and token.string == "fluid":
            if not token.line.startswith(("import ", "from ")):
                found.add(token.start[0])
    return found


def test_the_list_is_whole() -> None:
    assert set(LEFT) == {path.stem for path in Path(EXAMPLES).glob("*.py")}


@pytest.mark.parametrize("name", LEFT)
def test_what_is_left_is_reported(name: str, converted: Path) -> None:
    text = (converted / f"{name}.py").read_text(encoding="utf8")
    again, findings, _ = convert(text, f"{name}.py")
    assert again == text
    assert {f.name.removeprefix("paddle.fluid.") for f in findings if f.level == "left"} == set(
        LEFT[name].split()
    )
    assert lines_of_fluid(text) <= {f.line for f in findings if f.level == "left"}
    if not LEFT[name]:
        code = text[text.index('"""', 3) :]
        assert "fluid" not in code


@pytest.mark.parametrize(
    "name, network",
    [
        pytest.param(n, k, marks=[pytest.mark.slow] if f"{n}.{k}" in SLOW else [])
        for n, kinds in BOOKS.items()
        for k in kinds
    ],
)
def test_ten_losses_are_the_same(name: str, network: str, converted: Path) -> None:
    """As those of the example itself, which tests/fluid/test_books.py compares with 1.8.5's."""
    key = f"{name}.{network}"
    want = json.loads(FROZEN.read_text(encoding="utf8"))[key]
    got = losses(name, network, folder=str(converted))
    np.testing.assert_allclose(got, want, rtol=LOOSE.get(key, 2e-4))


def module(folder: Path, name: str) -> Any:
    spec = importlib.util.spec_from_file_location(f"upgraded_{name}", folder / f"{name}.py")
    assert spec is not None and spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


def test_dynamic_losses_are_the_same(converted: Path) -> None:
    import paddle.fluid as fluid
    from tests.fluid.dygraph.test_dygraph_185 import expected

    paddle.disable_static()
    got = training.example_losses(
        fluid, module(converted, "dygraph_digits"), module(converted, "dqn")
    )
    np.testing.assert_allclose(got, expected("examples/losses")[0], rtol=1e-3)


@pytest.mark.slow
def test_click_rates_are_the_same(
    converted: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What ten steps over a file make of the parameters: 2.0 begins with other random numbers."""
    monkeypatch.setenv("PYTHONPATH", str(Path(EXAMPLES).parents[1]))
    found = []
    for folder in (Path(EXAMPLES), converted):
        example = module(folder, "ctr")
        example.write_raw(str(tmp_path / "part"), 1000, 0)
        program, startup = paddle.static.Program(), paddle.static.Program()
        with paddle.static.program_guard(program, startup), paddle.utils.unique_name.guard():
            inputs, loss, _ = example.network()
            paddle.optimizer.SGD(0.1).minimize(loss)
        names = [parameter.name for parameter in program.all_parameters()]
        with paddle.static.scope_guard(paddle.static.Scope()):
            exe = paddle.static.Executor(paddle.CPUPlace())
            exe.run(startup)
            state = [paddle.static.global_scope().find_var(n).get_tensor() for n in sorted(names)]
            for number, tensor in enumerate(state):
                value = filled(np.array(tensor).shape, number).astype("float32")
                tensor.set(value, paddle.CPUPlace())
            dataset = example.dataset_of([str(tmp_path / "part")], inputs)
            exe.train_from_dataset(program, dataset)
            found.append([np.array(tensor) for tensor in state])
    for mine, its in zip(*found, strict=True):
        np.testing.assert_allclose(mine, its, rtol=1e-5, atol=1e-7)
    assert len(found[0]) == 7
