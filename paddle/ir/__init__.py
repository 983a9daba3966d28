"""Programs: what static mode records, and how it is written to a file."""
