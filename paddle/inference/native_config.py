"""NativeConfig: which model a predictor of 1.x runs."""

from __future__ import annotations

from paddle.executor import threads


class NativeConfig:
    """Which model a predictor of 1.x runs.

    Attributes:
        model_dir (str): the folder of the model.
        prog_file (str): the file of the program.
        param_file (str): the file of the parameters.
        use_gpu (bool): run it on a GPU.
        use_xpu (bool): run it on an XPU.
        device (int): which GPU.
        fraction_of_gpu_memory (float): what PaddlePaddle takes of the GPU's memory at first; here
            memory is taken when it is needed.
        specify_input_name (bool): inputs are found by their names.
        threads (int|None): how many compute one operator; None: the process's own number.

    Examples:
        .. code-block:: python

            from paddle.fluid.core import NativeConfig
            config = NativeConfig()
            config.model_dir = "model"
            config.set_cpu_math_library_num_threads(1)
            print(config.cpu_math_library_num_threads())  # 1
    """

    def __init__(self) -> None:
        self.model_dir = self.prog_file = self.param_file = ""
        self.use_gpu = self.use_xpu = self.specify_input_name = False
        self.device = 0
        self.fraction_of_gpu_memory = -1.0
        self.threads: int | None = None

    def set_cpu_math_library_num_threads(self, cpu_math_library_num_threads: int) -> None:
        """Sets how many threads compute one operator.

        Args:
            cpu_math_library_num_threads (int): 1 or more.
        """
        self.threads = cpu_math_library_num_threads

    def cpu_math_library_num_threads(self) -> int:
        """Returns how many threads compute one operator."""
        return self.threads or threads.number()
