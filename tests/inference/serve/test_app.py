"""Requests over WSGI: predictions in each form, statuses, errors as JSON without a traceback."""

from __future__ import annotations

import io
import re
import threading

import numpy as np
import pytest

pytest.importorskip("flask")

from paddle.inference.serve.app import create_app
from paddle.inference.serve.bodies import JSON, NPY, NPZ
from paddle.inference.signature import Argument, Signature
from tests.inference.serve.pretend import service_of

LIMIT = 10_000


def _root(x: np.ndarray) -> np.ndarray:
    with np.errstate(invalid="ignore"):
        return np.sqrt(x)


@pytest.fixture
def served():
    """A client, and the predictor behind it."""
    service, predictor = service_of(_root, joins=True, max_batch=4)
    yield create_app(service, LIMIT, "model").test_client(), predictor
    predictor.go.set()
    service.close()


@pytest.fixture
def client(served):
    return served[0]


def _npy(array: np.ndarray) -> bytes:
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def _npz(**arrays: np.ndarray) -> bytes:
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


X = np.float32([[1, 4, 9], [16, 25, 36]])


def test_json(client):
    answer = client.post("/predict", json={"inputs": {"x": X.tolist()}})
    assert answer.status_code == 200 and answer.content_type == JSON
    assert answer.json == {"outputs": {"y": [[1, 2, 3], [4, 5, 6]]}}


@pytest.mark.parametrize(("sent", "accept", "form"), [
    (NPY, None, NPY), (NPY, "*/*", NPY), (NPY, JSON, JSON), (NPY, NPZ, NPZ), (NPZ, None, NPZ),
    (NPZ, NPY, NPY), (NPZ, "text/html, application/json;q=0.5", JSON),
])  # fmt: skip
def test_forms(client, sent, accept, form):
    body = _npy(X) if sent == NPY else _npz(x=X)
    headers = {} if accept is None else {"Accept": accept}
    answer = client.post("/predict", data=body, content_type=sent, headers=headers)
    assert (answer.status_code, answer.content_type) == (200, form)
    if form == JSON:
        found = np.array(answer.json["outputs"]["y"])
    else:
        loaded = np.load(io.BytesIO(answer.data), allow_pickle=False)
        found = loaded if form == NPY else loaded["y"]
    np.testing.assert_array_equal(found, np.sqrt(X))


def test_several_outputs_as_npy():
    signature = Signature(
        (Argument("x", (-1, 3), "float32"),),
        (Argument("y", (-1, 3), "float32"), Argument("z", (-1, 3), "float32")),
    )
    service, _ = service_of(signature=signature)
    client = create_app(service).test_client()
    answer = client.post("/predict", data=_npy(X), content_type=NPY)
    assert answer.content_type == NPZ  # what an .npy file cannot hold
    service.close()


@pytest.mark.parametrize(("status", "said", "request_"), [
    (400, "no JSON", {"data": b"{", "content_type": JSON}),
    (400, "it lacks", {"json": {"inputs": {"z": []}}}),
    (400, "of rank 2", {"json": {"inputs": {"x": [1, 2, 3]}}}),
    (400, "no number NaN", {"data": b'{"inputs": {"x": [[NaN]]}}', "content_type": JSON}),
    (400, "but got float64", {"data": _npy(np.ones((1, 3))), "content_type": NPY}),
    (400, "no .npz file", {"data": b"PK", "content_type": NPZ}),
    (415, "text/html", {"data": b"<html>", "content_type": "text/html"}),
    (415, "Content-Encoding 'gzip'", {"data": b"", "headers": {"Content-Encoding": "gzip"}}),
    (406, "Accept", {"json": {"inputs": {"x": X.tolist()}}, "headers": {"Accept": "image/png"}}),
    (406, "NaN or infinity", {"json": {"inputs": {"x": [[-1, 0, 0]]}}}),
    (413, "exceeds", {"data": b" " * (LIMIT + 1), "content_type": JSON}),
])  # fmt: skip
def test_refusals(client, status, said, request_):
    answer = client.post("/predict", **request_)
    assert answer.status_code == status and answer.content_type == JSON
    assert list(answer.json) == ["error"] and said in answer.json["error"]
    assert "Traceback" not in answer.text
    good = client.post("/predict", json={"inputs": {"x": X.tolist()}})
    assert good.status_code == 200


def test_other_paths_and_methods(client):
    for method, path, status in (
        ("get", "/predict", 405),
        ("get", "/", 404),
        ("post", "/health", 405),
    ):
        answer = getattr(client, method)(path)
        assert answer.status_code == status and answer.json["error"]


def test_an_error_of_our_own_shows_no_traceback(client, monkeypatch, caplog):
    def broken(*args):
        raise KeyError("secret")

    monkeypatch.setattr("paddle.inference.serve.app.read", broken)
    answer = client.post("/predict", json={"inputs": {"x": X.tolist()}})
    assert answer.status_code == 500 and "secret" not in answer.text
    assert "secret" in caplog.text


def test_health(served):
    client, _ = served
    answer = client.get("/health")
    assert answer.status_code == 200
    assert answer.json == {
        "status": "ok", "model": "model", "joins_requests": True,
        "inputs": [{"name": "x", "shape": [-1, 3], "dtype": "float32"}],
        "outputs": [{"name": "y", "shape": [-1, 3], "dtype": "float32"}],
    }  # fmt: skip


def test_no_room_and_a_server_that_stops():
    service, predictor = service_of(queue_limit=1)
    client = create_app(service).test_client()
    predictor.go.clear()
    statuses: list[int] = []

    def ask() -> None:
        answer = (
            create_app(service).test_client().post("/predict", json={"inputs": {"x": [[1] * 3]}})
        )
        statuses.append(answer.status_code)

    first, second = threading.Thread(target=ask), threading.Thread(target=ask)
    first.start()
    assert predictor.began.acquire(timeout=10)
    second.start()
    while not service.metrics._waiting():
        pass
    answer = client.post("/predict", json={"inputs": {"x": [[1, 2, 3]]}})
    assert answer.status_code == 503 and int(answer.headers["Retry-After"]) >= 1
    assert "1 requests are waiting" in answer.json["error"]
    assert "paddle_serve_queue_length 1" in client.get("/metrics").text
    predictor.go.set()
    first.join(10)
    second.join(10)
    assert statuses == [200, 200]
    service.close()
    assert client.post("/predict", json={"inputs": {"x": [[1, 2, 3]]}}).status_code == 503
    answer = client.get("/health")
    assert answer.status_code == 503 and answer.json["status"] == "stopping"


def test_metrics(client):
    client.post("/predict", json={"inputs": {"x": X.tolist()}})
    client.post("/predict", data=b"{", content_type=JSON)
    answer = client.get("/metrics")
    assert answer.content_type.startswith("text/plain; version=0.0.4")
    lines = answer.text.splitlines()
    for line in lines:
        assert re.fullmatch(r'# (HELP|TYPE) \w+ .+|\w+(\{\w+="[^"]+"\})? [\d.e+-]+', line), line
    for line in (
        'paddle_serve_requests_total{code="200"} 1', 'paddle_serve_requests_total{code="400"} 1',
        "paddle_serve_errors_total 1", "paddle_serve_queue_length 0", "paddle_serve_in_progress 0",
        'paddle_serve_batch_rows_bucket{le="1"} 0', 'paddle_serve_batch_rows_bucket{le="2"} 1',
        'paddle_serve_latency_seconds_bucket{le="+Inf"} 2', "paddle_serve_latency_seconds_count 2",
    ):  # fmt: skip
        assert line in lines
