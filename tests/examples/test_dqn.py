"""DQN balances the pole; the physics of its cart are those of a pole on a cart."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.examples.running import load


@pytest.mark.slow
def test_dqn_balances_the_pole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    before, after = load("dqn").main()
    assert before.mean() < 150
    assert after.mean() > 400
    assert (tmp_path / "output/dqn/episodes.png").stat().st_size > 1000


def test_the_pole_falls_to_the_side_it_leans_to_and_the_cart_goes_where_it_is_pushed() -> None:
    cart = load("dqn").CartPole(seed=0)
    for lean in (-0.1, 0.1):
        cart.state = np.array([0.0, 0.0, lean, 0.0])
        states = [cart.step(action % 2)[0] for action in range(40)]
        assert np.sign(states[-1][2]) == np.sign(lean)
        assert abs(states[-1][2]) > 0.21
    for action, sign in ((0, -1), (1, 1)):
        cart.state = np.zeros(4)
        state, failed, over = cart.step(action)
        assert np.sign(state[1]) == sign
        assert np.sign(state[3]) == -sign  # the pole stays behind
        assert not failed and not over


def test_the_memory_forgets_the_oldest() -> None:
    memory = load("dqn").Memory(size=3, seed=0)
    for i in range(5):
        memory.add(np.full(4, i), i % 2, np.full(4, i + 1), False)
    states, actions, nexts, failed = memory.draw(64)
    assert set(states.numpy()[:, 0]) == {2.0, 3.0, 4.0}
    assert (nexts.numpy() == states.numpy() + 1).all()
    assert (actions.numpy()[:, 0] == states.numpy()[:, 0] % 2).all()
    assert not failed.numpy().any()
