"""Programs that the interpreters of the harnesses' environments run; none of them is imported by the service."""
