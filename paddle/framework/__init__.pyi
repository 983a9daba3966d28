"""Public names of paddle.framework; written by scripts/make_stubs.py."""

from paddle.autograd.functional import grad as grad
from paddle.core.dtype import get_default_dtype as get_default_dtype
from paddle.core.dtype import set_default_dtype as set_default_dtype
from paddle.core.lazy import lazy as lazy
from paddle.core.mode import no_grad as no_grad
from paddle.core.place_types import CPUPlace as CPUPlace
from paddle.core.place_types import CUDAPinnedPlace as CUDAPinnedPlace
from paddle.core.place_types import CUDAPlace as CUDAPlace
from paddle.core.random import get_cuda_rng_state as get_cuda_rng_state
from paddle.core.random import seed as seed
from paddle.core.random import set_cuda_rng_state as set_cuda_rng_state
from paddle.distributed.data_parallel import DataParallel as DataParallel
from paddle.framework import core as core
from paddle.framework.io import load as load
from paddle.framework.io import save as save
from paddle.framework.mode import in_dynamic_mode as in_dynamic_mode
from paddle.framework.param_attr import ParamAttr as ParamAttr
from paddle.nn.create_parameter import create_parameter as create_parameter

__all__ = ['CPUPlace', 'CUDAPinnedPlace', 'CUDAPlace', 'DataParallel', 'ParamAttr', 'create_parameter', 'get_cuda_rng_state', 'get_default_dtype', 'grad', 'in_dynamic_mode', 'load', 'no_grad', 'save', 'seed', 'set_cuda_rng_state', 'set_default_dtype']
