#!/usr/bin/env bash
# Put the client libraries that the slow tests run into .venv/clients, without their dependencies
# (tests/clients/stand_ins.py stands in for these) and without PaddlePaddle.
set -euo pipefail
cd "$(dirname "$0")/.."
target=${1:-.venv/clients}
python=${PY:-.venv/bin/python}
packages=(paddlenlp==2.0.8 paddleclas==2.2.1 six==1.17.0 rapidocr_paddle==1.4.5 paddleocr==2.7.3)
# what the OCR packages compute with beside PaddlePaddle
packages+=("opencv-python-headless>=4.8" "pyclipper>=1.3" "shapely>=2" "PyYAML>=6")

wanted="${packages[*]}"
if [ -f "$target/.complete" ] && [ "$(cat "$target/.complete")" = "$wanted" ]; then
    echo "clients: already in $target"
    exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
echo "clients: fetching $wanted"
if ! "$python" -m pip install --disable-pip-version-check --quiet --no-deps --no-compile \
    --ignore-requires-python --target "$work/clients" "${packages[@]}"; then
    echo "clients: pip could not install them; check that it can reach its registry, then try again" >&2
    exit 1
fi
printf '%s' "$wanted" >"$work/clients/.complete"
# what is there is replaced as a whole, so that an interrupted run leaves no half of it
mkdir -p "$(dirname "$target")"
rm -rf "$target" "$target.partial.$$"
mv "$work/clients" "$target.partial.$$"
mv "$target.partial.$$" "$target"
echo "clients: $wanted in $target"
