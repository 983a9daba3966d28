"""Layers that few Programs have: random parts of pictures, values from a file."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from paddle.core import unique_name
from paddle.core.errors import InvalidArgumentError
from paddle.core.guards import guard_module
from paddle.core.mode import recording
from paddle.fluid.mode import settle_static
from paddle.incubate.layer_helper import LayerHelper
from paddle.nn.initializer import Constant

__all__ = ["load", "random_crop"]


def load(out: Any, file_path: str, load_as_fp16: bool | None = None) -> None:
    """Adds an operator that reads a variable from a file each time the Program runs.

    Args:
        out (Variable): what is read.
        file_path (str): a file that ``save`` or ``fluid.io.save_vars`` wrote.
        load_as_fp16 (bool, optional): read as float16.

    Raises:
        ValueError: the path is empty.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            w = fluid.layers.create_tensor(dtype="float32")
            fluid.layers.load(w, "/tmp/w")
            print(fluid.default_main_program().global_block().ops[-1].type)  # load
            paddle.disable_static()
    """
    settle_static("fluid.layers.load")
    if not file_path:
        raise InvalidArgumentError(f"load(file_path): expected a path, but received {file_path!r}.")
    attrs: dict[str, Any] = {"file_path": os.fspath(file_path)}
    if load_as_fp16 is not None:
        attrs["load_as_fp16"] = load_as_fp16
    LayerHelper("load").append_op(type="load", inputs={}, outputs={"Out": out}, attrs=attrs)


def seeded(operator: str, x: Any, seed: Any, **attrs: Any) -> Any:
    """Runs or records an operator that draws by a seed, which it replaces by the next one.

    Args:
        operator (str): its name; inputs X and Seed.
        x (Tensor|Variable): the first.
        seed (int|Variable|None): the second; None: any number.
        **attrs: attributes.

    Returns:
        The first result.
    """
    helper = LayerHelper(operator)
    seed = int(np.random.randint(-65536, 65536)) if seed is None else seed
    if isinstance(seed, int):
        attrs["startup_seed"], seed = seed, _seed(helper, operator, seed)
    if not recording():
        return helper.call(operator, x, seed, **attrs)[0]
    out = helper.create_variable_for_type_inference(x.dtype)
    outputs = {"Out": out, "SeedOut": seed}
    if operator == "shuffle_batch":
        outputs["ShuffleIdx"] = helper.create_variable_for_type_inference("int64")
    helper.append_op(type=operator, inputs={"X": x, "Seed": seed}, outputs=outputs, attrs=attrs)
    return out


def _seed(helper: LayerHelper, operator: str, value: int) -> Any:
    """A seed that outlives a run; the startup Program fills it."""
    if not recording():
        return helper.to_variable(np.array([value], "int64"))
    name = unique_name.generate(f"{operator}_seed")
    made = helper.create_global_variable(name=name, dtype="int64", shape=[1], persistable=True)
    helper.set_variable_initializer(made, Constant(value))
    return made


def random_crop(x: Any, shape: Any, seed: Any = None) -> Any:
    """Takes a part of given size from a random place of each instance.

    Args:
        x (Variable): instances below each other.
        shape (list[int]): the size of a part; the dimensions before number the instances.
        seed (int|Variable, optional): the first seed; None: any.

    Returns:
        Variable: the parts.

    Raises:
        ValueError: the part does not fit.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            image = fluid.data("image", [None, 3, 32, 32])
            print(fluid.layers.random_crop(image, shape=[3, 28, 28]).shape)  # (-1, 3, 28, 28)
            paddle.disable_static()
    """
    return seeded("random_crop", x, seed, shape=[int(n) for n in shape])


guard_module(globals())
