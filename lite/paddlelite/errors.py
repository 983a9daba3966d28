"""The one exception of this package."""


class LiteError(RuntimeError):
    """A file cannot be read, or what was given to a model does not fit it."""
