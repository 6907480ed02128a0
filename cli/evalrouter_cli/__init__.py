"""The `evalrouter` command: evaluate models on benchmarks with a hard budget in dollars."""
