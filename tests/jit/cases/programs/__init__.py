"""Functions of many shapes, each with arguments: conversion must not change what they do.

``PROGRAMS`` lists ``(function, [arguments, ...])``. What a function returns, prints, raises, and
does to its arguments is compared with what its conversion does.
"""

from __future__ import annotations

from tests.jit.cases.programs import conditions, expressions, loops, returns, scopes, targets
from tests.jit.cases.programs.listing import LOG, PROGRAMS
