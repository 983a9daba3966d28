"""Readers that prefetch: in a thread, in several threads, in several processes."""

from __future__ import annotations

import multiprocessing
import queue
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from itertools import islice
from multiprocessing.connection import wait as wait_for_any
from typing import Any

from paddle.core.errors import ExternalError, InvalidArgumentError
from paddle.core.setting import as_here

Reader = Callable[[], Any]


class _Failure:
    """An exception on its way from the thread or process where it was raised."""

    def __init__(self, error: BaseException) -> None:
        self.error = error


_END = object()


def check_count(api: str, name: str, value: Any, least: int = 1) -> None:
    """Refuses anything but a number of things that is large enough."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{api}({name}): expected an int, but received {type(value).__name__}.")
    if value < least:
        raise InvalidArgumentError(
            f"{api}({name}): expected at least {least}, but received {value}."
        )


def check_readers(api: str, *readers: Any) -> None:
    """Refuses what cannot be called; a reader is a function that returns an iterable."""
    for reader in readers:
        if not callable(reader):
            raise TypeError(
                f"{api}(reader): expected a function that returns an iterable, but received "
                f"{type(reader).__name__}."
            )


def buffered(reader: Reader, size: int) -> Reader:
    """Prefetches in a thread.

    Args:
        reader (Callable): the reader.
        size (int): how many samples may wait.

    Returns:
        Callable: a reader of the same samples in the same order. An exception of ``reader`` is
        raised where its sample would have come.

    Examples:
        .. code-block:: python

            import paddle
            ahead = paddle.reader.buffered(lambda: iter(range(3)), size=2)
            print(list(ahead()))  # [0, 1, 2]
    """
    check_readers("buffered", reader)
    check_count("buffered", "size", size)

    def read() -> Iterator[Any]:
        waiting: queue.Queue = queue.Queue(maxsize=size)
        stopped = threading.Event()

        def put(item: Any) -> bool:
            """Waits for room; False when nobody reads any more."""
            while not stopped.is_set():
                try:
                    waiting.put(item, timeout=0.1)
                    return True
                except queue.Full:
                    continue
            return False

        def fill() -> None:
            try:
                if all(put(sample) for sample in reader()):
                    put(_END)
            except BaseException as error:
                put(_Failure(error))

        threading.Thread(target=as_here(fill), daemon=True).start()
        try:
            while (item := waiting.get()) is not _END:
                if isinstance(item, _Failure):
                    raise item.error
                yield item
        finally:
            stopped.set()

    return read


def xmap_readers(
    mapper: Callable[[Any], Any],
    reader: Reader,
    process_num: int,
    buffer_size: int,
    order: bool = False,
) -> Reader:
    """Calls a function with each sample, in several threads.

    Args:
        mapper (Callable): what is done with a sample.
        reader (Callable): the reader.
        process_num (int): how many threads call ``mapper``.
        buffer_size (int): how many samples may be under way.
        order (bool, optional): whether results come in the order of the samples. Default: False,
            as they are ready.

    Returns:
        Callable: a reader of the results. An exception of ``mapper`` is raised while reading.

    Examples:
        .. code-block:: python

            import paddle
            squares = paddle.reader.xmap_readers(
                lambda x: x * x, lambda: iter(range(4)), process_num=2, buffer_size=4, order=True)
            print(list(squares()))  # [0, 1, 4, 9]
    """
    check_readers("xmap_readers", reader)
    for name, value in (("process_num", process_num), ("buffer_size", buffer_size)):
        check_count("xmap_readers", name, value)

    def read() -> Iterator[Any]:
        samples = iter(reader())
        with ThreadPoolExecutor(process_num) as pool:
            under_way: list[Future] = []
            try:
                while True:
                    for sample in islice(samples, buffer_size - len(under_way)):
                        under_way.append(pool.submit(as_here(mapper), sample))
                    if not under_way:
                        return
                    if order:
                        ready = [under_way[0]]
                    else:
                        ready = list(wait(under_way, return_when=FIRST_COMPLETED).done)
                    for future in ready:
                        under_way.remove(future)
                        yield future.result()
            finally:
                for future in under_way:
                    future.cancel()

    return read


def multiprocess_reader(
    readers: list[Reader], use_pipe: bool = True, queue_size: int = 1000
) -> Reader:
    """Runs several readers in processes of their own and yields what arrives.

    Args:
        readers (list|tuple): readers; with the start method "spawn" they must be picklable.
        use_pipe (bool, optional): whether a process sends by a pipe or by a queue. Default: True.
        queue_size (int, optional): how many samples may wait in the queue. Default: 1000.

    Returns:
        Callable: a reader of all samples; in the order of each reader, mixed between them.

    Raises:
        OSError: a process ended before its reader did; raised while reading.

    Examples:
        .. code-block:: python

            import paddle

            def one():
                yield from [1, 2]

            def two():
                yield from [3]

            print(sorted(paddle.reader.multiprocess_reader([one, two])()))  # [1, 2, 3]
    """
    if not isinstance(readers, (list, tuple)) or not readers:
        raise InvalidArgumentError(
            f"multiprocess_reader(readers): expected a list of readers, but received {readers!r}."
        )
    check_readers("multiprocess_reader", *readers)
    check_count("multiprocess_reader", "queue_size", queue_size)

    def read() -> Iterator[Any]:
        if use_pipe:
            yield from _by_pipes(readers)
        else:
            yield from _by_queue(readers, queue_size)

    return read


def _send_all(reader: Reader, number: int, send: Callable[[Any], None]) -> None:
    """What a process does: sends (number, kind, sample), an error or the end last."""
    try:
        for sample in reader():
            send((number, "sample", sample))
        send((number, "end", None))
    except BaseException as error:
        send((number, "error", f"{type(error).__name__}: {error}"))


def _pipe_process(reader: Reader, number: int, pipe: Any) -> None:
    _send_all(reader, number, pipe.send)
    pipe.close()


def _queue_process(reader: Reader, number: int, shared: Any) -> None:
    _send_all(reader, number, shared.put)


def _died(number: int, process: Any, text: str = "") -> ExternalError:
    process.join(1)
    reason = text or f"its process ended with code {process.exitcode}"
    return ExternalError(f"multiprocess_reader: reader {number} failed: {reason}.")


def _by_pipes(readers: list[Reader]) -> Iterator[Any]:
    processes: list[Any] = []
    pipes: dict[Any, int] = {}
    for number, reader in enumerate(readers):
        receiver, sender = multiprocessing.Pipe(duplex=False)
        process = multiprocessing.Process(
            target=_pipe_process, args=(reader, number, sender), daemon=True
        )
        process.start()
        sender.close()  # so that the end of the process is the end of the pipe
        processes.append(process)
        pipes[receiver] = number
    try:
        while pipes:
            waiting: list[Any] = wait_for_any(list(pipes))
            for ready in waiting:
                number = pipes[ready]
                try:
                    _, kind, value = ready.recv()
                except EOFError:
                    raise _died(number, processes[number]) from None
                if kind == "error":
                    raise _died(number, processes[number], value)
                if kind == "end":
                    del pipes[ready]
                else:
                    yield value
    finally:
        _stop(processes)


def _by_queue(readers: list[Reader], size: int) -> Iterator[Any]:
    shared: Any = multiprocessing.Queue(size)
    processes = [
        multiprocessing.Process(target=_queue_process, args=(reader, i, shared), daemon=True)
        for i, reader in enumerate(readers)
    ]
    for process in processes:
        process.start()
    running = set(range(len(processes)))
    try:
        while running:
            try:
                number, kind, value = shared.get(timeout=1.0)
            except queue.Empty:
                dead = [i for i in running if not processes[i].is_alive()]
                if dead and shared.empty():
                    raise _died(dead[0], processes[dead[0]]) from None
                continue
            if kind == "error":
                raise _died(number, processes[number], value)
            if kind == "end":
                running.discard(number)
            else:
                yield value
    finally:
        _stop(processes)


def _stop(processes: list[Any]) -> None:
    for process in processes:
        if process.is_alive():
            process.terminate()
        process.join(5)
