"""The C++ interface, called from C++ inside of this process."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

import paddle
from paddle.inference import Config, create_predictor

ROWS = 6


@pytest.fixture(scope="session")
def methods(compiled):
    return ctypes.CDLL(str(compiled("methods.cc", shared=True)))


def _call(methods, name: str, *args) -> None:
    """Calls a function of methods.cc, which returns what went wrong."""
    function = getattr(methods, name)
    function.restype = ctypes.c_char_p
    given = [a.encode() if isinstance(a, str) else a for a in args]
    given = [ctypes.c_void_p(a.ctypes.data) if isinstance(a, np.ndarray) else a for a in given]
    assert function(*given).decode() == ""


def _inputs(rows: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.RandomState(1)
    return rng.randn(rows, 4).astype("float32"), rng.randint(0, 10, rows)


def _expected(model, x: np.ndarray, ids: np.ndarray) -> np.ndarray:
    return model.net(paddle.to_tensor(x), paddle.to_tensor(ids))[0].numpy()


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_every_switch_of_a_config_is_set_and_asked(methods, mixed):
    _call(methods, "config_of_cpu", mixed.prog, mixed.params)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_engines_that_are_not_here_are_switched_without_harm(methods):
    _call(methods, "config_of_engines")


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_quantizer_gets_its_data(methods):
    _call(methods, "quantizer")


def test_the_pass_builder_changes_the_list_of_passes(methods):
    _call(methods, "passes")


@pytest.mark.parametrize("function", ["tensors", "errors", "from_memory", "held_tensors"])
def test_numbers_are_those_of_python(methods, mixed, function):
    x, ids = _inputs(ROWS)
    out = np.zeros([ROWS, 5], "float32")
    _call(methods, function, mixed.prog, mixed.params, x, ids, ROWS, out)
    np.testing.assert_allclose(out, _expected(mixed, x, ids), rtol=1e-5, atol=1e-6)


def test_offsets_of_sequences_go_in_and_out(methods, sequences):
    x = np.random.RandomState(2).randn(5, 1).astype("float32")
    out, offsets, levels = np.zeros([5, 1], "float32"), np.zeros(3, "int64"), np.zeros(1, "int64")
    _call(methods, "sequences", sequences.prog, sequences.params, x, 5, out, offsets, levels)

    predictor = create_predictor(Config(sequences.prog, sequences.params))
    handle = predictor.get_input_handle("x")
    handle.copy_from_cpu(x)
    handle.set_lod([[0, 2, 5]])
    predictor.run()
    result = predictor.get_output_handle(predictor.get_output_names()[0])
    assert result.lod() == [[0, 2, 5]]
    assert (levels[0], offsets.tolist()) == (1, [0, 2, 5])
    np.testing.assert_array_equal(out, result.copy_to_cpu())


def test_threads_share_a_pool(methods, mixed):
    x, ids = _inputs(2 * ROWS)
    out = np.zeros([2 * ROWS, 5], "float32")
    _call(methods, "threads", mixed.prog, mixed.params, x, ids, ROWS, 2, out)
    np.testing.assert_allclose(out, _expected(mixed, x, ids), rtol=1e-5, atol=1e-6)
