"""What a report says of the probes."""
