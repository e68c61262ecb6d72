"""Files in and out, bounded when read, whole when written: CSV, JSON, tables, images, price lists, specs as text."""
