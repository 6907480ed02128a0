"""Many at once: exactly what a cap pays for gets through, who uses little waits, and a wallet is never passed."""

from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from tests.proof.load import Shop, many_calls, many_processes, open_shop

pytestmark = pytest.mark.timeout(300)
CALLS, PAID_FOR = 200, 10


@pytest_asyncio.fixture
async def shop(database_url: str, tmp_path: Path) -> AsyncIterator[Shop]:
    async with open_shop(database_url, tmp_path, 60_000) as opened:
        yield opened


async def test_exactly_as_many_get_through_as_the_cap_pays_for(shop: Shop) -> None:
    outcome = await many_calls(shop, CALLS, PAID_FOR, "uses its bound")
    assert outcome.answers == Counter({200: PAID_FOR, 402: CALLS - PAID_FOR})
    assert outcome.charged == PAID_FOR * outcome.worst


async def test_calls_that_use_little_wait_and_are_all_answered(shop: Shop) -> None:
    outcome = await many_calls(shop, CALLS, PAID_FOR, "uses little")
    assert outcome.answers == Counter({200: CALLS})
    assert 0 < outcome.charged < outcome.worst * PAID_FOR


async def test_processes_never_pass_a_wallet(shop: Shop) -> None:
    spent = await many_processes(shop, 4)
    assert spent.refused == 4
    assert spent.looks > 5
    assert spent.put_in / 2 < spent.charged <= spent.put_in
