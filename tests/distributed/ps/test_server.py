"""Servers and clients over gRPC: numbers, failures, who is let in."""

import json
import shutil
import socket
import struct
import subprocess
import sys
import threading
import time
import weakref
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("grpc")

import grpc

import paddle
from paddle.core.errors import (
    ExecutionTimeoutError,
    ExternalError,
    InvalidArgumentError,
    NotFoundError,
    PermissionDeniedError,
    PreconditionNotMetError,
    ResourceExhaustedError,
)
from paddle.distributed.ps import messages
from paddle.distributed.ps.calls import leave
from paddle.distributed.ps.client import Client
from paddle.distributed.ps.files import Mapped
from paddle.distributed.ps.initial import Initial
from paddle.distributed.ps.messages import Frame, Kind
from paddle.distributed.ps.rules import Rule
from paddle.distributed.ps.server import Server
from paddle.distributed.ps.spec import TableSpec

TOKEN = "of this job"
ROWS = TableSpec(0, "rows", "sparse", 4, rule=Rule("sgd", 0.5), initial=Initial("uniform"))
BLOCK = TableSpec(1, "block", "dense", 6, rule=Rule("sgd", lambda step: 0.5**step), server=1)
TABLES = [ROWS, BLOCK]


class Job:
    """Servers of one job, and clients that are closed with it."""

    def __init__(self, servers=2, tables=TABLES, **options):
        self.servers = [
            Server("127.0.0.1:0", tables, server=i, servers=servers, token=TOKEN, **options)
            for i in range(servers)
        ]
        for server in self.servers:
            server.start()
        self.endpoints = [s.endpoint for s in self.servers]
        self.clients = []

    def client(self, trainer=0, **options):
        self.clients.append(Client(self.endpoints, trainer, **{"token": TOKEN, **options}))
        return self.clients[-1]

    def stop(self):
        for client in self.clients:
            client.close()
        for server in self.servers:
            server.stop()


@pytest.fixture
def job():
    made = []

    def start(*args, **options):
        made.append(Job(*args, **options))
        return made[-1]

    yield start
    for one in made:
        one.stop()


@pytest.fixture(scope="session")
def steady():
    made = Job()
    yield made
    made.stop()


def test_rows(steady):
    client = steady.client(tables=TABLES)
    ids = np.array([[5, 2**40 + 1, -3], [5, 8, 5]])
    before = client.pull_sparse(0, ids)
    np.testing.assert_array_equal(before, ROWS.initial.rows(ids.reshape(-1), 4))
    client.push_sparse(0, ids, np.ones((6, 4), "f4"))
    after = client.pull_sparse(0, ids)
    np.testing.assert_allclose(
        (before - after)[:, 0], np.array([3, 1, 1, 3, 1, 3]) * 0.5, rtol=1e-5
    )
    assert client.pull_sparse(0, np.empty(0, np.int64)).shape == (0, 4)
    client.push_sparse(0, np.empty(0, np.int64), np.empty((0, 4), "f4"))


def test_ids_of_64_bits_without_a_sign(steady):
    client = steady.client()
    ids = np.array([2**64 - 1, 2**63], np.uint64)
    np.testing.assert_array_equal(
        client.pull_sparse(0, ids), client.pull_sparse(0, np.array([-1, -(2**63)]))
    )


def test_blocks(steady):
    client = steady.client()
    client.set_dense(1, np.arange(6))
    client.push_dense(1, np.ones(6, "f4"))
    np.testing.assert_array_equal(client.pull_dense(1), np.arange(6) - 1.0)
    client.push_dense(1, np.ones((2, 3)), mode="delta")
    np.testing.assert_array_equal(client.pull_dense_many([1, 1])[1], np.arange(6))


def test_several_tables_at_a_time(job):
    specs = [TableSpec(i, f"t{i}", "sparse", i + 1) for i in range(3)]
    specs += [TableSpec(10 + i, f"d{i}", "dense", 5, server=i % 2) for i in range(3)]
    started = job(tables=specs)
    client = started.client()
    client.push_sparse(2, np.arange(2), np.zeros((2, 3)))
    asked: list = []
    for server in started.servers:
        answer = server.service.answer
        server.service.answer = lambda *a, answer=answer: asked.append(0) or answer(*a)
    ids = np.array([4, 5, 5])
    given = [(i, ids, np.full((3, i + 1), i + 1.0)) for i in range(3)]
    given += [(10 + i, None, np.arange(5) + i) for i in range(3)]
    client.push_many(given, mode="delta")
    found = client.pull_many([(12, None), (2, ids), (0, ids[:1]), (10, None)])
    assert len(asked) == 4  # a message to each server
    assert found[0].tolist() == [2, 3, 4, 5, 6]
    assert found[1].tolist() == [[3.0] * 3, [6.0] * 3, [6.0] * 3]
    assert found[2].tolist() == [[1.0]]
    assert found[3].tolist() == [0, 1, 2, 3, 4]
    client.push_many([given[0], given[0]], mode="delta")  # one table twice
    assert client.pull_sparse(0, ids).tolist() == [[3.0], [6.0], [6.0]]
    with pytest.raises(InvalidArgumentError, match=r"dense tables \[10, 11, 12\], but received 0"):
        client.pull_many([(10, None), (0, None)])


def test_requests_in_pieces(job, monkeypatch):
    client = job(tables=[ROWS]).client()
    monkeypatch.setattr(TableSpec, "row_limit", 7)
    ids = np.random.default_rng(0).integers(0, 1000, 500)
    np.testing.assert_array_equal(client.pull_sparse(0, ids), ROWS.initial.rows(ids, 4))
    client.push_sparse(0, ids, np.ones((500, 4), "f4"), mode="delta")
    counts = np.bincount(ids)[ids]
    found = client.pull_sparse(0, ids) - ROWS.initial.rows(ids, 4)
    np.testing.assert_allclose(found[:, 0], counts, rtol=1e-5)


def test_many_pushes_on_their_way(job):
    started = job(trainers=2)
    ids = np.arange(64)

    def train(trainer):
        client = started.client(trainer)
        for step in range(100):
            client.push_sparse(0, ids, np.ones((64, 4), "f4"), mode="delta", wait=False)
            if step % 3 == 0:
                client.push_dense(1, np.ones(6), mode="delta", wait=False)
            assert max(map(len, client._flying)) <= 16
        client.flush()
        client.barrier("end")
        return client.pull_sparse(0, ids) - ROWS.initial.rows(ids, 4), client.pull_dense(1)

    with ThreadPoolExecutor(2) as pool:
        for rows, block in pool.map(train, [0, 1]):
            np.testing.assert_allclose(rows, 200, rtol=1e-4)
            np.testing.assert_array_equal(block, 68)


def test_threads_share_a_client(job):
    client = job().client()
    ids = np.arange(10)

    def push(_):
        for _ in range(40):
            client.push_sparse(0, ids, np.ones((10, 4), "f4"), mode="delta")
            client.pull_sparse(0, ids)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(push, range(4)))
    np.testing.assert_allclose(
        client.pull_sparse(0, ids) - ROWS.initial.rows(ids, 4), 160, rtol=1e-4
    )


def crashed(server):
    """Ends a server without a word to anybody; what it was doing is done, but not answered."""
    server._server.stop(0).wait()
    server._server = None
    server.service.release()
    server._pool.shutdown()


@pytest.mark.parametrize(
    ("rule", "crashes"), [(Rule("sgd", 0.1), False), (Rule("adam", 0.05), True)]
)
def test_sync_equals_one_process_over_the_joined_batch(job, tmp_path, rule, crashes):
    """Also when servers crash half-way and are started again."""
    height, width, batch = 20, 4, 6
    specs = [
        TableSpec(0, "embedding", "sparse", width, rule=rule),
        TableSpec(1, "weight", "dense", width, rule=rule, server=1),
    ]
    started = job(0)
    started.servers = [
        Server("127.0.0.1:0", specs, 2, "sync", TOKEN, tmp_path / str(i), i, 2) for i in (0, 1)
    ]
    for server in started.servers:
        server.start()
    started.endpoints = [s.endpoint for s in started.servers]
    middle = threading.Event()
    rng = np.random.default_rng(0)
    table = rng.standard_normal((height, width)).astype("f4")
    weight = rng.standard_normal(width).astype("f4")
    ids = rng.integers(0, height, (20, 2, batch))
    labels = rng.standard_normal((20, 2, batch)).astype("f4")

    def train(trainer):
        client = started.client(trainer, tables=specs, deadline=60)
        if trainer == 0:
            client.push_sparse(0, np.arange(height), table, mode="assign")
            client.set_dense(1, weight)
        client.barrier("start")
        losses = []
        for step in range(20):
            if step == 8:
                middle.set()
            mine, label = ids[step, trainer], paddle.to_tensor(labels[step, trainer])
            rows = paddle.to_tensor(client.pull_sparse(0, mine), stop_gradient=False)
            w = paddle.to_tensor(client.pull_dense(1), stop_gradient=False)
            loss = (((rows * w).sum(1) - label) ** 2).mean()
            loss.backward()
            losses.append(float(loss))
            client.push_sparse(0, mine, rows.grad.numpy(), wait=False)
            client.push_dense(1, w.grad.numpy(), wait=False)
            client.barrier("step")
        return losses

    with ThreadPoolExecutor(2) as pool:
        runs = [pool.submit(train, i) for i in (0, 1)]
        for i in (0, 1) if crashes else ():
            middle.wait(60)
            old = started.servers[i]
            crashed(old)
            again = Server(old.endpoint, specs, 2, "sync", TOKEN, tmp_path / str(i), i, 2)
            started.servers[i] = again
            again.start()
        losses = np.mean([r.result(120) for r in runs], 0)
    layer = paddle.nn.Embedding(height, width, sparse=True)
    layer.weight.set_value(table)
    w = paddle.create_parameter([width], "float32")
    w.set_value(weight)
    params = [layer.weight, w]
    if rule.name == "sgd":
        groups = [paddle.optimizer.SGD(0.1, params)]
    else:
        groups = [paddle.optimizer.Adam(0.05, parameters=params, lazy_mode=True)]
    alone = []
    for step in range(20):
        rows = layer(paddle.to_tensor(ids[step].reshape(-1)))
        loss = (((rows * w).sum(1) - paddle.to_tensor(labels[step].reshape(-1))) ** 2).mean()
        loss.backward()
        alone.append(float(loss))
        for optimizer in groups:
            optimizer.step()
            optimizer.clear_grad()
    np.testing.assert_allclose(losses, alone, rtol=1e-5, atol=1e-6)


def test_rates_follow_the_steps_of_all(job):
    started = job(trainers=2)
    one, two = started.client(0), started.client(1)
    one.advance()
    two.advance(2)
    one.push_dense(1, np.full(6, 8.0))
    assert one.pull_dense(1)[0] == -1.0  # 0.5 ** 3
    one.set_rate(1, 2.0)
    one.push_dense(1, np.full(6, 1.0))
    assert two.pull_dense(1)[0] == -3.0
    assert started.client(1).steps == 2
    assert one.stat()[0]["steps"] == 3


def test_save_and_load(job, tmp_path):
    first = job().client()
    ids = np.arange(100)
    first.push_sparse(0, ids, np.ones((100, 4), "f4"))
    first.set_dense(1, np.arange(6))
    seen = first.pull_sparse(0, ids)
    assert [first.save(tmp_path / "s") for _ in range(3)] == [1, 2, 3]
    block = TableSpec(1, "block", "dense", 6, server=2)
    other = job(3, tables=[ROWS, block])
    client = other.client()
    assert client.load(tmp_path / "s") == 3
    np.testing.assert_array_equal(client.pull_sparse(0, ids), seen)
    np.testing.assert_array_equal(client.pull_dense(1), np.arange(6))
    assert other.servers[0].load(tmp_path / "s", 2) == 2
    data = tmp_path / "s" / "version-3" / "server-1-of-2" / "data"
    data.write_bytes(data.read_bytes()[:-1])
    assert client.load(tmp_path / "s") == 2
    (tmp_path / "s" / "version-8" / "server-1-of-3").mkdir(parents=True)  # torn
    assert client.save(tmp_path / "s") == 9  # its parts must not meet those of another
    with pytest.raises(NotFoundError, match="server 0"):
        client.load(tmp_path / "none")
    assert sum(s["tables"]["0"]["rows"] for s in client.stat()) == 100
    assert client.shrink(1) == 100


# -- who is let in ---------------------------------------------------------------------------------


@pytest.mark.parametrize("token", ["", "another", "of this jo", "of this job "])
def test_another_token(steady, token):
    with pytest.raises(PermissionDeniedError, match=r"server 0 .* refused the job's token"):
        steady.client(token=token)


def test_without_the_token_no_message_is_read(steady):
    """The refusal comes although the message is never complete."""
    taken = []
    service = steady.servers[0].service
    channel = grpc.insecure_channel(steady.endpoints[0], [("grpc.max_send_message_length", -1)])
    before, service.answer = service.answer, lambda *a: taken.append(a)
    try:
        call = channel.unary_unary("/pypaddle.ps/PULL")
        with pytest.raises(grpc.RpcError) as error:
            call(b"x" * (1 << 20), timeout=30)
        assert error.value.code() is grpc.StatusCode.UNAUTHENTICATED
    finally:
        service.answer = before
        channel.close()
    assert not taken


def test_other_methods_and_long_messages(steady):
    channel = grpc.insecure_channel(steady.endpoints[0])
    metadata = (("token", TOKEN),)
    with pytest.raises(grpc.RpcError) as error:
        channel.unary_unary("/pypaddle.ps/EVAL")(b"", timeout=30, metadata=metadata)
    assert error.value.code() is grpc.StatusCode.UNIMPLEMENTED
    answer = channel.unary_unary("/pypaddle.ps/STAT")(b"junk", timeout=30, metadata=metadata)
    assert messages.decode(answer).status
    channel.close()


def test_an_older_client(steady):
    channel = grpc.insecure_channel(steady.endpoints[0])
    body = bytearray(messages.encode(Frame(Kind.HELLO)))
    struct.pack_into("<H", body, 4, 0)
    answer = channel.unary_unary("/pypaddle.ps/HELLO")(
        bytes(body), timeout=30, metadata=(("token", TOKEN),)
    )
    with pytest.raises(InvalidArgumentError, match=r"expected version 1 .* received version 0"):
        messages.raise_error(messages.decode(answer), "server 0")
    channel.close()


def listening():
    """Addresses that this process listens at, as in /proc/net/tcp."""
    mine = set()
    for entry in Path("/proc/self/fd").iterdir():
        try:
            mine.add(str(entry.readlink()))
        except OSError:
            pass
    found = []
    for name in ("tcp", "tcp6"):
        for line in Path(f"/proc/self/net/{name}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A" and f"socket:[{fields[9]}]" in mine:
                found.append(fields[1])
    return found


@pytest.mark.skipif(not Path("/proc/self/net/tcp").exists(), reason="needs Linux")
def test_binds_to_the_address_alone(steady):
    found = listening()
    ports = {f"{int(e.rpartition(':')[2]):04X}" for e in steady.endpoints}
    assert {a.partition(":")[2] for a in found} >= ports
    for address in found:
        if address.partition(":")[2] in ports:
            host = address.partition(":")[0]  # 127.0.0.1, maybe as an address of version 6
            assert host in ("0100007F", "0000000000000000FFFF00000100007F")


@pytest.mark.skipif(not Path("/proc/self/net/tcp").exists(), reason="needs Linux")
def test_junk_on_the_port(steady):
    host, _, port = steady.endpoints[0].rpartition(":")
    rng = np.random.default_rng(0)
    for _ in range(50):
        with socket.create_connection((host, int(port)), 10) as s:
            head = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" if rng.random() < 0.5 else b""
            try:
                s.sendall(head + rng.bytes(int(rng.integers(1, 2000))))
            except OSError:
                pass
    assert steady.client().pull_sparse(0, [1, 2]).shape == (2, 4)


def test_encrypted(tmp_path):
    if shutil.which("openssl") is None:
        pytest.skip("needs openssl")
    key, chain = str(tmp_path / "key"), str(tmp_path / "chain")
    command = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 "
    command += "-subj /CN=ps -addext subjectAltName=IP:127.0.0.1 -keyout"
    subprocess.run([*command.split(), key, "-out", chain], check=True, capture_output=True)
    with Server("127.0.0.1:0", [ROWS], token=TOKEN, tls=(key, chain)) as server:
        with Client([server.endpoint], token=TOKEN, tls=chain) as client:
            assert client.pull_sparse(0, [1]).shape == (1, 4)
        with pytest.raises(ExternalError, match=r"no answer within 0\.5 s"):
            Client([server.endpoint], token=TOKEN, deadline=0.5)


# -- failures --------------------------------------------------------------------------------------


def test_the_port_is_taken(steady):
    other = Server(steady.endpoints[0], TABLES, servers=2)
    with pytest.raises(ExternalError, match=f"cannot listen at {steady.endpoints[0]}"):
        other.start()
    other.stop()


def test_a_server_that_is_not_there():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        endpoint = f"127.0.0.1:{s.getsockname()[1]}"
        start = time.monotonic()
        with pytest.raises(ExternalError, match=rf"server 0 \({endpoint}\): no answer within 0.5"):
            Client([endpoint], deadline=0.5)
        assert time.monotonic() - start < 30


def test_a_server_that_goes_away_names_the_table(job):
    started = job()
    client = started.client(deadline=0.5)
    started.servers[1].stop()
    with pytest.raises(ExternalError, match=r"server 1 .*, table 0 \('rows'\): no answer"):
        client.pull_sparse(0, np.arange(10))
    with pytest.raises(ExternalError, match=r"server 1 .*, table 1 \('block'\): no answer"):
        client.push_dense(1, np.zeros(6))


def test_the_deadline_is_a_flag(job):
    started = job(1, tables=[ROWS])
    client = started.client()
    started.servers[0].stop()
    before = paddle.get_flags("FLAGS_rpc_deadline")
    try:
        paddle.set_flags({"FLAGS_rpc_deadline": 300})
        with pytest.raises(ExternalError, match=r"no answer within 0\.3 s"):
            client.pull_sparse(0, [1])
    finally:
        paddle.set_flags(before)


def test_a_server_that_comes_back(job, tmp_path):
    """Requests wait for it; what was pushed is there, and nothing twice."""
    started = job(1, tables=[ROWS], folder=tmp_path)
    client = started.client(deadline=60)
    ids, ones = np.arange(8), np.ones((8, 4), "f4")
    client.push_sparse(0, ids, ones, mode="delta")
    started.servers[0].stop()
    with ThreadPoolExecutor(2) as pool:
        pushed = pool.submit(client.push_sparse, 0, ids, ones, "delta")
        client.push_sparse(0, ids, ones, mode="delta", wait=False)
        time.sleep(0.3)
        assert not pushed.done()
        again = Server(started.endpoints[0], [ROWS], token=TOKEN, folder=tmp_path)
        started.servers.append(again)
        again.start()
        pushed.result(60)
    client.flush()
    np.testing.assert_allclose(client.pull_sparse(0, ids) - ROWS.initial.rows(ids, 4), 3, rtol=1e-5)
    # a trainer that is started again goes on behind its last push
    other = started.client()
    other.push_sparse(0, ids, ones, mode="delta")
    np.testing.assert_allclose(client.pull_sparse(0, ids) - ROWS.initial.rows(ids, 4), 4, rtol=1e-5)


def test_one_client_of_a_trainer_pushes(job):
    """Two that count their pushes alike would lose some of them without a word."""
    started = job()
    one, two = started.client(), started.client()
    ids, ones = np.arange(4), np.ones((4, 4), "f4")
    one.push_sparse(0, ids, ones, mode="delta")
    two.push_sparse(0, ids, ones, mode="delta")
    with pytest.raises(PreconditionNotMetError, match="another client of trainer 0 pushes now"):
        one.push_sparse(0, ids, ones, mode="delta")
    two.push_sparse(0, ids, ones, mode="delta")
    moved = one.pull_sparse(0, ids) - ROWS.initial.rows(ids, 4)
    np.testing.assert_allclose(moved, 3, rtol=1e-5)


def test_lost_answers(job):
    """A push whose answer is lost is sent again and applied once."""
    started = job(1, tables=[ROWS])
    service = started.servers[0].service
    answer, seen = service.answer, []

    def lossy(body, seconds):
        found = answer(body, seconds)
        seen.append(body)
        if len(seen) % 2:
            raise RuntimeError("the connection broke")
        return found

    client = started.client(deadline=60)
    client.push_sparse(0, [1, 2], np.zeros((2, 4), "f4"), mode="delta")
    service.answer = lossy
    for _ in range(5):
        client.push_sparse(0, [1, 2], np.ones((2, 4), "f4"), mode="delta")
    service.answer = answer
    assert len(seen) == 10
    moved = client.pull_sparse(0, [1, 2]) - ROWS.initial.rows(np.array([1, 2]), 4)
    np.testing.assert_allclose(moved, 5, rtol=1e-5)


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_the_barrier_names_who_is_missing(job, mode):
    started = job(2, trainers=3, mode=mode)
    one, two, _three = (started.client(i) for i in range(3))
    with ThreadPoolExecutor(2) as pool:
        waits = [pool.submit(c.barrier, "step", 1.0) for c in (one, two)]
        for wait in waits:
            with pytest.raises(ExecutionTimeoutError, match=r"trainer\(s\) .*2.* of 3 did not"):
                wait.result(60)
    two.close()  # lost without a word: the others go on
    one.push_sparse(0, [3], np.ones((1, 4), "f4"), mode="delta")
    assert one.pull_sparse(0, [3]).shape == (1, 4)


def test_a_trainer_that_leaves_is_not_waited_for(job):
    started = job(2, trainers=2)
    one, two = started.client(0), started.client(1)
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(one.barrier, "x", 60.0)
        time.sleep(0.2)
        two.stop()
        waiting.result(60)
    one.barrier("y")
    assert not started.servers[0].wait(0)
    one.stop()
    one.stop()
    assert all(s.wait(60) for s in started.servers)


def test_leaving_at_exit(job, monkeypatch):
    started = job(1, tables=[ROWS])
    client = started.client()
    monkeypatch.setattr(sys, "last_type", ValueError, raising=False)  # the script failed
    leave(weakref.WeakMethod(client.stop))
    assert not started.servers[0].wait(0.1)
    monkeypatch.delattr(sys, "last_type")
    leave(weakref.WeakMethod(client.stop))
    assert started.servers[0].wait(60)


def test_barriers_of_other_names(job):
    started = job(1, tables=[ROWS], trainers=2)
    one, two = started.client(0), started.client(1)
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(one.barrier, "a", 3.0)
        time.sleep(0.3)
        with pytest.raises(PreconditionNotMetError, match="trainer 1 came to 'b', but trainer 0"):
            two.barrier("b")
        two.barrier("a")
        waiting.result(60)


def test_stopping_sends_away_who_waits(job):
    started = job(1, tables=[ROWS], trainers=2)
    one = started.client(0, deadline=1.0)
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(one.barrier, "a", 100.0)
        time.sleep(0.3)
        start = time.monotonic()
        started.servers[0].stop()
        assert time.monotonic() - start < 20
        one.close()
        with pytest.raises(ExternalError):
            waiting.result(60)


def test_a_full_disk(job, monkeypatch):
    client = job(1, tables=[ROWS]).client()
    seen = client.pull_sparse(0, np.arange(10))

    def full(self, rows):
        raise ResourceExhaustedError("no room left for the table")

    monkeypatch.setattr(Mapped, "need", full)
    with pytest.raises(ResourceExhaustedError, match=r"server 0 .*, table 0 .* no room left"):
        client.pull_sparse(0, np.arange(5000))
    monkeypatch.undo()
    np.testing.assert_array_equal(client.pull_sparse(0, np.arange(10)), seen)


def test_wrong_servers(job, steady):
    with pytest.raises(PreconditionNotMetError, match=r"number 0 of 2, but .* number 0 of 1"):
        Client(steady.endpoints[:1], token=TOKEN)
    with pytest.raises(PreconditionNotMetError, match=r"number 1 of 2, but .* number 0 of 2"):
        Client(steady.endpoints[::-1], token=TOKEN)
    with pytest.raises(InvalidArgumentError, match="expected a trainer below 1"):
        Client(steady.endpoints, 1, token=TOKEN)
    wide = TableSpec(0, "rows", "sparse", 5)
    with pytest.raises(PreconditionNotMetError, match="expected width 5 on the servers, but found"):
        steady.client(tables=[wide])
    with pytest.raises(PreconditionNotMetError, match="no such table"):
        steady.client(tables=[TableSpec(9, "more", "sparse", 4)])
    with pytest.raises(InvalidArgumentError, match="at least one server"):
        Client([])


def test_bad_calls(steady):
    client = steady.client()
    with pytest.raises(InvalidArgumentError, match=r"sparse tables \[0\], but received 1"):
        client.pull_sparse(1, [1])
    with pytest.raises(InvalidArgumentError, match=r"dense tables \[1\], but received 7"):
        client.pull_dense(7)
    with pytest.raises(TypeError, match="expected integer ids, but received float64"):
        client.pull_sparse(0, [1.5])
    with pytest.raises(InvalidArgumentError, match=r"shape \[2, 4\], but received float32\[2, 3\]"):
        client.push_sparse(0, [1, 2], np.ones((2, 3), "f4"))
    with pytest.raises(InvalidArgumentError, match=r"expected one of .*'grad'"):
        client.push_sparse(0, [1], np.ones((1, 4), "f4"), mode="grads")
    with pytest.raises(InvalidArgumentError, match="without repetition"):
        client.push_sparse(0, [1, 1], np.ones((2, 4), "f4"), mode="assign")
    with pytest.raises(InvalidArgumentError, match="one finite number"):
        client.set_rate(1, float("nan"))
    for endpoint in ("", "8080", "127.0.0.1", "127.0.0.1:x"):
        with pytest.raises(InvalidArgumentError, match="expected 'ip:port'"):
            Server(endpoint, TABLES)
    with pytest.raises(InvalidArgumentError, match=r"expected one of \['sync', 'async', 'geo'\]"):
        Server("127.0.0.1:0", TABLES, mode="half")
    with pytest.raises(InvalidArgumentError, match="numbers that differ"):
        Server("127.0.0.1:0", [ROWS, ROWS])
    with pytest.raises(InvalidArgumentError, match="meant for server 1, but there are 1"):
        Server("127.0.0.1:0", TABLES)
    with pytest.raises(InvalidArgumentError, match="expected a number below 2"):
        Server("127.0.0.1:0", TABLES, server=2, servers=2)


def test_a_folder_of_another_job(tmp_path):
    Server("127.0.0.1:0", [ROWS], folder=tmp_path).stop()
    with pytest.raises(PreconditionNotMetError, match="another number of servers: expected 2, but"):
        Server("127.0.0.1:0", [ROWS], folder=tmp_path, servers=2)
    with pytest.raises(PreconditionNotMetError, match="another number of trainers"):
        Server("127.0.0.1:0", [ROWS], folder=tmp_path, trainers=2)


def test_stat_is_json(steady):
    found = steady.client().stat()
    assert json.loads(json.dumps(found)) == found
    assert [s["server"] for s in found] == [0, 1]
