"""The WSGI application: ``/predict``, ``/health`` and ``/metrics``; errors as JSON, too."""

from __future__ import annotations

import logging
import threading
from time import perf_counter
from typing import Any

from flask import Flask, Response, jsonify, request
from werkzeug.exceptions import HTTPException

from paddle.inference.serve.bodies import FORMS, JSON, NPY, NPZ, form_of, read, write
from paddle.inference.serve.refusals import RefusedRequest, UnsupportedAnswer, UnsupportedBody
from paddle.inference.serve.service import Service
from paddle.inference.signature import Argument

_log = logging.getLogger("paddle.inference.serve")
_RETRY_SECONDS = "1"
_READERS = 2  # bodies that are read at once: as JSON they take many times their size


def create_app(service: Service, max_bytes: int = 32 << 20, name: str = "") -> Flask:
    """Returns the application for a service.

    Args:
        service (Service): answers.
        max_bytes (int): the most that a request may have. Default: 32 MB.
        name (str): of the model, for ``/health``. Default: empty.
    """
    app = Flask("paddle.inference.serve", static_folder=None)
    app.config["MAX_CONTENT_LENGTH"] = max_bytes
    readers = threading.Semaphore(_READERS)

    @app.post("/predict")
    def predict() -> Response:
        start, status = perf_counter(), 500
        service.metrics.began()
        try:
            answer = _predict(service, max_bytes, readers)
            status = answer.status_code
            return answer
        except HTTPException as error:  # 413
            status = error.code or 500
            raise
        except RefusedRequest as error:
            status = error.status
            raise
        finally:
            service.metrics.ended(status, perf_counter() - start)

    @app.get("/health")
    def health() -> Response:
        answer = jsonify(
            status="stopping" if service.stopping else "ok",
            model=name,
            inputs=[_described(a) for a in service.signature.inputs],
            outputs=[_described(a) for a in service.signature.outputs],
            joins_requests=service.joins,
        )
        answer.status_code = 503 if service.stopping else 200
        return answer

    @app.get("/metrics")
    def metrics() -> Response:
        return Response(service.metrics.text(), content_type="text/plain; version=0.0.4")

    app.register_error_handler(RefusedRequest, _refused)
    app.register_error_handler(HTTPException, _http_error)
    app.register_error_handler(Exception, _failed)
    return app


def _predict(service: Service, max_bytes: int, readers: threading.Semaphore) -> Response:
    service.check_room()
    if request.content_encoding:
        raise UnsupportedBody(f"a body of Content-Encoding {request.content_encoding!r}")
    with readers:
        body = request.get_data(cache=False)
        form = form_of(request.mimetype, body)
        wanted = _wanted(form, len(service.signature.outputs))
        values = read(body, form, service.signature.inputs, max_bytes)
        del body
    outputs = service.predict(values)
    return Response(write(outputs, wanted), content_type=wanted)


def _wanted(form: str, outputs: int) -> str:
    """The form of the answer: what is asked for, else that of the request."""
    same = NPZ if form == NPY and outputs != 1 else form
    accepted = request.accept_mimetypes
    if not accepted:
        return same
    found = accepted.best_match([same, *(f for f in FORMS if f != same)])
    if found is None:
        raise UnsupportedAnswer(
            f"expected Accept to name one of {', '.join(FORMS)}, but got {str(accepted)[:200]!r}"
        )
    return found


def _described(argument: Argument) -> dict[str, Any]:
    return {"name": argument.name, "shape": argument.shape, "dtype": argument.dtype}


# -- errors ---------------------------------------------------------------------------------------


def _answer(text: str, status: int) -> Response:
    answer = jsonify(error=text)
    answer.status_code = status
    answer.content_type = JSON
    if status == 503:
        answer.headers["Retry-After"] = _RETRY_SECONDS
    return answer


def _refused(error: RefusedRequest) -> Response:
    if error.status == 500:
        _log.error("a run failed", exc_info=error.__cause__)
    return _answer(str(error), error.status)


def _http_error(error: HTTPException) -> Response:
    return _answer(error.description or error.name, error.code or 500)


def _failed(error: Exception) -> Response:
    _log.error("an answer could not be made", exc_info=error)
    return _answer("internal error; the server's log has it", 500)
