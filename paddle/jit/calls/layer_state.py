"""What a Program depends on besides its arguments: the state of layers, Tensors in variables.

A Program holds the parameters it was recorded with, and what ``training`` decided. Walking over
all layers at each call would cost more than the call; so it is done only after some layer
anywhere has changed, which :data:`paddle.nn.layer.members.changes` counts.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Iterator
from types import CodeType
from typing import Any

from paddle.core.tensor import Tensor
from paddle.nn.layer.layers import Layer
from paddle.nn.layer.members import REGISTRIES, changes


def fingerprint(layer: Layer, buffers: bool = True) -> tuple:
    """What a Program depends on: the layers, their modes, the identities of their members.

    Args:
        layer (Layer): the outermost layer.
        buffers (bool): whether it matters which Tensors the buffers are, or only which there are.
    """
    found: list[Any] = []
    for _, each in layer.named_sublayers(include_self=True):
        # A dead reference equals nothing else, so a layer at a freed address is another one.
        found.append(weakref.ref(each))
        found.append(each.training)
        found.append(tuple(map(id, each._parameters.values())))
        if buffers:
            found.append(tuple(map(id, each._buffers.values())))
        else:
            found.append(tuple([(n, b is None) for n, b in each._buffers.items()]))
    return tuple(found)


class LayerState:
    """Numbers the states of the layers that a function can reach.

    These are its instance (or the layers that its instance holds), and those that it names: as
    globals or as variables of functions around it.

    Args:
        function (callable): the function as written.
        instance (weakref|None): what it is a method of.
    """

    def __init__(self, function: Any, instance: Any) -> None:
        self._instance = instance
        self.places = list(_places(function))
        self._seen = -1
        self._held: list[Any] = []  # what the places held
        self._numbers: dict[tuple, int] = {}
        self._number = 0

    def number(self) -> int:
        """The number of the present state; equal states have equal numbers."""
        seen = changes.count
        if seen == self._seen:
            for place, held in self._held:
                if place.get() is not held():
                    break
            else:
                return self._number
        state = tuple([fingerprint(layer, buffers=False) for layer in self.layers()])
        self._held = [
            (place, weakref.ref(held))
            for place in self.places
            if isinstance(held := place.get(), Layer)
        ]
        self._number = self._numbers.setdefault(state, len(self._numbers))
        self._seen = seen
        return self._number

    def layers(self) -> list[Layer]:
        """The outermost layers that the function can reach, each once."""
        owner = None if self._instance is None else self._instance()
        found = [place.get() for place in self.places]
        if isinstance(owner, Layer):
            found.insert(0, owner)
        elif owner is not None:
            found += list(getattr(owner, "__dict__", {}).values())
        return list({id(f): f for f in found if isinstance(f, Layer)}.values())


class Guards:
    """Tells whether Tensors that a Program uses are still those in their variables.

    Parameters belong to the state of layers. Any other Tensor was a buffer or the value of some
    global or attribute when the Program was recorded, and another may be there since, as hooks put
    it there before each call. If it is of the same kind the Program goes on with that one.

    Args:
        program (ConcreteProgram): what uses Tensors.
        state (LayerState): of the function.
    """

    def __init__(self, program: Any, state: LayerState) -> None:
        self._program = program
        wanted = {id(t): t for t in program.tensors.values()}
        self._seen = changes.count
        self._held = _found([*state.places, *_attributes(state.layers())], wanted)
        self._buffers = _found(_buffers(state.layers()), wanted)

    def hold(self) -> bool:
        """Whether the Program is valid: all are where they were, or others can stand for them."""
        for effect in self._program.side_effects:
            if not effect.same_form():
                return False
        for place, tensor in self._held:
            if place.get() is not tensor:
                return self._followed()
        seen = changes.count
        if seen != self._seen:  # else no buffer anywhere is another one
            for place, tensor in self._buffers:
                if place.get() is not tensor:
                    return self._followed()
            self._seen = seen
        return True

    def _followed(self) -> bool:
        """Gives the Program the Tensors that are there now, if that is all that changed."""
        now: dict[int, tuple[Tensor, Any]] = {}
        for place, tensor in [*self._held, *self._buffers]:
            value = place.get()
            if now.setdefault(id(tensor), (tensor, value))[1] is not value:
                return False  # what was one Tensor is two now
        moved = {id(a): b for a, b in now.values() if a is not b}
        known = {id(t) for t in self._program.tensors.values()}
        if len({id(b) for b in moved.values()} - known) < len(moved):
            return False  # what were two Tensors is one now
        if not all(_alike(a, b) for a, b in now.values() if a is not b):
            return False
        self._program.rebind(moved)
        self._held = [(place, moved.get(id(t), t)) for place, t in self._held]
        self._buffers = [(place, moved.get(id(t), t)) for place, t in self._buffers]
        return True

    def __len__(self) -> int:
        return len(self._held) + len(self._buffers) + len(self._program.side_effects)


def _alike(one: Tensor, other: Any) -> bool:
    """Whether a Program that reads one Tensor can read the other one instead."""
    return (
        type(one) is Tensor is type(other)
        and one.dtype == other.dtype
        and one.shape == other.shape
        and one.place == other.place
    )


def _found(places: Iterable[Any], wanted: dict[int, Tensor]) -> list[tuple[Any, Tensor]]:
    """The places of Tensors that a Program uses, each with what it holds."""
    pairs = [(place, wanted.get(id(place.get()))) for place in places]
    return [(place, tensor) for place, tensor in pairs if tensor is not None]


def _buffers(layers: list[Layer]) -> Iterator[_Buffer]:
    for layer in layers:
        for _, each in layer.named_sublayers(include_self=True):
            for name in each._buffers:
                yield _Buffer(each, name)


class _Buffer:
    """A buffer of a layer."""

    def __init__(self, layer: Layer, name: str) -> None:
        self._layer, self._name = weakref.ref(layer), name

    def get(self) -> Any:
        layer = self._layer()
        return None if layer is None else layer._buffers.get(self._name)


def _attributes(layers: list[Layer]) -> Iterator[_Attribute]:
    for layer in layers:
        for _, each in layer.named_sublayers(include_self=True):
            for name, value in each.__dict__.items():
                if isinstance(value, (list, tuple, dict)) and name not in REGISTRIES:
                    for keys in _keys_of_tensors(value):
                        yield _Attribute(each, name, keys)
                elif isinstance(value, Tensor):
                    if name not in each._parameters and name not in each._buffers:
                        yield _Attribute(each, name)


def _keys_of_tensors(value: Any, before: tuple = ()) -> Iterator[tuple]:
    """How to get at each Tensor in a container: the keys, from the outermost one on."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in pairs:
        if isinstance(item, Tensor):
            yield (*before, key)
        elif isinstance(item, (list, tuple, dict)):
            yield from _keys_of_tensors(item, (*before, key))


class _Attribute:
    """An attribute of a layer that is no member, or a part of one."""

    def __init__(self, layer: Layer, name: str, keys: tuple = ()) -> None:
        self._layer, self._name, self._keys = weakref.ref(layer), name, keys

    def get(self) -> Any:
        layer = self._layer()
        value = None if layer is None else layer.__dict__.get(self._name)
        try:
            for key in self._keys:
                value = value[key]  # type: ignore[index]
        except (LookupError, TypeError):  # another container is there now
            return None
        return value


class _Global:
    """A global variable of a function."""

    def __init__(self, names: dict[str, Any], name: str) -> None:
        self._names, self._name = names, name

    def get(self) -> Any:
        return self._names.get(self._name)


class _Cell:
    """A variable of a function around."""

    def __init__(self, cell: Any) -> None:
        self._cell = cell

    def get(self) -> Any:
        try:
            return self._cell.cell_contents
        except ValueError:  # not assigned yet
            return None


def _places(function: Any) -> Iterator[_Global | _Cell]:
    code = getattr(function, "__code__", None)
    if code is None:
        return
    names = function.__globals__
    for name in sorted(set(_names(code))):
        if name in names:
            yield _Global(names, name)
    for cell in function.__closure__ or ():
        yield _Cell(cell)


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)
