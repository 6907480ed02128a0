"""Quoting: coverage, worst-case bounds and the frozen plan of a run; pure, without I/O."""
