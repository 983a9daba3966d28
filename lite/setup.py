"""Wheels of paddlelite: of one platform where the package holds a library, else of any."""

from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.bdist_wheel import bdist_wheel

LIBRARY = Path(__file__).with_name("paddlelite") / "paddle_lite.so"


class Lite(Distribution):
    """Says that the package is of a platform, where it holds a library."""

    def has_ext_modules(self) -> bool:
        return LIBRARY.exists()


class Wheel(bdist_wheel):
    """The library is of no version of Python."""

    def get_tag(self) -> tuple[str, str, str]:
        return "py3", "none", super().get_tag()[2]


setup(distclass=Lite, cmdclass={"bdist_wheel": Wheel})
