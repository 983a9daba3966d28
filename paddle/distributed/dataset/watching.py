"""Shows values of a training that runs."""

from __future__ import annotations

import threading
from typing import Any

from paddle.core.setting import as_here

__all__ = ["FetchHandler", "FetchHandlerMonitor"]


class FetchHandler:
    """Gets values of Variables while ``train_from_dataset`` runs; override ``handler``.

    Args:
        var_dict (dict): a name of the user's -> a Variable.
        period_secs (int): seconds between two calls.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid

            class Show(fluid.executor.FetchHandler):
                def handler(self, res_dict):
                    print(res_dict)

            show = Show({"loss": "mean_0.tmp_0"}, period_secs=5)
    """

    def __init__(self, var_dict: dict[str, Any] | None = None, period_secs: int = 60) -> None:
        if var_dict is None:
            raise ValueError("FetchHandler(var_dict): expected names and Variables, got None.")
        self.var_dict = var_dict
        self.period_secs = period_secs

    def handler(self, res_dict: dict[str, Any]) -> None:
        """To be overridden; this one prints.

        Args:
            res_dict (dict): the user's names -> arrays, or None where there is no value yet.
        """
        for key, value in res_dict.items():
            if value is not None:
                print(f"{key}[0]: {value.ravel()[0]} ", end="")
        print()

    @staticmethod
    def help() -> None:
        """Prints how a handler is written."""
        print(
            "class FetchHandlerExample(FetchHandler):\n"
            "    def handler(self, res_dict):\n"
            '        print(res_dict["auc"])\n'
            'handler = FetchHandlerExample({"auc": auc_variable}, period_secs=60)'
        )


class FetchHandlerMonitor:
    """Calls a FetchHandler from a thread of its own.

    Args:
        scope (Run|Scope): where the values are.
        handler (FetchHandler): what is called.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            show = fluid.executor.FetchHandler({"w": "w_0"}, period_secs=60)
            monitor = fluid.trainer_factory.FetchHandlerMonitor(fluid.Scope(), show)
            monitor.start()
            monitor.stop()
    """

    def __init__(self, scope: Any, handler: FetchHandler) -> None:
        self.fetch_instance = handler
        self.fetch_scope = scope
        self._ended = threading.Event()
        self._thread: threading.Thread | None = None

    def handler_launch_func(self, scope: Any, handler: FetchHandler) -> None:
        """Calls the handler every ``period_secs`` seconds until ``stop``, and then once more.

        Args:
            scope (Run|Scope): where the values are.
            handler (FetchHandler): what is called.
        """
        while not self._ended.wait(handler.period_secs):
            handler.handler(_values(scope, handler))
        handler.handler(_values(scope, handler))

    def start(self) -> None:
        """Begins."""
        self._thread = threading.Thread(
            target=as_here(self._launch), name="fetch handler", daemon=True
        )
        self._thread.start()

    def _launch(self) -> None:
        self.handler_launch_func(self.fetch_scope, self.fetch_instance)

    def stop(self) -> None:
        """Ends, after a last call of the handler."""
        self._ended.set()
        if self._thread is not None:
            self._thread.join()


def _values(scope: Any, handler: FetchHandler) -> dict[str, Any]:
    if hasattr(scope, "values"):
        return scope.values()
    found: dict[str, Any] = {}
    for key, var in handler.var_dict.items():
        held = scope.find_var(getattr(var, "name", var))
        filled = held is not None and held.get_tensor().tensor is not None
        found[key] = held.get_tensor().numpy() if filled else None
    return found
