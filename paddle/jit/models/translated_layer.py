"""TranslatedLayer: a Layer whose methods are Programs that were read from files."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Mapping
from typing import Any

from paddle.core.errors import (
    FrameworkError,
    InvalidArgumentError,
    NotFoundError,
    PreconditionNotMetError,
)
from paddle.core.mode import grad_enabled, no_grad, recording
from paddle.core.tensor import Parameter, Tensor
from paddle.core.user_frame import outside
from paddle.executor.program_call import ProgramCall
from paddle.ir.inference import FEED, FETCH, persistables
from paddle.ir.program import Program
from paddle.jit.models.loaded_method import Method, bound, method_of, unlike_the_example
from paddle.nn.layer.layers import Layer
from paddle.nn.layer.members import changes
from paddle.serialization.program import proto

__all__ = ["TranslatedLayer"]


class TranslatedLayer(Layer):
    """A Layer made of saved Programs: predicts, is trained further, and can be saved again.

    :func:`paddle.jit.load` makes it. Its parameters are called ``param_0``, ``param_1``, ... and
    its buffers ``buffer_0``, ..., in the order of the names that their variables have in the
    Programs; the Tensors themselves get new names, so that they cannot be mistaken for others.
    Every saved method can be called, :meth:`forward` by calling the Layer. :meth:`train` and
    :meth:`eval` switch what a Program has for both: dropout, batch norm. At first it predicts.

    Args:
        programs (dict[str, Program]): name of the method -> inference Program, whose ``feed`` and
            ``fetch`` operators state the inputs and outputs.
        persistable_vars (dict[str, Tensor]): name of a stored variable -> its Tensor; a Parameter
            can be trained.

    Examples:
        .. code-block:: python

            import os, tempfile
            import paddle
            from paddle.static import InputSpec

            net = paddle.nn.Sequential(paddle.nn.Linear(4, 3), paddle.nn.ReLU())
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "net")
                paddle.jit.save(net, path, input_spec=[InputSpec([None, 4])])
                loaded = paddle.jit.load(path)
            x = paddle.rand([2, 4])
            print(paddle.allclose(loaded(x), net(x)).numpy())  # [ True]
            adam = paddle.optimizer.Adam(parameters=loaded.parameters())
            loaded.train()
            loaded(x).mean().backward()
            adam.step()
    """

    def __init__(self, programs: dict[str, Program], persistable_vars: dict[str, Tensor]) -> None:
        super().__init__()
        self.training = False  # a loaded model predicts until train() is called
        self._methods = {name: method_of(name, p) for name, p in _checked(programs).items()}
        self._calls: dict[tuple[str, bool], tuple[int, list[Tensor], ProgramCall]] = {}
        self._predicting: set[str] = set()  # methods whose Programs have no gradient
        self._members_of: dict[str, tuple[str, str]] = {}  # variable -> registry, key in it
        self._left_out: dict[str, str] = {}  # methods that could not be loaded, and why
        self._structured: dict[str, str] = {}  # variable -> its name in the Layer that was saved
        for name, tensor in sorted(_checked_tensors(persistable_vars, self._methods).items()):
            trained = isinstance(tensor, Parameter)
            kind = "_parameters" if trained else "_buffers"
            key = f"{'param' if trained else 'buffer'}_{len(self.__dict__[kind])}"
            if trained:
                self.add_parameter(key, tensor)  # type: ignore[arg-type]
            else:
                self.register_buffer(key, tensor)
            self._members_of[name] = (kind, key)

    # -- computing ----------------------------------------------------------------------------

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """Runs the Program of ``forward``.

        Args:
            *inputs: Tensors or arrays, one for each input, in the order of :meth:`program`; lists
                and dicts of them are taken apart.
            **kwargs: inputs by their names in the Program.

        Returns:
            Tensor, or a list of them where the Program has several outputs.
        """
        return self._run("forward", *inputs, **kwargs)

    def __getattr__(self, name: str) -> Any:
        if name in self.__dict__.get("_methods", ()):
            return functools.partial(self._run, name)
        if name in self.__dict__.get("_left_out", ()):
            raise AttributeError(f"method {name!r} was not loaded: {self._left_out[name]}")
        return super().__getattr__(name)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self._methods})

    def program(self, method_name: str = "forward") -> Program:
        """Returns the Program of a method, as it was read.

        Args:
            method_name (str): the method. Default: forward.

        Raises:
            RuntimeError: there is no such method; says which there are.

        Examples:
            .. code-block:: python

                import os, tempfile
                import paddle
                from paddle.static import InputSpec

                with tempfile.TemporaryDirectory() as folder:
                    path = os.path.join(folder, "net")
                    paddle.jit.save(paddle.nn.ReLU(), path, input_spec=[InputSpec([None, 4])])
                    program = paddle.jit.load(path).program()
                print([op.type for op in program.global_block().ops])
                # ['feed', 'relu', 'scale', 'fetch']
        """
        return self._method(method_name, "TranslatedLayer.program(method_name)").program

    def _method(self, name: Any, where: str) -> Method:
        if not isinstance(name, str):
            raise TypeError(f"{where}: expected a str, but received {type(name).__name__}.")
        if name not in self._methods:
            raise NotFoundError(
                f"{where}: there is no method {name!r}; the model has {sorted(self._methods)}."
            )
        return self._methods[name]

    def _run(self, method_name: str, /, *inputs: Any, **kwargs: Any) -> Any:
        method = self._method(method_name, f"TranslatedLayer.{method_name}")
        values = bound(method_name, method, inputs, kwargs)
        if recording():
            from paddle.jit.models.inlining import inlined

            given = dict(zip(method.inputs, values, strict=True))
            results: list[Any] = inlined(
                self._prepared(method), given, self._tensors(), method.outputs
            )
        else:
            try:
                results = self._computed(method_name, method, values)
            except FrameworkError as error:
                told = unlike_the_example(method, values)
                error.args = (f"{error.args[0]}{told}", *error.args[1:])
                raise
        return results[0] if len(results) == 1 else results

    def _computed(self, name: str, method: Method, values: list[Tensor]) -> list[Tensor]:
        call = self._call(name, method)
        if self.training or name not in self._predicting:
            try:
                return call(values)
            except (NotImplementedError, PreconditionNotMetError) as error:
                if self.training or not grad_enabled():
                    raise
                reason = str(error).partition("\n")[0]
        with no_grad():  # what cannot be trained can be used for prediction all the same
            results = call(values)
        if name not in self._predicting:
            self._predicting.add(name)
            warnings.warn(
                f"TranslatedLayer.{name}: no gradients are computed in evaluation mode, for its "
                f"Program has none: {reason}",
                stacklevel=outside(),
            )
        return results

    def _call(self, name: str, method: Method) -> ProgramCall:
        """The call of a method in the current mode, made anew when a member was replaced."""
        known = self._calls.get((name, self.training))
        if known is not None and known[0] == changes.count:
            return known[2]
        now = changes.count
        members = [*self._parameters.values(), *self._buffers.values()]
        if known is not None and all(map(_same, known[1], members)):
            self._calls[name, self.training] = now, members, known[2]
            return known[2]
        mentioned = {v.name for v in persistables(method.program)}
        tensors = {n: t for n, t in self._tensors().items() if n in mentioned}
        call = ProgramCall(self._prepared(method), method.inputs, method.outputs, tensors)
        self._calls[name, self.training] = now, members, call
        return call

    def _prepared(self, method: Method) -> Program:
        """A copy of a Program without its feed and fetch operators, in the current mode."""
        made = method.program.clone()
        block = made.global_block()
        block.ops = [op for op in block.ops if op.type not in (FEED, FETCH)]
        for name in (FEED, FETCH):
            block.vars.pop(name, None)
        for inner in made.blocks:
            for op in inner.ops:
                known = op.definition
                if op.sub_blocks:  # a loop for testing has no gradient, but eval() may want one
                    op._set_attr("is_test", False)
                elif "is_test" in op.attrs or (known is not None and "is_test" in known.attrs):
                    op._set_attr("is_test", not self.training)
        made.note_change()
        return made

    def _tensors(self) -> dict[str, Tensor]:
        """The Tensor of each stored variable, by its name in the Programs."""
        found = {n: self.__dict__[kind].get(key) for n, (kind, key) in self._members_of.items()}
        gone = [n for n, t in found.items() if t is None]
        if gone:
            raise PreconditionNotMetError(
                f"TranslatedLayer: {self._members_of[gone[0]][1]}, which the Program needs as "
                f"{gone[0]!r}, was removed."
            )
        return found

    # -- copying ------------------------------------------------------------------------------

    def __reduce__(self) -> Any:
        programs = {n: proto.to_bytes(m.program) for n, m in self._methods.items()}
        return _restored, (programs, self._tensors(), self._structured, self.training)


def _restored(programs: dict, tensors: dict, structured: dict, training: bool) -> TranslatedLayer:
    """What copying and pickling make of a TranslatedLayer; hooks stay behind."""
    made = TranslatedLayer({n: proto.from_bytes(p) for n, p in programs.items()}, tensors)
    made._structured = dict(structured)
    made.training = training
    return made


def _same(a: Any, b: Any) -> bool:
    return a is b


# -- what it is made of ---------------------------------------------------------------------------


def _checked(programs: Any) -> dict[str, Program]:
    where = "TranslatedLayer(programs)"
    if not isinstance(programs, Mapping) or not programs:
        raise TypeError(
            f"{where}: expected a dict of method names to Programs, "
            f"but received {type(programs).__name__}."
        )
    for name, program in programs.items():
        if not isinstance(name, str) or not isinstance(program, Program):
            raise TypeError(
                f"{where}: expected method names and Programs, "
                f"but received {name!r}: {type(program).__name__}."
            )
    return dict(programs)


def _checked_tensors(tensors: Any, methods: dict[str, Method]) -> dict[str, Tensor]:
    """The Tensors of all stored variables of the Programs."""
    where = "TranslatedLayer(persistable_vars)"
    if not isinstance(tensors, Mapping):
        raise TypeError(
            f"{where}: expected a dict of names to Tensors, but received {type(tensors).__name__}."
        )
    for name, tensor in tensors.items():
        if not isinstance(tensor, Tensor):
            raise TypeError(
                f"{where}: expected a Tensor for {name!r}, but received {type(tensor).__name__}."
            )
    for name, method in methods.items():
        absent = [v.name for v in persistables(method.program) if v.name not in tensors]
        if absent:
            raise InvalidArgumentError(
                f"{where}: the Program of {name!r} needs {', '.join(map(repr, absent[:8]))}, "
                f"but given are {sorted(tensors)[:8]}."
            )
    return dict(tensors)
