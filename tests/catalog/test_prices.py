from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pytest
from evalrouter_server.catalog.package_prices import package_version
from evalrouter_server.catalog.prices import PriceBook, PricesError
from evalrouter_server.catalog.providers import PROVIDERS
from evalrouter_server.clock import utc_now
from evalrouter_server.quoting.price import Price, Usage, charge_microusd, worst_case_microusd
from genai_prices import data, types

BOOK = PriceBook.load()
NOW = utc_now()


def price(reference: str, at: datetime = NOW) -> Price:
    provider, _, slug = reference.partition("/")
    found = BOOK.price(provider, slug, at)
    assert found is not None, reference
    return found


def test_prices_are_exact_decimals_with_their_source_and_version() -> None:
    gpt = price("openai/gpt-5")
    assert (gpt.input_usd_per_mtok, gpt.output_usd_per_mtok) == (Decimal("1.25"), Decimal(10))
    assert gpt.cached_input_usd_per_mtok == Decimal("0.125")
    assert (gpt.source, gpt.version) == ("genai-prices", package_version())


@pytest.mark.parametrize("slug", ["gpt-5-mini", "gpt-5-2025-08-07", "gpt-5-nano"])
def test_a_models_own_name_and_its_dated_snapshots_are_priced(slug: str) -> None:
    assert BOOK.price("openai", slug, NOW) is not None


@pytest.mark.parametrize(
    ("provider", "slug"),
    [
        ("openai", "gpt-5-nano-next"),  # the package matches it by the prefix gpt-5-nano-
        ("openai", "GPT-5"),
        ("openai", "gpt-5-chat-latest"),  # an alias, not a snapshot
        ("openai", "gpt-"),
        ("anthropic", "claude-sonnet-4-5-turbo"),  # by prefix
        ("anthropic", "claude-opus-5-20270101"),  # by pattern
        ("google", "claude-sonnet-4-5"),  # another endpoint's
        ("aws", "anything"),
    ],
)
def test_no_other_name_is_priced(provider: str, slug: str) -> None:
    assert BOOK.price(provider, slug, NOW) is None
    assert (provider, slug) not in {(model.provider.id, model.slug) for model in BOOK.models()}


def test_every_listed_name_is_an_id_or_named_letter_by_letter() -> None:
    exact: set[tuple[str, str]] = set()

    def collect(provider: str, clause: object) -> None:
        if isinstance(clause, types.ClauseEquals):
            exact.add((provider, clause.equals))
        for part in clause.or_ if isinstance(clause, types.ClauseOr) else ():
            collect(provider, part)

    for provider in data.providers:
        for model in provider.models:
            exact.add((provider.id, model.id))
            collect(provider.id, model.match)
    assert {(model.provider.id, model.slug) for model in BOOK.models()} <= exact


def test_only_chat_models_are_listed() -> None:
    listed = {f"{model.provider.id}/{model.slug}" for model in BOOK.models()}
    assert {"openai/gpt-5", "anthropic/claude-haiku-4-5", "google/gemini-2.5-flash"} <= listed
    for other in (
        "text-embedding-3-small",
        "gpt-image-1",
        "whisper-1",
        "gpt-realtime",
        "davinci-002",
        "o1-pro",
        "tts-1",
    ):
        assert f"openai/{other}" not in listed
    assert len(listed) > 1000


def test_a_bare_name_means_one_maker() -> None:
    bare = [model.slug for model in BOOK.models() if model.provider.is_maker_of(model.slug)]
    assert len(bare) == len(set(bare))
    assert PROVIDERS["openai"].is_maker_of("gpt-5")
    assert not PROVIDERS["openrouter"].is_maker_of("openai/gpt-5")
    assert not PROVIDERS["openai"].is_maker_of("gpt-oss-120b")


def test_models_that_are_paid_by_request_too_have_no_price() -> None:
    assert BOOK.price("perplexity", "sonar", NOW) is None


def test_a_price_of_nothing_is_believed_only_of_a_name_that_says_so() -> None:
    for model in BOOK.models():
        found = BOOK.price(model.provider.id, model.slug, NOW)
        assert found is None or not found.is_free or model.slug.endswith(":free"), model


def test_tiers_change_the_whole_call() -> None:
    sonnet = price("anthropic/claude-sonnet-4-5")
    (tier,) = sonnet.tiers
    assert (tier.above_input_tokens, tier.input_usd_per_mtok, tier.output_usd_per_mtok) == (
        200_000,
        Decimal(6),
        Decimal("22.5"),
    )
    assert charge_microusd(sonnet, Usage(input_tokens=200_000)) == 600_000
    assert charge_microusd(sonnet, Usage(input_tokens=200_001)) == 1_200_006


def test_the_package_agrees_on_what_calls_cost() -> None:
    """The charge equals the package's own sum, rounded up, for every model whose price does not depend on the hour."""
    reported = types.Usage(input_tokens=250_100, cache_read_tokens=50_000, output_tokens=700)
    usage = Usage(input_tokens=200_100, cached_input_tokens=50_000, output_tokens=700)
    by_id = {(provider.id, model.id): (provider, model) for provider in data.providers for model in provider.models}
    compared = 0
    for listed in BOOK.models():
        if (listed.provider.id, listed.slug) not in by_id:
            continue
        provider, model = by_id[listed.provider.id, listed.slug]
        ours = BOOK.price(listed.provider.id, listed.slug, NOW)
        hourly = isinstance(model.prices, list) and any(
            isinstance(entry.constraint, types.TimeOfDateConstraint) for entry in model.prices
        )
        if ours is None or hourly:
            continue
        theirs = model.calc_price(reported, provider, genai_request_timestamp=NOW).total_price * 1_000_000
        assert 0 <= charge_microusd(ours, usage) - theirs < 1, listed
        assert worst_case_microusd(ours, 250_100, 700) >= theirs
        compared += 1
    assert compared > 1000


def test_a_price_that_depends_on_the_hour_is_the_dearest_of_the_day() -> None:
    model = next(model for provider in data.providers if provider.id == "deepseek" for model in provider.models)
    day = datetime(2026, 11, 29, tzinfo=UTC)
    hours = [model.get_prices(day.replace(hour=hour, minute=minute)) for hour in range(24) for minute in (0, 31)]
    inputs = {hour.input_mtok for hour in hours if isinstance(hour.input_mtok, Decimal)}
    assert len(inputs) > 1
    for hour in (0, 12, 18, 23):
        assert price(f"deepseek/{model.id}", day.replace(hour=hour)).input_usd_per_mtok == max(inputs)


def test_a_price_is_the_one_of_its_day() -> None:
    before, after = (price("openai/o3", datetime(2025, 6, day, tzinfo=UTC)) for day in (9, 10))
    assert (before.input_usd_per_mtok, after.input_usd_per_mtok) == (Decimal(10), Decimal(2))


def test_the_operators_prices_go_first_and_may_name_new_models(tmp_path: Path) -> None:
    file = tmp_path / "prices.yaml"
    file.write_text(
        """
        openai/gpt-5: {input_usd_per_mtok: "1", output_usd_per_mtok: "8.125"}
        openai/gpt-5-nano-next:
          input_usd_per_mtok: 3
          output_usd_per_mtok: "4"
          name: Nano Next
          context_window: 1000
        """
    )
    book = PriceBook.load(file)
    gpt = book.price("openai", "gpt-5", NOW)
    assert gpt is not None
    assert (gpt.output_usd_per_mtok, gpt.cached_input_usd_per_mtok, gpt.source) == (Decimal("8.125"), None, "override")
    (new,) = (model for model in book.models() if model.slug == "gpt-5-nano-next")
    assert (new.name, new.context_window) == ("Nano Next", 1000)
    assert BOOK.price("openai", "gpt-5-nano-next", NOW) is None


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("openai/gpt-5: {input_usd_per_mtok: 0.1, output_usd_per_mtok: '1'}", "write it in quotes"),
        ("openai/gpt-5: {input_usd_per_mtok: '-1', output_usd_per_mtok: '1'}", "greater than or equal to 0"),
        ("openai/gpt-5: {input_usd_per_mtok: '1'}", "output_usd_per_mtok"),
        ("openai/gpt-5: {input_usd_per_mtok: '1', output_usd_per_mtok: '1', per_request: 1}", "per_request"),
        ("gpt-5: {input_usd_per_mtok: '1', output_usd_per_mtok: '1'}", "does not begin with one of the providers"),
        ("[1, 2]", "dict"),
        ("{", "prices.yaml"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused(tmp_path: Path, content: str, said: str) -> None:
    file = tmp_path / "prices.yaml"
    file.write_text(content)
    with pytest.raises(PricesError, match=said):
        PriceBook.load(file)


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PricesError, match=r"none\.yaml"):
        PriceBook.load(tmp_path / "none.yaml")
