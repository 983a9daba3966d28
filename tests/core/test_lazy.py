"""Packages whose names are imported when first asked for."""

from __future__ import annotations

import importlib
import subprocess
import sys

import pytest

import paddle


def test_all_public_names_of_vision_are_listed():
    for part, names in importlib.import_module("paddle.vision")._PARTS.items():
        if part not in ("image", "ops"):
            module = importlib.import_module(f"paddle.vision.{part}")
            assert sorted(names) == sorted(module.__all__)
    assert {"LeNet", "transforms", "image_load"} <= set(dir(paddle.vision))


def test_star_import_gives_everything():
    names: dict = {}
    exec("from paddle.vision import *\nfrom paddle.jit import *", names)
    assert set(paddle.vision.__all__) | set(paddle.jit.__all__) <= set(names)
    assert names["LeNet"] is paddle.vision.models.LeNet
    assert callable(names["save"]) and callable(names["load"]) and callable(names["explain"])


def test_unknown_name():
    with pytest.raises(AttributeError, match=r"module 'paddle\.vision' has no attribute 'LeNot'"):
        paddle.vision.LeNot


@pytest.mark.slow
def test_networks_do_without_data_sets_and_saving():
    code = (
        "import sys, paddle; paddle.vision.models.LeNet(); paddle.jit.to_static; "
        "late = ('PIL.Image', 'paddle.io', 'paddle.jit.models.saving'); "
        "print([m for m in sys.modules if m in late])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


@pytest.mark.slow
def test_collector_is_left_as_it_was():
    code = "import gc; {first}import paddle; print(gc.isenabled(), gc.get_freeze_count() > 100_000)"
    for first, expected in (("", "True True"), ("gc.disable(); ", "False True"),
                            ("import torch; ", "True False")):  # fmt: skip
        out = subprocess.run(
            [sys.executable, "-c", code.format(first=first)],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        assert out.stdout.strip() == expected, first
