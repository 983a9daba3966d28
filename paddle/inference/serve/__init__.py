"""Saved models behind HTTP: ``python -m paddle.inference.serve MODEL``.

- :mod:`~paddle.inference.serve.bodies`: requests and answers as bytes, JSON or NumPy's formats
- :mod:`~paddle.inference.serve.running`: one run of a Predictor; joining requests, and splitting
- :mod:`~paddle.inference.serve.queue`: the bounded queue in which requests wait and are joined
- :mod:`~paddle.inference.serve.service`: a model with its workers, queue and numbers
- :mod:`~paddle.inference.serve.metrics`: the numbers, as Prometheus reads them
- :mod:`~paddle.inference.serve.app`: the WSGI application
- :mod:`~paddle.inference.serve.server`: the process that answers, until it is told to stop
"""
