"""RNN and BiRNN: run any cell over sequences, step by step."""

from __future__ import annotations

from typing import Any

from paddle.core.dtype import VarType
from paddle.core.errors import InvalidArgumentError
from paddle.core.mode import recording
from paddle.core.op import C
from paddle.core.pytree import leaves, rebuilt, tree_map
from paddle.core.tensor import Tensor
from paddle.ir.variable import Variable
from paddle.nn.layer.layers import Layer
from paddle.nn.layer.rnn_cells import GRUCell, LSTMCell, SimpleRNNCell, biases_in_order

__all__ = ["BiRNN", "RNN"]


def check_lengths(owner: str, lengths: Any, batch: int) -> None:
    """Checks ``sequence_length``: one integer for every sequence of the batch."""
    where = f"{owner}(sequence_length)"
    if not isinstance(lengths, (Tensor, Variable)):
        raise TypeError(f"{where}: expected a Tensor, but received {type(lengths).__name__}.")
    if lengths.dtype not in (VarType.INT32, VarType.INT64):
        raise InvalidArgumentError(f"{where}: expected int32 or int64, but got {lengths.dtype}.")
    sizes = [n for n in lengths.shape if n != 1] or [1]
    if len(sizes) > 1 or (batch != -1 and sizes[0] not in (batch, -1)):
        raise InvalidArgumentError(
            f"{where}: expected the shape [{'batch' if batch == -1 else batch}], one length for "
            f"every sequence, but received {list(lengths.shape)}."
        )


def swapped(x: Any) -> Any:
    """Exchanges the first two dimensions: time and batch."""
    return C.transpose2(x, axis=[1, 0, *range(2, len(x.shape))])[0]


def _backwards(x: Any) -> Any:
    return C.flip(x, axis=[0])


def _blended(before: Any, after: Any, mask: Any) -> Any:
    """``after`` where the mask is one, ``before`` where it is zero; the mask is [batch]."""
    mask = C.reshape2(mask, shape=[-1] + [1] * (len(after.shape) - 1))[0]
    if mask.dtype != after.dtype:
        mask = C.cast(mask, in_dtype=int(mask.dtype), out_dtype=int(after.dtype))
    change = C.elementwise_mul(C.elementwise_sub(after, before), mask)
    return C.elementwise_add(before, change)


def _run(owner: str, cell: Any, inputs: Any, states: Any, lengths: Any, reverse: bool,
         time_major: bool, kwargs: dict) -> tuple[Any, Any]:  # fmt: skip
    """Runs a cell over sequences; the arguments are those of :meth:`RNN.forward`."""
    for x in leaves(inputs):
        if not isinstance(x, (Tensor, Variable)):
            raise TypeError(f"{owner}(inputs): expected a Tensor, but got {type(x).__name__}.")
        if len(x.shape) < 2:
            raise InvalidArgumentError(
                f"{owner}(inputs): expected at least two dimensions, time and batch, but received "
                f"the shape {list(x.shape)}."
            )
    first = leaves(inputs)[0]
    batch_at = 1 if time_major else 0
    if lengths is not None:
        check_lengths(owner, lengths, first.shape[batch_at])
    if states is None:
        states = cell.get_initial_states(first, batch_dim_idx=batch_at)
    steps = inputs if time_major else tree_map(swapped, inputs)
    mask = None if lengths is None else _mask(lengths, leaves(steps)[0])
    if reverse:
        steps = tree_map(_backwards, steps)
        mask = None if mask is None else _backwards(mask)
    if mask is None and not kwargs and _is_known(cell, steps):
        outputs, states = _at_once(cell, steps, states)
    else:
        loop = _recorded if recording() else _looped
        outputs, states = loop(cell, steps, states, mask, kwargs)
    if reverse:
        outputs = tree_map(_backwards, outputs)
    return (outputs if time_major else tree_map(swapped, outputs)), states


class RNN(Layer):
    """Runs a cell over sequences.

    Args:
        cell (RNNCellBase): maps (inputs, states) of a step to (outputs, new states).
        is_reverse (bool): whether the last step comes first. The outputs stay in the order of the
            inputs.
        time_major (bool): whether the first dimension of inputs and outputs is the time, and the
            second one the batch.

    Examples:
        .. code-block:: python

            import paddle
            rnn = paddle.nn.RNN(paddle.nn.SimpleRNNCell(16, 32))
            out, h = rnn(paddle.rand([4, 23, 16]), paddle.randn([4, 32]))
            print(out.shape, h.shape)  # [4, 23, 32] [4, 32]
    """

    def __init__(self, cell: Any, is_reverse: bool = False, time_major: bool = False) -> None:
        super().__init__()
        if not callable(cell):
            raise TypeError(f"RNN(cell): expected a cell, but received {type(cell).__name__}.")
        self.cell = cell
        self.is_reverse, self.time_major = is_reverse, time_major

    def forward(
        self,
        inputs: Any,
        initial_states: Any = None,
        sequence_length: Tensor | None = None,
        **kwargs: Any,
    ) -> tuple[Any, Any]:
        """Runs the cell.

        Args:
            inputs (Tensor): [batch, time, ...], or [time, batch, ...] if ``time_major``; or a
                pytree of them.
            initial_states (Tensor|pytree|None): what the first step gets; None asks the cell's
                ``get_initial_states``.
            sequence_length (Tensor|None): int32 or int64 of shape [batch]. After the end of a
                sequence its states stay; its outputs there are whatever the cell makes of them.
            **kwargs: handed on to the cell.

        Returns:
            tuple: (outputs, final states), the outputs in the layout of the inputs.
        """
        return _run("RNN", self.cell, inputs, initial_states, sequence_length, self.is_reverse,
                    self.time_major, kwargs)  # fmt: skip

    def extra_repr(self) -> str:
        """The settings, for printing."""
        shown = {"is_reverse": self.is_reverse, "time_major": self.time_major}
        return ", ".join(f"{name}={value}" for name, value in shown.items() if value)


def _mask(lengths: Any, steps: Any) -> Any:
    """Ones as long as sequences run, zeros behind, [time, batch]."""
    kind = steps.dtype if steps.dtype in (VarType.FP32, VarType.FP64) else VarType.FP32
    lengths = C.reshape2(lengths, shape=[-1])[0]
    time = steps.shape[0]
    if time == -1:  # known at run time only
        whole = C.slice(C.shape(steps), axes=[0], starts=[0], ends=[1])
        mask = C.sequence_mask(lengths, whole, out_dtype=int(kind))
    else:
        mask = C.sequence_mask(lengths, maxlen=time, out_dtype=int(kind))
    return swapped(mask)


def _is_known(cell: Any, inputs: Any) -> bool:
    """Whether the operator ``rnn`` does what a loop over this cell does.

    With lengths it does not: behind the end of a sequence its outputs are zero.
    """
    if type(cell) not in (SimpleRNNCell, LSTMCell, GRUCell) or isinstance(inputs, (list, dict)):
        return False
    changed = cell._forward_pre_hooks or cell._forward_post_hooks or "forward" in cell.__dict__
    sizes = list(getattr(inputs, "shape", ()))
    return not changed and len(sizes) == 3 and sizes[2] == cell.input_size and sizes[0] != 0


def _at_once(cell: Any, inputs: Any, states: Any) -> tuple[Any, Any]:
    """All steps of one of our own cells by one operator."""
    cell._check_states(states)
    weights = [cell.weight_ih, cell.weight_hh]
    weights += biases_in_order([cell.bias_ih, cell.bias_hh], cell.weight_ih)
    first = [C.unsqueeze2(s, axes=[0])[0] for s in leaves(states)]
    outputs, _, ends, _ = C.rnn(
        inputs, first, weights, input_size=cell.input_size, hidden_size=cell.hidden_size,
        num_layers=1, mode=cell._mode(), is_test=not cell.training,
    )  # fmt: skip
    last = [C.squeeze2(e, axes=[0])[0] for e in ends]
    return outputs, tuple(last) if len(last) > 1 else last[0]


def _looped(cell: Any, inputs: Any, states: Any, mask: Any, kwargs: dict) -> tuple[Any, Any]:
    """A loop in Python."""
    time = leaves(inputs)[0].shape[0]
    if time == 0:
        raise InvalidArgumentError(
            "RNN(inputs): expected at least one time step, but the sequences have none."
        )
    slices = tree_map(_steps, inputs)
    masks = None if mask is None else _steps(mask)
    collected: list[list[Any]] = []
    for t in range(time):
        given = tree_map(lambda x: x.items[t], slices)  # noqa: B023 (called at once)
        outputs, new = cell(given, states, **kwargs)
        if masks is not None:
            now = masks.items[t]
            new = tree_map(lambda old, x: _blended(old, x, now), states, new)  # noqa: B023
        states = new
        collected.append(leaves(outputs))
    stacked = [C.stack(list(parts), axis=0) for parts in zip(*collected, strict=True)]
    return rebuilt(outputs, stacked), states


class _steps:
    """The slices of a Tensor along time: one value of a pytree, though it holds a list."""

    def __init__(self, x: Tensor) -> None:
        self.items = C.unbind(x, axis=0)


def _recorded(cell: Any, inputs: Any, states: Any, mask: Any, kwargs: dict) -> tuple[Any, Any]:
    """A loop in a static Program; the number of steps may be unknown."""
    from paddle.ir.control.rnn import StaticRNN

    rnn = StaticRNN()
    starts = [C.assign(s) if not isinstance(s, Variable) else s for s in leaves(states)]
    with rnn.step():
        given = tree_map(rnn.step_input, inputs)
        now = None if mask is None else rnn.step_input(mask)
        memories = [rnn.memory(init=s) for s in starts]
        before = rebuilt(states, memories)
        outputs, new = cell(given, before, **kwargs)
        if now is not None:
            new = tree_map(lambda old, x: _blended(old, x, now), before, new)
        tree_map(lambda old, x: None, before, new)  # or it says how they differ
        for memory, value in zip(memories, leaves(new), strict=True):
            rnn.update_memory(memory, value)
        rnn.output(*leaves(outputs), *leaves(new))
    found = rnn()
    found = found if isinstance(found, list) else [found]
    count = len(leaves(outputs))
    last = [C.slice(x, axes=[0], starts=[-1], ends=[2**31 - 1], decrease_axis=[0])
            for x in found[count:]]  # fmt: skip
    return rebuilt(outputs, found[:count]), rebuilt(new, last)


class BiRNN(Layer):
    """Runs two cells over sequences, one forwards and one backwards.

    Args:
        cell_fw (RNNCellBase): runs from the first step to the last.
        cell_bw (RNNCellBase): runs from the last step to the first.
        time_major (bool): see :class:`RNN`.

    Examples:
        .. code-block:: python

            import paddle
            cells = paddle.nn.LSTMCell(16, 32), paddle.nn.LSTMCell(16, 32)
            rnn = paddle.nn.BiRNN(*cells)
            out, (states_fw, states_bw) = rnn(paddle.rand([2, 23, 16]))
            print(out.shape, states_fw[0].shape)  # [2, 23, 64] [2, 32]
    """

    def __init__(self, cell_fw: Any, cell_bw: Any, time_major: bool = False) -> None:
        super().__init__()
        self.cell_fw, self.cell_bw = cell_fw, cell_bw
        sizes = [getattr(cell, "input_size", None) for cell in (cell_fw, cell_bw)]
        if None not in sizes and sizes[0] != sizes[1]:
            raise InvalidArgumentError(
                "BiRNN: expected cells with the same input_size, but cell_fw has "
                f"{sizes[0]} and cell_bw has {sizes[1]}."
            )
        self.time_major = time_major

    def forward(
        self,
        inputs: Any,
        initial_states: Any = None,
        sequence_length: Tensor | None = None,
        **kwargs: Any,
    ) -> tuple[Any, Any]:
        """Runs both cells.

        Args:
            inputs (Tensor): see :meth:`RNN.forward`.
            initial_states (tuple|None): states for the cell that runs forwards, and for the other.
            sequence_length (Tensor|None): see :meth:`RNN.forward`. The cell that runs backwards
                starts at each sequence's own last step.
            **kwargs: handed on to both cells.

        Returns:
            tuple: (outputs, (final states forwards, final states backwards)); the outputs of the
            two are joined along the last dimension.
        """
        if initial_states is None:
            initial_states = (None, None)
        elif not isinstance(initial_states, (list, tuple)) or len(initial_states) != 2:
            raise InvalidArgumentError(
                "BiRNN(initial_states): expected a pair, states of cell_fw and of cell_bw, but "
                f"received a {type(initial_states).__name__}."
            )
        ends, outs = [], []
        both = ((self.cell_fw, False), (self.cell_bw, True))
        for (cell, reverse), states in zip(both, initial_states, strict=True):
            out, end = _run("BiRNN", cell, inputs, states, sequence_length, reverse,
                            self.time_major, kwargs)  # fmt: skip
            outs.append(out)
            ends.append(end)
        joined = tree_map(lambda a, b: C.concat([a, b], axis=-1), *outs)
        return joined, tuple(ends)
