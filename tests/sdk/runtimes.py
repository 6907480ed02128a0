"""Runtimes whose pauses take no time but are counted."""

from evalrouter.concurrency import AsyncRuntime, Runtime


class AsyncQuickRuntime(AsyncRuntime):
    """Notes each pause instead of taking it; its clock runs on by that much."""

    def __init__(self) -> None:
        self.pauses: list[float] = []

    async def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        await super().sleep(0.001)

    def monotonic(self) -> float:
        return super().monotonic() + sum(self.pauses)

    def random(self) -> float:
        return 0.5


class QuickRuntime(Runtime):
    """Notes each pause instead of taking it; its clock runs on by that much."""

    def __init__(self) -> None:
        self.pauses: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        super().sleep(0.001)

    def monotonic(self) -> float:
        return super().monotonic() + sum(self.pauses)

    def random(self) -> float:
        return 0.5
