"""What other instrumentations call their spans and counters, in closed tables: the rest of a span is never read."""

from collections.abc import Mapping
from typing import Any, Final

LARGEST_COUNTER = 2**53 - 1

KINDS: Final[Mapping[str, Mapping[str, str]]] = {
    "openinference.span.kind": {
        "AGENT": "agent",
        "LLM": "model",
        "TOOL": "tool",
        "RETRIEVER": "retrieval",
        "RERANKER": "retrieval",
        "EMBEDDING": "embedding",
        "CHAIN": "chain",
        "PROMPT": "chain",
        "GUARDRAIL": "chain",
        "EVALUATOR": "chain",
    },
    "gen_ai.operation.name": {
        "chat": "model",
        "generate_content": "model",
        "text_completion": "model",
        "invoke_agent": "agent",
        "create_agent": "agent",
        "execute_tool": "tool",
        "retrieval": "retrieval",
        "embeddings": "embedding",
        "invoke_workflow": "chain",
        "plan": "chain",
        "chain": "chain",
        "execute_event_loop_cycle": "chain",
    },
    "traceloop.span.kind": {"agent": "agent", "tool": "tool", "workflow": "chain", "task": "chain"},
    "langsmith.span.kind": {
        "llm": "model",
        "tool": "tool",
        "retriever": "retrieval",
        "embedding": "embedding",
        "chain": "chain",
        "prompt": "chain",
        "parser": "chain",
    },
}
"""By attribute: the kind that each of its values stands for."""

COUNTERS: Final[Mapping[str, str]] = {
    "gen_ai.usage.input_tokens": "input",
    "gen_ai.usage.prompt_tokens": "input",
    "llm.token_count.prompt": "input",
    "gen_ai.usage.output_tokens": "output",
    "gen_ai.usage.completion_tokens": "output",
    "llm.token_count.completion": "output",
    "gen_ai.usage.cache_read.input_tokens": "cache_read",
    "gen_ai.usage.cache_read_input_tokens": "cache_read",
    "llm.token_count.prompt_details.cache_read": "cache_read",
    "gen_ai.usage.cache_write.input_tokens": "cache_write",
    "gen_ai.usage.cache_creation.input_tokens": "cache_write",
    "gen_ai.usage.cache_write_input_tokens": "cache_write",
    "gen_ai.usage.cache_creation_input_tokens": "cache_write",
    "llm.token_count.prompt_details.cache_write": "cache_write",
    "gen_ai.usage.reasoning.output_tokens": "reasoning",
    "gen_ai.usage.reasoning_tokens": "reasoning",
    "gen_ai.usage.details.reasoning_tokens": "reasoning",
    "llm.token_count.completion_details.reasoning": "reasoning",
    "gen_ai.usage.total_tokens": "total",
    "llm.token_count.total": "total",
}
"""By attribute: the counter that it is. Where several of one counter are present, the first here counts."""

_ORDER = {name: place for place, name in enumerate(COUNTERS)}
_COUNTER_NAMES = frozenset(COUNTERS)
_WITH_TOKENS = ("model", "embedding")


def kind_of(attributes: Mapping[str, Any]) -> tuple[str, str] | None:
    """A span's kind and the operation that says so, both from the tables.

    Args:
        attributes: The span's.

    Returns:
        None where no attribute of the table is present, one has another value, or two stand for different kinds.
    """
    kind = operation = None
    for name, kinds in KINDS.items():
        if name not in attributes:
            continue
        value = attributes[name]
        meant = kinds.get(value) if isinstance(value, str) else None
        if meant is None or kind not in (None, meant):
            return None
        kind, operation = meant, operation or value
    return (kind, operation) if kind and operation else None


def tokens_of(kind: str, attributes: Mapping[str, Any]) -> dict[str, int]:
    """A span's token counters, on the kinds where they are not sums of other spans' counters.

    Args:
        kind: The span's kind.
        attributes: The span's.
    """
    if kind not in _WITH_TOKENS:
        return {}
    found: dict[str, int] = {}
    names = _COUNTER_NAMES.intersection(attributes)
    for name in sorted(names, key=_ORDER.__getitem__) if len(names) > 1 else names:
        value = attributes[name]
        if type(value) is int and 0 <= value <= LARGEST_COUNTER:
            found.setdefault(COUNTERS[name], value)
    return found
