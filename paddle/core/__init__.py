"""What a tensor program is: dtypes, places, operators, tensors and the tape. Knows no operator by name."""
