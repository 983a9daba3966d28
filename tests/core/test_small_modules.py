"""Unique names, flags, the words of PADDLE_DEBUG, the allocator policy and the mode."""

from __future__ import annotations

import os
import re
import sys
import threading
import warnings
from pathlib import Path

import pytest

from paddle.core import allocator, debug, flags, unique_name
from paddle.core.mode import GRAD, get_mode, grad_enabled, set_grad_enabled

# -- unique names --------------------------------------------------------------------------------


def test_names_count_per_key():
    with unique_name.guard():
        names = [unique_name.generate(k) for k in ("fc", "fc", "conv", "fc")]
    assert names == ["fc_0", "fc_1", "conv_0", "fc_2"]


@pytest.mark.parametrize("prefix", ["A", b"A"])
def test_guard_with_a_prefix(prefix):
    with unique_name.guard(prefix):
        assert unique_name.generate("fc") == "Afc_0"
        with unique_name.guard():
            assert unique_name.generate("fc") == "fc_0"
        assert unique_name.generate("fc") == "Afc_1"


def test_guard_restores_after_an_error():
    with unique_name.guard():
        unique_name.generate("fc")
        with pytest.raises(KeyError), unique_name.guard():
            raise KeyError
        assert unique_name.generate("fc") == "fc_1"


def test_switch():
    mine = unique_name.UniqueNameGenerator("x_")
    before = unique_name.switch(mine)
    try:
        assert unique_name.generate("fc") == "x_fc_0"
        assert unique_name.switch(*before)[0] is mine
    finally:
        unique_name.switch(*before)


def test_threads_never_get_the_same_name():
    with unique_name.guard():
        names: list[str] = []

        def work():
            names.extend(unique_name.generate("t") for _ in range(2000))

        threads = [threading.Thread(target=work) for _ in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join(20)
    assert len(set(names)) == 8000


# -- flags ---------------------------------------------------------------------------------------


@pytest.fixture
def table(monkeypatch):
    monkeypatch.setattr(
        flags, "TABLE",
        {"FLAGS_a": (False, "a switch"), "FLAGS_n": (3, "a number"), "FLAGS_s": ("x", "a text")},
    )  # fmt: skip
    monkeypatch.setattr(flags, "_values", {})


@pytest.mark.usefixtures("table")
def test_flags_have_defaults():
    assert (flags.get("FLAGS_a"), flags.get("FLAGS_n"), flags.get("FLAGS_s")) == (False, 3, "x")


@pytest.mark.usefixtures("table")
@pytest.mark.parametrize(
    ("text", "value"), [("1", True), ("true", True), ("On", True), ("0", False), ("", False)]
)
def test_flags_are_read_from_the_environment(monkeypatch, text, value):
    monkeypatch.setenv("FLAGS_a", text)
    monkeypatch.setenv("FLAGS_n", "17")
    assert flags.get("FLAGS_a") is value and flags.get("FLAGS_n") == 17


@pytest.mark.usefixtures("table")
def test_wrong_flags(monkeypatch):
    with pytest.raises(ValueError, match=r"(?s)no flag 'FLAGS_nn'.*did you mean FLAGS_n\?"):
        flags.get("FLAGS_nn")
    monkeypatch.setenv("FLAGS_n", "many")
    with pytest.raises(ValueError, match="flag FLAGS_n: expected int, but received 'many'"):
        flags.get("FLAGS_n")


def test_every_flag_says_what_it_does():
    for name, (default, text) in flags.TABLE.items():
        assert (
            name.startswith("FLAGS_")
            and isinstance(default, (bool, int, float, str))
            and len(text) > 10
        )


# -- allocator -----------------------------------------------------------------------------------


def test_memory_policy_can_be_turned_off(monkeypatch):
    monkeypatch.setenv("PADDLE_KEEP_MEMORY", "0")
    assert allocator.keep_freed_memory() is False


def test_memory_policy(monkeypatch):
    monkeypatch.delenv("PADDLE_KEEP_MEMORY", raising=False)
    assert allocator.keep_freed_memory() in (True, False)
    allocator.trim()


def test_kernel_caches_are_bounded_unless_the_environment_says_otherwise(monkeypatch):
    monkeypatch.setenv("LRU_CACHE_CAPACITY", "7")
    monkeypatch.delenv("ONEDNN_PRIMITIVE_CACHE_CAPACITY", raising=False)
    allocator.bound_kernel_caches()
    assert os.environ["LRU_CACHE_CAPACITY"] == "7"
    assert int(os.environ["ONEDNN_PRIMITIVE_CACHE_CAPACITY"]) < 1024


def test_memory_policy_elsewhere(monkeypatch):
    monkeypatch.setattr(sys, "platform", "darwin")
    assert allocator.keep_freed_memory() is False
    allocator.trim()


# -- mode ----------------------------------------------------------------------------------------


def test_set_grad_enabled_returns_what_was():
    assert set_grad_enabled(False) is True
    assert not grad_enabled() and not get_mode() & GRAD
    assert set_grad_enabled(True) is False
    assert grad_enabled()


# -- PADDLE_DEBUG --------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["plan,time", "time, plan", "plan time", "plan:time"])
def test_words_of_debug(text, monkeypatch):
    monkeypatch.setenv("PADDLE_DEBUG", text)
    assert [word for word in debug.WORDS if debug.enabled(word)] == ["plan", "time"]
    monkeypatch.delenv("PADDLE_DEBUG")
    assert not any(map(debug.enabled, debug.WORDS))


def test_an_unknown_word_of_debug_is_told_once(monkeypatch):
    monkeypatch.setenv("PADDLE_DEBUG", "plans,passes")
    debug._parsed.cache_clear()
    with pytest.warns(UserWarning, match=r"calls, passes, plan, time, tuning.* received plans,"):
        assert not debug.enabled("plan")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert debug.enabled("passes")


def test_who_reads_debug_asks_for_a_word_there_is():
    root = Path(debug.__file__).parents[1]
    texts = {p: p.read_text(encoding="utf-8") for p in root.rglob("*.py")}
    asked = [
        word for text in texts.values() for word in re.findall(r"\benabled\(\"(\w+)\"\)", text)
    ]
    assert set(asked) == set(debug.WORDS)
    reads = [p for p, text in texts.items() if re.search(r"environ[^\n]*PADDLE_DEBUG", text)]
    assert [p.name for p in reads] == ["debug.py"]
