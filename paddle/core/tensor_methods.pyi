"""What `import paddle` attaches to Tensor; written by scripts/make_stubs.py."""

import numpy as np
from collections.abc import Iterator
from paddle.core.lod import HeldTensor
from paddle.core.tensor import Tensor
from typing import Any

class Methods:
    @property
    def T(self) -> Tensor:
        """The Tensor with its dimensions reversed."""
    def __abs__(self) -> Tensor: ...
    def __add__(self, other: Any) -> Tensor: ...
    def __and__(self, other: Any) -> Tensor: ...
    __array_priority__: int
    def __contains__(self, value: Any) -> bool: ...
    def __div__(self, other: Any) -> Tensor: ...
    def __eq__(self, other: Any) -> Tensor: ...  # type: ignore[override]
    def __floordiv__(self, other: Any) -> Tensor: ...
    def __ge__(self, other: Any) -> Tensor: ...
    def __getitem__(self, item: Any) -> Tensor: ...
    def __gt__(self, other: Any) -> Tensor: ...
    def __init__(self, value: Any = None, **options: Any) -> None: ...
    def __invert__(self) -> Tensor: ...
    def __iter__(self) -> Iterator[Tensor]: ...
    def __le__(self, other: Any) -> Tensor: ...
    def __lt__(self, other: Any) -> Tensor: ...
    def __matmul__(self, other: Any) -> Tensor: ...
    def __mod__(self, other: Any) -> Tensor: ...
    def __mul__(self, other: Any) -> Tensor: ...
    def __ne__(self, other: Any) -> Tensor: ...  # type: ignore[override]
    def __neg__(self) -> Tensor: ...
    def __or__(self, other: Any) -> Tensor: ...
    def __pos__(self) -> Tensor: ...
    def __pow__(self, other: Any) -> Tensor: ...
    def __radd__(self, other: Any) -> Tensor: ...
    def __rand__(self, other: Any) -> Tensor: ...
    def __rdiv__(self, other: Any) -> Tensor: ...
    def __rfloordiv__(self, other: Any) -> Tensor: ...
    def __rmatmul__(self, other: Any) -> Tensor: ...
    def __rmod__(self, other: Any) -> Tensor: ...
    def __rmul__(self, other: Any) -> Tensor: ...
    def __ror__(self, other: Any) -> Tensor: ...
    def __rpow__(self, other: Any) -> Tensor: ...
    def __rsub__(self, other: Any) -> Tensor: ...
    def __rtruediv__(self, other: Any) -> Tensor: ...
    def __rxor__(self, other: Any) -> Tensor: ...
    def __setitem__(self, item: Any, value: Any) -> None: ...
    def __sub__(self, other: Any) -> Tensor: ...
    def __truediv__(self, other: Any) -> Tensor: ...
    def __xor__(self, other: Any) -> Tensor: ...
    def _clear_gradient(self) -> None:
        """Sets the gradient to zero, so that the next backward starts anew."""
    def _copy_to(self, place: Any, blocking: bool = True) -> Tensor:
        """A copy on a device; what runs there later waits for it, whether ``blocking`` or not."""
    def _grad_ivar(self) -> Tensor | None: ...
    def _grad_name(self) -> str:
        """The name of the gradient."""
    def _numel(self) -> int:
        """The number of elements as a number of Python."""
    def _register_grad_hook(self, hook: Any) -> Any:
        """Calls ``hook(grad)`` when the gradient of this Tensor is known."""
    def _run_backward(self, tracer: Any = None, retain_graph: bool = False) -> None:
        """Computes gradients; the tracer is that of the thread."""
    def abs(self, name: str | None = None) -> Tensor:
        """Returns the absolute value, for every element: :math:`|x|`."""
    def acos(self, name: str | None = None) -> Tensor:
        r"""Returns the inverse cosine, in radians, for every element: :math:`\arccos(x)`."""
    def add(self, y: Tensor, name: str | None = None) -> Tensor:
        """Returns the sum of two Tensors, element by element: :math:`x + y`."""
    def add_n(self, name: str | None = None) -> Tensor:
        """Returns the sum of several Tensors of one shape."""
    def addmm(self, x: Tensor, y: Tensor, beta: float = 1.0, alpha: float = 1.0, name: str | None = None) -> Tensor:
        """Returns ``beta * input + alpha * x @ y``."""
    def all(self, axis: int | list[int] | None = None, keepdim: bool = False, name: str | None = None) -> Tensor:
        """Says whether every element is true (not 0), over all axes or some."""
    def allclose(self, y: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False, name: str | None = None) -> Tensor:
        r"""Says whether all elements are near: :math:`|x - y| \le atol + rtol |y|`."""
    def any(self, axis: int | list[int] | None = None, keepdim: bool = False, name: str | None = None) -> Tensor:
        """Says whether any element is true (not 0), over all axes or some."""
    def argmax(self, axis: int | None = None, keepdim: bool = False, dtype: Any = 'int64', name: str | None = None) -> Tensor:
        """Returns the position of the largest element, the first one where there are several."""
    def argmin(self, axis: int | None = None, keepdim: bool = False, dtype: Any = 'int64', name: str | None = None) -> Tensor:
        """Returns the position of the smallest element, the first one where there are several."""
    def argsort(self, axis: int = -1, descending: bool = False, name: str | None = None) -> Tensor:
        """Returns the positions of the elements in sorted order; equal ones keep their order."""
    def asin(self, name: str | None = None) -> Tensor:
        r"""Returns the inverse sine, in radians, for every element: :math:`\arcsin(x)`."""
    def astype(self, dtype: Any) -> Tensor:
        """Returns the Tensor converted to another data type."""
    def atan(self, name: str | None = None) -> Tensor:
        r"""Returns the inverse tangent, in radians, for every element: :math:`\arctan(x)`."""
    def backward(self, retain_graph: Any = False, grad_tensor: Tensor | None = None, backward_strategy: Any = None) -> None:
        """Computes the gradients of all leaves this Tensor depends on and adds them up there."""
    def bmm(self, y: Tensor, name: str | None = None) -> Tensor:
        """Returns the products of two batches of matrices."""
    def broadcast_shape(self, y_shape: list[int]) -> list[int]:
        """Returns the shape that Tensors of two shapes broadcast to."""
    def broadcast_to(self, shape: Any, name: str | None = None) -> Tensor:
        """Repeats dimensions of size 1, and adds new ones in front, to reach a shape."""
    def cast(self, dtype: Any) -> Tensor:
        """Returns a Tensor converted to another data type."""
    def ceil(self, name: str | None = None) -> Tensor:
        r"""Returns the smallest integer that is not less, of every element: :math:`\lceil x \rceil`."""
    def cholesky(self, upper: bool = False, name: str | None = None) -> Tensor:
        """Returns the Cholesky factor of symmetric positive definite matrices: :math:`x = L L^T`."""
    def chunk(self, chunks: int, axis: Any = 0, name: str | None = None) -> list[Tensor]:
        """Cuts a Tensor into equal parts along a dimension."""
    def clear_grad(self) -> None:
        """Sets the gradient to zero, so that the next backward starts anew."""
    def clear_gradient(self) -> None:
        """Sets the gradient to zero, so that the next backward starts anew."""
    def clip(self, min: float | Tensor | None = None, max: float | Tensor | None = None, name: str | None = None) -> Tensor:
        """Returns every element moved into ``[min, max]``. Outside, and on the ends, the gradient is 0."""
    def clone(self) -> Tensor:
        """Returns a copy through which gradients flow back."""
    def concat(self, axis: Any = 0, name: str | None = None) -> Tensor:
        """Joins tensors along a dimension that they have."""
    def conj(self, name: str | None = None) -> Tensor:
        """Returns the complex conjugate of every element; a real Tensor stays as it is."""
    def cos(self, name: str | None = None) -> Tensor:
        r"""Returns the cosine, for every element: :math:`\cos(x)`."""
    def cosh(self, name: str | None = None) -> Tensor:
        """Returns the hyperbolic cosine, for every element: :math:`(e^x + e^{-x}) / 2`."""
    def cpu(self) -> Tensor:
        """Returns a copy in main memory."""
    def crop(self, shape: Any = None, offsets: Any = None, name: str | None = None) -> Tensor:
        """Cuts a block of a given shape out of a Tensor."""
    def cross(self, y: Tensor, axis: int | None = None, name: str | None = None) -> Tensor:
        """Returns the vector product along an axis of length three."""
    def cuda(self, device_id: int = -1, blocking: bool = True) -> Tensor:
        """Returns a copy on a GPU."""
    def cumsum(self, axis: int | None = None, dtype: Any = None, name: str | None = None) -> Tensor:
        """Returns running sums: each element plus all before it."""
    def dist(self, y: Tensor, p: float = 2) -> Tensor:
        """Returns the p-norm of ``x - y``, all elements taken as one vector."""
    def divide(self, y: Tensor, name: str | None = None) -> Tensor:
        """Returns the quotient of two Tensors, element by element: :math:`x / y`."""
    def dot(self, y: Tensor, name: str | None = None) -> Tensor:
        """Returns the inner product of two vectors, or of the rows of two matrices."""
    def equal(self, y: Tensor | float, name: str | None = None) -> Tensor:
        """Says of every element of ``x`` whether it equals that of ``y``: :math:`x = y`."""
    def equal_all(self, y: Tensor, name: str | None = None) -> Tensor:
        """Says whether two Tensors have the same shape and the same elements."""
    def erf(self, name: str | None = None) -> Tensor:
        """Returns the error function, for every element."""
    def exp(self, name: str | None = None) -> Tensor:
        """Returns the exponential, for every element: :math:`e^x`."""
    def expand(self, shape: Any, name: str | None = None) -> Tensor:
        """Repeats dimensions of size 1, and adds new ones in front, to reach a shape."""
    def expand_as(self, y: Tensor, name: str | None = None) -> Tensor:
        """Repeats a Tensor to the shape of another one."""
    def exponential_(self, lam: float = 1.0) -> Tensor:
        r"""Fills a Tensor with numbers of density :math:`\lambda e^{-\lambda x}`."""
    def fill_(self, value: float) -> Tensor:
        """Sets every element to one number."""
    def flatten(self, start_axis: int = 0, stop_axis: int = -1, name: str | None = None) -> Tensor:
        """Makes one dimension of several neighbouring ones."""
    def flip(self, axis: Any, name: str | None = None) -> Tensor:
        """Reverses the order of elements along dimensions."""
    def floor(self, name: str | None = None) -> Tensor:
        """Returns the largest integer that is not greater, for every element."""
    def floor_divide(self, y: Tensor, name: str | None = None) -> Tensor:
        """Returns the integer quotient of two Tensors, element by element."""
    def floor_mod(self, y: Tensor, name: str | None = None) -> Tensor:
        """Returns the remainder of two Tensors, element by element."""
    def gather(self, index: Tensor, axis: Any = None, name: str | None = None) -> Tensor:
        """Takes entries of a Tensor along a dimension."""
    def gather_nd(self, index: Tensor, name: str | None = None) -> Tensor:
        """Takes elements or slices of a Tensor at positions in its first dimensions."""
    def get_tensor(self) -> HeldTensor:
        """Returns what it holds, to be read and set in the way of 1.x; setting shows in it."""
    @property
    def grad(self) -> Tensor | None:
        """The accumulated gradient, or None where none has arrived."""
    @grad.setter
    def grad(self, value: Any) -> None: ...
    def gradient(self) -> np.ndarray | None:
        """Returns the gradient as a NumPy array, or None."""
    def greater_equal(self, y: Tensor | float, name: str | None = None) -> Tensor:
        r"""Says of every element of ``x`` whether it is at least that of ``y``: :math:`x \ge y`."""
    def greater_than(self, y: Tensor | float, name: str | None = None) -> Tensor:
        """Says of every element of ``x`` whether it is greater than that of ``y``: :math:`x > y`."""
    def histogram(self, bins: int = 100, min: int = 0, max: int = 0) -> Tensor:
        """Counts the elements in ranges of equal width between ``min`` and ``max``."""
    def imag(self, name: str | None = None) -> Tensor:
        """Returns the imaginary parts of a complex Tensor."""
    def increment(self, value: float = 1.0, name: str | None = None) -> Tensor:
        """Adds a number to a Tensor of one element, in place: for counters of loops."""
    def index_sample(self, index: Tensor) -> Tensor:
        """Takes from every row elements at positions of its own."""
    def index_select(self, index: Tensor, axis: int = 0, name: str | None = None) -> Tensor:
        """Takes entries of a Tensor along a dimension."""
    def inverse(self, name: str | None = None) -> Tensor:
        """Returns the inverses of square matrices."""
    def is_empty(self, name: str | None = None) -> Tensor:
        """Says whether a Tensor has no elements."""
    def is_tensor(self) -> bool:
        """Says whether an object is a Tensor."""
    def isfinite(self, name: str | None = None) -> Tensor:
        """Says of every element whether it is finite: neither infinite nor NaN."""
    def isinf(self, name: str | None = None) -> Tensor:
        """Says of every element whether it is infinite."""
    def isnan(self, name: str | None = None) -> Tensor:
        """Says of every element whether it is NaN."""
    def kron(self, y: Tensor, name: str | None = None) -> Tensor:
        """Returns the Kronecker product: every element of ``x`` times all of ``y``."""
    def less_equal(self, y: Tensor | float, name: str | None = None) -> Tensor:
        r"""Says of every element of ``x`` whether it is at most that of ``y``: :math:`x \le y`."""
    def less_than(self, y: Tensor | float, name: str | None = None) -> Tensor:
        """Says of every element of ``x`` whether it is less than that of ``y``: :math:`x < y`."""
    def log(self, name: str | None = None) -> Tensor:
        r"""Returns the natural logarithm, for every element: :math:`\ln(x)`."""
    def log10(self, name: str | None = None) -> Tensor:
        r"""Returns the logarithm to base 10, for every element: :math:`\log_{10}(x)`."""
    def log1p(self, name: str | None = None) -> Tensor:
        """Returns the logarithm of one plus every element, exact for tiny ones too."""
    def log2(self, name: str | None = None) -> Tensor:
        r"""Returns the logarithm to base 2, for every element: :math:`\log_2(x)`."""
    def logical_and(self, y: Tensor, out: Tensor | None = None, name: str | None = None) -> Tensor:
        """Says of every pair of elements whether both are true (not 0)."""
    def logical_not(self, out: Tensor | None = None, name: str | None = None) -> Tensor:
        """Says of every element whether it is false (0)."""
    def logical_or(self, y: Tensor, out: Tensor | None = None, name: str | None = None) -> Tensor:
        """Says of every pair of elements whether at least one is true (not 0)."""
    def logical_xor(self, y: Tensor, out: Tensor | None = None, name: str | None = None) -> Tensor:
        """Says of every pair of elements whether exactly one is true (not 0)."""
    def logsumexp(self, axis: int | list[int] | None = None, keepdim: bool = False, name: str | None = None) -> Tensor:
        r"""Returns :math:`\ln \sum_i e^{x_i}` over all axes or some, without overflow."""
    def masked_select(self, mask: Tensor, name: str | None = None) -> Tensor:
        """Returns the elements for which a mask is True, one after the other."""
    def matmul(self, y: Tensor, transpose_x: bool = False, transpose_y: bool = False, name: str | None = None) -> Tensor:
        """Returns the matrix product, with batch dimensions that broadcast."""
    def max(self, axis: int | list[int] | None = None, keepdim: bool = False, name: str | None = None) -> Tensor:
        """Returns the greatest element, over all axes or some."""
    def maximum(self, y: Tensor, name: str | None = None) -> Tensor:
        r"""Returns the greater value of two Tensors, element by element: :math:`\max(x, y)`."""
    def mean(self, axis: int | list[int] | None = None, keepdim: bool = False, name: str | None = None) -> Tensor:
        """Returns the mean of the elements, over all axes or some."""
    def median(self, axis: int | None = None, keepdim: bool = False, name: str | None = None) -> Tensor:
        """Returns the middle element, or the mean of the two in the middle."""
    def min(self, axis: int | list[int] | None = None, keepdim: bool = False, name: str | None = None) -> Tensor:
        """Returns the smallest element, over all axes or some."""
    def minimum(self, y: Tensor, name: str | None = None) -> Tensor:
        r"""Returns the smaller value of two Tensors, element by element: :math:`\min(x, y)`."""
    def mm(self, mat2: Tensor, name: str | None = None) -> Tensor:
        """Returns the matrix product, like :func:`paddle.matmul` without its options."""
    def mod(self, y: Tensor, name: str | None = None) -> Tensor:
        """Returns the remainder of two Tensors, element by element."""
    def multiplex(self, index: Tensor, name: str | None = None) -> Tensor:
        """Takes every row of the result from one of several Tensors."""
    def multiply(self, y: Tensor, name: str | None = None) -> Tensor:
        r"""Returns the product of two Tensors, element by element: :math:`x \cdot y`."""
    def mv(self, vec: Tensor, name: str | None = None) -> Tensor:
        """Returns the product of a matrix and a vector."""
    def nonzero(self, as_tuple: bool = False) -> Any:
        """Returns the positions of all elements that are not 0."""
    def norm(self, p: float | str = 'fro', axis: int | list[int] | None = None, keepdim: bool = False, name: str | None = None) -> Tensor:
        """Returns a norm of all elements, or of vectors or matrices along axes."""
    def normal_(self, mean: float = 0.0, std: float = 1.0) -> Tensor:
        """Fills a Tensor with normally distributed numbers."""
    def not_equal(self, y: Tensor | float, name: str | None = None) -> Tensor:
        r"""Says of every element of ``x`` whether it differs from that of ``y``: :math:`x \ne y`."""
    def numel(self, name: str | None = None) -> Tensor:
        """Returns the number of elements as a Tensor."""
    def pin_memory(self) -> Tensor:
        """Returns a copy in page-locked memory."""
    def pow(self, y: float | Tensor, name: str | None = None) -> Tensor:
        """Returns :math:`x^y` element by element."""
    def prod(self, axis: int | list[int] | None = None, keepdim: bool = False, dtype: Any = None, name: str | None = None) -> Tensor:
        """Returns the product of the elements, over all axes or some."""
    def rank(self) -> Tensor:
        """Returns the number of dimensions as a Tensor."""
    def real(self, name: str | None = None) -> Tensor:
        """Returns the real parts of a complex Tensor."""
    def reciprocal(self, name: str | None = None) -> Tensor:
        """Returns the reciprocal, for every element: :math:`1 / x`."""
    def register_hook(self, hook: Any) -> Any:
        """Calls ``hook(grad)`` when the gradient of this Tensor is known."""
    def remainder(self, y: Tensor, name: str | None = None) -> Tensor:
        """Returns the remainder of two Tensors, element by element."""
    def reshape(self, shape: Any, name: str | None = None) -> Tensor:
        """Arranges the elements of a Tensor, in their order, in another shape."""
    def reshape_(self, shape: Any, name: str | None = None) -> Tensor:
        """Gives ``x`` itself another shape; see :func:`paddle.reshape`."""
    def reverse(self, axis: Any, name: str | None = None) -> Tensor:
        """Reverses the order of elements along dimensions."""
    def roll(self, shifts: Any, axis: Any = None, name: str | None = None) -> Tensor:
        """Shifts elements along dimensions; what leaves at one end comes in at the other."""
    def round(self, name: str | None = None) -> Tensor:
        """Returns the nearest integer, halves away from zero, for every element."""
    def rsqrt(self, name: str | None = None) -> Tensor:
        r"""Returns the reciprocal of the square root, for every element: :math:`1 / \sqrt x`."""
    def scale(self, scale: float | Tensor = 1.0, bias: float = 0.0, bias_after_scale: bool = True, act: str | None = None, name: str | None = None) -> Tensor:
        """Returns ``x * scale + bias``, or ``(x + bias) * scale``."""
    def scatter(self, index: Tensor, updates: Tensor, overwrite: bool = True, name: str | None = None) -> Tensor:
        """Replaces rows of a Tensor, or sums into them."""
    def scatter_(self, index: Tensor, updates: Tensor, overwrite: bool = True, name: str | None = None) -> Tensor:
        """Replaces rows of ``x`` itself, or sums into them; see :func:`paddle.scatter`."""
    def scatter_nd(self, updates: Tensor, shape: Any, name: str | None = None) -> Tensor:
        """Adds to elements or slices of a Tensor of zeros; see :func:`paddle.scatter_nd_add`."""
    def scatter_nd_add(self, index: Tensor, updates: Tensor, name: str | None = None) -> Tensor:
        """Adds to elements or slices at positions in the first dimensions."""
    def shard_index(self, index_num: int, nshards: int, shard_id: int, ignore_value: int = -1) -> Tensor:
        """Turns indices of a whole table into indices of one shard of it."""
    def sign(self, name: str | None = None) -> Tensor:
        r"""Returns the sign: 1, 0 or -1, for every element: :math:`\mathrm{sign}(x)`."""
    def sin(self, name: str | None = None) -> Tensor:
        r"""Returns the sine, for every element: :math:`\sin(x)`."""
    def sinh(self, name: str | None = None) -> Tensor:
        """Returns the hyperbolic sine, for every element: :math:`(e^x - e^{-x}) / 2`."""
    def slice(self, axes: Any, starts: Any, ends: Any) -> Tensor:
        """Cuts a part out of a Tensor."""
    def sort(self, axis: int = -1, descending: bool = False, name: str | None = None) -> Tensor:
        """Returns the elements in sorted order."""
    def split(self, num_or_sections: Any, axis: Any = 0, name: str | None = None) -> list[Tensor]:
        """Cuts a Tensor into parts along a dimension."""
    def sqrt(self, name: str | None = None) -> Tensor:
        r"""Returns the square root, for every element: :math:`\sqrt x`."""
    def square(self, name: str | None = None) -> Tensor:
        """Returns the square, for every element: :math:`x^2`."""
    def squeeze(self, axis: Any = None, name: str | None = None) -> Tensor:
        """Drops dimensions of size 1."""
    def squeeze_(self, axis: Any = None, name: str | None = None) -> Tensor:
        """Drops dimensions of size 1 from ``x`` itself; see :func:`paddle.squeeze`."""
    def stack(self, axis: int = 0, name: str | None = None) -> Tensor:
        """Joins tensors along a new dimension."""
    def stanh(self, scale_a: float = 0.67, scale_b: float = 1.7159, name: str | None = None) -> Tensor:
        r"""Returns the scaled hyperbolic tangent :math:`b \tanh(a x)` of every element."""
    def std(self, axis: int | list[int] | None = None, unbiased: bool = True, keepdim: bool = False, name: str | None = None) -> Tensor:
        """Returns the standard deviation: the square root of :func:`paddle.var`."""
    def strided_slice(self, axes: Any, starts: Any, ends: Any, strides: Any, name: str | None = None) -> Tensor:
        """Cuts a part out of a Tensor, taking every n-th element."""
    def subtract(self, y: Tensor, name: str | None = None) -> Tensor:
        """Returns the difference of two Tensors, element by element: :math:`x - y`."""
    def sum(self, axis: int | list[int] | None = None, dtype: Any = None, keepdim: bool = False, name: str | None = None) -> Tensor:
        """Returns the sum of the elements, over all axes or some."""
    def t(self, name: str | None = None) -> Tensor:
        """Returns the transpose of a matrix; a vector stays as it is."""
    def tanh(self, name: str | None = None) -> Tensor:
        """Returns the hyperbolic tangent, of every element: :math:`(e^x - e^{-x}) / (e^x + e^{-x})`."""
    def tanh_(self, name: str | None = None) -> Tensor:
        """Replaces the contents of a Tensor by their hyperbolic tangent and returns it."""
    def tile(self, repeat_times: Any, name: str | None = None) -> Tensor:
        """Repeats a Tensor along its dimensions."""
    def to(self, *args: Any, **kwargs: Any) -> Tensor:
        """Returns the Tensor on another device and/or of another type: ``x.to("cpu", "float64")``."""
    def topk(self, k: Any, axis: int | None = None, largest: bool = True, sorted: bool = True, name: str | None = None) -> tuple[Tensor, Tensor]:
        """Returns the largest (or smallest) elements along a dimension, and where they are."""
    def trace(self, offset: int = 0, axis1: int = 0, axis2: int = 1, name: str | None = None) -> Tensor:
        """Returns the sum along a diagonal."""
    def transpose(self, perm: Any, name: str | None = None) -> Tensor:
        """Puts the dimensions of a Tensor in another order."""
    def unbind(self, axis: int = 0) -> list[Tensor]:
        """Takes a Tensor apart along a dimension, which disappears."""
    def uniform_(self, min: float = -1.0, max: float = 1.0, seed: int = 0) -> Tensor:
        """Fills a Tensor with numbers drawn evenly from ``[min, max)``."""
    def unique(self, return_index: bool = False, return_inverse: bool = False, return_counts: bool = False, axis: int | None = None, dtype: Any = 'int64', name: str | None = None) -> Any:
        """Returns the distinct elements, or slices, of a Tensor in ascending order."""
    def unsqueeze(self, axis: Any, name: str | None = None) -> Tensor:
        """Inserts dimensions of size 1."""
    def unsqueeze_(self, axis: Any, name: str | None = None) -> Tensor:
        """Inserts dimensions of size 1 into ``x`` itself; see :func:`paddle.unsqueeze`."""
    def unstack(self, axis: int = 0, num: int | None = None) -> list[Tensor]:
        """Takes a Tensor apart along a dimension, which disappears."""
    def var(self, axis: int | list[int] | None = None, unbiased: bool = True, keepdim: bool = False, name: str | None = None) -> Tensor:
        """Returns the variance of the elements, over all axes or some."""
    def where(self, x: Any = None, y: Any = None, name: str | None = None) -> Any:
        """Chooses each element from ``x`` where a condition holds, else from ``y``."""
    def zero_(self) -> Tensor:
        """Sets every element to 0."""
