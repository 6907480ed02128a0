"""The conversion of async code to sync code."""

from __future__ import annotations

import pytest

from scripts import regen, unasync

ASYNC = '''\
"""The `AsyncClient` of the asynchronous API.

    async with AsyncClient() as client:
        await client.runs.list()
"""

from contextlib import aclosing
from evalrouter._async.runs import AsyncRuns


class AsyncClient:
    async def __aenter__(self) -> "AsyncClient":
        return self  # the AsyncClient

    async def names(self) -> AsyncIterator[str]:
        async with aclosing(self.pages()) as pages:
            names = [run.name async for page in pages for run in await page.runs()]
        raise ValueError(f"{await self.first()} has no name; pass it to AsyncClient(...)")


class AsyncStream(httpx.AsyncByteStream):
    pass
'''

SYNC = '''\
# Generated from evalrouter/_async/client.py by scripts/regen; do not edit.

"""The `Client` of the synchronous API.

    with Client() as client:
        client.runs.list()
"""

from contextlib import closing
from evalrouter._sync.runs import Runs


class Client:
    def __enter__(self) -> "Client":
        return self  # the Client

    def names(self) -> Iterator[str]:
        with closing(self.pages()) as pages:
            names = [run.name for page in pages for run in page.runs()]
        raise ValueError(f"{self.first()} has no name; pass it to Client(...)")


class Stream(httpx.SyncByteStream):
    pass
'''


def test_code_docstrings_comments_and_messages_become_sync() -> None:
    assert unasync.Converter().convert(ASYNC, "evalrouter/_async/client.py") == SYNC


def test_words_that_only_contain_a_rule_stay() -> None:
    text = "awaiting = preaclose = Asynchrony = asyncs\n"
    assert unasync.Converter().convert(text, "a.py").endswith(f"\n\n{text}")


@pytest.mark.parametrize("word", ["asyncio.gather(a, b)", "an async client", "class AsyncioThing(AsyncX, Async1)"])
def test_an_async_word_without_a_sync_form_is_refused_by_name(word: str) -> None:
    with pytest.raises(unasync.NoSyncFormError, match=r'^m\.py, about line 2: no rule .* gives "'):
        unasync.Converter().convert(f"pass\n{word} = asyncio.gather()\n", "m.py")


def test_unused_rules_are_remembered() -> None:
    converter = unasync.Converter()
    converter.convert("await x.aread()\n", "m.py")
    assert "aread" not in converter.unused_rules
    assert "await" not in converter.unused_rules
    assert "aclose" in converter.unused_rules


def test_every_rule_is_of_use() -> None:
    sources = [path for folder in regen.TWINS for path in (regen.ROOT / folder).rglob("*.py")]
    if not any(path.name != "__init__.py" for path in sources):
        pytest.skip("there is no async source to convert yet")
    converter = unasync.Converter()
    for path in sources:
        converter.convert(path.read_text(encoding="utf-8"), str(path))
    assert not converter.unused_rules, "remove these rules from scripts/unasync.py, or use them"
