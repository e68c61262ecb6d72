"""Reports for people: tables, charts, one HTML page that works offline, and output at the terminal."""
