"""The CTR example of 1.x: text through its own pipe command, trained by train_from_dataset."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import paddle
import paddle.fluid as fluid

EXAMPLES = Path(__file__).parent.parent.parent / "examples" / "fluid"


def test_the_model_comes_near_the_hidden_weights(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.syspath_prepend(str(EXAMPLES))
    sys.modules.pop("ctr", None)
    import ctr

    paddle.enable_static()
    with (
        fluid.program_guard(fluid.Program(), fluid.Program()),
        fluid.scope_guard(fluid.Scope()),
        fluid.unique_name.guard(),
    ):
        model, best = ctr.main(epochs=2, files=1, records=3000)
    paddle.disable_static()
    assert best > 0.9 and model > 0.78
    assert capsys.readouterr().out.count("epoch 1 loss") == 1
