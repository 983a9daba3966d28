"""Checks that the installed version lies in a range."""

from __future__ import annotations

import re

from paddle.core.errors import InvalidArgumentError, PreconditionNotMetError

_FORM = re.compile(r"\d+(\.\d+){0,3}")


def _numbers(version: str) -> tuple[int, ...]:
    parts = [int(part) for part in version.split(".")]
    return tuple(parts + [0] * (4 - len(parts)))


def require_version(min_version: str, max_version: str | None = None) -> None:
    """Raises unless the version offered here, ``paddle.__version__``, lies in a range.

    Args:
        min_version (str): the least version, one to four numbers with points between.
        max_version (str, optional): the highest version. Default: None, any.

    Raises:
        TypeError: a version is no str.
        ValueError: a version has another form.
        RuntimeError: the version lies outside of the range.

    Examples:
        .. code-block:: python

            import paddle
            paddle.utils.require_version("1.8", "2.0.0")
    """
    import paddle

    given = {"min_version": min_version, "max_version": max_version}
    for name, value in given.items():
        if value is None and name == "max_version":
            continue
        if not isinstance(value, str):
            raise TypeError(
                f"require_version({name}): expected a str, but received {type(value).__name__}."
            )
        if not _FORM.fullmatch(value):
            raise InvalidArgumentError(
                f"require_version({name}): expected one to four numbers with points between, as in "
                f"'1.5.2.0', but received {value!r}."
            )
    here = paddle.__version__
    if _numbers(here) < _numbers(min_version):
        raise PreconditionNotMetError(
            f"PaddlePaddle {min_version} or higher is required, but this is {here}."
        )
    if max_version is not None and _numbers(here) > _numbers(max_version):
        raise PreconditionNotMetError(
            f"PaddlePaddle from {min_version} to {max_version} is required, but this is {here}."
        )
