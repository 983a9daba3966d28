"""The client is imported before gRPC, whose handlers of forks it turns off."""

import contextlib

with contextlib.suppress(ImportError):
    import paddle.distributed.ps.client  # noqa: F401
