"""DistributedStrategy: how a job trains, as switches and dictionaries over a protobuf message."""

from __future__ import annotations

import os
import warnings
from typing import TYPE_CHECKING, Any

from paddle.core.errors import ArgumentTypeError, InvalidArgumentError, MissingFileError
from paddle.core.user_frame import outside
from paddle.distributed.fleet.base import strategy_fields
from paddle.distributed.fleet.base.strategy_fields import OBJECTS, Field, fields, near
from paddle.serialization.descriptors import read_text
from paddle.static.strategy import BuildStrategy, ExecutionStrategy

__all__ = ["DistributedStrategy"]

_CLASSES = {"build_strategy": BuildStrategy, "execution_strategy": ExecutionStrategy}
# Fields of the message that are no properties in 2.0: one is read by the underscored name only.
_WITHOUT_PROPERTY = {"mode": None, "fuse_grad_size_in_TFLOPS": "_fuse_grad_size_in_TFLOPS"}
_ABOVE_ZERO = frozenset(["last_comm_group_size_MB"])
# Of these 2.0 refuses a value of another type; others it leaves as they are, and says so.
_STRICT = frozenset(["a_sync", "fuse_grad_size_in_MB"])


class DistributedStrategy:
    """What ``fleet`` is to do with a model: a switch for each way of training, and its settings.

    The switches are bools such as ``amp``, ``recompute``, ``localsgd``, ``sharding``, ``a_sync``;
    ``amp_configs`` and the like take and give dictionaries. A dictionary that is assigned changes
    the keys it has and leaves the others; a list in it replaces the former one. `docs/static.md`
    says what each does, and which have no meaning on this engine.

    A switch or a whole number that is given a value of another type stays as it is, with a warning,
    as in 2.0; ``a_sync`` and floats refuse it.

    Raises:
        TypeError: a name that is no switch was set, or a value of another type.
        ValueError: a dictionary has an unknown key.

    Examples:
        .. code-block:: python

            import paddle.distributed.fleet as fleet
            strategy = fleet.DistributedStrategy()
            strategy.localsgd = True
            strategy.localsgd_configs = {"k_steps": 4}
            print(strategy.localsgd_configs)  # {'k_steps': 4, 'begin_step': 1}
    """

    _message: Any
    _objects: dict[str, Any]

    if TYPE_CHECKING:  # the switches are made of the schema, below

        def __getattr__(self, name: str) -> Any: ...

    def __init__(self) -> None:
        self.__dict__["_message"] = strategy_fields.new_message()
        self.__dict__["_objects"] = {}

    def __setattr__(self, name: str, value: Any) -> None:
        kind = getattr(type(self), name, None)
        if not isinstance(kind, property) or kind.fset is None:
            public = [n for n in dir(type(self)) if not n.startswith("_")]
            raise TypeError(f"DistributedStrategy has no switch {name!r}: {near(name, public)}.")
        kind.fset(self, value)

    @property
    def strategy(self) -> Any:
        """The protobuf message that holds the values; assign to the switches, not to it."""
        for name, held in self._objects.items():
            part = getattr(self._message, name)
            part.Clear()
            part.SetInParent()
            explicit = held.explicit()
            for key in fields(_message_name(name)):
                if key in explicit:
                    setattr(part, key, explicit[key])
        return self._message

    def _object(self, name: str) -> Any:
        """The BuildStrategy or ExecutionStrategy: made when first asked for."""
        if name not in self._objects:
            held = _CLASSES[name]()
            part = getattr(self._message, name)
            for field, value in part.ListFields():
                setattr(held, field.name, value)
            self._objects[name] = held
        return self._objects[name]

    def save_to_prototxt(self, output: str) -> None:
        """Writes what was set to a file, in the text form that PaddlePaddle reads and writes.

        Args:
            output (str): the file.

        Examples:
            .. code-block:: python

                import os, tempfile
                import paddle.distributed.fleet as fleet
                strategy = fleet.DistributedStrategy()
                strategy.recompute = True
                strategy.recompute_configs = {"checkpoints": ["x"]}
                path = os.path.join(tempfile.mkdtemp(), "strategy.prototxt")
                strategy.save_to_prototxt(path)
        """
        with open(os.fspath(output), "w", encoding="utf8") as file:
            file.write(
                str(self.strategy)
            )  # as PaddlePaddle writes numbers, not as text_format does

    def load_from_prototxt(self, pb_file: str) -> None:
        """Sets what a file says, and leaves what it does not mention.

        Args:
            pb_file (str): a file that ``save_to_prototxt`` wrote, here or in PaddlePaddle.

        Raises:
            FileNotFoundError: there is no such file.
            ValueError: it is no text of a strategy, or has fields that 2.0's has not; the line is
                named, and nothing is changed.

        Examples:
            .. code-block:: python

                import os, tempfile
                import paddle.distributed.fleet as fleet
                path = os.path.join(tempfile.mkdtemp(), "strategy.prototxt")
                with open(path, "w") as file:
                    file.write("amp: true amp_configs { incr_ratio: 4 }")
                strategy = fleet.DistributedStrategy()
                strategy.load_from_prototxt(path)
                print(strategy.amp_configs["incr_ratio"])  # 4.0
        """
        path = os.fspath(pb_file)
        if not os.path.isfile(path):
            raise MissingFileError(f"load_from_prototxt: there is no file {path!r}.")
        with open(path, encoding="utf8", errors="replace") as file:
            text = file.read()
        read = strategy_fields.new_message()
        read_text(
            text, read,
            f"load_from_prototxt: {path} is not the text of a DistributedStrategy of 2.0",
        )  # fmt: skip
        message = self.strategy
        for field, value in read.ListFields():
            if field.name in _CLASSES or field.name.endswith("_configs"):
                held = getattr(message, field.name)
                for inner, _ in value.ListFields():
                    held.ClearField(inner.name)  # a list is replaced, not added to
        message.MergeFrom(read)
        self._objects.clear()

    def __deepcopy__(self, memo: dict) -> DistributedStrategy:
        made = type(self)()
        made.strategy.CopyFrom(self.strategy)
        for name, held in self._objects.items():  # with what the message has no field for
            getattr(made, name).adopt(held.explicit())
        return made

    __copy__ = lambda self: self.__deepcopy__({})

    def _is_strict_auto(self) -> bool:
        """Whether ``auto`` is all that was asked for."""
        return self.auto and [f.name for f, _ in self.strategy.ListFields()] == ["auto"]

    def __repr__(self) -> str:
        return _drawn(self.strategy)


def _message_name(name: str) -> str:
    """The message of a field."""
    return fields()[name].kind


def _property(name: str, field: Field) -> property:
    """A switch, a dictionary or an object of the strategy."""
    where = f"DistributedStrategy.{name}"
    if name in OBJECTS:
        return _object_property(name, where)
    if name.endswith("_configs"):

        def get(self: Any) -> Any:
            return strategy_fields.as_dict(getattr(self._message, name), field.kind)

        def put(self: Any, value: Any) -> None:
            strategy_fields.assign(getattr(self._message, name), field.kind, where, value)

        return property(get, put, doc=f"dict: {', '.join(_described(field.kind))}.")

    def get_plain(self: Any) -> Any:
        return strategy_fields.plain(getattr(self._message, name), field)

    def put_plain(self: Any, value: Any) -> None:
        try:
            value = strategy_fields.checked(where, field, value)
        except ArgumentTypeError as error:
            if field.kind not in ("bool", "int32") or name in _STRICT:
                raise
            warnings.warn(
                f"{error} It stays {getattr(self._message, name)}, as in 2.0.",
                stacklevel=outside(),
            )
            return
        if name in _ABOVE_ZERO and not value > 0:
            raise InvalidArgumentError(f"{where}: expected more than 0, but received {value}.")
        setattr(self._message, name, value)
        if name == "a_sync":  # from here on it is decided: not by k_steps = -1
            self.a_sync_configs = {"k_steps": 0}

    return property(get_plain, put_plain, doc=f"{field.words}; {field.default} at first.")


def _object_property(name: str, where: str) -> property:
    kind = _CLASSES[name]

    def get(self: Any) -> Any:
        return self._object(name)

    def put(self: Any, value: Any) -> None:
        if not isinstance(value, kind):
            raise ArgumentTypeError(
                f"{where}: expected a paddle.static.{kind.__name__}, but received "
                f"{type(value).__name__}."
            )
        made = kind()
        made.adopt(value.explicit())
        self._objects[name] = made

    return property(get, put, doc=f"paddle.static.{kind.__name__}: read and changed in place.")


def _described(kind: str) -> list[str]:
    """The keys of a dictionary with their defaults."""
    known = fields(kind).items()
    return [f"{name} ([])" if f.repeated else f"{name} ({f.default})" for name, f in known]


for _name, _field in fields().items():
    _shown = _WITHOUT_PROPERTY.get(_name, _name)
    if _shown:
        setattr(DistributedStrategy, _shown, _property(_name, _field))


_KEY, _GAP, _VALUE = 38, 2, 38
_WIDTH = _KEY + _GAP + _VALUE
_BORDER, _LINE = f"    +{'=' * _WIDTH}+\n", f"    +{'-' * _WIDTH}+\n"


def _title(text: str) -> str:
    return f"    |{text:^{_WIDTH}s}|\n"


def _rows(name: str, value: Any) -> str:
    """The row of a value; a list has a row for each part."""
    parts = value if isinstance(value, list) else [value]
    keys = [name] + [""] * len(parts)
    return "".join(f"    |{k:>{_KEY}s}{'':{_GAP}s}{v!s:^{_VALUE}s}|\n" for k, v in zip(keys, parts))


def _table(message: Any, kind: str) -> str:
    return "".join(_rows(*pair) for pair in strategy_fields.as_dict(message, kind).items())


def _drawn(message: Any) -> str:
    """The frame that 2.0 prints: what is on with its settings, then the other switches."""
    known = fields()
    text = _BORDER + _title("") + _title("DistributedStrategy Overview") + _title("")
    others = ""
    for name, field in known.items():
        if name.endswith("_configs") or name in OBJECTS:
            continue
        value = strategy_fields.plain(getattr(message, name), field)
        configs = f"{name}_configs"
        if configs not in known:
            others += _rows(name, value)
        elif value:
            text += _BORDER + _title(f"{name}=True <-> {configs}") + _LINE
            text += _table(getattr(message, configs), known[configs].kind)
    text += _BORDER + _title("Environment Flags, Communication Flags") + _LINE + others
    for name, title in (("build_strategy", "Build"), ("execution_strategy", "Execution")):
        text += _BORDER + _title(f"{title} Strategy") + _LINE
        text += _table(getattr(message, name), known[name].kind)
    return text + _BORDER
