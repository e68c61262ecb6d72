"""What a report is made of, and how it becomes a page, charts and files."""
