#!/usr/bin/env bash
# Make .venv usable: create it if needed, then install the project with what its tests need.
# Idempotent; the Makefile calls it only when pyproject.toml is newer than the stamp.
set -euo pipefail
cd "$(dirname "$0")/.."

works() { # a shim may exist and fail, and a Python may lack venv: try it
    "$1" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))' >/dev/null 2>&1
}

if ! { [ -x .venv/bin/python ] && .venv/bin/python -m pip --version >/dev/null 2>&1; }; then
    chosen=
    for candidate in ${PYTHON:+"$PYTHON"} python3.11 python3.12 python3.13 python3.10 python3; do
        if works "$candidate"; then
            chosen=$candidate
            break
        fi
        if [ "$candidate" = "${PYTHON:-}" ]; then
            echo "setup: PYTHON=$PYTHON is not a Python 3.10 or newer with venv and ensurepip" >&2
            exit 1
        fi
    done
    if [ -z "$chosen" ]; then
        echo "setup: no Python 3.10 or newer with venv found; name one: make quickstart PYTHON=/path/to/python3" >&2
        exit 1
    fi
    echo "setup: creating .venv with $("$chosen" --version) ($chosen)"
    "$chosen" -m venv --clear .venv
fi

echo "setup: installing pypaddle and its development tools into .venv"
.venv/bin/python -m pip install --disable-pip-version-check --quiet --editable ".[dev]"

# Tests of the board of visualdl drive a real browser. CI brings it along; elsewhere they skip
# themselves where there is none.
if [ -n "${CI:-}" ] && ! command -v chromium >/dev/null 2>&1; then
    echo "setup: installing chromium and a Chinese font"
    as_root=()
    if [ "$(id -u)" -ne 0 ]; then
        as_root=(sudo -n)
    fi
    "${as_root[@]}" apt-get update -qq
    DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get install -qq -y --no-install-recommends \
        chromium fonts-wqy-microhei >/dev/null
fi
