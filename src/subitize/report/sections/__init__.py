"""What a report says of any suite."""
