"""The seeds' C and C++ programs compile as they stand and print what Python computes."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
from pathlib import Path

import numpy as np

import paddle


def _printed(program: Path, folder: Path) -> list[str]:
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [str(program)], cwd=folder, capture_output=True, text=True, timeout=120, env=environment
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def _laid_out(model, folder: Path) -> None:
    folder.mkdir()
    shutil.copy(model.prog, folder / "model")
    shutil.copy(model.params, folder / "params")


def _of_zeros(model, size: int) -> np.ndarray:
    return model.net(paddle.zeros([1, 3, size, size])).numpy()[0]


def test_the_c_program_prints_what_python_computes(compiled, pictures, tmp_path):
    _laid_out(pictures, tmp_path / "model")
    program = compiled("resnet50.c", standard="c99")
    inputs, outputs, shape, *numbers = _printed(program, tmp_path)
    assert (inputs, outputs, shape) == ("Input num: 1", "Output num: 1", "Shape: 1 5")
    np.testing.assert_allclose(np.float32(numbers), _of_zeros(pictures, 318), rtol=1e-5, atol=1e-6)


def test_the_cpp_program_prints_what_python_computes(compiled, pictures, tmp_path):
    _laid_out(pictures, tmp_path / "mobilenet")
    numbers = _printed(compiled("mobilenet.cc"), tmp_path)
    np.testing.assert_allclose(np.float32(numbers), _of_zeros(pictures, 224), rtol=1e-5, atol=1e-6)


def test_the_program_for_1_8_gives_what_python_computes(compiled, pictures):
    library = ctypes.CDLL(str(compiled("zero_copy.cc", shared=True)))
    out = np.zeros(5, "float32")
    count = library.zero_copy(
        pictures.prog.encode(), pictures.params.encode(), out.ctypes.data_as(ctypes.c_void_p), 5
    )
    assert count == 5
    np.testing.assert_allclose(out, _of_zeros(pictures, 300), rtol=1e-5, atol=1e-6)
