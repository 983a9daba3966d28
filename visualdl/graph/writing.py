"""Writes the Program of a Layer beside a log, for the graph page."""

from __future__ import annotations

import contextlib
import os
import tempfile
import time
from collections.abc import Iterator
from typing import Any


def write(folder: str, model: Any, input_spec: Any, suffix: str = "", verbose: bool = False) -> str:
    """Converts a Layer and writes its Program to ``vdlgraph.<time>.pdmodel``.

    The operators' name scopes say which layer made them, as in ``/LeNet[model]/Conv2D[conv1]/``.
    The Layer stays as it is; it is converted as it runs now, in training or in evaluation.

    Args:
        folder (str): that of the log.
        model (Layer): what is converted.
        input_spec (list): an ``InputSpec`` or a Tensor for each input.
        suffix (str): stands before ``.pdmodel``.
        verbose (bool): prints how many operators of each type there are.

    Returns:
        str: path of the file.

    Raises:
        ValueError: it is no Layer, or cannot be converted with these inputs.
    """
    import paddle

    if not isinstance(model, paddle.nn.Layer):
        raise ValueError(
            f"add_graph(model): expected a paddle.nn.Layer, but received {type(model).__name__}."
        )
    if not isinstance(input_spec, (list, tuple)) or not input_spec:
        raise ValueError(
            "add_graph(input_spec): expected a list with an InputSpec or a Tensor for each input, "
            f"but received {input_spec!r}."
        )
    with tempfile.TemporaryDirectory() as place, _scopes(model):
        try:
            paddle.jit.save(model, os.path.join(place, "graph"), input_spec=list(input_spec))
        except Exception as error:
            raise ValueError(
                f"add_graph(model, input_spec): {type(model).__name__} cannot be converted with "
                f"these inputs: {error}"
            ) from error
        with open(os.path.join(place, "graph.pdmodel"), "rb") as file:
            data = file.read()
    path = _write(folder, data, suffix)
    if verbose:
        _print(data, type(model).__name__)
    return path


def _print(data: bytes, name: str) -> None:
    from visualdl.graph.files import read_bytes

    graph = read_bytes(data, name).as_json()
    rows = [*graph["operators"].items(), ("parameters", f"{graph['parameters']['count']:,}")]
    wide = max(len(row[0]) for row in rows)
    print(f"{name}: {sum(graph['operators'].values())} operators")
    for kind, count in rows:
        print(f"  {kind:<{wide}}  {count}")


@contextlib.contextmanager
def _scopes(model: Any) -> Iterator[None]:
    """While this is open, each layer's operators are recorded in a name scope of their own."""
    from paddle.static import name_scope

    entered: list[tuple[str, Any]] = []
    hooks = []

    def hook(layer: Any, path: str) -> None:
        def before(layer: Any, inputs: Any) -> None:
            above = f"{entered[-1][0]}." if entered and entered[-1][0] else ""
            name = path[len(above) :] if path.startswith(above) else path
            label = f"{type(layer).__name__}[{name or 'model'}]".replace("/", "_")
            entered.append((path, name_scope(label)))
            entered[-1][1].__enter__()

        def after(layer: Any, inputs: Any, outputs: Any) -> None:
            if entered:
                entered.pop()[1].__exit__(None, None, None)

        hooks.append(layer.register_forward_pre_hook(before))
        hooks.append(layer.register_forward_post_hook(after))

    for path, layer in model.named_sublayers(include_self=True):
        hook(layer, path)
    try:
        yield
    finally:
        for made in hooks:
            made.remove()
        while entered:
            entered.pop()[1].__exit__(None, None, None)


def _write(folder: str, data: bytes, suffix: str) -> str:
    """Writes the bytes under a name that no file has; readers never see half of it."""
    os.makedirs(folder, exist_ok=True)
    made = os.path.join(folder, f".vdlgraph.{os.getpid()}.{time.time_ns()}")
    try:
        with open(made, "xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        at = int(time.time())
        while True:
            path = os.path.join(folder, f"vdlgraph.{at:010d}{suffix}.pdmodel")
            try:
                os.link(made, path)
                return path
            except FileExistsError:
                at += 1
            except OSError:  # a file system without links
                os.replace(made, path)
                return path
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(made)
