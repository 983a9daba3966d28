"""Logs in other formats: `python -m visualdl.export LOGDIR --format csv|json|tensorboard`.

All runs are written at once and every record of them: nothing is sampled, and nothing is kept in
memory.
"""

from __future__ import annotations

import argparse
import base64
import csv
import json
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TextIO

from visualdl.component import curve, histogram, hparam, meta, text
from visualdl.component.checks import number_shown, shown_time
from visualdl.component.scalar import from_record as number_of
from visualdl.log_file import LogFile
from visualdl.log_folder import LogFolders, Run
from visualdl.record import component_of

__all__ = ["export"]

FORMATS = ("csv", "json", "tensorboard")
_MANY = 10_000
COLUMNS = ("run", "tag", "sub_tag", "step", "timestamp_ms", "value")


def export(
    logdir: str | Sequence[str], format: str = "csv", output: str | None = None
) -> dict[str, int]:
    """Writes all runs of some folders in another format.

    Args:
        logdir (str or list): the folders, or log files.
        format (str): `csv` has the scalars, a line each; `json` has everything, a list of objects,
            one a line, images and sound in base64; `tensorboard` makes a folder for each run
            with an event file in it, and tables of the newest vectors.
        output (str, optional): the file that is written, or the folder for `tensorboard`. None is
            standard output, for `csv` and `json`.

    Returns:
        dict: component -> how many records of it were written.

    Raises:
        ValueError: the format is unknown, or there is no output for `tensorboard`.
        OSError: the output cannot be written.

    Examples:
        .. code-block:: python

            from visualdl import LogWriter
            from visualdl.export import export

            with LogWriter("log/export_test") as writer:
                writer.add_scalar("loss", 0.5, step=1)
            print(export("log/export_test", "json", "log/export_test.json"))
    """
    if format not in FORMATS:
        raise ValueError(f"format: expected one of {', '.join(FORMATS)}, but got {format!r}.")
    runs = runs_in([logdir] if isinstance(logdir, (str, os.PathLike)) else logdir)
    if format == "tensorboard":
        if not output:
            raise ValueError("output: expected a folder for the event files, but got none.")
        return _to_tensorboard(runs, output)
    write = _to_csv if format == "csv" else _to_json
    if output is None:
        return write(runs, sys.stdout)
    with open(output, "w", encoding="utf-8", newline="") as file:
        return write(runs, file)


def runs_in(paths: Sequence[str]) -> list[Run]:
    """Gives the runs in folders; a log file is a run by itself."""
    runs: list[Run] = []
    for path in paths:
        if os.path.isfile(path):
            runs.append(Run(os.path.dirname(path) or ".", {path: LogFile(path)}))
            continue
        folders = LogFolders(path)
        folders.refresh()
        runs += folders.runs.values()
    return runs


def values_of(run: Run) -> Iterator[tuple[str, Any]]:
    """Gives the component and the value of every record of a run."""
    for file in run.files.values():
        while values := file.read(_MANY):
            for value in values:
                component = component_of(value)
                if component is not None:
                    yield component, value


# -- csv ---------------------------------------------------------------------
def _to_csv(runs: list[Run], file: TextIO) -> dict[str, int]:
    """Writes the scalars as lines."""
    written: Counter[str] = Counter()
    lines = csv.writer(file)
    lines.writerow(COLUMNS)
    for run in runs:
        for component, value in values_of(run):
            if component in ("scalar", "scalars"):
                sub_tag = value.tag_value.tag if component == "scalars" else ""
                number = repr(number_of(value))
                time_ms = shown_time(value.timestamp)
                lines.writerow((run.name, value.tag, sub_tag, value.id, time_ms, number))
                written[component] += 1
    return dict(written)


# -- json ---------------------------------------------------------------------
def _to_json(runs: list[Run], file: TextIO) -> dict[str, int]:
    """Writes everything as a list of objects."""
    written: Counter[str] = Counter()
    between = "[\n"
    for run in runs:
        for component, value in values_of(run):
            row = {
                "run": run.name,
                "component": component,
                "tag": value.tag,
                "step": value.id,
                "timestamp_ms": shown_time(value.timestamp),
                **_CONTENT[component](value),
            }
            file.write(between + json.dumps(row, ensure_ascii=False, allow_nan=False))
            between = ",\n"
            written[component] += 1
    file.write("\n]\n" if written else "[]\n")
    return dict(written)


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _shown(values: Any) -> Any:
    """Gives numbers in lists as JSON can have them."""
    if isinstance(values, list):
        return [_shown(value) for value in values]
    return number_shown(values) if isinstance(values, float) else values


def _histogram(value: Any) -> dict[str, Any]:
    counts, edges = histogram.from_record(value)
    return {"counts": _shown(counts), "edges": _shown(edges)}


def _curve(value: Any) -> dict[str, Any]:
    return {name: _shown(values) for name, values in curve.from_record(value).items()}


def _embedding(value: Any) -> dict[str, Any]:
    items = value.embeddings.embeddings
    return {
        "vectors": [_shown(list(item.vectors)) for item in items],
        "labels": [list(item.label) for item in items],
        "header": list(value.embeddings.label_meta),
    }


_CONTENT: dict[str, Callable[[Any], dict[str, Any]]] = {
    "scalar": lambda value: {"value": number_shown(value.value)},
    "scalars": lambda value: {
        "sub_tag": value.tag_value.tag,
        "value": number_shown(value.tag_value.value),
    },
    "image": lambda value: {"png": _base64(value.image.encoded_image_string)},
    "audio": lambda value: {"wav": _base64(value.audio.encoded_audio_string)},
    "text": lambda value: {"text": text.from_record(value)},
    "histogram": _histogram,
    "pr_curve": _curve,
    "roc_curve": _curve,
    "embeddings": _embedding,
    "hyper_parameters": hparam.to_json,
    "meta_data": meta.to_json,
}


# -- tensorboard ---------------------------------------------------------------------
def _to_tensorboard(runs: list[Run], folder: str) -> dict[str, int]:
    """Writes an event file for each run; its folder has the place that the log's has."""
    written: Counter[str] = Counter()
    if not runs:
        return {}
    places = [os.path.abspath(run.name) for run in runs]
    top = os.path.commonpath(places) if len(set(places)) > 1 else os.path.dirname(places[0])
    for number, run in enumerate(runs):
        place = os.path.join(folder, os.path.relpath(os.path.abspath(run.name), top))
        os.makedirs(place, exist_ok=True)
        _run_to_tensorboard(run, place, number, written)
    return dict(written)


def _run_to_tensorboard(run: Run, place: str, number: int, written: Counter[str]) -> None:
    """Writes the files of a run; of vectors the newest of each tag are kept."""
    from visualdl import tensorboard

    now = time.time()
    name = f"events.out.tfevents.{int(now):010d}.visualdl.{number}"
    kinds: dict[str, str] = {}
    vectors: dict[str, tuple[int, str]] = {}
    with open(os.path.join(place, name), "wb") as file:
        file.write(tensorboard.first_event(now))
        for component, value in values_of(run):
            if component == "embeddings":
                index = vectors[value.tag][0] if value.tag in vectors else len(vectors)
                vectors[value.tag] = (index, tensorboard.write_vectors(place, index, value))
                written[component] += 1
                continue
            if kinds.setdefault(value.tag, component) != component:
                value.tag += f"/{component}"  # there a tag has one kind of values
            data = tensorboard.event(value, component)
            if data is not None:
                file.write(data)
                written[component] += 1
    if vectors:
        with open(os.path.join(place, "projector_config.pbtxt"), "w", encoding="utf-8") as config:
            config.writelines(line for _, line in vectors.values())


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command.

    Returns:
        int: 0, or 1 where there was nothing to write.
    """
    parser = argparse.ArgumentParser(
        prog="python -m visualdl.export", description="Write all runs of VisualDL's logs anew."
    )
    parser.add_argument("logdir", nargs="+", help="folder with logs, or a log file")
    parser.add_argument("--format", choices=FORMATS, default="csv", help="csv: scalars only")
    parser.add_argument(
        "--output", help="file to write, or folder of tensorboard's; else standard output"
    )
    options = parser.parse_args(arguments)
    missing = [path for path in options.logdir if not os.path.exists(path)]
    if missing:
        parser.error(f"there is no {missing[0]}")
    if options.format == "tensorboard" and not options.output:
        parser.error("--format tensorboard needs --output FOLDER")
    try:
        written = export(options.logdir, options.format, options.output)
    except BrokenPipeError:  # of `| head`
        sys.stderr.close()
        return 0
    except OSError as error:
        parser.error(str(error))
    told = ", ".join(f"{count} {component}" for component, count in written.items())
    print(f"written: {told or 'nothing'}", file=sys.stderr)
    return 0 if written else 1


if __name__ == "__main__":
    sys.exit(main())
