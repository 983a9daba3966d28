"""Text files of records with slots (``MultiSlotDataFeed``): parsing, reading, batches."""
