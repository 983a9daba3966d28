"""The folder for PYTHONPATH: modules that tests of PaddlePaddle's operators import by these names.

Each of them stands for one of :mod:`paddle.testing`; :func:`paddle.testing.provide` tells the path.
"""
