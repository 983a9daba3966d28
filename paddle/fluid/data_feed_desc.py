"""DataFeedDesc: which slots the lines of a text file have, as a message in text form."""

from paddle.distributed.dataset.feed_desc import DataFeedDesc

__all__ = ["DataFeedDesc"]
