"""What a report says of GeckoNum."""
