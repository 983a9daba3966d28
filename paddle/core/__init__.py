"""What a tensor program is: dtypes, places, operators, the tape. Knows no operator by name."""
