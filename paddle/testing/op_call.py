"""The call that a test of an operator describes, run in each mode, with its gradients."""

from __future__ import annotations

import functools
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from paddle import static as public_static
from paddle import tensor
from paddle.autograd import grad
from paddle.core.errors import FrameworkError, InvalidArgumentError
from paddle.core.infer import infer
from paddle.core.levels import levels_on, put_levels
from paddle.core.mode import no_grad
from paddle.core.op import C, OpDef, py
from paddle.core.random import seed
from paddle.core.tensor import wrap
from paddle.framework.by_name import ENGINE
from paddle.ir.attribute_kinds import declared
from paddle.ir.recording.record import plain_attr
from paddle.ir.recording.shapes import input_specs
from paddle.testing.cases import Case, by_slot, call, converted, fed_variable, tensors
from paddle.testing.comparing import array_of
from paddle.testing.gradients import by_element
from paddle.testing.programs import dynamic, run, static

DYNAMIC, PROGRAM, STATIC = "dynamic mode", "a Program", "a function of to_static"

Expected = tuple[str, np.ndarray, list | None]  # name, array, lengths of sequences


@dataclass
class Result:
    """What a run gave.

    Attributes:
        slots (dict): output slot -> Tensors or LoDTensors; no entry where nothing was computed.
        shapes (dict): variable -> the shape that the Program says.
        inputs (list): name, array before and array behind the call.
    """

    slots: dict[str, list[Any]]
    shapes: dict[str, tuple] = field(default_factory=dict)
    inputs: list[tuple[str, np.ndarray, np.ndarray]] = field(default_factory=list)

    def missing(self, slot: str) -> bool:
        """Whether nothing was computed for a slot."""
        return slot not in self.slots

    def values(self, slot: str) -> list[Any]:
        """The tensors of a slot."""
        return self.slots.get(slot, [])

    def levels(self, slot: str) -> list[list]:
        """The lengths of sequences of each tensor of a slot."""
        return [_lengths(value) for value in self.values(slot)]


def _lengths(value: Any) -> list:
    if hasattr(value, "recursive_sequence_lengths"):
        return value.recursive_sequence_lengths()
    levels = levels_on(getattr(value, "_buf", None)) or []
    return [list(map(int, np.diff(level))) for level in levels]


def _parts(slot: str, value: Any) -> list[Expected]:
    """The name, array and lengths of each part of what a slot is given."""
    named = isinstance(value, list) and value and isinstance(value[0], (tuple, list))
    if named and len(value[0]) == 2 and isinstance(value[0][0], str):
        return [(name, *_array(part)) for name, part in value]
    return [(slot, *_array(value))]


def _array(value: Any) -> tuple[np.ndarray, list | None]:
    if isinstance(value, tuple):
        if len(value) != 2:
            raise InvalidArgumentError(
                f"expected an array with its LoD as a pair, but received {len(value)} values."
            )
        return np.asarray(value[0]), [list(map(int, level)) for level in value[1]]
    return np.asarray(value), None


def _offsets(lengths: list) -> list[list[int]]:
    return [[0, *map(int, np.cumsum(level))] for level in lengths]


class Call:
    """One call of an operator, as a test writes it.

    Args:
        op (OpDef): the operator.
        inputs (dict): slot -> array, (array, lengths) or [(name, array), ...].
        attrs (dict): attributes.
        outputs (dict): what the test expects, in the same forms.
    """

    def __init__(
        self, op: OpDef, inputs: dict[str, Any], attrs: dict[str, Any], outputs: dict[str, Any]
    ) -> None:
        self.definition = op
        self.given = outputs
        self.computed = op.has_kernel
        self.attrs = {k: v for k, v in attrs.items() if v is not None}
        self.parts: dict[str, list[Expected]] = {}
        given: dict[str, Any] = {}
        levels: dict[str, Any] = {}
        slots = {s.name: s for s in op.inputs}
        for slot, value in inputs.items():
            if slot not in slots:
                raise InvalidArgumentError(
                    f"{op.name}: there is no input slot {slot!r}; the operator is {op!r}."
                )
            if value is None:
                continue
            parts = _parts(slot, value)
            self.parts[slot] = parts
            if len(parts) > 1 and not slots[slot].many:
                raise InvalidArgumentError(
                    f"{op.name}: expected one tensor as input {slot!r}, but received {len(parts)}."
                )
            arrays = [array for _, array, _ in parts]
            given[slot] = arrays if slots[slot].many else arrays[0]
            lods = [_offsets(lengths or []) for _, _, lengths in parts]
            if any(lods):
                levels[slot] = lods if slots[slot].many else lods[0]
        self.case = Case(op.name, given, self._own_attrs(), levels)

    def _own_attrs(self) -> dict[str, Any]:
        """The attributes that are the kernel's; PaddlePaddle has more for its engines."""
        op, own = self.definition, {}
        for name, value in self.attrs.items():
            if name in op.attrs:
                own[name] = plain_attr(value)
            elif declared(op.name, name) is None and not name.startswith(ENGINE):
                raise InvalidArgumentError(
                    f"{op.name}: there is no attribute {name!r}; it has {list(op.attrs)}."
                )
        return own

    # -- names ------------------------------------------------------------------------------------

    def input_names(self, asked: list[str], strict: bool = True) -> list[str]:
        """The names of inputs that are asked for by slot or by name.

        Args:
            asked (list[str]): slots, or names of members of lists.
            strict (bool): others are refused. Default: True.
        """
        names = {slot: [name for name, _, _ in parts] for slot, parts in self.parts.items()}
        return _found(asked, names, f"inputs of {self.definition.name}", strict)

    def output_names(self) -> dict[str, list[str]]:
        """The names of the results: slot -> names; those of a test, and what else must be there."""
        taken = {name for parts in self.parts.values() for name, _, _ in parts}
        names = {}
        for slot in self.definition.outputs:
            if slot.writes:
                if slot.writes in self.parts:
                    names[slot.name] = [name for name, _, _ in self.parts[slot.writes]]
            elif slot.name in self.given:
                parts = _parts(slot.name, self.given[slot.name])
                names[slot.name] = [name for name, _, _ in parts]
            elif not slot.optional and not slot.many:
                names[slot.name] = [slot.name]
        return {
            slot: [n if n not in taken or slot in self._written() else f"{n}_out" for n in listed]
            for slot, listed in names.items()
        }

    def _written(self) -> set[str]:
        return {s.name for s in self.definition.outputs if s.writes}

    def named_outputs(self, asked: list[str]) -> list[tuple[str, int]]:
        """The results that are asked for by slot or by name: pairs of slot and position."""
        names = {
            slot.name: [n for n, _, _ in _parts(slot.name, self.given[slot.name])]
            if slot.name in self.given
            else [slot.name]
            for slot in self.definition.outputs
        }
        found = _found(asked, names, f"outputs of {self.definition.name}", True)
        return [
            (slot, i) for slot, listed in names.items() for i, n in enumerate(listed) if n in found
        ]

    def expected(self, unchecked: set[str]) -> list[tuple[str, list[Expected]]]:
        """What a test expects of each output slot that is compared."""
        known = {s.name for s in self.definition.outputs}
        wrong = sorted(set(self.given) - known - unchecked)
        if wrong:
            raise InvalidArgumentError(
                f"{self.definition.name}: there are no output slots {wrong}; the operator is "
                f"{self.definition!r}.",
                hint="name them in no_check_set if they serve PaddlePaddle's own kernels",
            )
        return [
            (slot, _parts(slot, value))
            for slot, value in self.given.items()
            if slot not in unchecked and value is not None
        ]

    # -- results ----------------------------------------------------------------------------------

    def ways(self, all_modes: bool) -> tuple[str, ...]:
        """In which ways it is run; ``to_static`` hands back no arguments that are written into."""
        if not all_modes or not self.computed:
            return (PROGRAM,)
        return (DYNAMIC, PROGRAM) if self._written() else (DYNAMIC, PROGRAM, STATIC)

    def outputs(self, way: str, place: Any, unchecked: set[str]) -> Result:
        """Runs the call.

        Args:
            way (str): DYNAMIC, PROGRAM or STATIC.
            place (Place): where.
            unchecked (set[str]): output slots that nobody wants.
        """
        if way == PROGRAM:
            return self._in_program(place, unchecked)
        with dynamic(place):
            seed(7)
            args = tensors(self.case)
            before = [_arrays(arg) for arg in args]
            outs = self._function(way, args)(args)
            slots = by_slot(self.case, args, outs)
            after = [_arrays(arg) for arg in args]
        found = {k: v if isinstance(v, list) else [v] for k, v in slots.items() if v is not None}
        return Result(found, inputs=self._unwritten(before, after))

    def _function(self, way: str, args: list[Any]) -> Any:
        """What runs the call in a way that is no Program."""
        if way == DYNAMIC:
            return functools.partial(call, self.case)
        with no_grad():
            made = call(self.case, args)
        return converted(self.case, [i for i, out in enumerate(made) if out is not None])

    def _unwritten(self, before: list, after: list) -> list[tuple[str, np.ndarray, np.ndarray]]:
        written = {s.writes for s in self.definition.outputs}
        found = []
        for slot, old, new in zip(self.definition.inputs, before, after, strict=True):
            if slot.name in self.parts and slot.name not in written:
                names = [name for name, _, _ in self.parts[slot.name]]
                found += list(zip(names, old, new, strict=True))
        return found

    def overwriting(self, place: Any, unchecked: set[str]) -> Result | None:
        """Runs a Program that may overwrite operands; None: the operator never does that."""
        first = self.parts.get(self.definition.inputs[0].name) if self.definition.inputs else None
        if self.definition.inplace is None or not first or first[0][1].dtype.kind == "b":
            return None
        return self._in_program(place, unchecked, copied=True)

    def _in_program(self, place: Any, unchecked: set[str], copied: bool = False) -> Result:
        with static() as (main, startup):
            op, names, feed = self.record(copied=copied)
            absent = self._not_computed(op)
            wanted = [
                (slot, name)
                for slot, listed in names.items()
                if slot not in unchecked and slot not in absent
                for name in listed
            ]
            block = main.global_block()
            shapes = {n: tuple(block.var(n).shape) for _, n in wanted if n not in feed}
        values = run(main, startup, feed, [n for _, n in wanted], place, return_numpy=False)
        found: dict[str, list[Any]] = {}
        for (slot, _), value in zip(wanted, values, strict=True):
            found.setdefault(slot, []).append(value)
        return Result(found, shapes)

    def record(
        self, trained: Collection[str] = (), copied: bool = False
    ) -> tuple[Any, dict[str, list[str]], dict[str, Any]]:
        """Appends the operator: it, the names of its results by slot, and what is fed."""
        block = public_static.default_main_program().global_block()
        feed, inputs = {}, {}
        for slot, parts in self.parts.items():
            inputs[slot] = [name for name, _, _ in parts]
            for name, array, lengths in parts:
                array = array.reshape(1) if array.ndim == 0 else array
                batch = lengths is not None
                var = fed_variable(name, array, batch, stop_gradient=name not in trained)
                if lengths:
                    var.lod_level = len(lengths)
                feed[name] = _fed(array, lengths)
            if copied and slot == self.definition.inputs[0].name:
                inputs[slot] = [self._copy(block, name) for name in inputs[slot]]
        names = self.output_names()
        for listed in names.values():
            for name in listed:
                if not block.has_var(name):
                    block.create_var(name=name)
        op = block.append_op(
            type=self.definition.name, inputs=inputs, outputs=names, attrs=self.attrs
        )
        return op, names, feed

    @staticmethod
    def _copy(block: Any, name: str) -> str:
        """A variable with the same values that nothing else needs."""
        other = f"{name}@copy"
        block.append_op(type="scale", inputs={"X": name}, outputs={"Out": other},
                        attrs={"scale": 1.0})  # fmt: skip
        return other

    def _not_computed(self, op: Any) -> set[str]:
        """Output slots that nothing computes here, as the shape rule says."""
        if not self.computed:
            return set()
        try:
            specs = infer(self.definition, input_specs(op), self.case.attrs)
        except Exception:  # of any kind: then the results themselves will say
            return set()
        pairs = zip(self.definition.outputs, specs, strict=True)
        return {slot.name for slot, spec in pairs if spec is None and not slot.writes}

    # -- gradients --------------------------------------------------------------------------------

    def gradients(
        self, way: str, place: Any, wanted: list[str], targets: list[tuple[str, int]],
        blocked: set[str], weights: Any,
    ) -> list[Any]:  # fmt: skip
        """The gradients of the mean of the targets' means, or of their weighted sum.

        Args:
            way (str): DYNAMIC, PROGRAM or STATIC.
            place (Place): where.
            wanted (list[str]): names of inputs.
            targets (list): slot and position of each result.
            blocked (set[str]): names of inputs without gradient.
            weights (list[array], optional): the gradient of each target.
        """
        if way == PROGRAM:
            return self._program_gradients(place, wanted, targets, blocked, weights)
        with dynamic(place):
            seed(7)
            args = tensors(self.case)
            named = self._by_name(args)
            for name, value in named.items():
                value.stop_gradient = name in blocked or not _floats(value)
            function = self._function(way, args)
            outs = self._targets(by_slot(self.case, args, function(args)), targets)
            leaves = [named[name] for name in wanted]
            if weights is None:
                return grad([_loss(outs)], leaves, allow_unused=True)
            given_grads = [
                tensor.to_tensor(np.asarray(w)).astype(o.dtype)
                for w, o in zip(weights, outs, strict=True)
            ]
            return grad(outs, leaves, given_grads, allow_unused=True)

    def _by_name(self, args: list[Any]) -> dict[str, Any]:
        named: dict[str, Any] = {}
        for slot, arg in zip(self.definition.inputs, args, strict=True):
            if slot.name in self.parts:
                names = [name for name, _, _ in self.parts[slot.name]]
                named |= zip(names, arg if slot.many else [arg], strict=True)
        return named

    def _targets(self, slots: dict[str, Any], targets: list[tuple[str, int]]) -> list[Any]:
        found = []
        for slot, i in targets:
            value = slots[slot]
            found.append(value[i] if isinstance(value, list) else value)
        return found

    def _program_gradients(
        self, place: Any, wanted: list[str], targets: list[tuple[str, int]], blocked: set[str],
        weights: Any,
    ) -> list[Any]:  # fmt: skip
        with static() as (main, startup):
            floats = {
                name
                for parts in self.parts.values()
                for name, array, _ in parts
                if array.dtype.kind in "fc" or array.dtype == np.uint16
            }
            _, names, feed = self.record(floats - blocked)
            block = main.global_block()
            outs = [block.var(names[slot][i]) for slot, i in targets]
            leaves = [block.var(name) for name in wanted]
            if weights is None:
                outs, seeds = [_loss(outs)], None
            else:
                seeds = []
                for i, weight in enumerate(weights):
                    array = np.asarray(weight)
                    seeds.append(fed_variable(f"weight_{i}", array))
                    feed[f"weight_{i}"] = _fed(array, None)
            found = public_static.gradients(outs, leaves, seeds, blocked or None)
        fetched = [v for v in found if v is not None]
        values = iter(run(main, startup, feed, fetched, place, return_numpy=False))
        return [None if v is None else next(values) for v in found]

    def differences(
        self, place: Any, wanted: list[str], targets: list[tuple[str, int]], delta: float,
        in_place: bool, weights: Any,
    ) -> list[np.ndarray]:  # fmt: skip
        """The same gradients by differences, in 64 bits where the operator takes them.

        Args:
            place (Place): where.
            wanted, targets, weights: as for :meth:`gradients`.
            delta (float): how far an element is moved to either side.
            in_place (bool): the operator gets copies of its inputs.
        """
        if not self.computed:
            raise InvalidArgumentError(
                f"check_grad: {self.definition.name} has no kernel to compute differences with; "
                "give user_defined_grads."
            )
        copied = in_place or any(s.writes for s in self.definition.outputs)
        with dynamic(place), no_grad():
            args = tensors(self.case)
            args = self._wider(args, targets)
            value = self._number(args, targets, weights, copied)
            named = self._by_name(args)
            return [by_element(value, named[name], delta) for name in wanted]

    def _wider(self, args: list[Any], targets: list[tuple[str, int]]) -> list[Any]:
        """The arguments in 64 bits, if the operator takes them so."""
        wide = [_each(arg, _widened) for arg in args]
        if all(a is b for a, b in zip(args, wide, strict=True)):
            return args
        try:
            self._number(wide, targets, None, True)()
        except (FrameworkError, TypeError, RuntimeError, ValueError):
            return args
        return wide

    def _number(
        self, args: list[Any], targets: list[tuple[str, int]], weights: Any, copied: bool
    ) -> Any:
        """A function without arguments: the number that is differentiated."""
        function = getattr(C, self.definition.name)
        attrs = {py(k): v for k, v in self.case.attrs.items()}
        op, several = self.definition, len(targets)
        scales = None
        if weights is not None:
            scales = [tensor.to_tensor(np.asarray(w))._buf for w in weights]

        def value() -> float:
            if op.random:
                seed(7)
            taken = [_each(a, _copied) for a in args] if copied else args
            out = function(*taken, **attrs)
            if len(targets) == 1 and len(op.outputs) == 1 and not op.outputs[0].many:
                outs = [taken[0] if op.outputs[0].writes else out]
            else:
                returned = [s for s in op.outputs if not s.writes]
                listed = [] if not returned else [out] if len(returned) == 1 else list(out)
                outs = self._targets(by_slot(self.case, taken, listed), targets)
            total = 0.0
            for i, one in enumerate(outs):
                buf = one._buf
                if scales is not None:
                    product = buf * scales[i].conj() if scales[i].is_complex() else buf * scales[i]
                    total += (product.real if product.is_complex() else product).double().sum()
                else:
                    total += (buf.real if buf.is_complex() else buf).double().mean() / several
            return float(total)

        return value


def _found(asked: list[str], names: dict[str, list[str]], what: str, strict: bool) -> list[str]:
    found = []
    for one in asked:
        members = [n for listed in names.values() for n in listed if n == one]
        if not members:
            members = names.get(one, [])
        if not members and strict:
            raise InvalidArgumentError(f"{one!r} is none of the {what}, which are {names}.")
        found += [n for n in members if n not in found]
    return found


def _floats(value: Any) -> bool:
    return value._buf.is_floating_point() or value._buf.is_complex()


def _each(value: Any, function: Any) -> Any:
    if value is None:
        return None
    return [function(v) for v in value] if isinstance(value, list) else function(value)


def _widened(value: Any) -> Any:
    buf = value._buf
    if not buf.is_floating_point() or buf.element_size() == 8:
        return value
    return _like(value, buf.double())


def _copied(value: Any) -> Any:
    return _like(value, value._buf.clone())


def _like(value: Any, buf: Any) -> Any:
    levels = levels_on(value._buf)
    if levels:
        put_levels(buf, levels)
    return wrap(buf)


def _arrays(arg: Any) -> list[np.ndarray]:
    listed = arg if isinstance(arg, list) else [arg]
    return [np.array(array_of(one)) for one in listed if one is not None]


def _loss(outs: list[Any]) -> Any:
    """The mean of the means."""
    total = tensor.mean(outs[0])
    for out in outs[1:]:
        total = total + tensor.mean(out)
    return total / float(len(outs)) if len(outs) > 1 else total


def _fed(array: np.ndarray, lengths: list | None) -> Any:
    """What is fed: an array, or a Tensor where there are levels or bits of bfloat16."""
    if array.dtype != np.uint16 and not lengths:
        return array
    with dynamic():
        from paddle.testing.cases import of_bits

        made = of_bits(array) if array.dtype == np.uint16 else tensor.to_tensor(array)
    if lengths:
        put_levels(made._buf, _offsets(lengths))
    return made
