"""The options of a server: checked once, the same for the command line and `app.run`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field

DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 8040
RUN_PORT = 8080
"""Where `app.run` begins to look for a port."""
PUBLIC_PATH = "/app"
CACHE_TIMEOUT = 20.0
LANGUAGES = ("en", "zh")
THEMES = ("light", "dark")
TABS = (
    "scalar",
    "scalars",
    "image",
    "audio",
    "text",
    "histogram",
    "pr_curve",
    "roc_curve",
    "embeddings",
    "hyper_parameters",
    "static_graph",
    "dynamic_graph",
    "graph",
)
"""The names of pages, as `--component_tabs` takes them."""


@dataclass
class Options:
    """What a server is started with.

    Attributes:
        logdir: folders of logs.
        model: a model file for the graph page, or an empty text.
        host: what it binds to.
        port: the port; None: the first that is free from `first_port` on.
        first_port: where the search for a free port begins.
        cache_timeout: seconds that computed answers are kept after they were last asked for.
        language: "en", "zh", or None for the browser's.
        public_path: what addresses begin with; None: `/app`, or nothing with `api_only`.
        api_only: no page, only the HTTP interface.
        component_tabs: the pages that are shown; None: those there are data for.
        theme: "light", "dark", or None for the browser's.
        open_browser: opens the page when the server answers.
        verbose: 0 tells of problems, 1 of every request, 2 of everything.
    """

    logdir: list[str] = field(default_factory=list)
    model: str = ""
    host: str = DEFAULT_HOST
    port: int | None = None
    first_port: int = DEFAULT_PORT
    cache_timeout: float = CACHE_TIMEOUT
    language: str | None = None
    public_path: str | None = None
    api_only: bool = False
    component_tabs: list[str] | None = None
    theme: str | None = None
    open_browser: bool = False
    verbose: int = 0

    def __post_init__(self) -> None:
        """Checks the options, and brings them into one form.

        Raises:
            ValueError: an option has a value that it cannot have.
        """
        self.logdir = folders(self.logdir)
        self.host = self.host or DEFAULT_HOST
        if self.language:
            self.language = self.language.lower().replace("_", "-").split("-")[0]
        _one_of("language", self.language, LANGUAGES)
        _one_of("theme", self.theme, THEMES)
        for name in self.component_tabs or ():
            _one_of("component_tabs", name, TABS)
        if self.port is not None and not 0 <= int(self.port) <= 65535:
            raise ValueError(f"port: expected a number from 0 to 65535, got {self.port}.")
        if not float(self.cache_timeout) >= 0:
            raise ValueError(
                f"cache_timeout: expected 0 or more seconds, got {self.cache_timeout}."
            )
        self._set_public_path()
        self.open_browser = bool(self.open_browser) and not self.api_only

    def _set_public_path(self) -> None:
        if self.public_path is None:
            self.public_path = "" if self.api_only else PUBLIC_PATH
        elif self.public_path and not self.public_path.startswith("/"):
            raise ValueError(f"public_path: it has to begin with '/', got {self.public_path!r}.")
        elif not self.api_only and self.public_path == "/":
            raise ValueError("public_path: the root cannot be it; leave it out, or use api_only.")
        self.public_path = self.public_path.rstrip("/")
        if any(mark in self.public_path for mark in "<>?#%\\ \"'") or "//" in self.public_path:
            raise ValueError(
                f"public_path: expected a plain path such as '/board', got {self.public_path!r}."
            )


def folders(logdir: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | None) -> list[str]:
    """Gives a list of folders from what users write: one, several, or one text with commas."""
    if not logdir:
        return []
    given = [logdir] if isinstance(logdir, (str, os.PathLike)) else list(logdir)
    result: list[str] = []
    for one in [os.fspath(path) for path in given]:
        if "," in one and not os.path.exists(one):
            result += [part.strip() for part in one.split(",") if part.strip()]
        elif one:
            result.append(one)
    return result


def _one_of(name: str, value: str | None, choices: Sequence[str]) -> None:
    if value is not None and value not in choices:
        raise ValueError(f"{name}: expected one of {', '.join(choices)}; got {value!r}.")
