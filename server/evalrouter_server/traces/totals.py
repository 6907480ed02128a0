"""What a trace says about its spans, kept up as they arrive in any order."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal

from evalrouter_server.traces.spans import COUNTED_KINDS, SpanRecord

LARGEST_COUNT = 2**63 - 1
"""A sum of counters stops there."""

WORST_FIRST = ("error", "unset", "ok")


@dataclass(frozen=True, slots=True)
class Totals:
    """Sums over the spans of a trace.

    Attributes:
        name: That of the first root.
        status: The worst of the roots', so that `unset` never becomes success.
        has_root: Whether a span without a parent is there.
        observed: Whether any span is.
        started_ns: The earliest start; None without spans.
        ended_ns: The latest end; None: none has ended.
        tokens: Sums over the kinds that are counted.
        cost_usd: Sum of what the source reports; None: it reports none.
    """

    name: str | None = None
    status: str = "unset"
    has_root: bool = False
    observed: bool = False
    origins: frozenset[str] = frozenset()
    started_ns: int | None = None
    ended_ns: int | None = None
    span_count: int = 0
    error_span_count: int = 0
    tokens: Mapping[str, int] = field(default_factory=dict)
    cost_usd: Decimal | None = None

    def with_spans(self, spans: Iterable[SpanRecord]) -> "Totals":
        """The totals with further spans."""
        spans = list(spans)
        tokens = dict(self.tokens)
        for span in spans:
            if span.kind in COUNTED_KINDS:
                for name, count in span.tokens.items():
                    tokens[name] = min(tokens.get(name, 0) + count, LARGEST_COUNT)
        ends = [span.ended_ns for span in spans if span.ended_ns is not None]
        costs = [span.cost_usd for span in spans if span.cost_usd is not None]
        grown = replace(
            self,
            observed=self.observed or any(span.observed for span in spans),
            origins=self.origins | {span.origin for span in spans},
            started_ns=min(_known(self.started_ns) + [span.started_ns for span in spans]),
            ended_ns=max(_known(self.ended_ns) + ends, default=None),
            span_count=self.span_count + len(spans),
            error_span_count=self.error_span_count + sum(span.status == "error" for span in spans),
            tokens=tokens,
            cost_usd=sum(costs, self.cost_usd or Decimal()) if costs else self.cost_usd,
        )
        for root in (span for span in spans if span.parent_span_id is None):
            grown = grown.headed_by(root.name, root.status)
        return grown

    def headed_by(self, name: str | None, status: str) -> "Totals":
        """The totals with a further root."""
        if not self.has_root:
            return replace(self, name=name, status=status, has_root=True)
        return replace(self, status=min(self.status, status, key=WORST_FIRST.index))


def _known(moment: int | None) -> list[int]:
    return [] if moment is None else [moment]
