"""Rules: how operators of Programs are written in ONNX, a file for each family.

An operator that is one of ONNX's by another name is a line in a ``table``::

    table({"exp": "Exp", "sin": "Sin"})

Everything else is a function that adds nodes::

    @rule("relu6")
    def _(g, op):
        return g.clip(op["X"], op.number(0), op.number(op.attr("threshold")), op.dtype("X"))

``g`` is the :class:`~paddle.onnx.graph.Graph`: ``g.Add(x, y)`` adds a node, and methods with small
letters (``g.reduce``, ``g.squeeze``, ``g.pad``, ...) write what depends on the opset. ``op`` is the
:class:`~paddle.onnx.step.Step`: ``op["X"]`` is the value of an input slot, ``op.get("Bias")`` may
be None, ``op.values("X")`` are several; ``op.attr``, ``op.ints``, ``op.shape``, ``op.rank``,
``op.dtype`` and ``op.known`` say what is known of them; ``op.number(2.0)`` is a constant of the
type of X. Sizes and axes that a tensor may give instead of an attribute are ``op.vector``.

A rule returns the value of the first output slot; a tuple of values in the order of the operator's
output slots (a list for a slot of several, None for what is not given); or a dict from slots to
values. Where nothing reads an output (``op.wants``) it may be None.

* What drops all dimensions returns ``op.scalar(value)``: 2.0 knows no rank 0.
* What ONNX cannot say raises ``op.refuse("why")``; all refusals are told together, with the lines
  of the user's.
* What a later opset is needed for says ``g.need(16, op.op.type)``; the model is then written anew
  with it.
* Operators all of whose inputs are constants never come to a rule: they are computed before.
* Blocks of control flow are converted by ``op.convert_block`` and become a ``Body``.

A new family is a module in this folder, which takes ``rule`` and ``table`` from
:mod:`paddle.onnx.rules.registry`: it is found by itself. ``tests/onnx/test_samples.py`` runs
every operator sample through its rule; an operator with neither a rule nor a reason in its table
fails there.
"""

from __future__ import annotations

from paddle.onnx.rules.registry import known_operators, rule, rule_of, table

__all__ = ["known_operators", "rule", "rule_of", "table"]
