"""Operators of 1.x by name, without a Program: their descriptions, and single calls in a scope."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from paddle.core.errors import NotFoundError, PreconditionNotMetError
from paddle.core.lod import LoDTensor
from paddle.core.op import REGISTRY, computed
from paddle.core.selected_rows import Rows
from paddle.core.tensor import wrap
from paddle.executor.executor import Executor
from paddle.executor.row_calls import call_on_rows
from paddle.ir.attribute_kinds import AttrType, declared
from paddle.ir.program import Program

__all__ = [
    "CondOp", "DynamicRecurrentOp", "OpDescCreationMethod", "OpInfo", "Operator", "OperatorFactory",
    "RecurrentOp", "create_op_creation_method", "get_all_op_protos", "is_str",
]  # fmt: skip


_ROWS, _VALUES = "@ROWS", "@VALUES"  # of a gradient by rows


@dataclass
class _Slot:
    """A slot of an operator."""

    name: str
    duplicable: bool = False
    dispensable: bool = False
    intermediate: bool = False
    comment: str = ""


@dataclass
class _Attr:
    """An attribute of an operator; its kind is None where PaddlePaddle declares none."""

    name: str
    type: AttrType | None = None
    comment: str = ""
    generated: bool = False


@dataclass
class OpProto:
    """What an operator takes and gives."""

    type: str
    inputs: list[_Slot] = field(default_factory=list)
    outputs: list[_Slot] = field(default_factory=list)
    attrs: list[_Attr] = field(default_factory=list)
    comment: str = ""


@functools.lru_cache(maxsize=1)
def _intermediate() -> dict[str, list[str]]:
    return json.loads((Path(__file__).parent / "_intermediate_slots.json").read_text("utf8"))


def _proto(name: str) -> OpProto:
    known = computed(name)
    if known is None:
        raise ValueError(f"Operator: there is no operator {name!r}.")
    hidden = _intermediate().get(name, ())
    absent = {s.name for s in known.inputs if s.optional}  # and then not written either
    return OpProto(
        name,
        [_Slot(s.name, s.many, s.optional) for s in known.inputs],
        [
            _Slot(s.name, s.many, s.optional or s.writes in absent, s.name in hidden)
            for s in known.outputs
        ],
        [_Attr(a, declared(name, a)) for a in known.attrs],
    )


def get_all_op_protos() -> list[OpProto]:
    """Returns what each operator takes and gives.

    Examples:
        .. code-block:: python

            import paddle.fluid.op as op
            found = [one for one in op.get_all_op_protos() if one.type == "scale"][0]
            print([slot.name for slot in found.inputs][0])  # X
    """
    return [_proto(name) for name in sorted(REGISTRY) if computed(name) is not None]


def is_str(s: Any) -> bool:
    """Says whether something is a text.

    Args:
        s (object): the value.
    """
    return isinstance(s, str)


class _OperatorCall:
    """An operator with the names of its variables, to be run in a scope."""

    def __init__(self, proto: OpProto, inputs: dict, outputs: dict, attrs: dict) -> None:
        self._proto, self.inputs, self.outputs, self.attrs = proto, inputs, outputs, attrs
        self._programs: dict[tuple, Program] = {}  # by what is known of the inputs

    def type(self) -> str:
        """The operator's name."""
        return self._proto.type

    def run(self, scope: Any, place: Any) -> None:
        """Runs it on the variables of a scope.

        Args:
            scope (Scope): has the inputs, and gets the outputs.
            place (Place): where it runs.
        """
        found = {name: scope.find_var(name) for name in self._names()}
        rows = {name: v.rows for name, v in found.items() if v is not None and v.rows is not None}
        if rows:
            call_on_rows(self, scope, place, rows)
        else:
            self.compute(scope, place)

    def compute(
        self, scope: Any, place: Any, given: dict[str, LoDTensor] | None = None,
        gradients: dict[str, Rows] | None = None,
    ) -> None:  # fmt: skip
        """Runs it.

        Args:
            scope (Scope): has the inputs, and gets the outputs.
            place (Place): where it runs.
            given (dict, optional): stand for variables of the scope.
            gradients (dict, optional): do so as well, as gradients by rows.
        """
        given, gradients = given or {}, gradients or {}
        held = {name: self._held(scope, name) for name in self._names() if name not in gradients}
        held.update(given)
        fed = {n for n, t in held.items() if n in given or (t.lod() and n not in self._results())}
        known = (
            frozenset(fed),
            *((n, str(t.tensor.dtype), *t.shape(), len(t.lod())) for n, t in held.items()),
            *((n, r.shape, r.values.shape, str(r.dtype)) for n, r in gradients.items()),
        )
        if known not in self._programs:
            self._programs[known] = self._program(held, fed, gradients)
        for name in self._results():
            if scope.find_var(name) is None:
                scope.var(name)
        feed: dict[str, Any] = {name: held[name] for name in fed}
        for name, rows in gradients.items():
            feed[name + _ROWS], feed[name + _VALUES] = wrap(rows.index), wrap(rows.values)
        # What a Program finds in its scope comes without levels, and goes there without them.
        fetch = self._with_levels() if any(held[name].lod() for name in fed) else []
        found = Executor(place).run(
            self._programs[known], feed=feed, scope=scope, fetch_list=fetch, return_numpy=False
        )
        for name, value in zip(fetch, found, strict=True):
            scope.find_var(name).get_tensor().set_lod(value.lod())

    def _names(self) -> list[str]:
        return sorted({n for names in self.inputs.values() for n in names})

    def _results(self) -> set[str]:
        return {name for names in self.outputs.values() for name in names}

    def _with_levels(self) -> list[str]:
        """The results that may have levels: those that are always there."""
        sure = [slot.name for slot in self._proto.outputs if not slot.dispensable]
        return [name for slot in sure for name in self.outputs.get(slot, [])]

    def _held(self, scope: Any, name: str) -> LoDTensor:
        """The tensor of an input variable."""
        var = scope.find_var(name)
        if var is None:
            raise NotFoundError(f"{self.type()}: the scope has no variable {name!r}.")
        if var.get_tensor().tensor is None:
            raise PreconditionNotMetError(
                f"{self.type()}: the variable {name!r} holds nothing; set it first."
            )
        return var.get_tensor()

    def _program(
        self, held: dict[str, LoDTensor], fed: set[str], gradients: dict[str, Rows]
    ) -> Program:
        program = Program()
        block = program.global_block()
        for name, tensor in held.items():
            block.create_var(
                name=name, shape=tensor.shape(), dtype=tensor.tensor.dtype,
                persistable=name not in fed, lod_level=len(tensor.lod()),
            )  # fmt: skip
        for name, rows in gradients.items():
            self._look_up(block, name, rows)
        for name in self._results():
            if not block.has_var(name):
                block.create_var(name=name, persistable=True)
        block.append_op(self._proto.type, self.inputs, self.outputs, self.attrs)
        return program

    def _look_up(self, block: Any, name: str, rows: Rows) -> None:
        """Lets a gradient be that of a look-up: then plans compute with rows, where that pays."""
        ids, values, dtype = name + _ROWS, name + _VALUES, wrap(rows.values).dtype
        block.create_var(name=ids, shape=rows.index.shape, dtype="int64")
        block.create_var(name=values, shape=rows.values.shape, dtype=dtype)
        block.create_var(name=name, shape=rows.shape, dtype=dtype)
        table = self.inputs.get("Param") or [name + "@TABLE"]
        if not block.has_var(table[0]):
            block.create_var(name=table[0], shape=rows.shape, dtype=dtype)
            settings = {"shape": list(rows.shape), "dtype": dtype, "value": 0.0}
            block.append_op("fill_constant", {}, {"Out": table}, settings)
        block.append_op(
            "lookup_table_v2_grad", {"W": table, "Ids": [ids], "Out@GRAD": [values]},
            {"W@GRAD": [name]}, {"is_sparse": True},
        )  # fmt: skip

    def __str__(self) -> str:
        ins = ", ".join(f"{k}[{', '.join(v)}]" for k, v in self.inputs.items())
        outs = ", ".join(f"{k}[{', '.join(v)}]" for k, v in self.outputs.items())
        return f"Op({self._proto.type}), inputs:{{{ins}}}, outputs:{{{outs}}}."


class OpDescCreationMethod:
    """Makes calls of one operator from names of variables and values of attributes.

    Args:
        op_proto (OpProto): one of :func:`get_all_op_protos`.
    """

    def __init__(self, op_proto: Any) -> None:
        if not isinstance(op_proto, OpProto):
            raise TypeError(
                f"OpDescCreationMethod: expected an OpProto, got {type(op_proto).__name__}."
            )
        self.__op_proto__ = op_proto

    def __call__(self, *args: Any, **kwargs: Any) -> _OperatorCall:
        """Makes a call.

        Args:
            *args: none.
            **kwargs: a name or a list of names for each slot, a value for each attribute.
        """
        if args:
            raise ValueError("Only keyword arguments are supported.")
        proto = self.__op_proto__
        return _OperatorCall(
            proto,
            self._slots(proto.inputs, kwargs),
            self._slots(proto.outputs, kwargs),
            {a.name: kwargs[a.name] for a in proto.attrs if a.name in kwargs},
        )

    def _slots(self, slots: list[_Slot], given: dict[str, Any]) -> dict[str, list[str]]:
        found = {}
        for slot in slots:
            names = given.get(slot.name, [])
            names = [names] if isinstance(names, str) else list(names)
            if len(names) > 1 and not slot.duplicable:
                raise ValueError(
                    f"{self.__op_proto__.type}({slot.name}): expected one variable, "
                    f"but received {len(names)}."
                )
            found[slot.name] = names
        return found

    @staticmethod
    def any_is_true(generator: Any) -> bool:
        """Says whether anything in a row of values is true.

        Args:
            generator (iterable): the values.
        """
        return any(generator)


class OpInfo:
    """What is known of an operator.

    Args:
        name (str): its name.
        method (callable): makes calls of it.
        inputs (list[tuple]): slots, and whether each takes a list.
        outputs (list[tuple]): slots, and whether each gives a list.
        attrs (list[str]): its attributes.
    """

    def __init__(
        self, name: str, method: Callable, inputs: list, outputs: list, attrs: list[str]
    ) -> None:
        self.name = name
        self.method = method
        self.inputs = inputs
        self.outputs = outputs
        self.attrs = attrs


def create_op_creation_method(op_proto: Any) -> OpInfo:
    """Returns what is known of an operator.

    Args:
        op_proto (OpProto): one of :func:`get_all_op_protos`.
    """
    return OpInfo(
        method=OpDescCreationMethod(op_proto),
        name=op_proto.type,
        inputs=[(slot.name, slot.duplicable) for slot in op_proto.inputs],
        outputs=[(slot.name, slot.duplicable) for slot in op_proto.outputs],
        attrs=[attr.name for attr in op_proto.attrs],
    )


class OperatorFactory:
    """Makes calls of operators by name.

    Examples:
        .. code-block:: python

            import paddle.fluid.op as op
            print(op.Operator("scale", X="a", Out="b", scale=2.0).type())  # scale
    """

    def __call__(self, *args: Any, **kwargs: Any) -> _OperatorCall:
        """Makes a call.

        Args:
            *args: the operator's name.
            **kwargs: ``type`` in place of it; names for the slots, values for the attributes.
        """
        if "type" in kwargs:
            if args:
                raise ValueError(
                    'Except the argument "type", all of the other arguments should be keyword '
                    "arguments."
                )
            name = kwargs.pop("type")
        elif len(args) != 1:
            raise ValueError(
                'Except the argument "type", all of the other arguments should be keyword '
                "arguments."
            )
        else:
            name = args[0]
        return self.get_op_info(name).method(**kwargs)

    def types(self) -> list[str]:
        """Returns the names of all operators."""
        return [proto.type for proto in get_all_op_protos()]

    def get_op_info(self, t: str) -> OpInfo:
        """Returns what is known of an operator.

        Args:
            t (str): its name.
        """
        return create_op_creation_method(_proto(t))

    def get_op_input_names(self, type: str) -> list[str]:
        """Returns the names of an operator's inputs.

        Args:
            type (str): its name.
        """
        return [name for name, _ in self.get_op_info(type).inputs]

    def get_op_inputs(self, type: str) -> list[tuple[str, bool]]:
        """Returns the inputs of an operator, and whether each takes a list.

        Args:
            type (str): its name.
        """
        return self.get_op_info(type).inputs

    def get_op_output_names(self, type: str) -> list[str]:
        """Returns the names of an operator's outputs.

        Args:
            type (str): its name.
        """
        return [name for name, _ in self.get_op_info(type).outputs]

    def get_op_outputs(self, type: str) -> list[tuple[str, bool]]:
        """Returns the outputs of an operator, and whether each gives a list.

        Args:
            type (str): its name.
        """
        return self.get_op_info(type).outputs

    def get_op_attr_names(self, type: str) -> list[str]:
        """Returns the names of an operator's attributes.

        Args:
            type (str): its name.
        """
        return self.get_op_info(type).attrs


Operator = OperatorFactory()


def _gone(name: str) -> Callable:
    def refuse(*args: Any, **kwargs: Any) -> Any:
        """Not there: 1.8.5 itself cannot make such an operator any more."""
        raise TypeError(f"{name}: there is no such operator; use fluid.layers.")

    refuse.__name__ = refuse.__qualname__ = name
    return refuse


RecurrentOp = _gone("RecurrentOp")
DynamicRecurrentOp = _gone("DynamicRecurrentOp")
CondOp = _gone("CondOp")
