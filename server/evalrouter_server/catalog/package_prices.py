"""What the bundled snapshot of genai-prices says of the large providers' chat models.

A name counts only if it is a model's own ID or a dated snapshot of it that the package names letter by letter; its
rules that match by prefix, by part or by pattern are not used, for a model that nobody has looked at would get another
one's price. Nothing is fetched: the installed version of the package is the version of the prices.
"""

import functools
import hashlib
import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, time
from decimal import Decimal
from importlib.metadata import version
from pathlib import Path
from typing import Any

from genai_prices import data, types

from evalrouter_server.catalog.prices import ListedModel
from evalrouter_server.catalog.providers import PROVIDERS
from evalrouter_server.quoting.price import Price

SOURCE = "genai-prices"

_RATES = {
    "input_mtok": "input_usd_per_mtok",
    "output_mtok": "output_usd_per_mtok",
    "cache_read_mtok": "cached_input_usd_per_mtok",
    "cache_write_mtok": "cache_write_usd_per_mtok",
}
_NEVER_USED = re.compile(
    r"web_searches_kcount|storage_searches_kcount|social_searches_kcount|code_executions_kcount"
    r"|cache_write_(5m|1h)_mtok|(input|cache)_(audio|image|video)_.*"
)
"""Units that the gateway lets no call use: hosted tools, long-lived cache entries, inputs other than text."""

_NOT_CHAT = re.compile(
    r"(^|[-/:.])(audio|babbage|batch|codex|computer-use|curie|davinci|decider|deep-research|embed|embedding|ft|guard|image|instruct-0914"
    r"|live|moderation|nano-banana|ocr|omni|realtime|rerank|robotics|search|speech|transcribe|tts|turbo-instruct|voice|whisper)"
    r"([-/:.\d]|$)|^o\d+-pro|^gpt-[\d.]+-pro"
)
"""Models that chat completions do not serve, by the words of their names; OpenAI's `codex` and `pro` are among them."""

_SNAPSHOT = re.compile(r"[-@](\d{4}-\d{2}-\d{2}|\d{8}|\d{4})")


@functools.cache
def package_version() -> str:
    """The version of the package's prices: its own and the first digits of its data's sha256."""
    digest = hashlib.sha256(Path(data.__file__).read_bytes()).hexdigest()
    return f"{version('genai-prices')}+{digest[:12]}"


type PackageModels = dict[tuple[str, str], tuple[ListedModel, types.ModelInfo]]


@functools.cache
def package_models() -> PackageModels:
    """The chat models of the providers in the table that the package names letter by letter, by provider and slug."""
    models: PackageModels = {}
    for priced in data.providers:
        provider = PROVIDERS.get(priced.id)
        if provider is None:
            continue
        for info in priced.models:
            for slug in _exact_names(info):
                if provider.serves(slug) and not _NOT_CHAT.search(slug) and _is_chat(info):
                    listed = ListedModel(provider, slug, _display_name(info, slug), info.context_window)
                    models.setdefault((provider.id, slug), (listed, info))
    return models


def _exact_names(info: types.ModelInfo) -> Iterator[str]:
    yield info.id
    for name in _equals(info.match):
        if name.startswith(info.id) and _SNAPSHOT.fullmatch(name.removeprefix(info.id)):
            yield name


def _equals(clause: Any) -> Iterator[str]:
    if isinstance(clause, types.ClauseEquals):
        yield clause.equals
    elif isinstance(clause, types.ClauseOr):
        for part in clause.or_:
            yield from _equals(part)


def _display_name(info: types.ModelInfo, slug: str) -> str:
    if info.name is None:
        return slug
    return info.name if slug == info.id else f"{info.name} ({slug.removeprefix(info.id).strip('-@')})"


def _is_chat(info: types.ModelInfo) -> bool:
    """Whether it reads and writes text, by what it is paid for."""
    units = set().union(*(_units(prices) for prices in _all_prices(info)))
    return {"input_mtok", "output_mtok"} <= units and not any(
        re.match(r"output_(audio|image|video)_", unit) for unit in units
    )


def _all_prices(info: types.ModelInfo) -> list[types.ModelPrice]:
    return [entry.prices for entry in info.prices] if isinstance(info.prices, list) else [info.prices]


def _units(prices: types.ModelPrice) -> dict[str, Decimal | types.TieredPrices]:
    return {unit: value for unit, value in vars(prices).items() if value is not None}


def price_on(info: types.ModelInfo, day: date) -> Price | None:
    """A model's price at the dearest hour of a day.

    Args:
        info: The model.
        day: The day, in UTC.

    Returns:
        The price; None where it has none, or is also paid by units that are not metered here.
    """
    possible = [_units(info.get_prices(moment)) for moment in _moments(info, day)]
    for units in possible:
        metered = units.keys() & _RATES.keys()
        if not {"input_mtok", "output_mtok"} <= metered or not all(map(_NEVER_USED.fullmatch, units.keys() - metered)):
            return None
    if not info.id.endswith(":free") and not any(_rate(value, None) for units in possible for value in units.values()):
        return None
    starts = sorted(
        {
            tier.start
            for units in possible
            for value in units.values()
            if isinstance(value, types.TieredPrices)
            for tier in value.tiers
        }
    )
    tiers = [{"above_input_tokens": start} | _dearest(possible, start) for start in starts]
    return Price.model_validate(
        _dearest(possible, None) | {"tiers": tiers, "source": SOURCE, "version": package_version()}
    )


def _moments(info: types.ModelInfo, day: date) -> list[datetime]:
    """A time in each interval of the day that may have a price of its own: where one starts and where one has ended."""
    entries = info.prices if isinstance(info.prices, list) else []
    daily = [entry.constraint for entry in entries if isinstance(entry.constraint, types.TimeOfDateConstraint)]
    edges = {edge for interval in daily for edge in (interval.start_time, interval.end_time)}
    return [datetime.combine(day, edge, edge.tzinfo or UTC) for edge in {time(), *edges}]


def _dearest(possible: list[dict[str, Decimal | types.TieredPrices]], above: int | None) -> dict[str, Decimal]:
    """The dearest rate of each kind among the prices that may hold, for an input beyond `above` tokens."""
    rates: dict[str, Decimal] = {}
    for unit, name in _RATES.items():
        values = [_rate(units[unit], above) for units in possible if unit in units]
        if len(values) < len(possible) and unit != "input_mtok" and values:
            values.append(max(_rate(units["input_mtok"], above) for units in possible))
        if values:
            rates[name] = max(values)
    return rates


def _rate(value: Decimal | types.TieredPrices, above: int | None) -> Decimal:
    if isinstance(value, Decimal):
        return value
    reached = [tier.price for tier in value.tiers if above is not None and tier.start <= above]
    return reached[-1] if reached else value.base
