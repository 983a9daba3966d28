"""Python's control flow, exported: three ways to serve it agree, and what was loaded learns."""

from __future__ import annotations

import pytest

from paddle import static
from tests.examples.running import load


@pytest.mark.slow
def test_control_flow_is_exported_served_and_fine_tuned() -> None:
    with static.scope_guard(static.Scope()):
        (trained, turned, tuned, kept), apart = load("to_static_export").main()
    assert trained > 0.98
    assert turned < 0.9
    assert tuned > 0.97
    assert kept == tuned
    assert set(apart) == {"centimetres", "jit.load", "load_inference_model", "another process"}
    assert max(apart.values()) < 1e-3
