"""What the environment tells: certificates, and folders by which a killed server goes on."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paddle
from paddle.core.errors import ExternalError
from paddle.distributed import fleet
from paddle.distributed.ps import transpiled
from paddle.distributed.ps.client import Client
from tests.distributed.ps_runtime import jobs
from tests.distributed.ps_runtime import test_transpiled as cutting

ROOT = Path(__file__).parents[3]
SERVE = """
import sys
import paddle
from tests.distributed.ps_runtime import test_transpiled as cutting
paddle.enable_static()
made, _, _ = cutting.cut("momentum", sys.argv[1:], 0, 1)
running = cutting.Serving(*made.get_pserver_programs(sys.argv[1]))
running.thread.join()
sys.exit(running.failed is not None)
"""


@pytest.fixture
def certified(tmp_path: Path, monkeypatch: Any) -> None:
    if shutil.which("openssl") is None:
        pytest.skip("needs openssl")
    key, chain = str(tmp_path / "key"), str(tmp_path / "chain")
    command = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 "
    command += "-subj /CN=ps -addext subjectAltName=IP:127.0.0.1 -keyout"
    subprocess.run([*command.split(), key, "-out", chain], check=True, capture_output=True)
    monkeypatch.setenv("PADDLE_TLS_KEY", key)
    monkeypatch.setenv("PADDLE_TLS_CERT", chain)
    monkeypatch.setenv("PADDLE_TLS_CA", chain)


def is_encrypted(endpoint: str) -> None:
    with pytest.raises(ExternalError, match="no answer"):
        Client([endpoint], deadline=0.5)


@pytest.mark.usefixtures("certified")
def test_fleet_encrypts() -> None:
    endpoint = f"127.0.0.1:{cutting.free_port()}"

    def start(role: Any, loss: Any) -> None:
        fleet.init(fleet.UserDefinedRoleMaker(
            current_id=0, role=role, worker_num=1, server_endpoints=[endpoint]
        ))  # fmt: skip
        sgd = paddle.optimizer.SGD(0.1)
        fleet.distributed_optimizer(sgd, jobs.strategy_of("sync")).minimize(loss)

    with jobs.static():
        start(fleet.Role.SERVER, jobs.network()[0])
        fleet.init_server()
        serve = fleet.fleet._started("test").run_server
    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    with jobs.static() as (main, startup):
        loss, _ = jobs.network()
        start(fleet.Role.WORKER, loss)
        exe = paddle.static.Executor()
        exe.run(startup)
        fleet.init_worker()
        exe.run(main, feed=jobs.batches(1)[0])
        is_encrypted(endpoint)
        fleet.stop_worker()
    thread.join(30)
    assert not thread.is_alive()


@pytest.fixture
def static_mode() -> Any:
    paddle.enable_static()
    yield
    transpiled.close_all()
    paddle.disable_static()


@pytest.mark.usefixtures("certified", "static_mode")
def test_transpiled_programs_encrypt() -> None:
    servers = [f"127.0.0.1:{cutting.free_port()}"]
    running = cutting.Serving(*cutting.cut("sgd", servers, 0, 1)[0].get_pserver_programs(*servers))
    made, startup, loss = cutting.cut("sgd", servers, 0, 1)
    cutting.losses_of(made.get_trainer_program(), startup, loss, cutting.data()[:2])
    is_encrypted(servers[0])
    transpiled.close_all()
    running.end()


@pytest.mark.slow
@pytest.mark.usefixtures("static_mode")
def test_a_transpiled_server_that_is_killed_goes_on(tmp_path: Path) -> None:
    servers = [f"127.0.0.1:{cutting.free_port()}"]
    env = {**os.environ, "PADDLE_PS_FOLDER": str(tmp_path / "tables"), "OMP_NUM_THREADS": "1"}

    def serve() -> subprocess.Popen:
        return subprocess.Popen([sys.executable, "-c", SERVE, *servers], env=env, cwd=ROOT)

    made, startup, loss = cutting.cut("momentum", servers, 0, 1)
    main, whole = made.get_trainer_program(), cutting.data()
    exe, scope = paddle.static.Executor(), paddle.static.Scope()
    running, got = serve(), []
    try:
        exe.run(startup, scope=scope)
        for i, batch in enumerate(whole):
            if i == 4:
                os.kill(running.pid, signal.SIGKILL)
                running.wait()
                running = serve()
            got.append(exe.run(main, feed=batch, fetch_list=[loss], scope=scope)[0].item())
        transpiled.close_all()
        assert running.wait(60) == 0
    finally:
        running.kill()
    want = cutting.losses_of(*cutting.minimized("momentum"), whole)
    np.testing.assert_allclose(got, want, rtol=1e-5)
    assert not list((tmp_path / "tables").iterdir())  # the scope has it all
