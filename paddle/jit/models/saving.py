"""paddle.jit.save: a Layer or function as files from which it can be run without its code."""

from __future__ import annotations

import functools
import inspect
import os
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from paddle.core.errors import InvalidArgumentError
from paddle.core.tensor import Tensor
from paddle.ir.inference import feed_names
from paddle.ir.program import Program
from paddle.jit.calls.static_function import StaticFunction
from paddle.jit.models.exporting import chosen, for_inference, model_of
from paddle.jit.models.loaded_method import Method, is_example
from paddle.jit.models.translated_layer import TranslatedLayer
from paddle.nn.layer.layers import Layer
from paddle.serialization.files.suffixes import OLD_PARAMS
from paddle.serialization.models.layouts import MAIN, folder_layout, prefix_layout
from paddle.serialization.models.saved_model import SavedModel
from paddle.static.input import InputSpec
from paddle.static.io_arguments import options, program_prefix, refuse_folder

__all__ = ["save"]

_WHERE = "paddle.jit.save"
_OPTIONS = ("output_spec", "combine_params", "separate_params", "model_filename", "params_filename")


def _with_old_name(function: Callable) -> Callable:
    """Lets ``path`` be given by the name that it had before 2.0, with a warning."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> None:
        if "model_path" in kwargs:
            if "path" in kwargs or len(args) > 1:
                raise TypeError(f"{_WHERE}: path is given twice, as path and as model_path.")
            warnings.warn(
                f"{_WHERE}(model_path=...) is deprecated; the argument is called path.",
                DeprecationWarning,
                stacklevel=2,
            )
            kwargs["path"] = kwargs.pop("model_path")
        return function(*args, **kwargs)

    return call


@_with_old_name
def save(layer: Any, path: str, input_spec: Any = None, **configs: Any) -> None:
    """Saves a Layer or function, with its parameters, to run it elsewhere.

    Writes ``<path>.pdmodel`` (the Program), ``<path>.pdiparams`` (the parameters) and
    ``<path>.pdiparams.info`` (their names in the Layer). Each further method of the Layer that is
    decorated with ``to_static`` gets ``<path>.<method>.pdmodel`` and ``.pdiparams``. Dropout,
    batch norm and the like are saved as in evaluation; what ``forward`` itself does with
    ``self.training`` is saved as it is now, so call ``layer.eval()`` before. Inputs on which no
    output depends are left out. PaddlePaddle loads the files.

    Args:
        layer (Layer|callable): a Layer, decorated or not; a :class:`TranslatedLayer`; a function.
        path (str): folder and name of the files, without a suffix.
        input_spec (list|tuple, optional): what ``forward`` takes: InputSpecs, or example Tensors
            or arrays; nested like its arguments, plain Python values among them. None where the
            function was decorated with one, or was called before. Must be None for a Layer with
            several decorated methods.
        **configs: options.
            ``output_spec`` (list): the outputs to keep: Tensors that the decorated function
            returned, InputSpecs with the names of outputs, or these names.
            ``combine_params`` (bool): all methods share ``<path>.pdiparams``. Default: False.
            ``separate_params`` (bool): ``path`` becomes a folder as in 1.x, with the Program in
            ``__model__`` and a file for each parameter. Default: False.
            ``model_filename``, ``params_filename`` (str): ``path`` becomes a folder, and these are
            the files in it: the Program's and that of all parameters.

    Raises:
        TypeError: ``layer`` is neither a Layer nor a function, or an argument has a wrong type.
        ValueError: ``input_spec`` does not fit or is missing, or the path has no name.

    Examples:
        .. code-block:: python

            import os, tempfile
            import paddle
            from paddle.static import InputSpec

            net = paddle.nn.Sequential(paddle.nn.Linear(4, 3), paddle.nn.Softmax())
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "net")
                paddle.jit.save(net, path, input_spec=[InputSpec([None, 4], "float32", "x")])
                print(sorted(os.listdir(folder)))
                # ['net.pdiparams', 'net.pdiparams.info', 'net.pdmodel']
                print(paddle.jit.load(path)(paddle.ones([2, 4])).shape)  # [2, 3]
    """
    output_spec, shared, separate, model_name, params_name = _checked_options(configs)
    prefix = program_prefix(path, f"{_WHERE}(path)")
    in_folder = separate or model_name is not None or params_name is not None
    if not in_folder:
        refuse_folder(prefix, f"{_WHERE}(path)")
    model = model_to_save(layer, input_spec, output_spec)
    if not in_folder:
        model.write(prefix_layout(prefix, model.programs, bool(shared)), _WHERE)
        return
    if list(model.programs) != [MAIN]:
        raise InvalidArgumentError(
            f"{_WHERE}: a folder holds the Program of one method, but the Layer has "
            f"{sorted(model.programs)}.",
            hint="leave out separate_params, model_filename and params_filename",
        )
    params = None if separate else params_name or OLD_PARAMS
    model.write(folder_layout(prefix, model_name, params), _WHERE)


# -- arguments ------------------------------------------------------------------------------------


def _checked_options(configs: dict[str, Any]) -> list[Any]:
    values = options(configs, _OPTIONS, _WHERE)
    for name, value in zip(_OPTIONS[1:3], values[1:3], strict=True):
        if value is not None and not isinstance(value, bool):
            raise TypeError(
                f"{_WHERE}({name}): expected a bool, but received {type(value).__name__}."
            )
    for name, value in zip(_OPTIONS[3:], values[3:], strict=True):
        if value is not None and not isinstance(value, str):
            raise TypeError(
                f"{_WHERE}({name}): expected a str, but received {type(value).__name__}."
            )
        if value is not None and (not value or os.path.basename(value) != value):
            raise InvalidArgumentError(
                f"{_WHERE}({name}): expected the name of a file in the folder path, "
                f"but received {value!r}."
            )
    if values[2] and values[4] is not None:
        raise InvalidArgumentError(
            f"{_WHERE}: separate_params=True writes a file for each parameter, but "
            f"params_filename={values[4]!r} names one for all.",
            hint="give one of the two",
        )
    return values


def _checked_spec(input_spec: Any, where: str) -> list[Any] | None:
    """A list in which InputSpecs stand for example Tensors and arrays."""
    if input_spec is None:
        return None
    if not isinstance(input_spec, (list, tuple)):
        raise TypeError(
            f"{where}(input_spec): expected a list or tuple with an entry for each argument, "
            f"but received {type(input_spec).__name__}."
        )
    return [_described(item) for item in input_spec]


def _described(item: Any) -> Any:
    # Without a name: inputs are called after the arguments, not after the example.
    if isinstance(item, (Tensor, np.ndarray)):
        return InputSpec(list(item.shape), item.dtype)
    if isinstance(item, dict):
        return {key: _described(value) for key, value in item.items()}
    if isinstance(item, (list, tuple)) and not hasattr(item, "_fields"):
        return type(item)([_described(value) for value in item])
    return item


# -- what is saved --------------------------------------------------------------------------------


def model_to_save(
    layer: Any,
    input_spec: Any = None,
    output_spec: Any = None,
    where: str = _WHERE,
    forward_only: bool = False,
) -> SavedModel:
    """Returns Programs and values of a Layer or function, as :func:`save` writes them.

    Args:
        layer (Layer|callable): a Layer, decorated or not; a TranslatedLayer; a function.
        input_spec (list|tuple, optional): what ``forward`` takes; see :func:`save`.
        output_spec (list, optional): the outputs to keep; see :func:`save`.
        where (str): the function that is called, for error texts.
        forward_only (bool): further decorated methods of a Layer are left out. Default: False.
    """
    spec = _checked_spec(input_spec, where)
    if isinstance(layer, TranslatedLayer):
        return _of_translated(layer, spec, output_spec, where)
    if isinstance(layer, Layer):
        return _of_layer(layer, spec, output_spec, where, forward_only)
    return _of_function(layer, spec, output_spec, where)


def _of_layer(
    layer: Layer, spec: list | None, output_spec: Any, where: str, forward_only: bool
) -> SavedModel:
    """The methods of a Layer: those that are decorated, else forward."""
    functions = decorated(layer)
    if forward_only:
        functions = {name: f for name, f in functions.items() if name == MAIN}
    if not functions:
        functions = {MAIN: StaticFunction(*_parts(layer.forward))}
    elif MAIN not in functions and type(layer).forward is not Layer.forward:
        raise InvalidArgumentError(
            f"{where}: {type(layer).__name__} decorates {sorted(functions)} with to_static, but "
            "not forward.",
            hint="decorate forward too",
        )
    if len(functions) > 1:
        for name, value in (("input_spec", spec), ("output_spec", output_spec)):
            if value is not None:
                raise InvalidArgumentError(
                    f"{where}({name}): expected None for a Layer with several decorated methods, "
                    f"{sorted(functions)}.",
                    hint="give each its own: @paddle.jit.to_static(input_spec=[...])",
                )
    recorded = [_recorded(name, f, spec, output_spec, where) for name, f in functions.items()]
    return model_of(recorded, members(layer))


def _of_function(function: Any, spec: list | None, output_spec: Any, where: str) -> SavedModel:
    """A function, or a method of a Layer."""
    if not callable(function) or inspect.isclass(function):
        raise TypeError(
            f"{where}(layer): expected a Layer or a function, "
            f"but received {function if inspect.isclass(function) else type(function).__name__}."
        )
    if not isinstance(function, StaticFunction):
        function = StaticFunction(*_parts(function))
    recorded = _recorded(MAIN, function, spec, output_spec, where)
    return model_of([recorded], members(function._owner()))


def _parts(function: Any) -> tuple[Any, Any, Any]:
    """What StaticFunction is made of: the function, no specification, and its instance."""
    owner = getattr(function, "__self__", None)
    return (function, None, None) if owner is None else (function.__func__, None, owner)


def _recorded(
    name: str, function: Any, spec: Any, output_spec: Any, where: str
) -> tuple[str, Program, dict[str, Tensor]]:
    concrete = function.concrete_program_for(spec)
    program = for_inference(
        concrete.main_program, concrete.inputs, concrete.outputs, output_spec, name, where
    )
    for feed in feed_names(program):  # sizes of one example: others may do as well
        var = program.global_block().var(feed)
        var.need_check_feed = not is_example(var)
    return name, program, concrete.tensors


def decorated(layer: Layer) -> dict[str, Any]:
    """Returns the decorated methods of a Layer by name, forward first.

    Args:
        layer (Layer): its class may have them, or the Layer itself.
    """
    names = sorted({*dir(type(layer)), *layer.__dict__})
    found = [n for n in names
             if isinstance(inspect.getattr_static(layer, n, None), StaticFunction)]  # fmt: skip
    return {n: getattr(layer, n) for n in sorted(found, key=lambda n: (n != MAIN, n))}


def members(layer: Any) -> dict[str, Tensor]:
    """Returns parameters and buffers by their names; of what is no Layer there are none."""
    if not isinstance(layer, Layer):
        return {}
    return {**dict(layer.named_parameters()), **dict(layer.named_buffers())}


# -- a loaded Layer again -------------------------------------------------------------------------


def _of_translated(
    layer: TranslatedLayer, spec: list | None, output_spec: Any, where: str
) -> SavedModel:
    """The Programs that a Layer was loaded from, with its present values; specs are of forward."""
    tensors = layer._tensors()
    methods = []
    for name, method in layer._methods.items():
        program = method.program.clone()
        block = program.global_block()
        fetches = [block.var(n) for n in method.outputs]
        if spec is not None and name == MAIN:
            _narrow(program, method, spec, where)
        if output_spec is not None and name == MAIN:
            fetches = chosen(fetches, output_spec, name, where)
            feeds = [block.var(n) for n in method.inputs]
            program = for_inference(program, feeds, fetches, None, name, where)
        methods.append((name, program, tensors))
    named = {layer._structured.get(n, k): tensors[n] for n, (_, k) in layer._members_of.items()}
    return model_of(methods, named)


def _narrow(program: Any, method: Method, spec: Sequence[Any], where: str) -> None:
    """Gives the inputs the shapes of a specification."""
    if len(spec) != len(method.inputs):
        raise InvalidArgumentError(
            f"{where}(input_spec): expected {len(method.inputs)} entries, for {method.inputs}, "
            f"but received {len(spec)}."
        )
    block = program.global_block()
    for name, item in zip(method.inputs, spec, strict=True):
        var = block.var(name)
        if not isinstance(item, InputSpec):
            raise TypeError(
                f"{where}(input_spec): expected an InputSpec or Tensor for input {name!r}, "
                f"but received {type(item).__name__}."
            )
        want, got = list(var.shape), list(item.shape)
        fits = len(want) == len(got) and all(
            w in (-1, g) or g == -1 for w, g in zip(want, got, strict=True)
        )
        if not fits or item.dtype != var.dtype:
            raise InvalidArgumentError(
                f"{where}(input_spec): input {name!r} was saved with shape {want} and "
                f"{var.dtype}, but {item} was given."
            )
        var.shape = [g if w == -1 else w for w, g in zip(want, got, strict=True)]
