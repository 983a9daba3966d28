"""Operators of compiled libraries in the one registry: with gradients, shapes, and their library.

What a library calls ``relu2`` becomes an ordinary :class:`~paddle.core.op.OpDef`. The operator that
it names as the gradient becomes that one's gradient, so that the tape, Programs and derivatives of
higher order find it; where it names none, there is no gradient.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable
from typing import Any

import torch

from paddle.core import native
from paddle.core.derive import gradient_operator
from paddle.core.dtype import FROM_TORCH, torch_dtype
from paddle.core.errors import (
    AlreadyExistsError,
    FatalError,
    InvalidArgumentError,
    InvalidTypeError,
    MissingFileError,
    NotFoundError,
    PreconditionNotMetError,
)
from paddle.core.infer import NeedsData, Spec
from paddle.core.native import NativeLibrary, NativeOperator, Shown
from paddle.core.native_slots import NO_BUFFER
from paddle.core.op import REGISTRY, Gradient, OpDef, Slot, computed, py
from paddle.core.traits import InPlace
from paddle.ops.native_buffers import CODES, DTYPES, Caller, type_name
from paddle.ops.native_kernels import kernel_of

_lock = threading.RLock()
# What a library said of an operator, and how its gradient is bound.
_told: weakref.WeakKeyDictionary[OpDef, tuple[NativeOperator, Any]] = weakref.WeakKeyDictionary()
_opened: dict[str, tuple[NativeLibrary, str]] = {}  # real path -> library, hash of the file


# ---------------------------------------------------------------- libraries


def load_library(path: str, safe: bool = False) -> NativeLibrary:
    """Opens a library of operators and registers what it has; once for each file.

    Args:
        path (str): the file, or a name to look for as the system's loader does, in
            LD_LIBRARY_PATH too.
        safe (bool): open it in a child process first, so that one that aborts is an error here.

    Returns:
        NativeLibrary: the library.
    """
    with _lock:
        found = _find(path)
        real = os.path.realpath(found)
        digest = _digest(real)
        if real in _opened:
            library, before = _opened[real]
            if before != digest:
                raise PreconditionNotMetError(
                    f"{found} has changed since it was loaded, and a library stays loaded for as "
                    "long as the process runs.",
                    hint="start anew, or build it under another name, with other operators",
                )
            return library
        if safe:
            _try_out(found)
        library = _open(found)
        register_all(library)
        _opened[real] = library, digest
        return library


def _find(path: str) -> str:
    """The file that a path or a name stands for."""
    if not isinstance(path, (str, os.PathLike)):
        raise InvalidTypeError(f"expected the file of a library as a str, but received {path!r}.")
    path = os.path.expanduser(os.fspath(path))
    if os.path.isfile(path):
        return os.path.abspath(path)
    if os.path.isdir(path):
        raise InvalidArgumentError(f"expected the file of a library, but {path} is a folder.")
    folders = os.environ.get("LD_LIBRARY_PATH", "").split(":")
    tried = [os.path.join(folder, path) for folder in folders if folder]
    if not os.path.isabs(path):
        for candidate in tried:
            if os.path.isfile(candidate):
                return os.path.abspath(candidate)
    raise MissingFileError(
        f"the library {path} is not there; looked for {os.path.abspath(path)}"
        + "".join(f", {t}" for t in tried if not os.path.isabs(path)) + ".",
        hint="give its path, or put its folder into LD_LIBRARY_PATH",
    )  # fmt: skip


def _digest(path: str) -> str:
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def _open(path: str) -> NativeLibrary:
    try:
        return NativeLibrary(path)
    except OSError as error:
        if isinstance(error, native.errors.FrameworkError):
            raise
        raise _not_opened(path, str(error)) from error


def _not_opened(path: str, said: str) -> Exception:
    """What the system's loader said, and what that means here."""
    if "undefined symbol" in said:
        symbol = said.rpartition("undefined symbol:")[2].strip().split()[0].rstrip(")")
        theirs = "6paddle" in symbol or "3phi" in symbol
        return NotFoundError(
            f"{path} cannot be loaded, it lacks the symbol {symbol}: {said}",
            hint="it was built for PaddlePaddle's C++ library; build it with the headers of "
            "paddle.sysconfig.get_include()"
            if theirs
            else "link the library that has it (extra_ldflags)",
        )
    if "cannot open shared object file" in said:
        return MissingFileError(
            f"{path} cannot be loaded, a library that it needs is not there: {said}",
            hint="put its folder into LD_LIBRARY_PATH before Python starts",
        )
    return PreconditionNotMetError(f"{path} cannot be loaded: {said}")


def _try_out(path: str) -> None:
    """Opens a library in a child process, to see whether that process survives."""
    code = "import ctypes, sys\nlibrary = ctypes.CDLL(sys.argv[1])\nprint('opened', flush=True)\n"
    done = subprocess.run(
        [sys.executable, "-S", "-c", code, path], capture_output=True, text=True, check=False
    )
    if done.returncode == 0 or "Traceback" in done.stderr:  # an OSError is told by the real load
        return
    how = f"signal {-done.returncode}" if done.returncode < 0 else f"code {done.returncode}"
    raise FatalError(
        f"{path} ended the process that loaded it (in a child process, by {how}). It wrote: "
        f"{done.stderr.strip()[-2000:] or 'nothing'}"
    )


def library_of(op: OpDef) -> NativeLibrary | None:
    """The library that an operator, or the one it is the gradient of, comes from."""
    while op is not None:
        found = _told.get(op)
        if found is not None or op.base is None:
            return found[0].library if found else None
        op = op.base
    return None


def native_of(op: OpDef) -> NativeOperator:
    """What the library of a loaded operator says of it."""
    return _told[op][0]


def register_all(library: NativeLibrary) -> list[OpDef]:
    """Registers the operators of a library: all of them, or none if one cannot be."""
    by_name: dict[str, NativeOperator] = {}
    for op in library.operators:
        if op.name in by_name:
            raise AlreadyExistsError(f"{library.path} registers operator {op.name} twice.")
        by_name[op.name] = op
    taken = {o.gradient.name for o in library.operators if o.gradient} & by_name.keys()
    forward = [o for o in library.operators if o.name not in taken or not _is_gradient(o, by_name)]
    for op in library.operators:
        known = REGISTRY.get(op.name)
        if known is not None:
            other = library_of(known)
            whose = f"of the library {other.path}" if other else "an operator of paddle"
            raise AlreadyExistsError(
                f"{library.path} registers operator {op.name}, but that is {whose} already.",
                hint="give it another name",
            )
    made = [_define(op, by_name) for op in forward]
    before = set(dict.keys(REGISTRY))
    try:
        for defined in made:
            REGISTRY[defined.name] = defined
        for defined in made:
            _settle_gradients(defined, by_name)
    except Exception:
        for name in set(dict.keys(REGISTRY)) - before:
            if library_of(dict.__getitem__(REGISTRY, name)) is library:
                dict.pop(REGISTRY, name)
        raise
    return made


def _is_gradient(op: NativeOperator, by_name: dict[str, NativeOperator]) -> bool:
    """Whether an operator is nothing but the gradient of another one of its library."""
    base = by_name.get(op.name.removesuffix("_grad"))
    return (
        base is not None
        and base is not op
        and base.gradient is not None
        and base.gradient.name == op.name
    )


# ---------------------------------------------------------------- one operator


def _define(op: NativeOperator, by_name: dict[str, NativeOperator]) -> OpDef:
    caller = Caller(op)
    gradient = _Binding.of(op, by_name)
    inputs = [
        Slot(s.name, s.many, s.optional, gradient is not None and gradient.gives(i))
        for i, s in enumerate(op.inputs)
    ]
    outputs = [
        Slot(s.name, s.many, s.optional, gradient is not None and gradient.takes(i))
        for i, s in enumerate(op.outputs)
    ]
    attrs = {a.name: a.initial for a in op.attributes}
    made = OpDef(
        op.name, inputs, outputs, attrs, kernel_of(caller), _params(op),
        infer=_shape_rule(caller), differentiable=gradient is not None,
        proto=f"of the library {op.library.path}", origin=f"library {op.library.path}",
        random=bool(op.flags & native.RANDOM), no_alias=" ".join(s.name for s in op.outputs),
        inplace=_in_place(caller),
        lod=_levels_from(op), amp=_precision(op),
    )  # fmt: skip
    _told[made] = op, gradient
    made.__doc__ = op.doc
    return made


def _params(op: NativeOperator) -> list[str]:
    """Names for the inputs that are no attribute's and that Python takes."""
    taken = {py(a.name) for a in op.attributes}
    names: list[str] = []
    for slot in op.inputs:
        name = py(slot.name)
        name = name if name.isidentifier() else f"input_{len(names)}"
        while name in taken:
            name += "_"
        taken.add(name)
        names.append(name)
    return names


def _levels_from(op: NativeOperator) -> str | None:
    if op.flags & native.OWN_LOD:
        return "own"
    if op.flags & native.SHARES_LOD and op.inputs:
        return op.inputs[0].name
    return ""


def _precision(op: NativeOperator) -> str | None:
    """What mixed precision does: a kernel that does not say that it takes 16 bits gets 32."""
    takes = {type_name(dtype) for _, dtype in op.kernels}
    return None if takes & {"float16", "bfloat16"} else "black"


def _in_place(caller: Caller) -> InPlace | None:
    """How an operator that is declared so writes into the memory of its first input."""
    op = caller.op
    if len(op.outputs) != 1 or not op.inputs or op.inputs[0].many:
        return None
    if max(op.outputs[0].inplace, op.outputs[0].reuses) != 0:
        return None

    def function(x: Any, *others: Any, **attrs: Any) -> Any:
        return caller.into_first(x, *others, **attrs)

    return InPlace(function, any_dtype=True)


def _shape_rule(caller: Caller) -> Callable:
    op = caller.op

    def rule(inputs: list, attrs: dict[str, Any]) -> list[Any]:
        given = [
            [] if i is None else [_shown(s) for s in (i if isinstance(i, list) else [i])]
            for i in inputs
        ]
        attributes = op.attributes_of({a.name: attrs[a.name] for a in op.attributes})
        made = caller.infer(given, attributes, runtime=False)
        return [_specs(slot, found) for slot, found in zip(op.outputs, made)]

    def _specs(slot: Any, found: list) -> Any:
        if any(s is None for s in found) or (slot.many and not found):
            raise NeedsData(f"operator {op.name} does not say the shape of its output {slot.name}.")
        listed = [
            Spec(tuple(s.shape) or (1,), FROM_TORCH[DTYPES[s.dtype]]) for s in found
        ]  # fmt: skip
        return listed if slot.many else listed[0] if listed else None

    return rule


def _shown(spec: Any) -> Shown:
    return Shown(tuple(spec.shape), CODES[torch_dtype(spec.dtype)])


# ---------------------------------------------------------------- gradients


class _Binding:
    """Where a gradient operator takes its inputs from, by names of the operator's slots.

    Attributes:
        gradient (NativeOperator|OpDef): the operator that computes the gradients.
        inputs (list): for each of its inputs ``(source, name)``, or None where nothing comes.
        outputs (list): for each of its outputs the input whose gradient it is, or None.
    """

    def __init__(self, op: NativeOperator, gradient: Any, told: native.NativeGradient) -> None:
        self.op, self.gradient, self.fixed = op, gradient, told.attributes
        ins, outs = [s.name for s in op.inputs], [s.name for s in op.outputs]
        self.inputs = [
            self._source(s.name, told.inputs[i] if told.inputs else None, ins, outs)
            for i, s in enumerate(gradient.inputs)
        ]
        self.outputs = [
            self._target(s.name, told.outputs[i] if told.outputs else None, ins)
            for i, s in enumerate(gradient.outputs)
        ]

    @staticmethod
    def of(op: NativeOperator, by_name: dict[str, NativeOperator]) -> _Binding | None:
        """The binding of an operator's gradient; None where it has none."""
        if op.gradient is None:
            return None
        found: Any = by_name.get(op.gradient.name) or computed(op.gradient.name)
        if found is None:
            raise NotFoundError(
                f"the gradient of operator {op.name} is said to be {op.gradient.name}, but "
                f"{op.library.path} does not register it."
            )
        told = op.bind(len(found.inputs), len(found.outputs))
        assert told is not None
        return _Binding(op, found, told)

    def _source(self, name: str, given: Any, ins: list[str], outs: list[str]) -> Any:
        if given is not None:
            source, slot = given
            told = {0: ins, 1: outs, 2: outs}.get(source, [])
            return None if slot < 0 else (source, self._at(told, slot, name))
        if name in ins:
            return 0, name
        if name in outs:
            return 1, name
        if name.endswith("@GRAD") and name[:-5] in outs:
            return 2, name[:-5]
        raise InvalidArgumentError(
            f"operator {self.gradient.name}: its input {name} is neither an input of "
            f"{self.op.name} ({ins}), nor an output ({outs}), nor the gradient of one "
            f"({[f'{o}@GRAD' for o in outs]})."
        )

    def _target(self, name: str, given: Any, ins: list[str]) -> str | None:
        if given is not None:
            return None if given[1] < 0 else self._at(ins, given[1], name)
        # A second gradient takes Out@GRAD; what it gives for Out needs a name of its own, Out@NEW.
        base = name.removesuffix("@GRAD").removesuffix("@NEW")
        if base != name and base in ins:
            return base
        raise InvalidArgumentError(
            f"operator {self.gradient.name}: its output {name} is not the gradient of an input of "
            f"{self.op.name} ({[f'{i}@GRAD' for i in ins]})."
        )

    def _at(self, names: list[str], slot: int, name: str) -> str:
        if slot < len(names):
            return names[slot]
        raise InvalidArgumentError(
            f"operator {self.gradient.name}: its {name} is bound to slot {slot} of {self.op.name}, "
            "which there is not."
        )

    def gives(self, position: int) -> bool:
        """Whether the gradient of an input is computed."""
        return self.op.inputs[position].name in self.outputs

    def takes(self, position: int) -> bool:
        """Whether the gradient of an output is asked for."""
        return (2, self.op.outputs[position].name) in self.inputs


def _settle_gradients(op: OpDef, by_name: dict[str, NativeOperator]) -> None:
    """Gives an operator its gradient, and that one its own, as far as the library has any."""
    binding = _told[op][1]
    if binding is None:
        return
    op.gradient = _gradient(op, binding)
    first = gradient_operator(op)
    first.module = op.module
    further = _Binding.of(binding.gradient, by_name) if hasattr(binding.gradient, "flags") else None
    if further is None:
        first.differentiable = hasattr(binding.gradient, "kernel")  # a built-in one has its own
        if first.differentiable:
            first.gradient = None
        return
    # Its slots by the names that the derived operator gives them.
    rename = {}
    for slot, source in zip(binding.gradient.inputs, binding.inputs):
        if source is not None:
            rename[slot.name] = f"{source[1]}@GRAD" if source[0] == 2 else source[1]
    for slot, target in zip(binding.gradient.outputs, binding.outputs):
        if target is not None:
            rename[slot.name] = f"{target}@GRAD"
    further.inputs = [s and (s[0], rename.get(s[1], s[1])) for s in further.inputs]
    further.outputs = [t and rename.get(t, t) for t in further.outputs]
    first.gradient = _gradient(first, further)
    second = gradient_operator(first)
    second.module = op.module
    second.differentiable = False


def _gradient(op: OpDef, binding: _Binding) -> Gradient:
    """The gradient of an operator, computed by another one."""
    told = binding.gradient
    saves: list[str] = []
    order: list[Any] = []  # where each input of the gradient operator is found
    carried = [op.outputs[i].name for i in op.grad_outputs]
    for slot, source in zip(told.inputs, binding.inputs):
        if source is None:
            order.append(None)
        elif source[0] == 2:
            order.append(("d", carried.index(source[1])))
        else:
            sizes_alone = getattr(slot, "flags", 0) & NO_BUFFER
            token = f"{source[1]}.shape" if sizes_alone else source[1]
            if token not in saves:
                saves.append(token)
            order.append(("s", saves.index(token)))
    own = told.attributes if isinstance(told, NativeOperator) else None
    names = [a.name for a in own] if own is not None else list(told.attrs)
    attrs = [n for n in names if n in op.attrs and n not in binding.fixed]
    results = [
        binding.outputs.index(s.name) if s.name in binding.outputs else None for s in op.inputs
    ]
    run = _native_run(told) if isinstance(told, NativeOperator) else _built_in_run(told)
    kernel = _gradient_kernel(len(carried), order, results, run, binding.fixed)
    return Gradient(kernel, saves, attrs, takes_needs_grad=True)


def _gradient_kernel(
    count: int, order: list, results: list, run: Callable, fixed: dict[str, Any]
) -> Callable:
    """A gradient as the tape calls it: ``kernel(gradients, saved, attributes, needs_grad)``."""

    def kernel(*values: Any, needs_grad: Any, **attrs: Any) -> Any:
        like = values[0]
        given = [
            None if at is None else _sized(values[at[1] + (0 if at[0] == "d" else count)], like)
            for at in order
        ]
        wanted: list[Any] = [False] * (1 + max((r for r in results if r is not None), default=-1))
        for position, need in zip(results, needs_grad):
            if position is not None:
                wanted[position] = need
        made = run(given, {**attrs, **fixed}, wanted)
        grads = [None if r is None else made[r] for r in results]
        return grads[0] if len(grads) == 1 else tuple(grads)

    return kernel


def _sized(value: Any, like: Any) -> Any:
    """A saved shape as the C interface shows it; buffers as they are."""
    if isinstance(value, torch.Size):
        like = like[0] if isinstance(like, (list, tuple)) else like
        return Shown(tuple(value), CODES[like.dtype])
    if isinstance(value, list) and value and isinstance(value[0], torch.Size):
        return [_sized(v, like) for v in value]
    return value


def _native_run(told: NativeOperator) -> Callable:
    caller = Caller(told, gradient=True)
    kernel = kernel_of(caller)
    names = {a.name: py(a.name) for a in told.attributes}
    single = len(told.outputs) == 1
    inplace = any(s.inplace >= 0 for s in told.outputs)

    def run(given: list, attrs: dict[str, Any], wanted: list[Any]) -> Any:
        plain = all(type(b) is torch.Tensor for b in given)
        if plain and not inplace and all(w is True for w in wanted):
            made = kernel(*given, **{names[n]: v for n, v in attrs.items()})
            return (made,) if single else made
        slots = [
            list(b) if isinstance(b, (list, tuple)) else [] if b is None else [b] for b in given
        ]
        made = caller.run(slots, attrs, wanted + [False] * (len(told.outputs) - len(wanted)))
        return [
            slot if s.many else slot[0] if slot else None for s, slot in zip(told.outputs, made)
        ]

    return run


def _built_in_run(told: OpDef) -> Callable:
    single = len(told.outputs) == 1

    def run(given: list, attrs: dict[str, Any], wanted: list[Any]) -> Any:
        made = told.kernel(*given, **{py(k): v for k, v in {**told.attrs, **attrs}.items()})
        return (made,) if single else made

    return run
