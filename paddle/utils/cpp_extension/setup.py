"""Extensions that are installed: ``setup.py`` files with C++ and CUDA sources."""

from __future__ import annotations

import os
from typing import Any

from setuptools import Extension
from setuptools import setup as setuptools_setup
from setuptools.command.build_ext import build_ext

from paddle.core.errors import InvalidArgumentError
from paddle.utils.cpp_extension.build import Job, find_nvcc

__all__: list[str] = []

# What is installed beside the library, and imported.
_MODULE = '''"""Operators of the extension {name}."""

import os as _os

from paddle.utils.cpp_extension.functions import fill as _fill

_fill(globals(), _os.path.join(_os.path.dirname(_os.path.abspath(__file__)), "{library}"))
'''


def CppExtension(sources: list[str], *args: Any, **kwargs: Any) -> Extension:
    """Describes an extension of C++ sources, for :func:`setup`.

    Args:
        sources (list[str]): the files.
        *args: as of ``setuptools.Extension``.
        **kwargs: as of ``setuptools.Extension``: ``include_dirs``, ``extra_compile_args`` (a list,
            or lists for ``cxx`` and ``nvcc``), ``extra_link_args``, ``libraries`` ...

    Returns:
        setuptools.Extension: the description.

    Examples:
        .. code-block:: python

            from paddle.utils.cpp_extension import CppExtension
            print(CppExtension(sources=["relu.cc"]).sources)  # ['relu.cc']
    """
    return _extension(sources, args, kwargs, cuda=False)


def CUDAExtension(sources: list[str], *args: Any, **kwargs: Any) -> Extension:
    """Describes an extension of C++ and CUDA sources, for :func:`setup`.

    Args:
        sources (list[str]): the files; ``.cu`` files are compiled by nvcc.
        *args: as of ``setuptools.Extension``.
        **kwargs: see :func:`CppExtension`.

    Returns:
        setuptools.Extension: the description.

    Raises:
        RuntimeError: when it is built and there is no nvcc.

    Examples:
        .. code-block:: python

            from paddle.utils.cpp_extension import CUDAExtension
            print(CUDAExtension(sources=["relu.cc", "relu.cu"]).sources)  # ['relu.cc', 'relu.cu']
    """
    return _extension(sources, args, kwargs, cuda=True)


def _extension(sources: Any, args: tuple, kwargs: dict[str, Any], cuda: bool) -> Extension:
    flags = kwargs.pop("extra_compile_args", None) or []
    if isinstance(flags, str):
        raise InvalidArgumentError(
            f"extra_compile_args: expected a list of str or a dict of lists, received {flags!r}."
        )
    if not isinstance(flags, dict):
        flags = {"cxx": list(flags), "nvcc": list(flags) if cuda else []}
    unknown = set(flags) - {"cxx", "nvcc"}
    if unknown:
        raise InvalidArgumentError(
            f"extra_compile_args: expected lists for 'cxx' and 'nvcc', but received {unknown}."
        )
    name = kwargs.pop("name", None)
    if isinstance(sources, (str, os.PathLike)):
        sources = [os.fspath(sources)]
    made = Extension(name or "", list(sources), *args, **{"language": "c++", **kwargs})
    made.paddle_options = {"cuda": cuda, "flags": flags}  # type: ignore[attr-defined]
    return made


def setup(**attr: Any) -> Any:
    """Builds and installs an extension; the counterpart of ``setuptools.setup``.

    ``python setup.py install``, ``pip install .`` and ``pip install -e .`` work. What is installed
    is a module of the name given here, with a function for each operator.

    Args:
        **attr: as of ``setuptools.setup``; ``name`` and ``ext_modules`` (one extension) are needed.

    Raises:
        ValueError: one of them is missing, or there are several extensions.

    Examples:
        .. code-block:: python

            from paddle.utils.cpp_extension import CppExtension, setup
            # in setup.py:
            # setup(name="my_ops", ext_modules=CppExtension(sources=["relu.cc"]))
    """
    name = attr.get("name")
    if not isinstance(name, str) or not name.replace("-", "_").isidentifier():
        raise InvalidArgumentError(
            f"setup(name): expected the name of the module to install, but received {name!r}."
        )
    extensions = attr.get("ext_modules")
    extensions = list(extensions) if isinstance(extensions, (list, tuple)) else [extensions]
    if len(extensions) != 1 or not isinstance(extensions[0], Extension):
        raise InvalidArgumentError(
            "setup(ext_modules): expected one CppExtension or CUDAExtension, but received "
            f"{attr.get('ext_modules')!r}.",
            hint="several sources make one extension; several extensions are several packages",
        )
    module = name.replace("-", "_")
    extensions[0].name = f"{module}_pd_"
    if not hasattr(extensions[0], "paddle_options"):
        extensions[0].paddle_options = {"cuda": False, "flags": {}}
    attr["ext_modules"] = extensions
    attr["cmdclass"] = {"build_ext": BuildExtension, **attr.get("cmdclass", {})}
    attr.setdefault("py_modules", [module])
    attr.setdefault("zip_safe", False)
    return setuptools_setup(**attr)


class BuildExtension(build_ext):
    """setuptools' command that builds extensions, with the compiler and flags of :func:`load`.

    Examples:
        .. code-block:: python

            from paddle.utils.cpp_extension import BuildExtension
            Quiet = BuildExtension.with_options(output_dir="/tmp/built")
            print(issubclass(Quiet, BuildExtension))  # True
    """

    output_dir: str | None = None

    @classmethod
    def with_options(cls, **options: Any) -> type[BuildExtension]:
        """Makes a subclass with options: ``output_dir``, a folder that the library is put into.

        Args:
            **options: the options by name.

        Returns:
            type: the subclass.
        """
        unknown = set(options) - {"output_dir", "no_python_abi_suffix"}
        if unknown:
            raise InvalidArgumentError(
                f"with_options: expected output_dir or no_python_abi_suffix, received {unknown}."
            )
        if options.get("no_python_abi_suffix") is False:
            raise InvalidArgumentError(
                "with_options(no_python_abi_suffix): libraries depend on no Python, so that there "
                "is never a suffix."
            )
        return type("BuildExtension", (cls,), dict(options))

    def initialize_options(self) -> None:
        """Sets the options' defaults."""
        super().initialize_options()

    def finalize_options(self) -> None:
        """Checks the options, and keeps the names of extensions for the modules that load them."""
        for extension in self.distribution.ext_modules or ():
            if not extension.name.endswith("_pd_"):  # with setuptools' own setup
                extension.name += "_pd_"
        super().finalize_options()
        if self.output_dir is not None:
            self.build_lib = os.path.abspath(self.output_dir)

    def get_ext_filename(self, fullname: str) -> str:
        """Returns the name of the built file, without Python's suffix.

        Args:
            fullname (str): the extension's name.
        """
        return os.path.join(*fullname.split(".")) + ".so"

    def build_extensions(self) -> None:
        """Compiles the extensions and writes the modules that load them."""
        for extension in self.extensions:
            told = getattr(extension, "paddle_options", {"cuda": False, "flags": {}})
            if told["cuda"]:
                find_nvcc()
            defined = [f"-D{n}" if v is None else f"-D{n}={v}" for n, v in extension.define_macros]
            defined += [f"-U{name}" for name in extension.undef_macros]
            link = [f"-L{folder}" for folder in extension.library_dirs]
            link += [f"-Wl,-rpath,{folder}" for folder in extension.runtime_library_dirs or ()]
            link += [*(extension.extra_link_args or ()), *extension.extra_objects]
            link += [f"-l{name}" for name in extension.libraries]
            job = Job(
                extension.sources, defined + told["flags"].get("cxx", []),
                defined + told["flags"].get("nvcc", []), link, list(extension.include_dirs),
                cuda=told["cuda"], verbose=bool(self.verbose),
            )  # fmt: skip
            made = self.get_ext_fullpath(extension.name)
            job.build(os.path.abspath(made))
            text = _MODULE.format(
                name=extension.name.removesuffix("_pd_"), library=os.path.basename(made)
            )
            path = os.path.abspath(made).removesuffix("_pd_.so") + ".py"
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)

    def get_outputs(self) -> list[str]:
        """Returns the files that were built."""
        made = super().get_outputs()
        return made + [path.removesuffix("_pd_.so") + ".py" for path in made]

    def copy_extensions_to_source(self) -> None:
        """Puts library and module beside the sources: ``--inplace``, editable installations."""
        super().copy_extensions_to_source()
        for extension in self.extensions:
            built = os.path.join(self.build_lib, self.get_ext_filename(extension.name))
            beside = os.path.abspath(self.get_ext_fullpath(extension.name))
            self.copy_file(*(path.removesuffix("_pd_.so") + ".py" for path in (built, beside)))
