"""The queue: what waits is bounded, and what can be run together comes together."""

from __future__ import annotations

import threading
from time import monotonic

import pytest

from paddle.inference.serve.queue import Job, JobQueue
from paddle.inference.serve.refusals import Overloaded


def _put(queue: JobQueue, *jobs: Job) -> None:
    for job in jobs:
        queue.put(job)


def test_jobs_of_one_kind_come_together():
    queue = JobQueue(10, max_rows=4)
    a, b, c = (Job({}, ("one",)), Job({}, ("two",)), Job({}, ("one",), rows=2))
    _put(queue, a, b, c)
    assert queue.take() == [a, c]
    assert queue.take() == [b]
    assert len(queue) == 0


def test_no_more_rows_than_allowed():
    queue = JobQueue(10, max_rows=4)
    jobs = [Job({}, ("one",), rows=rows) for rows in (2, 3, 1, 9, 1)]
    _put(queue, *jobs)
    assert queue.take() == jobs[:1]  # the second would make five
    assert queue.take() == [jobs[1], jobs[2]]
    assert queue.take() == [jobs[3]]  # larger than allowed, but alone
    assert queue.take() == [jobs[4]]


def test_jobs_without_a_kind_come_alone():
    queue = JobQueue(10, max_rows=4, patience=60)
    a, b = Job({}), Job({})
    _put(queue, a, b)
    assert queue.take() == [a] and queue.take() == [b]


def test_a_job_waits_for_others_but_not_longer_than_its_patience():
    queue = JobQueue(10, max_rows=2, patience=60)
    a, b = Job({}, ("one",)), Job({}, ("one",))
    queue.put(a)
    later = threading.Timer(0.05, queue.put, [b])
    later.start()
    assert queue.take() == [a, b]
    later.join()
    queue = JobQueue(10, max_rows=2, patience=0.05)
    queue.put(a)
    assert queue.take() == [a]


def test_jobs_that_waited_in_vain_are_followed_by_some_that_do_not_wait(monkeypatch):
    queue = JobQueue(10, max_rows=2, patience=0.001)
    for _ in range(4):
        queue.put(Job({}, ("one",)))
        queue.take()
    monkeypatch.setattr(queue, "_patience", 60)
    queue.put(Job({}, ("one",)))
    assert len(queue.take()) == 1  # at once
    a, b = Job({}, ("one",)), Job({}, ("one",))
    _put(queue, a, b)
    assert queue.take() == [a, b]  # there are several again
    c, d = Job({}, ("one",)), Job({}, ("one",))
    queue.put(c)
    later = threading.Timer(0.05, queue.put, [d])
    later.start()
    assert queue.take() == [c, d]  # so the first one waited
    later.join()


def test_while_one_worker_waits_another_takes_what_is_of_another_kind():
    queue = JobQueue(10, max_rows=3, patience=60)
    a, b, c, other = (Job({}, (kind,)) for kind in ("one", "one", "one", "two"))
    taken: list[list[Job]] = []
    queue.put(a)
    worker = threading.Thread(target=lambda: taken.append(queue.take()))
    worker.start()
    until = monotonic() + 10
    while len(queue) and monotonic() < until:
        pass  # the worker has the first one, and waits for two more
    _put(queue, b, other)
    second = threading.Thread(target=lambda: taken.append(queue.take()))
    second.start()
    queue.put(c)
    worker.join(10)
    queue.close()
    second.join(10)
    assert taken == [[a, b, c], [other]]


def test_a_full_queue_refuses():
    queue = JobQueue(2)
    _put(queue, Job({}), Job({}))
    assert queue.full
    with pytest.raises(Overloaded, match="2 requests are waiting"):
        queue.put(Job({}))
    queue.take()
    assert not queue.full


def test_a_closed_queue_hands_out_what_is_left():
    queue = JobQueue(4, max_rows=8, patience=60)
    a, b = Job({}, ("one",)), Job({}, ("one",))
    _put(queue, a, b)
    queue.close()
    with pytest.raises(Overloaded, match="about to stop"):
        queue.put(Job({}))
    assert queue.take() == [a, b]  # it does not wait for more
    assert queue.take() == []
