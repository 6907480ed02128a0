"""Other projects' harnesses, run unmodified: environments and processes of their own, their tasks and their results."""
