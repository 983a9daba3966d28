"""Forms of kernels are measured once, remembered in a file, and chosen alike by later processes."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

import paddle
from paddle.core import flags, tuning


class Clock:
    """Time that passes only when a form says that it takes some."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now

    def form(self, name, seconds):
        def run(*args):
            self.now += seconds
            return name

        return run


@pytest.fixture
def clock(monkeypatch, tmp_path):
    made = Clock()
    monkeypatch.setattr(tuning, "clock", made)
    monkeypatch.setattr(tuning, "_choices", [])
    monkeypatch.setenv("PADDLE_KERNEL_CACHE", str(tmp_path))
    before = flags.get("FLAGS_kernel_tuning")
    flags.set("FLAGS_kernel_tuning", True)
    yield made
    flags.set("FLAGS_kernel_tuning", before)


def choice(clock, **seconds):
    forms = {name: clock.form(name, took) for name, took in seconds.items()}
    return tuning.Choice("pick", forms, lambda n: ((n,), (n,)))


def written(folder):
    (name,) = os.listdir(folder)
    return [json.loads(line) for line in (folder / name).read_text().splitlines()]


def test_the_fastest_form_is_chosen_and_written_down(clock, tmp_path):
    pick = choice(clock, slow=0.0004, fast=0.0002)
    assert pick.choose("key", "slow", 7)() == "fast"
    assert pick.known["key"]() == "fast"
    assert written(tmp_path) == [{"choice": "pick: 7", "form": "fast"}]


def test_a_small_advantage_does_not_replace_the_usual_form(clock):
    pick = choice(clock, usual=0.0002, other=0.000196)
    assert pick.choose("key", "usual", 7)() == "usual"


def test_a_later_process_reads_what_was_decided(clock, tmp_path):
    choice(clock, slow=0.0004, fast=0.0002).choose("key", "slow", 7)
    tuning.forget()  # as a process begins
    start = clock.now
    again = choice(clock, slow=0.0001, fast=0.0003)  # the machine is busy in another way now
    form = again.choose("key", "slow", 7)
    assert clock.now == start, "nothing was measured"
    assert form() == "fast"


def test_the_first_line_of_several_counts(clock, tmp_path):
    pick = choice(clock, a=0.0001, b=0.0002)
    pick.choose("key", "b", 1)
    (name,) = os.listdir(tmp_path)
    with open(tmp_path / name, "a") as file:
        file.write(json.dumps({"choice": "pick: 1", "form": "b"}) + "\n")
    tuning.forget()
    assert choice(clock, a=1.0, b=1.0).choose("key", "b", 1)() == "a"


def test_damaged_lines_decide_nothing(clock, tmp_path):
    choice(clock, a=0.0001, b=0.0002).choose("key", "b", 1)
    (name,) = os.listdir(tmp_path)
    lines = [b"\xff\xfe", b"[]", b"{}", b'{"choice": "pick: 2", "form": "gone"}', b"", b'{"choice"']
    (tmp_path / name).write_bytes(b"\n".join(lines))
    tuning.forget()
    pick = choice(clock, a=0.0001, b=0.0002)
    assert pick.choose("one", "b", 1)() == "a"
    assert pick.choose("two", "b", 2)() == "b", "a form of another release: the usual one"


def test_measurements_end_with_the_budget(clock, capsys, monkeypatch):
    monkeypatch.setenv("PADDLE_DEBUG", "tuning")
    pick = choice(clock, usual=0.0004, other=0.0002)
    start, spans = clock.now, []
    for number in range(60):
        form = pick.choose(number, "usual", number)
        spans.append(clock.now - start)
        assert form in pick.forms.values()
    assert spans[-1] <= tuning.SHARE + tuning.SLICE
    assert "not measured, the time for that is spent" in capsys.readouterr().out


def test_what_is_not_measured_follows_what_was(clock):
    pick = choice(clock, usual=0.0004, other=0.0002)
    for number in range(100):
        form = pick.choose(number, "usual", number)
    assert form() == "other"


def test_a_form_that_is_far_too_slow_to_measure(clock):
    pick = choice(clock, usual=0.5, other=0.1)
    form = pick.choose("key", "usual", 1)
    assert clock.now <= 0.6, "one round at most"
    assert form() == "usual"


@pytest.mark.parametrize("flag", ["FLAGS_kernel_tuning", "FLAGS_cpu_deterministic"])
def test_flags_keep_the_usual_forms(clock, tmp_path, flag):
    pick = choice(clock, slow=0.0004, fast=0.0002)
    pick.choose("key", "slow", 7)
    paddle.set_flags({flag: flag == "FLAGS_cpu_deterministic"})
    try:
        assert not pick.known, "what was chosen before is asked for again"
        start = clock.now
        assert pick.choose("key", "slow", 7) is pick.forms["slow"]
        assert clock.now == start
    finally:
        paddle.set_flags({"FLAGS_cpu_deterministic": False, "FLAGS_kernel_tuning": True})
    assert pick.choose("key", "slow", 7) is pick.forms["fast"]


def test_a_folder_that_cannot_be_written(clock, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("PADDLE_KERNEL_CACHE", str(tmp_path / "file" / "below"))
    tuning.forget()
    assert choice(clock, slow=0.0004, fast=0.0002).choose("key", "slow", 7)() == "fast"


def test_debugging_shows_a_decision(clock, capsys, monkeypatch):
    monkeypatch.setenv("PADDLE_DEBUG", "tuning")
    choice(clock, slow=0.0004, fast=0.0002).choose("key", "slow", 7)
    text = capsys.readouterr().out
    assert "# tuning pick: 7: fast; slow 0.400 ms, fast 0.200 ms; usual is slow" in text


def test_sizes_that_decide_alike():
    assert [tuning.bucket(n, 512) for n in (0, 1, 3, 500, 784, 512)] == [1, 1, 2, 256, 512, 512]
    assert [tuning.size_class(n, 512) for n in (0, 3, 63, 64, 300, 784)] == [1, 1, 16, 64, 256, 256]


SCRIPT = """
import hashlib, numpy as np, paddle
paddle.seed(1)
net = paddle.nn.Sequential(paddle.nn.Linear(300, 256), paddle.nn.ReLU(), paddle.nn.Linear(256, 10))
adam = paddle.optimizer.Adam(parameters=net.parameters())
x = paddle.to_tensor(np.random.RandomState(0).randn(64, 300).astype("float32"))
for _ in range(3):
    loss = paddle.mean(net(x) ** 2)
    loss.backward(); adam.step(); adam.clear_grad()
print(hashlib.sha256(net[0].weight.numpy().tobytes()).hexdigest())
"""


@pytest.mark.slow
def test_two_processes_compute_the_same_bit_by_bit(tmp_path):
    env = {**os.environ, "PADDLE_KERNEL_CACHE": str(tmp_path), "FLAGS_kernel_tuning": "1"}
    runs = [
        subprocess.run([sys.executable, "-c", SCRIPT], env=env, capture_output=True, text=True)
        for _ in range(2)
    ]
    assert runs[0].stdout and runs[0].stdout == runs[1].stdout, runs[0].stderr
    assert os.listdir(tmp_path)
