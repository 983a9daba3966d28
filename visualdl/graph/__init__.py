"""The graph page's server side: reads model files as graphs, and writes the Program of a Layer.

Reading needs neither paddle nor onnx: :mod:`visualdl.graph.schema` states the few messages of
which model files consist. Only :func:`visualdl.graph.writing.write` imports paddle.
"""

from __future__ import annotations

from typing import Any


def write(folder: str, model: Any, input_spec: Any, suffix: str = "", verbose: bool = False) -> str:
    """Writes the Program of a Layer beside a log; see :func:`visualdl.graph.writing.write`."""
    from visualdl.graph import writing

    return writing.write(folder, model, input_spec, suffix, verbose)
