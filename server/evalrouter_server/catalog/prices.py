"""Prices of the large providers' chat models: the bundled snapshot of genai-prices, and the operator's own file.

The snapshot takes longer to import than the service takes to start, so it is read when first asked for.
"""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml
from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from evalrouter_server.catalog.providers import PROVIDERS, Provider
from evalrouter_server.quoting.price import Price, UsdPerMillion

if TYPE_CHECKING:
    from evalrouter_server.catalog.package_prices import PackageModels

OVERRIDE = "override"


@dataclass(frozen=True, slots=True)
class ListedModel:
    """A chat model that prices are known of, or known to be missing.

    Attributes:
        provider: The provider.
        slug: Its exact name at the provider.
        name: Its display name.
        context_window: Tokens; None where not known.
    """

    provider: Provider
    slug: str
    name: str
    context_window: int | None


class PricesError(ValueError):
    """The operator's file of prices cannot be used."""


class _Override(BaseModel):
    """A price of the operator's file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    input_usd_per_mtok: UsdPerMillion
    output_usd_per_mtok: UsdPerMillion
    cached_input_usd_per_mtok: UsdPerMillion | None = None
    cache_write_usd_per_mtok: UsdPerMillion | None = None
    name: str | None = None
    context_window: int | None = None


class PriceBook:
    """Prices by provider and exact slug.

    Args:
        overrides: The operator's own prices by `provider/slug`; they go before those of the package.
        overrides_version: What names their version.
    """

    def __init__(self, overrides: Mapping[str, _Override] | None = None, overrides_version: str = "") -> None:
        self._overrides = dict(overrides or {})
        self._overrides_version = overrides_version
        self._known: dict[tuple[str, str], tuple[date, Price | None]] = {}

    @classmethod
    def load(cls, path: Path | None = None) -> "PriceBook":
        """The prices of the package, and those of the operator's file.

        Args:
            path: A YAML or JSON file, a mapping of `provider/slug` to `{input_usd_per_mtok: "…",
                output_usd_per_mtok: "…"}` and optionally `cached_input_usd_per_mtok`, `cache_write_usd_per_mtok`,
                `name`, `context_window`; amounts are texts, exact decimals. None: none.

        Raises:
            PricesError: The file cannot be read, or holds something else.
        """
        if path is None:
            return cls()
        try:
            content = path.read_bytes()
            entries = TypeAdapter(dict[str, dict[str, Any]]).validate_python(yaml.safe_load(content) or {})
            overrides = {reference: _override(reference, entry) for reference, entry in entries.items()}
        except (OSError, yaml.YAMLError, ValidationError) as error:
            raise PricesError(f"the file of prices {path} cannot be used: {error}") from error
        return cls(overrides, hashlib.sha256(content).hexdigest()[:12])

    def models(self) -> Iterable[ListedModel]:
        """Every chat model of the providers in the table, by provider and slug."""
        listed = {names: model for names, (model, _) in self._package.items()}
        for reference, override in self._overrides.items():
            names = _split(reference)
            listed[names] = _of_override(names, override, listed.get(names))
        return [model for _, model in sorted(listed.items())]

    def price(self, provider: str, slug: str, at: datetime) -> Price | None:
        """The price of exactly this model.

        Args:
            provider: The provider's slug.
            slug: The model's exact slug.
            at: When; prices that depend on the hour are taken at the dearest hour of that day, in UTC.

        Returns:
            The price; None where there is none, where the model is also paid by units that are not metered here, or
            where the package says that it costs nothing, which is believed only of names that say so themselves.
        """
        if (override := self._overrides.get(f"{provider}/{slug}")) is not None:
            rates = override.model_dump(exclude={"name", "context_window"})
            return Price(**rates, source=OVERRIDE, version=self._overrides_version)
        if (provider, slug) not in self._package:
            return None
        _, info = self._package[provider, slug]
        day = at.astimezone(UTC).date()
        known = self._known.get((provider, slug))
        if known is None or known[0] != day:
            from evalrouter_server.catalog.package_prices import price_on

            known = self._known[provider, slug] = (day, price_on(info, day))
        return known[1]

    @cached_property
    def _package(self) -> "PackageModels":
        from evalrouter_server.catalog.package_prices import package_models

        return package_models()


def _override(reference: str, entry: Mapping[str, Any]) -> _Override:
    if _split(reference)[0] not in PROVIDERS:
        raise PricesError(
            f"{reference!r} does not begin with one of the providers {', '.join(sorted(PROVIDERS))};"
            " for another endpoint make a connection"
        )
    inexact = [name for name, value in entry.items() if isinstance(value, float)]
    if inexact:
        raise PricesError(f"{inexact[0]} of {reference!r} is not exact; write it in quotes")
    return _Override.model_validate(entry)


def _of_override(names: tuple[str, str], override: _Override, known: ListedModel | None) -> ListedModel:
    provider, slug = names
    name = override.name or (known.name if known else slug)
    window = override.context_window or (known.context_window if known else None)
    return ListedModel(PROVIDERS[provider], slug, name, window)


def _split(reference: str) -> tuple[str, str]:
    provider, _, slug = reference.partition("/")
    return provider, slug
