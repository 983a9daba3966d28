"""The version of PaddlePaddle's interface that is offered here."""

from __future__ import annotations

from paddle import __version__ as full_version  # noqa: F401

major = "2"
minor = "0"
patch = "0"
rc = "0"
istaged = True
commit = "unknown"  # of PaddlePaddle's repository: this is none of its builds
with_mkl = "ON"  # ATen's matrix products on x86 are MKL's


def show() -> None:
    """Prints the version, a part a line.

    Examples:
        .. code-block:: python

            import paddle
            paddle.version.show()
    """
    for name in ("full_version", "major", "minor", "patch", "rc"):
        print(f"{name}: {globals()[name]}")


def mkl() -> str:
    """Returns "ON" where matrix products may run on MKL.

    Examples:
        .. code-block:: python

            import paddle
            print(paddle.version.mkl())  # ON
    """
    return with_mkl
