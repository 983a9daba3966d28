"""Installs the operator of ../relu as a module: `pip install --no-build-isolation .`."""

from paddle.utils.cpp_extension import CppExtension, setup

setup(name="sloped_relu_ops", ext_modules=CppExtension(sources=["../relu/relu.cc"]))
