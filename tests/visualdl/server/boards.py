"""Logs made by hand, a client that asks the application without a network, and a server."""

from __future__ import annotations

import json
import os
from typing import Any

import pytest

from visualdl.record import Record, framed
from visualdl.server.app import create_app
from visualdl.server.options import Options

TIME = 1_700_000_000_000


class Log:
    """Appends records to a log file."""

    def __init__(self, folder: os.PathLike[str] | str, name: str = "vdlrecords.1700000000.log"):
        os.makedirs(folder, exist_ok=True)
        self.path = os.path.join(folder, name)

    def add(self, *values: dict[str, Any]) -> None:
        """Appends a record for each value: the fields of `Value`."""
        text = b"".join(framed(Record(values=[value]).SerializeToString()) for value in values)
        with open(self.path, "ab") as file:
            file.write(text)

    def scalars(self, tag: str, values: Any, first: int = 0) -> None:
        """Appends scalars, a millisecond apart."""
        self.add(
            *(
                {"id": step, "tag": tag, "timestamp": TIME + step, "value": value}
                for step, value in enumerate(values, first)
            )
        )

    def meta(self, name: str) -> None:
        """Appends the record that gives the run a name."""
        self.add({"tag": "meta_data_tag", "meta_data": {"display_name": name}})


class Client:
    """Asks routes; every answer is checked for what all answers have in common."""

    def __init__(self, options: Options) -> None:
        self.app = create_app(options)
        self.api = self.app.config["api"]
        self.http = self.app.test_client()
        self.base = f"{options.public_path}/api/"

    def ask(self, route: str, **query: Any) -> Any:
        """Gives the whole answer."""
        answer = self.http.get(self.base + route, query_string=query)
        assert answer.status_code in (200, 400, 404), (route, query, answer.data[:500])
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        if answer.mimetype == "application/json":
            body = json.loads(answer.data, parse_constant=lambda name: pytest.fail(name))
            assert set(body) == {"status", "msg", "data"}
            assert (body["status"] == 0) == (answer.status_code == 200), body
            assert body["status"] == 0 or body["msg"]
        return answer

    def data(self, route: str, **query: Any) -> Any:
        """Gives the data of an answer that has to be a good one."""
        answer = self.ask(route, **query)
        assert answer.status_code == 200, answer.json
        return answer.json["data"]
