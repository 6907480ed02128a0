"""Documents as the contract has them."""

from typing import Any

RUN_ID = "run_01j9zx3v5n8q2r4t6w8y0a2c4e"
NOW = "2026-11-29T12:00:00Z"
BENCHMARK = {"id": "bench_1", "slug": "gsm8k", "version": "2", "name": "GSM8K"}
MODEL = {"id": "model_1", "slug": "gpt-5", "provider": "openai", "name": "GPT-5"}
PRICE: dict[str, Any] = {
    "input_usd_per_mtok": "1.25",
    "cached_input_usd_per_mtok": "0.125",
    "cache_write_usd_per_mtok": None,
    "output_usd_per_mtok": "10",
    "tiers": [],
    "source": "genai-prices",
    "version": "1",
}
USAGE = {
    "input_tokens": 10,
    "cached_input_tokens": 0,
    "cache_write_tokens": 0,
    "output_tokens": 5,
    "reasoning_tokens": 0,
}


def page(*items: Any, cursor: str | None = None, **more: Any) -> dict[str, Any]:
    """A page of a list."""
    return {"items": list(items), "next_cursor": cursor, **more}


def benchmark(**changes: Any) -> dict[str, Any]:
    """A benchmark."""
    return {
        **BENCHMARK,
        "is_default": True,
        "description": "",
        "licence": "MIT",
        "citation": "",
        "homepage": None,
        "task_count": 1319,
        "content_digest": "0" * 64,
        "groups": [],
        "grader": "numeric",
        "protocol": {"system": None, "user": "{question}", "temperature": 0, "description": ""},
        "grader_settings": {},
        "max_output_tokens": 256,
        "task_seconds": 300,
        "sources": [],
        "is_own": False,
        "attempts": 1,
        "primary_metric": "accuracy",
        **changes,
    }


def model(**changes: Any) -> dict[str, Any]:
    """A model."""
    return {
        **MODEL,
        "reference": "openai/gpt-5",
        "is_makers": True,
        "connection_id": None,
        "price": PRICE,
        "context_window": 400_000,
        "callable": True,
        "unavailable_reason": None,
        **changes,
    }


def coverage(selected: int = 20, graded: int = 20, failed: int = 0) -> dict[str, Any]:
    """A run's coverage."""
    missing = selected - graded - failed
    counts = {"selected": selected, "graded": graded, "failed": failed, "missing": missing}
    return {
        "mode": "sample",
        "sample_count": selected,
        "seed": 0,
        "stratify": None,
        "benchmark_task_count": 1319,
        **counts,
    }


def run(status: str = "completed", **changes: Any) -> dict[str, Any]:
    """A run."""
    metric = {"name": "accuracy", "value": 0.75, "n": 20, "standard_error": 0.1, "low": 0.53, "high": 0.89}
    return {
        "id": RUN_ID,
        "status": status,
        "status_reason": None,
        "benchmark": BENCHMARK,
        "model": MODEL,
        "agent": None,
        "models_served": ["gpt-5"],
        "name": None,
        "metadata": {},
        "quote_id": "quote_1",
        "coverage": coverage(),
        "is_sample": True,
        "is_partial": False,
        "concurrency": 8,
        "repeats": 1,
        "score": 0.75,
        "metrics": [{**metric, "method": "wilson"}],
        "groups": [{**metric, "name": "all", "score": 0.75, "method": "wilson"}],
        "cap_microusd": 5_000_000,
        "max_cost_microusd": 5_000_000,
        "maximum_charge_microusd": 5_000_000,
        "charge_microusd": 250_000,
        "reserved_microusd": 0,
        "overage_microusd": 0,
        "flags": [],
        "created_at": NOW,
        "started_at": NOW,
        "ended_at": NOW if status in ("completed", "partial", "cancelled", "failed") else None,
        "last_seq": 3,
        **changes,
    }


def quote(**changes: Any) -> dict[str, Any]:
    """A quote."""
    plan = {
        "benchmark": BENCHMARK,
        "content_digest": "0" * 64,
        "model": MODEL,
        "agent": None,
        "price": PRICE,
        "coverage": {
            "mode": "full",
            "sample_count": None,
            "seed": None,
            "stratify": None,
            "benchmark_task_count": 1319,
        },
        "item_ids": ["a", "b"],
        "repeats": 1,
        "concurrency": {"requested": None, "admitted": 8, "reason": "auto"},
        "call_count": 2,
        "input_token_bound": 200,
        "output_token_limit": 256,
        "lost_try_allowance": 1,
        "lines": [{"label": "Calls", "detail": "2 calls", "amount_microusd": 4_000_000}],
    }
    return {
        "id": "quote_1",
        "created_at": NOW,
        "expires_at": NOW,
        "plan": plan,
        "maximum_charge_microusd": 4_800_000,
        "max_cost_microusd": 1_000_000,
        "within_max_cost": False,
        "shortfall_microusd": 3_800_000,
        "largest_sample_count": 270,
        "name": None,
        "metadata": {},
        "run_id": None,
        **changes,
    }


def result(index: int) -> dict[str, Any]:
    """A task's result."""
    return {
        "task_id": f"task_{index}",
        "item_id": f"item-{index}",
        "index": index,
        "repeat": 0,
        "group": None,
        "status": "graded",
        "inputs": {"question": "7 + 5?"},
        "output": "12",
        "target": {"answer": "12"},
        "score": 1.0,
        "correct": True,
        "extracted": "12",
        "rule": "last_number",
        "details": None,
        "finish_reason": "stop",
        "usage": USAGE,
        "charge_microusd": 63,
        "latency_seconds": 0.2,
        "model_served": "gpt-5",
        "error": None,
        "ended_at": NOW,
    }


def call(number: int) -> dict[str, Any]:
    """A model call."""
    attempt = {"number": 1, "status": "settled", "reservation_microusd": 3000, "charge_microusd": 63}
    times = {"started_at": NOW, "ended_at": NOW}
    return {
        "id": f"call_{number}",
        "task_id": f"task_{number}",
        "purpose": "task",
        "wire": "chat",
        "streamed": False,
        "model_requested": "gpt-5",
        "model_served": "gpt-5",
        "status": "settled",
        "usage": USAGE,
        "usage_source": "reported",
        "charge_microusd": 63,
        "overage_microusd": 0,
        "provider_cost_microusd": None,
        "tries": [{**attempt, "http_status": 200, "error": None, **times}],
        **times,
    }


def connection(**changes: Any) -> dict[str, Any]:
    """A connection."""
    return {
        "id": "conn_1",
        "name": "mine",
        "kind": "model",
        "base_url": "http://127.0.0.1:8000/v1",
        "upstream_model": "my-model",
        "model_id": "model_9",
        "price": PRICE,
        "has_key": False,
        "key_env": None,
        "trace": None,
        "a2a": None,
        "secret": None,
        "created_at": NOW,
        **changes,
    }


def key(**changes: Any) -> dict[str, Any]:
    """An API key."""
    return {
        "id": "key_1",
        "name": "ci",
        "prefix": "er_ab",
        "scopes": ["read", "run"],
        "ceiling_microusd": 30_000_000,
        "committed_microusd": 0,
        "remaining_microusd": 30_000_000,
        "created_at": NOW,
        "revoked_at": None,
        **changes,
    }
