"""Writes stubs: what editors and type checkers cannot see because it is made when the code runs.

Methods: `paddle/tensor/methods.py` and its like put public functions on Tensor and Variable. For
each class a stub beside it declares a base `Methods` with what its own body does not define:
signatures and first lines of docstrings, read off the class after `import paddle`.

Packages: names that are imported when first used, or by `*` from a list that is computed, are
imported one by one in the stub of the package.
"""

from __future__ import annotations

import ast
import builtins
import enum
import importlib
import inspect
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import paddle  # noqa: E402
from paddle.ir.block import Block  # noqa: E402
from paddle.ir.operator import Operator  # noqa: E402
from paddle.ir.variable import Variable  # noqa: E402
from paddle.tensor.operators import OPERATORS  # noqa: E402

# The file that holds the class -> (the class, its stub).
CLASSES: dict[str, tuple[type, Path]] = {
    "paddle/core/tensor.py": (paddle.Tensor, ROOT / "paddle/core/tensor_methods.pyi"),
    "paddle/ir/variable.py": (Variable, ROOT / "paddle/ir/variable_methods.pyi"),
    "paddle/ir/operator.py": (Operator, ROOT / "paddle/ir/operator_methods.pyi"),
    "paddle/ir/block.py": (Block, ROOT / "paddle/ir/block_methods.pyi"),
    "paddle/ir/program.py": (paddle.static.Program, ROOT / "paddle/ir/program_methods.pyi"),
}
# Packages whose names are not all to be read in their `__init__.py`.
PACKAGES = ("paddle", "paddle.framework", "paddle.tensor", "paddle.text", "paddle.vision")
_NO_METHODS = {"__module__", "__doc__", "__slots__", "__dict__", "__weakref__", "__annotations__"}
_NO_METHODS |= {"__firstlineno__", "__static_attributes__"}  # Python 3.13 adds them
_BUILTIN = frozenset(vars(builtins))


def attached(path: str, cls: type) -> dict[str, Any]:
    """What a class has at run time and its body does not define."""
    tree = ast.parse((ROOT / path).read_text(encoding="utf8"))
    (body,) = [n.body for n in tree.body if isinstance(n, ast.ClassDef) and n.name == cls.__name__]
    own = {n.name for n in body if isinstance(n, ast.FunctionDef)}
    for node in body:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        own |= {t.id for t in targets if isinstance(t, ast.Name)}
    slots = getattr(cls, "__slots__", ())
    return {
        name: OPERATORS.get(name, value) if cls is paddle.Tensor else value
        for name, value in vars(cls).items()
        if name not in own and name not in slots and name not in _NO_METHODS
    }


class Stub:
    """The text of one stub; collects the imports that its annotations need."""

    def __init__(self, path: str, cls: type) -> None:
        self.cls = cls
        self.module = path.removesuffix(".py").replace("/", ".")
        self.imports: set[str] = {f"from {self.module} import {cls.__name__}"}
        # Functions are annotated for Tensors and take Variables too: the base lets these go there.
        self._base = "(Any)" if cls is Variable else ""
        members = sorted(attached(path, cls).items())
        self.members = [self._member(name, value) for name, value in members]

    def text(self) -> str:
        """The file's contents."""
        plain = sorted(line for line in self.imports if line.startswith("import"))
        rest = sorted(line for line in self.imports if line.startswith("from"))
        return (
            f'"""What `import paddle` attaches to {self.cls.__name__}; '
            'written by scripts/make_stubs.py."""\n\n'
            + "\n".join([*plain, *rest])
            + f"\n\nclass Methods{self._base}:\n"
            + "".join(self.members)
        )

    def _member(self, name: str, value: Any) -> str:
        if isinstance(value, property):
            getter: Any = value.fget
            setter = f"    @{name}.setter\n    def {name}(self, value: Any) -> None: ...\n"
            return f"    @property\n{self._method(name, getter)}{setter * (value.fset is not None)}"
        if isinstance(value, staticmethod):
            return f"    @staticmethod\n{self._method(name, value.__func__, bound=False)}"
        if not callable(value):
            return f"    {name}: {type(value).__name__}\n"
        return self._method(name, value)

    def _method(self, name: str, function: Callable[..., Any], bound: bool = True) -> str:
        function = inspect.unwrap(function)
        signature = inspect.signature(function)
        parameters, starred = ["self"] * bound, False
        for parameter in list(signature.parameters.values())[bound:]:
            if parameter.kind is parameter.KEYWORD_ONLY and not starred:
                parameters.append("*")
            starred |= parameter.kind in (parameter.KEYWORD_ONLY, parameter.VAR_POSITIONAL)
            parameters.append(self._parameter(parameter, function))
        result = self._annotation(signature.return_annotation, function)
        if name in OPERATORS and result == "Any":
            result = self.cls.__name__
        ignored = "  # type: ignore[override]" if name in ("__eq__", "__ne__") else ""
        line = f"    def {name}({', '.join(parameters)}) -> {result}:"
        first = (inspect.getdoc(function) or "").strip().split("\n")[0]
        if not first or name.startswith("__"):
            return f"{line} ...{ignored}\n"
        raw = "r" if "\\" in first else ""
        return f'{line}\n        {raw}"""{first}"""\n'

    def _parameter(self, parameter: inspect.Parameter, function: Callable[..., Any]) -> str:
        kinds = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}
        text = kinds.get(parameter.kind, "") + parameter.name
        text += f": {self._annotation(parameter.annotation, function)}"
        if parameter.default is parameter.empty:
            return text
        plain = isinstance(parameter.default, (bool, int, float, str, type(None)))
        return f"{text} = {parameter.default!r}" if plain else f"{text} = ..."

    def _annotation(self, text: Any, function: Callable[..., Any]) -> str:
        """An annotation for this class; its names are imported from where the function has them."""
        if text is inspect.Parameter.empty:
            text = "Any"
        assert isinstance(text, str), f"{function}: annotations are read as text"
        if self.cls is Variable:
            text = re.sub(r"\bTensor\b", self.cls.__name__, text)
        for node in ast.walk(ast.parse(text, mode="eval")):
            if isinstance(node, ast.Name) and node.id != self.cls.__name__:
                self._import(node.id, function)
        return text

    def _import(self, name: str, function: Callable[..., Any]) -> None:
        if name == "Any":
            self.imports.add("from typing import Any")
        elif name == "np":
            self.imports.add("import numpy as np")
        elif name not in _BUILTIN:
            found = getattr(function, "__globals__", {})[name]
            self.imports.add(f"from {found.__module__} import {name}")


def package_text(name: str) -> str:
    """The stub of a package: where each of its public names comes from."""
    package = importlib.import_module(name)
    written = Path(str(package.__file__)).read_text(encoding="utf8")
    lines, constants = [], []
    for public in sorted(dir(package)):
        value = None if public.startswith("_") else getattr(package, public, None)
        if value is None or getattr(value, "__module__", "") in ("__future__", "typing"):
            continue
        mentioned = rf'[ "]{public}[,"]' if inspect.ismodule(value) else rf"\b{public}\b"
        if public not in package.__all__ and not re.search(mentioned, written):
            continue  # there because something imported it, or asked for it by a deep path
        source = _source(value, public)
        if inspect.ismodule(value) and getattr(value, "__file__", None) is None:
            constants.append(f"{public}: ModuleType\n")  # made of _module_paths.tsv
            lines.append("from types import ModuleType\n")
        elif source is not None:
            module, own = source
            lines.append(f"from {module} import {own} as {public}\n")
        elif isinstance(value, enum.Enum):
            kind = type(value)
            constants.append(f"{public}: {kind.__name__}\n")
            lines.append(f"from {kind.__module__} import {kind.__name__}\n")
    return (
        f'"""Public names of {name}; written by scripts/make_stubs.py."""\n\n'
        + "".join(sorted(set(lines)))
        + "\n"
        + "".join(constants)
        + "__version__: str\n" * hasattr(package, "__version__")
        + f"__all__ = {sorted(package.__all__)}\n"
    )


def _source(value: Any, name: str) -> tuple[str, str] | None:
    """The module that defines a function, a class or a module, and what it is called there."""
    if inspect.ismodule(value):
        parent, _, own = value.__name__.rpartition(".")
        return (parent, own) if parent.startswith("paddle") else None
    own = getattr(value, "__name__", name)
    if not (inspect.isclass(value) or inspect.isroutine(value)):
        return None
    for module in (getattr(value, "__module__", ""), _of_code(value)):
        if module != "paddle" and getattr(sys.modules.get(module), own, None) is value:
            return module, own
    return None


def _of_code(value: Any) -> str:
    """The module in which the code of a class stands, whatever module it says it is of."""
    code = getattr(getattr(value, "__init__", None), "__code__", None)
    file = Path(code.co_filename) if code is not None else ROOT
    return ".".join(file.relative_to(ROOT).with_suffix("").parts) if ROOT in file.parents else ""


def texts() -> dict[Path, str]:
    """Each stub and what belongs into it."""
    found = {stub: Stub(path, cls).text() for path, (cls, stub) in CLASSES.items()}
    for name in PACKAGES:
        found[ROOT / name.replace(".", "/") / "__init__.pyi"] = package_text(name)
    return found


if __name__ == "__main__":
    for target, text in texts().items():
        target.write_text(text, encoding="utf8")
