import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from evalrouter_server.problems import Problem
from evalrouter_server.secrets import SECRET_VARIABLE, SecretBox, hash_secret, new_secret
from evalrouter_server.store import keys
from evalrouter_server.store.database import Database
from evalrouter_server.store.tables import api_keys
from sqlalchemy import Connection

from tests.ledger.money import make_money


async def test_a_key_opens_its_workspace_until_it_is_revoked(database: Database) -> None:
    money = await make_money(database)
    new = await database.write(
        lambda connection: keys.create(connection, money.workspace_id, "ci", ["run", "read"], 30_000_000)
    )
    assert new.key.scopes == ["read", "run"]
    assert new.secret.startswith(new.key.prefix)
    found = await database.read(lambda connection: keys.authenticate(connection, new.secret))
    assert found == new.key
    assert found.remaining_microusd == 30_000_000
    assert await database.read(lambda connection: keys.authenticate(connection, new.secret[:-1])) is None
    stored = await database.read(
        lambda connection: connection.execute(api_keys.select().where(api_keys.c.id == new.key.id)).one()
    )
    assert stored.hash == hash_secret(new.secret)
    assert new.secret not in str(stored)
    revoked = await database.write(lambda connection: keys.revoke(connection, money.workspace_id, new.key.id))
    assert revoked.revoked_at is not None
    assert await database.write(lambda connection: keys.revoke(connection, money.workspace_id, new.key.id)) == revoked
    assert await database.read(lambda connection: keys.authenticate(connection, new.secret)) is None
    with pytest.raises(Problem, match="no key"):
        await database.write(lambda connection: keys.revoke(connection, "ws_other", new.key.id))


async def test_the_last_key_that_may_manage_keys_stays(database: Database) -> None:
    money = await make_money(database)
    with pytest.raises(Problem) as refused:
        await database.write(lambda connection: keys.revoke(connection, money.workspace_id, money.key_id))
    assert refused.value.code == "in_use"
    await database.write(lambda connection: keys.create(connection, money.workspace_id, "second", keys.SCOPES))
    await database.write(lambda connection: keys.revoke(connection, money.workspace_id, money.key_id))
    page = await database.read(lambda connection: keys.list_page(connection, money.workspace_id, limit=1))
    assert page.next_cursor is not None


async def test_a_gateway_key_dies_with_its_run(database: Database) -> None:
    money = await make_money(database)
    run_id = await money.run(10)
    new = await database.write(lambda connection: keys.create_gateway_key(connection, run_id))
    assert new.secret.startswith("er_gw_")
    assert new.secret not in repr(new)

    def authenticate(connection: Connection) -> keys.GatewayKeyRow | None:
        return keys.authenticate_gateway(connection, new.secret)

    assert await database.read(authenticate) == new.key
    assert await database.read(lambda connection: keys.authenticate(connection, new.secret)) is None
    assert await database.write(lambda connection: keys.revoke_gateway_keys(connection, run_id)) == 1
    assert await database.read(authenticate) is None


def test_what_is_sealed_opens_only_with_the_same_secret() -> None:
    box = SecretBox("a secret of thirty-two characters or more")
    sealed = box.seal(b"key")
    assert b"key" not in sealed
    assert SecretBox("a secret of thirty-two characters or more").unseal(sealed) == b"key"
    with pytest.raises(ValueError, match="cannot be decrypted"):
        SecretBox("another secret of thirty-two characters").unseal(sealed)
    with pytest.raises(ValueError, match="has 5 characters and needs at least 32"):
        SecretBox("short")


def test_servers_that_start_at_once_share_one_secret_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(SECRET_VARIABLE, raising=False)
    with ThreadPoolExecutor(8) as threads:
        boxes = list(threads.map(lambda _: SecretBox.open(tmp_path / "new"), range(8)))
    sealed = boxes[0].seal(b"x")
    assert all(box.unseal(sealed) == b"x" for box in boxes)
    (file,) = (tmp_path / "new").iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    monkeypatch.setenv(SECRET_VARIABLE, new_secret())
    with pytest.raises(ValueError, match=SECRET_VARIABLE):
        SecretBox.open(tmp_path / "new").unseal(sealed)
