"""Wake-ups for those who follow a run."""

import asyncio

from evalrouter_server.engine.signals import Signals


async def test_a_waiter_wakes_on_a_newer_event() -> None:
    signals = Signals()
    waiting = asyncio.create_task(signals.wait("run_a", 3, timeout=30))
    await asyncio.sleep(0)
    signals.notify("run_b", 9)
    await asyncio.sleep(0)
    assert not waiting.done()
    signals.notify("run_a", 4)
    await asyncio.wait_for(waiting, 1)


async def test_an_event_between_reading_and_waiting_is_not_missed() -> None:
    signals = Signals()
    signals.notify("run_a", 4)
    await asyncio.wait_for(signals.wait("run_a", 3, timeout=30), 1)


async def test_waiting_ends_with_its_time() -> None:
    await asyncio.wait_for(Signals().wait("run_a", 0, timeout=0.01), 1)
