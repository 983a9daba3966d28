"""Plan: a Program made ready to run: passes, one generated function, its values of a scope."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from paddle.core.debug import enabled
from paddle.core.errors import (
    FrameworkError,
    InvalidArgumentError,
    InvalidTypeError,
    MissingValueError,
    PreconditionNotMetError,
    kernel_error,
)
from paddle.executor.codegen import Emitter
from paddle.executor.emitters import arrays as _arrays  # noqa: F401  (these register emitters)
from paddle.executor.emitters import control_flow as _control_flow  # noqa: F401
from paddle.executor.emitters import effects as _effects  # noqa: F401
from paddle.executor.emitters import exchanges as _exchanges  # noqa: F401
from paddle.executor.emitters import files as _files  # noqa: F401
from paddle.executor.emitters import parameter_server as _parameter_server  # noqa: F401
from paddle.executor.emitters import quantized as _quantized  # noqa: F401
from paddle.executor.emitters import readers as _readers  # noqa: F401
from paddle.executor.emitters import recurrent as _recurrent  # noqa: F401
from paddle.executor.emitters import row_split as _row_split  # noqa: F401
from paddle.executor.emitters import sequences as _sequences  # noqa: F401
from paddle.executor.emitters import updates as _updates  # noqa: F401
from paddle.executor.run import without_torch_gradients
from paddle.executor.scope import Scope
from paddle.ir.operator import Operator
from paddle.ir.program import Program
from paddle.ir.versions import RANK_0_SINCE

_count = 0


class Plan:
    """A Program compiled for given feeds and fetches.

    Args:
        program (Program): what to run, after all passes.
        feeds (Sequence[str]): variables that are given, in the order of the arguments.
        fetches (Sequence[str]): variables to return.
        op_callback (callable, optional): called as ``op_callback(operator, *buffers)``
            after every operator.
    """

    built = 0  # how many were made in this process

    def __init__(
        self,
        program: Program,
        feeds: Sequence[str],
        fetches: Sequence[str],
        op_callback: Callable | None = None,
    ) -> None:
        Plan.built += 1
        self.program = program
        self.feeds = list(feeds)
        self.fetches = list(fetches)
        self._file = f"<plan {Plan.built}>"
        emitter = self._emitter(op_callback, _keeps_rank_0(program))
        self.source = emitter.source()
        self.scope_names = emitter.scope_names
        self._needed = emitter.needed
        self._origin = emitter.origin
        names = dict(emitter.constants)
        if enabled("plan"):
            print(f"# {self._file}: feed {self.feeds}, fetch {self.fetches}\n{self.source}")
        exec(compile(self.source, self._file, "exec"), names)
        self._bind = names["bind"]
        self._starts = getattr(op_callback, "starts", None)  # called when a run begins
        self._made: weakref.WeakKeyDictionary[Scope, list[str]] = weakref.WeakKeyDictionary()
        self._bound: weakref.WeakKeyDictionary[Scope, Any] = weakref.WeakKeyDictionary()

    def _emitter(self, op_callback: Callable | None, keeps_rank_0: bool) -> Emitter:
        return Emitter(self.program, self.feeds, self.fetches, op_callback, keeps_rank_0)

    def bound(self, scope: Scope) -> Any:
        """Returns the function that works on the values of a scope."""
        known = self._bound.get(scope)
        if known is not None and known[0] == Scope.changes:
            return known[2]
        try:
            held = [scope.find_var(name).held for name in self.scope_names]  # type: ignore[union-attr]
        except AttributeError:
            held = self._holders(scope)
        if known is not None and all(a is b for a, b in zip(known[1], held, strict=True)):
            step = known[2]
        else:
            step = self._bind(*held)
        self._bound[scope] = (Scope.changes, held, step)
        return step

    def run(self, scope: Scope, buffers: Sequence[Any]) -> tuple:
        """Runs one step and returns the fetched buffers."""
        if self._starts is not None:
            self._starts()
        try:
            return without_torch_gradients(self.bound(scope), buffers)
        except Exception as error:
            explained = self.failed(error, scope)
            if explained is error:
                raise
            raise explained from error

    def failed(self, error: Exception, scope: Scope) -> Exception:
        """Returns the error to raise for one that came out of the function."""
        explained = self._explained(error, scope)
        self._forget(scope)
        return explained

    def _holders(self, scope: Scope) -> list[Any]:
        """The scope's holders of all variables; those that it does not know yet are made."""
        self._made[scope] = [n for n in self.scope_names if scope.find_var(n) is None]
        return [(scope.find_var(n) or scope.var(n)).held for n in self.scope_names]

    def _forget(self, scope: Scope) -> None:
        """Takes out what was made but got no value: it would hide an outer scope's variable."""
        made = self._made.pop(scope, [])
        scope.erase([n for n in made if not scope.var(n).is_initialized()])
        self._bound.pop(scope, None)

    def _explained(self, error: Exception, scope: Scope) -> Exception:
        """The framework's error for what went wrong inside of the generated function."""
        trace, op = error.__traceback__, None
        frame = None
        while trace is not None:
            if trace.tb_frame.f_code.co_filename == self._file:
                frame = trace.tb_frame
                line = trace.tb_lineno - 1
                op = self._origin[line] if line < len(self._origin) else None
            trace = trace.tb_next
        if frame is None:
            return error
        if getattr(error, "_explained", False):
            return error
        nothing = isinstance(error, (TypeError, AttributeError)) and "NoneType" in str(error)
        if op is None or isinstance(error, AttributeError):
            missing = self._uninitialised(scope)
            if missing is not None:
                return missing
        if nothing or isinstance(error, NameError):
            # A kernel was given nothing: what it reads is written in a branch that did not run, or
            # by an operator that comes later.
            reader = "the end of the run" if op is None else op.type
            names = self.fetches if op is None else op.input_arg_names
            error = PreconditionNotMetError(
                f"{reader} reads a variable that has no value: one of {names}."
            ).with_traceback(error.__traceback__)
        if op is None:
            return error
        explained = _with_location(error, op)
        if self.program.program_version and not isinstance(explained, FrameworkError):
            explained = refused(explained, op)
            explained._explained = True  # type: ignore[attr-defined]
        return explained

    def _uninitialised(self, scope: Scope) -> Exception | None:
        for name in self._needed:
            found = scope.find_var(name)
            if found is None or found.held.tensor is None:
                return self._missing(name)
        return None

    def _missing(self, name: str) -> Exception:
        """The error for a variable that has no value."""
        var = self.program._find_var(name)
        if var is not None and not var.persistable:
            wanted = " is to be fetched, but it" if name in self.fetches else ""
            return MissingValueError(
                f"variable {name!r}{wanted} has no value: no operator of the Program makes it "
                "before it is used, it was not fed, and the scope does not hold it.",
                hint=f"feed it, or fetch a variable that an operator makes; fed were {self.feeds}",
            )
        kind = "parameter" if var is not None and var.is_parameter else "variable"
        return MissingValueError(
            f"{kind} {name!r} is not initialized: the scope holds no value for it.",
            hint="run the startup program first: exe.run(paddle.static.default_startup_program())",
        )


def _with_location(error: Exception, op: Operator) -> Exception:
    known = op.definition
    made: Exception = error
    if known is not None and not isinstance(error, (KeyboardInterrupt, StopIteration)):
        made = kernel_error(known, (), {}, error)
    if op.location is not None and made.args:
        text = f"{made.args[0]}\n  the operator was added here:\n  {op.location}"
        made.args = (text, *made.args[1:])
    made._explained = True  # type: ignore[attr-defined]
    made._location = op.location  # type: ignore[attr-defined]  # for the list of paddle.jit.explaining.errors
    return made


def refused(error: Exception, op: Operator | None = None) -> Exception:
    """The error for a Program of a file that has no form in which it could run.

    Args:
        error (Exception): what that led to.
        op (Operator, optional): where.
    """
    where = "the Program" if op is None else f"operator {op.type} of block {op.block.idx}"
    text = f"{where} cannot be run: {error}" if str(error) else f"{where} cannot be run"
    kind = InvalidTypeError if isinstance(error, TypeError) else InvalidArgumentError
    made = kind(
        text if isinstance(error, TypeError) else f"{text} ({type(error).__name__}).",
        hint="the file is damaged, or was put together by hand",
    )
    return made.with_traceback(error.__traceback__)


@contextmanager
def checked_plan(program: Program) -> Iterator[None]:
    """Says that a Program which was read from a file cannot be compiled, and why.

    What a file can lack is found when it is read; this is for what only shows in the end.
    """
    try:
        yield
    except (FrameworkError, NotImplementedError):
        raise
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        if not program.program_version:
            raise
        raise refused(error) from error


def _keeps_rank_0(program: Program) -> bool:
    """Whether the Program was written by a release that has tensors without dimensions."""
    return program.program_version >= RANK_0_SINCE
