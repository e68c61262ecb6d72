"""What a report says of T2ICountBench."""
