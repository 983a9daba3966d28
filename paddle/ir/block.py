"""Block: variables and operators of one scope of a Program."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from paddle.core import unique_name
from paddle.core.errors import AlreadyExistsError, InvalidArgumentError, NotFoundError
from paddle.core.mode import HOOKED, get_mode, recording
from paddle.core.tensor import Tensor
from paddle.ir.operator import Operator, here, user_location
from paddle.ir.operator_checks import check_operator
from paddle.ir.raw import add_operator, add_variable, kinds
from paddle.ir.recording.shapes import infer_outputs
from paddle.ir.variable import Parameter, Variable, sizes

if TYPE_CHECKING:
    from paddle.ir.block_methods import Methods  # what static/methods.py attaches
    from paddle.ir.program import Program
else:
    Methods = object


class Block(Methods):
    """A list of operators and the variables they work on; blocks of control flow pytree.

    Attributes:
        program (Program): what it belongs to.
        idx (int): its position in the Program.
        parent_idx (int): the block around it; -1 for the global one.
        vars (dict[str, Variable]): its variables by name.
        ops (list[Operator]): its operators in the order in which they run.
    """

    def __init__(self, program: Program, idx: int, parent_idx: int = -1) -> None:
        self.program = program
        self.idx = idx
        self.parent_idx = parent_idx
        self.forward_block_idx = -1
        self.vars: dict[str, Variable] = {}
        self.ops: list[Operator] = []
        self.raw_fields: bytes | None = None  # of a file: fields without a place here

    # -- around it ------------------------------------------------------------------------------

    @property
    def parent_block(self) -> Block | None:
        """The block around this one."""
        return None if self.parent_idx < 0 else self.program.blocks[self.parent_idx]

    def _chain(self) -> Iterator[Block]:
        """This block and those around it, inside out."""
        block: Block | None = self
        while block is not None:
            yield block
            block = block.parent_block

    def note_change(self) -> None:
        """Notes a change: plans made of the Program before are out of date."""
        self.program.note_change()

    def _set_forward_block_idx(self, idx: int) -> None:
        self.forward_block_idx = idx

    # -- variables --------------------------------------------------------------------------------

    def var(self, name: str) -> Variable:
        """Returns a variable of this very block.

        Raises:
            ValueError: the block has no such variable.
        """
        if not isinstance(name, str):
            raise TypeError(
                f"Block.var(name): expected a str, but got {type(name).__name__}.{here()}"
            )
        found = self.vars.get(name)
        if found is None:
            raise InvalidArgumentError(f"block {self.idx} has no variable {name!r}.{here()}")
        return found

    def has_var(self, name: str) -> bool:
        """Says whether this very block has a variable."""
        return name in self.vars

    def _find_var_recursive(self, name: str) -> Variable | None:
        for block in self._chain():
            found = block.vars.get(name)
            if found is not None:
                return found
        return None

    def has_var_recursive(self, name: str) -> bool:
        """Says whether this block or one around it has a variable."""
        return self._find_var_recursive(name) is not None

    def _var_recursive(self, name: str) -> Variable:
        found = self._find_var_recursive(name)
        if found is None:
            raise InvalidArgumentError(
                f"neither block {self.idx} nor one around it has a variable {name!r}.{here()}"
            )
        return found

    def create_var(self, *args: Any, **kwargs: Any) -> Variable:
        """Makes a variable in this block; one that exists under the name is returned.

        In dynamic mode the default Program has none but those that are fed: as in 2.0, a Tensor is
        made in its place.

        Args:
            **kwargs: what :class:`Variable` takes: name, shape, dtype, persistable, ...
        """
        if args:
            raise TypeError(
                f"Block.create_var: expected arguments by name (name=, shape=, dtype=), but "
                f"received {args[0]!r:.60} without one.{here()}"
            )
        if not get_mode() & HOOKED and not kwargs.get("is_data") and self._is_default():
            return self._create_tensor(**kwargs)  # type: ignore[return-value]
        if self.program._raw_mode is not None:
            return add_variable(self, kwargs, parameter=False)
        name = kwargs.get("name")
        found = self.vars.get(name) if name is not None else None
        if found is not None:
            self._check_same(found, kwargs)
            return found
        made = Variable(self, **kwargs)
        self.vars[made._name] = made
        self.note_change()
        if "initializer" in kwargs and kwargs["initializer"] is not None:
            kwargs["initializer"](made, self)
        return made

    def unused_name(self, text: str) -> str:
        """A name that begins with ``text`` and that no variable of the Program has.

        The counters of unique_name alone do not promise that: they may have started anew since.
        """
        blocks = self.program.blocks
        name = unique_name.generate(text)
        while any(name in block.vars for block in blocks):
            name = unique_name.generate(text)
        return name

    def _check_same(self, found: Variable, wanted: dict[str, Any]) -> None:
        shape, dtype = wanted.get("shape"), wanted.get("dtype")
        if shape is not None and found._dims and found._dtype is not None:
            if sizes(shape, found._name) != found._dims:
                raise InvalidArgumentError(
                    f"variable {found._name!r} exists with shape {list(found._dims)}, "
                    f"but shape {list(shape)} is asked for.{here()}"
                )
        if dtype is not None and found._dtype is not None and found._dtype != dtype:
            raise InvalidArgumentError(
                f"variable {found._name!r} exists with dtype {found.dtype}, but {dtype} is asked "
                f"for.{here()}"
            )

    def create_parameter(self, *args: Any, **kwargs: Any) -> Parameter:
        """Makes a parameter in the global block and, given an ``initializer``, its first value.

        Args:
            **kwargs: what :class:`Parameter` takes: name, shape, dtype, trainable, initializer, ...
        """
        if self.program._raw_mode is not None and not args:
            return add_variable(self, kwargs, parameter=True)  # type: ignore[return-value]
        initializer = kwargs.pop("initializer", None)
        top = self.program.global_block()
        made = Parameter(top, *args, **kwargs)
        before = top.vars.get(made._name)
        if before is not None:
            if not isinstance(before, Parameter) or before._dims != made._dims:
                raise AlreadyExistsError(
                    f"parameter {made._name!r} of shape {list(made._dims)} is asked for, but a "
                    f"variable of that name exists with shape {list(before._dims)}.{here()}"
                )
            return before
        top.vars[made._name] = made
        self.note_change()
        if initializer is not None:
            initializer(made, self)
        return made

    def all_parameters(self) -> list[Parameter]:
        """Returns the parameters of this block."""
        return [v for v in self.vars.values() if isinstance(v, Parameter)]

    def iter_parameters(self) -> Iterator[Parameter]:
        """Goes over the parameters of this block."""
        return iter(self.all_parameters())

    def _remove_var(self, name: str) -> None:
        self.vars.pop(name, None)
        self.note_change()

    def _rename_var(self, name: str, new_name: str) -> Variable:
        """Renames a variable here and in the operators of this block and those inside it."""
        found = self.vars.get(name)
        if found is None:
            raise NotFoundError(f"block {self.idx} has no variable {name!r} to rename.{here()}")
        if new_name in self.vars:
            raise AlreadyExistsError(
                f"block {self.idx} already has a variable {new_name!r}.{here()}"
            )
        self.vars = {new_name if k == name else k: v for k, v in self.vars.items()}
        found._name = new_name
        for block in self.program.blocks:
            if self in block._chain() and (block is self or name not in block.vars):
                for op in block.ops:
                    op._rename_input(name, new_name)
                    op._rename_output(name, new_name)
        return found

    def _clone_variable(self, var: Variable, force_persistable: bool = True) -> Variable:
        """Makes a variable here that looks like one of another block; never a Parameter."""
        shown = ("name", "shape", "dtype", "type", "lod_level", "persistable", "is_data",
                 "need_check_feed")  # fmt: skip
        info = {name: value for name, value in var.describe().items() if name in shown}
        if force_persistable:
            info["persistable"] = True
        return self.create_var(**info)

    def clone_with_kind(self, var: Variable) -> Variable:
        """Makes a persistable variable like another one; of a Parameter a Parameter."""
        info = {**var.describe(), "persistable": True}
        if not isinstance(var, Parameter):
            return self.create_var(**info)
        return self.create_parameter(info.pop("shape"), info.pop("dtype"), **info)

    # -- operators --------------------------------------------------------------------------------

    def append_op(
        self,
        type: str | None = None,
        inputs: dict[str, Any] | None = None,
        outputs: dict[str, Any] | None = None,
        attrs: dict[str, Any] | None = None,
        stop_gradient: bool = False,
        attr_types: dict[str, str] | None = None,
    ) -> Operator:
        """Adds an operator at the end and infers shape and type of its outputs.

        In dynamic mode, with Tensors in place of Variables, the operator runs at once, and the
        Tensors among the outputs become its results.

        Args:
            type (str): the operator's name.
            inputs (dict): slot -> Variable or name, or a list of them.
            outputs (dict): slot -> Variable or name, or a list of them.
            attrs (dict): attributes.
            stop_gradient (bool): the outputs get no gradient. Default: False.
            attr_types (dict, optional): the kind of an attribute in the Program's bytes where that
                is not what PaddlePaddle declares or what suits the value: ``{"axis": "LONG"}``.

        Returns:
            Operator: what was added.
        """
        if holds_tensors(inputs, outputs) and not recording():
            return self._run_op(type, inputs or {}, outputs or {}, attrs or {}, stop_gradient)
        made = self._insert(len(self.ops), type, inputs, outputs, attrs, stop_gradient)
        if attr_types:
            made.attr_kinds = {} if made.attr_kinds is None else made.attr_kinds
            made.attr_kinds.update(kinds(made.type, attr_types))
        return made

    def _prepend_op(self, type: Any = None, inputs: Any = None, outputs: Any = None,
                    attrs: Any = None, **kwargs: Any) -> Operator:  # fmt: skip
        return self._insert(0, type, inputs, outputs, attrs)

    def _insert_op(self, index: int, type: Any = None, inputs: Any = None, outputs: Any = None,
                   attrs: Any = None, **kwargs: Any) -> Operator:  # fmt: skip
        return self._insert(index, type, inputs, outputs, attrs)

    def _insert(
        self, at: int, type: Any, inputs: Any, outputs: Any, attrs: Any, stop: bool = False
    ) -> Operator:
        if not isinstance(type, str) or not type:
            raise InvalidArgumentError(
                f"Block.append_op(type): expected an operator's name, but received {type!r}."
                f"{here()}"
            )
        op = Operator(
            self,
            type,
            _names(inputs, type, "inputs"),
            _names(outputs, type, "outputs"),
            {k: v for k, v in (attrs or {}).items() if v is not None},
            user_location(),
        )
        if self.program._raw_mode is not None:
            return add_operator(op, at)
        self.program._mark(op)
        for name in op.input_arg_names:
            if type not in SCOPE_ONLY and self._find_var_recursive(name) is None:
                raise InvalidArgumentError(
                    f"Block.append_op({type}): input {name!r} is no variable of block {self.idx} "
                    f"or of one around it.{here()}"
                )
        check_operator(op)
        try:
            infer_outputs(op)
        except Exception as error:  # of any kind: it is only told where the operator was asked for
            if op.location is not None and error.args:
                error.args = (f"{error.args[0]}\n  {op.location}", *error.args[1:])
            raise
        if stop:
            for name in op.output_arg_names:
                self._var_recursive(name).stop_gradient = True
        self.ops.insert(at, op)
        self.note_change()
        return op

    def _remove_op(self, index: int) -> None:
        del self.ops[index]
        self.note_change()


SCOPE_ONLY = {"create_py_reader"}
"""Operators whose inputs are names in the scope without a variable in the Program."""


def holds_tensors(*several: dict[str, Any] | None) -> bool:
    """Whether there are Tensors in slots, where a Program has Variables."""
    for slots in several:
        for value in (slots or {}).values():
            listed = value if isinstance(value, (list, tuple)) else (value,)
            if any(isinstance(item, Tensor) for item in listed):
                return True
    return False


def _names(slots: dict[str, Any] | None, type: str, kind: str) -> dict[str, list[str]]:
    """Returns slots with variable names, whatever form they came in."""
    found: dict[str, list[str]] = {}
    for slot, value in (slots or {}).items():
        if value is None:
            continue
        listed = value if isinstance(value, (list, tuple)) else [value]
        names = []
        for item in listed:
            name = item if isinstance(item, str) else getattr(item, "_name", None)
            if isinstance(item, bytes):
                name = item.decode()
            if name is None:
                raise TypeError(
                    f"Block.append_op({type}): expected Variables or names in {kind}[{slot!r}], "
                    f"but received {item.__class__.__name__}.{here()}"
                )
            names.append(name)
        found[slot] = names
    return found
