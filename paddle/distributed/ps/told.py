"""What the launcher, or a user, tells a server by its environment: where its tables lie, keys."""

from __future__ import annotations

import contextlib
import os
import shutil


def tables_folder(number: int) -> str | None:
    """Where a server's tables lie, so that it goes on after it was killed; None: for this run.

    ``PADDLE_PS_FOLDER`` names a folder, which stays; else it is one beside the launcher's logs,
    which goes when the job is over.

    Args:
        number (int): of the server.
    """
    given, logs = os.environ.get("PADDLE_PS_FOLDER"), os.environ.get("PADDLE_LOG_DIR")
    if not given and logs:
        given = os.path.join(logs, f"tables-{os.environ.get('PADDLE_JOB_TOKEN', '')[:12]}")
    return os.path.join(given, f"server-{number}") if given else None


def drop_tables(folder: str) -> None:
    """Removes a server's tables when the job is over; with the last ones the launcher's folder.

    Args:
        folder (str): what :func:`tables_folder` returned.
    """
    shutil.rmtree(folder, ignore_errors=True)
    if not os.environ.get("PADDLE_PS_FOLDER"):
        with contextlib.suppress(OSError):  # the others are still there
            os.rmdir(os.path.dirname(folder))


def certificates() -> tuple[str, str] | None:
    """The files of a server's key and certificates; None where connections are not encrypted."""
    key, chain = os.environ.get("PADDLE_TLS_KEY"), os.environ.get("PADDLE_TLS_CERT")
    return (key, chain) if key and chain else None
