#!/usr/bin/env bash
# Put the libraries of the board into visualdl/server/static/vendor, from npm, pinned and checked.
# They are committed: run this only to renew them (change the versions and the sums below).
# TARBALLS=folder takes the packages from there where they lie there already.
set -euo pipefail
cd "$(dirname "$0")/.."
target=${1:-visualdl/server/static/vendor}

# package, version, sha256 of the tarball, its licence
packages='
echarts 6.1.0 681aff88cc1038c3fa941a3a53d1b177a52250b05335efc607d6105ae13be481 Apache-2.0
@dagrejs/dagre 3.1.3 12441833c8af49e5a241d94bfd53159875965876b3f4f3214abafe1ed6a9ee4c MIT
umap-js 1.4.0 74e57b60f307d198467fc7cf51c5116c0e2e4c94d7676be9ccec148cad073d2a MIT
@keckelt/tsne 1.0.2 fe15e8ef8ee93976d18cd11ad48d82386bcba56f50c906045663cd1a367a59e6 MIT
markdown-it 15.0.3 98a7453983ab0e268c17dbd5260bf7190ba46b4cca912327fc1c1a2578e4b56d MIT
'

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
new=$work/vendor
mkdir -p "$new/licenses"

fetch() { # name version sum -> unpacked in $work/<short name>
    local short=${1#@} file
    file=${short//\//-}-$2.tgz
    if [ -n "${TARBALLS:-}" ] && [ -f "$TARBALLS/$file" ]; then
        cp "$TARBALLS/$file" "$work/$file"
    elif ! (cd "$work" && npm pack --silent "$1@$2" >/dev/null); then
        echo "web assets: npm could not fetch $1@$2; is npm installed, can it reach its registry?" >&2
        exit 1
    fi
    if ! echo "$3  $work/$file" | sha256sum --check --status; then
        echo "web assets: $file is not what it was: expected sha256 $3" >&2
        exit 1
    fi
    mkdir "$work/${short##*/}"
    tar -xzf "$work/$file" -C "$work/${short##*/}" --strip-components=1
}

plain() { # file target: as it is, without the reference to a map that is not shipped
    sed '/^\/\/# sourceMappingURL=/d' "$work/$1" >"$new/$2"
}

module() { # file target what-to-export: CommonJS or UMD, as an ES module
    {
        echo "const module = {exports: {}}; const exports = module.exports;"
        sed '/^\/\/# sourceMappingURL=/d' "$work/$1"
        echo
        echo "$3"
    } >"$new/$2"
}

printf 'package\tversion\tsha256 of the tarball\tlicence\n' >"$new/versions.tsv"
while read -r name version sum licence; do
    [ -n "$name" ] || continue
    fetch "$name" "$version" "$sum"
    printf '%s\t%s\t%s\t%s\n' "$name" "$version" "$sum" "$licence" >>"$new/versions.tsv"
    cp "$work/${name##*/}/LICENSE" "$new/licenses/${name##*/}.txt"
done <<<"$packages"

plain echarts/dist/echarts.min.js echarts.min.js
plain dagre/dist/dagre.esm.js dagre.js
plain markdown-it/dist/browser/markdown-it.esm.min.mjs markdown-it.js
module umap-js/lib/umap-js.min.js umap.js "export const UMAP = module.exports.UMAP;"
module tsne/lib/tsne.js tsne.js "export {TSNE};"
cp "$work/echarts/NOTICE" "$new/licenses/echarts-notice.txt"
cp "$work/echarts/licenses/LICENSE-d3" "$new/licenses/echarts-d3.txt"
cp "$work/dagre/dist/dagre.esm.js.LEGAL.txt" "$new/licenses/dagre-parts.txt"

rm -rf "$target"
mkdir -p "$(dirname "$target")"
mv "$new" "$target"
echo "web assets: $(du -sh "$target" | cut -f1) in $target"
