#!/bin/sh
# A stand-in for the command `hadoop`: `fs` on files below $FAKE_HDFS; what was called is written to
# .log there. .fail there names a command, how often it is to fail, and with which status.
root=$FAKE_HDFS
for arg in "$@"; do printf '[%s]' "$arg"; done >>"$root/.log"
echo >>"$root/.log"
[ "$1" = fs ] || exit 255
shift
while case "$1" in -D*) true ;; *) false ;; esac; do shift; done
command=$1
shift

if [ -f "$root/.fail" ]; then
    read -r name count status <"$root/.fail"
    if [ "$name" = "$command" ] && [ "$count" -gt 0 ]; then
        printf '%s %s %s' "$name" $((count - 1)) "$status" >"$root/.fail"
        echo "Connection refused" >&2
        exit "$status"
    fi
fi

listed() {
    echo "Found some items"
    for path in "$root/${1#/}"/*; do
        [ -e "$path" ] || continue
        shown=${1%/}/${path##*/}
        if [ -d "$path" ]; then
            echo "drwxr-xr-x   - user group 0 2026-11-23 10:00 $shown"
            [ "$2" = deep ] && (listed "$shown" deep)
        else
            echo "-rw-r--r--   3 user group 7 2026-11-23 10:00 $shown"
        fi
    done
    return 0
}

case "$command" in
-test) test "$1" "$root/$2" ;;
-ls) if [ "$1" = -R ]; then listed "$2" deep; else listed "$1" flat; fi ;;
-mkdir) mkdir "$1" "$root/$2" ;;
-rm) rm "$1" "$root/$2" ;;
-touchz) : >"$root/$1" ;;
-mv) mv "$root/$1" "$root/$2" ;;
-put) cp -r "$1" "$root/$2" ;;
-get) cp -r "$root/$1" "$2" ;;
-cat) cat "$root/$1" ;;
*)
    echo "$command: Unknown command" >&2
    exit 255
    ;;
esac
