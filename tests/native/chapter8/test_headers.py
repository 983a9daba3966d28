"""The headers of both forms in one source, without a warning, in C++11 and C++20."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

import paddle

TEXT = """
#include "paddle/extension.h"
#include "paddle/operators.h"
#include "paddle/fluid/framework/op_registry.h"
#include "paddle/fluid/framework/lod_tensor.h"
#include "paddle/fluid/framework/tensor_util.h"
#include "paddle/fluid/operators/math/blas.h"
"""


@pytest.mark.parametrize("compiler", ["g++", "clang++"])
@pytest.mark.parametrize("standard", ["c++11", "c++20"])
def test_both_forms_in_one_source(tmp_path: Path, standard: str, compiler: str) -> None:
    if shutil.which(compiler) is None:
        pytest.skip(f"there is no {compiler}")
    (tmp_path / "both.cc").write_text(TEXT)
    done = subprocess.run(
        [compiler, f"-std={standard}", "-fsyntax-only", "-Wall", "-Wextra", "-Werror",
         "-I", paddle.sysconfig.get_include(), "both.cc"],
        cwd=tmp_path, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
