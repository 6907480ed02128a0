"""What OpenTelemetry instrumentations call kinds, counters and content. Pure; the SDK's attachment has the same tables.

Sources: the GenAI semantic conventions of OpenTelemetry, OpenInference, OpenLLMetry (traceloop) and LangSmith.
"""

from collections.abc import Mapping
from typing import Any, Final

LARGEST_COUNTER = 2**53 - 1

UNKNOWN = "unknown"

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

CONTENT: Final[Mapping[str, str]] = {
    "input.value": "input",
    "gen_ai.input.messages": "input",
    "gen_ai.prompt": "input",
    "gen_ai.tool.call.arguments": "input",
    "traceloop.entity.input": "input",
    "output.value": "output",
    "gen_ai.output.messages": "output",
    "gen_ai.completion": "output",
    "gen_ai.tool.call.result": "output",
    "traceloop.entity.output": "output",
}
"""By attribute: the content that it is. Where several of one field are present, the first here counts."""

METADATA: Final = frozenset(
    {
        *KINDS,
        *COUNTERS,
        *("gen_ai.request.model", "gen_ai.response.model", "gen_ai.system", "gen_ai.provider.name"),
        *("gen_ai.agent.name", "gen_ai.tool.name", "gen_ai.response.finish_reasons", "error.type"),
        *("llm.model_name", "llm.provider", "llm.system", "tool.name"),
    }
)
"""Attributes that are kept where no content is stored."""


def kind_of(attributes: Mapping[str, Any]) -> str:
    """A span's kind: `unknown` where no attribute says it, one has another value, or two stand for different kinds.

    Args:
        attributes: The span's.
    """
    found = {
        kinds.get(value, UNKNOWN) if isinstance(value := attributes[name], str) else UNKNOWN
        for name, kinds in KINDS.items()
        if name in attributes
    }
    return found.pop() if len(found) == 1 else UNKNOWN


def tokens_of(attributes: Mapping[str, Any]) -> dict[str, int]:
    """A span's token counters, whatever its kind; a trace sums up those of some kinds only.

    Args:
        attributes: The span's.
    """
    found: dict[str, int] = {}
    for name, counter in COUNTERS.items():
        value = attributes.get(name)
        if type(value) is int and 0 <= value <= LARGEST_COUNTER:
            found.setdefault(counter, value)
    return found


def content_of(attributes: Mapping[str, Any]) -> dict[str, Any]:
    """A span's input and output.

    Args:
        attributes: The span's.
    """
    found: dict[str, Any] = {}
    for name, field in CONTENT.items():
        if attributes.get(name) is not None:
            found.setdefault(field, attributes[name])
    return found
