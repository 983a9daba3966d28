"""Parsing of Python source in several threads."""

from __future__ import annotations

import ast
import threading

_lock = threading.RLock()
_ATTEMPTS = 5


def parse(source: str, filename: str = "<unknown>") -> ast.Module:
    """Returns the syntax tree of a source text; ``ast.parse``, one thread at a time.

    CPython up to 3.11 counts the depth of the tree that it makes in one place for all threads, and
    raises SystemError when two have counted there. Threads of other libraries do not take this
    lock, and nor do finalizers that run meanwhile; after such an error it is tried again.

    Args:
        source (str): the text.
        filename (str): named in errors of syntax.
    """
    with _lock:
        for _ in range(_ATTEMPTS - 1):
            try:
                return ast.parse(source, filename)
            except SystemError:
                continue
        return ast.parse(source, filename)
