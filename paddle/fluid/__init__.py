"""The programming interface of PaddlePaddle 1.x: ``import paddle.fluid as fluid``.

What 2.0 has in the same form is taken from there, by ``_module_paths.tsv``; the rest lies in this
package, each name where 1.8.5 has it or, for layers, somewhere in ``paddle/fluid/layers``.
"""

from paddle._module_paths import names_of
from paddle.fluid import mode as _mode  # opens the mode

__all__ = names_of(__name__)
_HIDDEN = ("data",)  # modules whose name is that of a function here
