"""Functions of 1.x's converter that have a meaning here too, and the logger of 2.0's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from paddle.jit.explaining import logs
from paddle.jit.rewriting.convert import convert_call as _convert_call

__all__ = ["TranslatorLogger", "convert_call", "convert_function_with_cache", "convert_to_static"]


def convert_call(func: Any) -> Any:
    """Returns the converted form of something that is about to be called.

    Args:
        func (callable): what is called; functions of libraries stay as they are.

    Examples:
        .. code-block:: python

            from paddle.fluid.dygraph.dygraph_to_static import convert_call
            print(convert_call(len) is len)  # True
    """
    return _convert_call(func)


def convert_to_static(function: Callable) -> Callable:
    """Returns a function whose loops and branches over Variables are recorded.

    Args:
        function (callable): the dygraph function; its source has to be there.

    Examples:
        .. code-block:: python

            from paddle.fluid.dygraph.dygraph_to_static import convert_to_static

            def double(x):
                return x * 2

            print(convert_to_static(double)(3))  # 6
    """
    return _convert_call(function)


def convert_function_with_cache(dygraph_func: Callable) -> Callable:
    """Returns the converted function; a function is converted once.

    Args:
        dygraph_func (callable): the dygraph function.

    Examples:
        .. code-block:: python

            from paddle.fluid.dygraph.dygraph_to_static import convert_function_with_cache

            def double(x):
                return x * 2

            first = convert_function_with_cache(double)
            print(first(3))  # 6
    """
    return _convert_call(dygraph_func)


class TranslatorLogger:
    """The log of conversions, as 2.0's fluid names it; ``set_verbosity`` says how much is written.

    Examples:
        .. code-block:: python

            from paddle.fluid.dygraph.dygraph_to_static import TranslatorLogger
            log = TranslatorLogger()
            log.verbosity_level = 2
            print(log.has_verbosity(1), log.has_verbosity(3))  # True False
            log.verbosity_level = 0
    """

    @property
    def logger(self) -> Any:
        """What writes the lines."""
        return logs._stderr

    @property
    def verbosity_level(self) -> int:
        """How much is told of conversions; can be set."""
        return logs.verbosity()

    @verbosity_level.setter
    def verbosity_level(self, level: int) -> None:
        logs.set_verbosity(level, self.need_to_echo_log_to_stdout)

    @property
    def transformed_code_level(self) -> int:
        """Which transforms show the code they give; can be set."""
        return logs.code_level()

    @transformed_code_level.setter
    def transformed_code_level(self, level: int) -> None:
        logs.set_code_level(level, self.need_to_echo_code_to_stdout)

    @property
    def need_to_echo_log_to_stdout(self) -> bool:
        """Whether the log is written to standard output too; can be set."""
        return logs.Settings.both[logs.VERBOSITY]

    @need_to_echo_log_to_stdout.setter
    def need_to_echo_log_to_stdout(self, value: bool) -> None:
        logs.Settings.both[logs.VERBOSITY] = bool(value)

    @property
    def need_to_echo_code_to_stdout(self) -> bool:
        """Whether code is written to standard output too; can be set."""
        return logs.Settings.both[logs.CODE_LEVEL]

    @need_to_echo_code_to_stdout.setter
    def need_to_echo_code_to_stdout(self, value: bool) -> None:
        logs.Settings.both[logs.CODE_LEVEL] = bool(value)

    def check_level(self, level: Any) -> None:
        """Raises unless a level is an int or None.

        Args:
            level (int|None): the level.
        """
        if isinstance(level, bool) or not isinstance(level, (int, type(None))):
            raise TypeError(f"level: expected an int, but received {type(level).__name__}.")

    def has_verbosity(self, level: int) -> bool:
        """Says whether messages of a level are written.

        Args:
            level (int): the level.
        """
        self.check_level(level)
        return self.verbosity_level >= level

    def has_code_level(self, level: int) -> bool:
        """Says whether the code of a transform is shown.

        Args:
            level (int): the transform's number.
        """
        self.check_level(level)
        return self.transformed_code_level == level

    def error(self, msg: str, *args: Any, **kwargs: Any) -> None:
        """Writes an error.

        Args:
            msg (str): its text, with places for ``args``.
            *args: what goes there.
            **kwargs: options of ``logging``.
        """
        self.logger.error(msg, *args, **kwargs)

    def warn(self, msg: str, *args: Any, **kwargs: Any) -> None:
        """Writes a warning.

        Args:
            msg (str): its text, with places for ``args``.
            *args: what goes there.
            **kwargs: options of ``logging``.
        """
        self.logger.warning(msg, *args, **kwargs)

    def log(self, level: int, msg: str, *args: Any, **kwargs: Any) -> None:
        """Writes a message of a level, if messages of it are written.

        Args:
            level (int): the level.
            msg (str): its text, with places for ``args``.
            *args: what goes there.
            **kwargs: options of ``logging``.
        """
        if self.has_verbosity(level):
            self.logger.info(msg, *args, **kwargs)

    def log_transformed_code(
        self, level: int, ast_node: Any, transformer_name: str, *args: Any, **kwargs: Any
    ) -> None:
        """Writes the code of a tree, if the level's is shown.

        Args:
            level (int): the transform's number.
            ast_node (ast.AST): the tree.
            transformer_name (str): the transform's name.
            *args: not used.
            **kwargs: not used.
        """
        import ast

        if self.has_code_level(level):
            self.logger.info("Transformed by %s:\n%s", transformer_name, ast.unparse(ast_node))
