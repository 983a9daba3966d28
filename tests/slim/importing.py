"""Imports every module of a PaddleSlim and writes which could not be, as JSON.

python tests/slim/importing.py FOLDER
"""

from __future__ import annotations

import importlib
import json
import sys
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))


def main() -> None:
    from tests.slim.run import put_back

    folder = Path(sys.argv[1])
    sys.path.insert(1, str(folder))
    warnings.simplefilter("ignore")
    put_back()
    imported, failed = 0, {}
    for path in sorted((folder / "paddleslim").rglob("*.py")):
        parts = path.relative_to(folder).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        try:
            importlib.import_module(name)
            imported += 1
        except BaseException as error:  # of any kind: it is told
            failed[name] = (
                f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
            )
    print(json.dumps({"imported": imported, "failed": failed}))


if __name__ == "__main__":
    main()
