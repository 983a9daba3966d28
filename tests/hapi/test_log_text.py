"""What Model writes: the log of the guide, for every verbosity."""

from __future__ import annotations

import io
import re
from typing import Any

import numpy as np
import pytest

import paddle
from paddle.hapi import progressbar
from paddle.hapi.progressbar import ProgressBar
from tests.hapi.stories import Points, Stream, prepared

TRAIN = (
    "The loss value printed in the log is the current step, "
    "and the metric is the average value of previous step."
)
EVAL = (
    "The loss value printed in the log is the current batch, "
    "and the metric is the average value of previous step."
)


def _lines(capsys: Any) -> list[str]:
    """What was written, with times as T; a line that is rewritten counts as several."""
    text = capsys.readouterr().out
    text = re.sub(r"\d+(s|ms|us)/step", "T/step", text)
    text = re.sub(r"ETA: [\d:]+s?", "ETA: T", text)
    return [line.rstrip() for line in re.split("[\r\n]", text) if line.strip()]


@pytest.fixture
def model() -> paddle.Model:
    """Learning rate 0 and zero weights: every loss is log(3) and class 0 is always chosen."""
    return prepared(rate=0.0, metrics=paddle.metric.Accuracy())


def test_fit_with_bar(model: paddle.Model, capsys: Any) -> None:
    model.fit(Points(15), epochs=2, batch_size=5, verbose=1, shuffle=False)
    bar = "step 3/3 [==============================] - loss: 1.0986 - acc: 0.3333 - T/step"
    assert _lines(capsys) == [TRAIN, "Epoch 1/2", bar, "Epoch 2/2", bar]


def test_bar_is_rewritten_between(
    model: paddle.Model, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progressbar, "is_rewritten", lambda file: True)
    model.fit(Points(15), batch_size=5, verbose=1, shuffle=False, log_freq=1)
    assert _lines(capsys)[2:] == [
        "step 1/3 [=========>....................] - loss: 1.0986 - acc: 0.4000 - ETA: T - T/step",
        "step 2/3 [===================>..........] - loss: 1.0986 - acc: 0.4000 - ETA: T - T/step",
        "step 3/3 [==============================] - loss: 1.0986 - acc: 0.3333 - T/step",
    ]


def test_fit_with_lines(model: paddle.Model, capsys: Any) -> None:
    model.fit(Points(12), batch_size=1, verbose=2, shuffle=False, log_freq=5)
    assert _lines(capsys) == [
        TRAIN,
        "Epoch 1/1",
        "step  5/12 - loss: 1.0986 - acc: 0.4000 - T/step",
        "step 10/12 - loss: 1.0986 - acc: 0.4000 - T/step",
        "step 12/12 - loss: 1.0986 - acc: 0.3333 - T/step",
    ]


def test_fit_with_evaluation(model: paddle.Model, capsys: Any) -> None:
    model.fit(Points(6), Points(3), batch_size=3, verbose=1, shuffle=False)
    assert _lines(capsys) == [
        TRAIN,
        "Epoch 1/1",
        "step 2/2 [==============================] - loss: 1.0986 - acc: 0.3333 - T/step",
        "Eval begin...",
        "step 1/1 [==============================] - loss: 1.0986 - acc: 0.3333 - T/step",
        "Eval samples: 3",
    ]


def test_evaluate_alone(model: paddle.Model, capsys: Any) -> None:
    model.evaluate(Points(6), batch_size=4, verbose=1)
    assert _lines(capsys) == [
        "Eval begin...",
        EVAL,
        "step 2/2 [==============================] - loss: 1.0986 - acc: 0.3333 - T/step",
        "Eval samples: 6",
    ]


def test_evaluate_after_a_failed_fit_is_alone(model: paddle.Model, capsys: Any) -> None:
    log = paddle.callbacks.ProgBarLogger(verbose=2)
    with pytest.raises(ValueError, match="at least one batch"):
        model.fit([], callbacks=log)
    model.fit(Points(3), callbacks=log, batch_size=3)
    capsys.readouterr()
    model.evaluate(Points(3), batch_size=3, callbacks=log)
    assert _lines(capsys)[:2] == ["Eval begin...", EVAL]


def test_predict(model: paddle.Model, capsys: Any) -> None:
    model.predict(Points(5, labelled=False), batch_size=3)
    assert _lines(capsys) == [
        "Predict begin...",
        "step 2/2 [==============================] - T/step",
        "Predict samples: 5",
    ]


def test_several_metrics(capsys: Any) -> None:
    model = prepared(rate=0.0, metrics=[paddle.metric.Accuracy(topk=(1, 3))])
    model.evaluate(Points(6), batch_size=6, verbose=2)
    line = "step 1/1 - loss: 1.0986 - acc_top1: 0.3333 - acc_top3: 1.0000 - T/step"
    assert line in _lines(capsys)


def test_verbose_3_adds_times(model: paddle.Model, capsys: Any) -> None:
    model.fit(Points(6), batch_size=3, verbose=3, shuffle=False)
    pattern = (
        r"step 2/2 - loss: 1\.0986 - acc: 0\.3333 - avg_reader_cost: \d+\.\d{5} sec - "
        r"avg_batch_cost: \d+\.\d{5} sec - ips: \d+\.\d{5} samples/sec - T/step"
    )
    assert re.fullmatch(pattern, _lines(capsys)[-1])


def test_verbose_0_is_silent(model: paddle.Model, capsys: Any) -> None:
    model.fit(Points(6), Points(6), batch_size=3, verbose=0)
    model.evaluate(Points(6), verbose=0)
    model.predict(Points(6), verbose=0)
    assert capsys.readouterr().out == ""


def test_unknown_length_has_no_bar(model: paddle.Model, capsys: Any) -> None:
    model.fit(paddle.io.DataLoader(Stream(), batch_size=2), verbose=1, log_freq=1)
    assert _lines(capsys)[2:] == [
        "step   1 - loss: 1.0986 - acc: 0.5000 - T/step",
        "step   2 - loss: 1.0986 - acc: 0.5000 - T/step",
        "step   3 - loss: 1.0986 - acc: 0.3333 - T/step",
    ]


# -- the bar itself ------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "value, shown",
    [
        ([0.12345], "0.1235"),
        (np.array([1.5]), "1.5000"),
        (np.float32(0.25), "0.2500"),
        ([0.5, 0.25], "0.5000 0.2500"),
        (1e-5, "1.0000e-05"),
        (-2.5e-6, "-2.5000e-06"),
        (0.001, "1.0000e-03"),
        (0.0, "0.0000e+00"),
        (float("nan"), "nan"),
        (1234567.0, "1234567.0000"),
        (3, "3"),
        (np.int64(4), "4"),
        (None, "None"),
        ("text", "text"),
    ],
)
def test_values(value: Any, shown: str, capsys: Any) -> None:
    ProgressBar(num=1, verbose=2).update(1, [["v", value]])
    assert _lines(capsys) == [f"step 1/1 - v: {shown} - T/step"]


@pytest.mark.parametrize(
    "steps, seconds, shown",
    [
        (1, 1.3, "step   1/100 [..............................] - ETA: 2:08 - 1s/step"),
        (1, 0.5, "step   1/100 [..............................] - ETA: 49s - 500ms/step"),
        (3, 70.5, "step   3/100 [..............................] - ETA: 37:59 - 24s/step"),
        (7, 4070.5, "step   7/100 [=>............................] - ETA: 15:01:19 - 582s/step"),
        (50, 0.005, "step  50/100 [==============>...............] - ETA: 0s - 100us/step"),
        (100, 2.0, "step 100/100 [==============================] - 20ms/step"),
    ],
)
def test_bar_and_times(
    steps: int, seconds: float, shown: str, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    now = [0.0]
    monkeypatch.setattr(progressbar.time, "perf_counter", lambda: now[0])
    bar = ProgressBar(num=100)
    now[0] = seconds
    bar.update(steps)
    bar.close_line()
    assert capsys.readouterr().out.strip() == shown


class Terminal(io.StringIO):
    """What is written to a terminal."""

    def isatty(self) -> bool:
        return True

    def screen(self, columns: int = 80) -> list[str]:
        """The lines that are seen at the end, which a terminal makes of it."""
        lines, row, column = [""], 0, 0
        for char in self.getvalue():
            if char == "\r":
                column = 0
            elif char == "\n" or column == columns:
                lines.append("")
                row, column = row + 1, 0
            if char >= " ":
                lines[row] = lines[row][:column] + char + lines[row][column + 1 :]
                column += 1
        return [line.rstrip() for line in lines if line.strip()]


class Notebook(io.StringIO):
    """What a kernel takes in place of standard output: no terminal, and lines are rewritten."""


Notebook.__module__ = "ipykernel.iostream"


@pytest.fixture
def columns(monkeypatch: pytest.MonkeyPatch) -> Any:
    return lambda count: monkeypatch.setenv("COLUMNS", str(count))


def test_a_shorter_line_covers_the_longer_one(columns: Any) -> None:
    columns(100)
    for file in (Terminal(), Notebook()):
        bar = ProgressBar(num=2, file=file)
        bar.update(1, [["loss", 12345.0]])
        bar.update(2, [["loss", 1.0]])
        first, last = file.getvalue().strip("\r").split("\r")
        assert len(last.rstrip("\n")) >= len(first) and last.endswith("\n")


@pytest.mark.parametrize("count", [200, 100, 80, 64, 50, 30, 12])
def test_no_line_is_wider_than_the_terminal(count: int, columns: Any) -> None:
    columns(count)
    file = Terminal()
    bar = ProgressBar(num=20, file=file)
    values = [["loss", 0.5], ["acc_top1", 0.25], ["acc_top5", 0.75]]
    for step in range(1, 20):
        bar.update(step, values)
    (line,) = file.screen(count)
    assert all(len(part) < count for part in file.getvalue().split("\r"))
    if count >= 100:
        assert "[" in line and re.search(r"acc_top5: 0.7500 - ETA: 0s - \d+us/step$", line)
    assert line.startswith("step 19/20"[: count - 1])
    bar.update(20, values)
    assert "".join(file.screen(count)).endswith("/step")  # the last one is there as a whole


def test_a_file_has_lines_without_control_characters(model: paddle.Model, capsys: Any) -> None:
    for verbose in (1, 2):
        model.fit(Points(15), Points(6), batch_size=5, epochs=2, verbose=verbose, log_freq=2)
    text = capsys.readouterr().out
    assert set(text) & set(map(chr, range(32))) == {"\n"}
    bars, lines = text.split("Epoch 1/2")[1:]
    assert "step 2/3" not in bars and bars.count("\nstep 3/3 [=====") == 2
    assert lines.count("\nstep 2/3 - loss") == lines.count("\nstep 3/3 - loss") == 2


def test_a_bar_in_a_file_shows_that_it_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(progressbar.time, "perf_counter", lambda: now[0])
    file = io.StringIO()
    bar = ProgressBar(num=100, file=file)
    for step in range(1, 51):
        now[0] += 2.0
        bar.update(step)
    assert re.findall(r"step +(\d+)/100 \[", file.getvalue()) == ["15", "30", "45"]
    bar.close_line()
    assert file.getvalue().endswith("- ETA: 1:40 - 2s/step\n") and "step  50/100" in file.getvalue()


@pytest.mark.parametrize("kind", [Terminal, Notebook])
def test_unknown_length_in_a_terminal(
    kind: type, model: paddle.Model, monkeypatch: pytest.MonkeyPatch, columns: Any
) -> None:
    columns(100)
    file = kind()
    monkeypatch.setattr("sys.stdout", file)
    loader = paddle.io.DataLoader(Stream(), batch_size=2)
    model.fit(loader, loader, epochs=2, verbose=1, log_freq=1)
    text = re.sub(r"\d+(s|ms|us)/step", "T/step", file.getvalue())
    text = re.sub(r"(ETA|elapsed): [\d:]+s?", r"\1: T", text)
    first, second = text.split("Epoch 2/2")
    for part in (first, first.split("Eval begin")[1]):
        assert re.search(r"\rstep   2 - loss: 1.0986 - acc: 0.5000 - elapsed: T - T/step *\r", part)
    for part in (second, second.split("Eval begin")[1]):
        assert re.search(r"\rstep 1/3 \[=+>\.+\] - loss: 1.0986 - acc: 0.5000 - ETA: T - T/", part)
    assert text.count("\n") == 11  # a line for each run through data, and what stands between


def test_an_estimate_that_was_too_short() -> None:
    file = Terminal()
    bar = ProgressBar(num=2, file=file)
    for step in (1, 2, 3, 4):
        bar.update(step)
    bar.close_line()
    lines = file.screen()
    assert len(lines) == 2 and lines[0].startswith("step 2/2 [==") and "step   4 - el" in lines[1]


def test_steps_done_before_do_not_count_as_fast(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(progressbar.time, "perf_counter", lambda: now[0])
    file = io.StringIO()
    bar = ProgressBar(num=100, file=file)
    bar.skip(90)
    now[0] = 4.0
    bar.update(92)
    bar.close_line()
    assert file.getvalue().endswith("ETA: 16s - 2s/step\n")


@pytest.mark.parametrize("bad", [0, -1])
def test_log_freq_must_be_positive(bad: int) -> None:
    with pytest.raises(ValueError, match=f"log_freq.*at least 1.*received {bad}"):
        prepared().fit(Points(), log_freq=bad, verbose=1)


def test_log_freq_must_be_an_int() -> None:
    with pytest.raises(TypeError, match=r"log_freq.*expected an int, got str"):
        paddle.callbacks.ProgBarLogger(log_freq="1")
