"""What 1.x tries out: generators of data for datasets of files."""
