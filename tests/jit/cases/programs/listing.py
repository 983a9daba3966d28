"""What the collections of functions share: how they are listed, and what they log."""

from __future__ import annotations

PROGRAMS: list = []


def program(*arguments):
    """Adds a function with tuples of arguments to the list."""

    def add(function):
        PROGRAMS.append((function, list(arguments)))
        return function

    return add


class Box:
    """Something with attributes, compared by them."""

    def __init__(self, **values):
        self.__dict__.update(values)

    def __eq__(self, other):
        return isinstance(other, Box) and vars(self) == vars(other)

    def __repr__(self):
        return f"Box({vars(self)})"


LOG: list = []


def note(value):
    """Logs a value, so that the order of evaluation shows."""
    LOG.append(value)
    print("note", value)
    return value


NUMBERS = ((0,), (1,), (2,), (3,), (5,), (8,), (-4,))
LISTS = (([],), ([1],), ([3, -1, 4, 1, -5, 9, 2, 6],), ([0, 0, 7],), (list(range(12)),))
