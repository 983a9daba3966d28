"""The routes under ``graph/``: a table from names to functions that the server includes.

A function takes the request's query (a mapping of texts) and a context, and returns JSON data or a
:class:`Download`; what is wrong with a model or a name is raised as
:class:`visualdl.graph.errors.GraphError`, whose ``status`` is that of the answer. The context has

- ``folders``: the folders of logs, and ``model``: the path of ``--model`` or None;
- ``names`` (optional): path of a run's folder -> the name that the run wants to be shown with;
- ``client`` (optional): tells callers apart, as the address does: each has its own upload;
- ``file`` (for ``graph/upload``): what was sent, with ``.filename`` and ``.read(size)``.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from visualdl.graph.errors import GraphError
from visualdl.graph.files import LARGEST, Cache, ModelFile, model_files, read_bytes
from visualdl.graph.model import Model
from visualdl.graph.real_form import Folding

UPLOAD = "manual_input_model"  # the name that VisualDL 2.5 gives to what was uploaded
UPLOAD_LIMIT = LARGEST["paddle"]
_CLIENTS = 8
_DOWNLOAD = 1 << 28

_lock = threading.RLock()
_cache = Cache()
_uploads: dict[str, tuple[str, Model]] = {}
_foldings: dict[tuple[str, str], Folding] = {}


@dataclass(frozen=True, slots=True)
class Download:
    """Bytes to be answered as a file.

    Attributes:
        data: its content.
        name: its name; empty where there is none.
    """

    data: bytes
    name: str
    kind: str = "application/octet-stream"


def runs(query: Mapping[str, str], context: Any) -> list[str]:
    """Names of the models that there are."""
    return [found["run"] for found in models(query, context)]


def models(query: Mapping[str, str], context: Any) -> list[dict[str, Any]]:
    """The models that there are: name, where it comes from, size, time in ms."""
    made = [
        {
            "run": _shown(context, file.run),
            "file": os.path.basename(file.path),
            "source": file.source,
            "size": file.size,
            "time": int(file.time * 1000),
        }
        for file in _files(context)
    ]
    with _lock:
        upload = _uploads.get(_client(context))
    if upload is not None:
        made.insert(0, {"run": UPLOAD, "file": upload[0], "source": "upload", "size": 0, "time": 0})
    return made


def model(query: Mapping[str, str], context: Any) -> dict[str, Any]:
    """The whole graph of ``run``, as our page draws it."""
    return _model(query, context).as_json()


def graph(query: Mapping[str, str], context: Any) -> dict[str, Any]:
    """The graph of ``run`` in the form of VisualDL 2.5; ``expand_all``, ``refresh``."""
    with _lock:
        folding = _folding(query, context)
        if _flag(query, "refresh", True):
            folding.fold_all()
        if _flag(query, "expand_all"):
            folding.unfold_all()
        return folding.as_json()


def manipulate(query: Mapping[str, str], context: Any) -> dict[str, Any]:
    """Folds or unfolds ``nodeid`` (``expand``, ``keep_state``), then answers like ``graph``."""
    with _lock:
        folding = _folding(query, context)
        node = _required(query, "nodeid")
        folding.change(node, _flag(query, "expand"), _flag(query, "keep_state"))
        return folding.as_json()


def search(query: Mapping[str, str], context: Any) -> dict[str, Any]:
    """Unfolds what hides ``nodeid`` (``keep_state``, ``is_node``), then answers like ``graph``."""
    with _lock:
        folding = _folding(query, context)
        node = _required(query, "nodeid")
        folding.show(node, _flag(query, "keep_state"), _flag(query, "is_node"))
        return folding.as_json()


def get_all_nodes(query: Mapping[str, str], context: Any) -> dict[str, Any]:
    """All nodes and groups of ``run`` in the form of VisualDL 2.5."""
    with _lock:
        return _folding(query, context).as_json(everything=True)


def static_graph(query: Mapping[str, str], context: Any) -> Download:
    """The file of ``--model`` as it is; no bytes where none was given."""
    file = next((f for f in _files(context) if f.source == "model"), None)
    if file is None:
        return Download(b"", "")
    if file.size > _DOWNLOAD:
        raise GraphError(f"{file.run}: {file.size} bytes are too many for the page.")
    try:
        with open(file.path, "rb") as opened:
            return Download(opened.read(_DOWNLOAD), os.path.basename(file.path))
    except OSError as error:
        raise GraphError(f"{file.run}: {error.strerror or error}.", 404) from error


def upload(query: Mapping[str, str], context: Any) -> dict[str, Any]:
    """Takes the model in ``context.file``; the caller's next requests call it ``UPLOAD``."""
    file = getattr(context, "file", None)
    if file is None:
        raise GraphError("graph/upload: expected a file in the field 'file'.")
    data = file.read(UPLOAD_LIMIT + 1)
    name = os.path.basename(str(file.filename or "model").replace("\\", "/"))[:200]
    if len(data) > UPLOAD_LIMIT:
        raise GraphError(
            f"{name}: expected at most {UPLOAD_LIMIT >> 20} MB; open larger files by --model."
        )
    made = read_bytes(data, name)
    client = _client(context)
    with _lock:
        _uploads.pop(client, None)
        _uploads[client] = (name, made)
        while len(_uploads) > _CLIENTS:
            _uploads.pop(next(iter(_uploads)))
    return {"run": UPLOAD, "file": name}


ROUTES: dict[str, Callable[[Mapping[str, str], Any], Any]] = {
    "graph_runs": runs,
    "graph/runs": runs,
    "graph/models": models,
    "graph/model": model,
    "graph/graph": graph,
    "graph/search": search,
    "graph/manipulate": manipulate,
    "graph/get_all_nodes": get_all_nodes,
    "graph/static_graph": static_graph,
    "graph/upload": upload,
}
POST = frozenset({"graph/upload"})


def tabs(context: Any) -> list[str]:
    """Names for ``component_tabs``: ``static_graph`` of ``--model``, ``dynamic_graph`` of logs."""
    sources = {file.source for file in _files(context)}
    return [n for n, s in (("static_graph", "model"), ("dynamic_graph", "log")) if s in sources]


def _files(context: Any) -> list[ModelFile]:
    return model_files([os.fspath(f) for f in context.folders], context.model or None)


def _model(query: Mapping[str, str], context: Any) -> Model:
    run = _required(query, "run")
    if run == UPLOAD:
        with _lock:
            found = _uploads.get(_client(context))
        if found is None:
            raise GraphError("graph: nothing was uploaded, or the server was started again.", 404)
        return found[1]
    for file in _files(context):
        if run in (file.run, _shown(context, file.run)):
            with _lock:
                return _cache.model(file)
    raise GraphError(f"graph: there is no model {run!r}.", 404)


def _folding(query: Mapping[str, str], context: Any) -> Folding:
    found = _model(query, context)
    key = (_client(context), query["run"])
    kept = _foldings.pop(key, None)
    _foldings[key] = kept if kept is not None and kept.model is found else Folding(found)
    while len(_foldings) > _CLIENTS:
        _foldings.pop(next(iter(_foldings)))
    return _foldings[key]


def _shown(context: Any, run: str) -> str:
    return (getattr(context, "names", None) or {}).get(run, run)


def _client(context: Any) -> str:
    return str(getattr(context, "client", "") or "")


def _required(query: Mapping[str, str], name: str) -> str:
    value = query.get(name)
    if not value:
        raise GraphError(f"graph: expected the parameter {name!r}.")
    return value


def _flag(query: Mapping[str, str], name: str, default: bool = False) -> bool:
    value = query.get(name)
    return default if value is None else value.lower() == "true"
