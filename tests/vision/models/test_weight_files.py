"""Files of weights that PaddlePaddle 1.8.5 and 2.6.2 wrote: each model computes the same from them.

scripts/oracle/pretrained_262.py and pretrained_185.py wrote them; "2.0" is what 2.6.2 writes with
the protocol that 2.0 has.
"""

from __future__ import annotations

import json
import lzma
import shutil
import warnings
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paddle
from paddle.vision import models
from paddle.vision.models.weights import load_weights
from scripts.oracle.pretrained_cases import CASES, images

FROZEN = Path(__file__).parents[2] / "data" / "pretrained"
INDEX = json.loads((FROZEN / "index.json").read_text())
RELEASES = ("1.8.5", "2.0", "2.6.2")
QUICK = {"lenet", "resnet18", "vgg11", "mobilenet_v1_0.25", "mobilenet_v2_0.5"}
STATIC = "static_mobilenet_v1_0.25"
PAIRS = [
    pytest.param(name, release, marks=() if name in QUICK else pytest.mark.slow)
    for name in CASES
    for release in RELEASES
    if release in INDEX[name]
]


def _unpacked(name: str, release: str, folder: Path) -> str:
    target = folder / f"{name}.pdparams"
    packed = FROZEN / release / f"{name}.pdparams.xz"
    with lzma.open(packed) as source, target.open("wb") as file:
        shutil.copyfileobj(source, file)
    return str(target)


def _check_output(net: Any, name: str, release: str, size: int) -> None:
    net.eval()
    with paddle.no_grad():
        out = net(paddle.to_tensor(images(size, 1 if name == "lenet" else 3))).numpy()
    expected = INDEX[name][release]
    assert list(out.shape) == expected["shape"]
    rows = out.reshape(2, -1).astype("float64")
    assert abs(rows.std() - expected["spread"]) < 1e-4 * expected["spread"]
    np.testing.assert_allclose(
        rows[:, :5], expected["first"], rtol=1e-4, atol=2e-5 * np.abs(expected["first"]).max()
    )


@pytest.mark.parametrize("name, release", PAIRS)
def test_weights_of_each_release_load_unchanged(name: str, release: str, tmp_path: Path) -> None:
    maker, options, size = CASES[name]
    path = _unpacked(name, release, tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        if maker == "LeNet":  # its class has no ``pretrained``
            net = models.LeNet()
            assert net.set_state_dict(paddle.load(path)) == ([], [])
        else:
            net = getattr(models, maker)(pretrained=path.removesuffix(".pdparams"), **options)
    saved = paddle.load(path, return_numpy=True)
    assert list(saved) == list(net.state_dict())
    for key, value in net.state_dict().items():
        np.testing.assert_array_equal(value.numpy(), saved[key])
    _check_output(net, name, release, size)


@pytest.fixture(scope="session")
def static_files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Program of 1.8.5 whose values lie there in four layouts."""
    folder = tmp_path_factory.mktemp("static")
    with zipfile.ZipFile(FROZEN / "1.8.5" / f"{STATIC}.zip") as packed:
        packed.extractall(folder)
    return folder


@pytest.mark.parametrize(
    "path", ["saved/net", "saved/net.pdparams", "separate", "combined/weights", "inference"]
)
def test_values_of_a_program_of_185_load_by_the_names_of_their_variables(
    path: str, static_files: Path
) -> None:
    models.mobilenet_v1(scale=0.25, num_classes=3)  # later layers have higher numbers
    source = static_files / path
    net = models.mobilenet_v1(pretrained=source, scale=0.25, num_classes=10)
    _check_output(net, STATIC, "1.8.5", 64)


def test_values_of_a_program_recorded_here_load_too(tmp_path: Path) -> None:
    paddle.enable_static()
    try:
        main, startup = paddle.static.Program(), paddle.static.Program()
        with paddle.static.program_guard(main, startup):
            models.mobilenet_v2(scale=0.25, num_classes=4)  # so that numbers do not begin with 0
            net = models.mobilenet_v2(scale=0.25, num_classes=4)
            x = paddle.static.data("x", [None, 3, 32, 32])
            out = net(x)
        pruned = main.clone(for_test=True)._prune(out)
        scope = paddle.static.Scope()
        with paddle.static.scope_guard(scope):
            executor = paddle.static.Executor(paddle.CPUPlace())
            executor.run(startup)
            given = images(32)
            expected = executor.run(pruned, {"x": given}, [out])[0]
            paddle.static.save_inference_model(
                str(tmp_path / "m"), [x], [out], executor, program=main
            )
    finally:
        paddle.disable_static()
    for name in ("m", "m.pdiparams"):
        loaded = models.mobilenet_v2(pretrained=tmp_path / name, scale=0.25, num_classes=4)
        loaded.eval()
        np.testing.assert_allclose(
            loaded(paddle.to_tensor(given)).numpy(), expected, rtol=1e-4, atol=1e-5
        )


def test_a_saved_layer_is_loaded_by_the_names_in_it(tmp_path: Path) -> None:
    net = models.mobilenet_v1(scale=0.25, num_classes=3)
    spec = [paddle.static.InputSpec([None, 3, 32, 32], "float32")]
    paddle.jit.save(net, str(tmp_path / "m"), input_spec=spec)
    loaded = models.mobilenet_v1(pretrained=tmp_path / "m", scale=0.25, num_classes=3)
    for name, value in net.state_dict().items():
        np.testing.assert_array_equal(loaded.state_dict()[name].numpy(), value.numpy())


def test_a_file_of_variables_without_names_must_have_their_shapes(static_files: Path) -> None:
    net = models.mobilenet_v1(scale=0.5, num_classes=10)
    before = {name: value.numpy() for name, value in net.state_dict().items()}
    with pytest.raises(ValueError, match=r"another network.*\n.*of another shape \(136\)"):
        load_weights(net, str(static_files / "combined" / "weights"), "here", "fc")
    for name, value in net.state_dict().items():
        np.testing.assert_array_equal(value.numpy(), before[name])
