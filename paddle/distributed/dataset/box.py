"""BoxPSDataset: what it takes is noted; BoxPS, a parameter server on GPUs, is not here."""

from __future__ import annotations

from paddle.core.errors import InvalidArgumentError, UnimplementedError
from paddle.distributed.dataset.memory import InMemoryDataset

__all__ = ["BoxPSDataset"]


class BoxPSDataset(InMemoryDataset):
    """Records in memory, for BoxPS; everything but its passes works as of an InMemoryDataset.

    Examples:
        .. code-block:: python

            import paddle
            dataset = paddle.distributed.fleet.dataset.BoxPSDataset()
            dataset.init(batch_size=2)
            dataset.set_date("20210101")
            try:
                dataset.begin_pass()
            except NotImplementedError as error:
                print("BoxPS" in str(error))  # True
    """

    _feed = "PaddleBoxDataFeed"
    _more = {
        "rank_offset": "set_rank_offset",
        "pv_batch_size": "set_pv_batch_size",
        "parse_logkey": "set_parse_logkey",
        "merge_by_sid": "set_merge_by_sid",
        "enable_pv_merge": "set_enable_pv_merge",
    }

    def __init__(self) -> None:
        super().__init__()
        self.date: tuple[int, int, int] | None = None

    def set_date(self, date: str) -> None:
        """Notes of which day the records are.

        Args:
            date (str): year, month and day, as in "20210131".
        """
        if not isinstance(date, str) or len(date) != 8 or not date.isdigit():
            raise InvalidArgumentError(
                f'set_date: expected a date such as "20210131", but received {date!r}.'
            )
        self.date = int(date[:4]), int(date[4:6]), int(date[6:])

    def begin_pass(self) -> None:
        """Raises: there is no BoxPS that could fetch rows."""
        raise _no_box("begin_pass")

    def end_pass(self, need_save_delta: bool) -> None:
        """Raises: there is no BoxPS that could save rows.

        Args:
            need_save_delta (bool): whether what has changed is saved.
        """
        raise _no_box("end_pass")


def _no_box(api: str) -> Exception:
    return UnimplementedError(
        f"BoxPSDataset.{api}: there is no BoxPS here; train with an InMemoryDataset and tables of "
        "the parameter server (paddle.static.nn.sparse_embedding), without passes."
    )
