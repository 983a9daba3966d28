"""The server's end of the transport: gRPC with raw bytes, for one job's trainers only."""

from __future__ import annotations

import hmac
import os
import shutil
import tempfile
from collections.abc import Sequence
from concurrent import futures
from pathlib import Path
from typing import Any

import torch

# Readers of data are forked beside gRPC's threads and never call it. Its own handlers of forks,
# which are meant for those that do, print a line for each, and end such a process now and then.
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")
try:
    import grpc
except ImportError:
    raise ImportError("the parameter server needs grpcio: pip install grpcio")

from paddle.core import flags
from paddle.core.errors import ExternalError, InvalidArgumentError
from paddle.distributed.ps.messages import FRAME_LIMIT, Kind
from paddle.distributed.ps.service import Service
from paddle.distributed.ps.spec import TableSpec

_PREFIX = "/pypaddle.ps/"
_METHODS = frozenset(_PREFIX + kind.name for kind in Kind)


class Server:
    """A parameter server.

    Args:
        endpoint (str): ``ip:port`` to listen at, and nowhere else; port 0 takes a free one, see
            ``endpoint`` after :meth:`start`.
        tables (list[TableSpec]): all tables of the job, the same on every server.
        trainers (int): how many trainers there are.
        mode (str): ``sync``: gradients wait until all trainers meet at the barrier ``"step"``, then
            their sum divided by the number of trainers is one update; ``async`` and ``geo``: every
            push is applied as it comes.
        token (str): the job's; requests without it are refused. Empty: all are taken.
        folder (str, optional): where the tables' files are. A server that is started again with it
            goes on where the last one stopped, however that ended. Default: a temporary folder that
            is removed by :meth:`stop`.
        server (int): number of this server.
        servers (int): how many there are.
        memory (int, optional): MB of tables in memory. Default: ``FLAGS_ps_table_memory``.
        tls (tuple, optional): files with the private key and the chain of certificates.

    Examples:
        .. code-block:: python

            from paddle.distributed.ps.client import Client
            from paddle.distributed.ps.server import Server
            from paddle.distributed.ps.spec import TableSpec
            server = Server("127.0.0.1:0", [TableSpec(0, "words", "sparse", 4)], token="secret")
            server.start()
            with Client([server.endpoint], trainer=0, token="secret") as client:
                print(client.pull_sparse(0, [7, 9]).shape)  # (2, 4)
            server.wait()  # until all trainers have left
            server.stop()
    """

    def __init__(
        self,
        endpoint: str,
        tables: Sequence[TableSpec],
        trainers: int = 1,
        mode: str = "async",
        token: str = "",
        folder: str | os.PathLike | None = None,
        server: int = 0,
        servers: int = 1,
        memory: int | None = None,
        tls: tuple[str, str] | None = None,
    ) -> None:
        host, _, port = endpoint.rpartition(":")
        if not host or not port.isdigit():
            raise InvalidArgumentError(
                f"Server(endpoint): expected 'ip:port', but received {endpoint!r}."
            )
        self.endpoint, self._token, self._tls = endpoint, token.encode(), tls
        self._own_folder = folder is None
        self.folder = Path(tempfile.mkdtemp(prefix="pypaddle-ps-") if folder is None else folder)
        memory = flags.get("FLAGS_ps_table_memory") if memory is None else memory
        self.service = Service(
            tables, self.folder, server, servers, trainers, mode, int(memory) << 20
        )
        # A trainer at a barrier holds a thread. Requests are small and many: one core for each.
        self._pool = futures.ThreadPoolExecutor(
            trainers + 4, "ps-server", torch.set_num_threads, (1,)
        )
        self._server: Any = None

    def start(self) -> None:
        """Listens from now on.

        Raises:
            ExternalError: the address cannot be listened at, because the port is taken.
        """
        self._server = grpc.server(
            self._pool,
            [_Handler(self.service, self._token)],
            options=[
                ("grpc.http2.max_frame_size", 1 << 20),
                ("grpc.so_reuseport", 0),  # else two servers could share a port
                ("grpc.max_receive_message_length", FRAME_LIMIT),
                ("grpc.max_send_message_length", FRAME_LIMIT),
            ],
        )
        try:
            if self._tls is None:
                port = self._server.add_insecure_port(self.endpoint)
            else:
                key, chain = (Path(p).read_bytes() for p in self._tls)
                port = self._server.add_secure_port(
                    self.endpoint, grpc.ssl_server_credentials([(key, chain)])
                )
        except RuntimeError:
            port = 0
        if not port:
            raise ExternalError(
                f"parameter server: cannot listen at {self.endpoint}; the port is taken or the "
                "address is not of this machine."
            )
        self.endpoint = f"{self.endpoint.rpartition(':')[0]}:{port}"
        self._server.start()

    def load(self, folder: str | os.PathLike, version: int = 0) -> int:
        """Reads a snapshot, which may be of another number of servers.

        Args:
            folder (str): where :meth:`Client.save` wrote.
            version (int): 0 for the last one that is whole.

        Returns:
            int: the version that was read.
        """
        return self.service.load(Path(folder), version)

    def wait(self, timeout: float | None = None) -> bool:
        """Returns when all trainers have left, or False when the time is over."""
        return self.service.finished.wait(timeout)

    def stop(self) -> None:
        """Answers what is being asked, then listens no more."""
        self.service.release()
        if self._server is not None:
            self._server.stop(1.0).wait()
            self._server = None
        self._pool.shutdown()
        self.service.close()
        if self._own_folder:
            shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self) -> Server:
        self.start()
        return self

    def __exit__(self, *error: Any) -> None:
        self.stop()


class _Handler(grpc.GenericRpcHandler):
    """Takes requests that bring the job's token; of others not even the message is read."""

    def __init__(self, service: Service, token: bytes) -> None:
        self._service, self._token = service, token
        self._take = grpc.unary_unary_rpc_method_handler(self._answer)
        self._refuse = grpc.stream_unary_rpc_method_handler(_refuse)

    def service(self, call: Any) -> Any:
        if call.method not in _METHODS:
            return None
        if self._token:
            given = next((v for k, v in call.invocation_metadata if k == "token"), "")
            raw = given if isinstance(given, bytes) else given.encode()
            if not hmac.compare_digest(raw, self._token):
                return self._refuse
        return self._take

    def _answer(self, body: bytes, context: Any) -> bytes:
        left = context.time_remaining()
        # The answer has to arrive before the client gives up.
        seconds = 180.0 if left is None else max(0.0, left - min(1.0, 0.2 * left))
        return self._service.answer(body, seconds)


def _refuse(requests: Any, context: Any) -> None:
    context.abort(grpc.StatusCode.UNAUTHENTICATED, "the job's token is missing or another one")
