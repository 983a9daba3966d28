"""Side effects on layers: attributes that a recorded function sets, which every call sets again."""

from __future__ import annotations

import contextlib
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from paddle.core.pytree import leaves, paths, rebuilt
from paddle.core.tensor import Tensor
from paddle.ir.variable import Variable
from paddle.nn.layer.members import REGISTRIES, MemberDict, watched

_OWN = frozenset([*REGISTRIES, "_forward_pre_hooks", "_forward_post_hooks"])


class SideEffect:
    """An attribute of a layer that the function sets: it is set after each call.

    Args:
        owner (Layer): whose attribute it is.
        name (str): the attribute.
        value: what the function sets it to, with Variables in the place of Tensors.
        before: what it was before.
        form (tuple): :func:`form_of` what it was before.
    """

    def __init__(self, owner: Any, name: str, value: Any, before: Any, form: tuple) -> None:
        self.owner = weakref.ref(owner)  # the Layer holds its Programs, not also the other way
        self.name = name
        self.value = rebuilt(value, leaves(value))  # of its own: the owner's is put back
        self.before = before if isinstance(before, Tensor) else None
        self.form = form
        self.in_place = value is before  # a list or dict that the function wrote into
        # The hooks of weight_norm set a plain attribute: it must not become a buffer.
        self._plain = self.before is not None and name not in owner._buffers

    def is_buffer(self) -> bool:
        """Whether it was a buffer with a value before."""
        return self.before is not None and not self._plain

    def set(self, value: Any) -> None:
        """Sets the attribute."""
        owner = self.owner()
        if owner is None:
            return
        if self.in_place and type(owner.__dict__.get(self.name)) is type(value):
            _refill(owner.__dict__[self.name], value)
        elif self._plain:
            owner.__dict__[self.name] = value
        else:
            setattr(owner, self.name, value)

    def same_form(self) -> bool:
        """Whether the attribute is a container as it was when the function was recorded.

        What a Program does with a list depends on how many items it has.
        """
        owner = self.owner()
        if owner is None or not (_is_container(self.value) or self.form != ("",)):
            return True
        return form_of(owner.__dict__.get(self.name)) == self.form


def form_of(value: Any) -> tuple[str, ...]:
    """The places of the values of a pytree; of a single value one place without a name."""
    return tuple([path for path, _ in paths(value)]) if _is_container(value) else ("",)


@contextlib.contextmanager
def side_effects_on(layers: Sequence[Any]) -> Iterator[Callable[[], list[SideEffect]]]:
    """Watches attributes of layers that are set to Variables; afterwards they are as before.

    Args:
        layers (Sequence[Layer]): the outermost layers.

    Yields:
        callable: gives what has been set until now.
    """
    before = [_Before(m) for m in dict.fromkeys(m for each in layers for m in _all(each))]
    token = watched.set(watched.get() | {id(b.layer) for b in before})
    try:
        yield lambda: [effect for b in before for effect in b.changed()]
    finally:
        watched.reset(token)
        for b in before:
            b.restore()


def _all(layer: Any) -> list[Any]:
    return [layer, *layer.sublayers()]


class _Before:
    """The attributes of a layer before the function ran."""

    def __init__(self, layer: Any) -> None:
        self.layer = layer
        self.own = dict(layer.__dict__)
        self.buffers = dict(layer._buffers)
        containers = {n: v for n, v in self.own.items() if n not in _OWN and _is_container(v)}
        self.contents = {n: rebuilt(v, leaves(v)) for n, v in containers.items()}

    def changed(self) -> list[SideEffect]:
        found = []
        for name, value in list(self.layer.__dict__.items()):
            old = self.own.get(name)
            if name in _OWN or not self._is_new(name, value, old):
                continue
            form = form_of(self.contents.get(name, old))
            found.append(SideEffect(self.layer, name, value, old, form))
        return found

    def _is_new(self, name: str, value: Any, old: Any) -> bool:
        if value is old:
            return name in self.contents and self._refilled(name, value)
        return _holds(value, (Variable, Tensor)) and _movable(value)

    def _refilled(self, name: str, value: Any) -> bool:
        """Whether a container holds Variables now that it did not hold before."""
        known = {id(leaf) for leaf in leaves(self.contents[name])}
        return any(isinstance(v, Variable) and id(v) not in known for v in leaves(value))

    def restore(self) -> None:
        layer, own = self.layer, self.own
        for name, value in list(layer._buffers.items()):
            old = self.buffers.get(name)
            if value is not old and (isinstance(value, Variable) or type(value) is Tensor):
                if name in self.buffers:
                    layer._buffers[name] = old
                else:
                    del layer._buffers[name]
                    layer._non_persistable_buffer_names_set.discard(name)
        for name, value in list(layer.__dict__.items()):
            if name in _OWN:
                continue
            if value is own.get(name):
                if name in self.contents and _holds(value, Variable):
                    _refill(value, self.contents[name])
            elif _holds(value, (Variable, Tensor)) and _movable(value):
                if name in own:
                    layer.__dict__[name] = own[name]
                else:
                    del layer.__dict__[name]
        for name, value in own.items():  # gone when another took its place as a buffer
            layer.__dict__.setdefault(name, value) if name not in _OWN else None


def _movable(value: Any) -> bool:
    """Whether an attribute is a plain value: no parameter, which is part of the structure."""
    return not isinstance(value, Tensor) or type(value) is Tensor


def _is_container(value: Any) -> bool:
    return isinstance(value, (list, tuple, dict)) and not isinstance(value, MemberDict)


def _holds(value: Any, kinds: Any) -> bool:
    if not _is_container(value):
        return isinstance(value, kinds)
    return any(isinstance(leaf, kinds) for leaf in leaves(value))


def _refill(held: Any, value: Any) -> None:
    """Gives a list or dict other contents; it stays the same object."""
    if isinstance(held, list):
        held[:] = value
    elif isinstance(held, dict):
        held.clear()
        held.update(value)
