"""Scope: where variables keep their values between runs, by name."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator
from typing import Any

from paddle.core.errors import InvalidArgumentError, NotFoundError
from paddle.core.lod import LoDTensor, LoDTensorArray
from paddle.core.row_table import SelectedRows
from paddle.core.setting import Setting
from paddle.core.tensor import Tensor


class ScopeVariable:
    """A named place for a value in a Scope.

    Attributes:
        name (str): the name.
        value (LoDTensor): a dense value; a list for a tensor array.
    """

    __slots__ = ("_value", "held", "name")

    def __init__(self, name: str) -> None:
        self.name = name
        self.held = LoDTensor()
        self._value: Any = None  # anything but a dense tensor

    def hold(self, tensor: Tensor) -> None:
        """Takes the very Tensor: what is written to it later shows here."""
        self.held = LoDTensor(tensor)
        if self.rows is not None:
            self._value = None
        Scope.changed()

    def get_tensor(self) -> LoDTensor:
        """Returns what holds the tensor, to read or to ``set``."""
        return self.held

    def get_lod_tensor_array(self) -> list:
        """Returns the tensors of an array."""
        if not isinstance(self._value, list):
            self._value = LoDTensorArray()
        return self._value

    @property
    def rows(self) -> SelectedRows | None:
        """Some rows of a table; None where something else is held."""
        return self._value if isinstance(self._value, SelectedRows) else None

    def get_selected_rows(self) -> SelectedRows:
        """Returns what holds some rows of a table, to read or to set.

        Their values are the tensor of the variable.
        """
        if self.rows is None:
            self._value = SelectedRows(tensor=self.held)
        return self._value

    def set_value(self, value: Any) -> None:
        """Puts in a value of another kind than a dense tensor."""
        self._value = value

    def is_initialized(self) -> bool:
        """Says whether it holds anything."""
        return self.held.tensor is not None or self._value is not None


class Scope:
    """Names and their values; a scope inside another one sees the outer one's names too.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle
            scope = paddle.static.Scope()
            scope.var("w").get_tensor().set(np.zeros([2], "float32"), paddle.CPUPlace())
            print(scope.find_var("w").get_tensor().shape())  # [2]
            print(scope.find_var("v"))  # None
    """

    # Of any scope: as long as this stays, what was found in a scope is still there.
    changes = 0
    _numbers = itertools.count(1)

    @classmethod
    def changed(cls) -> None:
        """Notes that a scope got, lost or exchanged a variable; threads never share a number."""
        cls.changes = next(cls._numbers)

    def __init__(self, parent: Scope | None = None) -> None:
        self._vars: dict[str, ScopeVariable] = {}
        self._parent = parent
        self._kids: list[Scope] = []

    def var(self, name: str) -> ScopeVariable:
        """Returns the variable of a name, made in this scope if none is there.

        Args:
            name (str): the name.
        """
        found = self._vars.get(name) if isinstance(name, str) else None
        if found is None:
            if not isinstance(name, str):
                raise TypeError(f"Scope.var(name): expected a str, got {type(name).__name__}.")
            found = self._vars.setdefault(name, ScopeVariable(name))  # threads get the same one
            Scope.changed()
        return found

    def find_var(self, name: str) -> ScopeVariable | None:
        """Returns the variable of a name from this scope or those around it, or None.

        Args:
            name (str): the name.
        """
        scope: Scope | None = self
        try:
            while scope is not None:
                found = scope._vars.get(name)
                if found is not None:
                    return found
                scope = scope._parent
        except TypeError:  # a list has no hash
            came = type(name).__name__
            raise TypeError(f"Scope.find_var(name): expected a str, got {came}.") from None
        return None

    def erase(self, names: list[str]) -> None:
        """Forgets variables of this scope."""
        for name in names:
            self._vars.pop(name, None)
        Scope.changed()

    def local_var_names(self) -> list[str]:
        """Returns the names of this scope."""
        return list(self._vars)

    def parent(self) -> Scope | None:
        """Returns the scope around this one."""
        return self._parent

    def new_scope(self) -> Scope:
        """Returns a new scope inside this one."""
        kid = Scope(self)
        self._kids.append(kid)
        return kid

    def drop_kids(self) -> None:
        """Frees all scopes inside this one."""
        self._kids.clear()


_global = Setting("global scope", Scope())


def global_scope() -> Scope:
    """Returns the scope that is used where none is given.

    Examples:
        .. code-block:: python

            import paddle
            print(paddle.static.global_scope().find_var("not there"))  # None
    """
    return _global.get()


def switch_scope(scope: Scope) -> Scope:
    """Makes a scope the global one and returns the one before."""
    return _global.switch(scope)


@contextlib.contextmanager
def scope_guard(scope: Scope) -> Iterator[None]:
    """Makes a scope the global one inside a ``with`` block, for this thread.

    Args:
        scope (Scope): the scope.

    Examples:
        .. code-block:: python

            import paddle
            mine = paddle.static.Scope()
            with paddle.static.scope_guard(mine):
                print(paddle.static.global_scope() is mine)  # True
    """
    if not isinstance(scope, Scope):
        raise TypeError(f"scope_guard(scope): expected a Scope, got {type(scope).__name__}.")
    with _global.guard(scope):
        yield


def holder(var: Any, scope: Scope | None = None) -> Any:
    """Returns the Tensor that a scope holds for a Variable."""
    found = (scope or global_scope()).find_var(var.name)
    if found is None or found.held.tensor is None:
        raise NotFoundError(
            f"the scope holds no value for variable {var.name!r}.",
            hint="run the startup program, or set the value, first",
        )
    return found.held.tensor


def put(var: Any, value: Any, scope: Scope | None = None) -> None:
    """Puts a value for a Variable into a scope; the shape has to fit."""
    target = (scope or global_scope()).var(var.name)
    got = list(getattr(value, "shape", ()))
    wanted = list(var.shape)
    if len(got) != len(wanted) or any(w not in (-1, g) for w, g in zip(wanted, got, strict=True)):
        raise InvalidArgumentError(
            f"variable {var.name!r}: expected a value of shape {wanted}, but received {got}."
        )
    target.held.set(value)
