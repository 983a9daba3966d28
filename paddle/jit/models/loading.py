"""paddle.jit.load: a saved model of any release as a Layer."""

from __future__ import annotations

import re
from typing import Any

from paddle.core import unique_name
from paddle.core.dtype import VarType
from paddle.core.tensor import Tensor, parameter
from paddle.ir.inference import persistables
from paddle.ir.program import Program
from paddle.ir.variable import Variable
from paddle.jit.models.translated_layer import TranslatedLayer
from paddle.serialization.models.saved_model import SavedModel
from paddle.serialization.pickles.restoring import array_to_tensor
from paddle.serialization.program_state import check_fit
from paddle.static.io_arguments import checked_path, model_filenames

__all__ = ["load"]

# How names begin that Tensors get which were given none; others may have such a one at any time.
_UNNAMED = ("dygraph_tmp_", "generated_tensor_", "eager_tmp_")
_FLOATING = frozenset([VarType.FP16, VarType.BF16, VarType.FP32, VarType.FP64])


def load(path: str, **configs: Any) -> TranslatedLayer:
    """Loads a saved model as a Layer that predicts and can be trained further.

    Reads what ``paddle.jit.save``, ``paddle.static.save_inference_model`` and
    ``Model.save(training=False)`` wrote here or in any 2.x release, and what
    ``fluid.io.save_inference_model`` of 1.x wrote in any of its layouts. Variables get new names.

    Args:
        path (str): the prefix of the files, or the folder of a 1.x model.
        **configs: for a folder:
            ``model_filename`` (str): the program file. Default: ``__model__``.
            ``params_filename`` (str): the file of all parameters. Default: ``__params__`` if there
            is one, else each parameter has a file.

    Returns:
        TranslatedLayer: with the saved methods.

    Raises:
        RuntimeError: (also a FileNotFoundError) a file is not there; says what lies beside it.
        ValueError: a file is truncated, damaged, of a later release or of another model.

    Examples:
        .. code-block:: python

            import os, tempfile
            import paddle
            from paddle.static import InputSpec

            net = paddle.nn.Linear(4, 3)
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "net")
                paddle.jit.save(net, path, input_spec=[InputSpec([None, 4])])
                loaded = paddle.jit.load(path)
            loaded.eval()
            print(loaded(paddle.rand([2, 4])).shape)  # [2, 3]
            print([name for name, _ in loaded.named_parameters()])  # ['param_0', 'param_1']
    """
    where = "paddle.jit.load"
    name = checked_path(path, f"{where}(path)")
    model = SavedModel.read(name, where, model_filenames(configs, where))
    kinds: dict[str, bool | None] = {}
    for program in model.programs.values():
        variables = {v.name: v for v in persistables(program)}
        check_fit(variables, model.values, f"{where} from '{name}'")
        written = _written(program)
        for key, var in variables.items():
            known = model.table.get(key)
            mine = _trainable(var, written) if known is None else known.get("trainable")
            # What one method trains and another one writes (running statistics) is a buffer.
            kinds[key] = mine if kinds.get(key, True) else kinds[key]
    tensors = {
        key: _tensor(key, value, kinds[key], model.table.get(key, {}))
        for key, value in model.values.items()
    }
    made = TranslatedLayer(model.programs, tensors)
    made._structured = model.structured_names
    made._left_out = model.left_out
    return made


def _written(program: Program) -> set[str]:
    return {n for b in program.blocks for op in b.ops for n in op.output_arg_names}


def _trainable(var: Variable, written: set[str]) -> bool | None:
    """Whether a variable without an entry in a table is a Parameter; None: a buffer.

    Files of 1.x do not tell: what has floating values that no operator changes can be trained.
    """
    return True if var.dtype in _FLOATING and var.name not in written else None


def _tensor(name: str, value: Any, trainable: bool | None, told: dict[str, Any]) -> Tensor:
    """The Tensor for a stored variable, under a new name."""
    fresh = unique_name.generate(re.sub(r"_\d+$", "", name))
    if fresh.startswith(_UNNAMED):
        fresh = unique_name.generate("translated_tensor")
    tensor = array_to_tensor(value.array, fresh)
    if trainable is None:
        tensor.persistable = True
        tensor.stop_gradient = bool(told.get("stop_gradient", True))
        return tensor
    return parameter(tensor._buf, name=fresh, trainable=bool(trainable))
