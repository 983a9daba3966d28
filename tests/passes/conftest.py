"""Every pass is followed by the checker here too."""

from tests.executor.conftest import checked_passes  # noqa: F401
