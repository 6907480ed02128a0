from collections.abc import AsyncIterator
from decimal import Decimal
from pathlib import Path

import pytest
import pytest_asyncio
from evalrouter_server.catalog import local_model
from evalrouter_server.catalog.cache import FileCache
from evalrouter_server.catalog.local_model import LocalModel
from evalrouter_server.catalog.models import BUILT_IN_ID, ModelCatalog, connected_model_id
from evalrouter_server.catalog.prices import PriceBook
from evalrouter_server.clock import utc_now
from evalrouter_server.ids import derived_id, new_id
from evalrouter_server.ledger.bootstrap import make_workspace
from evalrouter_server.quoting.price import Price
from evalrouter_server.store import connections
from evalrouter_server.store.connections import EndpointRow
from evalrouter_server.store.database import Database
from evalrouter_server.store.migrate import migrate

PRICES = PriceBook.load()


@pytest_asyncio.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    url = f"sqlite:///{tmp_path / 'test.db'}"
    await migrate(url)
    opened = await Database.open(url)
    yield opened
    await opened.close()


@pytest_asyncio.fixture
async def workspace(database: Database) -> str:
    workspace_id = new_id("ws")
    await database.write(lambda connection: make_workspace(connection, workspace_id, "test", 0))
    return workspace_id


def catalog(database: Database, tmp_path: Path, **environment: str) -> ModelCatalog:
    return ModelCatalog(database, PRICES, LocalModel(FileCache(tmp_path)), environment)


async def connect(database: Database, workspace_id: str, name: str, **fields: str) -> EndpointRow:
    connection_id = new_id("conn")
    price = Price(input_usd_per_mtok=Decimal(1), output_usd_per_mtok=Decimal(2), source="connection", version="1")
    row = EndpointRow(
        id=connection_id,
        workspace_id=workspace_id,
        name=name,
        kind="model",
        base_url="http://127.0.0.1:9/v1",
        upstream_model="llama",
        model_id=connected_model_id(workspace_id, connection_id),
        price=price.model_dump(mode="json"),
        key_encrypted=None,
        key_env=fields.get("key_env"),
        created_at=utc_now(),
    )
    await database.write(lambda connection: connections.insert(connection, row))
    return row


async def test_a_bare_name_is_its_makers_and_resellers_are_named_in_full(
    database: Database, workspace: str, tmp_path: Path
) -> None:
    models = catalog(database, tmp_path)
    (gpt,) = await models.match(workspace, "gpt-5")
    assert (gpt.provider, gpt.slug, gpt.reference, gpt.is_makers) == ("openai", "gpt-5", "openai/gpt-5", True)
    assert gpt.id == derived_id("model", "openai", "gpt-5")
    assert (gpt.upstream_name, gpt.route) == ("gpt-5", "provider:openai")
    assert [model.provider for model in await models.match(workspace, "openrouter/openai/gpt-5")] == ["openrouter"]
    assert [model.id for model in await models.match(workspace, "OpenAI/GPT-5")] == [gpt.id]
    assert [model.id for model in await models.match(workspace, gpt.id)] == [gpt.id]
    (fireworks,) = await models.match(workspace, "fireworks/gpt-oss-120b")
    assert fireworks.upstream_name == "accounts/fireworks/models/gpt-oss-120b"
    assert await models.match(workspace, "gpt-oss-120b") == []


@pytest.mark.parametrize("text", ["gpt", "gpt-5-", "gpt-5*", "", "openai/", "%", "connection:"])
async def test_nothing_is_named_nearly(database: Database, workspace: str, tmp_path: Path, text: str) -> None:
    assert await catalog(database, tmp_path).match(workspace, text) == []


async def test_the_nearest_names_are_suggested(database: Database, workspace: str, tmp_path: Path) -> None:
    models = catalog(database, tmp_path)
    assert "gpt-5" in await models.suggestions(workspace, "gtp-5")
    assert local_model.SLUG in await models.suggestions(workspace, "smolm2-135m")


async def test_a_connections_bare_name_suggests_it_first(database: Database, workspace: str, tmp_path: Path) -> None:
    await connect(database, workspace, "fast")
    assert (await catalog(database, tmp_path).suggestions(workspace, "Fast"))[0] == "connection:fast"


async def test_a_model_is_callable_once_its_key_is_there(database: Database, workspace: str, tmp_path: Path) -> None:
    (without,) = await catalog(database, tmp_path).match(workspace, "gpt-5")
    assert not without.callable
    assert without.unavailable_reason == "set OPENAI_API_KEY in the server's environment"
    (with_key,) = await catalog(database, tmp_path, OPENAI_API_KEY="sk-1").match(workspace, "gpt-5")
    assert with_key.callable
    (blank,) = await catalog(database, tmp_path, OPENAI_API_KEY=" ").match(workspace, "gpt-5")
    assert not blank.callable
    (google,) = await catalog(database, tmp_path, GOOGLE_API_KEY="k").match(workspace, "gemini-2.5-flash")
    assert google.callable


async def test_a_connection_is_a_model_of_its_workspace(database: Database, workspace: str, tmp_path: Path) -> None:
    row = await connect(database, workspace, "Mine")
    models = catalog(database, tmp_path)
    (mine,) = await models.match(workspace, "connection:mine")
    assert (mine.id, mine.slug, mine.reference) == (row.model_id, "connection:Mine", "connection:Mine")
    assert (mine.upstream_name, mine.route, mine.connection_id) == ("llama", f"connection:{row.id}", row.id)
    assert mine.callable
    assert mine.price is not None
    assert mine.price.output_usd_per_mtok == 2
    assert await models.get(workspace, row.model_id) == mine
    other = new_id("ws")
    assert await models.match(other, "connection:Mine") == []
    assert await models.get(other, row.model_id) is None


async def test_a_connection_whose_variable_is_missing_says_so(
    database: Database, workspace: str, tmp_path: Path
) -> None:
    row = await connect(database, workspace, "Mine", key_env="MY_KEY")
    model = await catalog(database, tmp_path).get(workspace, row.model_id)
    assert model is not None
    assert model.unavailable_reason == "set MY_KEY in the server's environment"
    model = await catalog(database, tmp_path, MY_KEY="k").get(workspace, row.model_id)
    assert model is not None
    assert model.callable


async def test_the_built_in_model_costs_nothing(database: Database, workspace: str, tmp_path: Path) -> None:
    models = catalog(database, tmp_path)
    (built_in,) = await models.match(workspace, "smollm2-135m")
    assert (built_in.id, built_in.provider, built_in.reference) == (BUILT_IN_ID, "local", "local/smollm2-135m")
    assert built_in.price is not None
    assert (built_in.price.is_free, built_in.price.source) == (True, "built-in")
    assert await models.get(workspace, BUILT_IN_ID) == built_in


async def test_every_model_has_one_id_and_one_reference(database: Database, workspace: str, tmp_path: Path) -> None:
    await connect(database, workspace, "Mine")
    models = await catalog(database, tmp_path).models(workspace)
    assert len({model.id for model in models}) == len({model.reference for model in models}) == len(models)
