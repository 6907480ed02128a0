"""A process that spends a run's money as fast as it can: `python spender.py DATABASE_URL RUN_ID OWNER`."""

import asyncio
import json
import random
import sys

from evalrouter_server.ids import new_id
from evalrouter_server.ledger import Exhausted, NewCall, Reserve, Reserved, Settle, close, reserve
from evalrouter_server.quoting.price import Usage
from evalrouter_server.store.database import Database

LANES = 20


async def spend(database: Database, run_id: str, owner: str) -> dict[str, int | bool]:
    counts: dict[str, int | bool] = {"reserved": 0, "charged": 0, "exhausted": False}

    async def lane() -> None:
        while True:
            outcome = await reserve(
                database, Reserve(run_id, NewCall(new_id("call"), "chat", False, "double"), 20, owner)
            )
            if isinstance(outcome, Exhausted):
                counts["exhausted"] = True
                return
            if not isinstance(outcome, Reserved):
                await asyncio.sleep(0.005)
                continue
            counts["reserved"] += 1
            settle = Settle(outcome.call_id, outcome.try_number, Usage(), "reported", random.choice((1, 5, 20)))
            charge = (await close(database, settle)).charge
            counts["charged"] += charge

    await asyncio.gather(*(lane() for _ in range(LANES)))
    return counts


async def main(url: str, run_id: str, owner: str) -> None:
    database = await Database.open(url)
    try:
        print(json.dumps(await spend(database, run_id, owner)))
    finally:
        await database.close()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
