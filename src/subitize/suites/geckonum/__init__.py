"""GeckoNum: exact numbers, approximate quantities, and parts (Kajić and others 2024)."""
