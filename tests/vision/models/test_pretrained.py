"""``pretrained=``: where weights are looked for, fine-tuning, and files that do not fit."""

from __future__ import annotations

import hashlib
import http.server
import threading
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paddle
from paddle.utils import download
from paddle.vision import models
from paddle.vision.models import pretrained
from paddle.vision.models.weights import load_weights

HERE = "pretrained=.* of mobilenetv1_0.25: "


def _small(**options: Any) -> models.MobileNetV1:
    return models.mobilenet_v1(scale=0.25, **{"num_classes": 10, **options})


def _values(net: Any) -> dict[str, np.ndarray]:
    return {name: value.numpy() for name, value in net.state_dict().items()}


def _same(net: Any, values: dict[str, np.ndarray]) -> bool:
    return all(np.array_equal(now, values[name]) for name, now in _values(net).items())


def _md5(path: Path) -> str:
    return hashlib.md5(path.read_bytes()).hexdigest()


@pytest.fixture(scope="session")
def source() -> models.MobileNetV1:
    return _small()


@pytest.fixture
def saved(source: models.MobileNetV1, tmp_path: Path) -> Path:
    path = tmp_path / "net.pdparams"
    paddle.save(source.state_dict(), path)
    return path


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache, and one attempt to fill it."""
    folder = tmp_path / "cache"
    monkeypatch.setattr(download, "WEIGHTS_HOME", str(folder))
    monkeypatch.setattr(download, "DOWNLOAD_RETRY_LIMIT", 1)
    return folder


def _publish(monkeypatch: pytest.MonkeyPatch, base: str, file: str, md5sum: str) -> None:
    """Gives the smallest network published weights."""
    monkeypatch.setattr(pretrained, "_BASE", base)
    monkeypatch.setitem(pretrained._FILES, "mobilenetv1_0.25", (file, md5sum))


@pytest.fixture
def server(tmp_path: Path) -> Iterator[tuple[str, list[str]]]:
    """The address of a server of files in ``tmp_path``, and what was asked of it."""
    asked: list[str] = []

    class Handler(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *args: Any) -> None:
            super().__init__(*args, directory=str(tmp_path))

        def log_message(self, *args: Any) -> None:
            asked.append(self.path)

    running = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=running.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{running.server_port}/", asked
    finally:
        running.shutdown()
        running.server_close()
        thread.join()


def test_true_downloads_once_into_the_cache(
    saved: Path, cache: Path, server: Any, source: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    base, asked = server
    _publish(monkeypatch, base, saved.name, _md5(saved))
    for _ in range(2):
        assert _same(_small(pretrained=True), _values(source))
    assert (cache / saved.name).read_bytes() == saved.read_bytes()
    assert len(asked) == 1


def test_true_takes_the_file_put_where_the_error_said(
    saved: Path, cache: Path, source: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    md5sum = _md5(saved)
    _publish(monkeypatch, "http://127.0.0.1:9/", saved.name, md5sum)
    with pytest.raises(RuntimeError) as error:
        _small(pretrained=True)
    text = str(error.value)
    place = cache / saved.name
    assert f"put it at {place}" in text
    assert f"http://127.0.0.1:9/{saved.name} (MD5 {md5sum})" in text
    assert "pretrained='/folder/net.pdparams'" in text
    place.parent.mkdir(exist_ok=True)
    place.write_bytes(saved.read_bytes())
    assert _same(_small(pretrained=True), _values(source))


def test_a_file_in_the_cache_with_another_checksum_is_not_taken(
    saved: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _publish(monkeypatch, "http://127.0.0.1:9/", saved.name, "0" * 32)
    cache.mkdir()
    (cache / saved.name).write_bytes(saved.read_bytes())
    with pytest.raises(RuntimeError, match=rf"\(MD5 {'0' * 32}\) .* put it at"):
        _small(pretrained=True)


def test_a_download_with_another_checksum_is_not_taken(
    saved: Path, cache: Path, server: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    _publish(monkeypatch, server[0], saved.name, "0" * 32)
    with pytest.raises(RuntimeError, match=f"MD5 {'0' * 32}") as error:
        _small(pretrained=True)
    assert _md5(saved) in str(error.value)
    assert not (cache / saved.name).exists()


def test_a_path_an_open_path_and_an_address_are_taken(
    saved: Path, cache: Path, server: Any, source: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(saved.parent)
    for given in (str(saved), saved, "net.pdparams", "net", server[0] + "net.pdparams"):
        assert _same(_small(pretrained=given), _values(source)), given


def test_values_are_converted_to_the_type_of_the_network(saved: Path, tmp_path: Path) -> None:
    state = {k: v.astype("float64") for k, v in paddle.load(saved, return_numpy=True).items()}
    path = tmp_path / "double.pdparams"
    paddle.save(state, path)
    net = _small(pretrained=path)
    assert net.fc.weight.dtype == paddle.float32
    np.testing.assert_array_equal(net.fc.weight.numpy(), state["fc.weight"].astype("float32"))


def test_other_number_of_classes_keeps_the_last_layer_and_says_so(saved: Path, source: Any) -> None:
    with pytest.warns(UserWarning) as told:
        net = _small(pretrained=saved, num_classes=4)
    (warning,) = told
    text = str(warning.message)
    assert "fc.weight, fc.bias keep their initial values" in text
    assert "num_classes is 4 and that of the file 10" in text
    assert "pass num_classes=10" in text
    assert warning.filename == __file__
    values = _values(source)
    now = _values(net)
    assert now["fc.weight"].shape == (256, 4)
    assert all(np.array_equal(now[k], values[k]) for k in now if not k.startswith("fc."))


def test_without_last_layer_that_of_the_file_is_left_aside(saved: Path, source: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        net = _small(pretrained=saved, num_classes=0, with_pool=False)
    assert _same(net, _values(source))


def test_a_file_without_last_layer_fits_a_network_with_one(tmp_path: Path) -> None:
    features = _small(num_classes=0)
    path = tmp_path / "features.pdparams"
    paddle.save(features.state_dict(), path)
    with pytest.warns(UserWarning, match="the file has no such layer.*num_classes=0"):
        net = _small(pretrained=path)
    assert _same(features, _values(net))


@pytest.mark.parametrize(
    "maker, last", [("vgg11", "classifier.6"), ("mobilenet_v2", "classifier.1")]
)
def test_the_last_layer_of_the_others_may_differ_too(maker: str, last: str, tmp_path: Path) -> None:
    make = getattr(models, maker)
    state = _values(make(num_classes=0))
    path = tmp_path / "w.pdparams"
    with pytest.MonkeyPatch.context() as patch:
        if maker == "vgg11":  # its linear layers of 4096 would be 480 MB
            patch.setattr(models.vgg, "_HIDDEN", 8)
        net = make(num_classes=6)
        paddle.save({**_values(net), **state}, path)
        with pytest.warns(UserWarning, match=f"{last}.weight, {last}.bias keep .* file 6;"):
            made = make(pretrained=path, num_classes=3)
    assert all(np.array_equal(_values(made)[name], value) for name, value in state.items())


def test_weights_of_another_network_change_nothing_and_are_listed(
    saved: Path, tmp_path: Path
) -> None:
    net = models.mobilenet_v2(scale=0.25, num_classes=10)
    before = _values(net)
    with pytest.raises(ValueError) as error:
        load_weights(net, str(saved), "mine", "classifier")
    text = str(error.value)
    assert "mine: " in text and "another network than this MobileNetV2" in text
    assert "not in the file (262): features.0.0.weight, features.0.1.weight" in text
    assert "only in the file (137): conv1.0.weight" in text
    assert "nothing was loaded" in text
    assert len(text) < 1500
    assert _same(net, before)


def test_weights_of_another_scale_tell_the_shapes(saved: Path) -> None:
    with pytest.raises(ValueError) as error:
        models.mobilenet_v1(pretrained=str(saved), scale=0.5, num_classes=10)
    text = str(error.value)
    assert "of another shape (136)" in text
    assert "conv1.0.weight expected [16, 3, 3, 3], in the file [8, 3, 3, 3]" in text


def test_weights_of_a_deeper_network_are_refused_although_all_is_there(tmp_path: Path) -> None:
    path = tmp_path / "deeper.pdparams"
    state = _values(models.resnet18(num_classes=2))
    more = {"layer1.2.conv1.weight": np.zeros([64, 64, 3, 3], "float32")}
    paddle.save({**state, **more}, path)
    with pytest.raises(ValueError, match=r"only in the file \(1\): layer1\.2\.conv1\.weight"):
        models.resnet18(pretrained=path, num_classes=2)


@pytest.mark.parametrize("size", [0, 1, 1000, -1000])
def test_a_truncated_file_is_refused(saved: Path, size: int) -> None:
    saved.write_bytes(saved.read_bytes()[:size])
    with pytest.raises(ValueError, match=r"net\.pdparams"):
        _small(pretrained=saved)


def test_a_file_of_something_else_is_refused(tmp_path: Path) -> None:
    path = str(tmp_path / "x.pdparams")
    page = tmp_path / "page.pdparams"
    page.write_text("<html>404</html>")
    with pytest.raises(ValueError, match=r"page\.pdparams"):
        _small(pretrained=page)
    for value, told in (
        ([1, 2], "it holds a list"),
        ({"epoch": 3, "model": {}}, "entry 'epoch' is a int"),
        ({"a": np.array(["x"])}, "x.pdparams"),
    ):
        try:
            paddle.save(value, path)
        except (TypeError, ValueError, NotImplementedError):
            continue  # not even written
        with pytest.raises(ValueError, match=told):
            _small(pretrained=path)


@pytest.mark.parametrize("dtype", ["int64", "bool", "complex64"])
def test_values_that_are_no_floats_are_refused(dtype: str, saved: Path) -> None:
    state = paddle.load(saved, return_numpy=True)
    state["fc.bias"] = state["fc.bias"].astype(dtype)
    paddle.save(state, saved)
    with pytest.raises(ValueError, match=rf"Tensors of floats .* 'fc\.bias' is of {dtype}"):
        _small(pretrained=saved)


def test_a_file_that_is_not_there(saved: Path, tmp_path: Path) -> None:
    wrong = str(tmp_path / "nett")
    with pytest.raises(RuntimeError) as error:
        _small(pretrained=wrong)
    assert isinstance(error.value, FileNotFoundError)
    text = str(error.value)
    assert f"there is neither '{wrong}' nor '{wrong}.pdparams'; there are net.pdparams" in text
    with pytest.raises(RuntimeError, match="there is no folder '/nowhere'"):
        models.resnet18(pretrained="/nowhere/x")
    with pytest.raises(RuntimeError, match="pretrained=True downloads"):
        models.resnet18(pretrained="/nowhere/x")


@pytest.mark.parametrize("value", [3, 1.0, ["a"], {"a": 1}, b"x"])
def test_other_types_are_refused(value: Any) -> None:
    with pytest.raises(TypeError, match=f"{HERE}expected True, False or the path"):
        _small(pretrained=value)


def test_none_loads_nothing() -> None:
    paddle.seed(3)
    one = _values(_small(pretrained=None))
    paddle.seed(3)
    assert _same(_small(pretrained=False), one)


def test_networks_without_published_weights_name_those_that_have() -> None:
    for make in (models.vgg11, models.vgg13):
        with pytest.raises(
            ValueError, match=r"one of \['mobilenetv1_1\.0'.*'resnet18'.*vgg1\d has none"
        ):
            make(pretrained=True, num_classes=0)


@pytest.mark.slow
def test_every_published_file_is_one_of_a_network() -> None:
    """The table names each network as its maker does."""
    asked = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pretrained, "get_weights_path_from_url", lambda url, md5: asked.append(url))
        patch.setattr(pretrained, "load_weights", lambda *args: None)
        for name in models.__all__:
            if name[0].islower():
                try:
                    getattr(models, name)(pretrained=True, num_classes=0)
                except ValueError:
                    assert name in ("vgg11", "vgg13")
    assert sorted(asked) == sorted(
        pretrained._BASE + file for file, _ in pretrained._FILES.values()
    )
