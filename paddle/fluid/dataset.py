"""Datasets of text files, which train_from_dataset of an Executor reads."""

from __future__ import annotations

from paddle.distributed.dataset import (
    BoxPSDataset,
    DatasetBase,
    FileInstantDataset,
    InMemoryDataset,
    QueueDataset,
)

__all__ = ["DatasetFactory", "InMemoryDataset", "QueueDataset"]

_CLASSES: dict[str, type[DatasetBase]] = {
    "QueueDataset": QueueDataset,
    "InMemoryDataset": InMemoryDataset,
    "FileInstantDataset": FileInstantDataset,
    "BoxPSDataset": BoxPSDataset,
}


class DatasetFactory:
    """Makes datasets by the name of their class.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            dataset = fluid.DatasetFactory().create_dataset("InMemoryDataset")
    """

    def __init__(self) -> None:
        pass

    def create_dataset(self, datafeed_class: str = "QueueDataset") -> DatasetBase:
        """Makes a dataset.

        Args:
            datafeed_class (str): "QueueDataset", "InMemoryDataset", "FileInstantDataset" or
                "BoxPSDataset".

        Returns:
            DatasetBase: an empty dataset.

        Raises:
            ValueError: there is no such class.
        """
        made = _CLASSES.get(datafeed_class)
        if made is None:
            raise ValueError(
                f"create_dataset: datafeed class {datafeed_class} does not exist; there are "
                f"{list(_CLASSES)}."
            )
        return made()
