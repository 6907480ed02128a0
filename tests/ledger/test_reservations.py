import pytest
from evalrouter_server.clock import utc_now
from evalrouter_server.ledger import (
    BeyondBound,
    Exhausted,
    MustWait,
    Replay,
    Reserve,
    Reserved,
    Stopped,
    close,
    reserve,
)
from evalrouter_server.ledger.items import LARGEST_AMOUNT, Lose, NewCall
from evalrouter_server.quoting.price import Usage
from evalrouter_server.store import calls, runs
from evalrouter_server.store.database import Database

from tests.ledger.money import OWNER, make_money


async def test_a_settled_call_charges_its_usage_and_gives_the_rest_back(database: Database) -> None:
    money = await make_money(database)
    run_id = await money.run(1000)
    reserved = await money.reserved(run_id, 300)
    assert (await money.get(run_id)).reserved_microusd == 300
    closed = await money.settle(reserved, 120, model_served="double-2026")
    assert (closed.charge, closed.overage, closed.status, closed.repeated) == (120, 0, "settled", False)
    run = await money.get(run_id)
    assert (run.reserved_microusd, run.spent_microusd, run.models_served) == (0, 120, ["double-2026"])
    await money.assert_sound()


async def test_waits_for_open_reservations_and_refuses_what_can_never_fit(database: Database) -> None:
    money = await make_money(database)
    run_id = await money.run(1000)
    first = await money.reserved(run_id, 700)
    assert await money.reserve(run_id, 400) == MustWait("budget")
    assert await money.reserve(run_id, 1001) == Exhausted(1000)
    await money.settle(first, 650)
    assert await money.reserve(run_id, 351) == Exhausted(350)
    assert isinstance(await money.reserve(run_id, 350), Reserved)
    await money.assert_sound()


async def test_a_charge_beyond_the_reservation_is_overage_and_flags_the_run(database: Database) -> None:
    money = await make_money(database)
    run_id = await money.run(1000)
    closed = await money.settle(await money.reserved(run_id, 100), 250)
    assert (closed.charge, closed.overage) == (100, 150)
    run = await money.get(run_id)
    assert (run.spent_microusd, run.overage_microusd) == (100, 150)
    assert "overage" in run.flags
    assert await money.reserve(run_id, 1) == BeyondBound()
    await money.assert_sound()


async def test_an_absurd_claim_is_stored_and_charges_no_more_than_was_reserved(database: Database) -> None:
    money = await make_money(database)
    run_id = await money.run(1000)
    first, second = await money.reserved(run_id, 100), await money.reserved(run_id, 100)
    closed = await money.settle(first, 10**40, provider_cost=10**40)
    assert (closed.charge, closed.overage) == (100, LARGEST_AMOUNT)
    await money.settle(second, 10**40)
    assert (await money.get(run_id)).overage_microusd == LARGEST_AMOUNT
    await money.assert_sound()


async def test_closing_again_changes_nothing_whatever_the_second_says(database: Database) -> None:
    money = await make_money(database)
    run_id = await money.run(1000)
    settled = await money.reserved(run_id, 100)
    lost = await money.reserved(run_id, 100)
    released = await money.reserved(run_id, 100)
    first = [await money.settle(settled, 40), await money.lose(lost), await money.release(released)]
    before = await money.get(run_id)
    for reserved, outcome in zip((settled, lost, released), first, strict=True):
        for again in (money.settle(reserved, 77), money.lose(reserved), money.release(reserved)):
            repeated = await again
            assert repeated.repeated
            assert (repeated.status, repeated.charge, repeated.overage) == (
                outcome.status,
                outcome.charge,
                outcome.overage,
            )
    assert await money.get(run_id) == before
    assert before.spent_microusd == 140
    assert "usage_unknown" in before.flags
    await money.assert_sound()


async def test_a_settled_call_is_replayed_with_its_answer(database: Database) -> None:
    money = await make_money(database)
    run_id = await money.run(1000)
    response = {"text": "4 \x00 \ud800"}
    await money.settle(await money.reserved(run_id, 100, "task/0"), 40, response=response, model_served="m")
    replay = await money.reserve(run_id, 100, "task/0")
    assert isinstance(replay, Replay)
    assert (replay.response, replay.charge, replay.usage, replay.model_served) == (
        response,
        40,
        Usage(output_tokens=40),
        "m",
    )
    assert (await money.get(run_id)).reserved_microusd == 0


async def test_tries_of_one_call_are_reservations_of_their_own(database: Database) -> None:
    money = await make_money(database)
    run_id = await money.run(1000)
    first = await money.reserved(run_id, 100, "task/0", task_id="task_1")
    assert await money.reserve(run_id, 100, "task/0") == MustWait("same_call")
    await money.lose(first)
    second = await reserve(database, Reserve(run_id, first.call_id, 100, OWNER))
    assert second == Reserved(first.call_id, 2, charged=100)
    await money.release(second)
    third = await money.reserved(run_id, 100, "task/0")
    assert third == Reserved(first.call_id, 3, charged=100)
    await money.settle(third, 30)
    page = await database.read(lambda connection: calls.list_page(connection, run_id))
    (listed,) = page.items
    assert [(entry.status, entry.charge_microusd) for entry in listed.tries] == [
        ("unknown", 100),
        ("released", 0),
        ("settled", 30),
    ]
    assert (listed.call.status, listed.call.charge_microusd, listed.call.usage_source) == ("settled", 130, "reported")
    assert (await money.get(run_id)).flags == ["usage_unknown"]
    await money.assert_sound()


async def test_asking_again_with_the_same_item_finds_what_it_reserved(database: Database) -> None:
    money = await make_money(database)
    run_id = await money.run(1000)
    new = Reserve(run_id, NewCall("task/0", "chat", False, "double"), 600, OWNER)
    first = await reserve(database, new)
    assert isinstance(first, Reserved)
    assert await reserve(database, new) == first
    await money.release(first)
    again = Reserve(run_id, first.call_id, 600, OWNER)
    second = await reserve(database, again)
    assert second == Reserved(first.call_id, 2, charged=0)
    assert await reserve(database, again) == second
    assert (await money.get(run_id)).reserved_microusd == 600
    assert await money.settle(Reserved(first.call_id, 2, 0), 500)
    assert isinstance(await reserve(database, again), Replay)
    await money.assert_sound()


@pytest.mark.parametrize("status", ["paused", "cancelling"])
async def test_a_stopping_run_admits_nothing_new_and_still_settles(database: Database, status: str) -> None:
    money = await make_money(database)
    run_id = await money.run(1000)
    open_try = await money.reserved(run_id, 100)
    await database.write(
        lambda connection: runs.set_status(connection, run_id, status, expected=["running"], at=utc_now())
    )
    assert await money.reserve(run_id, 1) == Stopped(status)
    await money.settle(open_try, 60)
    assert await money.end(run_id, "cancelled") == 940
    assert await money.reserve(run_id, 0) == Stopped("cancelled")
    await money.assert_sound()


async def test_a_free_run_reserves_and_settles_nothing(database: Database) -> None:
    money = await make_money(database, allowance=0)
    run_id = await money.run(0)
    reserved = await money.reserved(run_id, 0)
    assert (await money.settle(reserved, 0)).charge == 0
    assert await money.reserve(run_id, 1) == Exhausted(0)
    assert await money.end(run_id) == 0
    verification = await money.verify()
    assert (verification.ok, verification.entries, verification.calls, verification.runs) == (True, 0, 1, 1)


async def test_what_does_not_exist_is_refused_without_harm_to_the_rest_of_the_group(database: Database) -> None:
    money = await make_money(database)
    run_id = await money.run(1000)
    ghost = NewCall("k", "chat", False, "double")
    with pytest.raises(LookupError, match="no run"):
        await reserve(database, Reserve("run_ghost", ghost, 1, OWNER))
    with pytest.raises(LookupError, match="has no call"):
        await reserve(database, Reserve(run_id, "call_ghost", 1, OWNER))
    with pytest.raises(LookupError, match="has no try 1"):
        await close(database, Lose("call_ghost", 1))
    other = await money.run(1000)
    reserved = await money.reserved(other, 1)
    with pytest.raises(LookupError, match="has no call"):
        await reserve(database, Reserve(run_id, reserved.call_id, 1, OWNER))


@pytest.mark.parametrize("amount", [-1, True, 1.5])
def test_amounts_are_whole_and_not_negative(amount: int) -> None:
    with pytest.raises(ValueError, match="micro-USD"):
        Reserve("run", "call", amount, OWNER)


async def test_flags_say_what_a_reader_must_know(database: Database) -> None:
    money = await make_money(database)
    run_id = await money.run(100_000)
    await money.settle(await money.reserved(run_id, 1000, task_id="t"), 500, provider_cost=505)
    assert (await money.get(run_id)).flags == []
    await money.settle(await money.reserved(run_id, 1000, task_id="t"), 500, provider_cost=520)
    assert (await money.get(run_id)).flags == ["provider_cost_differs"]
    await money.settle(
        await money.reserved(run_id, 1000), 1, usage_source="estimated", provider_cost=2, flags=("other_model_served",)
    )
    assert (await money.get(run_id)).flags == [
        "provider_cost_differs",
        "unattributed_calls",
        "usage_estimated",
        "other_model_served",
    ]
