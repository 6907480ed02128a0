"""The JSON documents of `--json`: stable, and described in the reference of the command's JSON."""

from evalrouter_cli.documents.account import identity, key, ledger_entry, verification, wallet
from evalrouter_cli.documents.catalog import benchmark, benchmark_check, benchmark_example, connection, model, price
from evalrouter_cli.documents.comparisons import comparison
from evalrouter_cli.documents.runs import call, event, quote, run, task_result
from evalrouter_cli.documents.traces import span, trace
from evalrouter_cli.documents.values import Document, amount, items, time

__all__ = [
    "Document",
    "amount",
    "benchmark",
    "benchmark_check",
    "benchmark_example",
    "call",
    "comparison",
    "connection",
    "event",
    "identity",
    "items",
    "key",
    "ledger_entry",
    "model",
    "price",
    "quote",
    "run",
    "span",
    "task_result",
    "time",
    "trace",
    "verification",
    "wallet",
]
