#!/usr/bin/env bash
# Put the client libraries that the slow tests run into .venv/clients, without their dependencies
# (tests/clients/stand_ins.py stands in for these) and without PaddlePaddle; and the releases 2.2.2
# and 2.1.1 of PaddleSlim, of which .venv/clients has an older one, with what they need into
# .venv/slim and .venv/slim-2.1.1.
set -euo pipefail
cd "$(dirname "$0")/.."
target=${1:-.venv/clients}
slim=${2:-$(dirname "$target")/slim}
python=${PY:-.venv/bin/python}
packages=(paddlenlp==2.0.8 paddleclas==2.2.1 six==1.17.0 rapidocr_paddle==1.4.5 paddleocr==2.7.3)
# what the OCR packages compute with beside PaddlePaddle
packages+=("opencv-python-headless>=4.8" "pyclipper>=1.3" "shapely>=2" "PyYAML>=6")

# of 1.x; with their models. Their releases of source ask for an older setuptools
sources=(jieba==0.42.1 lac==2.1.2)
# of 1.x, too: what of them needs no download is run
packages+=(paddleslim==1.1.1 senta==2.0.0 paddlepalm==2.0.2 parl==1.3.2 paddlehub==1.8.3)
packages+=(paddlex==1.3.11 ddparser==1.0.8)

compressing=("pyzmq>=25" "decorator>=5" "tqdm>=4" "PyYAML>=6" six==1.17.0)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# complete FOLDER WANTED: whether just this is there
complete() { [ -f "$1/.complete" ] && [ "$(cat "$1/.complete")" = "$2" ]; }

# install FOLDER PACKAGE...: without what they depend on
install() {
    "$python" -m pip install --disable-pip-version-check --quiet --no-deps --no-compile \
        --ignore-requires-python --target "$1" "${@:2}" && return
    echo "clients: pip could not install them; check that it can reach its registry, then try again" >&2
    exit 1
}

# replace FOLDER NEW WANTED: as a whole, so that an interrupted run leaves no half of it
replace() {
    printf '%s' "$3" >"$2/.complete"
    mkdir -p "$(dirname "$1")"
    rm -rf "$1" "$1.partial.$$"
    mv "$2" "$1.partial.$$"
    mv "$1.partial.$$" "$1"
    echo "clients: $3 in $1"
}

# compress FOLDER VERSION: PaddleSlim and what it needs
compress() {
    local all=("paddleslim==$2" "${compressing[@]}")
    if complete "$1" "${all[*]}"; then
        echo "clients: already in $1"
        return
    fi
    echo "clients: fetching ${all[*]}"
    install "$work/slim" "${all[@]}"
    replace "$1" "$work/slim" "${all[*]}"
}

compress "$slim" 2.2.2
compress "$slim-2.1.1" 2.1.1

wanted="${packages[*]} ${sources[*]}"
if complete "$target" "$wanted"; then
    echo "clients: already in $target"
    exit 0
fi
echo "clients: fetching $wanted"
install "$work/clients" "${packages[@]}"
"$python" -m venv "$work/build"
"$work/build/bin/python" -m pip install --disable-pip-version-check --quiet "setuptools<70" wheel
"$work/build/bin/python" -m pip install --disable-pip-version-check --quiet --no-deps --no-compile \
    --no-build-isolation --target "$work/clients" "${sources[@]}"
replace "$target" "$work/clients" "$wanted"
