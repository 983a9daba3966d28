"""Which versions of what run models here."""

from __future__ import annotations

from paddle import version


def get_version() -> str:
    """Returns a text that says which version of the interface this is, a fact a line.

    Examples:
        .. code-block:: python

            import paddle
            print(paddle.inference.get_version().splitlines()[0])  # version: 2.0.0
    """
    return f"version: {version.full_version}\ncommit: {version.commit}\nbranch: pypaddle\n"


def get_trt_compile_version() -> tuple[int, int, int]:
    """Returns (0, 0, 0): this package was made without TensorRT.

    Examples:
        .. code-block:: python

            import paddle
            print(paddle.inference.get_trt_compile_version())  # (0, 0, 0)
    """
    return 0, 0, 0


def get_trt_runtime_version() -> tuple[int, int, int]:
    """Returns (0, 0, 0): there is no TensorRT beside this package.

    Examples:
        .. code-block:: python

            import paddle
            print(paddle.inference.get_trt_runtime_version())  # (0, 0, 0)
    """
    return 0, 0, 0
