"""Requests that are refused: each error knows the status of HTTP that tells of it."""

from __future__ import annotations


class RefusedRequest(Exception):
    """A request that gets no result; the text is for whoever sent it."""

    status = 400


class UnsupportedBody(RefusedRequest):
    """A body in a form that is not understood."""

    status = 415


class UnsupportedAnswer(RefusedRequest):
    """An answer is asked for in a form that cannot hold it."""

    status = 406


class Overloaded(RefusedRequest):
    """There is no room for the request now; it may be sent again."""

    status = 503


class TookTooLong(RefusedRequest):
    """The result did not come in time."""

    status = 504


class FailedRun(RefusedRequest):
    """The model failed for a reason that does not lie in the request."""

    status = 500
