"""Changes the Program of a saved model where it lies."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from paddle.core.place import CPUPlace
from paddle.executor.executor import Executor
from paddle.executor.scope import Scope, scope_guard
from paddle.framework.mode import disable_static, enable_static, in_dynamic_mode
from paddle.ir.program import Program
from paddle.static.io_inference import load_inference_model, save_inference_model


def rewrite(path: Any, change: Callable[[Program, Scope], Program]) -> None:
    """Loads a model, lets its Program be changed, and saves it under the same name.

    Args:
        path (str): files are called so, with their ends.
        change (callable): gets the Program and the scope of its weights, and returns the Program
            to save.
    """
    path = os.fspath(path)
    dynamic = in_dynamic_mode()
    enable_static()
    try:
        scope = Scope()
        with scope_guard(scope):
            executor = Executor(CPUPlace())
            program, feeds, fetches = load_inference_model(path, executor)
            changed = change(program, scope)
            block = changed.global_block()
            inputs = [block.var(name) for name in feeds]
            results = [block.var(v.name) for v in fetches]
            save_inference_model(path, inputs, results, executor, program=changed)
    finally:
        if dynamic:
            disable_static()
