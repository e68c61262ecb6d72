"""What a report says of GIMBRR."""
