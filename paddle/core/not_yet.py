"""Stand-ins for names that can be imported before they can be used."""

from __future__ import annotations

from typing import Any, NoReturn

from paddle.core.errors import UnimplementedError


class MissingPartError(UnimplementedError, AttributeError):
    """A part of a name that this version does not have; ``hasattr`` says that it is not there."""


class NotYet:
    """A name of 2.0 that this version does not have: using it in any way raises.

    Client libraries import such names at their top and use them only in several processes.

    Args:
        name (str): dotted in full.
        advice (str): what to do instead.
    """

    def __init__(self, name: str, advice: str) -> None:
        self.__dict__.update(_name=name, _advice=advice)

    def _refuse(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise MissingPartError(f"{self._name} is not part of this version.", hint=self._advice)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # what Python and its tools ask of any object
            raise AttributeError(name)
        self._refuse()

    __call__ = __setattr__ = __mro_entries__ = __getitem__ = __iter__ = __enter__ = _refuse

    def __repr__(self) -> str:
        return f"<{self._name}, not part of this version>"
