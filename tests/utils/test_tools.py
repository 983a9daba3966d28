"""deprecated, require_version, try_import, run_check, unique names, what cannot be built."""

from __future__ import annotations

import os
import subprocess
import sys
import warnings
from collections.abc import Callable

import numpy as np
import pytest
import torch

import paddle
from paddle.utils import cpp_extension, unique_name


def test_deprecated_function() -> None:
    @paddle.utils.deprecated(update_to="paddle.add", since="2.0.0", reason="it is slow")
    def plus(x: int, y: int = 2) -> int:
        """Adds."""
        return x + y

    with pytest.warns(DeprecationWarning, match=r"plus is deprecated since 2\.0\.0; use paddle"):
        assert plus(1) == 3
    assert plus.__name__ == "plus" and "Adds." in plus.__doc__
    assert "Reason: it is slow" in plus.__doc__


def test_deprecated_class_and_no_text() -> None:
    @paddle.utils.deprecated()
    class Old:
        def __init__(self, x: int) -> None:
            self.x = x

    with pytest.warns(DeprecationWarning, match="Old is deprecated$"):
        assert Old(3).x == 3
    assert isinstance(Old, type)
    with pytest.raises(TypeError, match=r"deprecated\(since\): expected a str, but received int"):
        paddle.utils.deprecated(since=2)


def test_the_module_of_the_same_name() -> None:
    from paddle.utils.deprecated import deprecated

    assert deprecated is paddle.utils.deprecated


@pytest.mark.parametrize("versions", [("2",), ("1.8",), ("2.0.0.0",), ("0", "2.0"), ("2.0", "3")])
def test_versions_that_fit(versions: tuple) -> None:
    paddle.utils.require_version(*versions)


@pytest.mark.parametrize(
    "versions, error, text",
    [
        (("2.0.1",), RuntimeError, r"2\.0\.1 or higher is required, but this is 2\.0\.0"),
        (("1.0", "1.8.5"), RuntimeError, r"from 1\.0 to 1\.8\.5 is required"),
        ((2,), TypeError, r"require_version\(min_version\): expected a str, but received int"),
        (("1", 2), TypeError, r"require_version\(max_version\): expected a str"),
        (("2.x",), ValueError, "one to four numbers with points between"),
        (("1.2.3.4.5",), ValueError, "received '1.2.3.4.5'"),
    ],
)
def test_versions_that_do_not_fit(versions: tuple, error: type, text: str) -> None:
    with pytest.raises(error, match=text):
        paddle.utils.require_version(*versions)


def test_try_import() -> None:
    assert paddle.utils.try_import("os.path").join("a", "b") == "a/b"
    with pytest.raises(ImportError, match="run `pip install no_such_thing`"):
        paddle.utils.try_import("no_such_thing.part")
    with pytest.raises(ImportError, match=r"^say this$"):
        paddle.utils.try_import("no_such_thing", "say this")


@pytest.mark.parametrize("static", [False, True])
def test_run_check_leaves_everything_as_it_was(static: bool, capsys: pytest.CaptureFixture) -> None:
    paddle.seed(5)
    first = paddle.rand([2]).numpy()
    paddle.seed(5)
    if static:
        paddle.enable_static()
    try:
        paddle.utils.run_check()
        assert paddle.in_dynamic_mode() is not static
    finally:
        paddle.disable_static()
    assert (paddle.rand([2]).numpy() == first).all()
    assert "PaddlePaddle is installed successfully!" in capsys.readouterr().out


def test_unique_names() -> None:
    with unique_name.guard("a_"):
        assert [unique_name.generate("fc") for _ in range(2)] == ["a_fc_0", "a_fc_1"]
        before = unique_name.switch()
        assert unique_name.generate("fc") == "fc_0"
        assert unique_name.generate_with_ignorable_key("fc") == "dygraph_tmp_0"
        unique_name.switch(*before)
        assert unique_name.generate("fc") == "a_fc_2"
        assert unique_name.generator("fc") == "a_fc_3"


def test_the_register_of_parameter_names() -> None:
    assert not unique_name.dygraph_parameter_name_checker("tools_w")
    assert unique_name.dygraph_parameter_name_checker("tools_w")
    with unique_name.guard():
        assert not unique_name.dygraph_parameter_name_checker("tools_w")
    before = unique_name.switch()
    assert not unique_name.dygraph_parameter_name_checker("tools_w")
    unique_name.switch(*before)
    assert unique_name.dygraph_parameter_name_checker("tools_w")


def test_extension_folder(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture) -> None:
    monkeypatch.setenv("PADDLE_EXTENSION_DIR", "/somewhere")
    assert cpp_extension.get_build_directory(verbose=True) == "/somewhere"
    assert "/somewhere" in capsys.readouterr().out
    assert cpp_extension.parse_op_info("softmax") == (["X"], ["axis"], ["Out"])


def test_version_and_paths(capsys: pytest.CaptureFixture) -> None:
    assert paddle.version.full_version == paddle.__version__ == "2.0.0"
    paddle.version.show()
    assert capsys.readouterr().out.splitlines()[0] == "full_version: 2.0.0"
    assert paddle.version.mkl() == paddle.version.with_mkl
    assert paddle.sysconfig.get_include().endswith("/paddle/include")
    assert paddle.sysconfig.get_lib().endswith("/paddle/libs")
    assert paddle.is_compiled_with_xpu() is False


def test_flags(monkeypatch: pytest.MonkeyPatch) -> None:
    name = "FLAGS_check_nan_inf"
    before = paddle.get_flags(name)
    try:
        paddle.set_flags({name: 1})
        assert paddle.get_flags([name]) == {name: True}
        with pytest.raises(ValueError, match="no flag 'FLAGS_check_nan'"):
            paddle.set_flags({name: False, "FLAGS_check_nan": True})
        assert paddle.get_flags((name,)) == {name: True}
    finally:
        paddle.set_flags(before)
    with pytest.raises(TypeError, match=r"set_flags\(flags\): expected a dict, but received list"):
        paddle.set_flags([name])
    with pytest.raises(TypeError, match=r"get_flags\(flags\): expected a str, a list or a tuple"):
        paddle.get_flags(3)


@pytest.mark.parametrize(
    "name, read",
    [
        ("FLAGS_cpu_deterministic", torch.are_deterministic_algorithms_enabled),
        ("FLAGS_cudnn_deterministic", lambda: torch.backends.cudnn.deterministic),
        ("FLAGS_cudnn_exhaustive_search", lambda: torch.backends.cudnn.benchmark),
    ],
)
def test_flags_that_act_at_once(name: str, read: Callable[[], bool]) -> None:
    assert paddle.get_flags(name) == {name: False} and not read()
    try:
        paddle.set_flags({name: True})
        assert read()
    finally:
        paddle.set_flags({name: False})
    assert not read()


def test_flags_of_the_environment_act_on_import() -> None:
    code = (
        "import paddle, torch\n"
        "name = 'FLAGS_cudnn_deterministic'\n"
        "assert paddle.get_flags(name) == {name: True}\n"
        "assert torch.backends.cudnn.deterministic and not torch.backends.cudnn.benchmark\n"
        "assert torch.are_deterministic_algorithms_enabled()\n"
    )
    given = {"FLAGS_cudnn_deterministic": "1", "FLAGS_cpu_deterministic": "True"}
    subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, **given})


def test_dlpack_round_trip() -> None:
    x = paddle.arange(6, dtype="float32")
    y = paddle.utils.dlpack.from_dlpack(paddle.utils.dlpack.to_dlpack(x))
    np.testing.assert_array_equal(x.numpy(), y.numpy())


def test_no_warning_on_import() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        import paddle.utils.image_util  # noqa: F401
