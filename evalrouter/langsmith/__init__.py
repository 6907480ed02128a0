"""Imports completed traces from LangSmith into a trace connection: `python -m evalrouter.langsmith`.

It needs the extra `langsmith`, which brings LangSmith's client; nothing here loads it before it is needed.
"""
