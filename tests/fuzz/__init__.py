"""Damaged and hostile files, and failing disks: short in the suite, long by ``make fuzz``."""
