"""LangSmith as a source of traces, over its own client."""
