"""Networks that answer questions about pictures: those that write, and those with a head of ready answers."""
