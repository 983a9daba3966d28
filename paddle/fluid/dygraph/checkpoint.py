"""save_dygraph: state dicts under the names of 1.x; ``load_dygraph`` is 2.0's."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from paddle.core.errors import NotFoundError
from paddle.core.tensor import Parameter
from paddle.framework import io

__all__ = ["load_dygraph", "save_dygraph"]


def save_dygraph(state_dict: Mapping[str, Any], model_path: str) -> None:
    """Writes a Layer's state to ``<path>.pdparams``, an optimizer's to ``<path>.pdopt``.

    Args:
        state_dict (dict): what ``Layer.state_dict()`` or ``Optimizer.state_dict()`` returned.
        model_path (str): folder and name, without a suffix.

    Raises:
        AssertionError: the dict is empty, or the path has no name.
        TypeError: it is no dict.

    Examples:
        .. code-block:: python

            import os, tempfile
            import paddle.fluid as fluid
            with fluid.dygraph.guard(), tempfile.TemporaryDirectory() as folder:
                linear = fluid.dygraph.Linear(2, 3)
                fluid.save_dygraph(linear.state_dict(), os.path.join(folder, "net"))
                params, state = fluid.load_dygraph(os.path.join(folder, "net"))
                print(params["weight"].shape, state)  # (2, 3) None
    """
    if not hasattr(state_dict, "items"):
        raise TypeError(
            "save_dygraph(state_dict): expected a dict of names to Tensors, "
            f"but received {type(state_dict).__name__}."
        )
    assert os.path.basename(model_path), (
        f"save_dygraph(model_path): expected folder/name, but received {model_path!r}."
    )
    assert len(state_dict) > 0, "save_dygraph(state_dict): the dict is empty, nothing to save."
    trained = any(isinstance(value, Parameter) for value in state_dict.values())
    io.save(dict(state_dict), model_path + (".pdparams" if trained else ".pdopt"))


def load_dygraph(
    model_path: str, keep_name_table: bool = False, **configs: Any
) -> tuple[dict | None, dict | None]:
    """Reads what :func:`save_dygraph` wrote, here or in PaddlePaddle 1.x.

    Args:
        model_path (str): folder and name; a suffix ``.pdparams`` or ``.pdopt`` may be there.
        keep_name_table (bool): keep the entry that maps the dict's names to those of the
            parameters. Default: False.
        **configs: what 2.0 takes in its place.

    Returns:
        tuple: the state of the Layer and that of the optimizer, as dicts of arrays; None where
        there is no such file.

    Raises:
        RuntimeError: there is neither file.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            try:
                fluid.load_dygraph("no/such/model")
            except RuntimeError as error:
                print(type(error).__name__)  # NotFoundError
    """
    if keep_name_table:
        configs["keep_name_table"] = True
    try:
        return io.load_dygraph(model_path, **configs)
    except NotFoundError:
        folder = _folder_of_variables(model_path)
        if folder is None:
            raise
        return io.load(folder, return_numpy=True, **configs), None


def _folder_of_variables(path: str) -> str | None:
    """A model of 1.x or 2.0 that other functions saved, of which the parameters are read."""
    found = os.path.isdir(path) or os.path.isfile(path + ".pdmodel")
    return path if found else None
