"""Cases that run under PaddlePaddle 1.8.5 and here, one module for each family.

A module holds functions ``case_NAME(fluid)`` in Python 3.7 syntax. Each builds something in the
default Program with nothing but numpy and the ``fluid`` it is given, and returns
``(feeds, fetches)``: arrays by name, or ``(array, lengths)`` for sequences (``[[2, 3]]``), and a
list of Variables. What a case may say of itself, as attributes of the function:

- ``grad = False``: no gradients are asked for. Else those of all floating feeds and parameters are,
  of the sum of the floating fetches; ``grad = ["x"]`` names the feeds, or other variables.
- ``steps = 5``: so many runs with the same feeds, as training has; then no gradients are added, and
  the persistable variables at the end are compared too.
- ``program = False``: only numbers are compared, not the operators, names and shapes.
- ``variables = False``: their shapes and types are not compared: 1.8.5 guesses them.
- ``close = 1e-3``: the tolerance, relative to the largest number; 1e-4 if not said.

Parameters that 1.8.5 would fill with random numbers get fixed ones (``filled``).
``scripts/oracle/fluid_185.py`` freezes what 1.8.5 does, ``tests/fluid/test_cases.py`` compares.
"""
