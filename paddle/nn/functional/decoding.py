"""Functions of decoding."""

from __future__ import annotations

from paddle.core.errors import InvalidArgumentError, check_tensors
from paddle.core.guards import guard_module
from paddle.core.op import C
from paddle.core.tensor import Tensor
from paddle.tensor.dims import shapes_fit

__all__ = ["gather_tree"]


def gather_tree(ids: Tensor, parents: Tensor) -> Tensor:
    """Whole sequences of a beam search, from the choices and their parents at each step.

    Args:
        ids (Tensor): what was chosen, int32 or int64, shape [steps, batch, beam].
        parents (Tensor): which beam each choice came from, of the same shape and dtype.

    Returns:
        Tensor: of the shape of ``ids``: along the first axis the sequence of each last choice.

    Raises:
        ValueError: shapes differ, or there are not three dimensions.

    Examples:
        .. code-block:: python

            import paddle
            ids = paddle.to_tensor([[[2, 2]], [[3, 9]], [[0, 1]]])
            parents = paddle.to_tensor([[[0, 0]], [[1, 0]], [[1, 0]]])
            print(paddle.nn.functional.gather_tree(ids, parents).numpy().tolist())
            # [[[2, 2]], [[9, 3]], [[0, 1]]]
    """
    check_tensors("gather_tree", ids=ids, parents=parents)
    if ids.ndim != 3 or not shapes_fit(parents.shape, ids.shape):
        raise InvalidArgumentError(
            "gather_tree: expected ids and parents of one shape [steps, batch, beam], "
            f"but received {ids.shape} and {parents.shape}."
        )
    return C.gather_tree(ids, parents)


guard_module(globals(), checks=False)
