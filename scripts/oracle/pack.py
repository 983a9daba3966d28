"""Packs a folder: `python pack.py FOLDER ZIP`."""

from __future__ import annotations

import os
import sys
import zipfile


def zip_folder(folder: str, path: str) -> None:
    """All files below a folder, in order and without dates, so that equal cases are equal bytes."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for below, _, names in sorted(os.walk(folder)):
            for name in sorted(names):
                full = os.path.join(below, name)
                entry = zipfile.ZipInfo(os.path.relpath(full, folder), (2020, 1, 1, 0, 0, 0))
                entry.compress_type = zipfile.ZIP_DEFLATED
                with open(full, "rb") as file:
                    archive.writestr(entry, file.read())


if __name__ == "__main__":
    zip_folder(*sys.argv[1:3])
