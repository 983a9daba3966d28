"""From a Program to the source of one Python function: a line per kernel call.

The function takes the fed buffers and returns the fetched ones. Attributes are bound, values of a
scope are read at its start, each buffer is dropped after its last use. Control flow is Python's
own: the emitters of :mod:`paddle.executor.emitters.control_flow` write ``if`` and ``while``.
"""

from __future__ import annotations

import builtins
import copy
import keyword
import math
import re
from collections.abc import Callable, Collection, Iterable
from typing import Any

from paddle.analysis.aliasing import IN_PLACE, makes_memory
from paddle.analysis.marks import DROPS, HOISTED
from paddle.core import flags
from paddle.core.dispatch import has_dimensions
from paddle.core.dtype import VarType
from paddle.core.errors import NotFoundError
from paddle.core.op import REQUIRED, OpDef, py
from paddle.core.writes import writable
from paddle.executor.gradient_call import slot_named, write_gradient
from paddle.executor.held import buffer_or_none, detached, not_fed, without_dimensions
from paddle.executor.limits import limit_lines
from paddle.executor.lod_propagation import Sequences, lod_of, put_back
from paddle.executor.memo import Memo
from paddle.ir.block import SCOPE_ONLY, Block
from paddle.ir.needs import shape_needs
from paddle.ir.operator import EMPTY, Operator
from paddle.ir.program import Program
from paddle.ir.validation import not_registered, unregistered
from paddle.ir.variable import Variable

_CLEAN = re.compile(r"\W", re.ASCII)
_WIDEST = 160  # characters of an attribute that a plan's source shows
# Operators that are not a kernel: type -> function(emitter, op) that writes their lines.
EMITTERS: dict[str, Callable[[Emitter, Operator], None]] = {}


def emitter(name: str) -> Callable:
    """Decorator that says how an operator without a kernel is written."""

    def register(function: Callable[[Emitter, Operator], None]) -> Callable:
        EMITTERS[name] = function
        return function

    return register


class Emitter:
    """Writes the function of one Program.

    Attributes:
        lines (list[str]): the body so far.
        origin (list[Operator|None]): which operator each line is for.
        constants (dict): what the function refers to by name.
        scope_names (list[str]): variables that are read from or written to the scope.
        frozen (Collection[str]): variables of the scope that are read once, when the plan is bound.
    """

    def __init__(self, program: Program, feeds: Iterable[str], fetches: Iterable[str],
                 op_callback: Callable | None = None, keep_rank_0: bool = False,
                 frozen: Collection[str] = ()) -> None:  # fmt: skip
        self.program = program
        self.feeds = list(feeds)
        self.fetches = list(fetches)
        self.op_callback = op_callback
        self.keep_rank_0 = keep_rank_0
        self.frozen = frozen
        self.lines: list[str] = []
        self.origin: list[Operator | None] = []
        self._prologue: list[str] = []
        self._frozen_lines: list[str] = []
        self.constants: dict[str, Any] = {"writable": writable}
        self.scope_names: list[str] = []
        self.written: dict[str, str] = {}  # scope variables to hand back: name -> Python name
        self.needed: dict[str, None] = {}  # scope variables that must have a value
        self.may_alias_feed: set[str] = set()  # those of them whose memory may be that of a feed
        self.inplace_scope = self._written_inside()
        self.depth = 2
        self._names: dict[tuple[int, str], str] = {}
        self._taken = {*keyword.kwlist, *dir(builtins), "_", "writable", "step", "bind"}
        self.defined: set[tuple[int, str]] = set()
        self._callables: dict[int, str] = {}
        self.works: dict[str, str] = {}  # exchange that was begun -> what holds it
        self._lists: dict[tuple[str, str], str] = {}  # attributes that operators share
        self._slots: dict[str, str] = {}  # scope variable -> what the function calls its holder
        self._current: Operator | None = None
        self.shapes: dict[tuple[int, str], str] = {}
        self.saved: dict[tuple[int, str], Any] = {}  # what blocks keep for their gradients
        self.maybe: set[str] = set()  # persistable variables that may have no value
        self.functions: list[tuple[str, Operator | None]] = []  # blocks that are nested too deeply
        self.shared: set[str] = set()  # Python names that those assign
        self._bind_lines: list[tuple[str, Operator | None]] = []
        self._hoisted: set[str] = set()
        self.sequences = Sequences(program)
        self.run_limit = flags.run_limit
        self.limit = self._unique("limit") if self.run_limit else ""  # what counts time and steps

    # -- lines and names ----------------------------------------------------------------------

    def line(self, text: str) -> None:
        """Writes one line at the current depth; a hoisted constant goes before the function."""
        if self._current is not None and self._current.attrs.get(HOISTED):
            self._bind_lines.append((text, self._current))
            return
        self.lines.append("    " * self.depth + text)
        self.origin.append(self._current)

    def before(self, text: str) -> None:
        """Writes one line that runs once, when the plan meets a scope."""
        self._bind_lines.append((text, self._current))

    def _unique(self, text: str) -> str:
        name = _CLEAN.sub("_", text)
        if not name or name[0].isdigit():
            name = "v" + name
        base, n = name, 1
        while name in self._taken:
            n += 1
            name = f"{base}_{n}"
        self._taken.add(name)
        return name

    def temporary(self, text: str = "t") -> str:
        """Returns a Python name that nothing else has."""
        return self._unique(text)

    def constant(self, value: Any, name: str = "c") -> str:
        """Returns a name under which the function finds an object."""
        found = self._callables.get(id(value))
        if found is None:
            found = self._unique(name)
            self._callables[id(value)] = found
            self.constants[found] = value
        return found

    def literal(self, value: Any, name: str = "c") -> str:
        """Returns an expression for an attribute."""
        if value is None or isinstance(value, (bool, str)) or type(value) is int:
            return repr(value)
        if type(value) is float and math.isfinite(value):
            return repr(value)
        if not isinstance(value, (list, tuple)):
            return self.constant(value, name)
        key = name, repr(value)
        if key not in self._lists:
            self._lists[key] = self.constant(value, name)
        return self._lists[key]

    # -- variables ------------------------------------------------------------------------------

    def owner(self, name: str, block: Block | None = None) -> Block:
        """The block a name belongs to, as seen from the operator that is being written."""
        start = block or (self._current.block if self._current else self.program.global_block())
        seen: set[int] = set()
        queue = [start]
        while queue:
            here = queue.pop(0)
            if here.idx in seen:
                continue
            seen.add(here.idx)
            if name in here.vars:
                return here
            # A gradient block runs among the values of one run of its forward block.
            if here.forward_block_idx >= 0:
                queue.append(self.program.blocks[here.forward_block_idx])
            if here.parent_idx >= 0:
                queue.append(self.program.blocks[here.parent_idx])
        location = self._current.location if self._current else None
        raise NotFoundError(
            f"operator {self._current and self._current.type}: there is no variable {name!r}."
            + (f"\n  {location}" if location else "")
        )

    def python_name(self, name: str, block: Block | None = None) -> str:
        """The local variable that stands for a Variable, as seen from a block."""
        key = (self.owner(name, block).idx, name)
        found = self._names.get(key)
        if found is None:
            found = self._names[key] = self._unique(name)
        return found

    def variable(self, name: str) -> Variable:
        """The Variable of a name, as the current operator sees it."""
        return self.owner(name).vars[name]

    def read(self, name: str, block: Block | None = None) -> str:
        """The local variable that holds a value; loaded from the scope if nothing made it yet."""
        key = (self.owner(name, block).idx, name)
        if key not in self.defined:
            self._load(name, key)
        return self.python_name(name, self.program.blocks[key[0]])

    def _load(self, name: str, key: tuple[int, str]) -> None:
        var = self.program.blocks[key[0]].vars[name]
        if var.is_data and not var._persistable:
            error = not_fed(name, self._current, self.feeds)
            if self._current is None or not self._current.block.idx:
                raise error
            made = f"{self.constant(copy.copy, 'copied')}({self.constant(error, 'not_fed')})"
            self.line(f"raise {made}")  # where the block does not run, nothing is missing
            return
        self.defined.add(key)
        self.needed[name] = None
        local = self.python_name(name, self.program.blocks[key[0]])
        lines = self._frozen_lines if name in self.frozen else self._prologue
        lines.append(f"{local} = {self._held(name, self.scope_slot(name) + '.tensor._buf')}")

    def _held(self, name: str, value: str) -> str:
        """An expression for what a scope holds; its Tensors have at least one dimension."""
        if not self._is_0(name):
            return value
        return f"{self.constant(without_dimensions, 'without_dimensions')}({value}, {name!r})"

    def reload(self, name: str) -> None:
        """Reads a variable anew that something else wrote into the scope."""
        owner = self.owner(name)
        self.defined.add((owner.idx, name))
        value = self._held(name, self.scope_slot(name) + ".tensor._buf")
        self.line(f"{self.python_name(name, owner)} = {value}")

    def alias(self, name: str) -> str:
        """What another variable may be assigned: writing a stored one later does not show in it."""
        value = self.read(name)
        if not self.variable(name)._persistable:
            return value
        return f"{self.constant(detached, 'detached')}({value})"

    def load_if_there(self, name: str, block: Block) -> None:
        """Loads what a block may write anew; the scope need not hold a value yet."""
        owner = self.owner(name, block)
        self.defined.add((owner.idx, name))
        self.maybe.add(name)
        value = f"{self.constant(buffer_or_none, 'buffer_or_none')}({self.scope_slot(name)})"
        self._prologue.append(f"{self.python_name(name, owner)} = {value}")

    def scope_slot(self, name: str) -> str:
        """The name under which the function finds the scope's holder of a variable."""
        if name not in self._slots:
            self.scope_names.append(name)
            self._slots[name] = self._unique(f"s{len(self.scope_names) - 1}")
        return self._slots[name]

    def write(self, name: str) -> str:
        """The local variable to assign a value to."""
        local = self.python_name(name)
        self.define(name)
        return local

    def define(self, name: str) -> None:
        """Notes that a variable has a value from now on."""
        block = self.owner(name)
        self.defined.add((block.idx, name))
        if block.vars[name]._persistable and name not in self.inplace_scope:
            if block.idx and name not in self.written:  # its block may not run
                self.load_if_there(name, block)
            self.written[name] = self.python_name(name)
            if self._current is None or not makes_memory(self._current, name):
                self.may_alias_feed.add(name)

    def is_defined(self, name: str, block: Block | None = None) -> bool:
        """Says whether a variable has a value already."""
        return (self.owner(name, block).idx, name) in self.defined

    def _written_inside(self) -> set[str]:
        """Persistable variables that kernels only ever write in place."""
        inside: set[str] = set()
        outside: set[str] = set()
        for block in self.program.blocks:
            for op in block.ops:
                if op.type in ("merged_update", "rows_update"):  # take the scope's holders
                    continue
                known = op.definition
                for slot, names in op.outputs.items():
                    found = slot_named(known, slot)
                    source = op.inputs.get(found.writes, []) if found and found.writes else []
                    target = inside if found and found.writes and source == names else outside
                    target.update(names)
        stored = {n for b in self.program.blocks for n, v in b.vars.items() if v._persistable}
        passing = {n for b in self.program.blocks for n, v in b.vars.items() if not v._persistable}
        return (inside & stored) - outside - passing

    # -- blocks and operators -------------------------------------------------------------------

    def block(self, block: Block, kept: Iterable[str] = (), linked: Iterable[str] = ()) -> None:
        """Writes all operators of a block.

        Args:
            block (Block): the block.
            kept: variables to keep to its end.
            linked: tensor arrays that come from outside; the others start empty.
        """
        for name, var in block.vars.items():
            if var.type == VarType.LOD_TENSOR_ARRAY and name not in linked:
                self.line(f"{self.python_name(name, block)} = []")
                self.defined.add((block.idx, name))
        keep = set(kept)
        ends = [[n for n in op.attrs.get(DROPS, ()) if n not in keep] for op in block.ops]
        before = self._current
        for i, op in enumerate(block.ops):
            self._current = op
            self._hoist_shapes(block, i, ends)
            self.operator(op)
            self._drop(block, op, ends[i])
        self._current = before

    def _drop(self, block: Block, op: Operator, names: list[str]) -> None:
        names = [n for n in names if n not in self.feeds and not self._stays(block, n)]
        done = [self.python_name(n) for n in names if (block.idx, n) in self.defined]
        if done:
            self.line("del " + ", ".join(done))
        self.defined.difference_update((block.idx, n) for n in names)

    def _stays(self, block: Block, name: str) -> bool:
        """Whether a variable is a hoisted constant, which the function must not drop."""
        if not self._hoisted:
            for op in self.program.global_block().ops:
                if op.attrs.get(HOISTED):
                    self._hoisted.update(op.output_arg_names)
            self._hoisted.add("")
        return block.idx == 0 and name in self._hoisted

    def is_bound(self, name: str) -> bool:
        """Says whether a variable has its value, the same for all runs, when the plan is bound."""
        owner = self.owner(name)
        return name in self.frozen or (bool(name) and self._stays(owner, name))

    def _hoist_shapes(self, block: Block, at: int, ends: list[list[str]]) -> None:
        """Remembers shapes that a later gradient needs of values that are dropped after this."""
        last = self._shape_readers(block)
        for name in ends[at]:
            if name in last and last[name] > at and (block.idx, name) not in self.shapes:
                self.shapes[block.idx, name] = self._unique(f"{name}_shape")

    def _shape_readers(self, block: Block) -> dict[str, int]:
        cached = self.__dict__.setdefault("_readers", {})
        if block.idx not in cached:
            found: dict[str, int] = {}
            for i, op in enumerate(block.ops):
                found.update(dict.fromkeys(shape_needs(op), i))
            cached[block.idx] = found
        return cached[block.idx]

    def shape_of(self, name: str) -> str:
        """An expression for the shape of a variable, whose value may be dropped already."""
        key = (self.owner(name).idx, name)
        kept = None if key in self.defined else self.shapes.get(key)
        return kept or f"{self.read(name)}.shape"

    def operator(self, op: Operator) -> None:
        """Writes one operator."""
        if self.limit and not op.attrs.get(HOISTED):
            self.line(f"{self.limit}.check()")
        replaced = self._replaced_lod(op)
        custom = EMITTERS.get(op.type)
        if custom is not None:
            custom(self, op)
        elif not self._in_place(op):
            known = op.definition
            if known is None:
                missing = unregistered(self.program) or {op.type: 1}
                raise not_registered(missing, str(op.location or ""), self.program)
            if known.base is not None:
                write_gradient(self, op, known.base)
            else:
                self._forward(op, known)
        self._share_lod(op, replaced)
        given = [] if op.type in SCOPE_ONLY else op.input_arg_names
        for name in {*given, *op.output_arg_names}:
            key = (self.owner(name).idx, name)
            shape = self.shapes.get(key)
            if shape is not None and key in self.defined:
                self.line(f"{shape} = {self.python_name(name)}.shape")
        if self.op_callback is not None:
            outs = [self.python_name(n) for n in op.output_arg_names if self.is_defined(n)]
            check = self.constant(self.op_callback, "check")
            self.line(f"{check}({self.constant(op, 'op')}, {', '.join(outs)})")

    def _replaced_lod(self, op: Operator) -> list[tuple[str, str]]:
        """Keeps the levels of inputs whose names the results take: (name, what keeps them)."""
        kept = []
        for name, sources in self.sequences.written(op.block, op):
            if name in sources and self.is_defined(name):
                kept.append((name, self.temporary(f"{name}_lod")))
                self.line(f"{kept[-1][1]} = {self.constant(lod_of, 'lod_of')}({self.read(name)})")
        return kept

    def _share_lod(self, op: Operator, replaced: list[tuple[str, str]]) -> None:
        """Lets results say which of their rows belong together."""
        for name, lod in replaced:
            self.line(f"{self.constant(put_back, 'put_back')}({self.read(name)}, {lod})")
        for name, sources in self.sequences.written(op.block, op):
            sources = [n for n in sources if n != name and self.is_defined(n)]
            if sources and self.is_defined(name):
                share = self.constant(self.sequences.handing(op), "share_lod")
                self.line(f"{share}({self.read(name)}, {', '.join(map(self.read, sources))})")

    def kernel(self, op: Operator) -> None:
        """Writes the call of an operator's kernel, for emitters with special cases."""
        if not self._in_place(op):
            assert op.definition is not None
            self._forward(op, op.definition)

    def _in_place(self, op: Operator) -> bool:
        """Writes an operator in its in-place form, where that cannot be noticed."""
        names = op.attrs.get(IN_PLACE)
        if names is None:
            return False
        args = ", ".join(self.read(n) for n in names)
        known = op.definition
        assert known is not None and known.inplace is not None
        if len(names) == 1:
            attrs = {k: op.attrs.get(k, d) for k, d in known.attrs.items()}
            args = ", ".join([args, *self._keywords(known, attrs)])
        function = self.constant(known.inplace.function, op.type + "_")
        self.line(f"{self.write(op.output_arg_names[0])} = {function}({args})")
        return True

    def _forward(self, op: Operator, known: OpDef) -> None:
        attrs = {k: op.attrs.get(k, d) for k, d in known.attrs.items()}
        self._check_slots(op, known)
        args = [self.argument(op, s) for s in known.inputs]
        for slot in known.outputs:
            if slot.writes and op.outputs.get(slot.name):
                at = [s.name for s in known.inputs].index(slot.writes)
                args[at] = self.own(op, slot, args[at])
        direct = known.direct is not None and all(attrs[k] == d for k, d in known.attrs.items())
        words = [] if direct else self._keywords(known, attrs)
        kernel: Any = known.direct if direct else known.kernel
        function = self.constant(kernel, op.type)
        if known.memoize and not self.op_callback and not op.attrs.get(HOISTED):
            kept = self.temporary(f"{op.type}_kept")
            self.before(f"{kept} = {self.constant(Memo, 'Memo')}({function})")
            function = kept
        targets, after = self._targets(op, known)
        call = f"{function}({', '.join([*args, *words])})"
        self.line(f"{targets} = {call}" if targets.strip("_, ") or len(known.outputs) > 1 else call)
        for text in after:
            self.line(text)

    def _check_slots(self, op: Operator, known: OpDef) -> None:
        for slot in known.inputs:
            if not slot.optional and not slot.many and not op.inputs.get(slot.name):
                raise NotFoundError(
                    f"operator {op.type}: expected input {slot.name}, but the Program gives it "
                    f"{sorted(op.inputs)}." + (f"\n  {op.location}" if op.location else "")
                )

    def _keywords(self, known: OpDef, attrs: dict[str, Any]) -> list[str]:
        """Attributes that differ from their defaults."""
        words = []
        for key, value in attrs.items():
            default = known.attrs[key]
            if default is not REQUIRED and type(value) is type(default) and value == default:
                continue
            words.append(f"{py(key)}={self.literal(value, key)}")
        return words

    def argument(self, op: Operator, slot: Any) -> str:
        """The expression for what an operator gets in a slot."""
        names = op.inputs.get(slot.name) or []
        if not slot.many:
            return self.read(names[0]) if names and names[0] != EMPTY else "None"
        if not names and slot.optional:
            return "None"
        return "[" + ", ".join("None" if n == EMPTY else self.read(n) for n in names) + "]"

    def own(self, op: Operator, slot: Any, arg: str) -> str:
        """The buffer a kernel writes into: the scope's own, or a copy of a passing value.

        Views of the scope's buffer that are still in use keep what they show: ``writable`` copies
        the buffer then.
        """
        out = op.outputs[slot.name]
        source = op.inputs.get(slot.writes) or []
        if out == source and all(n in self.inplace_scope for n in out):
            for name in out:
                value = self._held(name, f"writable({self.scope_slot(name)}.tensor)")
                self.line(f"{self.read(name)} = {value}")
            return arg
        for a, b in zip(source, out, strict=False):
            self.line(f"{self.write(b)} = {self.read(a)}.clone()")
        locals_ = [self.python_name(n) for n in out]
        return f"[{', '.join(locals_)}]" if slot.many else locals_[0]

    def _targets(self, op: Operator, known: OpDef) -> tuple[str, list[str]]:
        """What the results are assigned to, and lines that follow."""
        parts, after = [], []
        for i, slot in enumerate(known.outputs):
            names = op.outputs.get(slot.name) or []
            if slot.writes or not names:
                parts.append("_")
                for name in names:
                    self.define(name)
                continue
            by_name = i == 0 and isinstance(known.infer, str)  # like the operand, if of rank 0
            certain = has_dimensions(known) and (by_name or not self.keep_rank_0)
            locals_ = ["_" if n == EMPTY else self.write(n) for n in names]
            self.maybe.update(names if slot.optional else ())  # what a kernel leaves out stays
            if not certain:
                after += [self.at_least_1(n) for n in names if n != EMPTY and self.may_be_0(n)]
                if i == 0 or op.type == "accuracy":  # other auxiliary results state no shape
                    after += [self._rank_0(n) for n in names if n != EMPTY and self._is_0(n)]
            if slot.many and slot.optional:  # a kernel may return None in its place
                listed = self.temporary(slot.name)
                after.insert(0, f"[{', '.join(locals_)}] = {listed} or [None] * {len(names)}")
                parts.append(listed)
            else:
                parts.append("[" + ", ".join(locals_) + "]" if slot.many else locals_[0])
        if len(known.outputs) == 1:
            return parts[0], after
        return ", ".join(parts), after

    def _is_0(self, name: str) -> bool:
        var = self.variable(name)
        return self.keep_rank_0 and var._dims == () and var._dtype is not None

    def may_be_0(self, name: str) -> bool:
        """Whether a kernel may return a variable without dimensions that must have one."""
        dims = self.variable(name)._dims
        return dims == (1,) if self.keep_rank_0 else dims in ((), (1,), (-1,))

    def _rank_0(self, name: str) -> str:
        local = self.python_name(name)
        return f"if {local}.numel() == 1: {local} = {local}.reshape(())"

    def at_least_1(self, name: str) -> str:
        """A line that gives a variable its one dimension."""
        local = self.python_name(name)
        return f"if {local} is not None and not {local}.dim(): {local} = {local}.reshape(1)"

    # -- the whole function ---------------------------------------------------------------------

    def source(self) -> str:
        """Writes the function and returns its source; ``origin`` then fits its line numbers."""
        top = self.program.global_block()
        args = [self._fed(name) for name in self.feeds]
        self.block(top, kept=self.fetches)
        self._current = None
        fetched = [self.read(n) for n in self.fetches]
        self._hand_over(top)
        self._prologue[:0] = limit_lines(self)
        self.line("return (" + "".join(f"{f}, " for f in fetched) + ")")
        shared = sorted(self.shared - set(args))
        if shared:
            self._prologue.insert(0, " = ".join([*shared, "None"]))
        notes = self._notes()
        parts: list[list[tuple[str, Operator | None]]] = [
            [(text, None) for text in notes],
            [(f"def bind({', '.join(self._slots.values())}):", None)],
            [(f"    {text}", None) for text in self._frozen_lines],
            [(f"    {text}", op) for text, op in self._bind_lines],
            [(f"    def step({', '.join(args)}):", None)],
            [(f"        {text}", None) for text in self._prologue],
            self.functions,
            list(zip(self.lines, self.origin, strict=True)),
        ]
        pairs = [pair for part in parts for pair in part]
        self.origin = [op for _, op in pairs]
        return "\n".join([*(text for text, _ in pairs), "    return step", ""])

    def _fed(self, name: str) -> str:
        """The argument for a fed variable; one that is stored goes to the scope first."""
        top = self.program.global_block()
        if name not in top.vars:
            return self.temporary(f"_{name}")
        self.defined.add((top.idx, name))
        local = self.python_name(name, top)
        if top.vars[name]._persistable:
            held = self.scope_slot(name)
            self._prologue.append(f"{held}.put({local}.clone())")
            self._prologue.append(f"{local} = {self._held(name, held + '.tensor._buf')}")
        return local

    def _hand_over(self, top: Block) -> None:
        """Writes the lines that put what was assigned to stored variables into the scope."""
        for name, local in self.written.items():
            value = f"{local}.clone()" if name in self.may_alias_feed else local
            test = f"if {local} is not None: " if name in self.maybe else ""
            self.line(f"{test}{self.scope_slot(name)}.put({value})")

    def _notes(self) -> list[str]:
        """Comments that say what the names of attributes stand for."""
        shown = {n: v for n, v in self.constants.items() if not callable(v)}
        return [
            f"# {name} = {' '.join(repr(value).split())[:_WIDEST]}"
            for name, value in shown.items()
            if not isinstance(value, Operator)
        ]
