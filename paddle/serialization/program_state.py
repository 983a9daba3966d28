"""Values of a Program's stored variables: taken out of a scope, checked, and put into one."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import torch

from paddle.core.convert import tensor_of
from paddle.core.dtype import FROM_TORCH, VarType, dtype_name, torch_dtype
from paddle.core.errors import InvalidArgumentError, PreconditionNotMetError, UnimplementedError
from paddle.core.lod import LoDTensor
from paddle.core.place import current_device
from paddle.core.tensor import Tensor
from paddle.core.user_frame import outside
from paddle.executor.scope import Scope, global_scope
from paddle.ir.inference import persistables
from paddle.ir.program import Program
from paddle.ir.variable import Parameter, Variable
from paddle.ir.versions import RANK_0_SINCE
from paddle.serialization.pickles.packing import NAME_TABLE
from paddle.serialization.tensor_stream import Dense

MODES = ("param", "opt", "all")
_LISTED = 8  # names that a message shows of a longer list


class TensorValues(Mapping):
    """What files hold of variables by name, each fetched from its Tensor when it is asked for.

    Args:
        variables (Iterable[Variable]): which.
        tensors (Mapping): name -> Tensor.
    """

    def __init__(self, variables: Iterable[Variable], tensors: Mapping[str, Tensor]) -> None:
        self._tensors = tensors
        self._rank_0 = {v.name for v in variables if has_rank_0(v)}

    def __getitem__(self, name: str) -> Dense:
        return Dense(self.array(name), self.lod(name), self.tensor(name).dtype)

    def __iter__(self) -> Iterator[str]:
        return iter(self._tensors)

    def __len__(self) -> int:
        return len(self._tensors)

    def tensor(self, name: str) -> Tensor:
        """Returns the Tensor of a variable."""
        return self._tensors[name]

    def lod(self, name: str) -> list:
        """Returns the LoD of a variable as offsets."""
        return []

    def array(self, name: str) -> np.ndarray:
        """Returns a value as an array (bfloat16 as uint16) of the shape that files have."""
        array = self.tensor(name).numpy()
        return array.reshape(()) if name in self._rank_0 else array


class Stored(TensorValues):
    """The values of variables in a scope; see :class:`TensorValues`.

    Args:
        variables (Iterable[Variable]): which.
        scope (Scope, optional): where they are; None means the global one.
        purpose (str): what is being done, for error texts.

    Raises:
        PreconditionNotMetError: the scope holds no value for some; all are named.
    """

    def __init__(
        self, variables: Iterable[Variable], scope: Scope | None = None, purpose: str = "save"
    ) -> None:
        scope = global_scope() if scope is None else scope
        named = {v.name: v for v in variables}
        self._held: dict[str, LoDTensor] = {}
        tensors: dict[str, Tensor] = {}
        missing = []
        for name in named:
            found = scope.find_var(name)
            if found is None or not found.is_initialized():
                missing.append(name)
            elif found.held.tensor is None:
                raise UnimplementedError(
                    f"{purpose}: variable {name!r} holds no dense tensor; only those are stored."
                )
            else:
                self._held[name], tensors[name] = found.held, found.held.tensor
        if missing:
            raise PreconditionNotMetError(
                f"{purpose}: {len(missing)} of {len(named)} variables are not "
                f"initialized: {listing(missing)}; the scope holds no value for them.",
                hint="run the startup program first, or use the scope in which it was run: "
                "exe.run(paddle.static.default_startup_program())",
            )
        super().__init__(named.values(), tensors)

    def lod(self, name: str) -> list:
        return self._held[name].lod()

    def tensor(self, name: str) -> Tensor:
        """Returns the Tensor that the scope holds; it has the variable's name."""
        tensor = super().tensor(name)
        tensor.name = name
        return tensor


def has_rank_0(var: Variable) -> bool:
    """Whether files have a variable without dimensions; a scope always holds at least one."""
    newer = var.block.program.program_version >= RANK_0_SINCE
    return newer and var.shape == () and var._dtype is not None


def of_mode(program: Program, mode: str) -> list[Variable]:
    """Returns the stored variables of a kind, in the order in which they were made.

    Args:
        program (Program): whose.
        mode (str): ``"param"``: the Parameters, ``"opt"``: the others, ``"all"``.
    """
    if not isinstance(mode, str):
        raise TypeError(
            f"Program.state_dict(mode): expected a str, but received {type(mode).__name__}."
        )
    if mode not in MODES:
        raise InvalidArgumentError(
            f"Program.state_dict(mode): expected one of {', '.join(map(repr, MODES))}, "
            f"but received {mode!r}."
        )
    stored = {v.name for v in persistables(program)}
    found = [v for v in program.list_vars() if v.name in stored]
    if mode == "all":
        return found
    return [v for v in found if isinstance(v, Parameter) == (mode == "param")]


def program_state(
    program: Program, mode: str = "all", scope: Scope | None = None
) -> dict[str, Tensor]:
    """Returns the values of a Program's stored variables, those of the scope and no copies.

    Args:
        program (Program): whose.
        mode (str): ``"param"``, ``"opt"`` or ``"all"``. Default: ``"all"``.
        scope (Scope, optional): where the values are; None means the global one.
    """
    _check_scope(scope, "Program.state_dict")
    stored = Stored(of_mode(program, mode), scope, "Program.state_dict")
    return {name: stored.tensor(name) for name in stored}


def set_program_state(
    program: Program,
    state_dict: Mapping[str, Any],
    scope: Scope | None = None,
    where: str = "Program.set_state_dict",
) -> None:
    """Gives stored variables of a Program new values; all are checked before the first changes.

    Args:
        program (Program): whose. Variables without an entry stay as they are.
        state_dict (Mapping): name -> Tensor, array or LoDTensor. A warning lists entries for
            which the Program has no variable.
        scope (Scope, optional): where the values go; None means the global one.
        where (str): the function that is called, for messages.
    """
    if not isinstance(state_dict, Mapping):
        raise TypeError(
            f"{where}(state_dict): expected a dict, but received {type(state_dict).__name__}."
        )
    _check_scope(scope, where)
    variables = {v.name: v for v in persistables(program)}
    chosen = {n: v for n, v in state_dict.items() if n in variables}
    put_values({n: variables[n] for n in chosen}, chosen, scope, where=where)
    extra = [n for n in state_dict if n not in variables and n != NAME_TABLE]
    if extra:
        left = [n for n in variables if n not in chosen]
        warnings.warn(
            f"{where}: the Program has no variable for {listing(extra)}, which "
            f"{'is' if len(extra) == 1 else 'are'} not set; "
            f"without a new value stay {listing(left)}.",
            stacklevel=outside(),
        )


def put_values(
    variables: Mapping[str, Variable],
    values: Mapping[str, Any],
    scope: Scope | None = None,
    device: Any = None,
    where: str = "load",
    complete: bool = False,
) -> None:
    """Puts values of variables into a scope after checking all of them.

    Args:
        variables (Mapping): name -> Variable.
        values (Mapping): name -> Tensor, array, LoDTensor or Dense (whose array may be taken over).
        scope (Scope, optional): where they go; None means the global one.
        device: a torch device; None keeps each value where the one before was.
        where (str): what is being done, for error texts.
        complete (bool): whether every variable needs a value. Default: False.

    Raises:
        InvalidArgumentError: a value is missing, or has another shape or type than its variable;
            lists them all.
    """
    scope = global_scope() if scope is None else scope
    made = {n: _buffer(values[n], n, where) for n in variables if n in values}
    _check_fit(variables, values, made, where, complete)
    for name, (buf, lod) in made.items():
        held = scope.var(name).held
        target = device
        if target is None:
            target = current_device() if held.tensor is None else held.tensor._buf.device
        held.put(buf.to(target))
        held.set_lod(lod)


def check_fit(variables: Mapping[str, Variable], values: Mapping[str, Any], where: str) -> None:
    """Fails like :func:`put_values` unless each variable has a value that fits; puts nothing."""
    made = {n: _buffer(values[n], n, where) for n in variables if n in values}
    _check_fit(variables, values, made, where, True)


_LINEAR = ("quantize_linear", "dequantize_linear")


def _as_stored(variables: Mapping[str, Variable], values: Any, made: Mapping[str, Any]) -> None:
    """Lets variables of a quantised Program say what their values are.

    PaddlePaddle 2.4 to 2.6 store weights as bytes (and scales with one dimension more), but leave
    the variables as they were before they were quantised.
    """
    for program in {v.block.program for n, v in variables.items() if n in made}:
        for op in (o for b in program.blocks for o in b.ops if o.type in _LINEAR):
            for name in (n for s in ("X", "Scale", "ZeroPoint") for n in op.inputs.get(s, [])):
                if name in made and name in variables:
                    shape = np.shape(getattr(values[name], "array", made[name][0]))
                    variables[name]._dims = shape
                    variables[name]._dtype = FROM_TORCH[made[name][0].dtype]


def _check_fit(variables: Any, values: Any, made: dict, where: str, complete: bool) -> None:
    _as_stored(variables, values, made)
    wrong = [line for n, (buf, _) in made.items() if (line := _misfit(variables[n], buf))]
    missing = [n for n in variables if n not in values] if complete else []
    if wrong or missing:
        raise InvalidArgumentError(_unlike(where, variables, values, missing, wrong))


def _buffer(value: Any, name: str, where: str) -> tuple[torch.Tensor, list]:
    """A buffer that nothing else writes to, and the LoD."""
    lod: list = []
    if isinstance(value, Dense):
        array = np.require(value.array, requirements=["C", "W"])
        buf, lod = torch.from_numpy(array), value.lod
        if value.dtype == VarType.BF16:
            buf = buf.view(torch.bfloat16)
    elif isinstance(value, (Tensor, LoDTensor)):
        if isinstance(value, LoDTensor):
            value, lod = value._filled(), value.lod()
        buf = value._buf.detach().clone()
    else:
        try:
            buf = tensor_of(value, None, "cpu")._buf
        except (TypeError, ValueError) as error:
            raise TypeError(
                f"{where}: expected an array or Tensor for variable {name!r}, "
                f"but received {type(value).__name__}: {error}"
            ) from None
    return (buf if buf.dim() else buf.reshape(1)), lod


def _misfit(var: Variable, buf: torch.Tensor) -> str:
    """Says what is wrong with a value for a variable; empty if nothing is."""
    want, got = list(var.shape), list(buf.shape)
    if var._dtype is not None:
        dims = want or [1]
        if len(dims) != len(got) or any(w not in (-1, g) for w, g in zip(dims, got, strict=True)):
            return f"{var.name}: expected shape {want}, got {got}"
        if buf.dtype is not torch_dtype(var.dtype):
            found = dtype_name(FROM_TORCH[buf.dtype])
            return f"{var.name}: expected {dtype_name(var.dtype)}, got {found}"
    return ""


def _unlike(where: str, variables: Any, values: Any, missing: list, wrong: list) -> str:
    parts = []
    if missing:
        parts.append(f"no value for {listing(missing)}")
    if wrong:
        parts.append("; ".join(wrong[:_LISTED]) + (", ..." if len(wrong) > _LISTED else ""))
    extra = [n for n in values if n not in variables and n != NAME_TABLE]
    if extra:
        parts.append(f"values without a variable: {listing(extra)}")
    return f"{where}: the values belong to another Program: " + "; ".join(parts) + "."


def listing(names: Iterable[Any]) -> str:
    """Names for a message; of a long list the first ones."""
    listed = list(names)
    if not listed:
        return "none"
    rest = len(listed) - _LISTED
    return ", ".join(map(repr, listed[:_LISTED])) + (f" and {rest} more" if rest > 0 else "")


def _check_scope(scope: Any, where: str) -> None:
    if scope is not None and not isinstance(scope, Scope):
        raise TypeError(f"{where}(scope): expected a Scope, but received {type(scope).__name__}.")
