"""The service: results go to whoever asked, joined or not, and errors hurt nobody else."""

from __future__ import annotations

import re
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from paddle.core.errors import InvalidArgumentError
from paddle.inference.serve.bodies import Value
from paddle.inference.serve.refusals import FailedRun, Overloaded, RefusedRequest, TookTooLong
from paddle.inference.serve.running import Runner, may_join, why_not_by_rows
from paddle.inference.signature import Argument, Signature
from tests.inference.serve.pretend import SIGNATURE, PretendPredictor, service_of


def _values(first: float, rows: int = 1) -> dict[str, Value]:
    return {"x": Value(np.full((rows, 3), first, "float32"))}


def _ask(service, first: float, rows: int = 1) -> np.ndarray:
    return service.predict(_values(first, rows))["y"].array


def _while_it_runs(service, predictor, *asked: tuple[float, int]):
    """Answers to requests that came while another run went on."""
    predictor.go.clear()
    with ThreadPoolExecutor(len(asked) + 1) as pool:
        blocking = pool.submit(_ask, service, 1.0)
        assert predictor.began.acquire(timeout=10)
        found = [pool.submit(_ask, service, *one) for one in asked]
        while service.metrics._waiting() < len(asked):
            pass
        predictor.go.set()
        blocking.result()
        return [future.exception() or future.result() for future in found]


def test_requests_are_joined_and_split():
    service, predictor = service_of(joins=True, max_batch=8)
    found = _while_it_runs(service, predictor, (1.0, 1), (2.0, 2), (3.0, 1))
    for result, (first, rows) in zip(found, ((1.0, 1), (2.0, 2), (3.0, 1)), strict=True):
        np.testing.assert_array_equal(result, np.full((rows, 3), 2 * first))
    assert predictor.runs == [(1, 3), (4, 3)]
    text = service.metrics.text()
    assert 'paddle_serve_batch_rows_bucket{le="4"} 2' in text
    assert "paddle_serve_batch_rows_sum 5" in text and "paddle_serve_batch_requests_sum 4" in text
    service.close()


def test_requests_come_one_by_one_where_they_may_not_be_joined():
    service, predictor = service_of(joins=False, max_batch=8)
    _while_it_runs(service, predictor, (1.0, 1), (2.0, 2))
    assert predictor.runs == [(1, 3), (1, 3), (2, 3)]
    service.close()


def test_an_error_reaches_only_the_request_at_fault():
    def function(x: np.ndarray) -> np.ndarray:
        if (x == 13).any():
            raise InvalidArgumentError(
                "13 is not allowed.\n  the operator was added here:\n  secret.py, line 1"
            )
        return 2 * x

    service, predictor = service_of(function, joins=True, max_batch=8)
    good, bad, other = _while_it_runs(service, predictor, (1.0, 1), (13.0, 1), (3.0, 1))
    np.testing.assert_array_equal(good, np.full((1, 3), 2.0))
    np.testing.assert_array_equal(other, np.full((1, 3), 6.0))
    assert type(bad) is RefusedRequest and "13 is not allowed" in str(bad)
    assert "secret" not in str(bad)
    np.testing.assert_array_equal(_ask(service, 4.0), np.full((1, 3), 8.0))
    service.close()


def test_an_error_that_is_not_the_request_s():
    def function(x: np.ndarray) -> np.ndarray:
        raise ZeroDivisionError("inside")

    service, _ = service_of(function)
    with pytest.raises(FailedRun, match="ZeroDivisionError") as caught:
        _ask(service, 1.0)
    assert "inside" not in str(caught.value)
    service.close()


def test_results_that_are_not_by_rows_end_the_joining():
    service, predictor = service_of(lambda x: x.sum(0, keepdims=True), joins=True, max_batch=8)
    found = _while_it_runs(service, predictor, (1.0, 1), (2.0, 2))
    np.testing.assert_array_equal(found[1], np.full((1, 3), 4.0))
    assert not service.joins
    service.close()


def test_a_full_queue_and_a_service_that_stops():
    service, predictor = service_of(queue_limit=1)
    predictor.go.clear()
    with ThreadPoolExecutor(2) as pool:
        running = pool.submit(_ask, service, 1.0)
        assert predictor.began.acquire(timeout=10)
        waiting = pool.submit(_ask, service, 2.0)
        while not service.metrics._waiting():
            pass
        with pytest.raises(Overloaded, match="1 requests are waiting"):
            service.check_room()
        with pytest.raises(Overloaded):
            _ask(service, 3.0)
        closing = threading.Thread(target=service.close)
        closing.start()
        predictor.go.set()
        np.testing.assert_array_equal(running.result(), np.full((1, 3), 2.0))
        np.testing.assert_array_equal(waiting.result(), np.full((1, 3), 4.0))
        closing.join(10)
    with pytest.raises(Overloaded, match="about to stop"):
        service.check_room()


def test_a_result_that_takes_too_long():
    service, predictor = service_of(timeout=0.05)
    predictor.go.clear()
    with pytest.raises(TookTooLong, match=r"0\.05 s"):
        _ask(service, 1.0)
    with pytest.raises(TookTooLong):
        _ask(service, 2.0)
    predictor.go.set()
    service.close()
    assert predictor.runs == [(1, 3)]  # the second one was given up before its turn


def test_several_workers():
    service, _ = service_of(workers=3)
    with ThreadPoolExecutor(6) as pool:
        found = list(pool.map(lambda i: _ask(service, float(i)), range(30)))
    for i, result in enumerate(found):
        np.testing.assert_array_equal(result, np.full((1, 3), 2.0 * i))
    service.close()


@pytest.mark.parametrize(("function", "said"), [
    (lambda x: 2 * x, ""),
    (lambda x: x - x.mean(0), "depends on the other rows"),
    (lambda x: x.sum(0, keepdims=True), r"'y' has the shape \[1, 3\] for 2 rows"),
    (lambda x: (x > 0.5).any(0, keepdims=True).repeat(len(x), 0), "depends on the other rows"),
])  # fmt: skip
def test_a_trial_tells_whether_rows_are_independent(function, said):
    values = {"x": Value(np.float32([[0.1, 0.9, 0.2], [0.7, 0.3, 0.4]]))}
    found = why_not_by_rows(Runner(PretendPredictor(function)), values)
    assert re.search(said, found) if said else not found


def test_a_trial_that_fails():
    def function(x: np.ndarray) -> np.ndarray:
        raise InvalidArgumentError("expected another shape.")

    values = {"x": Value(np.zeros((2, 3), "float32"))}
    found = why_not_by_rows(Runner(PretendPredictor(function)), values)
    assert "a trial with two rows fails" in found and "another shape" in found
    assert "different first sizes" in why_not_by_rows(
        Runner(PretendPredictor(function)), {**values, "z": Value(np.zeros(3))}
    )


def test_what_may_be_joined():
    x = Argument("x", (-1, 3), "float32")
    assert may_join(SIGNATURE)
    for other in (
        Argument("y", (1, 3), "float32"), Argument("y", (), "float32"),
        Argument("y", (-1, 3), "float32", 1),
    ):  # fmt: skip
        assert not may_join(Signature((x,), (other,)))
        assert not may_join(Signature((other,), (x,)))
