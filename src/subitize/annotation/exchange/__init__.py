"""People's answers on their way out of a run, as other tools read them, and back into one."""
