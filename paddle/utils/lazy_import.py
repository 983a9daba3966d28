"""Imports packages that only some functions need."""

from __future__ import annotations

import importlib
from types import ModuleType

__all__ = ["try_import"]


def try_import(module_name: str, err_msg: str | None = None) -> ModuleType:
    """Imports a module, and says what to install where it is missing.

    Args:
        module_name (str): the name to import.
        err_msg (str, optional): what the error says. Default: None, how to install the package.

    Returns:
        module: what was imported.

    Raises:
        ImportError: the module cannot be imported.

    Examples:
        .. code-block:: python

            import paddle
            json = paddle.utils.try_import("json")
            print(json.dumps([1]))  # [1]
    """
    packages = {"cv2": "opencv-python", "PIL": "Pillow", "sklearn": "scikit-learn"}
    try:
        return importlib.import_module(module_name)
    except ImportError as error:
        top = module_name.split(".")[0]
        raise ImportError(
            err_msg
            or f"{module_name} cannot be imported ({error}). It is needed here and does not come "
            f"with paddle: run `pip install {packages.get(top, top)}`.",
            name=module_name,
        ) from error
