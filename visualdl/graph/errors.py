"""What is told about model files that cannot be shown."""

from __future__ import annotations


class GraphError(ValueError):
    """A model cannot be read, found or drawn; the text is for the user.

    Args:
        message (str): what was expected and what came.
        status (int): of the HTTP answer: 400, or 404 where nothing has the name that was asked for.
    """

    def __init__(self, message: str, status: int = 400) -> None:
        super().__init__(message)
        self.status = status
