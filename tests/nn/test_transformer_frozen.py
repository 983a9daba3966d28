"""The Transformer's layers against frozen answers of PaddlePaddle 2.6.2, and its saved state."""

from __future__ import annotations

import numpy as np
import pytest

import paddle
from tests import rounding
from tests.nn import transformer_cases as cases

FROZEN = np.load(cases.DATA)
# In two layers and back: some 64 additions in each (products of width 8 and 12, scores, norms).
TERMS = 2 * 2 * 64


@pytest.mark.parametrize("name", cases.CASES)
def test_as_paddle(name):
    found = cases.answers(paddle, name)
    expected = {k[len(name) + 1 :]: FROZEN[k] for k in FROZEN.files if k.startswith(name + "/")}
    assert set(found) == set(expected)
    for key, wanted in expected.items():
        if key == "names":
            assert found[key].tolist() == wanted.tolist()
            continue
        assert found[key].shape == wanted.shape, key
        rounding.close(found[key], wanted, terms=TERMS, least=1.0, name=key)


def test_state_saved_by_paddle_gives_its_results():
    net = paddle.nn.Transformer(8, 2, 2, 1, 12, activation="gelu")
    net.eval()
    net.set_state_dict(paddle.load(str(cases.SAVED)))
    src, tgt = cases.given(paddle, "src", 2, 4, 8), cases.given(paddle, "tgt", 2, 3, 8)
    out = net(src, tgt, tgt_mask=net.generate_square_subsequent_mask(3))
    rounding.close(out.numpy(), FROZEN["transformer/out/0"], terms=TERMS)


def test_saved_state_has_the_names_of_paddle(tmp_path):
    net, _, _ = cases.transformer(paddle)
    paddle.save(net.state_dict(), str(tmp_path / "ours.pdparams"))
    ours, theirs = paddle.load(str(tmp_path / "ours.pdparams")), paddle.load(str(cases.SAVED))
    assert list(ours) == list(theirs)
    for key, value in theirs.items():
        np.testing.assert_array_equal(ours[key].numpy(), value.numpy())
