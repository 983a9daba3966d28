"""Docstrings from a template: functions that differ in a sentence and an example share the rest.

A function says in its own docstring what it does; the template adds the sections ``Args``,
``Returns`` and ``Examples``. Types and defaults in ``Args`` are read from the signature. The
function itself is returned: no call gets slower.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, TypeVar

Subject = TypeVar("Subject", bound=Callable[..., Any])

# What every function says of an argument that the 2.0 signatures have and nothing depends on.
NAME = "has no effect."

_words_of: dict[Callable[..., Any], dict[str, str]] = {}


class Template:
    """What functions of one kind have in common.

    Args:
        example (str): source of the example; ``{name}`` stands for the function's name, ``{}`` for
            what :meth:`__call__` is given.
        returns (str): the text of ``Returns``; empty leaves the section out.
        **words: argument -> its description. ``"(str): ..."`` names the type too, where the
            annotation says less.
    """

    def __init__(self, example: str, returns: str = "", **words: str) -> None:
        self.example = inspect.cleandoc(example)
        self.returns = returns
        self.words = {"name": NAME, **words}

    def __call__(self, *shown: str, **words: str) -> Callable[[Subject], Subject]:
        """The decorator of one function.

        Args:
            *shown: what its example contains.
            **words: descriptions of its own arguments, or other ones than the template's.
        """

        def describe(subject: Subject) -> Subject:
            return self._fill(subject, {**self.words, **words}, shown)

        return describe

    def like(
        self, function: Callable[..., Any], *shown: str, **words: str
    ) -> Callable[[Subject], Subject]:
        """The decorator of a layer: adds the purpose of its function and its arguments' words.

        Args:
            function (callable): has a docstring from a template.
            *shown: what the layer's example contains.
            **words: descriptions of arguments that the function has not.
        """
        purpose = (function.__doc__ or "").partition("\n\nArgs:")[0]
        known = {**_words_of[function], **self.words, **words}

        def describe(subject: Subject) -> Subject:
            return self._fill(subject, known, shown, purpose)

        return describe

    def _fill(
        self, subject: Subject, words: dict[str, str], shown: tuple[str, ...], purpose: str = ""
    ) -> Subject:
        _words_of[subject] = words
        if subject.__doc__ is None:  # python -OO
            return subject
        name = subject.__name__
        code = self.example.format(*shown, name=name).replace("\n", "\n        ")
        parts = [
            inspect.cleandoc(subject.__doc__),
            purpose,
            "Args:\n" + "\n".join(_arguments(subject, words)),
            self.returns and f"Returns:\n    {self.returns}",
            f"Examples:\n    .. code-block:: python\n\n        {code}\n",
        ]
        subject.__doc__ = "\n\n".join(filter(None, parts))
        return subject


def _arguments(subject: Callable[..., Any], words: dict[str, str]) -> list[str]:
    """The lines of ``Args``, one for each parameter of a function or of a class's ``__init__``."""
    function: Any = inspect.unwrap(vars(subject).get("__init__", subject))
    code, defaults = function.__code__, function.__defaults__ or ()
    names = [n for n in code.co_varnames[: code.co_argcount] if n != "self"]
    given = dict(zip(reversed(names), reversed(defaults)))
    lines = []
    for name in names:
        kind, text = function.__annotations__[name], words[name]
        if text.startswith("("):
            kind, _, text = text[1:].partition("): ")
        kind = kind.replace(" | None", "").replace(" | ", "|")
        if name in given:
            kind += ", optional"
            text += "" if given[name] is None else f" Default: {given[name]}."
        lines.append(f"    {name} ({kind}): {text}")
    return lines
