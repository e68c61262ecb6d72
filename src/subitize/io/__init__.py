"""Files in and out: bounded when read, whole when written.

CSV, JSON, tables and images; output files, price lists and the text form of specs."""
