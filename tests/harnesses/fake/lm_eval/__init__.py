"""A harness's double: takes lm-eval's command line and writes lm-eval's samples log, with nothing but the library."""
