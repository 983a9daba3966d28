"""Saved models served: in this process, and by the command over loopback until it is stopped."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("flask")
pytest.importorskip("waitress")

from paddle.inference import Config, create_predictor
from paddle.inference.command_line import program_of
from paddle.inference.serve import __main__ as entry
from paddle.inference.serve.app import create_app
from paddle.inference.serve.command import main, make_parser, make_service
from tests.inference.models import WORDS, save_convolution, save_sequences, save_tagger

ROOT = Path(__file__).resolve().parents[3]


@contextlib.contextmanager
def _client(path: str, *arguments: str) -> Iterator:
    """A client of a model that this process serves, and the service."""
    given = make_parser().parse_args([path, *arguments])
    service, why_not = make_service(Config(path), program_of((path,), "test"), given, {})
    try:
        yield create_app(service).test_client(), service, why_not
    finally:
        service.close()


def _tagger_inputs(rows: int, words: int = 4) -> dict[str, np.ndarray]:
    rng = np.random.RandomState(rows)
    return {
        "words": rng.randint(0, WORDS, (rows, words)),
        "weights": rng.rand(rows, words, 1).astype("float32"),
    }


def _expected(prefix: str, inputs: dict[str, np.ndarray]) -> np.ndarray:
    predictor = create_predictor(Config(prefix))
    [out] = predictor.run([inputs[name] for name in predictor.get_input_names()])
    return out


def _ask(client, inputs: dict[str, np.ndarray]):
    return client.post("/predict", json={"inputs": {k: v.tolist() for k, v in inputs.items()}})


def test_a_model(tmp_path):
    prefix = save_tagger(tmp_path)
    inputs = _tagger_inputs(2)
    with _client(prefix) as (client, service, why_not):
        assert why_not == "" and service.joins
        answer = _ask(client, inputs)
        assert answer.status_code == 200
        [found] = answer.json["outputs"].values()
        np.testing.assert_allclose(found, _expected(prefix, inputs), rtol=1e-5, atol=1e-6)


def test_requests_together_and_by_several_workers(tmp_path):
    prefix = save_tagger(tmp_path)
    asked = [_tagger_inputs(1 + i % 3, 4 + i % 2) for i in range(24)]
    settings = ("--workers", "2", "--batch-timeout-ms", "20")
    with _client(prefix, *settings) as (client, service, _), ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda one: _ask(client.application.test_client(), one), asked))
        runs = service.metrics.text()
    for answer, inputs in zip(answers, asked, strict=True):
        [found] = answer.json["outputs"].values()
        np.testing.assert_allclose(found, _expected(prefix, inputs), rtol=1e-5, atol=1e-6)
    assert int(re.search(r"batch_requests_count (\d+)", runs)[1]) < 24  # some were joined


@pytest.mark.parametrize(("change", "said"), [
    ({"words": np.full((2, 4), WORDS)}, ""),  # outside of the table
    ({"words": np.zeros((2, 4, 1), "int64")}, "of rank 2, but got"),
    ({"weights": np.zeros((2, 4, 2), "float32")}, ""),
    ({"weights": np.zeros((2, 3, 1), "float32")}, ""),
])  # fmt: skip
def test_values_that_the_model_refuses(tmp_path, change, said):
    with _client(save_tagger(tmp_path)) as (client, _, _):
        answer = _ask(client, {**_tagger_inputs(2), **change})
        assert answer.status_code == 400 and said in answer.json["error"]
        assert "Traceback" not in answer.text and ".py" not in answer.text
        assert _ask(client, _tagger_inputs(2)).status_code == 200


def test_sequences(tmp_path):
    with _client(save_sequences(tmp_path)) as (client, service, why_not):
        assert "LoD" in why_not and not service.joins
        body = {"inputs": {"x": {"data": [[1, 2], [3, 4], [5, 6]], "lod": [[0, 1, 3]]}}}
        answer = client.post("/predict", json=body).json
        assert list(answer["outputs"].values()) == [[[2, 4], [6, 8], [10, 12]]]
        assert list(answer["lods"].values()) == [[[0, 1, 3]]]
        body["inputs"]["x"]["lod"] = [[0, 1, 9]]
        wrong = client.post("/predict", json=body)
        assert wrong.status_code == 400 and "9" in wrong.json["error"]
        body["inputs"]["x"] = {"data": [[1, 2]], "lod": [[0, 1]]}
        assert client.post("/predict", json=body).status_code == 200


def test_batches_may_be_off(tmp_path):
    with _client(save_tagger(tmp_path), "--max-batch", "1") as (_, service, why_not):
        assert why_not == "--max-batch is 1" and not service.joins


@pytest.mark.parametrize("arguments", [["--port", "70000"], ["--queue", "0"], ["--max-batch", "x"],
                                       ["--request-timeout-s", "nan"], ["--max-request-mb", "0"],
                                       []])  # fmt: skip
def test_command_lines_that_are_wrong(arguments, capsys):
    with pytest.raises(SystemExit) as caught:
        main([*(["model"] if arguments else []), *arguments])
    assert caught.value.code == 2 and "Traceback" not in capsys.readouterr().err


def test_a_model_that_is_not_there(tmp_path, capsys):
    assert main([str(tmp_path / "none")]) == 1
    assert "there is no file" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["flask", "waitress"])
def test_without_a_library(name, monkeypatch, capsys):
    def missing(module):
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)

    monkeypatch.setattr(entry.importlib, "import_module", missing)
    assert entry.main() == 1
    assert f"{name} is not installed; run `pip install {name}`" in capsys.readouterr().err


class _Process:
    """The command in a process of its own."""

    def __init__(self, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "paddle.inference.serve", "--port", "0", *arguments],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=ROOT,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
        )  # fmt: skip
        self.lines: list[str] = []
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.append(line)
            if line.startswith("answers on "):
                self.url = line.split()[-1]
                return
        raise AssertionError("".join(self.lines))

    def ask(self, path: str, body: bytes | None = None, kind: str = "application/json"):
        """Status and body of an answer."""
        sent = urllib.request.Request(self.url + path, body, {"Content-Type": kind})
        try:
            with urllib.request.urlopen(sent, timeout=60) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.read()

    def end(self) -> str:
        """Waits for the end; returns what it printed last."""
        rest, _ = self.process.communicate(timeout=60)
        assert self.process.returncode == 0, rest
        return rest


def test_over_loopback_until_it_is_stopped(tmp_path):
    prefix = save_convolution(tmp_path)
    served = _Process(prefix, "--shape", "image=2,3,8,8", "--batch-timeout-ms", "1000",
                      "--max-batch", "2", "--max-request-mb", "0.01")  # fmt: skip
    try:
        assert served.url.startswith("http://127.0.0.1:")
        assert "up to 2 rows of requests are run together\n" in served.lines
        x = np.random.RandomState(0).rand(2, 3, 8, 8).astype("float32")
        file = io.BytesIO()
        np.save(file, x)
        status, body = served.ask("/predict", file.getvalue(), "application/x-npy")
        assert status == 200
        found = np.load(io.BytesIO(body), allow_pickle=False)
        np.testing.assert_allclose(found, _expected(prefix, {"image": x}), rtol=1e-4, atol=1e-5)
        status, body = served.ask("/predict", b'{"inputs": {}}')
        assert status == 400 and "it lacks ['image']" in json.loads(body)["error"]
        assert served.ask("/predict", b" " * 20_000)[0] == 413

        one = json.dumps({"inputs": {"image": x[:1].tolist()}}).encode()
        answers: list[tuple[int, bytes]] = []
        asking = threading.Thread(target=lambda: answers.append(served.ask("/predict", one)))
        asking.start()  # it waits for another request, while the server is told to stop
        while b"paddle_serve_in_progress 1" not in served.ask("/metrics")[1]:
            time.sleep(0.01)
        served.process.send_signal(signal.SIGTERM)
        asking.join(60)
        [(status, body)] = answers
        assert status == 200
        [given] = json.loads(body)["outputs"].values()
        np.testing.assert_allclose(given, found[:1], rtol=1e-4, atol=1e-5)
        assert served.end() == "stopped\n"
    finally:
        served.process.kill()
        served.process.wait()
