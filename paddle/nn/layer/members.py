"""How a layer holds its parameters, sublayers and buffers as attributes.

They live in three dictionaries (``_parameters``, ``_sub_layers``, ``_buffers``), which client code
reads and writes too. Looking an attribute up there through ``__getattr__`` costs half a
microsecond, several times per layer and call. So each dictionary keeps a copy of its entries in
the instance's ``__dict__``, where Python looks first; ``__getattr__`` is only the fallback.
"""

from __future__ import annotations

import weakref
from collections import OrderedDict
from collections.abc import MutableMapping
from contextvars import ContextVar
from typing import Any

from paddle.core.guards import Guarded
from paddle.core.tensor import Parameter, Tensor
from paddle.ir import variable as static
from paddle.ir.variable import Variable

REGISTRIES = ("_parameters", "_sub_layers", "_buffers")
PARAMETERS = (Parameter, static.Parameter)  # of eager mode, of a static Program

_nothing: Any = object()


class Changes:
    """Counts replaced members and switched modes of all layers: what was recorded may be old."""

    count = 0


changes = Changes()

# The ids of the layers whose attributes a recording watches: what their buffers become is set when
# a recorded Program has run.
watched: ContextVar[frozenset[int]] = ContextVar("watched layers", default=frozenset())


class MemberDict(OrderedDict):
    """A dictionary of a layer's members that shows them as the layer's attributes."""

    def __init__(self, owner: Any, entries: Any = ()) -> None:
        super().__init__()
        self._owner = weakref.ref(owner)  # weak: layers shall go when the last reference does
        self.update(entries)

    def __setitem__(self, name: str, value: Any) -> None:
        before = self.get(name, _nothing)
        if before is not value:
            changes.count += 1
        super().__setitem__(name, value)
        owner = self._owner()
        if owner is None:
            return
        # What the owner has for itself keeps its meaning, as it would with __getattr__ alone.
        known = getattr(type(owner), name, None)
        if not callable(known) and not isinstance(known, property):
            own = owner.__dict__
            if own.get(name, before) is before:
                own[name] = value

    def __delitem__(self, name: str) -> None:
        before = self.get(name, _nothing)
        changes.count += 1
        super().__delitem__(name)
        owner = self._owner()
        if owner is not None and owner.__dict__.get(name, _nothing) is before:
            del owner.__dict__[name]

    # OrderedDict has these written in C, going past the two methods above.
    update = MutableMapping.update  # type: ignore[assignment]
    pop = MutableMapping.pop  # type: ignore[assignment]
    popitem = MutableMapping.popitem  # type: ignore[assignment]
    clear = MutableMapping.clear
    setdefault = MutableMapping.setdefault  # type: ignore[assignment]

    def __reduce__(self) -> Any:
        return OrderedDict, (list(self.items()),)

    def __copy__(self) -> OrderedDict:
        return OrderedDict(self)

    copy = __copy__  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(OrderedDict(self))


def _nobody() -> None:
    """The owner of a dictionary that is no layer's any more."""


class Members(Guarded):
    """The part of Layer that says what ``layer.name`` is, may become, and how it goes away."""

    _parameters: Any
    _sub_layers: Any
    _buffers: Any
    _non_persistable_buffer_names_set: set[str]

    def _start_members(self) -> None:
        own = self.__dict__
        for registry in REGISTRIES:
            own[registry] = MemberDict(self)
        own["_non_persistable_buffer_names_set"] = set()

    def __getattr__(self, name: str) -> Any:
        own = self.__dict__
        for registry in REGISTRIES:
            held = own.get(registry)
            if held is not None and name in held:
                return held[name]
        hint = "" if "_sub_layers" in own else "; super().__init__() should be called first"
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'{hint}")

    def __setattr__(self, name: str, value: Any) -> None:
        own = self.__dict__
        parameters = own.get("_parameters")
        if isinstance(getattr(type(self), name, None), property):
            object.__setattr__(self, name, value)
        elif parameters is None:
            if isinstance(value, (*PARAMETERS, Members)):
                raise ValueError(
                    f"super().__init__() should be called first: {type(self).__name__}.{name} "
                    "cannot be registered before."
                )
            object.__setattr__(self, name, value)
        elif isinstance(value, PARAMETERS):
            self._take(name, parameters)
            parameters[name] = value
        elif isinstance(value, Members):
            self._take(name, own["_sub_layers"])
            own["_sub_layers"][name] = value
        elif name in parameters:
            self._assign(parameters, name, value, "parameter", "Parameter")
        elif name in own["_sub_layers"]:
            self._assign(own["_sub_layers"], name, value, "sublayer", "Layer")
        elif type(value) is Tensor:
            self._set_buffer(name, value)
        elif name in own["_buffers"] and isinstance(value, Variable):
            self._write_buffer(name, value)
        elif name in own["_buffers"]:
            self._assign(own["_buffers"], name, value, "buffer", "Tensor")
        elif name in REGISTRIES:
            self._exchange(name, value)
        else:
            if name == "training":
                changes.count += 1
            object.__setattr__(self, name, value)

    def _exchange(self, registry: str, entries: Any) -> None:
        """Puts another dictionary of members in the place of one.

        The old one keeps its entries: after ``clone.__dict__ = layer.__dict__.copy()`` it is that
        of the other layer.
        """
        own = self.__dict__
        before, entries = own[registry], list(dict(entries).items())
        if before._owner() is self:
            before._owner = _nobody
        for name, value in before.items():
            if own.get(name, _nothing) is value:
                del own[name]
        changes.count += 1
        own[registry] = MemberDict(self, entries)

    def _set_buffer(self, name: str, value: Tensor) -> None:
        """Replaces a buffer, or makes one that is not saved: that takes register_buffer."""
        buffers = self._buffers
        if name not in buffers:
            self.__dict__.pop(name, None)
            self._non_persistable_buffer_names_set.add(name)
        buffers[name] = value

    def _write_buffer(self, name: str, value: Variable) -> None:
        """Records that a buffer gets a new value, so that it lasts beyond this run."""
        from paddle.tensor.creation import assign

        top = value.block.program.current_block().idx == 0
        if self._buffers[name] is None or (top and id(self) in watched.get()):
            self._buffers[name] = value
        else:
            assign(value, self._buffers[name])

    @staticmethod
    def _assign(held: Any, name: str, value: Any, kind: str, expected: str) -> None:
        """Puts None in the place of a member; all else has the wrong type."""
        if value is not None:
            raise TypeError(
                f"assignment to {kind} '{name}': expected a {expected} or None, "
                f"but received {type(value).__name__}."
            )
        held[name] = None

    def _take(self, name: str, into: Any) -> None:
        """Makes a name free for a member of another kind."""
        for registry in REGISTRIES:
            held = self.__dict__[registry]
            if held is not into and name in held:
                del held[name]
                self._non_persistable_buffer_names_set.discard(name)
        if name not in into:
            self.__dict__.pop(name, None)

    def __delattr__(self, name: str) -> None:
        for registry in REGISTRIES:
            held = self.__dict__.get(registry)
            if held is not None and name in held:
                del held[name]
                self._non_persistable_buffer_names_set.discard(name)
                return
        object.__delattr__(self, name)

    def __dir__(self) -> list[str]:
        names = set(object.__dir__(self))
        for registry in REGISTRIES:
            names.update(self.__dict__.get(registry, ()))
        return sorted(names)

    def __getstate__(self) -> dict[str, Any]:
        state = dict(self.__dict__)
        for registry in REGISTRIES:
            held = state.get(registry)
            if held is not None:
                for name, value in held.items():
                    if state.get(name, _nothing) is value:
                        del state[name]
                state[registry] = OrderedDict(held)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        for registry in REGISTRIES:
            if registry in state:
                self.__dict__[registry] = MemberDict(self, state[registry])

    # -- registering by name ------------------------------------------------------------------

    def add_parameter(self, name: str, parameter: Parameter | None) -> Parameter | None:
        """Registers a parameter; it can then be reached as ``self.name``.

        Args:
            name (str): its name within the layer, without a dot.
            parameter (Parameter|None): the parameter; None keeps the name.

        Returns:
            the parameter.

        Raises:
            KeyError: the name is empty, has a dot or is taken.
            TypeError: ``parameter`` is no Parameter.

        Examples:
            .. code-block:: python

                import paddle

                class Scale(paddle.nn.Layer):
                    def __init__(self):
                        super().__init__()
                        self.add_parameter("factor", self.create_parameter([1]))

                print([name for name, _ in Scale().named_parameters()])  # ['factor']
        """
        self._check_name("add_parameter", "parameter", name, self._registry("_parameters"))
        if parameter is not None and not isinstance(parameter, PARAMETERS):
            raise TypeError(
                f"add_parameter({name!r}, parameter): expected a Parameter or None, "
                f"but received {type(parameter).__name__}."
            )
        self._take(name, self._parameters)
        self._parameters[name] = parameter
        return parameter

    def add_sublayer(self, name: str, sublayer: Any) -> Any:
        """Registers a layer; it can then be reached as ``self.name``.

        Args:
            name (str): its name within this layer.
            sublayer (Layer|None): the layer; None keeps the name.

        Returns:
            the sublayer.

        Raises:
            KeyError: the name is empty, or taken by something that is no sublayer.
            TypeError: ``sublayer`` is no Layer.

        Examples:
            .. code-block:: python

                import paddle

                class Net(paddle.nn.Layer):
                    def __init__(self):
                        super().__init__()
                        for i in range(2):
                            self.add_sublayer(f"fc{i}", paddle.nn.Linear(2, 2))

                print([name for name, _ in Net().named_children()])  # ['fc0', 'fc1']
        """
        held = self._registry("_sub_layers")
        # A dot is allowed here: models in use name their blocks "block.0".
        self._check_name("add_sublayer", "sublayer", name, held, dots=True)
        return self._put_sublayer(f"add_sublayer({name!r}, sublayer)", name, sublayer)

    def _put_sublayer(self, where: str, name: str, sublayer: Any) -> Any:
        """Registers under a name that was checked, or that only containers use."""
        if sublayer is not None and not isinstance(sublayer, Members):
            raise TypeError(
                f"{where}: expected a Layer or None, but received {type(sublayer).__name__}."
            )
        self._take(name, self._sub_layers)
        self._sub_layers[name] = sublayer
        return sublayer

    def register_buffer(self, name: str, tensor: Tensor | None, persistable: bool = True) -> None:
        """Registers a Tensor that is state of the layer but not trained.

        Args:
            name (str): its name within the layer, without a dot.
            tensor (Tensor|None): the value; None keeps the name.
            persistable (bool): whether ``state_dict`` has it.

        Raises:
            KeyError: the name is empty, has a dot or is taken.
            TypeError: ``tensor`` is no Tensor.

        Examples:
            .. code-block:: python

                import paddle
                layer = paddle.nn.Linear(2, 2)
                layer.register_buffer("count", paddle.zeros([1]))
                print(list(layer.state_dict()))  # ['weight', 'bias', 'count']
        """
        self._check_name("register_buffer", "buffer", name, self._registry("_buffers"))
        wrong = not isinstance(tensor, (Tensor, Variable)) or isinstance(tensor, PARAMETERS)
        if tensor is not None and wrong:
            raise TypeError(
                f"register_buffer({name!r}, tensor): expected a Tensor that is no Parameter, "
                f"or None, but received {type(tensor).__name__}."
            )
        self._take(name, self._buffers)
        self._buffers[name] = tensor
        if persistable:
            self._non_persistable_buffer_names_set.discard(name)
        else:
            self._non_persistable_buffer_names_set.add(name)

    def _registry(self, which: str) -> Any:
        held = self.__dict__.get(which)
        if held is None:
            raise ValueError("super().__init__() should be called first")
        return held

    def _check_name(self, where: str, kind: str, name: Any, held: Any, dots: bool = False) -> None:
        if not isinstance(name, str):
            raise TypeError(f"{where}(name): expected a str, but received {type(name).__name__}.")
        if name == "":
            raise KeyError(f"{where}(name): the name of a {kind} cannot be empty.")
        if "." in name and not dots:
            raise KeyError(
                f"{where}(name): the name of a {kind} cannot contain a dot, because self.{name} "
                "would mean something else."
            )
        if name not in held and getattr(self, name, None) is not None:
            raise KeyError(
                f"{where}(name): expected a new name, but {type(self).__name__} has an attribute "
                f"{name!r} already, of type {type(getattr(self, name)).__name__}."
            )
