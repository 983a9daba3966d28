"""The HTTP interface: one table from routes to functions."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable
from functools import cached_property
from typing import Any

from visualdl import __version__
from visualdl.server import embeddings, hparams, samples, scalars
from visualdl.server.asking import Body, Context, Kept, Query, Refused
from visualdl.server.options import Options
from visualdl.server.store import KINDS, Store

__all__ = ["Api", "Body", "Refused"]

MOST_TAGS = 10_000
"""Tags of a component that one answer names of a run, and ten times as many of all."""
ORDER = (
    "scalar", "scalars", "image", "audio", "text", "histogram", "pr_curve", "roc_curve",
    "embeddings", "hyper_parameters",
)  # fmt: skip
GRAPH = "visualdl.graph.routes"


class Api:
    """Answers routes.

    Args:
        options (Options): what the server was started with.
        store (Store, optional): the runs; those of the options' folders by default.
    """

    def __init__(self, options: Options, store: Store | None = None) -> None:
        self.options = options
        self.store = store or Store(options.logdir)
        self.kept = Kept(options.cache_timeout)
        self.boot = os.urandom(4).hex()
        self.routes: dict[str, Callable[[Query, Context], Any]] = {
            "settings": self._settings,
            "changes": self._changes,
            "component_tabs": self._component_tabs,
            **ROUTES,
        }

    def close(self) -> None:
        """Ends the reading."""
        self.store.close()

    def answer(self, route: str, args: Any, files: Any = None, client: str = "") -> Any:
        """Answers a route.

        Args:
            route (str): for example "scalar/list".
            args (MultiDict): the parameters.
            files (MultiDict, optional): what was sent, None for GET.
            client (str): the address of who asks.

        Returns:
            JSON data, or a `Body`.

        Raises:
            Refused: it cannot be answered.
        """
        context = Context(self.store, self.options, self.kept, client)
        route = route.strip("/")
        if route == "graph_runs" or route.startswith("graph/"):
            return self._graph(route, args, files, context)
        function = self.routes.get(route)
        if function is None:
            raise Refused(f"there is no route {route[:200]!r}.", 404)
        if files is not None:
            raise Refused(f"{route}: only GET is answered.", 405)
        if route != "settings":
            self.store.ask()
        return function(Query(args), context)

    # -- about the server ------------------------------------------------------------------------
    def _settings(self, query: Query, context: Context) -> dict[str, Any]:
        """`settings`: what the page has to know before it asks for data."""
        return {
            "language": self.options.language,
            "theme": self.options.theme,
            "version": __version__,
            "logdirs": self.options.logdir,
            "model": os.path.basename(self.options.model) or None,
            "tabs": self.options.component_tabs,
        }

    def _component_tabs(self, query: Query, context: Context) -> list[str]:
        """`component_tabs`: the pages that there are data for."""
        if self.options.component_tabs:
            return list(self.options.component_tabs)
        there = {name for run in list(self.store.runs.values()) for name in run.components()}
        tabs = [name for name in ORDER if name in there]
        if "scalars" in tabs and "scalar" not in tabs:
            tabs.insert(0, "scalar")
        graph = self._graph_module
        more = graph.tabs(context) if graph is not None else []
        return [*tabs, *dict.fromkeys(["static_graph", *more])]

    def _changes(self, query: Query, context: Context) -> dict[str, Any]:
        """`changes`: what is new since an earlier answer."""
        since = query.text("since", "")
        version = self.store.version
        reading = self.store.reading
        runs = self.store.shown_runs()
        changed: Any = self._everything() if not since else self._since(since)
        cursor = f"{self.boot}.{version}"
        return {"cursor": cursor, "reading": reading, "runs": runs, "changed": changed}

    def _everything(self) -> dict[str, dict[str, list[str]]]:
        """Gives component -> run -> tags, as many as one answer names."""
        result: dict[str, dict[str, list[str]]] = {}
        for component in ORDER:
            found = tags_of(self.store, component)
            if found:
                result[component] = found
        return result

    def _since(self, cursor: str) -> Any:
        boot, _, number = cursor.partition(".")
        if boot != self.boot or not number.isdecimal() or len(number) > 18:
            return "all"
        changed = self.store.changed_since(int(number))
        if changed is None:
            return "all"
        shown = self.store.names()[1]
        result: dict[str, dict[str, list[str]]] = {}
        for component, runs in changed.items():
            for run, tags in runs.items():
                if component == "scalars":
                    data = self.store.runs.get(run)
                    for name, tag, _ in data.parts() if data is not None else ():
                        if tag in tags:
                            result.setdefault("scalar", {}).setdefault(name, []).append(tag)
                if run in shown:
                    result.setdefault(component, {})[shown[run]] = sorted(tags)
        return result

    # -- graphs ----------------------------------------------------------------------------------
    @cached_property
    def _graph_module(self) -> Any:
        """The module that answers about graphs, None where it is not installed."""
        try:
            if importlib.util.find_spec(GRAPH) is None:
                return None
        except ModuleNotFoundError:
            return None
        return importlib.import_module(GRAPH)

    def _graph(self, route: str, args: Any, files: Any, context: Context) -> Any:
        """Answers a route about graphs."""
        module = self._graph_module
        function = None if module is None else module.ROUTES.get(route)
        if function is None:
            raise Refused(f"there is no route {route[:200]!r}.", 404)
        if (files is not None) != (route in module.POST):
            raise Refused(f"{route}: expected {'GET' if files is not None else 'POST'}.", 405)
        if files is not None:
            sent = files.get("file")
            context.file = sent and Sent(sent)
        try:
            data = function(args, context)
        except ValueError as error:
            raise Refused(str(error), getattr(error, "status", 400)) from error
        if isinstance(data, module.Download):
            headers = {}
            if data.name:
                name = "".join(c if c.isalnum() or c in "._-" else "_" for c in data.name)
                headers["Content-Disposition"] = (
                    f'attachment; filename="{name.encode("ascii", "replace").decode()}"'
                )
            return Body(data.data, data.kind, headers)
        return data


class Sent:
    """An uploaded file: its name and its bytes."""

    def __init__(self, storage: Any) -> None:
        self.filename = storage.filename
        self.read = storage.stream.read


def tags_of(store: Store, component: str, part: str = "") -> dict[str, list[str]]:
    """Gives run -> tags of a component, as many as one answer names.

    Args:
        store (Store): the runs.
        component (str): the component.
        part (str): only tags that have this in them.
    """
    shown = store.names()[1]
    result: dict[str, list[str]] = {}
    left = 10 * MOST_TAGS

    def take(name: str, tags: list[str]) -> None:
        nonlocal left
        tags = [tag for tag in tags if part in tag] if part else tags
        if tags and left > 0:
            result[name] = tags[: min(MOST_TAGS, left)]
            left -= len(result[name])

    for run in list(store.runs.values()):
        take(shown.get(run.name, run.name), run.tags(component))
        if component == "scalar":
            parts: dict[str, list[str]] = {}
            for name, tag, _ in run.parts():
                parts.setdefault(name, []).append(tag)
            for name, tags in parts.items():
                take(name, tags)
    return result


def _tags(component: str) -> Callable[[Query, Context], dict[str, Any]]:
    """Makes `COMPONENT/tags`: the runs and, beside each, its tags."""

    def answer(query: Query, context: Context) -> dict[str, Any]:
        found = tags_of(context.store, component, query.text("match", ""))
        return {"runs": list(found), "tags": list(found.values())}

    return answer


def _components(query: Query, context: Context) -> list[str]:
    """`components`: the components there are records of."""
    runs = list(context.store.runs.values())
    there = {name for run in runs for name in run.components()}
    meta = ["meta_data"] if any(run.has_meta for run in runs) else []
    return [name for name in ORDER if name in there] + meta


def _runs(query: Query, context: Context) -> list[str]:
    """`runs`: the names of the runs."""
    return list(context.store.names()[0])


def _all_tags(query: Query, context: Context) -> dict[str, str]:
    """`tags`: path of the run and tag, with % for each / of the tag -> component."""
    result: dict[str, str] = {}
    for run in list(context.store.runs.values()):
        if run.has_meta:
            result[f"{run.name}/meta_data_tag"] = "meta_data"
        for component in ORDER:
            for tag in run.tags(component)[:MOST_TAGS]:
                if len(result) < 10 * MOST_TAGS:
                    result[f"{run.name}/{tag.replace('/', '%')}"] = component
    return result


def _logs(query: Query, context: Context) -> dict[str, list[str]]:
    """`logs`: the log files of each run."""
    shown = context.names
    runs = list(context.store.runs.values())
    return {shown.get(run.name, run.name): [file.path for file in run.files] for run in runs}


ROUTES: dict[str, Callable[[Query, Context], Any]] = {
    "components": _components,
    "runs": _runs,
    "tags": _all_tags,
    "logs": _logs,
    "scalar/tags": _tags("scalar"),
    "scalars/tags": _tags("scalars"),
    "image/tags": _tags("image"),
    "audio/tags": _tags("audio"),
    "text/tags": _tags("text"),
    "histogram/tags": _tags("histogram"),
    "embedding/tags": _tags("embeddings"),
    "pr-curve/tags": _tags("pr_curve"),
    "roc-curve/tags": _tags("roc_curve"),
    "hparams/tags": _tags("hyper_parameters"),
    "scalar/list": scalars.scalar_list,
    "scalar/many": scalars.scalar_many,
    "scalar/data": scalars.scalar_data,
    "scalars/list": scalars.scalars_list,
    "scalars/data": scalars.scalars_data,
    **samples.ROUTES,
    **hparams.ROUTES,
    **embeddings.ROUTES,
}
"""Every route but those of the server itself and of graphs."""
assert set(ORDER) == KINDS
